"""Ones and runs of ones (SP 800-22 2.1 to 2.4): frequency, within blocks, runs, and the longest run.

Frequency (monobit) test: are there as many ones as zeros?

Source: NIST SP 800-22 Rev. 1a, 2.1 and 3.1.

Frequency test within a block: does every block of m bits hold about m/2 ones?

Source: NIST SP 800-22 Rev. 1a, 2.2 and 3.2.

Runs test: do zeros and ones change over as often as they should?

Source: NIST SP 800-22 Rev. 1a, 2.3 and 3.3.

Longest run of ones in a block: is the longest stretch of ones of likely length?

Source: NIST SP 800-22 Rev. 1a, 2.4 and 3.4.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numba import njit
from numpy.typing import NDArray

from rng.battery.goodness import POWER_WORDS, binomial_two_sided, detectable_shift, normal_two_sided
from rng.battery.result import TestResult
from rng.battery.sp800_22.sample import (
    SUITE,
    BitSample,
    Constants,
    Parameters,
    SampleTest,
    chi_square_p,
    class_effect,
    over_classes,
)


def evaluate_frequency(sample: BitSample, parameters: Parameters, constants: Constants) -> TestResult:
    """Compare the number of ones with the number of zeros."""
    n = sample.length
    total = 2 * sample.ones - n
    statistic = abs(total) / math.sqrt(n)
    return TestResult(
        p_values=(normal_two_sided(statistic),),
        deciding=(binomial_two_sided(sample.ones, n, 0.5),),
        statistic=statistic,
        null="standard half-normal (SP 800-22 3.1); exactly, binomial with n trials of 1/2",
        discrete=True,
        detectable=f"share of ones off one half by {detectable_shift(1) / (2 * math.sqrt(n)):.3g}{POWER_WORDS}",
    )


FREQUENCY = SampleTest("frequency", "2.1", evaluate_frequency, lambda _: 100, "SP 800-22 2.1.7")


def evaluate_block_frequency(sample: BitSample, parameters: Parameters, constants: Constants) -> TestResult:
    """Compare the number of ones in every block with half its length."""
    m = parameters["m"]
    ones = sample.once(f"ones in {m}", lambda: sample.blocks(m).sum(axis=1, dtype=np.uint32).astype(np.int64))
    # 2.2.4 (4): 4m times the sum of (ones/m - 1/2)², in whole numbers: the sum of (2 ones - m)², over m.
    statistic = int(((2 * ones - m) ** 2).sum()) / m
    blocks = int(ones.size)
    return TestResult(
        p_values=(chi_square_p(statistic, blocks),),
        parameters=dict(parameters),
        statistic=statistic,
        degrees_of_freedom=blocks,
        null="chi-square (SP 800-22 3.2)",
        detectable=class_effect(blocks, blocks * m),
    )


# 2.2.7 also advises m >= 20, m > 0.01 n and fewer than 100 blocks. The reference program's own default,
# m = 128 on a million bits, has 7,812 blocks, so only the length is enforced.
BLOCK_FREQUENCY = SampleTest(
    "block-frequency",
    "2.2",
    evaluate_block_frequency,
    lambda parameters: max(100, parameters["m"]),
    "SP 800-22 2.2.7",
    lambda parameters: parameters["m"],
    {"m": 128},
    {"m": (2, 1 << 30)},
)


def count_runs(sample: BitSample) -> int:
    """Return the number of maximal stretches of equal bits."""
    return 1 + int(np.count_nonzero(sample.unpacked[1:] != sample.unpacked[:-1]))


def evaluate_runs(sample: BitSample, parameters: Parameters, constants: Constants) -> TestResult:
    """Compare the number of runs with what the share of ones makes likely."""
    n, runs = sample.length, count_runs(sample)
    share = sample.ones / n
    statistic = None
    p_value = 0.0
    # Where all bits are equal there is one run whatever the generator, and the number of ones decides: a zero too.
    deciding = 0.0
    if 0 < share < 1:
        spread = share * (1 - share)
        deviation = abs(runs - 2 * n * spread) / (2 * math.sqrt(n) * spread)
        deciding = math.erfc(deviation / math.sqrt(2))
    # 2.3.4 (2): where the share of ones alone is out of bounds the p-value is set to zero. The program
    # lets the bound itself pass, the text does not; the program is followed.
    if abs(share - 0.5) <= 2 / math.sqrt(n) and 0 < share < 1:
        # erfc(|V - 2nπ(1-π)| / (2 sqrt(2n) π(1-π))): the statistic is √2 times that argument.
        statistic, p_value = deviation, deciding
    return TestResult(
        suite=SUITE,
        test=RUNS.name,
        p_values=(p_value,),
        # Given the number of ones the formula holds beyond its bound too. The zero would reject one good
        # sequence in 15,800, which the frequency test judges already; a verdict takes it for no evidence at all.
        deciding=(deciding,),
        statistic=statistic,
        null="standard half-normal given the share of ones (SP 800-22 3.3); 0 where that is out of bounds",
        detectable=f"correlation of adjacent bits of {detectable_shift(1) / math.sqrt(n):.3g}{POWER_WORDS}",
    )


RUNS = SampleTest("runs", "2.3", evaluate_runs, lambda _: 100, "SP 800-22 2.3.7")


@dataclass(frozen=True, slots=True)
class RunLayout:
    """Block length, the classes of the longest run and the reference program's probabilities of them.

    Args:
        block: Bits in a block.
        low: Longest runs up to this length make the first class.
        high: Longest runs from this length make the last class.
        reference: Probability of each class as the reference program rounds it (3.4).
    """

    block: int
    low: int
    high: int
    reference: tuple[float, ...]


# 2.4.2: block length by length of the sequence; 3.4: classes and probabilities, with the program's digits.
LAYOUTS = (
    (750_000, RunLayout(10_000, 10, 16, (0.0882, 0.2092, 0.2483, 0.1933, 0.1208, 0.0675, 0.0727))),
    (
        6_272,
        RunLayout(128, 4, 9, (0.1174035788, 0.242955959, 0.249363483, 0.17517706, 0.102701071, 0.112398847)),
    ),
    (0, RunLayout(8, 1, 4, (0.21484375, 0.3671875, 0.23046875, 0.1875))),
)


def layout(length: int) -> RunLayout:
    """Return the layout for a sequence of this many bits."""
    return next(chosen for least, chosen in LAYOUTS if length >= least)


def _sequences_with_runs_up_to(longest: int, block: int) -> int:
    """Count the blocks without a run of ones longer than ``longest``, by the place of their last zero."""
    counts = [1 << length for length in range(longest + 1)]
    counts.append((1 << (longest + 1)) - 1)
    for length in range(longest + 2, block + 1):
        counts.append(2 * counts[length - 1] - counts[length - 2 - longest])
    return counts[block]


@lru_cache(maxsize=8)
def exact_probabilities(block: int, low: int, high: int) -> tuple[float, ...]:
    """Probability of each class of the longest run, from the exact number of blocks in it.

    Example:
        >>> exact_probabilities(8, 1, 4)
        (0.21484375, 0.3671875, 0.23046875, 0.1875)
    """
    total = 1 << block
    reached = [_sequences_with_runs_up_to(longest, block) for longest in range(low, high)]
    edges = [0, *reached, total]
    return tuple((above - below) / total for below, above in pairwise(edges))


@njit(cache=True, nogil=True)
def longest_runs(blocks: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return the longest run of ones in each block, a row of bits."""
    longest = np.zeros(len(blocks), dtype=np.int64)
    for row in range(len(blocks)):
        best = run = 0
        for bit in blocks[row]:
            run = run + 1 if bit else 0
            best = max(best, run)
        longest[row] = best
    return longest


def evaluate_longest_run(sample: BitSample, parameters: Parameters, constants: Constants) -> TestResult:
    """Compare the longest runs of ones over all blocks with their distribution."""
    chosen = layout(sample.length)
    # Every whole block is used: the program's N = n/M, 100 blocks for a million bits, not the text's 75.
    runs = sample.once("longest runs", lambda: longest_runs(sample.blocks(chosen.block)))
    runs = runs.clip(chosen.low, chosen.high)
    observed = np.bincount(runs - chosen.low, minlength=chosen.high - chosen.low + 1)
    exact = exact_probabilities(chosen.block, chosen.low, chosen.high)
    probabilities = chosen.reference if constants == "reference" else exact
    return over_classes(
        observed,
        probabilities,
        {"m": chosen.block, "constants": constants},
        "chi-square over classes of the longest run (SP 800-22 3.4)",
    )


LONGEST_RUN = SampleTest(
    "longest-run", "2.4", evaluate_longest_run, lambda _: 128, "SP 800-22 2.4.2", lambda _: 8
)
