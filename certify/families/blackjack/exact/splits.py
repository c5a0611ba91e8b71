"""What a pair is worth that is split, from values of one hand alone.

Cards that come are exchangeable. What one hand, the dealer and the second cards of other hands
are does not depend on the order in which they are dealt. So second cards may be dealt first. Each ends its hand's
chance of being split again, or is one more of the pair and makes one more hand. Each hand then is one and the same
hand, less the cards of the pair that others hold, while the second cards of some others are known to be none of the
pair. That last is taken out one by one: what holds where a card is none of the pair is what holds where it is any
card, less what holds where it is one. What is left are values of a single hand with so many further cards of the pair
gone, and nothing is left out.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Any

Value = Any
"""A worth: a fraction or a float; everything here adds, subtracts and takes shares of them."""

Chance = Callable[[int], Any]
"""Chance that the next card is one of the pair, with so many further ones gone."""

OneHand = Callable[[int, int], Value]
"""Worth of one hand as it is played where so many further cards of the pair came, with so many of them gone."""


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


def split_value(most: int, chance: Chance, free: OneHand, closed: OneHand) -> Value:
    """Returns what a pair is worth that is split, and split again as often as is allowed.

    Args:
        most: Most hands.
        chance: Chance that the next card is one of the pair, with so many further ones gone.
        free: What one hand is worth whatever its second card is.
        closed: The part of it where the second card is none of the pair.
    """
    total: Value = 0
    for ending, orders in endings(most).items():
        came = ending.pairs
        reached = orders * prod(map(chance, range(came)))
        worth: Value = 0
        if reached and ending.closed:
            worth += ending.closed * _known(partial(closed, came), chance, came, ending.closed - 1)
        if reached and ending.free:
            worth += ending.free * _known(partial(free, came), chance, came, ending.closed)
        total += reached * worth
    return total


def _known(hand: Callable[[int], Value], chance: Chance, gone: int, others: int) -> Value:
    """Returns what one hand is worth while second cards of so many others are known to be none of the pair."""
    if not others:
        return hand(gone)
    fewer, share = _known(hand, chance, gone, others - 1), chance(gone)
    return fewer - share * _known(hand, chance, gone + 1, others - 1) if share else fewer
