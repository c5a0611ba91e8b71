"""Compiled play-through of blackjack; its readable twin is the reference round.

Rounds that end with the cards of their first word are played many at a time, all others card by card.

A round is a loop over the hands of the player and then over the cards of the dealer. What follows a card and whether
the dealer draws is looked up in tables made from the reference round; a place that was not computed yet ends
the loop, which begins that round again. How a round ended is one key: how each hand ended, the open card, how the
dealer's hand ended, insurance, and the ends of the side bets.
"""

from typing import Any, Final, NamedTuple

import numpy as np
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
from certify.kernels import njit
from rng.kernels import called_by_kernels
from rng.lazy_kernels import NO_WORD, Pile, deal_column, draw_card, new_pile, put_back, split_words
from rng.shuffle import bound_groups

OVERDRAWN: Final = -2
"""In place of a card: a round asks for more cards than there are."""

MISSING: Final = -3
"""In place of a key: the reference round must compute what follows, and the round has to begin again."""

BLOCK: Final = 512
"""Rounds that are played in lockstep: their working arrays stay in the first-level cache."""

_MOST_HANDS: Final = 8
_LIVE: Final = 22
"""Ends below this are totals, held against the dealer's."""


Whole = NDArray[np.int64]


class CardSource(NamedTuple):
    """Where the cards of a round come from, and what is kept of it.

    Args:
        rows: int64[rounds, cards], rows of items; empty where cards are drawn.
        block: uint16[3, cards, rounds], the cards that each word of a block gives, and what deals them.
        halves: uint32[2, rounds], upper and lower half of what is left of each of these words.
        pile: What all others are drawn from; a pile of its own for one loop.
        words: By what they are drawn.
        at: int64[4], where the next word is, the place of the next card, and where the block begins and ends.
        rest: uint64[1], what is left of the last word.
        lanes: int64[5, rounds], of each round of the block its hand, cards, dealer's hand, a list, and its key.
        hands: int64[2, 8], first cards of hands that wait, and how hands ended.
        missing: int64[3], what the reference round must compute.
    """

    rows: Whole
    block: NDArray[np.uint16]
    halves: NDArray[np.uint32]
    pile: Pile
    words: NDArray[np.uint64]
    at: Whole
    rest: NDArray[np.uint64]
    lanes: Whole
    hands: Whole
    missing: Whole


def source_of(rows: Whole, words: NDArray[np.uint64], cards: int) -> CardSource:
    """Returns a source of rows, or of cards drawn by words."""
    return CardSource(
        rows,
        # Columns of a power of two would share their lines of the cache.
        np.zeros((3, len(bound_groups(cards)[0]), BLOCK + 64), dtype=np.uint16),
        np.zeros((2, BLOCK), dtype=np.uint32),
        new_pile(cards),
        words,
        at=np.zeros(4, np.int64),
        rest=np.zeros(1, np.uint64),
        lanes=np.zeros((5, BLOCK), np.int64),
        hands=np.zeros((2, _MOST_HANDS), np.int64),
        missing=np.zeros(3, np.int64),
    )


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
            # In rising order: which hand was played first settles nothing, and fewer keys are found.
            at = count
            while at > 0 and ended[at - 1] > SPLIT - 1 - then:
                ended[at] = ended[at - 1]
                at -= 1
            ended[at] = SPLIT - 1 - then
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
    key = np.int64(0)
    for number in range(count):
        key = key * ENDS + ended[number] + 1
    return _keyed(tables, (key * VALUES + up) * 2 + begun[2], bank, first, second, open_card)


