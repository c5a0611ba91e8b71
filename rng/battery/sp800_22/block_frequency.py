"""Frequency test within a block: does every block of m bits hold about m/2 ones?

Source: NIST SP 800-22 Rev. 1a, 2.2 and 3.2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rng.battery.result import TestResult
from rng.battery.sp800_22.sample import BitSample
from rng.battery.sp800_22.spec import Constants, Parameters, SampleTest
from rng.battery.sp800_22.special import chi_square_p, class_effect
from rng.battery.sp800_22.windows import ones_in_windows

if TYPE_CHECKING:
    from numpy.typing import NDArray


def block_ones(sample: BitSample, m: int) -> NDArray[np.int64]:
    """Return the number of ones in every whole block of m bits."""
    if m % 64 == 0:
        counts = np.bitwise_count(sample.words[: sample.length // m * (m // 64)])
        blocks: NDArray[np.int64] = counts.reshape(-1, m // 64).sum(axis=1, dtype=np.int64)
        return blocks
    return ones_in_windows(sample.words, sample.length // m, m, m)


def evaluate(sample: BitSample, parameters: Parameters, constants: Constants) -> TestResult:
    """Compare the number of ones in every block with half its length."""
    m = parameters["m"]
    ones = block_ones(sample, m)
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


def _minimum(parameters: Parameters) -> int:
    return max(100, parameters["m"])


# 2.2.7 also advises m >= 20, m > 0.01 n and fewer than 100 blocks. The reference program's own default,
# m = 128 on a million bits, has 7,812 blocks, so only the length is enforced.
TEST = SampleTest(
    "block-frequency",
    "2.2",
    evaluate,
    _minimum,
    "SP 800-22 2.2.7",
    lambda parameters: parameters["m"],
    {"m": 128},
    {"m": (2, 1 << 30)},
)
