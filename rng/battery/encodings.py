"""How data arrives: several files in order, compressed, or bits written as text; all read piece by piece."""

from __future__ import annotations

import base64
import binascii
import bz2
import lzma
import zlib
from collections.abc import Sequence
from typing import Final, Literal, Protocol

from rng.battery.bits import CHUNK_BYTES, ByteSource
from rng.errors import SampleError

TextForm = Literal["ascii", "hex", "base64", "text"]

MOST_UNPACKED: Final = 1 << 36
"""Bytes that compressed data may unpack to: 64 GiB, so that a few bytes cannot fill a disk unnoticed."""

LEAST_TELLING: Final = 32
"""Fewer bytes than this are not told apart from text: random ones are printable with 1 in 10^13 at 32."""

_PRINTABLE: Final = frozenset(b"\t\r\n" + bytes(range(32, 127)))
_HEX: Final = frozenset(b"0123456789abcdefABCDEF \t\r\n")
_BASE64: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=\r\n")
_MAGIC: Final = (b"\x1f\x8b\x08", b"BZh", b"\xfd7zXZ\x00")
_REFUSED_MAGIC: Final = {b"PK\x03\x04": "zip", b"\x28\xb5\x2f\xfd": "zstd", b"7z\xbc\xaf\x27\x1c": "7z"}


def text_form(head: bytes) -> TextForm | None:
    """Says whether data that should be raw bits is text, and which; nothing where it is not.

    >>> text_form(b"0110" * 20), text_form(b"09af" * 20), text_form(bytes(range(80)))
    ('ascii', 'hex', None)
    """
    found = set(head)
    if len(head) < LEAST_TELLING or not found <= _PRINTABLE or len(found) == 1:
        return None  # one and the same byte all along is a stuck source, which text is not
    if found <= set(b"01 \t\r\n"):
        return "ascii"
    if found <= _HEX:
        return "hex"
    return "base64" if found <= _BASE64 else "text"


def is_packed(head: bytes) -> bool:
    """Says whether data begins as gzip, bzip2, xz, or an archive that is refused, does."""
    return _decoder(head) is not None or head.startswith(tuple(_REFUSED_MAGIC))


class Joined:
    """Several streams read one after the other as if they were one."""

    def __init__(self, streams: Sequence[ByteSource]) -> None:
        self._left = list(streams)

    def read(self, size: int = -1, /) -> bytes:
        """Returns up to ``size`` bytes, none at the end of the last stream."""
        while self._left:
            if piece := self._left[0].read(size):
                return piece
            del self._left[0]
        return b""


class Unpacked:
    """Data as it is, or what gzip, bzip2 or xz made of it; several packed parts may follow each other."""

    def __init__(self, stream: ByteSource, source: str) -> None:
        """Looks at the first bytes.

        Raises:
            SampleError: They are those of an archive that is not read.
        """
        self._stream, self._source = stream, source
        self._ahead = b""
        while len(self._ahead) < 6 and (piece := stream.read(6 - len(self._ahead))):
            self._ahead += piece
        for magic, name in _REFUSED_MAGIC.items():
            if self._ahead.startswith(magic):
                raise SampleError(f"{source}: a {name} archive, expected plain data, gzip, bzip2 or xz")
        self._decoder = _decoder(self._ahead)
        self._packed = self._decoder is not None
        self._size = 0

    def read(self, size: int = -1, /) -> bytes:
        """Returns up to ``size`` bytes, none at the end.

        Raises:
            SampleError: What is packed is damaged, cut off or unpacks to too much.
        """
        if not self._packed:
            piece, self._ahead = self._ahead, b""
            return piece or self._stream.read(size)
        try:
            made = self._unpack(CHUNK_BYTES if size < 0 else size)
        except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError) as error:
            raise SampleError(f"{self._source}: the packed data is damaged ({error})") from None
        self._size += len(made)
        if self._size > MOST_UNPACKED:
            raise SampleError(f"{self._source}: unpacks to more than {MOST_UNPACKED} bytes")
        return made

    def _unpack(self, size: int) -> bytes:
        while True:
            decoder = self._decoder
            if decoder is None:
                return b""
            if decoder.eof:
                # Another part may follow; zeros that pad the end of a block device or tape do not count.
                rest = decoder.unused_data or self._next()
                self._decoder = _decoder(rest)
                self._ahead = rest
                if self._decoder is None and rest.strip(b"\0"):
                    raise EOFError("something else follows it")
                continue
            given = self._ahead
            if not given and decoder.needs_input:
                given = self._next()
                if not given:
                    raise EOFError("it is cut off")
            self._ahead = b""
            if made := decoder.decompress(given, size):
                return made

    def _next(self) -> bytes:
        return self._stream.read(1 << 16)


class _Decoder(Protocol):
    @property
    def eof(self) -> bool: ...

    @property
    def needs_input(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, max_length: int) -> bytes: ...


class _Gzip:
    """`zlib`'s decoder in the form of those of bz2 and lzma."""

    def __init__(self) -> None:
        self._inner = zlib.decompressobj(wbits=31)
        self._full = False

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def needs_input(self) -> bool:
        return not self._full and not self._inner.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        made = self._inner.decompress(self._inner.unconsumed_tail + data, max_length)
        # As long as the answer fills what was asked for, more may wait inside without any tail.
        self._full = len(made) == max_length
        return made


def _decoder(head: bytes) -> _Decoder | None:
    if head.startswith(_MAGIC[0]):
        return _Gzip()
    if head.startswith(_MAGIC[1]) and head[3:4].isdigit():
        return bz2.BZ2Decompressor()
    return lzma.LZMADecompressor(format=lzma.FORMAT_XZ) if head.startswith(_MAGIC[2]) else None


class Decoded:
    """Raw bytes from text of hexadecimal digits or of base64; line ends and blanks are passed over."""

    def __init__(self, stream: ByteSource, form: Literal["hex", "base64"], source: str) -> None:
        self._stream, self._form, self._source = stream, form, source
        self._rest = b""
        self._offset = 0

    def read(self, size: int = -1, /) -> bytes:
        """Returns the bytes of the next piece of text, none at its end.

        Raises:
            SampleError: A character does not belong there, or the text ends within a byte.
        """
        group = 2 if self._form == "hex" else 4
        while piece := self._stream.read(CHUNK_BYTES):
            strangers = set(piece) - (_HEX if self._form == "hex" else _BASE64 | set(b" \t"))
            if strangers:
                at = min(piece.index(bytes([s])) for s in strangers)
                raise SampleError(
                    f"{self._source}: byte {self._offset + at} is {chr(piece[at])!a}, expected {self._form}"
                )
            self._offset += len(piece)
            text = self._rest + piece.translate(None, b" \t\r\n")
            whole = len(text) - len(text) % group
            self._rest = text[whole:]
            if made := self._decode(text[:whole]):
                return made
        if self._rest:
            raise SampleError(
                f"{self._source}: byte {self._offset}: the {self._form} text ends within a byte"
            )
        return b""

    def _decode(self, text: bytes) -> bytes:
        try:
            return (
                bytes.fromhex(text.decode("ascii"))
                if self._form == "hex"
                else base64.b64decode(text, validate=True)
            )
        except binascii.Error as error:
            raise SampleError(f"{self._source}: before byte {self._offset}: not base64 ({error})") from None
