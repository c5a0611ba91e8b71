"""What the compiled play-through of a table is given, window by window, and what its places mean."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import prod
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from certify.errors import InputError
from certify.kernels import njit
from certify.model.round_table import RoundTable, Settling
from certify.simulation import table_kernel, table_row_kernel
from certify.simulation.decks import draw_of
from certify.simulation.table_arrays import Arrows, TableArrays
from certify.simulation.table_kernel import BLOCK, Interned
from certify.simulation.table_row_kernel import Pieces, RowWords
from rng.draws import Draw, draw_many, steps
from rng.lazy_kernels import new_pile
from rng.shuffle import bound_groups, card_type
from rng.words import WordSource

FEW_PLACES: Final = 1 << 16
"""Places up to which joint outcomes are counted in one array."""

MOST_INTERNED: Final = 1 << 20
"""Interned numbers after which they are begun anew."""

MOST_WORDS: Final = 512
"""Words of a row beyond which rows are drawn whole: more would not fit a window."""

LONG: Final = 4
"""Words of a round beyond which, on average, blocks of rounds are not worth dealing."""

MOST_CARDS: Final = 64
"""Cards of a round that are dealt in lockstep, at most."""

ROWS: Final = 8_192
"""Rows played at a time."""

_FEW_WORDS: Final = 512

_NO_WORDS: Final = np.empty(0, dtype=np.uint64)
_NO_ROW: Final = RowWords(_NO_WORDS, _NO_WORDS, np.empty(0, dtype=np.int64), _NO_WORDS, _NO_WORDS)
_NO_ROWS: Final = np.empty((0, 0), dtype=np.uint16)

Whole = NDArray[np.int64]
Windows = Iterator[tuple[Whole, Whole]]
"""Places of the joint outcomes of rounds, and the words with which these began."""

Play = Callable[[NDArray[np.uint64], Whole, Whole], tuple[int, int, int]]
"""Plays the rounds of a window into places and first words; returns rounds, words used and why it stopped."""


@dataclass(slots=True)
class TablePlay:
    """Plays rounds of one table; not shared between threads.

    Args:
        arrays: The table, compiled.
        arrows: The same as the kernel reads it.
        codes: What is settled is interned here; none where places are sums.
        events: Draws of a round that settle something, at most.
    """

    arrays: TableArrays
    arrows: Arrows
    codes: Interned | None
    events: int

    @classmethod
    def of(cls, arrays: TableArrays) -> "TablePlay":
        """Returns what plays a table."""
        arrows, codes = arrays.arrows, None
        if arrays.weights is None:
            codes = table_kernel.empty()
            begun = table_kernel.intern(codes, arrows.begun) + 1 if arrows.begun else 0
            arrows = arrows._replace(begun=begun)
        return cls(arrays, arrows, codes, len(arrays.table.outcomes))

    def counts(self, windows: "Callable[[TablePlay], Windows]") -> Iterator[dict[int, int]]:
        """Yields how often each place came, in one piece where places are sums."""
        tally = _Tally.of(self.arrays)
        for places, _ in windows(self):
            tally.add(places)
            if self.codes is not None and int(self.codes.made[0]) > MOST_INTERNED:
                yield tally.counts()
                tally = _Tally.of(self.arrays)
                self._begin_anew()
        yield tally.counts()

    def _begin_anew(self) -> None:
        fresh = table_kernel.empty()
        if self.arrows.begun:
            table_kernel.intern(fresh, self.arrays.arrows.begun)
        self.codes = fresh

    def settled(self, place: int) -> Settling:
        """Returns everything that was settled on the way to a place."""
        if self.arrays.weights is not None:
            return self.arrays.weights.settled(place)
        found: list[tuple[str, str]] = []
        while place:
            place, group = self.step(place)
            found += self.arrays.groups[group]
        return tuple(found)

    def step(self, place: int) -> tuple[int, int]:
        """Returns the place before one that leads back to others, and the group of wagers settled between them."""
        if self.codes is None:
            raise ValueError("places that are sums lead nowhere")
        return divmod(int(self.codes.keys[place - 1]), len(self.arrays.groups))

    def steps(self) -> Iterator[tuple[int, int]]:
        """Yields the same for every place from the first: the place before one is always an earlier one."""
        if self.codes is None:
            raise ValueError("places that are sums lead nowhere")
        before, group = np.divmod(self.codes.keys[: int(self.codes.made[0])], len(self.arrays.groups))
        return zip(before.tolist(), group.tolist(), strict=True)

    def room(self, rounds: int) -> Interned | None:
        """Returns where so many rounds intern what they settle."""
        if self.codes is not None:
            self.codes = table_kernel.with_room(self.codes, rounds * self.events)
        return self.codes

    def rows(self, rows: NDArray[Any]) -> Windows:
        """Yields how whole rows end.

        Raises:
            InputError: A round needs more draws than its row holds, or the rows are not of this equipment.
        """
        self._check(rows)
        pieces = _pieces(self.arrays.table)
        # Rows come in a dozen types and layouts, for each of which the kernel would be compiled again.
        as_played = (
            np.uint16 if max(piece.size for piece in self.arrays.table.equipment) <= 1 << 16 else np.int64
        )
        for begin in range(0, len(rows), ROWS):
            part = rows[begin : begin + ROWS].astype(as_played, order="C")
            places = np.zeros(len(part), dtype=np.int64)
            if self.arrays.ends_at_once:
                places[:] = self.arrows.begun
            else:
                made, _, why = table_row_kernel.play_row_words(
                    _NO_WORDS, _NO_ROW, pieces, BLOCK, self.arrows, self.room(len(part)), part, places,
                    np.empty_like(places),
                )  # fmt: skip
                if why:
                    raise _overdrawn(begin + made)
            yield places, np.arange(begin, begin + len(part))

    def _check(self, rows: NDArray[Any]) -> None:
        equipment = self.arrays.table.equipment
        width = sum(piece.supply for piece in equipment)
        if rows.ndim != 2 or rows.shape[1] != width or not np.issubdtype(rows.dtype, np.integer):
            raise InputError(f"rows of {rows.dtype} {rows.shape}: expected whole numbers, {width} a row")
        column = 0
        for piece in equipment:
            part = rows[:, column : column + piece.supply]
            if part.size and not 0 <= int(part.min()) <= int(part.max()) < piece.size:
                raise InputError(f"rows hold an item that {piece.id} lacks: expected 0 to {piece.size - 1}")
            column += piece.supply

    def dealt(self, words: WordSource, rounds: int) -> Windows:
        """Yields how rounds end that are dealt from one shoe card by card.

        Raises:
            InputError: A round asks for more cards than there are.
        """
        (shoe,) = self.arrays.table.equipment
        pile = new_pile(shoe.size)
        deep = min(_deep(shoe.size), shoe.supply)
        small = np.empty(0, dtype=card_type(shoe.size) if self.codes is None else np.uint16)
        lockstep = True

        def play(window: NDArray[np.uint64], played: Whole, starts: Whole) -> tuple[int, int, int]:
            nonlocal lockstep
            codes = self.room(len(window) + len(played))
            made, used, why = table_kernel.play_words(
                window, pile, shoe.supply, deep, self.arrows, codes, small, lockstep, played, starts
            )
            lockstep = used <= LONG * made or not made
            return made, used, why

        yield from self._windows(words, rounds, play)

    def drawn(self, words: WordSource, rounds: int) -> Windows:
        """Yields how rounds end that each have the words of a whole row.

        Raises:
            InputError: A round needs more draws than its row holds.
        """
        equipment = self.arrays.table.equipment
        draw = draw_of(equipment)
        if draw.least_words > MOST_WORDS:
            for _ in range(rounds):
                begun = words.drawn
                yield from ((places, np.array([begun])) for places, _ in self.rows(draw_many(words, draw, 1)))
            return
        if (
            draw.least_words == 1
            and draw.outcomes <= FEW_PLACES
            and all(piece.replaced for piece in equipment)
        ):
            yield from self._windows(words, rounds, self._indexed(draw))
            return
        row, pieces = _row_words(self.arrays.table), _pieces(self.arrays.table)
        lanes = max(16, BLOCK // max(1, len(row.products) // 8))

        def play(window: NDArray[np.uint64], played: Whole, starts: Whole) -> tuple[int, int, int]:
            codes = self.room(len(played) + lanes)
            return table_row_kernel.play_row_words(
                window, row, pieces, lanes, self.arrows, codes, _NO_ROWS, played, starts
            )

        yield from self._windows(words, rounds, play)

    def _indexed(self, draw: Draw) -> Play:
        """Returns what plays rounds of few possible rows: each row is played once, and a word is its number."""
        number, bounds = draw.outcomes, [element.values for element in draw.elements]
        rows = np.stack(np.unravel_index(np.arange(number), bounds), axis=1)
        ends = np.concatenate([places for places, _ in self.rows(rows)])
        product, threshold = np.uint64(number), np.uint64((1 << 64) % number)
        return lambda window, played, starts: table_row_kernel.play_indexed(
            window, product, threshold, ends, played, starts
        )

    def _windows(self, words: WordSource, rounds: int, play: Play) -> Windows:
        if self.arrays.ends_at_once:
            yield np.full(rounds, self.arrows.begun), np.full(rounds, words.drawn)
            return
        done, waiting = 0, 1
        while done < rounds:
            window = words.window(waiting)
            most = min(len(window), rounds - done)
            places, starts = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64)
            made, used, why = play(window, places, starts)
            if why == table_kernel.OVERDRAWN:
                raise _overdrawn(done + made)
            begun = starts[:made] + words.drawn
            # What the window broke off is begun again once more words are waiting.
            waiting = min(len(window) - used + 1, len(window) + 1 if not made else _FEW_WORDS)
            words.skip(used)
            done += made
            yield places[:made], begun


def _deep(cards: int) -> int:
    """Returns the cards of a deck that are dealt in lockstep: those of its first words."""
    deep = 0
    for group in bound_groups(cards)[:LONG]:
        if deep and deep + len(group) > MOST_CARDS:
            break
        deep += len(group)
    return max(1, deep)


def _overdrawn(number: int) -> InputError:
    return InputError(f"round {number} needs more draws than its row holds")


def _pieces(table: RoundTable) -> Pieces:
    first, kept = [], []
    items: list[int] = []
    start = 0
    for piece in table.equipment:
        first.append(start)
        start += piece.supply
        kept.append(-1 if piece.replaced else len(items))
        items += [] if piece.replaced else range(piece.size)
    supply = [piece.supply for piece in table.equipment]
    return Pieces(
        np.array(first, dtype=np.int64),
        np.array(supply, dtype=np.int64),
        np.array(kept, dtype=np.int64),
        np.array(items, dtype=np.uint16),
    )


def _row_words(table: RoundTable) -> RowWords:
    """Returns how words become the draws of a row.

    Source: docs/byte-consumption-rule.md, version 1, rules 3 to 5.
    """
    products: list[int] = []
    group: list[int] = []
    before: list[int] = []
    bounds: list[int] = []
    for step in steps(draw_of(table.equipment)):
        wanted = step.width
        for one in step.groups:
            taken = 1
            for bound in one[:wanted]:
                group.append(len(products))
                before.append(taken % (1 << 64))
                bounds.append(bound)
                taken *= bound
            wanted -= min(wanted, len(one))
            products.append(prod(one))
        # The last item of a whole order is the one that is left.
        group += [len(products) - 1] * wanted
        before += [1] * wanted
        bounds += [1] * wanted
    return RowWords(
        np.array(products, dtype=np.uint64),
        np.array([(1 << 64) % product for product in products], dtype=np.uint64),
        np.array(group, dtype=np.int64),
        np.array(before, dtype=np.uint64),
        np.array(bounds, dtype=np.uint64),
    )


@dataclass(slots=True)
class _Tally:
    """How often places came: in an array where few are possible, else only those that occurred."""

    dense: Whole | None
    keys: Interned
    times: Whole

    @classmethod
    def of(cls, arrays: TableArrays) -> "_Tally":
        few = arrays.weights is not None and arrays.weights.range <= FEW_PLACES
        dense = np.zeros(arrays.weights.range, dtype=np.int64) if few and arrays.weights else None
        return cls(dense, table_kernel.empty(), np.zeros(0, dtype=np.int64))

    def add(self, places: Whole) -> None:
        if self.dense is not None:
            _count(places, self.dense)
            return
        self.keys = table_kernel.with_room(self.keys, len(places))
        if len(self.times) < len(self.keys.keys):
            self.times = np.concatenate(
                [self.times, np.zeros(len(self.keys.keys) - len(self.times), np.int64)]
            )
        table_kernel.count_keys(places, self.keys, self.times)

    def counts(self) -> dict[int, int]:
        if self.dense is not None:
            return {place: int(self.dense[place]) for place in np.flatnonzero(self.dense).tolist()}
        made = int(self.keys.made[0])
        return dict(zip(self.keys.keys[:made].tolist(), self.times[:made].tolist(), strict=True))


@njit(cache=True, nogil=True)
def _count(places: Whole, counts: Whole) -> None:
    # Two counters by turns, so that equal outcomes in a row do not wait for each other.
    second = np.zeros_like(counts)
    even = places.size - places.size % 2
    for index in range(0, even, 2):
        counts[places[index]] += 1
        second[places[index + 1]] += 1
    if even < places.size:
        counts[places[even]] += 1
    counts += second
