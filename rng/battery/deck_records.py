"""Decks and shoes as laboratories write them: names or numbers, in CSV of any separator, or JSON lines."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from rng.battery.bits import CHUNK_BYTES, ByteSource
from rng.battery.card_names import Pack, ids_of, label_stream, names_of, plain_name
from rng.battery.samples import MOST_DIGITS, Store, whole_records
from rng.errors import SampleError

SEPARATORS = ";\t|,"
BATCH = 4096


@dataclass(frozen=True, slots=True)
class Layout:
    """How a record becomes the cards of a deck.

    Args:
        pack: What a deck is made of.
        first: The smallest number where cards are numbers.
        separator: Between cards; found in the first line if left out, blanks where none of `SEPARATORS` is there.
        columns: Places in the record that hold cards, from 0, in order; all if left out.
        member: Lines are JSON: the member that holds the list of cards, empty for lists alone; None for CSV.
    """

    pack: Pack = field(default_factory=Pack)
    first: int = 0
    separator: str | None = None
    columns: tuple[int, ...] | None = None
    member: str | None = None


def read_deck_records(
    stream: ByteSource, layout: Layout, *, source: str, progress: Callable[[int], None] | None = None
) -> NDArray[np.uint8] | NDArray[np.uint16]:
    """Reads text of decks from an open stream, piece by piece; a heading is allowed in the first line.

    Raises:
        SampleError: A line is no deck; which line, and what was expected.
    """
    store, labels, done = Store(), label_stream(), 0
    rows: list[list[int]] = []

    def flush() -> None:
        nonlocal done
        if rows:
            kinds = np.array(rows, dtype=np.int64)
            store.add(_narrow(ids_of(kinds, layout.pack, done, source, labels), layout.pack).tobytes())
            done += len(rows)
            rows.clear()

    for row in _Rows(layout, source).of(_lines(stream, source, progress)):
        rows.append(row)
        if len(rows) == BATCH:
            flush()
    flush()
    if not store.size:
        raise SampleError(f"{source}: no decks to test, expected at least one")
    return _shaped(store, layout.pack)


def read_shoes(stream: ByteSource, pack: Pack, *, source: str) -> NDArray[np.uint8] | NDArray[np.uint16]:
    """Reads shoes of one byte a card, equal cards alike: each the number of the card in its pack.

    Raises:
        SampleError: A shoe is cut off or not one of these packs.
    """
    raw = Store()
    while piece := stream.read(CHUNK_BYTES):
        raw.add(piece)
    if not raw.size or raw.size % pack.cards:
        raise SampleError(f"{source}: {raw.size} bytes, expected {pack.cards} bytes a shoe and at least one")
    given, store, labels = raw.finish().reshape(-1, pack.cards), Store(), label_stream()
    for start in range(0, len(given), BATCH):
        kinds = given[start : start + BATCH].astype(np.int64)
        if kinds.max() >= pack.size:
            row = start + int(np.flatnonzero((kinds >= pack.size).any(axis=1))[0])
            raise SampleError(f"{source}: shoe {row}: card {int(kinds.max())}, expected 0 to {pack.size - 1}")
        store.add(_narrow(ids_of(kinds, pack, start, source, labels), pack).tobytes())
    return _shaped(store, pack)


def _narrow(ids: NDArray[np.uint16], pack: Pack) -> NDArray[np.uint8] | NDArray[np.uint16]:
    return ids.astype(np.uint8) if pack.cards <= 256 else ids.astype("<u2")


def _shaped(store: Store, pack: Pack) -> NDArray[np.uint8] | NDArray[np.uint16]:
    raw = store.finish()
    return (raw if pack.cards <= 256 else raw.view("<u2")).reshape(-1, pack.cards)


def _lines(
    stream: ByteSource, source: str, progress: Callable[[int], None] | None
) -> Iterator[tuple[int, str]]:
    number = 0
    for offset, piece in whole_records(stream, b"\n"):
        try:
            text = piece.decode("utf-8-sig" if not offset else "utf-8")
        except UnicodeDecodeError as error:
            raise SampleError(f"{source}: byte {offset + error.start}: not UTF-8 text") from None
        for line in text.split("\n"):
            number += 1
            if line.strip():
                yield number, line
        number -= 1  # what follows the last line end is the beginning of the next piece
        if progress is not None:
            progress(offset + len(piece))


class NumberCells:
    """The numbers in chosen columns of CSV or in a member of JSON lines, as text of one line a record."""

    def __init__(
        self, stream: ByteSource, layout: Layout, below: int, double_zero: int | None, source: str
    ) -> None:
        self._lines = _lines(stream, source, None)
        self._rows = _Rows(layout, source)
        self._layout, self._source = layout, source
        self._below, self._double_zero = below, double_zero
        self._begun = False

    def read(self, size: int = -1, /) -> bytes:
        """Returns the numbers of the next records, none at the end.

        Raises:
            SampleError: A cell is no number of the range; which line, and what was expected.
        """
        made: list[str] = []
        for number, line in islice(self._lines, 4 * BATCH):
            where = f"{self._source}: line {number}"
            cells = [cell.strip() for cell in self._rows.cells(line, where)]
            heading = not self._begun and self._layout.member is None
            self._begun = True
            if heading and not any(cell.isascii() and cell.isdigit() for cell in cells):
                # Blanks stand for it, so that a file of one heading is read as one without numbers.
                made.append(" ")
                continue
            made.append(" ".join(self._number(cell, where) for cell in cells))
        return ("\n".join(made) + "\n").encode() if made else b""

    def _number(self, cell: str, where: str) -> str:
        if cell == "00":
            if self._double_zero is None:
                raise SampleError(
                    f"{where} has '00': a pocket of its own on a wheel, or 0 in two digits? "
                    "Say --double-zero 37 (or whichever number it has) or --double-zero 0"
                )
            cell = str(self._double_zero)
        least = self._layout.first
        most = least + self._below - 1
        if not (
            cell.isascii() and cell.isdigit() and len(cell) <= MOST_DIGITS and least <= int(cell) <= most
        ):
            hint = " (numbers from 1? say --first 1)" if cell == str(most + 1) and not least else ""
            raise SampleError(f"{where}: {cell[:40]!a}, expected a number from {least} to {most}{hint}")
        return str(int(cell))


class _Rows:
    """Turns lines into rows of kinds of cards."""

    def __init__(self, layout: Layout, source: str) -> None:
        self._layout, self._source = layout, source
        self._names = names_of(layout.pack.size, layout.pack.language)
        self._separator = layout.separator
        self._known: dict[str, int | None] = {}

    def of(self, lines: Iterable[tuple[int, str]]) -> Iterator[list[int]]:
        first = True
        for number, line in lines:
            where = f"{self._source}: line {number}"
            cards = self.cells(line, where)
            kinds = [self._kind(cell) for cell in cards]
            if first and self._layout.member is None and all(kind is None for kind in kinds):
                first = False  # a heading
                continue
            first = False
            yield self._row(cards, kinds, where)

    def cells(self, line: str, where: str) -> list[str]:
        """Returns what stands in the columns asked for."""
        layout = self._layout
        if layout.member is not None:
            return _json_cells(line, layout.member, where)
        if self._separator is None:  # a heading of one word has none
            self._separator = next((mark for mark in SEPARATORS if mark in line), None)
        separator = self._separator or " "
        try:
            cells = (
                line.split()
                if separator == " "
                else next(csv.reader([line], delimiter=separator, strict=True))
            )
        except csv.Error as error:
            raise SampleError(f"{where}: not CSV ({error})") from None
        if layout.columns is None:
            return cells
        if len(cells) <= max(layout.columns):
            raise SampleError(f"{where}: {len(cells)} columns, expected at least {max(layout.columns) + 1}")
        return [cells[column] for column in layout.columns]

    def _kind(self, cell: str) -> int | None:
        """The kind of a name, or the number of a number, or nothing."""
        if cell in self._known:
            return self._known[cell]
        text = cell.strip()
        number = text.isascii() and text.isdigit() and len(text) <= 6
        kind = int(text) - self._layout.first if number else self._names.get(plain_name(text))
        if len(self._known) < 10_000:
            self._known[cell] = kind
        return kind

    def _row(self, cells: list[str], kinds: list[int | None], where: str) -> list[int]:
        pack = self._layout.pack
        if len(cells) != pack.cards:
            raise SampleError(f"{where}: {len(cells)} cards, expected {pack.cards}")
        given = [kind for kind in kinds if kind is not None]
        if len(given) < len(kinds):
            cell = cells[kinds.index(None)]
            raise SampleError(
                f"{where}: {cell[:40]!a} names no card of {pack.size}, expected such as KD, K♦, 10h or a number"
            )
        if min(given) < 0 or max(given) >= pack.cards:
            first = self._layout.first
            hint = " (numbers from 1? say --first 1)" if not first and max(given) == pack.cards else ""
            wrong = min(given) if min(given) < 0 else max(given)
            raise SampleError(
                f"{where}: card {wrong + first}, expected {first} to {first + pack.cards - 1}{hint}"
            )
        return given


def _json_cells(line: str, member: str, where: str) -> list[str]:
    try:
        found = json.loads(line)
        cards = found[member] if member else found
    except (ValueError, RecursionError, KeyError, TypeError, IndexError):
        raise SampleError(
            f"{where}: a JSON {f'object with {member!r}' if member else 'list'} expected"
        ) from None
    if type(cards) is int:
        return [str(cards)]
    if not isinstance(cards, list) or not all(type(card) in (int, str) for card in cards):
        raise SampleError(f"{where}: a list of names or whole numbers expected")
    return [str(card) for card in cards]
