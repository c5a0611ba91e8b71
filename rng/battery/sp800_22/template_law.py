"""The exact law of the non-overlapping template statistic, for blocks that expect few occurrences."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# Above this many expected occurrences in a block their number is normal as far out as anyone looks.
MOST_EXPECTED = 1_000
# The statistic is summed on this grid; beyond its end every tail lies below a double's precision.
STEP = 1 / 128
END = 256.0


@njit(cache=True, nogil=True)
def _chances(size: int, m: int, most: int) -> Floats:
    ring = np.zeros((m + 1, most + 1))
    p = 0.5**m
    ring[:, 0] = 1.0
    # a(n) = a(n-1) + (z - 1) 2^-m a(n-m), polynomials in z whose coefficients are probabilities.
    for n in range(m, size + 1):
        new, last, old = ring[n % (m + 1)], ring[(n - 1) % (m + 1)], ring[(n - m) % (m + 1)]
        for k in range(most, 0, -1):
            new[k] = last[k] - p * old[k] + p * old[k - 1]
        new[0] = last[0] - p * old[0]
    found: Floats = ring[size % (m + 1)].copy()
    return found


def occurrence_chances(size: int, m: int) -> Floats:
    """Probabilities of 0, 1, 2, … occurrences of an aperiodic template of m bits in ``size`` random bits.

    An aperiodic template cannot overlap itself, so that its occurrences follow the recurrence of
    ``1 / (1 - 2x - (z - 1) x^m)``; all such templates have the same law.

    Source: Guibas and Odlyzko, J. Combinatorial Theory A 30 (1981), 183-208.

    Example:
        >>> occurrence_chances(4, 3)[:3].tolist()
        [0.75, 0.25, 0.0]
    """
    mean = (size - m + 1) * 0.5**m
    return np.asarray(_chances(size, m, int(mean + 14 * math.sqrt(mean) + 40)))


@lru_cache(maxsize=8)
def _tails(size: int, m: int, blocks: int, mean: float, variance: float) -> Floats:
    chances = occurrence_chances(size, m)
    places = ((np.arange(chances.size) - mean) ** 2 / variance / STEP).round().astype(np.int64)
    cells = int(END / STEP)
    one = np.bincount(np.minimum(places, cells), weights=chances.clip(min=0), minlength=cells + 1)
    total = np.zeros(cells + 1)
    total[0] = 1.0
    used = np.flatnonzero(one)
    for _ in range(blocks):
        # Block by block, without a transform: its rounding would drown the tail.
        longer = np.zeros(cells + 1)
        for place in used:
            longer[place:] += one[place] * total[: cells + 1 - place]
        longer[cells] += 1.0 - longer.sum() if longer.sum() < 1 else 0.0
        total = longer
    return total[::-1].cumsum()[::-1]


def statistic_tail(
    statistic: float, size: int, m: int, blocks: int, moments: tuple[float, float]
) -> float | None:
    """Probability that the statistic of one template reaches a value; None where the limit law will do.

    Args:
        statistic: Sum over the blocks of the squared deviations, divided by the variance.
        size: Bits in a block.
        m: Bits of the template.
        blocks: Number of blocks.
        moments: Mean and variance that the statistic was computed with.
    """
    if moments[0] > MOST_EXPECTED:
        return None
    # Half a step for each rounded block, so that what equals the statistic is counted with it.
    at = math.floor(statistic / STEP - math.sqrt(blocks))
    return float(_tails(size, m, blocks, *moments)[min(max(at, 0), int(END / STEP))])
