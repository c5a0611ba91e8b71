"""How data arrives: several files in order, compressed, or bits written as text; all read piece by piece."""

import base64
import bz2
import codecs
import lzma
import re
import zlib
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, Literal

from rng.battery import CHUNK_BYTES, ByteSource
from rng.errors import SampleError
from rng.outside import MOST_DENSE, MOST_MEMORY, NOT_YET_DENSE, UNPACKED

TextForm = Literal["ascii", "hex", "base64", "base64url", "dump", "utf-16", "text", "uuids", "one bit a byte"]

# Fewer bytes than this are not distinguished from text: random ones are printable with 1 in 10^13 at 32.
LEAST_TELLING: Final = 32

_PRINTABLE: Final = frozenset(b"\t\r\n" + bytes(range(32, 127)))
_HEX: Final = frozenset(b"0123456789abcdefABCDEF \t\r\n")
_BASE64: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=\r\n")
_BASE64URL: Final = (_BASE64 | frozenset(b"-_")) - frozenset(b"+/")
_UTF16: Final = {codecs.BOM_UTF16_LE: slice(3, None, 2), codecs.BOM_UTF16_BE: slice(2, None, 2)}
_HEX_READ: Final = _HEX | frozenset(b"xX,")
_BASE64_READ: Final = _BASE64 | _BASE64URL | frozenset(b" 	")
_TO_BASE64: Final = bytes.maketrans(b"-_", b"+/")
_PREFIX: Final = re.compile(rb"0[xX]")
_PREFIXED: Final = re.compile(rb"(0[xX][0-9a-fA-F]+[\s,;]+)+(0[xX]?[0-9a-fA-F]*)?")
_DUMP_LINE: Final = re.compile(rb"[0-9a-fA-F]{4,16}:?[ \t]")
_DUMP_WIDTH: Final = 16
# Version and variant of a UUID hold in one of eight random blocks of 128 bits: in so many, with 1 in 10^28.
_UUIDS: Final = re.compile(
    rb"(?:[\s{]*[0-9a-f]{8}-?[0-9a-f]{4}-?[1-8][0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}}?){32}",
    re.IGNORECASE,
)
_MAGIC: Final = (b"\x1f\x8b\x08", b"BZh", b"\xfd7zXZ\x00")
_REFUSED_MAGIC: Final = {
    b"PK\x03\x04": "a zip archive",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"Rar!\x1a\x07": "a rar archive",
    b"\x28\xb5\x2f\xfd": "packed by zstd (zstd -dc FILE | certify rng test … - reads it)",
    b"\x04\x22\x4d\x18": "packed by lz4 (lz4 -dc FILE | certify rng test … - reads it)",
    b"\x1f\x9d\x90": "packed by compress",
    b"\x5d\x00\x00\x80\x00\xff\xff": "packed by lzma, before xz",
    b"\x93NUMPY": "a NumPy array (numpy.load(FILE).tofile(OUT) writes its numbers alone)",
    b"PAR1": "a Parquet table",
    b"ARROW1": "an Arrow table",
    b"%PDF-": "a PDF",
    b"\x89HDF\r\n\x1a\n": "an HDF5 file",
    b"SQLite format 3\x00": "an SQLite database",
    b"\x89PNG\r\n\x1a\n": "a PNG image",
    b"RIFF": "a WAV or another RIFF file",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "a workbook or document of Microsoft Office",
}
_TAR: Final = b"ustar"
_TAR_AT: Final = 257


