"""Which bytes of a report its signature covers: all of them, but for the signature itself."""

from __future__ import annotations

import re
from dataclasses import dataclass

from certify.errors import TrustError

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
        TrustError: There is no signature or more than one, a byte lies outside what is signed, or the
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
    gap = pdf[first:second]
    if not re.fullmatch(rb"<(?:[0-9A-F]{2})+>", gap):
        raise TrustError("the gap in the signed bytes holds more than the signature")
    return ByteRange(first, second, second_length)
