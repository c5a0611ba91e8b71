"""Decks and shoes as laboratories write them: names or numbers, in CSV of any separator, or JSON lines."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from rng.battery import ByteSource, SampleStore
from rng.errors import SampleError
from rng.given.names import DeckSize, Glued, Pack, ids_of, label_stream, names_of, plain_name
from rng.given.numbers import require_few
from rng.given.records import RecordForm, is_number, lines_of, records_of, whole_number
from rng.given.rows import BATCH, batches


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
    kinds = _Kinds(layout)
    records = records_of(
        lines_of(stream, source, progress),
        layout.form,
        source,
        width=layout.pack.cards,
        is_heading=kinds.is_heading,
        glued=Glued(layout.pack.language, latin=layout.pack.size == 40),
    )
    return _labelled(batches(kinds.row(*record) for record in records), layout.pack, source)


def read_shoes(raw: NDArray[np.uint8], pack: Pack, *, source: str) -> NDArray[np.uint8] | NDArray[np.uint16]:
    """Reads shoes of one byte a card: its number in its pack, or ids of all cards of the shoe, each once.

    Raises:
        SampleError: A shoe is cut off or not one of these packs.
    """
    if not raw.size or raw.size % pack.cards:
        raise SampleError(f"{source}: {raw.size} bytes, expected {pack.cards} bytes a shoe and at least one")
    given = raw.reshape(-1, pack.cards)
    parts = (given[start : start + BATCH].astype(np.int64) for start in range(0, len(given), BATCH))
    return _labelled(parts, pack, source)


def _labelled(
    parts: Iterator[NDArray[np.int64]], pack: Pack, source: str
) -> NDArray[np.uint8] | NDArray[np.uint16]:
    """Returns rows of kinds of cards as rows of ids, each card with one of its own."""
    store, labels, done = SampleStore(), label_stream(), 0
    narrow = "u1" if pack.cards <= 256 else "<u2"
    for kinds in parts:
        store.add(ids_of(kinds, pack, done, source, labels).astype(narrow).tobytes())
        done += len(kinds)
        require_few(done, source)
    if not done:
        raise SampleError(f"{source}: no decks to test, expected at least one")
    return store.finish().view(narrow).reshape(-1, pack.cards)


class _Kinds:
    """Turns the cells of records into rows of kinds of cards."""

    def __init__(self, layout: RecordLayout) -> None:
        self._layout = layout
        self._names = names_of(layout.pack.size, layout.pack.language)
        self._known: dict[str, int | None] = {}

    def is_heading(self, cells: list[str]) -> bool:
        """Says whether no cell names a card; longer than a name for each card is a deck of which some name is none."""
        short = len(cells) > 1 or len(cells[0]) < 2 * self._layout.pack.cards
        strange = [self._kind(cell) is None for cell in cells]
        # Places that are numbered, as c1 to c40, begin the same and differ; some of them may name cards, as c1
        # does.
        numbered = (
            len({cell[:1] for cell in cells}) == 1
            and len(set(cells)) == len(cells) >= self._layout.pack.cards
        )
        return short and (all(strange) or (numbered and any(strange)))

    def _kind(self, text: str) -> int | None:
        """The kind of a name, or the number of a number, or nothing."""
        if text in self._known:
            return self._known[text]
        named = self._names.get(plain_name(text))
        kind = whole_number(text) - self._layout.first if is_number(text) else named
        if len(self._known) < 10_000:
            self._known[text] = kind
        return kind

    def row(self, where: str, cells: list[str]) -> list[int]:
        """Returns the kinds of the cards of a record.

        Raises:
            SampleError: It is no deck; what was expected.
        """
        pack, kinds = self._layout.pack, [self._kind(cell) for cell in cells]
        if len(cells) == 1 and kinds[0] is None:
            raise SampleError(
                f"{where}: {cells[0][:20]!a}…, expected {pack.cards} cards, apart or glued together such as AsTd10h"
            )
        if len(cells) != pack.cards:
            hint = (
                "a card a line? expected a deck a line"
                if len(cells) < 4
                else f"another pack? --pack {len(cells) if len(cells) in get_args(DeckSize) else 'states it'}"
            )
            raise SampleError(f"{where}: {len(cells)} cards, expected {pack.cards} ({hint})")
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
