"""Compiled play-through of blackjack, round by round, card by card; its readable twin is the reference round.

A round is a loop over the hands of the player and then over the cards of the dealer. What follows a card and whether
the dealer draws is looked up in tables made from the reference round; a place that was not computed yet ends
the loop, which begins that round again. How a round ended is one key: how each hand ended, the open card, how the
dealer's hand ended, insurance, and the ends of the side bets.
"""

from typing import Any, Final, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from certify.families.blackjack.side_bets import VALUES
from certify.families.blackjack.volume.tables import (
    DEALER_ENDS,
    DEALER_NATURAL,
    ENDS,
    HOLE,
    SIDES,
    SPLIT,
    SUPPLY,
    UNKNOWN,
    Tables,
)
from rng.kernels import called_by_kernels
from rng.lazy_kernels import NO_WORD, Pile, draw_card, new_pile, put_back

OVERDRAWN: Final = -2
"""In place of a card: a round asks for more cards than there are."""

MISSING: Final = -3
"""In place of a key: the reference round must compute what follows, and the round has to begin again."""

_MOST_HANDS: Final = 8
_LIVE: Final = 22
"""Ends below this are totals, held against the dealer's."""


Whole = NDArray[np.int64]


class CardSource(NamedTuple):
    """Where the cards of a round come from, and what is kept of it.

    Args:
        rows: int64[rounds, cards], rows of items; empty where cards are drawn.
        pile: What they are drawn from; a pile of its own for one loop.
        words: By what they are drawn.
        at: int64[2], where the next word is, and the place of the next card.
        rest: uint64[1], what is left of the last word.
        hands: int64[2, 8], first cards of hands that wait, and how hands ended.
        missing: int64[3], what the reference round must compute.
    """

    rows: Whole
    pile: Pile
    words: NDArray[np.uint64]
    at: Whole
    rest: NDArray[np.uint64]
    hands: Whole
    missing: Whole


def source_of(rows: Whole, words: NDArray[np.uint64], cards: int) -> CardSource:
    """Returns a source of rows, or of cards drawn by words."""
    hands, rest = np.zeros((2, _MOST_HANDS), dtype=np.int64), np.zeros(1, dtype=np.uint64)
    return CardSource(rows, new_pile(cards), words, np.zeros(2, np.int64), rest, hands, np.zeros(3, np.int64))


@called_by_kernels
def _card(source: CardSource, made: int, supply: int) -> Any:
    """Returns the next card of a round, or why there is none."""
    place = source.at[1]
    if place == supply:
        return OVERDRAWN
    source.at[1] = place + 1
    if source.rows.size:
        return source.rows[made, place]
    card, after, rest = draw_card(source.pile, source.words, source.at[0], source.rest[0], place)
    source.at[0], source.rest[0] = after, rest
    if card == NO_WORD:
        source.at[1] = place
    return card


@called_by_kernels
def _hands(tables: Tables, source: CardSource, made: int, up: Any, first: Any, second: Any, then: Any) -> Any:
    """Plays the hands of the player; returns how many there are, or why the round does not go on."""
    waiting, ended = source.hands[0], source.hands[1]
    one, other, count, left = first, second, 0, 0
    while True:
        while then >= 0:
            other = _card(source, made, tables.numbers[SUPPLY])
            if other < 0:
                return other
            column = np.int64(tables.column[other])
            after = np.int64(tables.follow[then, column])
            if after == UNKNOWN:
                source.missing[0], source.missing[1], source.missing[2] = then, column, -1
                return MISSING
            then = after
        if then == SPLIT:
            waiting[left] = other
            left += 1
        else:
            ended[count] = SPLIT - 1 - then
            count += 1
            if left == 0:
                return count
            left -= 1
            one = waiting[left]
        then = np.int64(tables.starts[up, tables.column[one], count + 1 + left])


@called_by_kernels
def _round(tables: Tables, source: CardSource, made: int) -> Any:
    """Plays a round; returns the key of its end, or why it does not end."""
    numbers, value, column = tables.numbers, tables.value, tables.column
    first = _card(source, made, numbers[SUPPLY])
    open_card = _card(source, made, numbers[SUPPLY])
    second = _card(source, made, numbers[SUPPLY])
    hidden = _card(source, made, numbers[SUPPLY]) if numbers[HOLE] else second
    if first < 0 or open_card < 0 or second < 0 or hidden < 0:
        return min(first, open_card, second, hidden)
    up, one, two = np.int64(value[open_card]), np.int64(column[first]), np.int64(column[second])
    bank = tables.bank[0, up]
    if numbers[HOLE]:
        bank = tables.bank[bank, value[hidden]]
    begun = tables.first[up, one, two]
    if begun[0] == UNKNOWN:
        source.missing[0], source.missing[1], source.missing[2] = up, one, two
        return MISSING
    seen = tables.looks[up] != 0 and tables.ends[bank] == DEALER_NATURAL
    count = _hands(tables, source, made, up, first, second, np.int64(begun[1] if seen else begun[0]))
    if count < 0:
        return count
    ended, live = source.hands[1], 0
    for number in range(count):
        if ended[number] < 2 * _LIVE:
            live = 1
    while tables.draws[live, bank] != 0:
        card = _card(source, made, numbers[SUPPLY])
        if card < 0:
            return card
        bank = tables.bank[bank, value[card]]
    end = np.int64(tables.ends[bank])
    key = np.int64(0)
    for number in range(count):
        key = key * ENDS + ended[number] + 1
    key = ((key * VALUES + up) * DEALER_ENDS + end) * 2 + begun[2]
    if numbers[SIDES] > 1:
        cell = np.int64(0)
        for card in (first, second, open_card):
            cell = 52 * cell + 4 * np.int64(tables.rank[card]) + tables.suit[card]
        key = key * numbers[SIDES] + tables.sides[1 if end == DEALER_NATURAL else 0, cell]
    return key


@njit(cache=True, nogil=True)
def play(
    tables: Tables, source: CardSource, made: int, at: int, keys: Whole, starts: Whole
) -> tuple[int, int, int]:
    """Plays rounds until all are played, or one does not end.

    Args:
        tables: The game under a strategy, made by ``tables.FilledTables``.
        source: Where the cards come from.
        made: How many rounds were played.
        at: The word with which the next one begins.
        keys: Overwritten with how each round ended.
        starts: Overwritten with the word with which it began.

    Returns:
        How many rounds were played, where the next one begins, and why it does not end: NO_WORD, OVERDRAWN, MISSING,
        0 if all were played.
    """
    while made < keys.size:
        source.at[0], source.at[1] = at, 0
        key = _round(tables, source, made)
        if source.rows.size == 0:
            put_back(source.pile, source.at[1])
        if key < 0:
            return made, at, key
        keys[made], starts[made] = key, at
        made, at = made + 1, source.at[0]
    return made, at, 0
