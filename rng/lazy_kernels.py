"""The compiled twins of `rng.lazy`, for loops over many rounds; compared with it card by card.

A compiled loop draws in one of two ways. `draw_card` deals one card after the other from a kept pile
that `put_back` restores. `first_columns` deals the first cards of a round from every word at once, as if
a round began there, in a form that the compiler turns into vector instructions; the loop then settles
which words begin a round.
"""

from functools import lru_cache
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from rng.errors import RangeError
from rng.kernels import called_by_kernels, multiply_high
from rng.shuffle import bound_groups

NO_WORD = -1
"""In place of a card: the words have ended, and the round has to begin again with more of them."""

MORE_CARDS = 255
"""The outcome of a round that wants more cards than it was given."""

NO_CARD = 255
"""What lies after the last card of each round."""

BLOCK = 512
"""Words treated together: the working arrays stay in the first-level cache."""


class Pile(NamedTuple):
    """A kept pile of cards in the order of their ids, and where its words are taken.

    Args:
        cards: int64[n], the pile; in the order of the ids between rounds.
        others: int64[n], with which place each place was exchanged.
        products: uint64[n], at a place where a word is taken the product of the bounds drawn from it,
            elsewhere 0.
        thresholds: uint64[n], 2^64 modulo that product.
    """

    cards: NDArray[np.int64]
    others: NDArray[np.int64]
    products: NDArray[np.uint64]
    thresholds: NDArray[np.uint64]


def new_pile(cards: int) -> Pile:
    """A pile of its own for one loop; piles are never shared between threads."""
    products, thresholds = np.zeros(cards, dtype=np.uint64), np.zeros(cards, dtype=np.uint64)
    place = 0
    for group in bound_groups(cards):
        products[place] = prod(group)
        thresholds[place] = (1 << 64) % prod(group)
        place += len(group)
    return Pile(np.arange(cards), np.zeros(cards, dtype=np.int64), products, thresholds)


@njit(cache=True, nogil=True)
def draw_card(
    pile: Pile, words: NDArray[np.uint64], at: int, rest: np.uint64, place: int
) -> tuple[int, int, np.uint64]:
    """Draw the card at a place of the deck; the places 0, 1, 2, … are drawn in this order.

    Args:
        pile: the kept pile.
        words: the words to draw from.
        at: where the next word is.
        rest: what the last card drawn in this round returned; anything for the first one.
        place: place of the card in the deck, from 0.

    Returns:
        The card or NO_WORD, where the next word is, and what to pass on for the next card.
    """
    product = pile.products[place]
    if product != 0:
        accepted = False
        while not accepted:
            if at >= words.size:
                return NO_WORD, at, rest
            rest = words[at]
            at += 1
            accepted = rest * product >= pile.thresholds[place]
    bound = np.uint64(pile.cards.size - place)
    # The last place has no choice left, and no word.
    other = place + np.int64(multiply_high(rest, bound)) if bound > 1 else place
    rest = rest * bound
    card = pile.cards[other]
    pile.cards[other] = pile.cards[place]
    pile.cards[place] = card
    pile.others[place] = other
    return card, at, rest


@njit(cache=True, nogil=True)
def put_back(pile: Pile, drawn: int) -> None:
    """Restore the order of the ids after a round that drew so many cards."""
    for place in range(drawn - 1, -1, -1):
        other = pile.others[place]
        card = pile.cards[place]
        pile.cards[place] = pile.cards[other]
        pile.cards[other] = card


@lru_cache(maxsize=64)
def first_group(cards: int) -> tuple[int, np.uint64, np.uint64]:
    """How many cards the first word of a round gives, the product of their bounds, and its threshold.

    Raises:
        RangeError: a deck of more than 254 cards, whose cards are drawn one by one.
    """
    if not 2 <= cards < NO_CARD:
        raise RangeError(f"first cards of a deck of {cards} in columns: 2 to {NO_CARD - 1} cards expected")
    group = bound_groups(cards)[0]
    return len(group), np.uint64(prod(group)), np.uint64((1 << 64) % prod(group))


