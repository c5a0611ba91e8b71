"""What one printed figure is worth, as exact counting judges it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

HOLDS: Final = "holds"
NOT_COUNTED: Final = "cannot be counted"
WORTH: Final = (HOLDS, "arithmetic slip", "wrong denominator", "not a probability", NOT_COUNTED)
"""What a printed figure can be worth, best first."""


@dataclass(frozen=True, slots=True)
class PrintedVerdict:
    """What one printed count or row is worth.

    Args:
        worth: Of a count, whether it holds; of a row, whether it follows from its own fractions and then what
            it is worth as a probability.
        slips: Where it departs from what it says itself, with the numbers.
        reason: Why, with the numbers.
    """

    worth: tuple[str, ...]
    slips: tuple[str, ...]
    reason: str

    @property
    def holds(self) -> bool:
        """Whether nothing is wrong with it."""
        return all(word == HOLDS for word in self.worth)

    @property
    def words(self) -> str:
        """What it is worth in a few words, worst first.

        >>> PrintedVerdict(("holds", "not a probability"), (), "").words
        'not a probability'
        """
        found = dict.fromkeys(sorted(self.worth, key=lambda word: -WORTH.index(word)))
        return " and ".join(word for word in found if word != HOLDS) or HOLDS

    @property
    def detail(self) -> str:
        """Everything that is wrong, or why it holds."""
        return "; ".join(part for part in (*self.slips, self.reason) if part)

    def is_better_than(self, other: PrintedVerdict) -> bool:
        """Tells whether something was mended against an earlier verdict and nothing spoilt."""
        if len(self.worth) != len(other.worth):
            return False
        ranks = [
            (WORTH.index(mine), WORTH.index(theirs))
            for mine, theirs in zip(self.worth, other.worth, strict=True)
        ]
        no_worse = all(mine <= theirs for mine, theirs in ranks) and set(self.slips) <= set(other.slips)
        return no_worse and (self.worth, set(self.slips)) != (other.worth, set(other.slips))

    def is_worse_than(self, other: PrintedVerdict) -> bool:
        """Tells whether it is worth less than before in any respect."""
        if len(self.worth) != len(other.worth):
            return True
        return any(
            WORTH.index(mine) > WORTH.index(theirs)
            for mine, theirs in zip(self.worth, other.worth, strict=True)
        )
