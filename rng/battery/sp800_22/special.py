"""The special functions of the standard's p-values, and the effect that a sample size can show."""

from __future__ import annotations

import math
from functools import lru_cache

from scipy import special

from rng.battery import goodness


def igamc(a: float, x: float) -> float:
    """Upper regularised incomplete gamma function (5.5.3 of the standard)."""
    return float(special.gammaincc(a, max(x, 0.0)))


def chi_square_p(statistic: float, degrees_of_freedom: int) -> float:
    """Probability that a chi-square variable exceeds the statistic.

    Example:
        >>> round(chi_square_p(7.2, 3), 6)
        0.065789
    """
    return igamc(degrees_of_freedom / 2, statistic / 2)


def two_sided_normal_p(z: float) -> float:
    """Probability that a standard normal variable is at least this far from zero."""
    return math.erfc(abs(z) / math.sqrt(2))


def normal_effect() -> float:
    """Shift of a normal statistic, in standard deviations, that is found with the stated power."""
    return goodness.detectable_shift(1)


@lru_cache(maxsize=64)
def chi_square_effect(degrees_of_freedom: int, p_values: int = 1) -> float:
    """Noncentrality of a chi-square statistic that is found with the stated power."""
    return goodness.detectable_noncentrality(degrees_of_freedom, p_values)


def class_effect(degrees_of_freedom: int, observations: int, p_values: int = 1) -> str:
    """Say which departure from class probabilities p is found, as the root of the sum of (q - p)²/p."""
    size = math.sqrt(chi_square_effect(degrees_of_freedom, p_values) / observations)
    return f"class probabilities q with sqrt(sum (q-p)²/p) of {size:.3g}{goodness.power_words(p_values)}"