@called_by_kernels
def _play_block(tables: Tables, source: CardSource) -> None:
    """Deals and plays the rounds that would begin with each word of a block, as far as the cards of that word go.

    Each wave gives one card to every round that still draws, and their list is packed without a branch: nothing
    depends on guessing how long a round will be. A key below nought marks a round that needs more cards, is split, or
    comes to what the reference round must compute.
    """
    value, column, draws, hole = tables.value, tables.column, tables.draws, tables.numbers[HOLE]
    state, place, bank, live, keys = (
        source.lanes[0],
        source.lanes[1],
        source.lanes[2],
        source.lanes[3],
        source.lanes[4],
    )
    cards, places, left = source.block[0], source.block[1], source.block[2]
    high, low, drawing = source.halves[0], source.halves[1], 0
    split_words(source.words[source.at[2] : source.at[3]], high, low)
    count = source.at[3] - source.at[2]
    for dealt in range(len(cards)):
        deal_column(source.pile.cards.size, dealt, count, places, left, cards[dealt], high, low)
    for i in range(count):
        up = np.int64(value[cards[1, i]])
        bank[i] = tables.bank[0, up]
        if hole:
            bank[i] = tables.bank[bank[i], value[cards[3, i]]]
        one, two = column[cards[0, i]], column[cards[2, i]]
        seen = tables.looks[up] & (tables.ends[bank[i]] == DEALER_NATURAL)
        state[i], place[i] = tables.first[up, one, two, seen], 3 + hole
        keys[i] = 2 * up + tables.first[up, one, two, 2]
        live[drawing] = i
        drawing += state[i] >= 0
    for at in range(3 + hole, len(cards)):
        kept = 0
        for j in range(drawing):
            i = live[j]
            state[i] = tables.follow[state[i], column[cards[at, i]]]
            place[i] = at + 1
            live[kept] = i
            kept += state[i] >= 0
        drawing = kept
    drawing = 0
    for i in range(count):
        live[drawing] = i
        drawing += draws[_beats(state[i]), bank[i]] & (UNKNOWN < state[i] < SPLIT)
    while drawing > 0:
        kept = 0
        for j in range(drawing):
            i = live[j]
            fits = place[i] < len(cards)
            bank[i] = tables.bank[bank[i], value[cards[min(place[i], len(cards) - 1), i]]]
            place[i] += 1
            live[kept] = i
            kept += draws[_beats(state[i]), bank[i]] & fits
            state[i] = state[i] if fits else SPLIT
        drawing = kept
    for i in range(count):
        ended = UNKNOWN < state[i] < SPLIT
        key = (SPLIT - state[i]) * VALUES * 2 + keys[i]
        keys[i] = _keyed(tables, key, bank[i], cards[0, i], cards[2, i], cards[1, i]) if ended else MISSING


@njit(cache=True, nogil=True, inline="always")
def _beats(state: Any) -> Any:
    """Returns whether a hand that ended so is held against the dealer's."""
    return np.int64(SPLIT - 1 - state < 2 * _LIVE)


@called_by_kernels
def _keyed(tables: Tables, key: Any, bank: Any, first: Any, second: Any, open_card: Any) -> Any:
    """Returns the key of a round by what the player's hands, the open card and insurance have come to."""
    end = np.int64(tables.ends[bank])
    key = key // 2 * (2 * DEALER_ENDS) + 2 * end + key % 2
    if tables.numbers[SIDES] > 1:
        cell = np.int64(0)
        for card in (first, second, open_card):
            cell = 52 * cell + 4 * np.int64(tables.rank[card]) + tables.suit[card]
        key = key * tables.numbers[SIDES] + tables.sides[1 if end == DEALER_NATURAL else 0, cell]
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
    words, pile, drawn = source.words, source.pile, source.rows.size == 0
    # A word of a shoe of more than two hundred decks gives fewer cards than are dealt at first.
    blocks = drawn and 3 < source.block.shape[1] <= tables.numbers[SUPPLY]
    while made < keys.size:
        key: Any = np.int64(MISSING)
        if blocks and at < words.size:
            if at >= source.at[3]:
                source.at[2], source.at[3] = at, min(at + BLOCK, words.size, at + 2 * (keys.size - made) + 16)
                _play_block(tables, source)
            if words[at] * pile.products[0] >= pile.thresholds[0]:
                key, source.at[0] = source.lanes[4, at - source.at[2]], at + 1
        if key < 0:
            source.at[0], source.at[1] = at, 0
            key = _round(tables, source, made)
            if drawn:
                put_back(pile, source.at[1])
        if key < 0:
            return made, at, key
        keys[made], starts[made] = key, at
        made, at = made + 1, source.at[0]
    return made, at, 0
