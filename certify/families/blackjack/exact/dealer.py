"""How the dealer's hand may go on from an open card: draws by value, the orders in which they come, where they end."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from certify.families.blackjack.cards import ACE, TEN, VALUES, Counts, total_of

BUST, NATURAL = 0, 6
"""How a dealer's hand may end, besides 17 to 21, which are 1 to 5."""

MAXIMUM: Final = 24
"""More cards than a dealer's hand holds, and more of one value than a player's."""

LEAST: Final = 16
"""A total of the dealer less this is how the hand ends."""


class Tree(NamedTuple):
    """Sets of cards as a tree: a node adds cards of one value to those of the node before it.

    Args:
        heads: The node before each; the first node holds nothing.
        values: Value of which a node adds cards.
        numbers: How many it adds.
        last: The node at which each set is complete.
        orders: Orders in which a set may come.
        ends: How the hand ends with it, times MAXIMUM, and the number of its cards.
    """

    heads: NDArray[np.int64]
    values: NDArray[np.int64]
    numbers: NDArray[np.int64]
    last: NDArray[np.int64]
    orders: NDArray[np.int64]
    ends: NDArray[np.int64]


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

    @cached_property
    def tree(self) -> Tree:
        """The sets of drawn cards as a tree, in which those that begin alike are walked together."""
        nodes: dict[tuple[int, ...], int] = {(): 0}
        heads, values, numbers, last = [0], [0], [0], list[int]()
        for drawn in self.drawn.tolist():
            node, path = 0, tuple[int, ...]()
            # Cards of high values come first: few sets hold many of them.
            for value in reversed(range(VALUES)):
                if drawn[value]:
                    path = (*path, value, drawn[value])
                    if path not in nodes:
                        nodes[path] = len(heads)
                        heads.append(node)
                        values.append(value)
                        numbers.append(drawn[value])
                    node = nodes[path]
            last.append(node)
        ends = self.ends * MAXIMUM + self.drawn.sum(axis=1)
        return Tree(*(np.array(one, np.int64) for one in (heads, values, numbers, last, self.orders, ends)))


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
