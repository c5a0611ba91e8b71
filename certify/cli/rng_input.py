"""What is tested: a file or standard input, mapped or read piece by piece, refused where malformed."""

from __future__ import annotations

import codecs
import hashlib
import re
import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Literal, TypeVar

import click

from certify.cli.rng_equipment import Given, pieces_as_read, read_rows, row_form
from certify.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from certify.cli.rng_source import SampleOptions
    from certify.model.equipment import Equipment
    from rng.battery.bits import BitStream, ByteSource
    from rng.battery.by_origin import DrawOrigin
    from rng.battery.card_names import DeckSize
    from rng.battery.deck_records import RecordLayout
    from rng.battery.text_records import Column, RecordForm


MOST_READ: Final = 1 << 36
"""Bytes read from a stream: 64 GiB, so that a device without end cannot fill a disk. A plain file is mapped."""

Kind = Literal["bits", "decks", "draws"]
Opened = TypeVar("Opened")
Tell = Callable[[int, int], None]

STANDARD_INPUT: Final = Path("-")
# A deck in bytes holds the ids 0 to 8, which no text does: a first line of text with a comma is CSV.
SNIFFED: Final = 4096
# Text of numbers is looked at further: lines that could be balls drawn without putting any back.
LOOKED_AT: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class OutputSource:
    """Where the data is, and how it is written.

    Args:
        kind: Bits, decks or draws.
        path: The file; ``-`` is standard input.
        as_ascii: Bits are the characters 0 and 1.
        csv: Decks are CSV; found out from the first line if not said.
        dtype: Draws are binary words; text if left out.
        big_endian: Byte order of binary words.
        below: Range of the draws.
        more: Further files, read one after the other behind the first.
        encoding: Bits are text of hexadecimal digits or base64.
        raw: Bits are raw bytes even where they look like text.
        first: The smallest number or card id of text, which becomes 0.
        double_zero: What ``00`` of text stands for.
        layout: What a deck is made of and how its records are written; 40 cards by number if left out.
        given: What rows are drawn from, where that is stated piece by piece.
    """

    kind: Kind
    path: Path
    as_ascii: bool = False
    csv: bool = False
    dtype: Literal["u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64"] | None = None
    big_endian: bool = False
    below: int = 0
    more: tuple[Path, ...] = ()
    encoding: Literal["hex", "base64"] | None = None
    raw: bool = False
    first: int = 0
    double_zero: int | None = None
    layout: RecordLayout | None = None
    given: Given | None = None

    @property
    def name(self) -> str:
        """Name for messages."""
        names = ("standard input" if path == STANDARD_INPUT else str(path) for path in self.paths)
        return ", ".join(names)

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files in their order."""
        return (self.path, *self.more)


@dataclass(frozen=True, slots=True, eq=False)
class SubmittedOutput:
    """Data to be tested, checked to be well-formed.

    Args:
        source: Where it came from.
        count: Bits, decks or draws.
        sha256: Digest of the bytes that were read.
        bits: The bits, if it is bits.
        rows: The decks, one a row, or the draws.
        origin: Table and time of each row, where given.
    """

    source: OutputSource
    count: int
    sha256: str
    bits: BitStream | None = None
    rows: NDArray[Any] | None = None
    origin: DrawOrigin | None = None

    @property
    def pieces(self) -> tuple[Equipment, ...] | None:
        """What rows are drawn from, with as many draws a row as they have; None for decks and plain numbers."""
        given = self.source.given
        return None if given is None or self.rows is None else pieces_as_read(given, self.rows.shape[1])

    def as_json(self) -> dict[str, Any]:
        """Returns what was tested, as the document names it."""
        described: dict[str, Any] = {"kind": self.source.kind, "count": self.count}
        if self.source.given is not None:
            described["equipment"] = self.source.given.phrases
            if self.origin is not None and self.origin.tables:
                described["tables"] = len(self.origin.tables)
        elif self.source.kind == "draws":
            described["range"] = self.source.below
        elif self.source.kind == "decks" and self.source.layout is not None:
            pack = self.source.layout.pack
            described |= {"pack": pack.size, "shoe": pack.packs}
        return {**described, "source": self.source.name, "sha256": self.sha256}


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
            InputError: There is no end.
        """
        if self._ahead and size >= 0:
            piece, self._ahead = self._ahead[:size], self._ahead[size:]
        else:
            piece, self._ahead = self._ahead + self._stream.read(size), b""
        self._digest.update(piece)
        self._size += len(piece)
        if self._size > MOST_READ:
            raise InputError(
                f"more than {MOST_READ} bytes: a device without end? Give a file, or a part of it"
            )
        return piece

    @property
    def sha256(self) -> str:
        """Digest of everything read so far."""
        return self._digest.hexdigest()


