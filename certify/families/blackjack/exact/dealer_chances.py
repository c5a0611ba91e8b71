"""What the dealer comes to from one open card, next to every hand that a player may hold.

It depends on nothing but the shoe, the open card, whether soft seventeen is drawn to and twenty-two kept apart: games
whose pays or other rules differ share it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from typing import Final

import numpy as np

from certify.array_types import Floats, Marks, Whole
from certify.families.blackjack.exact import kernels, shoes
from certify.families.blackjack.exact.kernels import Dealt, dealt
from certify.families.blackjack.side_bets import VALUES, Counts, total_of

KEYS: Final = 1 << 5 * np.arange(VALUES)
"""Hands as one number: fewer than 32 cards of a value count for its place."""


@dataclass(frozen=True)
class Hands:
    """Hands by value, from one card on, those with fewer cards before those with more.

    Args:
        held: The hands.
        place: Index of each.
    """

    held: tuple[Counts, ...]
    place: dict[Counts, int] = field(repr=False)

    @cached_property
    def counts(self) -> Whole:
        """The hands, a row each."""
        return np.array(self.held, np.int64)

    @cached_property
    def keys(self) -> Whole:
        """The hands, one number each."""
        return np.asarray(self.counts @ KEYS)

    @cached_property
    def totals(self) -> Whole:
        """What each counts."""
        return np.array([total_of(hand)[0] for hand in self.held], np.int64)

    @cached_property
    def soft(self) -> Marks:
        """Whether an ace in it counts eleven."""
        return np.array([total_of(hand)[1] for hand in self.held])

    @cached_property
    def cards(self) -> Whole:
        """Number of cards of each."""
        return np.asarray(self.counts.sum(axis=1))

    @cached_property
    def tables(self) -> kernels.HandTables:
        """What compiled loops read of them."""
        return kernels.HandTables(self.counts, self.after, self.totals)

    @cached_property
    def pairs(self) -> Whole:
        """Place of the value of which a hand is a pair, -1 where it is none."""
        return np.array(
            [hand.index(2) if sum(hand) == 2 and 2 in hand else -1 for hand in self.held], np.int64
        )

    @cached_property
    def after(self) -> Whole:
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


FURTHER: Final = 6
"""Most cards of a pair that are gone in addition to the one that a hand began with."""


class DealerChances:
    """Chances of the dealer's hand, a row for each set of cards that may be gone.

    Args:
        counts: Cards of each value in the shoe; of an endless deck, in how many parts of it each comes.
        endless: Whether cards are put back.
        up: Place of the value of the open card.
        draws: Whether the dealer draws to a soft seventeen, and whether twenty-two is kept apart.
    """

    def __init__(self, counts: Counts, endless: bool, up: int, draws: tuple[bool, bool]) -> None:
        self.hands: Hands = hands(tuple(21 if endless else min(count, 21) for count in counts))
        self.dealt: Dealt = dealt(up, *draws)
        self.endless = endless
        self.left = np.array(counts, np.int64)
        if not endless:
            self.left[up] -= 1
        self.rows = cache(self._rows)
        self._by_primes: dict[tuple[int, ...], tuple[Whole, Marks]] = {}

    @cached_property
    def _removed(self) -> Whole:
        """Cards gone, each set as one number, in the order of the rows."""
        if self.endless:
            return np.zeros(1, np.int64)
        whole = self.hands
        gone = [whole.keys]
        for value in range(VALUES):
            for further in range(1, FURTHER):
                number = whole.counts[:, value]
                fits = (number > 0) & (number + further <= self.left[value])
                gone.append(whole.keys[fits] + further * KEYS[value])
        return np.unique(np.concatenate(gone))

    def _rows(self, value: int, further: int) -> Whole:
        """Returns the row of each hand, with so many further cards of a value gone; -1 where no hand holds such."""
        whole = self.hands
        belongs = whole.counts[:, value] > 0 if value >= 0 else np.ones(len(whole.held), np.bool_)
        if self.endless:
            return np.where(belongs, 0, -1)
        gone = whole.keys + (further * KEYS[value] if further else 0)
        rows = np.minimum(np.searchsorted(self._removed, gone), len(self._removed) - 1)
        return np.where(belongs & (self._removed[rows] == gone), rows, -1)

    def _left(self, rows: Whole) -> Whole:
        """Returns the cards left by row and value."""
        return np.asarray(self.left - self._removed[rows, None] // KEYS % KEYS[1])

    @cached_property
    def ends(self) -> Floats:
        """The chances in floats, by row."""
        rows = np.arange(len(self._removed))
        return np.asarray(kernels.chances(self._left(rows), self.dealt.tree, self.endless, shoes.FLOATS))

    def by_primes(self, moduli: tuple[int, ...], asked: Whole) -> Whole:
        """Returns the chances by prime and row, counted in those rows that were ever needed.

        Args:
            moduli: The primes.
            asked: Rows; -1 and hands that the shoe cannot deal next to the open card are left out.
        """
        empty = np.zeros((len(moduli), len(self._removed), kernels.CELLS[-1]), np.int64)
        ends, known = self._by_primes.setdefault(moduli, (empty, np.zeros(len(self._removed), np.bool_)))
        fresh = np.unique(asked)
        fresh = fresh[(fresh >= 0) & ~known[fresh]]
        left = self._left(fresh)
        fine = (left >= 0).all(axis=1)
        if fine.any():
            known[fresh[fine]] = True
            for number, modulus in enumerate(moduli):
                ends[number, fresh[fine]] = kernels.chances(
                    left[fine], self.dealt.tree, self.endless, shoes.remainders(modulus)
                )
        return ends


@lru_cache(maxsize=40)
def dealer_chances(counts: Counts, endless: bool, up: int, draws: tuple[bool, bool]) -> DealerChances:
    """Returns what the dealer comes to from an open card of a shoe, kept."""
    return DealerChances(counts, endless, up, draws)
