"""How far figures of a wager may be off, whose probabilities are known between two ends."""

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from certify.exact import between, exact_text, outward_texts, percent_text
from certify.model.form import origins

if TYPE_CHECKING:
    from certify.model.figures import Outcome


@origins()
@dataclass(frozen=True, slots=True)
class Interval:
    """Two ends between which a figure is proven to lie, where it is not known to the last digit.

    Args:
        lower: Lower end.
        upper: Upper end, above the lower one.
        method: How the ends are found.

    Raises:
        ValueError: The ends are not in rising order.
    """

    lower: Fraction
    upper: Fraction
    method: str

    def __post_init__(self) -> None:
        """Refuses ends that leave no room."""
        if self.lower >= self.upper:
            raise ValueError(f"no interval: its lower end {self.lower} is not below {self.upper}")


Figure = Fraction | Interval
"""A figure that may be bounded: nobody can print an end as the value, for an interval is no number."""


def figure_between(lower: Fraction, upper: Fraction, method: str) -> Figure:
    """Returns what two ends say of a figure: its value where they meet.

    >>> figure_between(Fraction(1, 2), Fraction(1, 2), "")
    Fraction(1, 2)
    """
    return lower if lower == upper else Interval(lower, upper, method)


def ends_of(figure: Figure) -> tuple[Fraction, Fraction]:
    """Returns the ends of a figure, which are one where it is known."""
    return (figure.lower, figure.upper) if isinstance(figure, Interval) else (figure, figure)


def centred(figure: Figure) -> tuple[Fraction, Fraction]:
    """Returns the middle of a figure and how far it may be off, nought where it is known.

    >>> centred(Interval(Fraction(1, 4), Fraction(1, 2), "counted"))
    (Fraction(3, 8), Fraction(1, 8))
    """
    low, high = ends_of(figure)
    return (low + high) / 2, (high - low) / 2


def percent_of(figure: Figure, places: int = 6, *, off: Fraction = Fraction(0)) -> str:
    """Returns a figure in percent without its sign: one number where both ends print the same, else rounded out.

    Args:
        figure: The figure.
        places: Decimal places.
        off: How far it may be off at most.

    >>> percent_of(Fraction(1, 3), 2), percent_of(Interval(Fraction(1, 3), Fraction(1, 2), "counted"), 2)
    ('33.33', '33.33 to 50.00')
    """
    if off and isinstance(figure, Fraction):
        return " to ".join(between(100 * figure, 100 * off))
    low, high = ends_of(figure)
    if percent_text(low, places) == percent_text(high, places):
        return percent_text(low, places)
    return " to ".join(outward_texts(100 * low, 100 * high, places))


def figure_text(figure: Figure, off: Fraction = Fraction(0)) -> str:
    """Returns a figure as a fraction, or as decimals that hold it, with the method where it is an interval.

    >>> figure_text(Interval(Fraction(1, 3), Fraction(1, 2), "counted"))
    '0.3333 to 0.5000 (counted)'
    """
    if isinstance(figure, Interval):
        return f"{' to '.join(outward_texts(figure.lower, figure.upper, 4))} ({figure.method})"
    return exact_text(figure, off=off)


class Bounded:
    """A distribution of which some probabilities may be off; sum and mean are exact."""

    __slots__ = ()

    if TYPE_CHECKING:
        # Whoever reads the form of a distribution finds its own fields alone.
        outcomes: "tuple[Outcome, ...]"
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

    def off_of(self, figure: "Callable[[Outcome], Fraction]") -> Fraction:
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
        """What the standard deviation is between, to six places outwards, where probabilities are not exact."""
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
