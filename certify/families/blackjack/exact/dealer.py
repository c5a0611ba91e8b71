"""How the dealer's hand may go on from an open card: draws by value, the orders in which they come, where they end."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from certify.families.blackjack.cards import ACE, TEN, VALUES, Counts, total_of

BUST, NATURAL = 0, 6
"""How a dealer's hand may end, besides 17 to 21, which are 1 to 5."""

ENDS: Final = 7
LEAST: Final = 16
"""A total of the dealer less this is how the hand ends."""


@dataclass(frozen=True)
class Dealt:
    """Every set of cards that the dealer may draw to an open card.

    Args:
        drawn: Cards drawn, by value; a row each.
        orders: Orders in which they may come.
        ends: How the hand ends.
    """

    drawn: NDArray[np.int64]
    orders: NDArray[np.int64]
    ends: NDArray[np.int64]


def stands(total: int, soft: bool, hits_soft_17: bool) -> bool:
    """Tells whether the dealer draws no more."""
    return total > 17 or (total == 17 and not (soft and hits_soft_17))


@lru_cache(maxsize=64)
def dealt(up: int, hits_soft_17: bool) -> Dealt:
    """Returns everything that the dealer may draw to an open card.

    Args:
        up: Place of the value of the open card.
        hits_soft_17: Whether the dealer draws to a soft seventeen.

    >>> int(dealt(9, False).orders.sum()) > 0
    True
    """
    first: Counts = tuple(int(value == up) for value in range(VALUES))
    growing: dict[Counts, int] = {(0,) * VALUES: 1}
    found: list[tuple[Counts, int, int]] = []
    while growing:
        longer: dict[Counts, int] = {}
        for drawn, orders in growing.items():
            for value in range(VALUES):
                more = (*drawn[:value], drawn[value] + 1, *drawn[value + 1 :])
                longer[more] = longer.get(more, 0) + orders
        growing = {}
        for drawn, orders in longer.items():
            total, soft = total_of(tuple(a + b for a, b in zip(first, drawn, strict=True)))
            if stands(total, soft, hits_soft_17):
                natural = total == 21 and sum(drawn) == 1 and up in (ACE, TEN)
                found.append((drawn, orders, NATURAL if natural else BUST if total > 21 else total - LEAST))
            else:
                growing[drawn] = orders
    return Dealt(
        np.array([drawn for drawn, _, _ in found], np.int64),
        np.array([orders for _, orders, _ in found], np.int64),
        np.array([end for _, _, end in found], np.int64),
    )
