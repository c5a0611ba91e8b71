"""Overlapping template matching test: do stretches of ones of a given length crowd or avoid each other?

Source: NIST SP 800-22 Rev. 1a, 2.8 and 3.8; Hamano and Kaneko, IEICE Trans. E90-A(9), 2007 (exact
probabilities).
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from rng.battery.far_tails import pearson_tail
from rng.battery.result import TestResult
from rng.battery.sp800_22.sample import BitSample
from rng.battery.sp800_22.spec import Constants, Parameters, SampleTest
from rng.battery.sp800_22.special import chi_square_p, class_effect
from rng.battery.sp800_22.windows import ones_in_windows, shifted

if TYPE_CHECKING:
    from numpy.typing import NDArray

# 2.8.2: block length and number of classes less one.
BLOCK = 1032
LAST_CLASS = 5


def reference_probabilities(m: int) -> tuple[float, ...]:
    """Class probabilities as the reference program computes them: a compound Poisson approximation (3.8)."""
    eta = (BLOCK - m + 1) / 2**m / 2
    first = [math.exp(-eta)]
    for u in range(1, LAST_CLASS):
        terms = (
            math.exp(-eta - u * math.log(2) + k * math.log(eta)) / math.factorial(k) * math.comb(u - 1, k - 1)
            for k in range(1, u + 1)
        )
        first.append(sum(terms))
    return (*first, 1 - sum(first))


@lru_cache(maxsize=16)
def exact_probabilities(m: int) -> tuple[float, ...]:
    """Class probabilities from the exact number of blocks with 0, 1, … occurrences.

    Example:
        >>> [round(p, 6) for p in exact_probabilities(9)]
        [0.364091, 0.185659, 0.139381, 0.100571, 0.070432, 0.139865]
    """
    # ways[u][r]: beginnings of a block with u occurrences (the last class: or more) that end in r ones (m:
    # or more).
    ways = [[0] * (m + 1) for _ in range(LAST_CLASS + 1)]
    ways[0][0] = 1
    for _ in range(BLOCK):
        following = [[0] * (m + 1) for _ in range(LAST_CLASS + 1)]
        for u, row in enumerate(ways):
            following[u][0] += sum(row)
            for run, count in enumerate(row[: m - 1]):
                following[u][run + 1] += count
            following[min(u + 1, LAST_CLASS)][m] += row[m - 1] + row[m]
        ways = following
    return tuple(sum(row) / (1 << BLOCK) for row in ways)


def occurrences(words: NDArray[np.uint64], blocks: int, m: int) -> NDArray[np.int64]:
    """Count, in every block, the places where m ones follow each other, overlapping ones included."""
    matches, covered = words, 1
    while covered < m:
        # Where `covered` ones begin here and again `step` places on, covered + step ones begin here.
        step = min(covered, m - covered)
        matches = matches & shifted(matches, step)
        covered += step
    return ones_in_windows(matches, blocks, BLOCK, BLOCK - m + 1)


def evaluate(sample: BitSample, parameters: Parameters, constants: Constants) -> TestResult:
    """Compare the occurrences of m ones over all blocks with their distribution."""
    m, blocks = parameters["m"], sample.length // BLOCK
    classes = occurrences(sample.words, blocks, m).clip(max=LAST_CLASS)
    observed = np.bincount(classes, minlength=LAST_CLASS + 1)
    chosen = reference_probabilities(m) if constants == "reference" else exact_probabilities(m)
    expected = blocks * np.array(chosen)
    statistic = float(((observed - expected) ** 2 / expected).sum())
    return TestResult(
        p_values=(chi_square_p(statistic, LAST_CLASS),),
        deciding=(pearson_tail(statistic, chosen, blocks),),
        parameters={**parameters, "constants": constants},
        statistic=statistic,
        degrees_of_freedom=LAST_CLASS,
        null="chi-square over the number of occurrences in a block of 1032 bits (SP 800-22 3.8)",
        detectable=class_effect(LAST_CLASS, blocks),
    )


TEST = SampleTest(
    "overlapping-template",
    "2.8",
    evaluate,
    lambda _: 1_000_000,
    "SP 800-22 2.8.7",
    lambda _: BLOCK,
    {"m": 9},
    {"m": (5, 16)},
)
