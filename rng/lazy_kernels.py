"""The compiled twins of `rng.lazy`, for loops over many rounds; compared with it card by card.

A compiled loop draws in one of two ways. `draw_card` deals one card after the other from a kept pile
that `put_back` restores. `first_cards` deals the first cards of a round from every word at once, as if
a round began there, in a form that the compiler turns into vector instructions; the loop then settles
which words begin a round.
"""

from functools import lru_cache
from math import prod
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from rng.errors import RangeError
from rng.kernels import multiply_high
from rng.shuffle import bound_groups

NO_WORD = -1
"""In place of a card: the words have ended, and the round has to begin again with more of them."""


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
        RangeError: a deck of more than 256 cards, whose first cards are drawn one by one.
    """
    if not 2 <= cards <= 256:
        raise RangeError(f"first cards of a deck of {cards} in columns: 2 to 256 cards expected")
    group = bound_groups(cards)[0]
    return len(group), np.uint64(prod(group)), np.uint64((1 << 64) % prod(group))


@njit(cache=True, nogil=True)
def first_cards(
    words: NDArray[np.uint64],
    size: int,
    columns: NDArray[np.uint8],
    places: NDArray[np.uint8],
    left: NDArray[np.uint8],
    high: NDArray[np.uint32],
    low: NDArray[np.uint32],
) -> None:
    """From each word the first cards of the round that would begin with it, if the word is accepted.

    Args:
        words: so many words as the arrays have columns, or fewer.
        size: cards in the deck, at most 256.
        columns: shape (cards wanted or more, words): `columns[i, w]` becomes card i from word w.
        places: working array of shape (cards wanted, words): with which place each place was exchanged.
            No more cards may be wanted than the first word of a round gives.
        left: working array of the same shape: the card that was put there instead.
        high: working array of as many words: upper half of what is left of each word.
        low: working array of as many words: lower half.
    """
    half = np.uint64(32)
    count = words.size
    for w in range(count):
        high[w] = np.uint32(words[w] >> half)
        low[w] = np.uint32(words[w])
    for i in range(places.shape[0]):
        bound = np.uint64(size - i)
        own = np.uint8(i)
        # The product of 128 bits by two of 64, of which the processor makes several at once.
        for w in range(count):
            lower = np.uint64(low[w]) * bound
            upper = np.uint64(high[w]) * bound + (lower >> half)
            low[w] = np.uint32(lower)
            high[w] = np.uint32(upper)
            place = np.uint8(np.uint8(upper >> half) + own)
            places[i, w] = place
            columns[i, w] = place
            left[i, w] = own
        # What lies at a place is what the last exchange put there. Everything is loaded before it is
        # compared, or else the compiler would make branches of it.
        for m in range(i):
            for w in range(count):
                there, put = places[m, w], left[m, w]
                place, card, moved = places[i, w], columns[i, w], left[i, w]
                columns[i, w] = put if there == place else card
                left[i, w] = put if there == own else moved
