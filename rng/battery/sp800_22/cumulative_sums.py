"""Cumulative sums test, forward and backward: does the random walk of the bits stray too far?

Source: NIST SP 800-22 Rev. 1a, 2.13 and 3.13.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtr, ndtri

from rng.battery.goodness import DETECTION_LEVEL, DETECTION_POWER, POWER_WORDS
from rng.battery.result import TestResult
from rng.battery.sp800_22.sample import BitSample
from rng.battery.sp800_22.spec import Constants, Parameters, SampleTest
from rng.battery.sp800_22.walk import walk_extremes

if TYPE_CHECKING:
    from numpy.typing import NDArray


def detectable_drift(n: int) -> float:
    """How far the share of ones lies from one half when the walk's end alone is far enough out.

    A random walk strays z roots of n with a probability near 4 (1 - Phi(z)), the first term of 3.13's series.
    """
    strays = float(ndtri(1 - DETECTION_LEVEL / 4)) + float(ndtri(DETECTION_POWER))
    return strays / (2 * math.sqrt(n))


def _quarter(value: int) -> int:
    """Divide by four towards zero, as the program's integers do: the limits of its two sums hang on it."""
    return -(-value // 4) if value < 0 else value // 4


def tail(z: int, n: int) -> float:
    """Probability that the walk of n steps strays as far as z (2.13.4 (4)).

    Example:
        >>> round(tail(4, 10), 6)
        0.411659
    """
    reach = n // z
    first = np.arange(_quarter(1 - reach), _quarter(reach - 1) + 1)
    second = np.arange(_quarter(-reach - 3), _quarter(reach - 1) + 1)
    scale = z / math.sqrt(n)
    inside = (ndtr((4 * first + 1) * scale) - ndtr((4 * first - 1) * scale)).sum()
    outside = (ndtr((4 * second + 3) * scale) - ndtr((4 * second + 1) * scale)).sum()
    return min(max(float(1.0 - inside + outside), 0.0), 1.0)


def tails(distances: NDArray[np.float64]) -> NDArray[np.float64]:
    """The same for many distances, in units of √n and none below 0.2: there the sums' limits decide nothing."""
    p_values = np.ones_like(distances)
    for k in range(-12, 13):
        p_values -= ndtr((4 * k + 1) * distances) - ndtr((4 * k - 1) * distances)
        p_values += ndtr((4 * k + 3) * distances) - ndtr((4 * k + 1) * distances)
    return p_values.clip(0.0, 1.0)


def evaluate(sample: BitSample, parameters: Parameters, constants: Constants) -> TestResult:
    """Compare the largest distance of the walk from its start, and from its end, with their distribution."""
    n = sample.length
    end, highest, lowest = walk_extremes(sample.octets, n)
    forward = max(highest, -lowest)
    # The walk taken backwards starts at the end: its distances are those of the walk from its last point.
    backward = max(highest - end, end - lowest)
    return TestResult(
        p_values=(tail(forward, n), tail(backward, n)),
        labels=("forward", "backward"),
        null="largest distance of a random walk, normal approximation (SP 800-22 3.13)",
        discrete=True,
        detectable=f"share of ones off one half by {detectable_drift(n):.3g}, or less{POWER_WORDS}",
    )


TEST = SampleTest("cumulative-sums", "2.13", evaluate, lambda _: 100, "SP 800-22 2.13.7")