class ShiftedIds:
    """Decks in bytes whose ids begin at another number than 0; what is smaller becomes an id that no deck has."""

    def __init__(self, stream: ByteSource, first: int) -> None:
        self._stream = stream
        self._table = bytes((card - first) % 256 for card in range(256))

    def read(self, size: int = -1, /) -> bytes:
        """Returns the ids of the next cards, counted from 0."""
        return self._stream.read(size).translate(self._table)


def open_source(source: OutputSource, tell: Tell) -> SubmittedOutput:
    """Opens what is to be tested and checks all of it.

    Args:
        source: Where it is.
        tell: Called with the bytes checked and the bytes there are, as far as that is known.

    Raises:
        InputError: The file cannot be read.
        SampleError: It is malformed; the offset is named.
    """
    from rng.battery.encodings import Joined, Unpacked

    try:
        with ExitStack() as opened:
            if not is_mapped(source):
                streams = [_stream(path, opened) for path in source.paths]
                named = zip(streams, source.paths, strict=True)
                # Whoever says that bytes are raw means them, even where they begin as an archive does.
                parts = [stream if source.raw else Unpacked(stream, str(path)) for stream, path in named]
                return _from_stream(source, Joined(parts), tell)
            with source.path.open("rb") as head:
                _refuse_text(source, head.read(SNIFFED))
            return _from_binary_file(source, tell)
    except OSError as error:
        raise InputError(f"{source.name}: cannot be read ({error.strerror})") from None


def is_mapped(source: OutputSource) -> bool:
    """Says whether the data is one plain file of raw bytes, which is mapped rather than read."""
    from rng.battery.encodings import is_packed

    if (
        source.more
        or source.given
        or source.encoding
        or (source.layout and source.layout.pack.packs > 1)
        or (source.kind == "decks" and source.first)
        or not source.path.is_file()
        or _is_text(source)
    ):
        return False
    with source.path.open("rb") as stream:
        return source.raw or not is_packed(stream.read(SNIFFED))


def _stream(path: Path, opened: ExitStack) -> BinaryIO:
    return sys.stdin.buffer if path == STANDARD_INPUT else opened.enter_context(path.open("rb"))


def _refuse_text(source: OutputSource, head: bytes) -> None:
    """Refuses raw bits that are text: tested as bytes, they would fail for the wrong reason.

    Raises:
        InputError: They look like text; the option that reads it is named.
    """
    from rng.battery.encodings import text_form

    if source.kind != "bits" or source.as_ascii or source.encoding or source.raw:
        return
    found = text_form(head)
    if found is not None:
        said = {
            "ascii": "the characters 0 and 1: say --ascii",
            "hex": "hexadecimal digits: say --hex",
            "base64": "base64: say --base64",
            "base64url": "base64 in its form for URLs: say --base64",
            "dump": "a hexadecimal dump, whose addresses are no output: give the bytes, as xxd -r makes them",
            "utf-16": "UTF-16 text: expected bytes, or UTF-8 text and the option that reads it",
            "text": "text: numbers are given by --draws FILE --range N, decks by --decks FILE",
        }[found]
        raise InputError(f"{source.name}: looks like {said}; raw bytes all the same: say --raw")


def looks_like_csv(head: bytes) -> bool:
    r"""Says whether the beginning of a file of decks is text, rightly written or not.

    >>> looks_like_csv(b"12,3,39\n"), looks_like_csv(b"12;3\n"), looks_like_csv(bytes(range(40)))
    (True, True, False)
    """
    line = head.removeprefix(codecs.BOM_UTF8).split(b"\n", 1)[0][:200]
    printable = all(byte in b"\t\r" or 32 <= byte < 127 for byte in line)
    return printable and any(byte in b"0123456789" for byte in line)


def _is_text(source: OutputSource) -> bool:
    if source.kind == "bits":
        return source.as_ascii
    if source.kind == "draws":
        return source.dtype is None
    with source.path.open("rb") as stream:
        return _is_deck_text(source, stream.read(SNIFFED))


