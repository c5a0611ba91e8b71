"""Binary matrix rank test: are rows of bits linearly dependent as often as they should be?

Source: NIST SP 800-22 Rev. 1a, 2.5 and 3.5.
"""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from rng.battery.cell_sums import pearson_tail
from rng.battery.lanes import trailing_zeros
from rng.battery.result import TestResult
from rng.battery.sp800_22.sample import (
    BitSample,
    Constants,
    Parameters,
    SampleTest,
    bits_at,
    chi_square_p,
    class_effect,
)


@njit(cache=True, nogil=True)
def _rank_counts(
    words: NDArray[np.uint64], matrices: int, rows: int, columns: int, counts: NDArray[np.int64]
) -> None:
    matrix = np.empty(rows, dtype=np.uint64)
    for k in range(matrices):
        for i in range(rows):
            matrix[i] = bits_at(words, (k * rows + i) * columns, columns)
        rank = 0
        for i in range(rows):
            row = matrix[i]
            if row == np.uint64(0):
                continue
            rank += 1
            # The column of the row's lowest one is cleared in every row, itself included: rows that are zero
            # when their turn comes were dependent. Without a branch the loop runs on vector instructions.
            column = trailing_zeros(row)
            for j in range(rows):
                matrix[j] ^= row & (np.uint64(0) - ((matrix[j] >> column) & np.uint64(1)))
        counts[rank] += 1


def rank_counts(words: NDArray[np.uint64], matrices: int, rows: int, columns: int) -> NDArray[np.int64]:
    """Count the matrices of each rank over the field of two elements, from rank 0 to the largest possible."""
    counts = np.zeros(min(rows, columns) + 1, dtype=np.int64)
    _rank_counts(words, matrices, rows, columns, counts)
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


def evaluate(sample: BitSample, parameters: Parameters, constants: Constants) -> TestResult:
    """Compare the ranks of the matrices that the sequence fills with their distribution."""
    rows, columns = parameters["m"], parameters["q"]
    matrices = sample.length // (rows * columns)
    counts = sample.once(
        f"ranks {rows} {columns}", lambda: rank_counts(sample.words, matrices, rows, columns)
    )
    observed = np.array([counts[-1], counts[-2], matrices - counts[-1] - counts[-2]])
    probabilities = class_probabilities(rows, columns)
    expected = matrices * np.array(probabilities)
    statistic = float(((observed - expected) ** 2 / expected).sum())
    return TestResult(
        p_values=(chi_square_p(statistic, 2),),
        deciding=(pearson_tail(statistic, probabilities, matrices),),
        parameters=dict(parameters),
        statistic=statistic,
        degrees_of_freedom=2,
        null="chi-square over full rank, one less, and lower (SP 800-22 3.5)",
        discrete=True,
        detectable=class_effect(2, matrices),
    )


TEST = SampleTest(
    "rank",
    "2.5",
    evaluate,
    lambda parameters: 38 * parameters["m"] * parameters["q"],
    "SP 800-22 2.5.7: at least 38 matrices",
    lambda parameters: parameters["m"] * parameters["q"],
    {"m": 32, "q": 32},
    {"m": (3, 64), "q": (3, 64)},
)
