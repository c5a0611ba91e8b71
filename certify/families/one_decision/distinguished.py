"""What a described game distinguishes of two whole hands that meet; the hands themselves are counted elsewhere."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from certify.analysis.hands.strength import SHIFT, best_five

CARDS: Final = 3
"""Cards of either hand."""

SIGNS: Final = 3
"""How two numbers compare: the player's is lower, equal or higher."""


@dataclass(frozen=True)
class Apart:
    """What a game tells apart of two hands; hands are named by their numbers.

    Args:
        key: What distinguishes it.
        own: int64[hands], class of each hand of the player.
        other: int64[hands], class of each hand of the dealer.
        compared: int64[comparisons, 2, hands], numbers of both sides of which the higher one matters.
        added: int64[sums, 2, hands], numbers of both sides that are added up.
        cuts: int64[sums, edges], numbers at which each sum is distinguished from lower ones.
        five: int64[KINDS], class of the best five of both hands by their kind.
    """

    key: Hashable
    own: NDArray[np.int64] = field(compare=False, repr=False)
    other: NDArray[np.int64] = field(compare=False, repr=False)
    compared: NDArray[np.int64] = field(compare=False, repr=False)
    added: NDArray[np.int64] = field(compare=False, repr=False)
    cuts: NDArray[np.int64] = field(compare=False, repr=False)
    five: NDArray[np.int64] = field(compare=False, repr=False)

    @property
    def arrays(self) -> tuple[NDArray[np.int64], ...]:
        """All of them, as the compiled loops take them."""
        return self.own, self.other, self.compared, self.added, self.cuts, self.five

    @property
    def classes(self) -> int:
        """Classes of hands of the player."""
        return int(self.own.max()) + 1

    @property
    def ends(self) -> int:
        """Ways in which two hands meet."""
        return int((self.other.max() + 1) * SIGNS ** len(self.compared))

    @property
    def togethers(self) -> int:
        """Classes of both hands together."""
        return (int(self.five.max()) + 1) * int((self.cuts.shape[1] + 1) ** len(self.cuts))

    def kind_of(self, together: int) -> int:
        """Returns a kind of the best five of a class of both hands together."""
        place = together // int((self.cuts.shape[1] + 1) ** len(self.cuts))
        return int(np.flatnonzero(self.five == place)[0])

    def met(self, mine: int, theirs: int, cards: Sequence[tuple[int, int]]) -> tuple[int, int]:
        """Returns how two hands meet and the class of both together, in plain Python.

        Args:
            mine: Number of the player's hand.
            theirs: Number of the dealer's hand.
            cards: All six cards.
        """
        end = int(self.other[theirs])
        for numbers in self.compared:
            one, another = int(numbers[0, mine]), int(numbers[1, theirs])
            end = end * SIGNS + (one >= another) + (one > another)
        together = int(self.five[best_five(cards) >> SHIFT])
        for numbers, cuts in zip(self.added, self.cuts, strict=True):
            total = int(numbers[0, mine] + numbers[1, theirs])
            together = together * (len(cuts) + 1) + sum(int(cut) <= total for cut in cuts)
        return end, together


def every_hand(size: int) -> NDArray[np.int64]:
    """Returns the hands of a deck of so many cards by number, int64[hands, cards]: the last card counts first."""
    return np.array(sorted(combinations(range(size), CARDS), key=lambda hand: hand[::-1]), dtype=np.int64)
