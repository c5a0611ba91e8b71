"""Linear dependence of bits (SP 800-22 2.5 and 2.10): ranks of binary matrices, and linear complexity of blocks.

Source: NIST SP 800-22 Rev. 1a, 2.5, 2.10, 3.5 and 3.10; Massey, IEEE Trans. Inf. Theory 15(1), 1969, in the form that
keeps discrepancies instead of registers.
"""

import math
from functools import lru_cache

import numpy as np
from numba import njit
from numpy.typing import NDArray

from rng.battery.lanes import linear_complexities, ones_in_word, packed_rows
from rng.battery.result import TestResult
from rng.battery.sp800_22.sample import (
    BitSample,
    Constants,
    Parameters,
    SampleTest,
    over_classes,
)


@njit(cache=True, nogil=True)
def _rank_counts(matrices: NDArray[np.uint64], counts: NDArray[np.int64]) -> None:
    rows = matrices.shape[1]
    for matrix in matrices:
        rank = 0
        for i in range(rows):
            row = matrix[i]
            if row == np.uint64(0):
                continue
            rank += 1
            # The column of the row's lowest one is cleared in every row, itself included: rows that are zero
            # when their turn comes were dependent. Without a branch the loop runs on vector instructions.
            column = ones_in_word(~row & (row - np.uint64(1)))
            for j in range(rows):
                matrix[j] ^= row & (np.uint64(0) - ((matrix[j] >> column) & np.uint64(1)))
        counts[rank] += 1


def rank_counts(sample: BitSample, rows: int, columns: int) -> NDArray[np.int64]:
    """Count the matrices of each rank over the field of two elements, from rank 0 to the largest possible."""
    counts = np.zeros(min(rows, columns) + 1, dtype=np.int64)
    packed = packed_rows(sample.blocks(columns))[:, 0]
    _rank_counts(packed[: packed.size // rows * rows].reshape(-1, rows), counts)
    return counts


def rank_probability(rank: int, rows: int, columns: int) -> float:
    """Probability that a random binary matrix has this rank (3.5).

    Example:
        >>> [round(rank_probability(r, 32, 32), 4) for r in (32, 31)]
        [0.2888, 0.5776]
    """
    product = math.prod(
        (1 - 2.0 ** (i - columns)) * (1 - 2.0 ** (i - rows)) / (1 - 2.0 ** (i - rank)) for i in range(rank)
    )
    return 2.0 ** (rank * (columns + rows - rank) - rows * columns) * product


def class_probabilities(rows: int, columns: int) -> tuple[float, float, float]:
    """Probabilities of full rank, of one less, and of anything lower, unrounded as in the program."""
    full = min(rows, columns)
    first, second = rank_probability(full, rows, columns), rank_probability(full - 1, rows, columns)
    return first, second, 1 - (first + second)


def evaluate_rank(sample: BitSample, parameters: Parameters, constants: Constants) -> TestResult:
    """Compare the ranks of the matrices that the sequence fills with their distribution."""
    rows, columns = parameters["m"], parameters["q"]
    counts = sample.once(f"ranks {rows} {columns}", lambda: rank_counts(sample, rows, columns))
    observed = np.array([counts[-1], counts[-2], counts[:-2].sum()])
    probabilities = class_probabilities(rows, columns)
    return over_classes(
        observed,
        probabilities,
        dict(parameters),
        "chi-square over full rank, one less, and lower (SP 800-22 3.5)",
        discrete=True,
    )


RANK = SampleTest(
    "rank",
    "2.5",
    evaluate_rank,
    lambda parameters: 38 * parameters["m"] * parameters["q"],
    "SP 800-22 2.5.7: at least 38 matrices",
    lambda parameters: parameters["m"] * parameters["q"],
    {"m": 32, "q": 32},
    {"m": (3, 64), "q": (3, 64)},
)


# The reference program's probabilities of the classes T <= -2.5, …, T > 2.5: the first should be 1/96 =
# 0.0104167 (3.10 prints 0.010417, 2.10.4 prints 0.01047), the last 1/48.
REFERENCE = (0.01047, 0.03125, 0.12500, 0.50000, 0.25000, 0.06250, 0.020833)
HALF_WIDTH = 3


def class_of(complexities: NDArray[np.int64], m: int) -> NDArray[np.int64]:
    """Return the class, 0 to 6, of every block's linear complexity (2.10.4 (4) and (5)).

    T = (-1)^m (L - µ) + 2/9 with µ = m/2 + (9 + (-1)^(m+1))/36 - (m/3 + 2/9)/2^m. For even m that is
    L - m/2 - 1/18, for odd m it is (m-1)/2 - L + 17/18 less one, and what 2^-m adds moves no value over a
    class boundary; so the class is a whole number of steps from m/2, rounded as here.
    """
    steps = complexities - m // 2 if m % 2 == 0 else (m + 1) // 2 - complexities
    return (steps + HALF_WIDTH).clip(0, 2 * HALF_WIDTH)


@lru_cache(maxsize=16)
def exact_probabilities(m: int) -> tuple[float, ...]:
    """Class probabilities from the exact number of blocks of m bits with each linear complexity.

    There are 2^min(2m - 2L, 2L - 1) blocks of complexity L > 0, and one of complexity 0 (Rueppel, 1986).

    Example:
        >>> [round(96 * p, 6) for p in exact_probabilities(500)]
        [1.0, 3.0, 12.0, 48.0, 24.0, 6.0, 2.0]
    """
    lengths = np.arange(m + 1)
    chances = 2.0 ** (np.minimum(2 * m - 2 * lengths, 2 * lengths - 1) - m)
    chances[0] = 2.0**-m
    sums = np.bincount(class_of(lengths, m), weights=chances, minlength=2 * HALF_WIDTH + 1)
    return tuple(float(p) for p in sums)


def evaluate_linear_complexity(sample: BitSample, parameters: Parameters, constants: Constants) -> TestResult:
    """Compare the linear complexities of all blocks with their distribution."""
    m = parameters["m"]
    complexities = sample.once(f"complexities {m}", lambda: linear_complexities(sample.blocks(m)))
    observed = np.bincount(class_of(complexities, m), minlength=2 * HALF_WIDTH + 1)
    probabilities = REFERENCE if constants == "reference" else exact_probabilities(m)
    return over_classes(
        observed,
        probabilities,
        {**parameters, "constants": constants},
        "chi-square over classes of linear complexity (SP 800-22 3.10)",
    )


LINEAR_COMPLEXITY = SampleTest(
    "linear-complexity",
    "2.10",
    evaluate_linear_complexity,
    lambda parameters: max(1_000_000, 200 * parameters["m"]),
    "SP 800-22 2.10.7",
    lambda parameters: parameters["m"],
    {"m": 500},
    {"m": (500, 5000)},
)
