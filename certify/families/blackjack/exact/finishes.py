"""Lists of the ways in which hands of a split pair may be finished, as they are put together."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from certify.families.blackjack.exact.dealer import NATURAL

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]

ENDS: Final = NATURAL + 1
"""Ways in which the dealer's hand may end."""


class Finishes(NamedTuple):
    """Ways in which one hand or several may be finished.

    Args:
        keys: Cards drawn to the cards of the pair, one number each.
        classes: By its place, how it ends.
        orders: In how many orders it comes.
        results: Net result and stake in units, by class and the dealer's end.
        alike: By class, of how many closed hands the second card counts what the pair does.
    """

    keys: Whole
    classes: Whole
    orders: Floats
    results: Whole
    alike: Whole

    def times(self, many: int) -> Finishes:
        """Returns them in so many more orders."""
        return self._replace(orders=self.orders * many)

    def beside(self, other: Finishes, least: float, chances: Floats, others: Floats) -> Finishes:
        """Returns each of them beside each of others, if that is probable enough by the chances of both."""
        one, two = np.nonzero(chances[:, None] * others >= least)
        results = (self.results[:, None] + other.results).reshape(-1, ENDS, 2)
        alike = (self.alike[:, None] + other.alike).ravel()
        return merged(
            self.keys[one] + other.keys[two], self.classes[one] * len(other.results) + other.classes[two],
            self.orders[one] * other.orders[two], results, alike,
        )  # fmt: skip


class Side(NamedTuple):
    """Hands as they are met with others, the likeliest cards first.

    Args:
        keys: Cards as one number, each once.
        chances: How probable they are.
        starts: By the dealer's end and place of the cards, where how the hands end begins.
        codes: How they end, as places among the rows of that end.
        orders: In how many orders.
        rows: By the dealer's end: net result, stake, and closed hands whose second card counts what the pair does.
    """

    keys: Whole
    chances: Floats
    starts: Whole
    codes: Whole
    orders: Floats
    rows: tuple[Whole, ...]


def merged(keys: Whole, classes: Whole, orders: Floats, results: Whole, alike: Whole) -> Finishes:
    """Returns ways to be finished, each once."""
    rows = np.column_stack([alike, results.reshape(len(results), -1)])
    rows, same = np.unique(rows, axis=0, return_inverse=True)
    held, place = np.unique(keys, return_inverse=True)
    both, once = np.unique(place.ravel() * len(rows) + same.ravel()[classes], return_inverse=True)
    return Finishes(
        held[both // len(rows)], both % len(rows), np.bincount(once.ravel(), orders).astype(np.float64),
        rows[:, 1:].reshape(-1, ENDS, 2), rows[:, 0],
    )  # fmt: skip


def joined(parts: list[Finishes]) -> Finishes:
    """Returns ways to be finished that stand in several lists."""
    places = np.cumsum([0, *(len(part.results) for part in parts)])
    classes = [part.classes + place for part, place in zip(parts, places.tolist(), strict=False)]
    return merged(
        np.concatenate([part.keys for part in parts]), np.concatenate(classes),
        np.concatenate([part.orders for part in parts]), np.concatenate([part.results for part in parts]),
        np.concatenate([part.alike for part in parts]),
    )  # fmt: skip


def rows_of(listed: Finishes) -> tuple[Whole, ...]:
    """Returns every net result, stake and number of closed hands with a second card like the pair, by the end."""
    return tuple(
        np.unique(np.column_stack([listed.results[:, end], listed.alike]), axis=0) for end in range(ENDS)
    )


def _places(listed: Finishes, end: int) -> Whole:
    """Returns for each class which of those rows it is."""
    rows = np.column_stack([listed.results[:, end], listed.alike])
    return np.asarray(np.unique(rows, axis=0, return_inverse=True)[1]).ravel()


def side_of(listed: Finishes, ways: Floats, least: float, any_hand: Whole | None = None) -> Side:
    """Returns the ways to be finished that are probable enough, as they are met with others.

    Args:
        listed: The ways.
        ways: Chance of each set of cards, in the order of their numbers, in one order.
        least: The least chance that is probable enough.
        any_hand: Results by the dealer's end that stand for any hand: hands that end so at that end alone are left out.
    """
    held, place = np.unique(listed.keys, return_inverse=True)
    chances = np.bincount(place.ravel(), listed.orders) * ways
    ordered = np.argsort(-chances, kind="stable")
    ordered = ordered[chances[ordered] >= least]
    rank = np.full(len(held), -1)
    rank[ordered] = np.arange(len(ordered))
    ranks = rank[place.ravel()]
    kept, rows = ranks >= 0, rows_of(listed)
    starts, codes, orders, begun = [], [], [], 0
    for end, ended in enumerate(rows):
        fine = kept
        if any_hand is not None:
            alone = (listed.results[:, end] == any_hand[end]).all(axis=1)
            alone &= ~(listed.results == any_hand).all(axis=(1, 2))
            fine = kept & ~alone[listed.classes]
        code = _places(listed, end)[listed.classes[fine]]
        both, once = np.unique(ranks[fine] * len(ended) + code, return_inverse=True)
        starts.append(begun + np.searchsorted(both // len(ended), np.arange(len(ordered) + 1)))
        codes.append(both % len(ended))
        orders.append(np.bincount(once.ravel(), listed.orders[fine]))
        begun += len(both)
    return Side(
        held[ordered],
        chances[ordered],
        np.array(starts),
        np.concatenate(codes),
        np.concatenate(orders),
        rows,
    )
