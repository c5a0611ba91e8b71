"""The files attached to a report, read with bounds: a small attachment may claim to be endless."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from io import BytesIO
from typing import Any

from certify.errors import TrustError
from certify.seal.layout import MAXIMUM_ATTACHED_BYTES

_MAXIMUM_ATTACHMENTS = 64


def read_attachments(pdf: bytes) -> dict[str, bytes]:
    """Returns the content of every file attached to a PDF, by name.

    Raises:
        TrustError: The PDF cannot be read, or an attachment is repeated, oversized, filtered in an
            unusual way, or named differently in different places.

    Source: ISO 32000-2, sections 7.11.4 and 14.13.
    """
    import pikepdf

    try:
        with pikepdf.open(BytesIO(pdf)) as document:
            return _attachments(document)
    except (pikepdf.PdfError, ValueError, KeyError, TypeError, AttributeError, RuntimeError) as error:
        raise TrustError(f"the attachments of the report cannot be read: {error}") from error


def matching_path(name: str, content: bytes, files: Mapping[str, bytes]) -> str | None:
    """Returns the file of a pack that an attachment is: the same bytes under the same last name.

    >>> matching_path("main.csv", b"1", {"data/main.csv": b"1"})
    'data/main.csv'
    """
    same = (
        path for path, file in sorted(files.items()) if path.rpartition("/")[2] == name and file == content
    )
    return next(same, None)


def _attachments(document: Any) -> dict[str, bytes]:
    """Returns the attachments of an open PDF."""
    import pikepdf

    names = document.Root.get("/Names", pikepdf.Dictionary()).get("/EmbeddedFiles")
    found: dict[str, bytes] = {}
    left = MAXIMUM_ATTACHED_BYTES
    identities = set()
    for index, (key, specification) in enumerate(
        pikepdf.NameTree(names).items() if names is not None else ()
    ):
        if index >= _MAXIMUM_ATTACHMENTS:
            raise TrustError(f"the report has more than {_MAXIMUM_ATTACHMENTS} attachments")
        name = str(key)
        if str(specification.get("/UF", key)) != name or str(specification.get("/F", key)) != name:
            raise TrustError(f"the attachment {name!r} has another name elsewhere in the report")
        if name in found:
            raise TrustError(f"the report has two attachments called {name!r}")
        found[name] = _content(specification.EF, name, left)
        left -= len(found[name])
        identities.add(specification.objgen)
    associated = {entry.objgen for entry in document.Root.get("/AF", [])}
    if associated != identities:
        raise TrustError("the associated files of the report are not its attachments")
    return found


def _content(embedded: Any, name: str, left: int) -> bytes:
    """Returns the bytes of one embedded file, of which so many may still come."""
    streams = {key: embedded[key] for key in ("/F", "/UF") if key in embedded}
    if not streams or len({stream.objgen for stream in streams.values()}) != 1:
        raise TrustError(f"the attachment {name!r} was expected to be one stream")
    stream = next(iter(streams.values()))
    raw = stream.read_raw_bytes()
    if "/Filter" not in stream:
        if len(raw) > left:
            raise _too_much()
        return bytes(raw)
    if str(stream.get("/Filter")) != "/FlateDecode" or "/DecodeParms" in stream:
        raise TrustError(f"the attachment {name!r} was expected to be plain or deflated")
    return _inflate(bytes(raw), name, left)


def _too_much() -> TrustError:
    return TrustError(
        f"the attachments of the report are larger than {MAXIMUM_ATTACHED_BYTES} bytes together"
    )


def _inflate(raw: bytes, name: str, left: int) -> bytes:
    """Returns inflated bytes, refusing more than all attachments together may have."""
    inflater = zlib.decompressobj()
    try:
        content = inflater.decompress(raw, left + 1)
    except zlib.error as error:
        raise TrustError(f"the attachment {name!r} is not deflated as it says: {error}") from error
    if len(content) > left:
        raise _too_much()
    if not inflater.eof:
        raise TrustError(f"the attachment {name!r} is cut short")
    return content
