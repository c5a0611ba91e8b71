"""What comes back in a stream, and how long it stays the same: longest repeated substring, longest run."""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from rng.battery.goodness import POWER_WORDS
from rng.battery.result import TestResult
from rng.battery.whole import SUITE, Whole, WholeTest

Bytes = NDArray[np.uint8]
Windows = NDArray[np.uint64]

PIECE = 1 << 22
# A window is a word of 64 bits at any byte: what is compared is the content itself, not a code of it.
WINDOW = 8
# So many windows are sorted. Of longer streams those are that their content chooses, one in a power of two: both
# copies of a repeated stretch are looked at in the same places.
MOST_WINDOWS = 1 << 23
# Equal windows that are followed up, and bytes that one is followed for.
MOST_FOLLOWED, MOST_EXTENDED = 64, 1 << 22


@njit(cache=True)
def windows(octets: Bytes) -> Windows:
    """The eight bytes from each byte on, as one number."""
    found = np.empty(max(0, octets.size - 7), dtype=np.uint64)
    window = np.uint64(0)
    for i in range(octets.size):
        window = window << np.uint64(8) | np.uint64(octets[i])
        if i >= 7:
            found[i - 7] = window
    return found


def _chosen(found: Windows, mask: np.uint64) -> NDArray[np.bool_]:
    mixed = found * np.uint64(0x9E3779B97F4A7C15)  # odd; 2^64 over the golden ratio
    return np.asarray((mixed >> np.uint64(40)) & mask == 0)


def longest_repeat(octets: Bytes) -> tuple[int, int, int]:
    """Length of the longest stretch of at least eight bytes that comes again, and where both begin; zeros if none.

    Every equal pair of windows is one that the content chose; of very long streams one window in a power of two is
    looked at, so that a short stretch may be missed there, never one reported that is not repeated.

    Args:
        octets: The stream.

    Example:
        >>> longest_repeat(np.frombuffer(b"0123456789abcXY0123456789ab!!", dtype=np.uint8))
        (12, 0, 15)
    """
    mask = np.uint64((1 << max(0, (octets.size // MOST_WINDOWS).bit_length())) - 1)
    starts = range(0, octets.size, PIECE)
    kept = []
    for start in starts:
        found = windows(np.ascontiguousarray(octets[start : start + PIECE + WINDOW - 1]))
        kept.append(found[_chosen(found, mask)] if mask else found)
    again = _equal(kept)[:MOST_FOLLOWED]
    if not again.size:
        return 0, 0, 0
    places: dict[int, int] = {}
    best, followed = (0, 0, 0), 0
    for start in starts:
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


def _equal(kept: list[Windows]) -> Windows:
    """The windows that come more than once, each once; what was kept is given up to be sorted."""
    every = np.concatenate(kept)
    kept.clear()
    every.sort()
    return np.unique(every[1:][every[1:] == every[:-1]])


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
    length, first, second = longest_repeat(whole.octets)
    return TestResult(
        suite=SUITE,
        test="longest-repeat",
        p_values=(repeat_p(length, whole.octets.size),),
        parameters={"bytes": length, "first": first, "again": second},
        sample_size=whole.bits.length,
        statistic=float(length),
        null="union bound over all pairs of stretches, overlapping ones included",
        discrete=True,
        detectable=f"a stretch of {_least_length(whole.octets.size)} bytes that comes again{POWER_WORDS}",
    )


def _least_length(octets: int) -> int:
    sampled = (octets // MOST_WINDOWS).bit_length()
    alone = next(n for n in range(WINDOW, 64) if repeat_p(n, max(octets, n + 2)) < 2e-6)
    return alone if not sampled else max(alone, WINDOW + (3 << sampled))


@njit(cache=True)
def _longest_run(octets: Bytes, last: int, run: int, best: int) -> tuple[int, int, int]:
    for octet in octets:
        if (octet == 0 and last == 0) or (octet == 255 and last == 1):
            run += 8
            continue
        for place in range(7, -1, -1):
            bit = (octet >> place) & 1
            if bit == last:
                run += 1
            else:
                best = max(best, run)
                last = bit
                run = 1
    return last, run, max(best, run)


def longest_run(octets: Bytes) -> int:
    """Length of the longest run of equal bits.

    Example:
        >>> longest_run(np.array([0b10000000, 0b00000111], dtype=np.uint8))
        12
    """
    last, run, best = -1, 0, 0
    for start in range(0, octets.size, PIECE):
        last, run, best = _longest_run(np.ascontiguousarray(octets[start : start + PIECE]), last, run, best)
    return int(best)


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
    longest = longest_run(whole.octets)
    # Any of the places may begin a run so long, and the first bit may be either.
    upper = math.exp(min(0.0, math.log(bits) - (longest - 1) * math.log(2)))
    # Such short runs are unlikelier than anything that is compared.
    lower = run_shorter_than(longest + 1, bits) if longest < 4_000 else 1.0
    return TestResult(
        suite=SUITE,
        test="longest-run-of-all",
        p_values=(min(1.0, 2 * min(upper, lower)),),
        parameters={"run": longest},
        sample_size=whole.bits.length,
        statistic=float(longest),
        null="no longer run: exact, by a Markov chain; as long a run: union bound over the places",
        discrete=True,
        detectable=f"a run of {math.ceil(math.log2(bits / 1e-6)) + 1} equal bits{POWER_WORDS}",
    )


TESTS = (
    WholeTest("longest-repeat", 100 * 8, run_repeat),
    WholeTest("longest-run-of-all", 100, run_longest_run),
)
