"""The whole stream of bits as one: repeats at any lag, waves, long recurrences and words."""

import functools
import math
from collections.abc import Collection, Sequence

import numpy as np
from scipy import special

from rng.array_types import Bytes, Words as Windows
from rng.battery import goodness, words
from rng.battery.bits import BitStream
from rng.battery.goodness import POWER_WORDS
from rng.battery.lanes import detectable_correlation, farthest, highest_peak, linear_complexity, two_sided_p
from rng.battery.minimum_counts import values_repeated
from rng.battery.result import TestResult
from rng.battery.suite import Results, Running, Suite, Tell, Test, at_least
from rng.battery.whole import (
    MOST_WINDOWS,
    PIECE,
    SUITE as SUITE,
    WINDOW,
    WORD,
    Whole,
    windows,
)

# Equal windows that are followed up, and bytes that one is followed for.
MOST_FOLLOWED, MOST_EXTENDED = 64, 1 << 22


def longest_repeat(octets: Bytes, kept: Sequence[Windows]) -> tuple[int, int, int]:
    """Length of the longest stretch of at least eight bytes that comes again, and where both begin; zeros if none.

    Every equal pair of windows is one that the content chose; of very long streams one window in a power of two is
    looked at, so that a short stretch may be missed there, never one reported that is not repeated.

    Args:
        octets: The stream.
        kept: Its windows that their content chose.

    Example:
        >>> octets = np.frombuffer(b"0123456789abcXY0123456789ab!!", dtype=np.uint8)
        >>> longest_repeat(octets, [windows(octets)])
        (12, 0, 15)
    """
    # One sixteenth of the values after another: what is sorted is a copy.
    parts = (np.concatenate([found[found >> np.uint64(60) == part] for found in kept]) for part in range(16))
    again = np.concatenate([values_repeated(part) for part in parts])[:MOST_FOLLOWED]
    if not again.size:
        return 0, 0, 0
    places: dict[int, int] = {}
    best, followed = (0, 0, 0), 0
    # Looked for once more only where something came again.
    for start in range(0, octets.size, PIECE):
        found = windows(np.ascontiguousarray(octets[start : start + PIECE + WINDOW - 1]))
        for at in np.flatnonzero(np.isin(found, again))[: 64 * MOST_FOLLOWED].tolist():
            first = places.setdefault(int(found[at]), start + at)
            # A pair inside the longest stretch so far tells no more than it.
            inside = (
                best[0]
                and best[2] <= start + at < best[2] + best[0]
                and start + at - first == best[2] - best[1]
            )
            if first != start + at and not inside and followed < MOST_FOLLOWED:
                followed += 1
                best = max(best, _extended(octets, first, start + at), key=lambda pair: pair[0])
    return best


def _extended(octets: Bytes, first: int, second: int) -> tuple[int, int, int]:
    """The equal stretch about two equal windows: its length and where it begins in both."""
    back = min(first, MOST_EXTENDED)
    before = octets[first - back : first] != octets[second - back : second]
    differs = np.flatnonzero(before)
    left = back - 1 - int(differs[-1]) if differs.size else back
    ahead = min(octets.size - second, MOST_EXTENDED)
    after = np.flatnonzero(octets[first : first + ahead] != octets[second : second + ahead])
    right = int(after[0]) if after.size else ahead
    return left + right, first - left, second - left


def repeat_p(length: int, octets: int) -> float:
    """Bound on the probability that any stretch of so many bytes comes again in a stream of so many.

    Two given stretches are equal with probability 256^-length, whether they overlap or not; there are C(n, 2) pairs.

    Source: Karlin, Ghandour, Ost, Tavaré and Korn, Proc. Natl. Acad. Sci. 80 (1983), 5660-5664 (longest repeats).

    Example:
        >>> round(repeat_p(8, 1 << 22) * 2**21, 4)
        1.0
    """
    places = octets - length + 1
    if not length or places < 2:
        return 1.0
    return math.exp(min(0.0, math.log(places) + math.log((places - 1) / 2) - length * math.log(256)))


