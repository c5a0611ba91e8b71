"""A PDF that others made: its bounds, the bytes that its signature covers, and what is attached."""

import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final

from certify.errors import Refusing, TrustError
from certify.seal.layout import MAXIMUM_ATTACHED_BYTES

if TYPE_CHECKING:
    from pyhanko.pdf_utils.reader import PdfFileReader


_BYTE_RANGE = re.compile(rb"/ByteRange\s*\[\s*(\d{1,12})\s+(\d{1,12})\s+(\d{1,12})\s+(\d{1,12})\s*\]")
_END_MARK = re.compile(rb"startxref\r?\n\d{1,12}\r?\n%%EOF\r?\n?")
_END = re.compile(rb"startxref\r?\n\d{1,12}\r?\n%%EOF\r?\n?\Z")


@dataclass(frozen=True, slots=True)
class ByteRange:
    """The two signed stretches of a file and the gap between them that holds the signature.

    Args:
        first_length: Length of the stretch from the beginning of the file.
        second_start: Offset of the stretch after the signature.
        second_length: Its length.
    """

    first_length: int
    second_start: int
    second_length: int

    def signed(self, pdf: bytes) -> bytes:
        """Returns the bytes that are signed."""
        return pdf[: self.first_length] + pdf[self.second_start :]

    def signature_container(self, pdf: bytes) -> bytes:
        """Returns the bytes of the signature container, its padding included."""
        return bytes.fromhex(pdf[self.first_length + 1 : self.second_start - 1].decode("ascii"))


def first_revision(pdf: bytes) -> bytes:
    """Returns the report as it was rendered, before the revision with its signature.

    Raises:
        TrustError: There is no end mark of an earlier revision.
    """
    end = _END_MARK.search(pdf)
    if end is None or end.end() >= len(pdf):
        raise TrustError("expected the report as rendered and one revision with its signature")
    return pdf[: end.end()]


def read_byte_range(pdf: bytes) -> ByteRange:
    """Returns the byte range of the one signature of a file that it covers entirely.

    No PDF parser takes part: the file is read as a sequence of bytes, so that no structure in it can
    lead the reader elsewhere.

    Raises:
        TrustError: There is no signature or more than one, a byte is outside what is signed, or the
            gap holds anything but the signature in upper-case hexadecimal digits.

    Source: ISO 32000-2, section 12.8.1.
    """
    matches = list(_BYTE_RANGE.finditer(pdf))
    if not matches:
        raise TrustError("the report carries no signature")
    if len(matches) > 1 or pdf.count(b"/ByteRange") > 1:
        raise TrustError("the report carries more than one signature")
    start, first, second, second_length = (int(number) for number in matches[0].groups())
    if start != 0 or second + second_length != len(pdf) or not 0 < first < second:
        raise TrustError(
            f"the signature does not cover the whole file: it covers bytes 0 to {first} and {second} to "
            f"{second + second_length} of {len(pdf)}"
        )
    if not _END.search(pdf[-64:]):
        raise TrustError("the file was expected to end with the end mark of the signed revision")
    if not re.fullmatch(rb"<(?:[0-9A-F]{2})+>", pdf[first:second]):
        raise TrustError("the gap in the signed bytes holds more than the signature")
    return ByteRange(first, second, second_length)


MAXIMUM_OBJECTS: Final = 300_000
"""Objects that a report may have; one of two hundred pages has some eighty thousand."""

MAXIMUM_UNPACKED: Final = 256 * 1024 * 1024
"""Bytes that all streams of a report may unpack to, also those unpacked twice."""

_MAXIMUM_DICTIONARY: Final = 4096
_STREAM: Final = re.compile(rb"(?<!end)stream\r?\n")
_START: Final = re.compile(rb"startxref\r?\n(\d{1,12})\r?\n%%EOF")
_VALUE: Final = rb"(?:/[A-Za-z0-9]+|\d{1,10} 0 R|\d{1,12}|\[(?:[0-9\s]|<[0-9A-Fa-f]*>|\([0-9a-f]*\))*\])"
_CROSS_REFERENCES: Final = re.compile(
    rb"\d{1,9} 0 obj\s*<<((?:\s*/[A-Za-z0-9]+\s*" + _VALUE + rb")*)\s*>>\s*stream\r?\n"
)
_ENTRY: Final = re.compile(rb"\s*/([A-Za-z0-9]+)\s*(" + _VALUE + rb")")
_KEYS: Final = frozenset(
    {b"Type", b"Index", b"W", b"Size", b"Root", b"Info", b"ID", b"Filter", b"Length", b"Prev"}
)


@dataclass(slots=True)
class _Budget:
    """What may still be read from streams, and what may still come out of them."""

    read: int
    unpacked: int


