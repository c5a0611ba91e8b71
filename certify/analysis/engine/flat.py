"""Arrows of many moments or states, one row after the other."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from typing import Final

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]

Row = tuple[int, ...]

SHIFT: Final = 32
TARGET: Final = (1 << SHIFT) - 1
"""An arrow is a whole number: its target below, above it the place of its label."""


@dataclass(frozen=True, slots=True)
class Flat:
    """Rows of arrows one after the other.

    Args:
        arrows: All arrows.
        offsets: Where the arrows of each row begin, and at the end where the last ends.
        begins: The same as an array.
    """

    arrows: Whole
    offsets: list[int]
    begins: Whole

    @classmethod
    def of(cls, rows: Sequence[Row | Whole]) -> "Flat":
        """Returns rows as one."""
        offsets = list(accumulate(map(len, rows), initial=0))
        if any(isinstance(row, np.ndarray) for row in rows):
            arrows = np.concatenate([np.asarray(row, np.int64) for row in rows])
        else:
            arrows = np.fromiter(chain.from_iterable(rows), np.int64, offsets[-1])
        return cls(arrows, offsets, np.array(offsets, np.int64))

    def renamed(self, names: Whole) -> Whole:
        """Returns the arrows with what they lead to named otherwise."""
        return renamed(self.arrows, names)

    def followed(self) -> tuple[Whole, Whole]:
        """Returns where the arrows that are possible lead, and where those of each row begin."""
        possible = self.arrows >= 0
        before = np.concatenate([[0], np.cumsum(possible)])
        return self.arrows[possible] & TARGET, before[self.begins]

    def followers(self) -> tuple[Whole, Whole]:
        """Returns where the arrows of each row lead, each state once, and where those of each row begin."""
        targets, starts = self.followed()
        count = len(starts) - 1
        once = np.unique(np.repeat(np.arange(count), np.diff(starts)) * count + targets)
        states, targets = np.divmod(once, max(count, 1))
        return targets, np.searchsorted(states, np.arange(count + 1))


def places(counts: Whole) -> Whole:
    """Returns the numbers from nought to each of several counts, one after the other.

    >>> places(np.array([2, 0, 3])).tolist()
    [0, 1, 0, 1, 2]
    """
    return np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)


def renamed(arrows: Whole, names: Whole) -> Whole:
    """Returns arrows with what they lead to named otherwise."""
    to = names[np.where(arrows < 0, 0, arrows & TARGET)]
    return np.where(arrows < 0, arrows, to | arrows >> SHIFT << SHIFT)