@njit(cache=True, nogil=True)
def first_columns(words: NDArray[np.uint64], size: int, few: int) -> NDArray[np.uint8]:
    """From each word the first few cards of the round that would begin with it, if the word is accepted.

    Args:
        words: the words.
        size: cards in the deck, at most 254.
        few: cards wanted, at most as many as the first word of a round gives.

    Returns:
        Shape (few + 1, words): card i in row i, and NO_CARD in the last row.
    """
    columns = np.empty((few + 1, words.size), dtype=np.uint8)
    cards = np.empty((few, BLOCK), dtype=np.uint8)
    places = np.empty((few, BLOCK), dtype=np.uint8)  # with which place each place was exchanged
    left = np.empty((few, BLOCK), dtype=np.uint8)  # the card that was put there instead
    high = np.empty(BLOCK, dtype=np.uint32)  # upper half of what is left of each word
    low = np.empty(BLOCK, dtype=np.uint32)  # lower half
    for start in range(0, words.size, BLOCK):
        piece = words[start : start + BLOCK]
        _draw_places(piece, size, places, high, low)
        _exchange(piece.size, places, left, cards)
        for i in range(few):
            for w in range(piece.size):
                columns[i, start + w] = cards[i, w]
    columns[few] = NO_CARD
    return columns


@called_by_kernels
def _draw_places(
    words: NDArray[np.uint64],
    size: int,
    places: NDArray[np.uint8],
    high: NDArray[np.uint32],
    low: NDArray[np.uint32],
) -> None:
    half = np.uint64(32)
    for w in range(words.size):
        high[w] = np.uint32(words[w] >> half)
        low[w] = np.uint32(words[w])
    for i in range(places.shape[0]):
        bound = np.uint64(size - i)
        own = np.uint8(i)
        # The product of 128 bits by two of 64, of which the processor makes several at once.
        for w in range(words.size):
            lower = np.uint64(low[w]) * bound
            upper = np.uint64(high[w]) * bound + (lower >> half)
            low[w] = np.uint32(lower)
            high[w] = np.uint32(upper)
            places[i, w] = np.uint8(np.uint8(upper >> half) + own)


@called_by_kernels
def _exchange(
    count: int, places: NDArray[np.uint8], left: NDArray[np.uint8], cards: NDArray[np.uint8]
) -> None:
    for i in range(places.shape[0]):
        own = np.uint8(i)
        for w in range(count):
            cards[i, w] = places[i, w]
            left[i, w] = own
        # What lies at a place is what the last exchange put there. Everything is loaded before it is
        # compared, or else the compiler would make branches of it.
        for m in range(i):
            for w in range(count):
                there, put = places[m, w], left[m, w]
                place, card, moved = places[i, w], cards[i, w], left[i, w]
                cards[i, w] = put if there == place else card
                left[i, w] = put if there == own else moved


@njit(cache=True, nogil=True, inline="always")
def split_words(words: NDArray[np.uint64], high: NDArray[np.uint32], low: NDArray[np.uint32]) -> None:
    """The upper and lower half of each word, of which `deal_column` takes the cards one by one."""
    half = np.uint64(32)
    for w in range(words.size):
        high[w] = np.uint32(words[w] >> half)
        low[w] = np.uint32(words[w])


@njit(cache=True, nogil=True)
def deal_column(
    size: int,
    place: int,
    count: int,
    places: NDArray[np.unsignedinteger],
    left: NDArray[np.unsignedinteger],
    cards: NDArray[np.unsignedinteger],
    high: NDArray[np.uint32],
    low: NDArray[np.uint32],
) -> None:
    """Deal the card at a place of each of many decks, the places 0, 1, 2, … in this order, one word a deck.

    Args:
        size: cards in a deck; they fit into the type of `places`.
        place: place of the card, below the cards that a word gives.
        count: decks.
        places: overwritten at this place, with which place it was exchanged.
        left: overwritten at this place, the card that was put there instead.
        cards: overwritten with the cards.
        high: upper half of what is left of each word.
        low: lower half.
    """
    half = np.uint64(32)
    bound = np.uint64(size - place)
    own = np.uint64(place)
    here, there = places[place], left[place]
    # The product of 128 bits by two of 64, of which the processor makes several at once.
    for w in range(count):
        lower = np.uint64(low[w]) * bound
        upper = np.uint64(high[w]) * bound + (lower >> half)
        low[w] = np.uint32(lower)
        high[w] = np.uint32(upper)
        here[w] = (upper >> half) + own
    for w in range(count):
        cards[w] = here[w]
        there[w] = own
    mine = there[0]
    # What lies at a place is what the last exchange put there. Everything is loaded before it is
    # compared, or else the compiler would make branches of it.
    for m in range(place):
        before, put = places[m], left[m]
        for w in range(count):
            exchanged, moved = before[w], put[w]
            card, kept, at = cards[w], there[w], here[w]
            cards[w] = moved if exchanged == at else card
            there[w] = moved if exchanged == mine else kept


