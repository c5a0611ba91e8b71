"""One reader of given output: files or a stream, packed or not, to an array of bits, decks, numbers or rows."""

import codecs
import hashlib
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np
from numpy.typing import NDArray

from rng.battery import ByteSource, mapped, open_raw, read_ascii, read_raw
from rng.battery.bits import stored
from rng.battery.stratified import DrawOrigin, OriginColumns
from rng.errors import DoubledItemError, SampleError
from rng.given import numbers
from rng.given.decks import RecordLayout, read_deck_records, read_shoes
from rng.given.encodings import Decoded, Joined, PlainText, Unpacked, is_packed, text_form
from rng.given.records import RecordForm, read_number_cells
from rng.given.rows import RowForm, read_row_text, read_row_words, require_order_of_balls
from rng.given.source import STANDARD_INPUT, GivenOutput, ReadOutput, Tell
from rng.outside import STREAM, head_of, require_end

# A deck in bytes holds the ids 0 to 8, which no text does: a first line of text with a comma is CSV.
SNIFFED: Final = 4096
# Text of numbers is looked at further: lines that could be balls drawn without putting any back.
LOOKED_AT: Final = 1 << 16


class OutputReader:
    """A stream that is read piece by piece, with its digest and what was looked at beforehand."""

    def __init__(self, stream: ByteSource) -> None:
        self._stream = stream
        self._digest = hashlib.sha256()
        self._ahead = b""
        self._size = 0

    def peek(self, size: int) -> bytes:
        """Returns the first bytes without using them up."""
        while len(self._ahead) < size and (piece := self._stream.read(size - len(self._ahead))):
            self._ahead += piece
        return self._ahead[:size]

    def read(self, size: int = -1, /) -> bytes:
        """Returns up to ``size`` bytes, none at the end.

        Raises:
            SampleError: There is no end.
        """
        if self._ahead and size >= 0:
            piece, self._ahead = self._ahead[:size], self._ahead[size:]
        else:
            piece, self._ahead = self._ahead + self._stream.read(size), b""
        self._digest.update(piece)
        self._size += len(piece)
        if self._size > STREAM.size:
            raise SampleError(f"more than {STREAM.size} bytes from a stream: expected {STREAM.what}")
        return piece

    @property
    def sha256(self) -> str:
        """Digest of everything read so far."""
        return self._digest.hexdigest()

    def digest_to_end(self) -> str:
        """Returns the digest of everything, the rest read too."""
        while self.read(SNIFFED):
            pass
        return self.sha256


def read(source: GivenOutput, tell: Tell = lambda done, total: None) -> ReadOutput:
    """Reads given output and verifies all of it.

    Args:
        source: Where it is.
        tell: Called with the bytes verified and the bytes there are, as far as that is known.

    Raises:
        SampleError: It cannot be read, or is malformed; file and line, row or byte are named.
    """
    try:
        with ExitStack() as opened:
            if is_mapped(source):
                return _from_file(source, tell)
            streams = [_stream(path, opened) for path in source.paths]
            named = zip(streams, source.paths, strict=True)
            # Whoever says that bytes are raw means them, even where they begin as an archive does.
            parts = [stream if source.raw else Unpacked(stream, str(path)) for stream, path in named]
            return _from_stream(source, OutputReader(Joined(parts)), tell)
    except OSError as error:
        raise SampleError(f"{source.name}: cannot be read ({error.strerror})") from None


@contextmanager
def _whole(digest: Callable[[], str]) -> Iterator[None]:
    """Gives a row that cannot be drawn the digest of everything that was given: it is a finding about all of it."""
    try:
        yield
    except DoubledItemError as error:
        error.sha256 = digest()
        raise


def is_mapped(source: GivenOutput) -> bool:
    """Says whether the data is one plain file of raw bytes, which is mapped rather than read."""
    if (
        source.more
        or source.rows
        or source.encoding
        or (source.layout and source.layout.pack.packs > 1)
        or (source.kind == "decks" and source.first)
        or not source.path.is_file()
        or _is_text(source)
    ):
        return False
    return source.raw or not is_packed(head_of(source.path, SNIFFED))


def _stream(path: Path, opened: ExitStack) -> BinaryIO:
    stream = sys.stdin.buffer if path == STANDARD_INPUT else opened.enter_context(path.open("rb"))
    require_end(stream, str(path))
    return stream


def _refuse_text(source: GivenOutput, head: bytes) -> None:
    """Refuses raw bits that are text: tested as bytes, they would fail for the wrong reason.

    Raises:
        SampleError: They look like text; the option that reads it is named.
    """
    if source.kind != "bits" or source.as_ascii or source.raw:
        return
    found = text_form(head)
    if found is not None and (found == "uuids" or not source.encoding):
        said = {
            "ascii": "the characters 0 and 1: say --ascii",
            "hex": "hexadecimal digits: say --hex",
            "base64": "base64: say --base64",
            "base64url": "base64 in its form for URLs: say --base64",
            "dump": "a hexadecimal dump, whose addresses are no output: give the bytes, as xxd -r makes them",
            "uuids": "UUIDs, of whose 128 bits six are fixed: expected the output that they were made from",
            "one bit a byte": "one bit a byte, as tools of SP 800-90B have it: say --draws FILE --range 2 --dtype u8",
            "utf-16": "UTF-16 text: expected bytes, or UTF-8 text and the option that reads it",
            "text": "text: numbers are given by --draws FILE --range N, decks by --decks FILE",
        }[found]
        raise SampleError(f"{source.name}: looks like {said}; raw bytes all the same: say --raw")


