"""Bounds of a PDF that others made, and how it is opened within them."""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Final

from certify.errors import TrustError

if TYPE_CHECKING:
    from pyhanko.pdf_utils.reader import PdfFileReader


MAXIMUM_OBJECTS: Final = 300_000
"""Objects that a report may have; one of two hundred pages has some eighty thousand."""

MAXIMUM_UNPACKED: Final = 256 * 1024 * 1024
"""Bytes that all streams of a report may unpack to."""

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
MAXIMUM_UNPACKED_BYTES: Final = 256 * 1024 * 1024
"""All streams of one file together, also those unpacked twice."""


def bounded_reader(pdf: bytes) -> PdfFileReader:
    """Returns a strict reader of a PDF whose object streams and other streams may not unpack without end.

    Raises:
        Exception: The file cannot be read; whatever a parser raises on hostile bytes is the caller's to refuse.
    """
    from pyhanko.pdf_utils.decode_limits import DecodeLimits, DocumentDecodeBudget, StreamDecodeLimits
    from pyhanko.pdf_utils.reader import PdfFileReader

    limits = DecodeLimits(
        per_stream=StreamDecodeLimits(max_output_size=MAXIMUM_STREAM_BYTES),
        document_budget=DocumentDecodeBudget(base_allowance=MAXIMUM_UNPACKED_BYTES, max_ratio=1),
    )
    return PdfFileReader(BytesIO(pdf), strict=True, decode_limits=limits)
