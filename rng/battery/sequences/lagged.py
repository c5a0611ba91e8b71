"""Relations over a distance: lags that known generators are built on, and signs at all lags at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numba import njit
from numpy.typing import NDArray

from rng.battery import goodness
from rng.battery.lags import Signs, detectable_correlation, farthest, lagged
from rng.battery.result import TestResult
from rng.battery.sequences.draws import Draws, SequenceTest, class_probabilities

# Lags of additive and subtractive generators in use: RANLUX and RCARRY, Marsaglia's, the GNU C library's, Knuth's of
# 1969 and 2002, .NET's (its second lag is 34 by mistake), RANMAR, R250, Go's, and longer ones of Brent and Ziff.
KNOWN_LAGS = (
    (17, 5),
    (24, 10),
    (31, 3),
    (43, 22),
    (55, 24),
    (55, 34),
    (97, 33),
    (100, 37),
    (127, 97),
    (250, 103),
    (521, 168),
    (607, 273),
    (1279, 418),
    (2281, 1252),
)
# A relation shows in thousands of numbers, or not at all.
MOST_RELATED = 1 << 16
CLASSES = 64
LEAST_RELATED = 100

MOST_LAGS = 1 << 17
BLOCK = (1 << 20) - MOST_LAGS


@njit(cache=True)
def residues(
    values: NDArray[np.uint64],
    long: int,
    short: int,
    plus_long: bool,
    plus_short: bool,
    below: np.uint64,
    moved: np.uint64,
) -> NDArray[np.uint64]:
    """``value ± value long before ± value short before + moved`` modulo the range, of every number that has both.

    Uniform and independent if the numbers are; sums are taken modulo the range so that nothing overflows. A range
    of 0 stands for 2^64, where words wrap by themselves.
    """
    n = below
    result = np.empty(values.size - long, dtype=np.uint64)
    for i in range(result.size):
        total = values[i + long]
        # The opposite of what is added is subtracted.
        total = total - (n - moved) if moved > 0 and total >= n - moved else total + moved
        for step in range(2):
            term = values[i] if step == 0 else values[i + long - short]
            added = plus_long if step == 0 else plus_short
            if added and term > 0:
                term = n - term
            total = total - term if total >= term else total + (n - term)
        result[i] = total
    return result


def residues_plainly(
    values: list[int], long: int, short: int, plus_long: bool, plus_short: bool, below: int, moved: int
) -> list[int]:
    """The same by the definition.

    Example:
        >>> residues_plainly([5, 3, 2], 2, 1, True, False, 10, 0)
        [4]
    """
    signs = (1 if plus_long else -1), (1 if plus_short else -1)
    return [
        (values[i] + signs[0] * values[i - long] + signs[1] * values[i - short] + moved) % below
        for i in range(long, len(values))
    ]


def run_known_lags(draws: Draws) -> TestResult:
    """Known lags: a generator that adds or subtracts two earlier outputs leaves a sum near a multiple of the range.

    For independent uniform numbers the sum modulo the range is uniform, and sums that are a whole lag apart are
    independent: the count of each class is compared with its exact probability, class by class. For each pair of
    lags the three signs, the fullest class of each.

    Source: Knuth, The Art of Computer Programming 2, 3.2.2 (7), (12) and table 1; .NET reference source, Random.cs;
    GNU C Library, stdlib/random_r.c.
    """
    values = draws.values[:MOST_RELATED].astype(np.uint64)
    wrapped = np.uint64(draws.below % (1 << 64))
    classes = min(draws.below, CLASSES)
    # Half a class further, so that what lies about a multiple of the range falls into one class.
    half = draws.below // (2 * classes)
    widest = float(max(class_probabilities(draws.below, classes)))
    p_values, labels = [], []
    for long, short in KNOWN_LAGS:
        if values.size - long < LEAST_RELATED:
            continue
        for plus_long, plus_short in ((False, False), (False, True), (True, False)):
            found = residues(values, long, short, plus_long, plus_short, wrapped, np.uint64(half))
            counts = np.bincount(draws.classes(found, classes), minlength=classes)
            p_values.append(goodness.fullest_cell(counts, found.size, widest))
            labels.append(
                f"lags {long} ({'+' if plus_long else '-'}) and {short} ({'+' if plus_short else '-'})"
            )
    return TestResult(
        suite="sequences",
        test="known-lags",
        p_values=tuple(p_values),
        labels=tuple(labels),
        parameters={"classes": classes},
        sample_size=draws.size,
        null="sums modulo the range are uniform; fullest class binomial (a bound)",
        discrete=True,
        detectable=goodness.describe_fullest(values.size, widest, classes, "sums in one class"),
    )


def upper_half(piece: NDArray[np.uint64], below: int) -> Signs:
    """-1 for numbers of the lower half of the range, +1 for the upper half, 0 for the one in the middle."""
    half = np.uint64(below // 2)
    signs = np.where(piece >= half, np.float32(1), np.float32(-1))
    if below % 2:
        signs[piece == half] = 0
    return signs


def parity(piece: NDArray[np.uint64], below: int) -> Signs:
    """-1 for odd numbers, +1 for even ones; 0 for the largest, where there is one more even number."""
    signs = np.where(piece & np.uint64(1), np.float32(-1), np.float32(1))
    if below % 2:
        signs[piece == np.uint64(below - 1)] = 0
    return signs


def run_all_lags(draws: Draws) -> TestResult:
    """Correlation at all lags, of the halves of the range and of odd and even numbers.

    The low bits of a congruential generator modulo a power of two turn into their opposite after half their period.

    Source: Knuth, The Art of Computer Programming 2, 3.2.1.1 (low digits of a power-of-two modulus).
    """
    blocks = -(-draws.size // BLOCK)
    length = draws.size // blocks
    lags = min(MOST_LAGS, length - LEAST_RELATED)
    signs = {"halves of the range": upper_half} | ({"odd and even": parity} if draws.below > 2 else {})

    def pieces(sign: Callable[[NDArray[np.uint64], int], Signs]) -> Iterator[Signs]:
        for block in range(blocks):
            piece = draws.values[block * length : (block + 1) * length].astype(np.uint64)
            yield sign(piece, draws.below)

    found = [farthest(lagged(pieces(sign), length, lags)) for sign in signs.values()]
    level = goodness.detection_level(len(found))
    share = detectable_correlation(blocks * (length - 1), lags, level, goodness.DETECTION_POWER)
    return TestResult(
        suite="sequences",
        test="all-lags",
        p_values=tuple(p_value for p_value, _ in found),
        labels=tuple(signs),
        parameters={"lags": lags, "lag": min(found)[1]},
        sample_size=draws.size,
        null="products of independent fair signs: binomial, exact; Bonferroni over the lags",
        discrete=True,
        detectable=f"a correlation of {share:.3g} at any one lag{goodness.power_words(len(found))}",
    )


TESTS = (
    SequenceTest("known-lags", lambda _below: KNOWN_LAGS[0][0] + LEAST_RELATED, run_known_lags),
    SequenceTest("all-lags", lambda _below: 2 * LEAST_RELATED, run_all_lags),
)
