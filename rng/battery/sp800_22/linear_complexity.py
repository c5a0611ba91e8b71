"""Linear complexity (SP 800-22 2.10): the test, and the algorithm of Berlekamp and Massey.

Linear complexity of many blocks of bits, on 64-bit words.

Source: Massey, IEEE Trans. Inf. Theory 15(1), 1969; in the form that keeps discrepancies instead of
registers.

Linear complexity test: how long a shift register does every block need?

Source: NIST SP 800-22 Rev. 1a, 2.10 and 3.10.
"""

from functools import lru_cache

import numpy as np
from numba import njit
from numpy.typing import NDArray

from rng.battery.cell_sums import pearson_tail
from rng.battery.lanes import reversed_word, shortest_register
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
def _complexities(words: NDArray[np.uint64], m: int, lengths: NDArray[np.int64]) -> None:
    size = (m + 63) >> 6
    current = np.empty(size + 1, dtype=np.uint64)
    former = np.empty(size + 1, dtype=np.uint64)
    for block in range(lengths.size):
        for i in range(size):
            width = min(64, m - 64 * i)
            taken = bits_at(words, block * m + 64 * i, width)
            current[i] = reversed_word(taken << np.uint64(64 - width))
        lengths[block] = shortest_register(current, former, m)


def linear_complexities(words: NDArray[np.uint64], blocks: int, m: int) -> NDArray[np.int64]:
    """Return the linear complexity of each of the first ``blocks`` blocks of m bits.

    Args:
        words: Packed bits, first bit most significant, followed by two words of zeros.
        blocks: Number of blocks.
        m: Bits in a block.

    Example:
        >>> words = np.array([0b1101011110001 << 51, 0, 0], dtype=np.uint64)
        >>> linear_complexities(words, 1, 13).tolist()
        [4]
    """
    lengths = np.zeros(blocks, dtype=np.int64)
    _complexities(words, m, lengths)
    return lengths


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


def evaluate(sample: BitSample, parameters: Parameters, constants: Constants) -> TestResult:
    """Compare the linear complexities of all blocks with their distribution."""
    m = parameters["m"]
    blocks = sample.length // m
    complexities = sample.once(f"complexities {m}", lambda: linear_complexities(sample.words, blocks, m))
    observed = np.bincount(class_of(complexities, m), minlength=2 * HALF_WIDTH + 1)
    probabilities = REFERENCE if constants == "reference" else exact_probabilities(m)
    expected = blocks * np.array(probabilities)
    statistic = float(((observed - expected) ** 2 / expected).sum())
    freedom = 2 * HALF_WIDTH
    return TestResult(
        p_values=(chi_square_p(statistic, freedom),),
        deciding=(pearson_tail(statistic, probabilities, blocks),),
        parameters={**parameters, "constants": constants},
        statistic=statistic,
        degrees_of_freedom=freedom,
        null="chi-square over classes of linear complexity (SP 800-22 3.10)",
        detectable=class_effect(freedom, blocks),
    )


TEST = SampleTest(
    "linear-complexity",
    "2.10",
    evaluate,
    lambda parameters: max(1_000_000, 200 * parameters["m"]),
    "SP 800-22 2.10.7",
    lambda parameters: parameters["m"],
    {"m": 500},
    {"m": (500, 5000)},
)
