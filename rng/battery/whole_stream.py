"""Tests of a whole stream of bits, however it is cut elsewhere: all lags, all frequencies, long linear registers."""

from __future__ import annotations

import functools
import math
from collections.abc import Collection

from scipy import special

from rng.battery import goodness, recurrence, word_relations, words
from rng.battery.bits import BitStream
from rng.battery.lags import detectable_correlation, farthest, highest_peak
from rng.battery.lanes import linear_complexity, two_sided_p
from rng.battery.result import TestResult
from rng.battery.suite import Results, Running, Suite, Tell, Test, at_least
from rng.battery.whole import SUITE as SUITE
from rng.battery.whole import WORD, Whole

# Berlekamp-Massey on so many bits in a row.
LONG_BLOCK = 50_000
# Words of which each place is tested, and those of which the lowest places are, in either order of the bytes.
LANE_WORDS = 4_096
DEEP_WORDS = 40_000
DEEP_LANES = (7, 63)


def run_autocorrelation(whole: Whole) -> TestResult:
    """Autocorrelation at all lags up to 100,000: bits that differ are binomial at each lag, exactly."""
    p_value, lag = farthest(whole.lagged)
    terms = int(whole.lagged.terms[0])
    share = detectable_correlation(terms, whole.lags, goodness.DETECTION_LEVEL, goodness.DETECTION_POWER)
    return TestResult(
        p_values=(p_value,),
        parameters={"lags": whole.lags, "lag": lag},
        sample_size=whole.transformed,
        null="bits that differ at a lag are binomial, exact; Bonferroni over the lags",
        discrete=True,
        detectable=f"a correlation of {share:.3g} at any one lag{goodness.POWER_WORDS}",
    )


def run_periodogram(whole: Whole) -> TestResult:
    """The highest peak of the periodogram of the whole stream: a wave of any period, however weak."""
    p_value, frequency = highest_peak(whole.lagged)
    frequencies = whole.lagged.power.size - 2
    level = special.gammainccinv(whole.blocks, goodness.DETECTION_LEVEL / frequencies)
    # Twice the power of a wave in noise is noncentral chi-square; its noncentrality is amplitude² · bits / 2.
    noncentrality = special.chndtrinc(2 * level, 2 * whole.blocks, 1 - goodness.DETECTION_POWER)
    amplitude = math.sqrt(2 * noncentrality / (whole.blocks * whole.length))
    return TestResult(
        p_values=(p_value,),
        parameters={"cycles per bit": frequency, "blocks": whole.blocks},
        sample_size=whole.transformed,
        null="power of a frequency is gamma in the limit, never more spread; Bonferroni over the frequencies",
        discrete=True,
        detectable=f"a wave by which a bit is one in {50:g} ± {50 * amplitude:.3g} % of cases{goodness.POWER_WORDS}",
    )


def run_long_block(whole: Whole) -> TestResult:
    """Linear complexity of the first 50,000 bits in a row: the keystream of a long shift register.

    Source: Rueppel, Analysis and Design of Stream Ciphers (1986), section 4.1 (exact distribution).
    """
    used = min(LONG_BLOCK, whole.bits.length)
    length = int(linear_complexity(whole.bits.segment(0, used).unpacked()))
    return TestResult(
        p_values=(two_sided_p(used, length),),
        parameters={"bits": used, "complexity": length},
        statistic=float(length),
        null="2^min(2n-2L, 2L-1) of 2^n sequences, exact",
        discrete=True,
        detectable=f"any shift register of at most {used // 2 - 10} bits{goodness.CERTAIN_WORDS}",
    )


def run_word_lanes(whole: Whole) -> TestResult:
    """Linear complexity of each place of 64-bit words: generators whose lowest bits alone are linear.

    Source: Blackman and Vigna, ACM TOMS 47 (2021), section 9 (low bits of xoroshiro128+ have linear complexity 128).
    """
    words = whole.bits.length // WORD
    found: dict[str, float] = {}
    for place in range(WORD):
        used = min(words, DEEP_WORDS if place in DEEP_LANES else LANE_WORDS)
        length = int(linear_complexity(whole.lane(place, used)))
        found[f"place {place + 1}"] = two_sided_p(used, length)
    return TestResult.of(
        found,
        parameters={"words": min(words, DEEP_WORDS)},
        null="2^min(2n-2L, 2L-1) of 2^n sequences, exact",
        detectable=f"a place of 64-bit words linear over GF(2) with at most {min(words, LANE_WORDS) // 2 - 10} bits"
        f"{goodness.CERTAIN_WORDS}",
    )


TESTS = (
    Test("autocorrelation", at_least(1_000), run_autocorrelation),
    Test("periodogram", at_least(1_000), run_periodogram),
    Test("long-linear-complexity", at_least(200), run_long_block),
    Test("word-lanes", at_least(200 * WORD), run_word_lanes),
    *words.TESTS,
    *word_relations.TESTS,
    *recurrence.TESTS,
)
BATTERY: Suite[None, Whole] = Suite(SUITE, "bits", __name__, TESTS)
NAMES = BATTERY.names
planned = functools.partial(BATTERY.planned, None)


def run(
    bits: BitStream, tests: Collection[str] | None = None, *, running: Running = map, tell: Tell | None = None
) -> Results:
    """Runs the tests of a whole stream.

    Args:
        bits: The stream; a mapped file is read piece by piece.
        tests: Names of the tests to run; all of ``NAMES`` when left out.
        running: What counts the pieces, such as an executor's ``map``.
        tell: Told how many pieces and tests are done.
    """
    return BATTERY.run(Whole(bits, running, tell), tests, tell=tell)
