"""The files attached to a report, read with bounds: a small attachment may claim to be endless."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import Any

from certify.errors import TrustError
from certify.seal.layout import MAXIMUM_ATTACHED_BYTES
from certify.seal.pdf_bounds import bounded_reader

_MAXIMUM_ATTACHMENTS = 64


def read_attachments(pdf: bytes) -> dict[str, bytes]:
    """Returns the content of every file attached to a PDF, by name.

    Raises:
        TrustError: The PDF cannot be read, or an attachment is repeated, oversized, filtered in an
            unusual way, or named differently in different places.

    Source: ISO 32000-2, sections 7.9.6, 7.11.4 and 14.13.
    """
    try:
        return _attachments(bounded_reader(pdf).root)
    except TrustError:
        raise
    except Exception as error:
        # A parser that meets hostile bytes may raise anything; whatever it raises, the file is refused.
        raise TrustError(f"the attachments of the report cannot be read: {error!r}") from error


def matching_path(name: str, content: bytes, files: Mapping[str, bytes]) -> str | None:
    """Returns the file of a pack that an attachment is: the same bytes under the same last name.

    >>> matching_path("main.csv", b"1", {"data/main.csv": b"1"})
    'data/main.csv'
    """
    same = (
        path for path, file in sorted(files.items()) if path.rpartition("/")[2] == name and file == content
    )
    return next(same, None)


def _attachments(root: Any) -> dict[str, bytes]:
    """Returns the attachments of an open PDF, whose names stand in one list as the renderer writes it."""
    names = _part(_part(root, "/Names"), "/EmbeddedFiles")
    if names is not None and set(names) != {"/Names"}:
        raise TrustError("the attachments of the report were expected in one list")
    listed: Any = names["/Names"] if names is not None else []
    if len(listed) > 2 * _MAXIMUM_ATTACHMENTS:
        raise TrustError(f"the report has more than {_MAXIMUM_ATTACHMENTS} attachments")
    found: dict[str, bytes] = {}
    left = MAXIMUM_ATTACHED_BYTES
    identities = set()
    for place in range(0, len(listed), 2):
        name, specification = str(listed[place]), listed[place + 1]
        if any(str(specification[key]) != name for key in ("/UF", "/F") if key in specification):
            raise TrustError(f"the attachment {name!r} has another name elsewhere in the report")
        if name in found:
            raise TrustError(f"the report has two attachments called {name!r}")
        found[name] = _content(specification["/EF"], name, left)
        left -= len(found[name])
        identities.add(listed.raw_get(place + 1).reference)
    associated = _part(root, "/AF")
    if {associated.raw_get(place).reference for place in range(len(associated or ()))} != identities:
        raise TrustError("the associated files of the report are not its attachments")
    return found


def _part(whole: Any, key: str) -> Any:
    """Returns an entry of a dictionary with its references followed, None where there is none."""
    return whole[key] if whole is not None and key in whole else None


def _content(embedded: Any, name: str, left: int) -> bytes:
    """Returns the bytes of one embedded file, of which so many may still come."""
    keys = [key for key in ("/F", "/UF") if key in embedded]
    if not keys or len({embedded.raw_get(key).reference for key in keys}) != 1:
        raise TrustError(f"the attachment {name!r} was expected to be one stream")
    stream = embedded[keys[0]]
    raw = bytes(stream.encoded_data)
    kind = str(stream["/Filter"]) if "/Filter" in stream else None
    if kind is None:
        if len(raw) > left:
            raise _too_much()
        return raw
    if kind != "/FlateDecode" or "/DecodeParms" in stream:
        raise TrustError(f"the attachment {name!r} was expected to be plain or deflated")
    return _inflate(raw, name, left)


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
