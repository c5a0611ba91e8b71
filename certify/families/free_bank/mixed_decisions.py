"""Decisions by lot, drawn from what a round never reaches: the order of the last cards of its deck.

One seat and the bank use at most 22 cards. In which order the last twelve lie has nothing to do with any card that
was dealt, and is one of 479,001,600 equally likely ones. That number is the lot of the round: each decision takes
its share of what is left of it, so that decisions are independent, to within one part in the orders that are left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import factorial
from typing import Final

Chances = tuple[tuple[str, Fraction], ...]
"""Options with their chances, which sum to one; options without a chance are left out."""

LAST_CARDS: Final = 12
"""Cards at the end of the deck whose order is the lot."""

ORDERS: Final = factorial(LAST_CARDS)

WEIGHT_BITS: Final = 32
"""Chances are taken in steps of 2⁻³², the same for every way of playing a round."""


def lot_of(row: Sequence[int]) -> int:
    """Returns the number of the order in which the last twelve cards lie, 0 to 479,001,599.

    >>> lot_of(range(40)), lot_of([*range(28), *range(39, 27, -1)])
    (0, 479001599)
    """
    last = row[len(row) - LAST_CARDS :]
    number = 0
    for place, card in enumerate(last):
        number = number * (LAST_CARDS - place) + sum(other < card for other in last[place + 1 :])
    return number


def weight(chance: Fraction) -> int:
    """Returns a chance in steps of 2⁻³², to the nearest.

    >>> weight(Fraction(1, 2)) == 2**31
    True
    """
    return round(chance * (1 << WEIGHT_BITS))


@dataclass(slots=True)
class Lot:
    """What is left of the lot of one round.

    Args:
        at: The number drawn.
        size: Among how many.
    """

    at: int
    size: int = ORDERS

    def take(self, chances: Chances) -> str:
        """Returns the option that the lot falls on, and keeps what is left of it."""
        if len(chances) == 1:
            return chances[0][0]
        low, upto = 0, Fraction(0)
        for option, chance in chances:
            upto += chance
            high = self.size * weight(upto) >> WEIGHT_BITS
            if self.at < high:
                self.at, self.size = self.at - low, high - low
                return option
            low = high
        raise ValueError(f"the chances {chances} do not sum to one")
