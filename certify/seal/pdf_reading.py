"""Opening a PDF that nobody vouches for: strictly, and with a bound on what its streams may unpack to."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pyhanko.pdf_utils.reader import PdfFileReader

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
