"""Sets the view model in the templates: one markup for the PDF, one for the HTML twin, whose tables sort."""

import base64
import hashlib
import html
import re
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Any, Final, Literal

from markupsafe import Markup, escape

from certify.errors import InputError, Refusing, RenderError
from certify.messages import catalogue, elided, marks, spoken
from certify.model import Message
from certify.report.formats import pieces
from certify.report.layout import Figure, PageTable
from certify.report.widths import shares

_SPACES: Final = re.compile(r"(?<=\d)[\u00a0\u2009\u202f](?=\d)")
_NUMBER: Final = r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?"
_PLACE: Final = re.compile(r"^1 |\{\w+\}")
_POWER: Final = re.compile(r"\s?×\s?10\s?\^?([-⁻]?[0-9⁰¹²³⁴⁵⁶⁷⁸⁹]+)")
_RAISED: Final = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


@cache
def _form(language: str) -> re.Pattern[str]:
    """Returns the expression that a number matches as a language writes it, with its words for odds and shares."""
    sentences = catalogue(language).sentences
    odds, share, ratio, award, limits = (
        re.escape(_PLACE.sub("", sentences[f"number.{name}"]).strip())
        for name in ("one-in", "of", "odds-to", "odds-for", "range")
    )
    return re.compile(
        rf"(?:[A-Z]{{3}} )?(?:[^\w-]\s?)?(?:\d+ {odds} )?(?P<first>{_NUMBER})(?: {share} {_NUMBER})?"
        rf"(?:(?P<sign>/| (?:{ratio}|{award}|{limits}) )(?P<second>{_NUMBER}))?"
        r"(?:[\s\u00a0\u2009\u202f](?P<unit>%|[^\d\s]\S*))?"
    )


def sort_value(text: str) -> float | None:
    """Returns the number that a cell means, in the language in use; none where it is no number.

    Odds are sorted by their ratio, ``1 in N`` by N, a range by its lower end, a bound by what it is a bound of.

    >>> [sort_value(text) for text in ("25 to 1", "400 to 1", "5 for 1", "3 to 2", "1 in 60", "−0.5", "1/4")]
    [25.0, 400.0, 5.0, 1.5, 60.0, -0.5, 0.25]
    >>> [sort_value(text) for text in ("99.54 %", "1,234 rounds", "< 0.001", "98.1 to 99.2", "2.5 × 10⁻³", "never")]
    [99.54, 1234.0, 0.001, 98.1, 0.0025, None]
    >>> [sort_value(text) for text in ("EUR 20.00", "USD 1,000.00", "12 of 12", "EUR −3.00")]
    [20.0, 1000.0, 12.0, -3.0]
    """
    point, group = marks(spoken().language)
    plain = _SPACES.sub("", text.strip().replace("−", "-").replace("\u202f%", " %"))
    plain = re.sub(rf"(?<=\d){re.escape(group)}(?=\d{{3}}(?!\d))", "", plain).replace(point, ".")
    plain = _POWER.sub(lambda found: f"e{found[1].translate(_RAISED)}", plain)
    found = _form(spoken().language).fullmatch(plain)
    if not found:
        return None
    first, second = found["first"], found["second"]
    if second and (found["sign"] == "/" or (first + second).lstrip("-").isdigit()):
        return float(Fraction(first) / Fraction(second)) if Fraction(second) else None
    return float(first)


def sort_values(table: PageTable) -> tuple[tuple[str, ...], ...]:
    """Returns what each cell of a table is sorted by, empty where it is its text."""
    return tuple(
        tuple("" if value is None else repr(value) for value in (sort_value(cell.text) for cell in row))
        for row in table.rows
    )


def last_judged(table: PageTable) -> int:
    """Returns the column of the verdict that stays in sight on a narrow screen, -1 where there is none."""
    judged = [place for row in table.rows[:1] for place, cell in enumerate(row) if cell.verdict and place]
    return judged[-1] if judged else -1


Medium = Literal["print", "screen"]
TEMPLATES = "report_templates"

# Weight, style and file of every face; the PDF takes the TrueType files, the HTML twin the compressed ones.
PRINT_FACES = (
    ("IBM Plex Sans", 400, "normal", "IBMPlexSans-Regular.ttf"),
    ("IBM Plex Sans", 400, "italic", "IBMPlexSans-Italic.ttf"),
    ("IBM Plex Sans", 500, "normal", "IBMPlexSans-Medium.ttf"),
    ("IBM Plex Sans", 600, "normal", "IBMPlexSans-SemiBold.ttf"),
    ("IBM Plex Sans", 700, "normal", "IBMPlexSans-Bold.ttf"),
    ("IBM Plex Mono", 400, "normal", "IBMPlexMono-Regular.ttf"),
    ("IBM Plex Mono", 600, "normal", "IBMPlexMono-SemiBold.ttf"),
)
SCREEN_FACES = (
    ("IBM Plex Sans", 400, "normal", "IBMPlexSans-Regular.woff2"),
    ("IBM Plex Sans", 400, "italic", "IBMPlexSans-Italic.woff2"),
    ("IBM Plex Sans", 600, "normal", "IBMPlexSans-SemiBold.woff2"),
    ("IBM Plex Mono", 400, "normal", "IBMPlexMono-Regular.woff2"),
)


