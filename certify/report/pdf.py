"""The PDF: PDF/A-3a and PDF/UA-1, tagged, with the evidence attached; its drawings, and what is in it."""

import hashlib
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from types import ModuleType
from typing import Any

from certify.errors import MissingPartError, RenderError
from certify.fonts import (
    closed_fetcher,
    complaints,
    missing_letters,
    named_letters,
    own_fonts,
    own_room,
    renderer,
)
from certify.messages import ENGLISH, tell
from certify.report.layout import Figure, PageParts
from certify.report.markup import render_markup
from certify.report.view import report_in


def render_html(evidence: Mapping[str, object], language: str = ENGLISH) -> bytes:
    """Renders the evidence as one HTML file that needs nothing next to itself.

    Args:
        evidence: The evidence object, of the present schema.
        language: Language of the report.

    Returns:
        The file's bytes, the same for the same evidence and language.

    Raises:
        RenderError: Something that the report must print is missing or malformed, or no face has a letter of it.
    """
    with report_in(language, evidence) as report:
        markup = render_markup(report, "screen")
    require_letters("the HTML twin", markup)
    return markup.encode()


FIELD = "Issuer"
_RDF_END = b"</rdf:RDF>"
# ISO 14289-1, clause 5 (identification), and ISO 19005-3, 6.6.2.3.3 (extension schema of a foreign
# property): both must stand in the first rdf:RDF, where validators look.
_UNIVERSAL_ACCESS = b"""<rdf:Description rdf:about="" xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/" \
pdfuaid:part="1" /><rdf:Description rdf:about="" \
xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/" \
xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#" \
xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#"><pdfaExtension:schemas><rdf:Bag>\
<rdf:li rdf:parseType="Resource"><pdfaSchema:schema>PDF/UA identification</pdfaSchema:schema>\
<pdfaSchema:namespaceURI>http://www.aiim.org/pdfua/ns/id/</pdfaSchema:namespaceURI>\
<pdfaSchema:prefix>pdfuaid</pdfaSchema:prefix><pdfaSchema:property><rdf:Seq>\
<rdf:li rdf:parseType="Resource"><pdfaProperty:name>part</pdfaProperty:name>\
<pdfaProperty:valueType>Integer</pdfaProperty:valueType><pdfaProperty:category>internal</pdfaProperty:category>\
<pdfaProperty:description>Part of ISO 14289 that the file conforms to</pdfaProperty:description></rdf:li>\
</rdf:Seq></pdfaSchema:property></rdf:li></rdf:Bag></pdfaExtension:schemas></rdf:Description>"""


def finish(document: object, pdf: Any) -> None:
    """Applies every last touch; the renderer calls this just before it writes the file."""
    _associate_once(pdf)
    finish_unsigned(document, pdf)
    _make_signature_field(pdf)


def finish_unsigned(document: object, pdf: Any) -> None:
    """Applies the last touches to a document that has no place for a signature."""
    _claim_universal_access(pdf)
    _list_identified(pdf)


def _associate_once(pdf: Any) -> None:
    """Lists every attachment once: the renderer's release 70.0 names each of them twice."""
    if "AF" in pdf.catalog:
        pdf.catalog["AF"][:] = list(dict.fromkeys(pdf.catalog["AF"]))


def _claim_universal_access(pdf: Any) -> None:
    """Adds the PDF/UA-1 mark to the metadata of the PDF/A."""
    reference = int(pdf.catalog["Metadata"].split()[0])
    stream = pdf.objects[reference]
    content = b"".join(stream.stream)
    stream.stream = [content.replace(_RDF_END, _UNIVERSAL_ACCESS + _RDF_END, 1)]


def _list_identified(pdf: Any) -> None:
    """Lists the cells that head others by their identifiers: cells name their heads by these.

    Source: ISO 32000-1, 14.7.2 (IDTree, wanted where an element has an ID); 7.9.6 (name trees).
    """
    elements: list[Any] = [
        element for element in pdf.objects if isinstance(element, dict) and "ID" in element
    ]
    identified = {element["ID"].string: element for element in elements}
    names = [
        part
        for name in sorted(identified)
        for part in (identified[name]["ID"].data, identified[name].reference)
    ]
    if names:
        root = pdf.objects[int(pdf.catalog["StructTreeRoot"].split()[0])]
        root["IDTree"] = b"<</Names [" + b" ".join(names) + b"]>>"