def run_repeat(whole: Whole) -> TestResult:
    """The longest stretch of bytes that comes again, anywhere: blocks repeated, a period, a constant stretch.

    Source: Karlin, Ghandour, Ost, Tavaré and Korn, Proc. Natl. Acad. Sci. 80 (1983), 5660-5664.
    """
    length, first, second = longest_repeat(whole.octets, whole.scanned.windows)
    return TestResult(
        p_values=(repeat_p(length, whole.octets.size),),
        parameters={"bytes": length, "first": first, "again": second},
        statistic=float(length),
        null="union bound over all pairs of stretches, overlapping ones included",
        discrete=True,
        detectable=f"a stretch of {_least_length(whole.octets.size)} bytes that comes again{POWER_WORDS}",
    )


def _least_length(octets: int) -> int:
    sampled = (octets // MOST_WINDOWS).bit_length()
    alone = next(n for n in range(WINDOW, 64) if repeat_p(n, max(octets, n + 2)) < 2e-6)
    return alone if not sampled else max(alone, WINDOW + (3 << sampled))


def run_shorter_than(length: int, bits: int) -> float:
    """Probability that no run of fair bits is as long as this: exactly, by the powers of a matrix of positive terms.

    Source: Schilling, The longest run of heads, College Mathematics Journal 21 (1990), 196-207.

    Example:
        Of 8 sequences of three bits, two have no two equal bits in a row and two have three:

        >>> run_shorter_than(2, 3), run_shorter_than(3, 3), run_shorter_than(4, 3)
        (0.25, 0.75, 1.0)
    """
    if length > bits:
        return 1.0
    if length < 2:
        return 0.0
    # The state is the length of the present run, 1 to length - 1.
    step = np.zeros((length - 1, length - 1))
    step[:, 0] = 0.5
    step[np.arange(length - 2), np.arange(1, length - 1)] = 0.5
    return float(np.linalg.matrix_power(step, bits - 1)[0].sum())


def run_longest_run(whole: Whole) -> TestResult:
    """The longest run of equal bits of the whole stream, both tails: a stuck output, or runs that are broken up.

    Source: Schilling, The longest run of heads, College Mathematics Journal 21 (1990), 196-207.
    """
    bits = 8 * whole.octets.size
    longest = whole.scanned.runs.longest
    # Any of the places may begin a run so long, and the first bit may be either.
    upper = math.exp(min(0.0, math.log(bits) - (longest - 1) * math.log(2)))
    # Such short runs are unlikelier than anything that is compared.
    lower = run_shorter_than(longest + 1, bits) if longest < 4_000 else 1.0
    return TestResult(
        p_values=(min(1.0, 2 * min(upper, lower)),),
        parameters={"run": longest},
        statistic=float(longest),
        null="no longer run: exact, by a Markov chain; as long a run: union bound over the places",
        discrete=True,
        detectable=f"a run of {math.ceil(math.log2(bits / 1e-6)) + 1} equal bits{POWER_WORDS}",
    )


RECURRENCE = (
    Test("longest-repeat", at_least(100 * 8), run_repeat),
    Test("longest-run-of-all", at_least(100), run_longest_run),
)


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


WHOLE_STREAM = (
    Test("autocorrelation", at_least(1_000), run_autocorrelation),
    Test("periodogram", at_least(1_000), run_periodogram),
    Test("long-linear-complexity", at_least(200), run_long_block),
    Test("word-lanes", at_least(200 * WORD), run_word_lanes),
    *words.WORDS,
    *words.WORD_RELATIONS,
    *RECURRENCE,
)
BATTERY: Suite[None, Whole] = Suite(SUITE, "bits", __name__, WHOLE_STREAM)
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
        tell: Receives how many pieces and tests are done.
    """
    return BATTERY.run(Whole(bits, running, tell), tests, tell=tell)
