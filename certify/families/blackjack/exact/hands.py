"""Every hand that a player may hold without having bust, by value, and what it becomes with one more card."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from certify.families.blackjack.cards import VALUES, Counts, total_of

KEYS: Final = 1 << 5 * np.arange(VALUES)
"""Hands as one number: fewer than 32 cards of a value count for its place."""


@dataclass(frozen=True)
class Hands:
    """Hands by value, from one card on, those with fewer cards before those with more.

    Args:
        held: The hands.
        place: Where each stands.
    """

    held: tuple[Counts, ...]
    place: dict[Counts, int] = field(repr=False)

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """The hands, a row each."""
        return np.array(self.held, np.int64)

    @cached_property
    def keys(self) -> NDArray[np.int64]:
        """The hands, one number each."""
        return np.asarray(self.counts @ KEYS)

    @cached_property
    def totals(self) -> NDArray[np.int64]:
        """What each counts."""
        return np.array([total_of(hand)[0] for hand in self.held], np.int64)

    @cached_property
    def soft(self) -> NDArray[np.bool_]:
        """Whether an ace in it counts eleven."""
        return np.array([total_of(hand)[1] for hand in self.held])

    @cached_property
    def cards(self) -> NDArray[np.int64]:
        """Number of cards of each."""
        return np.asarray(self.counts.sum(axis=1))

    @cached_property
    def pairs(self) -> NDArray[np.int64]:
        """Place of the value of which a hand is a pair, -1 where it is none."""
        return np.array(
            [hand.index(2) if sum(hand) == 2 and 2 in hand else -1 for hand in self.held], np.int64
        )

    @cached_property
    def after(self) -> NDArray[np.int64]:
        """Place of what a hand becomes with a card of each value, -1 where it busts, -2 where no such card is left."""
        rows = [[self._after(hand, value) for value in range(VALUES)] for hand in self.held]
        return np.array(rows, np.int64)

    def _after(self, hand: Counts, value: int) -> int:
        more = (*hand[:value], hand[value] + 1, *hand[value + 1 :])
        return self.place.get(more, -1 if total_of(more)[0] > 21 else -2)


def _hands(most: Counts, value: int, left: int) -> Iterator[Counts]:
    """Yields counts from a value on that count at most so much together."""
    if value == VALUES:
        yield ()
        return
    for count in range(min(most[value], left // (value + 1)) + 1):
        for rest in _hands(most, value + 1, left - count * (value + 1)):
            yield (count, *rest)


@lru_cache(maxsize=8)
def hands(most: Counts) -> Hands:
    """Returns every hand of at most 21 from a shoe that holds so many cards of each value.

    >>> len(hands((24,) * 9 + (96,)).held)
    3082
    """
    held = sorted((hand for hand in _hands(most, 0, 21) if any(hand)), key=lambda hand: (sum(hand), hand))
    return Hands(tuple(held), {hand: place for place, hand in enumerate(held)})