def _is_deck_text(source: OutputSource, head: bytes) -> bool:
    # The first deck in bytes holds the ids 0 to 8, or 1 to 8, which no text does.
    if source.csv or any(byte < 9 or 13 < byte < 32 for byte in head[:64]):
        return source.csv
    return looks_like_csv(head) or written_otherwise(head)


def _from_binary_file(source: OutputSource, tell: Tell) -> SubmittedOutput:
    """Maps a file, so that it is never loaded whole."""
    from rng.battery import samples
    from rng.battery.bits import open_raw
    from rng.shuffle import CARDS

    size = source.path.stat().st_size
    if not size:
        raise InputError(f"{source.path}: empty, expected at least one of the {source.kind} to test")

    def progress(done: int) -> None:
        tell(done, size)

    with source.path.open("rb") as stream:
        sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
    if source.kind == "bits":
        bits = open_raw(source.path)
        return SubmittedOutput(source, bits.length, sha256, bits=bits)
    rows: NDArray[Any]
    if source.kind == "decks":
        cards = source.layout.pack.cards if source.layout else CARDS
        rows = samples.open_decks(source.path, cards=cards, progress=progress)
    else:
        rows = samples.open_draws(
            source.path,
            source.below,
            form=source.dtype or "text",
            byte_order="big" if source.big_endian else "little",
            progress=progress,
            first=source.first,
        )
    return SubmittedOutput(source, len(rows), sha256, rows=rows)


def _from_stream(source: OutputSource, stream: ByteSource, tell: Tell) -> SubmittedOutput:
    """Reads a pipe or a text piece by piece; what is large is kept in a temporary file."""
    from rng.battery import samples
    from rng.battery.bits import read_ascii, read_raw
    from rng.battery.encodings import Decoded
    from rng.battery.row_records import ask_about_balls
    from rng.battery.text_records import RecordForm

    reader = OutputReader(stream)
    _refuse_text(source, reader.peek(SNIFFED) if source.kind == "bits" else b"")
    size = source.path.stat().st_size if source.path.is_file() else 0

    def progress(done: int) -> None:
        tell(done, max(done, size))

    if source.kind == "bits":
        read = read_ascii if source.as_ascii else read_raw
        given = reader if source.encoding is None else Decoded(reader, source.encoding, source.name)
        bits = read(given, source=source.name, progress=progress)
        return SubmittedOutput(source, bits.length, reader.sha256, bits=bits)
    rows: NDArray[Any]
    if source.given is not None:
        cells = source.layout.form if source.layout else None
        rows, origin = read_rows(
            reader,
            row_form(source.given, cells, source.first, source.double_zero),
            source.given,
            source.dtype,
            big_endian=source.big_endian,
            source=source.name,
            progress=progress,
        )
        return SubmittedOutput(source, len(rows), reader.sha256, rows=rows, origin=origin)
    if source.kind == "decks":
        rows = _decks_from(source, reader, progress)
    else:
        if source.dtype is None:
            ask_about_balls(
                reader.peek(LOOKED_AT),
                source.layout.form if source.layout else RecordForm(" "),
                source.below,
                source.name,
            )
        rows = samples.read_draws(
            _numbers_in(source, reader),
            source.below,
            form=source.dtype or "text",
            byte_order="big" if source.big_endian else "little",
            source=source.name,
            progress=progress,
            first=source.first,
            double_zero=source.double_zero,
        )
    return SubmittedOutput(source, len(rows), reader.sha256, rows=rows)


def _numbers_in(source: OutputSource, reader: OutputReader) -> ByteSource:
    """Returns text of numbers alone: those of chosen columns, where any are chosen."""
    from rng.battery.text_records import NumberCells

    if source.layout is None:
        return reader
    return NumberCells(
        reader,
        source.layout.form,
        source.name,
        below=source.below,
        first=source.first,
        double_zero=source.double_zero,
    )


def _decks_from(source: OutputSource, reader: OutputReader, progress: Callable[[int], None]) -> NDArray[Any]:
    """Reads decks of any kind: bytes, ids with commas, or what laboratories write otherwise."""
    from rng.battery import deck_records, samples

    head = reader.peek(SNIFFED)
    text = _is_deck_text(source, head)
    layout = source.layout or deck_records.RecordLayout(first=source.first)
    plain = layout == deck_records.RecordLayout(layout.pack) and layout.pack.packs == 1
    if text and not (plain and layout.pack.size == 40 and not written_otherwise(head)):
        return deck_records.read_deck_records(reader, layout, source=source.name, progress=progress)
    ids = reader if text else ShiftedIds(reader, layout.first)
    if not text and layout.pack.packs > 1:
        return deck_records.read_shoes(ids, layout.pack, source=source.name)
    form: Literal["csv", "binary"] = "csv" if text else "binary"
    return samples.read_decks(ids, form=form, cards=layout.pack.cards, source=source.name, progress=progress)


