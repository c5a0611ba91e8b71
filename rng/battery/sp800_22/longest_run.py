"""Longest run of ones in a block: is the longest stretch of ones of likely length?

Source: NIST SP 800-22 Rev. 1a, 2.4 and 3.4.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numba import njit

from rng.battery.far_tails import pearson_tail
from rng.battery.result import TestResult
from rng.battery.sp800_22.sample import BitSample
from rng.battery.sp800_22.spec import Constants, Parameters, SampleTest
from rng.battery.sp800_22.special import chi_square_p, class_effect

if TYPE_CHECKING:
    from numpy.typing import NDArray


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


def _byte_tables() -> NDArray[np.uint8]:
    """For every byte: ones before its first zero, ones after its last zero, its longest run of ones."""
    bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1)
    rows = ["".join(map(str, row)).split("0") for row in bits.tolist()]
    return np.array([[len(r[0]), len(r[-1]), max(map(len, r))] for r in rows], dtype=np.uint8)


_TABLES = _byte_tables()


@njit(cache=True, nogil=True)
def _longest_runs(
    octets: NDArray[np.uint8], tables: NDArray[np.uint8], size: int, longest: NDArray[np.int64]
) -> None:
    for block in range(longest.size):
        best = current = 0
        for at in range(block * size, (block + 1) * size):
            octet = octets[at]
            if octet == 255:
                current += 8
                continue
            best = max(best, current + int(tables[octet, 0]), int(tables[octet, 2]))
            current = int(tables[octet, 1])
        longest[block] = max(best, current)


def longest_runs(octets: NDArray[np.uint8], blocks: int, block: int) -> NDArray[np.int64]:
    """Return the longest run of ones in each of ``blocks`` blocks of ``block`` bits, a multiple of eight."""
    longest = np.zeros(blocks, dtype=np.int64)
    _longest_runs(octets, _TABLES, block // 8, longest)
    return longest


def evaluate(sample: BitSample, parameters: Parameters, constants: Constants) -> TestResult:
    """Compare the longest runs of ones over all blocks with their distribution."""
    chosen = layout(sample.length)
    # Every whole block is used: the program's N = n/M, 100 blocks for a million bits, not the text's 75.
    blocks = sample.length // chosen.block
    runs = longest_runs(sample.octets, blocks, chosen.block).clip(chosen.low, chosen.high)
    observed = np.bincount(runs - chosen.low, minlength=chosen.high - chosen.low + 1)
    exact = exact_probabilities(chosen.block, chosen.low, chosen.high)
    probabilities = chosen.reference if constants == "reference" else exact
    expected = blocks * np.array(probabilities)
    statistic = float(((observed - expected) ** 2 / expected).sum())
    freedom = chosen.high - chosen.low
    return TestResult(
        p_values=(chi_square_p(statistic, freedom),),
        deciding=(pearson_tail(statistic, probabilities, blocks),),
        parameters={"m": chosen.block, "constants": constants},
        statistic=statistic,
        degrees_of_freedom=freedom,
        null="chi-square over classes of the longest run (SP 800-22 3.4)",
        detectable=class_effect(freedom, blocks),
    )


TEST = SampleTest("longest-run", "2.4", evaluate, lambda _: 128, "SP 800-22 2.4.2", lambda _: 8)
