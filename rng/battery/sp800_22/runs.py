"""Runs test: do zeros and ones change over as often as they should?

Source: NIST SP 800-22 Rev. 1a, 2.3 and 3.3.
"""

from __future__ import annotations

import math

import numpy as np

from rng.battery.goodness import POWER_WORDS
from rng.battery.result import TestResult
from rng.battery.sp800_22.sample import BitSample
from rng.battery.sp800_22.spec import SUITE, Constants, Parameters, SampleTest
from rng.battery.sp800_22.special import normal_effect
from rng.battery.sp800_22.windows import ones_in_windows, shifted


def count_runs(sample: BitSample) -> int:
    """Return the number of maximal stretches of equal bits."""
    changes = sample.words ^ shifted(sample.words, 1)
    whole, rest = divmod(sample.length - 1, 64)
    # The last bit is followed by a padding zero, which is no change: only the first n - 1 places count.
    total = int(np.bitwise_count(changes[:whole]).sum(dtype=np.int64))
    return 1 + total + int(ones_in_windows(changes[whole:], 1, 64, rest)[0])


def evaluate(sample: BitSample, parameters: Parameters, constants: Constants) -> TestResult:
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
        test=TEST.name,
        p_values=(p_value,),
        # Given the number of ones the formula holds beyond its bound too. The zero would reject one good
        # sequence in 15,800, which the frequency test judges already; a verdict takes it for no evidence at all.
        deciding=(deciding,),
        statistic=statistic,
        null="standard half-normal given the share of ones (SP 800-22 3.3); 0 where that is out of bounds",
        detectable=f"correlation of adjacent bits of {normal_effect() / math.sqrt(n):.3g}{POWER_WORDS}",
    )


TEST = SampleTest("runs", "2.3", evaluate, lambda _: 100, "SP 800-22 2.3.7")
