"""How far figures of a wager may be off, whose probabilities are known between two ends."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from certify.model.figures import Outcome


class Bounded:
    """A distribution of which some probabilities may be off; sum and mean are exact."""

    __slots__ = ()

    outcomes: tuple[Outcome, ...]
    total_wagered: Fraction | None

    @property
    @abstractmethod
    def expectation(self) -> Fraction:
        """Expected net result per unit staked."""

    @property
    @abstractmethod
    def variance(self) -> Fraction:
        """Variance of the net result per unit staked."""

    @property
    def off(self) -> Fraction:
        """How far the probability of any outcomes together may be off at most; nought where all are exact."""
        return max((outcome.off for outcome in self.outcomes), default=Fraction(0))

    def off_of(self, figure: Callable[[Outcome], Fraction]) -> Fraction:
        """Returns how far a mean over the outcomes may be off at most, for probability may lie on others of them.

        >>> from certify.model.figures import Outcome, WagerFigures
        >>> one = Outcome("win", Fraction(1), Fraction(1, 2), off=Fraction(1, 1000))
        >>> two = Outcome("lose", Fraction(-1), Fraction(1, 2), off=Fraction(1, 1000))
        >>> str(WagerFigures("even", (one, two)).off_of(lambda outcome: outcome.pays))
        '1/500'
        """
        values = [figure(outcome) for outcome in self.outcomes if outcome.off]
        return self.off * (max(values) - min(values)) if values else Fraction(0)

    @property
    def variance_off(self) -> Fraction:
        """How far the variance may be off at most; the mean is exact."""
        return self.off_of(lambda outcome: outcome.pays**2)

    @property
    def deviation_between(self) -> tuple[Fraction, Fraction]:
        """What the standard deviation lies between, to six places outwards, where probabilities are not exact."""
        low, high = (10**12 * (self.variance + off) for off in (-self.variance_off, self.variance_off))
        return Fraction(math.isqrt(math.floor(low)), 10**6), Fraction(math.isqrt(math.floor(high)) + 1, 10**6)

    @property
    def total_wagered_off(self) -> Fraction:
        """How far the expected total stake may be off at most."""
        return self.off_of(lambda outcome: outcome.staked)

    @property
    def on_total_off(self) -> Fraction:
        """How far the return per unit of everything staked may be off at most."""
        total, off = self.total_wagered, self.total_wagered_off
        if total is None or not off:
            return Fraction(0)
        return abs(self.expectation) * (1 / (total - off) - 1 / total)
