"""The PDF: PDF/A-3a and PDF/UA-1, tagged, with the evidence attached and a field for the signature."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from certify.errors import MissingPartError, RenderError
from certify.faces import complaints, missing_letters, named_letters, own_fonts, own_room, renderer
from certify.messages import ENGLISH, tell
from certify.report.drawings import figures_in
from certify.report.finish import finish
from certify.report.inspect import require_bundled_fonts, require_within_page
from certify.report.markup import render_markup, resource
from certify.report.view import report_in

if TYPE_CHECKING:
    from types import ModuleType

EVIDENCE = "evidence.json"
NATIVE_LIBRARIES = (
    "apt-get install -y --no-install-recommends libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0"
)
# ISO 19005-3, Annex E: how an attachment relates to the document.
_RELATIONSHIPS = {EVIDENCE: "Data", "game.toml": "Source"}
_DESCRIPTIONS = {EVIDENCE: "pdf.evidence", "game.toml": "pdf.submission"}


def render_pdf(
    evidence: Mapping[str, object],
    attachments: Mapping[str, bytes],
    *,
    issued: datetime,
    language: str = ENGLISH,
) -> bytes:
    """Renders the evidence as an unsigned PDF with a signature field named ``Issuer``.

    Args:
        evidence: The evidence object, of the present schema.
        attachments: Files to embed, by ASCII name; ``evidence.json`` must be the canonical evidence.
        issued: Time of issue, aware; it becomes every date in the file.
        language: Language of the report.

    Returns:
        The file's bytes, the same for the same arguments and the same libraries.

    Raises:
        RenderError: The renderer warned, a font or a glyph is not ours, or an input is malformed.
        MissingPartError: A native library is missing; the message names the command that installs it.

    Source: ISO 19005-3 (PDF/A-3), ISO 14289-1 (PDF/UA-1).
    """
    if issued.tzinfo is None:
        raise RenderError("the time of issue has no zone: expected an aware datetime")
    moment = issued.astimezone(UTC)
    with report_in(language, evidence) as report:
        _check_attachments(attachments, report.evidence_digest)
        return typeset(
            render_markup(report, "print", moment.strftime("%Y-%m-%dT%H:%M:%SZ")),
            drawings_of(report),
            finish,
            [(name, attachments[name], moment) for name in sorted(attachments)],
        )


def typeset(
    markup: str,
    drawings: Mapping[str, str],
    finisher: Callable[[object, Any], None],
    attachments: Sequence[tuple[str, bytes, datetime]],
) -> bytes:
    """Sets markup as PDF/A-3a with our faces alone, and refuses any complaint of the renderer.

    Args:
        markup: HTML of the medium ``print``.
        drawings: Its figures by name.
        finisher: Applies the last touches just before the file is written.
        attachments: Files to embed: name, content and time of making.

    Raises:
        RenderError: The renderer warned, a text does not fit its page, or a font or a glyph is not ours.
        MissingPartError: A native library is missing.
    """
    require_letters("the report", markup, *drawings.values())
    with own_room():
        weasyprint = _weasyprint()
        embedded = [_attachment(weasyprint, *attachment) for attachment in attachments]
        with _no_warnings():
            document = weasyprint.HTML(string=markup, url_fetcher=_closed_fetcher(drawings)).render(
                own_fonts(), pdf_variant="pdf/a-3a", pdf_forms=True
            )
            require_within_page(document)
            content = document.write_pdf(
                finisher=finisher, pdf_variant="pdf/a-3a", pdf_forms=True, attachments=embedded
            )
    require_bundled_fonts(content)
    return bytes(content)


def require_letters(what: str, *texts: str) -> None:
    """Refuses letters that none of our faces has: they would be drawn with whatever the reader's machine has.

    Raises:
        RenderError: It names the letters.
    """
    missing = missing_letters("".join(texts))
    if missing:
        raise RenderError(f"{what} holds letters that no face of it has: {named_letters(missing)}")


def drawings_of(report: object) -> dict[str, str]:
    """Returns the drawings by name; two figures of one name would stand in for each other."""
    found = list(figures_in(report))
    drawings = {figure.name: figure.drawing for figure in found}
    if len(drawings) != len(found):
        raise RenderError("two figures have the same name: one would be printed in place of the other")
    return drawings


def _check_attachments(attachments: Mapping[str, bytes], evidence_digest: str) -> None:
    """Refuses names that readers garble, twins that would share a relationship, and foreign evidence."""
    for name in attachments:
        if not name.isascii() or not name.isprintable() or "/" in name or "\\" in name or not name:
            raise RenderError(f"attachment {name!r}: expected a plain ASCII file name")
    if len(set(attachments.values())) != len(attachments):
        raise RenderError("two attachments have the same bytes: their relationships could not be told apart")
    if EVIDENCE in attachments and hashlib.sha256(attachments[EVIDENCE]).hexdigest() != evidence_digest:
        raise RenderError(f"attachment {EVIDENCE} is not the canonical form of the evidence that is printed")


def _attachment(weasyprint: ModuleType, name: str, content: bytes, moment: datetime) -> Any:
    return weasyprint.Attachment(
        string=content,
        name=name,
        description=tell(_DESCRIPTIONS[name]) if name in _DESCRIPTIONS else name,
        created=moment,
        modified=moment,
        relationship=_RELATIONSHIPS.get(name, "Supplement"),
    )


def require_renderer() -> None:
    """Checks that the renderer and its native libraries are here, before hours are spent computing.

    Raises:
        MissingPartError: A native library is missing; the message names the command that installs it.
    """
    with own_room():
        _weasyprint()


def _weasyprint() -> ModuleType:
    """Imports the renderer, or says which command installs what it lacks."""
    try:
        with _no_warnings():
            weasyprint = renderer()
            from weasyprint.pdf import fonts
    except OSError as error:
        raise MissingPartError(
            f"a native library of the PDF renderer is missing ({error}): {NATIVE_LIBRARIES}"
        ) from error
    if not getattr(fonts, "harfbuzz_subset", True):
        raise MissingPartError(f"the native library libharfbuzz-subset is missing: {NATIVE_LIBRARIES}")
    return weasyprint


def _closed_fetcher(drawings: Mapping[str, str]) -> Any:
    """Returns a fetcher that knows the bundled fonts and this report's figures, and nothing else."""
    from weasyprint.urls import FatalURLFetchingError, URLFetcher, URLFetcherResponse

    class ClosedFetcher(URLFetcher):  # type: ignore[misc]  # the renderer is untyped
        """Serves ``font:`` and ``figure:`` addresses."""

        def fetch(self, url: str, headers: object = None) -> Any:
            """Returns a bundled font or a figure; any other address ends the rendering."""
            scheme, _, name = url.partition(":")
            if scheme == "font" and "/" not in name:
                return URLFetcherResponse(url, resource(f"fonts/{name}"), {"Content-Type": "font/ttf"})
            # A figure is named by what it shows, and the name of a strategy may hold a blank or a colon.
            drawing = drawings.get(unquote(name)) if scheme == "figure" else None
            if drawing is not None:
                return URLFetcherResponse(url, drawing.encode(), {"Content-Type": "image/svg+xml"})
            raise FatalURLFetchingError(
                f"address {url!r} is neither a bundled font nor a figure of this report"
            )

    return ClosedFetcher()


@contextmanager
def _no_warnings() -> Iterator[None]:
    """Turns every complaint of the renderer, of its font and image libraries into an error."""
    try:
        with complaints() as messages:
            yield
    except BaseException as error:
        if type(error).__name__ == "FatalURLFetchingError":
            raise RenderError(f"the report refers to something outside: {error}") from error
        raise
    if messages:
        raise RenderError("the PDF renderer complained: " + "; ".join(dict.fromkeys(messages)))