def resource(name: str) -> bytes:
    """Returns a bundled file of the report."""
    return files(TEMPLATES).joinpath(name).read_bytes()


def _face(family: str, weight: int, style: str, source: str) -> str:
    descriptors = (
        f'font-family: "{family}"; font-weight: {weight}; font-style: {style}; src: url("{source}");'
    )
    return f"@font-face {{ {descriptors} }}\n"


def _stylesheet(medium: Medium, *, with_faces: bool) -> str:
    faces: list[str] = []
    if medium == "print":
        faces = [_face(family, weight, style, f"font:{name}") for family, weight, style, name in PRINT_FACES]
    elif with_faces:
        faces = [
            _face(family, weight, style, "data:font/woff2;base64," + _base64(resource(f"fonts/{name}")))
            for family, weight, style, name in SCREEN_FACES
        ]
    style = "".join(faces) + resource("common.css").decode() + resource(f"{medium}.css").decode()
    # The number of the page as the style sheet counts it, in the words of the language.
    counters = {"page": '" counter(page) "', "pages": '" counter(pages) "'}
    return style.replace("PAGE_OF_PAGES", f'"{spoken().text([Message("page.of", counters)])}"')


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode()


def _policy(stylesheet: str, script: str) -> str:
    """Returns a content security policy that allows this style and this script, and no network at all."""
    style_hash, script_hash = (
        _base64(hashlib.sha256(text.encode()).digest()) for text in (stylesheet, script)
    )
    return (
        f"default-src 'none'; font-src data:; style-src 'sha256-{style_hash}'; "
        f"script-src 'sha256-{script_hash}'; base-uri 'none'; form-action 'none'"
    )


def _numbering() -> Callable[[str], int]:
    """Returns a counter per kind: tables and figures are numbered in the order in which they are set."""
    seen: Counter[str] = Counter()

    def numbered(kind: str) -> int:
        seen[kind] += 1
        return seen[kind]

    return numbered


def _inline_drawing(figure: Figure) -> Markup:
    label = html.escape(figure.alternative, quote=True)
    # The drawing comes from certify.report.svg, which escapes every text it is given.
    return Markup(figure.drawing.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1))  # noqa: S704


def _tell(message: str, **parameters: Any) -> Markup:
    """Returns a sentence for a template; what is in it is escaped, but for markup made by a macro."""
    return Markup("").join(
        escape(text) for pair in spoken().parts(Message(message, parameters)) for text in pair
    )


class _Compiled(dict[str, bytes]):
    """What templates were compiled to in this process, as Jinja hands it over and verifies it by their source."""

    def set(self, key: str, value: bytes) -> None:
        """Keeps what a template was compiled to."""
        self[key] = value


_COMPILED: Final[Any] = _Compiled()


def render_markup(
    report: object,
    medium: Medium,
    issued: str = "",
    template: str = "report.html.j2",
    *,
    faces: bool = True,
) -> str:
    """Returns the report as HTML: for the renderer of the PDF, or self-contained for a browser.

    Args:
        report: The view model.
        medium: ``print`` or ``screen``.
        issued: Time of issue for the metadata of the PDF, RFC 3339.
        template: The template that arranges this view model.
        faces: Whether the typefaces are in it; hundreds of pages need them not.

    Raises:
        RenderError: A template asks for something that the view model does not have.
    """
    from jinja2 import Environment, MemcachedBytecodeCache, PackageLoader, StrictUndefined, TemplateError

    environment = Environment(
        loader=PackageLoader(TEMPLATES, ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        bytecode_cache=MemcachedBytecodeCache(_COMPILED),
    )
    stylesheet, script = _stylesheet(medium, with_faces=faces), resource("sort.js").decode()
    environment.globals.update(
        report=report,
        medium=medium,
        issued=issued,
        numbered=_numbering(),
        inline_drawing=_inline_drawing,
        tell=_tell,
        pieces=pieces,
        last_judged=last_judged,
        sort_values=sort_values,
        shares=shares,
        stylesheet=Markup(stylesheet),  # noqa: S704 - bundled with the program
        script=Markup(script),  # noqa: S704 - bundled with the program
        policy=_policy(stylesheet, script),
    )
    with Refusing((InputError, TemplateError), RenderError, "the template of the report failed"):
        return elided(environment.get_template(template).render())