def text_form(head: bytes) -> TextForm | None:
    """Says whether data that should be raw bits is text or wrapped otherwise, and how; nothing where it is not.

    >>> text_form(b"0110" * 20), text_form(b"09af" * 20), text_form(bytes(range(80)))
    ('ascii', 'hex', None)
    """
    head = head.removeprefix(codecs.BOM_UTF8)
    found = set(head)
    if are_uuids(head):
        return "uuids"
    if len(head) >= LEAST_TELLING and found == {0, 1}:
        return "one bit a byte"
    for mark, high in _UTF16.items():
        if len(head) >= LEAST_TELLING and head.startswith(mark) and not any(head[high]):
            return "utf-16"
    if len(head) < LEAST_TELLING or not found <= _PRINTABLE or len(found) == 1:
        return None  # one and the same byte all along is a stuck source, which text is not
    if found <= set(b"01 \t\r\n"):
        return "ascii"
    if _is_dump(head):
        return "dump"
    if found <= _HEX or _PREFIXED.fullmatch(head):
        return "hex"
    if found <= _BASE64:
        return "base64"
    return "base64url" if found <= _BASE64URL else "text"


def are_uuids(head: bytes) -> bool:
    r"""Says whether data is UUIDs, as text or as bytes: six bits of each are fixed, so that no output looks random.

    >>> are_uuids(b"6f1ca011-09af-4b1c-8f00-6f1ca01109af\n" * 40), are_uuids(bytes(range(256)) * 4)
    (True, False)
    """
    text = head if set(head) <= _PRINTABLE else head.hex().encode()
    return _UUIDS.match(text) is not None


def _is_dump(head: bytes) -> bool:
    r"""Says whether text has an address before the digits of each line, which would be read as data.

    >>> _is_dump(b"00000000  6f 1c\n00000010  a0 11\n"), _is_dump(b"6f1ca011\n6f1ca011\n")
    (True, False)
    """
    lines = head.split(b"\n")[:-1][:64]
    if len(lines) < 2 or not all(_DUMP_LINE.match(line) for line in lines):
        return False
    addresses = [int(line.split()[0].rstrip(b":"), 16) for line in lines]
    steps = {after - before for before, after in pairwise(addresses)}
    return len(steps) == 1 and addresses[0] == 0 and 0 < min(steps) <= 4 * _DUMP_WIDTH


def is_packed(head: bytes) -> bool:
    """Says whether data begins as gzip, bzip2, xz, or an archive that is refused, does."""
    archive = head.startswith(tuple(_REFUSED_MAGIC)) or head[_TAR_AT:].startswith(_TAR)
    return archive or _decoder(head) is not None


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
        needed = _TAR_AT + len(_TAR)
        while len(self._ahead) < needed and (piece := stream.read(needed - len(self._ahead))):
            self._ahead += piece
        _refuse_archive(self._ahead, source)
        self._decoder = _decoder(self._ahead)
        self._packed = self._decoder is not None
        self._size = self._taken = 0
        self._made = b""
        if self._packed:
            # What is packed may be an archive itself.
            while len(self._made) < needed and (piece := self._unpacked(needed)):
                self._made += piece
            _refuse_archive(self._made, source)

    def read(self, size: int = -1, /) -> bytes:
        """Returns up to ``size`` bytes, none at the end.

        Raises:
            SampleError: What is packed is damaged, cut off or unpacks to too much.
        """
        if not self._packed:
            piece, self._ahead = self._ahead, b""
            return piece or self._stream.read(size)
        if self._made:
            piece, self._made = self._made, b""
            return piece
        return self._unpacked(CHUNK_BYTES if size < 0 else size)

    def _unpacked(self, size: int) -> bytes:
        try:
            made = self._unpack(size)
        except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError) as error:
            raise SampleError(f"{self._source}: the packed data is damaged ({error})") from None
        self._size += len(made)
        if self._size > UNPACKED.size:
            raise SampleError(
                f"{self._source}: unpacks to more than {UNPACKED.size} bytes: expected {UNPACKED.what}"
            )
        if self._size > max(NOT_YET_DENSE, MOST_DENSE * (self._taken + _TAR_AT)):
            raise SampleError(
                f"{self._source}: unpacks to more than {MOST_DENSE} times its size, which no output of a generator "
                "does that is not stuck: expected it unpacked, or a part of it"
            )
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
        piece = self._stream.read(CHUNK_BYTES)
        self._taken += len(piece)
        return piece


