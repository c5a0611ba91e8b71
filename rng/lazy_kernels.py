"""A deck dealt card by card, as a round takes its cards, and its compiled twins, compared with it card by card.

A compiled loop draws in one of two ways. `draw_card` deals one card after the other from a kept pile
that `put_back` restores. `deal_column` deals the card at one place of many decks at once, in a form that
the compiler turns into vector instructions; `deal_rows` deals the first cards of whole decks by it.

The cards are those that a full shuffle would have put first. So a round that was dealt lazily is a
round on a whole deck: on the one that `rng.shuffle.shuffle` deals from the word where the round began.

Source: docs/byte-consumption-rule.md, version 1, rule 6.
"""

from collections.abc import Iterator, Sequence
from math import prod
from typing import Final, NamedTuple, overload

import numpy as np
from numba import njit
from numpy.typing import NDArray

from rng.errors import RangeError
from rng.kernels import multiply_high
from rng.shuffle import bound_groups
from rng.uniform import Words, together_below


class LazyDeck(Sequence[int]):
    """The cards 0 to n - 1 in a shuffled order; a card is drawn when it is first looked at.

    >>> from rng.shuffle import shuffle
    >>> from io import BytesIO
    >>> from rng.words import WordSource
    >>> lazy, whole = (WordSource(BytesIO(bytes(range(64))).readinto) for _ in range(2))
    >>> LazyDeck(lazy, 40)[:3] == list(shuffle(whole, 40)[:3])
    True
    >>> lazy.drawn, whole.drawn
    (1, 3)

    Args:
        source: the words to draw from; nothing else may be drawn from it before the round is over.
        cards: cards in the deck, 1 to 65,536.

    Raises:
        RangeError: the number of cards is out of range.
    """

    __slots__ = ("_cards", "_groups", "_moved", "_source", "dealt")

    def __init__(self, source: Words, cards: int) -> None:
        if type(cards) is not int or not 1 <= cards <= 1 << 16:
            raise RangeError(f"deck of {cards!r} cards: an integer from 1 to 65536 expected")
        self._source = source
        self._cards = cards
        self._groups: Iterator[tuple[int, ...]] = iter(bound_groups(cards))
        self._moved: dict[int, int] = {}
        self.dealt: list[int] = []
        """The cards drawn so far; whole groups are drawn at once."""

    def __len__(self) -> int:
        return self._cards

    @overload
    def __getitem__(self, place: int) -> int: ...

    @overload
    def __getitem__(self, place: slice) -> list[int]: ...

    def __getitem__(self, place: int | slice) -> int | list[int]:
        wanted = range(self._cards)[place]
        if isinstance(wanted, range):
            return [self[i] for i in wanted]
        while len(self.dealt) <= wanted:
            self._draw_group()
        return self.dealt[wanted]

    def _draw_group(self) -> None:
        group = next(self._groups, None)
        if group is None:  # the last card is the one that is left
            last = self._cards - 1
            self.dealt.append(self._moved.get(last, last))
            return
        for number in together_below(self._source, group):
            position = len(self.dealt)
            other = position + number
            self.dealt.append(self._moved.get(other, other))
            self._moved[other] = self._moved.get(position, position)


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
    # What is at a place is what the last exchange put there. Everything is loaded before it is
    # compared, or else the compiler would make branches of it.
    for m in range(place):
        before, put = places[m], left[m]
        for w in range(count):
            exchanged, moved = before[w], put[w]
            card, kept, at = cards[w], there[w], here[w]
            cards[w] = moved if exchanged == at else card
            there[w] = moved if exchanged == mine else kept


_ROWS: Final = 256
"""Rows dealt at once: their columns stay in the first-level cache."""


@njit(cache=True, nogil=True)
def deal_rows(
    words: NDArray[np.uint64],
    rows: NDArray[np.unsignedinteger],
    size: int,
    group_of: NDArray[np.int64],
    products: NDArray[np.uint64],
    thresholds: NDArray[np.uint64],
) -> tuple[int, int]:
    """Deal the first cards of decks, a deck a row, the same place of many at once, until all are dealt or words end.

    Args:
        words: the words to draw from, in order; at least one.
        rows: shape (decks, columns), overwritten; fewer columns than cards, and a type that holds every card.
        size: cards in a deck.
        group_of: which word of a deck gives the card of each column.
        products: for each word of a deck the product of the bounds drawn from it.
        thresholds: 2^64 modulo that product.

    Returns:
        The rows completed and the words that these used.
    """
    # Columns of a power of two would share their lines of the cache.
    places = np.empty((rows.shape[1], _ROWS + 64), dtype=rows.dtype)
    left, cards = np.empty_like(places), np.empty(_ROWS, dtype=rows.dtype)
    high = np.empty((products.size, _ROWS), dtype=np.uint32)
    low = np.empty_like(high)
    made, used, count = 0, 0, 1
    while count > 0:
        count, at = 0, used
        # A row that the words do not complete leaves none for those after it.
        for row in range(min(_ROWS, rows.shape[0] - made)):
            for group in range(products.size):
                while at < words.size and words[at] * products[group] < thresholds[group]:
                    at += 1
                word = words[min(at, words.size - 1)]
                high[group, row], low[group, row] = np.uint32(word >> np.uint64(32)), np.uint32(word)
                at += 1
            if at <= words.size:
                used, count = at, row + 1
        for place in range(rows.shape[1]):
            group = group_of[place]
            deal_column(size, place, count, places, left, cards, high[group], low[group])
            for row in range(count):
                rows[made + row, place] = cards[row]
        made += count
    return made, used
