"""What the reference program would print about many sequences, its errors included, for comparison only.

Source: NIST STS 2.1.2, final analysis report: p-values as printed with six decimals, a whole number for the
expected count of a tenth, whole numbers for the bounds of the proportion.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rng.battery.sp800_22.special import chi_square_p

BINS = 10


@dataclass(frozen=True, slots=True)
class ReferenceReport:
    """The reference program's line for one p-value over many sequences.

    Args:
        uniformity: Its uniformity p-value, None where it prints none.
        passed: Sequences at or above the level.
        sequences: Sequences it counts.
        bounds: Smallest and largest number of passing sequences that it accepts.
    """

    uniformity: float | None
    passed: int
    sequences: int
    bounds: tuple[int, int]

    @property
    def flagged(self) -> bool:
        """Whether the program prints an asterisk."""
        low, high = self.bounds
        uneven = self.uniformity is not None and self.uniformity < 0.0001
        return uneven or not low <= self.passed <= high


def as_reference(p_values: Sequence[float], level: float, *, zeros_left_out: bool) -> ReferenceReport:
    """Apply the reference program's arithmetic to p-values.

    Args:
        p_values: One for every sequence.
        level: Of the test on one sequence.
        zeros_left_out: Whether values printed as 0.000000 are left out, as it does for the random excursions.

    Example:
        >>> counts = (10, 5, 7, 6, 7, 2, 8, 5, 8, 5)
        >>> values = [i / 10 + 0.05 for i, count in enumerate(counts) for _ in range(count)]
        >>> round(as_reference(values, 0.01, zeros_left_out=True).uniformity, 6)
        0.585209
    """
    read = [float(np.float32(f"{p:.6f}")) for p in p_values]
    if zeros_left_out:
        read = [p for p in read if p > 0]
    size = len(read)
    expected = size // BINS
    counts = [0] * BINS
    for p in read:
        counts[min(math.floor(p * BINS), BINS - 1)] += 1
    uniformity = None
    if expected:
        uniformity = chi_square_p(sum((count - expected) ** 2 for count in counts) / expected, BINS - 1)
    margin = 3 * math.sqrt((1 - level) * level / size) if size else 0.0
    bounds = (int((1 - level - margin) * size), int((1 - level + margin) * size))
    return ReferenceReport(uniformity, sum(p >= level for p in read), size, bounds)