def require_bounded(pdf: bytes) -> None:
    """Refuses a PDF whose lists of objects or whose streams would unpack beyond what a report needs.

    A list of objects (cross-reference stream) of kilobytes can inflate to millions of entries, of each of which a
    reader makes several objects. The two lists of a signed report are read here by their one form, without a parser;
    every run of bytes that a reader could take for a stream is inflated to nowhere and counted.

    Raises:
        TrustError: The file has other lists of objects than a report as rendered and its signature, or they or the
            streams go beyond the bounds.

    Source: ISO 32000-2, sections 7.5.5 and 7.5.8.
    """
    starts = [int(match[1]) for match in _START.finditer(pdf)]
    if len(starts) != 2 or pdf.count(b"startxref") != 2:
        raise TrustError(
            f"expected the report as rendered and one revision with its signature: {pdf.count(b'startxref')} lists of "
            "objects"
        )
    first, second = (_cross_references(pdf, start) for start in starts)
    if b"Prev" in first or second.get(b"Prev") != b"%d" % starts[0]:
        raise TrustError("the revision with the signature was expected to follow the report as rendered")
    budget = _Budget(4 * len(pdf) + 65_536, MAXIMUM_UNPACKED)
    for match in _STREAM.finditer(pdf):
        _inflate(pdf, match.end(), budget)


def _cross_references(pdf: bytes, start: int) -> dict[bytes, bytes]:
    """Returns the dictionary of a cross-reference stream whose entries are within the bounds."""
    match = _CROSS_REFERENCES.match(pdf[start : start + _MAXIMUM_DICTIONARY])
    if match is None:
        raise TrustError(f"the list of objects at byte {start} has not the form in which reports are written")
    pairs = _ENTRY.findall(match[1])
    found = dict(pairs)
    if len(found) != len(pairs) or not set(found) <= _KEYS or found.get(b"Type") != b"/XRef":
        raise TrustError(f"the list of objects at byte {start} holds other entries than it needs")
    if found.get(b"Filter") != b"/FlateDecode" or b"Size" not in found:
        raise TrustError(f"the list of objects at byte {start} was expected to be deflated")
    widths = [int(width) for width in re.findall(rb"\d+", found.get(b"W", b""))]
    index = [int(number) for number in re.findall(rb"\d+", found.get(b"Index", b"[0 %s]" % found[b"Size"]))]
    entries = sum(index[1::2])
    if len(widths) != 3 or not all(1 <= width <= 8 for width in widths) or len(index) % 2:
        raise TrustError(f"the list of objects at byte {start} has columns of another width")
    if max(entries, int(found[b"Size"])) > MAXIMUM_OBJECTS:
        raise TrustError(f"the report lists more than {MAXIMUM_OBJECTS} objects")
    budget = _Budget(len(pdf), entries * sum(widths))
    if _inflate(pdf, start + match.end(), budget) != entries * sum(widths):
        raise TrustError(f"the list of objects at byte {start} has another length than it says")
    return found


def _inflate(pdf: bytes, start: int, budget: _Budget) -> int:
    """Returns how many bytes a stream unpacks to, none where it is not deflated.

    Raises:
        TrustError: The budget is spent.
    """
    inflater, unpacked, position = zlib.decompressobj(), 0, start
    while not inflater.eof and position < len(pdf):
        part = pdf[position : position + 16_384]
        position += len(part)
        try:
            while part and not inflater.eof:
                out = len(inflater.decompress(part, 65_536))
                unpacked += out
                budget.unpacked -= out
                budget.read -= len(part) - len(inflater.unconsumed_tail) - len(inflater.unused_data)
                if budget.unpacked < 0 or budget.read < 0:
                    raise TrustError("the streams of the report unpack to more than a report needs")
                part = inflater.unconsumed_tail
        except zlib.error:
            return unpacked
    return unpacked


MAXIMUM_STREAM_BYTES: Final = 32 * 1024 * 1024


def bounded_reader(pdf: bytes) -> "PdfFileReader":
    """Returns a strict reader of a PDF whose object streams and other streams may not unpack without end.

    Raises:
        Exception: The file cannot be read; whatever a parser raises on hostile bytes is the caller's to refuse.
    """
    from pyhanko.pdf_utils.decode_limits import DecodeLimits, DocumentDecodeBudget, StreamDecodeLimits
    from pyhanko.pdf_utils.reader import PdfFileReader

    limits = DecodeLimits(
        per_stream=StreamDecodeLimits(max_output_size=MAXIMUM_STREAM_BYTES),
        document_budget=DocumentDecodeBudget(base_allowance=MAXIMUM_UNPACKED, max_ratio=1),
    )
    return PdfFileReader(BytesIO(pdf), strict=True, decode_limits=limits)


_MAXIMUM_ATTACHMENTS = 64


def read_attachments(pdf: bytes) -> dict[str, bytes]:
    """Returns the content of every file attached to a PDF, by name.

    Raises:
        TrustError: The PDF cannot be read, or an attachment is repeated, oversized, filtered in an
            unusual way, or named differently in different places.

    Source: ISO 32000-2, sections 7.9.6, 7.11.4 and 14.13.
    """
    # A parser that meets hostile bytes may raise anything; whatever it raises, the file is refused.
    with Refusing(Exception, TrustError, "the attachments of the report cannot be read", words=repr):
        return _attachments(bounded_reader(pdf).root)


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
    if str(stream.get("/Filter", "/FlateDecode")) != "/FlateDecode" or "/DecodeParms" in stream:
        raise TrustError(f"the attachment {name!r} was expected to be plain or deflated")
    # Unpacked within the bounds of the reader, and refused where it is cut short.
    content = bytes(stream.data)
    if len(content) > left:
        raise TrustError(
            f"the attachments of the report are larger than {MAXIMUM_ATTACHED_BYTES} bytes together"
        )
    return content
