"""Looks at the finished PDF: only bundled faces, all embedded."""

from __future__ import annotations

import io

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