@njit(cache=True, nogil=True)
def deal_lane(
    size: int,
    place: int,
    lane: int,
    places: NDArray[np.unsignedinteger],
    left: NDArray[np.unsignedinteger],
    high: NDArray[np.uint32],
    low: NDArray[np.uint32],
) -> np.int64:
    """Deal the card at a place of one of many decks, as `deal_column` does for all of them."""
    half = np.uint64(32)
    bound = np.uint64(size - place)
    lower = np.uint64(low[lane]) * bound
    upper = np.uint64(high[lane]) * bound + (lower >> half)
    low[lane] = np.uint32(lower)
    high[lane] = np.uint32(upper)
    at = np.int64(upper >> half) + place
    card, kept = at, np.int64(place)
    for m in range(place):
        exchanged, moved = np.int64(places[m, lane]), np.int64(left[m, lane])
        card = moved if exchanged == at else card
        kept = moved if exchanged == place else kept
    places[place, lane] = at
    left[place, lane] = kept
    return card


@njit(cache=True, nogil=True)
def wanting(outcomes: NDArray[np.uint8]) -> NDArray[np.int64]:
    """The rounds that want more cards, in order."""
    found = np.empty(outcomes.size, dtype=np.int64)
    count = 0
    for index in range(outcomes.size):
        found[count] = index
        count += 1 if outcomes[index] == MORE_CARDS else 0
    return found[:count]


@njit(cache=True, nogil=True)
def tally(outcomes: NDArray[np.integer[Any]], counts: NDArray[np.int64]) -> None:
    """Add to the counts how often each outcome occurred."""
    # Two counters by turns, so that equal outcomes in a row do not wait for each other.
    second = np.zeros_like(counts)
    even = outcomes.size - outcomes.size % 2
    for index in range(0, even, 2):
        counts[outcomes[index]] += 1
        second[outcomes[index + 1]] += 1
    if even < outcomes.size:
        counts[outcomes[even]] += 1
    counts += second


@njit(cache=True, nogil=True)
def begun_rounds(
    words: NDArray[np.uint64],
    place: int,
    outcomes: NDArray[np.uint8],
    product: np.uint64,
    threshold: np.uint64,
    played: NDArray[np.uint8],
    starts: NDArray[np.int64],
    made: int,
) -> tuple[int, int, bool]:
    """Take the rounds that begin, until all are played, the words end or a round wants a further word.

    Args:
        words: the words.
        place: where the next round may begin.
        outcomes: the outcome of the round that each word would begin, MORE_CARDS where it wants a further one.
        product: product of the bounds drawn from the first word.
        threshold: 2^64 modulo that product.
        played: overwritten with the outcomes of the rounds.
        starts: overwritten with their first words.
        made: rounds taken before.

    Returns:
        Rounds taken, where the next one may begin, and whether it is one that wants a further word.
    """
    while made < played.size and place < words.size:
        if words[place] * product >= threshold:
            outcome = outcomes[place]
            if outcome == MORE_CARDS:
                return made, place, True
            played[made] = outcome
            starts[made] = place
            made += 1
        place += 1
    return made, place, False


@njit(cache=True, nogil=True)
def deal_from(pile: Pile, words: NDArray[np.uint64], at: int, wanted: int) -> tuple[NDArray[np.uint8], int]:
    """Deal so many cards from the word at a place on.

    Returns:
        Shape (wanted + 1, 1): the cards and NO_CARD; and where the next word is, NO_WORD if the words ended.
    """
    column = np.full((wanted + 1, 1), NO_CARD, dtype=np.uint8)
    rest = np.uint64(0)
    for place in range(wanted):
        card, at, rest = draw_card(pile, words, at, rest, place)
        if card == NO_WORD:
            put_back(pile, place)
            return column, NO_WORD
        column[place, 0] = card
    put_back(pile, wanted)
    return column, at


@njit(cache=True, nogil=True)
def deal_whole(pile: Pile, words: NDArray[np.uint64], at: int, dealt: NDArray[np.int64]) -> int:
    """Deal a whole deck of any size from the word at a place on, overwriting what was dealt before.

    Returns:
        Where the next word is, NO_WORD if the words ended.
    """
    rest = np.uint64(0)
    for place in range(dealt.size):
        card, at, rest = draw_card(pile, words, at, rest, place)
        if card == NO_WORD:
            put_back(pile, place)
            return NO_WORD
        dealt[place] = card
    put_back(pile, dealt.size)
    return at
