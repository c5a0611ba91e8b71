"""Sets the view model in the templates: one markup for the PDF, one for the HTML twin."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Callable
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal

from certify.errors import InputError, RenderError
from certify.messages import elided, spoken
from certify.model.message import Message
from certify.report.formats import pieces
from certify.report.sorting import last_judged, sort_values
from certify.report.widths import shares

if TYPE_CHECKING:
    from markupsafe import Markup

    from certify.report.layout import Figure

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
    place = files(TEMPLATES)
    for part in name.split("/"):
        place = place.joinpath(part)
    return place.read_bytes()


def _face(family: str, weight: int, style: str, source: str) -> str:
    descriptors = (
        f'font-family: "{family}"; font-weight: {weight}; font-style: {style}; src: url("{source}");'
    )
    return f"@font-face {{ {descriptors} }}\n"


def _stylesheet(medium: Medium) -> str:
    if medium == "print":
        faces = [_face(family, weight, style, f"font:{name}") for family, weight, style, name in PRINT_FACES]
    else:
        faces = [
            _face(family, weight, style, "data:font/woff2;base64," + _base64(resource(f"fonts/{name}")))
            for family, weight, style, name in SCREEN_FACES
        ]
    sheet = "print.css" if medium == "print" else "screen.css"
    style = "".join(faces) + resource("common.css").decode() + resource(sheet).decode()
    return style.replace("PAGE_OF_PAGES", _page_of_pages())


def _page_of_pages() -> str:
    """Returns the number of the page as the style sheet counts it, in the words of the language."""
    counters = {"page": '" counter(page) "', "pages": '" counter(pages) "'}
    return f'"{spoken().text([Message("page.of", counters)])}"'


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
    from markupsafe import Markup

    label = escape(figure.alternative, quote=True)
    # The drawing comes from certify.report.svg, which escapes every text it is given.
    return Markup(figure.drawing.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1))  # noqa: S704


def _tell(message: str, **parameters: Any) -> Markup:
    """Returns a sentence for a template; what stands in it is escaped, but for markup made by a macro."""
    from markupsafe import Markup, escape

    parts = spoken().parts(Message(message, parameters))
    return Markup("").join(escape(text) for pair in parts for text in pair)


def render_markup(report: object, medium: Medium, issued: str = "", template: str = "report.html.j2") -> str:
    """Returns the report as HTML: for the renderer of the PDF, or self-contained for a browser.

    Args:
        report: The view model.
        medium: ``print`` or ``screen``.
        issued: Time of issue for the metadata of the PDF, RFC 3339.
        template: The template that arranges this view model.

    Raises:
        RenderError: A template asks for something that the view model does not have.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined, TemplateError
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader(TEMPLATES, ""), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    stylesheet, script = _stylesheet(medium), resource("sort.js").decode()
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
    try:
        return elided(environment.get_template(template).render())
    except (InputError, TemplateError) as error:
        raise RenderError(f"the template of the report failed: {error}") from error
