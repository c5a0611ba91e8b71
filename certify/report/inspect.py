"""Looks at the pages and at the finished PDF: nothing cut off, only bundled faces, all embedded."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

from certify.errors import RenderError

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
            "a text of the evidence holds characters that IBM Plex does not have"
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
