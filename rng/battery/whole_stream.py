"""Tests of a whole stream of bits, however it is cut elsewhere: all lags, all frequencies, long linear registers."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection

from scipy import special

from rng.battery import goodness, recurrence, words
from rng.battery.bits import BitStream
from rng.battery.lags import detectable_correlation, farthest, highest_peak
from rng.battery.lanes import linear_complexity, two_sided_p
from rng.battery.plan import PlannedTest
from rng.battery.result import NotRun, TestResult
from rng.battery.whole import SUITE as SUITE
from rng.battery.whole import WORD, Whole, WholeTest
from rng.errors import SampleError

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
        suite=SUITE,
        test="autocorrelation",
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
        suite=SUITE,
        test="periodogram",
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
        suite=SUITE,
        test="long-linear-complexity",
        p_values=(two_sided_p(used, length),),
        parameters={"bits": used, "complexity": length},
        sample_size=whole.bits.length,
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
    p_values, labels = [], []
    for place in range(WORD):
        used = min(words, DEEP_WORDS if place in DEEP_LANES else LANE_WORDS)
        length = int(linear_complexity(whole.lane(place, used)))
        p_values.append(two_sided_p(used, length))
        labels.append(f"place {place + 1}")
    return TestResult(
        suite=SUITE,
        test="word-lanes",
        p_values=tuple(p_values),
        labels=tuple(labels),
        parameters={"words": min(words, DEEP_WORDS)},
        sample_size=whole.bits.length,
        null="2^min(2n-2L, 2L-1) of 2^n sequences, exact",
        discrete=True,
        detectable=f"a place of 64-bit words linear over GF(2) with at most {min(words, LANE_WORDS) // 2 - 10} bits"
        f"{goodness.CERTAIN_WORDS}",
    )


TESTS = (
    WholeTest("autocorrelation", 1_000, run_autocorrelation),
    WholeTest("periodogram", 1_000, run_periodogram),
    WholeTest("long-linear-complexity", 200, run_long_block),
    WholeTest("word-lanes", 200 * WORD, run_word_lanes),
    *words.TESTS,
    *recurrence.TESTS,
)
NAMES = tuple(test.name for test in TESTS)


def run(
    bits: BitStream,
    tests: Collection[str] | None = None,
    *,
    progress: Callable[[str], None] | None = None,
) -> tuple[TestResult | NotRun, ...]:
    """Runs the tests of a whole stream.

    Args:
        bits: The stream; a mapped file is read block by block.
        tests: Names of the tests to run; all of ``NAMES`` when left out.
        progress: Called with the name of each test before it runs.

    Returns:
        One result for each test asked for; a test that the stream is too short for is returned as ``NotRun``.

    Raises:
        SampleError: If a test is not known, or none is asked for.
    """
    if tests is not None and not tests:
        raise SampleError("no test was asked for: an empty plan is never a pass")
    unknown = sorted(set(tests or ()) - set(NAMES))
    if unknown:
        raise SampleError(
            f"no such test of a whole stream: {', '.join(unknown)}; known are {', '.join(NAMES)}"
        )
    whole = Whole(bits)
    results: list[TestResult | NotRun] = []
    for test in TESTS:
        if tests is None or test.name in tests:
            if progress is not None:
                progress(test.name)
            if bits.length < test.minimum:
                reason = f"{bits.length} bits, at least {test.minimum} are needed"
                results.append(NotRun(SUITE, test.name, reason, test.minimum))
            else:
                results.append(test.run(whole))
    return tuple(results)


def planned(size: int, tests: Collection[str] | None = None) -> tuple[PlannedTest, ...]:
    """What a plan says about a stream: the tests to be run on it, each once.

    Args:
        size: Bits in the stream.
        tests: Names of the tests; all of ``NAMES`` when left out.
    """
    return tuple(PlannedTest(SUITE, name, size) for name in NAMES if tests is None or name in tests)