MOST_COLUMNS: Final = 10_000
DRAWN_CARDS: Final = frozenset(map(chr, range(0x1F0A0, 0x1F0F6)))


def deck_layout(said: SampleOptions) -> RecordLayout | None:
    """Returns what a deck is made of and how it is written; None where nothing is said of it."""
    from rng.battery.card_names import Pack
    from rng.battery.deck_records import RecordLayout

    if not (said.first or said.pack or said.shoe or said.names or said.records):
        return None
    sizes: dict[str, DeckSize] = {"40": 40, "52": 52, "54": 54}
    pack = Pack(sizes[said.pack or "40"], said.shoe or 1, said.names or "english")
    return RecordLayout(pack, said.first, _form(said))


def _mark(option: str, text: str, json_lines: str | None) -> Column:
    """Returns the one column, or member of JSON lines, that says where or when a row was drawn."""
    if json_lines is not None:
        return text
    (column, *more) = columns_said(text, option)
    if more:
        raise click.UsageError(f"{option} {text}: one column expected")
    return column


def _form(said: SampleOptions) -> RecordForm:
    """Returns how a line becomes cells."""
    from rng.battery.text_records import RecordForm

    separator, member = said.separator, said.json_lines
    if separator is not None and separator != "TAB" and len(separator) != 1:
        raise click.UsageError("--separator: one character expected, or TAB")
    if member is not None and (separator or said.columns):
        raise click.UsageError("--separator and --columns go with CSV, not with --json-lines")
    marked = (("--table", said.table), ("--time", said.time))
    return RecordForm(
        "\t" if separator == "TAB" else separator,
        None if said.columns is None else columns_said(said.columns),
        member,
        tuple(_mark(option, column, member) for option, column in marked if column is not None),
    )


def columns_said(text: str, option: str = "--columns") -> tuple[Column, ...]:
    """Returns columns from 0 as they are said from 1, or by their headings.

    >>> columns_said("2-4,7"), columns_said("number"), columns_said("card 1..card 40")
    ((1, 2, 3, 6), ('number',), ('card 1..card 40',))
    """
    chosen: list[Column] = []
    for part in map(str.strip, text.split(",")):
        if not re.fullmatch("[0-9]+(-[0-9]+)?", part):
            chosen.append(part)
            continue
        low, _, high = part.partition("-")
        ends = [int(end) if len(end) < 6 else 0 for end in (low, high or low)]
        if not all(0 < end <= MOST_COLUMNS for end in ends):
            raise click.UsageError(f"{option} {text}: columns from 1 expected, such as 2-41")
        chosen += range(ends[0] - 1, ends[1])
    if not chosen or "" in chosen or len(set(chosen)) < len(chosen):
        raise click.UsageError(
            f"{option} {text}: each column once expected, such as 2-41, or by its heading, such as number"
        )
    return tuple(chosen)


def written_otherwise(head: bytes) -> bool:
    r"""Says whether the beginning of a file of decks is text other than ids with commas: names, JSON, other marks.

    Every deck in bytes has the id 0, which no text has.

    >>> written_otherwise("K♦,10h\n".encode()), written_otherwise(b"1;2\n"), written_otherwise(b"3,1,2\n")
    (True, True, False)
    >>> written_otherwise(b"AsTd10hKd\n"), written_otherwise(b"3 1 2\n")
    (True, True)
    """
    from rng.battery.card_names import LANGUAGES, Glued

    lines = codecs.getincrementaldecoder("utf-8-sig")("replace").decode(head).splitlines()
    if not lines or not all(character.isprintable() or character == "\t" for character in lines[0]):
        return False
    # The line behind a heading, or the only one.
    line = lines[1] if len(lines) > 1 else lines[0]
    first, mark, _ = re.sub("[ ,;|\t]", ",", line.strip(), count=1).partition(",")
    named = any(c.isalpha() or c in "♦♥♠♣♢♡♤♧[{" or c in DRAWN_CARDS for c in first)
    if not mark:
        return named and any(Glued(language, latin=True).begins(first) for language in LANGUAGES)
    return named or any(c in line for c in ";|\t") or (" " in line.strip() and "," not in line)
