"""What every test of the standard declares: name, parameters with their limits, shortest sequence."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from scipy import special

from rng.battery import goodness
from rng.battery.result import NotRun, TestResult
from rng.battery.sp800_22.sample import BitSample
from rng.errors import SampleError


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


SUITE = "sp800-22"

# `reference`: the constants the program STS 2.1.2 computes with. `exact`: the same recomputed from theory.
Constants = Literal["reference", "exact"]
Parameters = Mapping[str, int]
Evaluation = Callable[[BitSample, Parameters, Constants], TestResult | NotRun]


@dataclass(frozen=True, slots=True)
class SampleTest:
    """One of the fifteen tests.

    Args:
        name: As in ``certify rng test``.
        section: Of SP 800-22 Rev. 1a.
        evaluate: Computes statistic and p-values; only called with parameters and a length that were checked.
        minimum: Shortest sequence for given parameters.
        why: The clause or the reason of that minimum.
        least: Shortest sequence that a statistic can be computed from at all.
        defaults: Parameters, as the reference program sets them.
        limits: Smallest and largest value of each parameter.
    """

    name: str
    section: str
    evaluate: Evaluation
    minimum: Callable[[Parameters], int]
    why: str
    least: Callable[[Parameters], int] = lambda _: 4
    defaults: Parameters = field(default_factory=dict)
    limits: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    def parameters(self, settings: Mapping[str, int]) -> dict[str, int]:
        """Return the defaults overridden by ``settings``.

        Raises:
            SampleError: If a name is unknown or a value out of its limits.
        """
        for name, value in settings.items():
            if name not in self.defaults:
                known = ", ".join(self.defaults) or "none"
                raise SampleError(f"{self.name}: unknown parameter {name!r}, expected one of: {known}")
            low, high = self.limits[name]
            if not low <= value <= high:
                raise SampleError(f"{self.name}: {name} = {value}, expected {low} to {high}")
        return {**self.defaults, **settings}

    def refusal(self, sample: BitSample, parameters: Parameters) -> NotRun | None:
        """Say why a sequence is too short, if it is."""
        length, minimum = sample.length, self.minimum(parameters)
        least = minimum if sample.enforce_lengths else min(minimum, self.least(parameters))
        if length >= least:
            return None
        chosen = "".join(f", {name} = {value}" for name, value in parameters.items())
        why = self.why if sample.enforce_lengths else "not one block otherwise"
        reason = f"{length} bits{chosen}: at least {least} bits are required ({why})"
        return NotRun(SUITE, self.name, reason, least)
