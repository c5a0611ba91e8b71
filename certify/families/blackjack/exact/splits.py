"""What a pair is worth when it is split: exactly, where every hand is played by what it holds itself.

Cards that come are exchangeable: what one hand, the dealer and the second cards of other hands are does not depend on
the order in which they are dealt. So second cards may be dealt first. Each ends its hand's chance of being split
again, or is one more of the pair and makes one more hand. Each hand then is one and the same hand, less the cards of
the pair that others hold, while the second cards of some others are known to be none of the pair. That last is taken
out one by one: what holds where a card is none of the pair is what holds where it is any card, less what holds where
it is one. What is left are values of a single hand with so many further cards of the pair gone, and nothing is left
out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Any, Protocol

Value = Any
"""A worth: a fraction, a float, or a row of floats; everything here adds, subtracts and takes shares of them."""

Chance = Callable[[int], Any]
"""Chance that the next card is one of the pair, with so many further ones gone."""


class Convention(StrEnum):
    """By what the hands of a split pair are played; each is exact for what it states."""

    AS_UNSPLIT = "CDZ-"
    """As the same cards would be played had they not come of a split."""
    FIRST = "CDP1"
    """As is best for the first hand, before a further card of the pair is seen."""
    PAIRS = "CDP"
    """As is best with the number of hands that there are."""


@dataclass(frozen=True, slots=True)
class SplitEnding:
    """How splitting may end.

    Args:
        pairs: Further cards of the pair that came, each of which made one more hand.
        closed: Hands with a second card that is none of the pair.
        free: Hands whose second card may be any, for no more hands are allowed.
    """

    pairs: int
    closed: int
    free: int


def endings(most: int) -> Mapping[SplitEnding, int]:
    """Returns how splitting a pair may end, with the number of orders that lead there.

    Args:
        most: Most hands.

    >>> [(one.pairs, one.closed, one.free, orders) for one, orders in endings(3).items()]
    [(1, 0, 3, 1), (1, 1, 2, 1), (0, 2, 0, 1)]
    """
    return Counter(_endings(most, 0, 0, 2))


def _endings(most: int, pairs: int, closed: int, waiting: int) -> Iterator[SplitEnding]:
    if waiting == 0 or pairs + 2 == most:
        yield SplitEnding(pairs, closed, waiting)
        return
    yield from _endings(most, pairs + 1, closed, waiting + 1)
    yield from _endings(most, pairs, closed + 1, waiting - 1)


class OneHand(Protocol):
    """Values of one hand of a split pair under one way of playing, the dealer's hand included."""

    def any_card(self, gone: int) -> Value:
        """Returns what it is worth with so many further cards of the pair gone, whatever its second card is."""
        ...

    def pair(self, gone: int) -> Value:
        """Returns the part of it where the second card is one of the pair."""
        ...


def split_value(most: int, chance: Chance, hand: Callable[[int], OneHand], nothing: Value) -> Value:
    """Returns what a pair is worth that is split, and split again as often as is allowed.

    Args:
        most: Most hands.
        chance: Chance that the next card is one of the pair, with so many further ones gone.
        hand: Values of one hand, as it is played where so many further cards of the pair came.
        nothing: Zero.
    """
    total = nothing
    for ending, orders in endings(most).items():
        reached = nothing + orders
        for gone in range(ending.pairs):
            reached *= chance(gone)
        if not reached:
            continue
        known = Known(chance, hand(ending.pairs))
        worth = nothing
        if ending.closed:
            worth += ending.closed * known.other(ending.pairs, ending.closed - 1)
        if ending.free:
            worth += ending.free * known.any_card(ending.pairs, ending.closed)
        total += reached * worth
    return total


class Known:
    """Values of one hand while second cards of others are known to be none of the pair."""

    def __init__(self, chance: Chance, hand: OneHand) -> None:
        self._chance, self._hand = chance, hand
        self.any_card = cache(self._any_card)
        self.other = cache(self._other)

    def _any_card(self, gone: int, others: int) -> Value:
        if not others:
            return self._hand.any_card(gone)
        return self._less(self.any_card, gone, others)

    def _other(self, gone: int, others: int) -> Value:
        if not others:
            return self._hand.any_card(gone) - self._hand.pair(gone)
        return self._less(self.other, gone, others)

    def _less(self, worth: Callable[[int, int], Value], gone: int, others: int) -> Value:
        fewer, chance = worth(gone, others - 1), self._chance(gone)
        return fewer - chance * worth(gone + 1, others - 1) if chance else fewer