def _is_text(source: GivenOutput) -> bool:
    if source.kind == "bits":
        return source.as_ascii
    if source.kind == "draws":
        return source.dtype is None
    return _is_deck_text(source, head_of(source.path, SNIFFED))


def _is_deck_text(source: GivenOutput, head: bytes) -> bool:
    # A deck in bytes holds the ids 0 to 8, or 1 to 8, which no text does.
    layout = source.layout or RecordLayout()
    said = source.csv or layout.form != RecordForm() or source.table or source.time
    if said or head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return True
    return not any(byte < 9 or 13 < byte < 32 for byte in head)


def _from_file(source: GivenOutput, tell: Tell) -> ReadOutput:
    """Maps a file, so that it is never loaded whole."""
    size = source.path.stat().st_size
    if not size:
        raise SampleError(f"{source.path}: empty, expected at least one of the {source.kind} to test")
    if size > STREAM.size:
        raise SampleError(f"{source.path}: {size} bytes, more than {STREAM.size}: expected {STREAM.what}")
    _refuse_text(source, head_of(source.path, SNIFFED))
    with source.path.open("rb") as stream:
        sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
    if source.kind == "bits":
        bits = open_raw(source.path)
        return ReadOutput(bits.length, sha256, bits=bits)
    with _whole(lambda: sha256):
        rows = _binary(source, mapped(source.path), lambda done: tell(done, size))
    return ReadOutput(len(rows), sha256, rows=rows)


def _binary(source: GivenOutput, raw: NDArray[Any], progress: Callable[[int], None]) -> NDArray[Any]:
    """Returns bytes as decks of one byte a card, or as words."""
    if source.kind == "decks":
        cards = (source.layout or RecordLayout()).pack.cards
        return numbers.binary_decks(raw, cards=cards, source=source.name, progress=progress)
    return numbers.binary_draws(
        raw,
        source.below,
        source.dtype or "u8",
        big_endian=source.big_endian,
        source=source.name,
        progress=progress,
        first=source.first,
    )


def _from_stream(source: GivenOutput, reader: OutputReader, tell: Tell) -> ReadOutput:
    """Reads a pipe or a text piece by piece; what is large is kept in a temporary file."""
    size = source.path.stat().st_size if source.path.is_file() else 0

    def progress(done: int) -> None:
        tell(done, max(done, size))

    if source.kind == "bits":
        _refuse_text(source, reader.peek(SNIFFED))
        encoding = source.encoding
        given = reader if encoding is None else OutputReader(Decoded(reader, encoding, source.name))
        _refuse_text(source, given.peek(SNIFFED))
        bits = (read_ascii if source.as_ascii else read_raw)(given, source=source.name, progress=progress)
        return ReadOutput(bits.length, reader.sha256, bits=bits)
    origin = None
    with _whole(reader.digest_to_end):
        if source.rows is not None:
            rows, origin = _rows_from(source, source.rows, reader, progress)
        elif source.kind == "decks":
            rows = _decks_from(source, reader, progress)
        elif source.dtype is not None:
            rows = _binary(source, stored(reader), progress)
        else:
            rows = _numbers_from(source, reader, progress)
    return ReadOutput(len(rows), reader.sha256, rows=rows, origin=origin)


def _rows_from(
    source: GivenOutput, form: RowForm, reader: OutputReader, progress: Callable[[int], None]
) -> tuple[NDArray[Any], DrawOrigin | None]:
    """Reads rows of text, or words where bytes are none; in the order drawn, with table and time where given."""
    if source.dtype is not None or not _is_deck_text(source, reader.peek(SNIFFED)):
        stated = (
            f"{'>' if source.big_endian else '<'}{source.dtype[0]}{int(source.dtype[1:]) // 8}"
            if source.dtype
            else ""
        )
        return read_row_words(reader, form, stated or form.dtype, source=source.name), None
    if not source.table and not source.time:
        return read_row_text(PlainText(reader), form, source=source.name, progress=progress), None
    columns = OriginColumns(source.table, source.time)
    rows = read_row_text(PlainText(reader), form, source=source.name, progress=progress, marks=columns.add)
    origin = columns.origin()
    drawn = origin.order()
    return rows[drawn], origin.at(drawn)


def _numbers_from(source: GivenOutput, reader: OutputReader, progress: Callable[[int], None]) -> NDArray[Any]:
    """Reads text of numbers of one range: all of them, or those of chosen columns."""
    form, below = source.records, source.below
    require_order_of_balls(reader.peek(LOOKED_AT), form or RecordForm(" "), below, source.name)
    first, zero = source.first, source.double_zero
    if form is not None:
        return read_number_cells(
            PlainText(reader), form, source.name, below=below, first=first, double_zero=zero
        )
    return numbers.text_draws(
        PlainText(reader), below, source=source.name, progress=progress, first=first, double_zero=zero
    )


def _decks_from(source: GivenOutput, reader: OutputReader, progress: Callable[[int], None]) -> NDArray[Any]:
    """Reads decks of any kind: bytes, ids with commas, or what laboratories write otherwise."""
    head = reader.peek(SNIFFED)
    layout = source.layout or RecordLayout(first=source.first)
    if not _is_deck_text(source, head):
        given = stored(reader)
        # What is smaller than the first becomes an id that no deck has.
        ids = given - np.uint8(layout.first % 256) if layout.first else given
        if layout.pack.packs > 1:
            return read_shoes(ids, layout.pack, source=source.name)
        return _binary(source, ids, progress)
    return read_deck_records(PlainText(reader), layout, source=source.name, progress=progress)
