"""Compiled play-through of a table, in lockstep; its readable twin is ``table_twin``.

A block of rounds is played wave by wave: each wave gives one draw to every round that still draws, and the list of
those rounds is packed without a branch. So nothing depends on guessing how long a round will be. Cards of one shoe are
dealt as they are looked at, for all rounds of a block at once while many of them still draw.
"""

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from certify.kernels import njit
from certify.simulation.table_arrays import Arrows
from rng.kernels import called_by_kernels
from rng.lazy_kernels import NO_WORD, Pile, deal_column, draw_card, put_back, split_words

FREE: Final = -1
"""In place of a key: the slot is empty."""

_LEAST: Final = 1 << 12


class Interned(NamedTuple):
    """Keys with their numbers, counted from 0 in the order in which they came.

    Args:
        slots: int64[power of two], number of the key in each slot; FREE where there is none.
        keys: int64[at least half as many], the keys by number.
        made: int64[1], how many keys there are.
    """

    slots: NDArray[np.int64]
    keys: NDArray[np.int64]
    made: NDArray[np.int64]


def empty(room: int = _LEAST) -> Interned:
    """Returns a table with room for so many keys."""
    size = _LEAST
    while size < 2 * room:
        size *= 2
    return Interned(
        np.full(size, FREE, dtype=np.int64), np.empty(size // 2, dtype=np.int64), np.zeros(1, dtype=np.int64)
    )


def with_room(table: Interned, room: int) -> Interned:
    """Returns a table with the same numbers and room for so many further keys: itself if it has it."""
    made = int(table.made[0])
    if made + room <= len(table.keys):
        return table
    grown = empty(2 * (made + room))
    _refill(table.keys[:made], grown)
    return grown


@njit(cache=True, nogil=True)
def intern(table: Interned, key: int) -> Any:
    """Returns the number of a key, a new one where it comes for the first time; there must be room."""
    mask = table.slots.size - 1
    slot = np.int64((np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32)) & mask
    while True:
        number = table.slots[slot]
        if number < 0:
            number = table.made[0]
            table.slots[slot] = number
            table.keys[number] = key
            table.made[0] = number + 1
            return number
        if table.keys[number] == key:
            return number
        slot = (slot + 1) & mask


@njit(cache=True, nogil=True)
def _refill(keys: NDArray[np.int64], table: Interned) -> None:
    for key in keys:
        intern(table, key)


@njit(cache=True, nogil=True)
def count_keys(keys: NDArray[np.int64], table: Interned, counts: NDArray[np.int64]) -> None:
    """Adds to the counts, by number, how often each key came; there must be room for all of them."""
    for key in keys:
        counts[intern(table, key)] += 1


BLOCK: Final = 512
"""Rounds played in lockstep: their working arrays stay in the first-level cache."""

FEW: Final = 14
"""Rounds of a block below which those that still draw are each played by themselves, from their first card."""

OVERDRAWN: Final = -2
"""In place of where the next word is: a round asks for more draws than there are."""

_EACH: Final = 64
"""Room of a block beyond its rounds, so that columns of a power of two do not share their lines of the cache."""

Words = NDArray[np.uint64]
Whole = NDArray[np.int64]


@njit(cache=True, nogil=True, inline="always")
def settle(place: Any, amount: Any, groups: int, codes: Interned | None) -> Any:
    """Returns the place after something was settled: a sum, or the number of what was settled so far with this."""
    if codes is None:
        return place + amount
    return place if amount == 0 else intern(codes, place * groups + amount) + 1


@njit(cache=True, nogil=True)
def play_words(
    words: Words,
    pile: Pile,
    supply: int,
    deep: int,
    arrows: Arrows,
    codes: Interned | None,
    small: NDArray[np.unsignedinteger[Any]],
    lockstep: bool,
    played: Whole,
    starts: Whole,
) -> tuple[int, int, int]:
    """Plays rounds on one shoe, each dealt card by card from the next word, until all are played or the words end.

    From every word a round is played as if one began there; then, in the order of the words, those are taken that do
    begin: at no word that was rejected, and at none that a round before has used.

    Args:
        words: The words.
        pile: The shoe, for cards beyond those dealt in lockstep.
        supply: Cards that a round may look at.
        deep: Cards of each round that are dealt in lockstep, at most.
        arrows: Where draws lead.
        codes: What is settled is interned here; none where places are sums.
        small: An empty array of the type of a card.
        lockstep: Whether blocks of rounds are played together.
        played: Overwritten with the places of the joint outcomes.
        starts: Overwritten with the words where the rounds began.

    Returns:
        Rounds played, words used, and OVERDRAWN where the next round asks for more cards than there are.

    Source: docs/byte-consumption-rule.md, version 1, rule 6.
    """
    lanes = Lanes(
        np.zeros(BLOCK, dtype=np.int64),
        np.zeros(BLOCK, dtype=np.int64),
        np.zeros(BLOCK, dtype=np.int64),
        np.zeros(BLOCK, dtype=np.int64),
        np.empty((deep, BLOCK + _EACH), dtype=small.dtype),
        np.empty((deep, BLOCK + _EACH), dtype=small.dtype),
        np.empty(BLOCK, dtype=small.dtype),
        np.empty(BLOCK, dtype=np.uint32),
        np.empty(BLOCK, dtype=np.uint32),
    )
    end, product, threshold = arrows.end, pile.products[0], pile.thresholds[0]
    # A literal would be a type of its own, for which all that is called is compiled once more.
    made = 0
    at: Any = np.int64(0)
    while made < played.size and at < words.size:
        begin = at
        stop = min(at + BLOCK, words.size, at + 2 * (played.size - made) + 16)
        if lockstep:
            _play_block(words, begin, stop - begin, pile, deep, arrows, codes, lanes)
        while made < played.size and at < stop:
            if words[at] * product < threshold:
                at += 1
            elif lockstep and lanes.state[at - begin] == end:
                played[made], starts[made] = lanes.place[at - begin], at
                made += 1
                at = lanes.after[at - begin]
            else:
                ended, after = _play_alone(words, at, pile, supply, arrows, codes)
                if after < 0:
                    return made, at, after
                played[made], starts[made] = ended, at
                made += 1
                at = after
    return made, at, 0


class Lanes(NamedTuple):
    """A block of rounds that are played in lockstep.

    Args:
        state: int64[rounds], row that each is in.
        place: int64[rounds], what each has settled so far.
        live: int64[rounds], the rounds that still draw, packed.
        after: int64[rounds], the word after the last that each has used.
        places: unsigned[deep, rounds], place with which each place of a deck was exchanged.
        left: unsigned[deep, rounds], card that was put there instead.
        cards: unsigned[rounds], the cards of this wave.
        high: uint32[rounds], upper half of what is left of each word.
        low: uint32[rounds], lower half.
    """

    state: Whole
    place: Whole
    live: Whole
    after: Whole
    places: NDArray[np.unsignedinteger[Any]]
    left: NDArray[np.unsignedinteger[Any]]
    cards: NDArray[np.unsignedinteger[Any]]
    high: NDArray[np.uint32]
    low: NDArray[np.uint32]


@called_by_kernels
def _play_block(
    words: Words,
    begin: int,
    count: int,
    pile: Pile,
    deep: int,
    arrows: Arrows,
    codes: Interned | None,
    lanes: Lanes,
) -> None:
    """Plays the rounds that would begin with each of some words, as far as the words go."""
    state, place, live, cards = lanes.state, lanes.place, lanes.live, lanes.cards
    entries, column, end, groups = arrows.entries, arrows.columns[0], arrows.end, arrows.groups
    shift, mask = np.uint64(arrows.shift), np.uint64((1 << arrows.shift) - 1)
    size = pile.cards.size
    split_words(words[begin : begin + count], lanes.high, lanes.low)
    for i in range(count):
        state[i], place[i], live[i], lanes.after[i] = 0, arrows.begun, i, begin + i + 1
    drawing = count
    wave: Any = np.int64(0)
    while drawing > FEW and wave < deep:
        if wave > 0 and pile.products[wave] != 0:
            kept = 0
            for j in range(drawing):
                live[kept] = live[j]
                kept += 1 if _next_word(words, live[j], wave, pile, lanes) else 0
            drawing = kept
        deal_column(size, wave, count, lanes.places, lanes.left, cards, lanes.high, lanes.low)
        if wave + 1 < arrows.fewest:
            for i in range(count):
                entry = np.uint64(entries[state[i] + column[cards[i]]])
                state[i] = np.int64(entry & mask)
                place[i] = settle(place[i], np.int64(entry >> shift), groups, codes)
        else:
            kept = 0
            for j in range(drawing):
                i = live[j]
                entry = np.uint64(entries[state[i] + column[cards[i]]])
                after = np.int64(entry & mask)
                state[i] = after
                place[i] = settle(place[i], np.int64(entry >> shift), groups, codes)
                live[kept] = i
                kept += 1 if after != end else 0
            drawing = kept
        wave += 1


@njit(cache=True, nogil=True, inline="always")
def _next_word(words: Words, lane: int, place: int, pile: Pile, lanes: Lanes) -> bool:
    """Takes the next word that is accepted for the card at a place; tells whether there is one."""
    product, threshold, at = pile.products[place], pile.thresholds[place], lanes.after[lane]
    while at < words.size and words[at] * product < threshold:
        at += 1
    if at >= words.size:
        return False
    word = words[at]
    lanes.high[lane] = np.uint32(word >> np.uint64(32))
    lanes.low[lane] = np.uint32(word)
    lanes.after[lane] = at + 1
    return True


@called_by_kernels
def _play_alone(
    words: Words, at: int, pile: Pile, supply: int, arrows: Arrows, codes: Interned | None
) -> tuple[int, int]:
    """Plays the round that begins at a word; returns its place, and where the next word is or why there is none."""
    entries, column = arrows.entries, arrows.columns[0]
    shift, mask = np.uint64(arrows.shift), np.uint64((1 << arrows.shift) - 1)
    state, place, drawn, rest = np.int64(0), arrows.begun, 0, np.uint64(0)
    while state != arrows.end:
        if drawn == supply:
            put_back(pile, drawn)
            return 0, OVERDRAWN
        card, at, rest = draw_card(pile, words, at, rest, drawn)
        if card == NO_WORD:
            put_back(pile, drawn)
            return 0, NO_WORD
        drawn += 1
        entry = np.uint64(entries[state + column[card]])
        state = np.int64(entry & mask)
        place = settle(place, np.int64(entry >> shift), arrows.groups, codes)
    put_back(pile, drawn)
    return place, at