_COMMENT: Final = re.compile(rb"(?m)^(?:\xef\xbb\xbf)?[ \t]*#[^\r\n]*")
_LAST_MARK: Final = re.compile(rb"(?m)[,;|\t](?=[ \r]*$)")
_HEADING: Final = re.compile(rb"[^\r\n]*[^\s][^\r\n]*")


class PlainText:
    """Text in UTF-8, whatever it came as, with blanks in place of comments and of a mark behind the last cell."""

    def __init__(self, stream: ByteSource) -> None:
        self._stream, self._rest = stream, b""
        self._utf_16: codecs.IncrementalDecoder | None = None
        self._begun = False

    def read(self, _size: int = -1, /) -> bytes:
        """Returns the next lines, nothing at the end; a line that is longer than a piece comes as it is."""
        while piece := self._stream.read(CHUNK_BYTES):
            if not self._begun and not self._rest and piece.startswith(tuple(_UTF16)):
                self._utf_16 = codecs.getincrementaldecoder("utf-16")()
            self._rest += self._utf_16.decode(piece).encode() if self._utf_16 else piece
            end = max(self._rest.rfind(b"\n"), self._rest.rfind(b"\r")) + 1
            if end:
                lines, self._rest = self._rest[:end], self._rest[end:]
                return self._plain(lines)
            if len(self._rest) > CHUNK_BYTES:
                break
        lines, self._rest = self._rest, b""
        return self._plain(lines)

    def _plain(self, lines: bytes) -> bytes:
        lines = _COMMENT.sub(lambda comment: b" " * len(comment.group()), lines)
        heading = None if self._begun else _HEADING.search(lines)
        self._begun = True
        if heading:
            try:
                heading.group().decode()
            except UnicodeDecodeError:
                # A heading in the letters of Western Europe of old: what it names is found by its place all the same.
                named = heading.group().decode("latin-1").encode()
                lines = lines[: heading.start()] + named + lines[heading.end() :]
        return _LAST_MARK.sub(b" ", lines)


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
        # As long as the answer fills what was requested, more may wait inside without any tail.
        self._full = len(made) == max_length
        return made


_Decoder = _Gzip | bz2.BZ2Decompressor | lzma.LZMADecompressor


def _refuse_archive(head: bytes, source: str) -> None:
    expected = "expected plain data, or what gzip, bzip2 or xz made of it"
    for magic, name in _REFUSED_MAGIC.items():
        if head.startswith(magic):
            raise SampleError(f"{source}: {name}, {expected}")
    if head[_TAR_AT:].startswith(_TAR):
        raise SampleError(f"{source}: a tar archive, {expected}")


def _decoder(head: bytes) -> _Decoder | None:
    if head.startswith(_MAGIC[0]):
        return _Gzip()
    if head.startswith(_MAGIC[1]) and head[3:4].isdigit():
        return bz2.BZ2Decompressor()
    return (
        lzma.LZMADecompressor(format=lzma.FORMAT_XZ, memlimit=MOST_MEMORY)
        if head.startswith(_MAGIC[2])
        else None
    )


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
            strangers = set(piece) - (_HEX_READ if self._form == "hex" else _BASE64_READ)
            if strangers:
                at = min(piece.index(bytes([s])) for s in strangers)
                raise SampleError(
                    f"{self._source}: byte {self._offset + at} is {chr(piece[at])!a}, expected {self._form}"
                )
            self._offset += len(piece)
            text = self._rest + piece.translate(_TO_BASE64 if group == 4 else None, b" ,\t\r\n")
            if group == 2:
                text = _PREFIX.sub(b"", text)
            whole = len(text) - len(text) % group
            if group == 2 and text[whole - 1 :] == b"0":
                whole -= 2  # it may begin a prefix whose other half is still to come
            self._rest = text[whole:]
            if made := self._decode(text[:whole]):
                return made
        if self._rest and len(self._rest) % group == 0:
            text, self._rest = self._rest, b""
            return self._decode(text)
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
        except ValueError as error:  # binascii.Error is one
            raise SampleError(
                f"{self._source}: before byte {self._offset}: not {self._form} ({error})"
            ) from None
