"""Decks and shoes as laboratories write them: names or numbers, in CSV of any separator, or JSON lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rng.battery.bits import CHUNK_BYTES, ByteSource
from rng.battery.card_names import Glued, Pack, ids_of, label_stream, names_of, plain_name
from rng.battery.samples import SampleStore
from rng.battery.text_records import Cells, RecordForm, lines_of, parted
from rng.errors import SampleError

BATCH = 4096


@dataclass(frozen=True, slots=True)
class RecordLayout:
    """How a record becomes the cards of a deck.

    Args:
        pack: What a deck is made of.
        first: The smallest number where cards are numbers.
        form: How a line becomes cells, a card each.
    """

    pack: Pack = field(default_factory=Pack)
    first: int = 0
    form: RecordForm = field(default_factory=RecordForm)


def read_deck_records(
    stream: ByteSource, layout: RecordLayout, *, source: str, progress: Callable[[int], None] | None = None
) -> NDArray[np.uint8] | NDArray[np.uint16]:
    """Reads text of decks from an open stream, piece by piece; a heading is allowed in the first line.

    Raises:
        SampleError: A line is no deck; which line, and what was expected.
    """
    store, labels, done = SampleStore(), label_stream(), 0
    rows: list[list[int]] = []

    def flush() -> None:
        nonlocal done
        if rows:
            kinds = np.array(rows, dtype=np.int64)
            store.add(_narrow(ids_of(kinds, layout.pack, done, source, labels), layout.pack).tobytes())
            done += len(rows)
            rows.clear()

    for row in _Rows(layout, source).of(lines_of(stream, source, progress)):
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
    raw = SampleStore()
    while piece := stream.read(CHUNK_BYTES):
        raw.add(piece)
    if not raw.size or raw.size % pack.cards:
        raise SampleError(f"{source}: {raw.size} bytes, expected {pack.cards} bytes a shoe and at least one")
    given, store, labels = raw.finish().reshape(-1, pack.cards), SampleStore(), label_stream()
    for start in range(0, len(given), BATCH):
        kinds = given[start : start + BATCH].astype(np.int64)
        if kinds.max() >= pack.size:
            row = start + int(np.flatnonzero((kinds >= pack.size).any(axis=1))[0])
            raise SampleError(f"{source}: shoe {row}: card {int(kinds.max())}, expected 0 to {pack.size - 1}")
        store.add(_narrow(ids_of(kinds, pack, start, source, labels), pack).tobytes())
    return _shaped(store, pack)


def _narrow(ids: NDArray[np.uint16], pack: Pack) -> NDArray[np.uint8] | NDArray[np.uint16]:
    return ids.astype(np.uint8) if pack.cards <= 256 else ids.astype("<u2")


def _shaped(store: SampleStore, pack: Pack) -> NDArray[np.uint8] | NDArray[np.uint16]:
    raw = store.finish()
    return (raw if pack.cards <= 256 else raw.view("<u2")).reshape(-1, pack.cards)


class _Rows:
    """Turns lines into rows of kinds of cards."""

    def __init__(self, layout: RecordLayout, source: str) -> None:
        self._layout, self._source = layout, source
        self._names = names_of(layout.pack.size, layout.pack.language)
        self._cells = Cells(layout.form, source)
        self._glued = Glued(layout.pack.language, latin=layout.pack.size == 40)
        self._known: dict[str, int | None] = {}

    def of(self, lines: Iterable[tuple[int, str]]) -> Iterator[list[int]]:
        first = True
        for number, line in lines:
            where = f"{self._source}: line {number}"
            found = self._cells.of(line, where)
            if found is None:
                continue
            cards = parted(found, self._layout.pack.cards, self._glued)
            kinds = [self._kind(cell) for cell in cards]
            # Longer than a name for each card is no heading: it is a deck of which some name is none.
            short = len(cards) > 1 or len(cards[0]) < 2 * self._layout.pack.cards
            if first and short and self._layout.form.member is None and all(kind is None for kind in kinds):
                first = False  # a heading
                continue
            first = False
            yield self._row(cards, kinds, where)

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
        if len(cells) == 1 and kinds[0] is None:
            raise SampleError(
                f"{where}: {cells[0][:20]!a}…, expected {pack.cards} cards, apart or glued together such as AsTd10h"
            )
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