def _make_signature_field(pdf: Any) -> None:
    """Turns the placeholder checkbox into an empty signature field.

    The renderer places and tags a checkbox as a form element; a field added later would be untagged.

    Source: ISO 32000-1, 12.7.4.5 (signature fields); 12.8.1.
    """
    if "AcroForm" not in pdf.catalog:
        raise RenderError(f"the report has no place for the signature: expected a field named {FIELD!r}")
    form = pdf.catalog["AcroForm"]
    for reference in form["Fields"]:
        field = pdf.objects[int(reference.split()[0])]
        for key in ("AP", "AS", "MK", "V", "Border"):
            field.pop(key, None)
        field["FT"] = "/Sig"
    form.pop("DR", None)
    form.pop("NeedAppearances", None)


_FAMILIES = ("IBM-Plex-Sans", "IBM-Plex-Mono", "IBMPlexSans", "IBMPlexMono")


def require_bundled_fonts(content: bytes) -> None:
    """Refuses a PDF that uses a face which is not bundled, or which is not embedded.

    Raises:
        RenderError: A stray or missing face, named; a character that the bundled faces lack brings one in.
    """
    stray = sorted(
        name for name, embedded in fonts_of(content) if not embedded or not name.startswith(_FAMILIES)
    )
    if stray:
        raise RenderError(
            f"the PDF uses faces that are not bundled or not embedded: {', '.join(stray)}; "
            "a string of the evidence holds characters that IBM Plex does not have"
        )


def fonts_of(content: bytes) -> tuple[tuple[str, bool], ...]:
    """Returns the name of every face in the file, without its subset prefix, and whether it is embedded."""
    import pikepdf

    found: set[tuple[str, bool]] = set()
    with pikepdf.open(io.BytesIO(content)) as pdf:
        for entry in pdf.objects:
            if isinstance(entry, pikepdf.Dictionary) and entry.get("/Type") == "/FontDescriptor":
                name = str(entry.FontName).lstrip("/").partition("+")
                embedded = any(key in entry for key in ("/FontFile", "/FontFile2", "/FontFile3"))
                found.add((name[2] or name[0], embedded))
    return tuple(sorted(found))


_TOLERANCE = 1.0  # CSS pixels, a quarter of a millimetre: rounding of the layout


def require_within_page(document: Any) -> None:
    """Refuses a layout in which a text reaches beyond its cell or beyond the text area of its page.

    Raises:
        RenderError: It names the texts that would be cut off or overprinted, and their pages.
    """
    found = [f"page {number}: {text!r}" for number, text in outside(document)]
    if found:
        more = f" and {len(found) - 5} more" if len(found) > 5 else ""
        raise RenderError(f"the report has texts that do not fit: {'; '.join(found[:5])}{more}")


def outside(document: Any) -> Iterator[tuple[int, str]]:
    """Yields page and text of every line that reaches beyond its cell or its page."""
    for number, page in enumerate(document.pages, start=1):
        box = page._page_box
        left = box.content_box_x()
        for child in box.children:
            # Running heads stand in the margin, where they belong.
            if type(child).__name__ != "MarginBox":
                for text in _outside(child, left, left + box.width):
                    yield number, text


def _outside(box: Any, left: float, right: float) -> Iterator[str]:
    """Yields the texts below a box that reach beyond two edges; a cell of a table sets edges of its own."""
    kind = type(box).__name__
    if kind == "TextBox":
        if box.position_x < left - _TOLERANCE or box.position_x + box.width > right + _TOLERANCE:
            yield box.text
        return
    if kind == "TableCellBox":
        left = max(left, box.border_box_x())
        right = min(right, box.border_box_x() + box.border_width())
    for child in getattr(box, "children", ()):
        yield from _outside(child, left, right)


def figures_in(part: object) -> Iterator[Figure]:
    """Returns every figure inside a part of the view model, in its order."""
    if isinstance(part, Figure):
        yield part
    elif isinstance(part, tuple):
        for member in part:
            yield from figures_in(member)
    elif isinstance(part, PageParts):
        for one in vars(part).values():
            yield from figures_in(one)


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
            document = weasyprint.HTML(string=markup, url_fetcher=closed_fetcher(drawings)).render(
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
        raise RenderError(
            "two attachments have the same bytes: their relationships could not be distinguished"
        )
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
