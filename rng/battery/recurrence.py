"""What comes back in a stream, and how long it stays the same: longest repeated substring, longest run."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from rng.battery.goodness import POWER_WORDS
from rng.battery.result import TestResult
from rng.battery.scan import MOST_WINDOWS, PIECE, WINDOW, Bytes, Windows, windows
from rng.battery.suite import Test, at_least
from rng.battery.whole import Whole

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
    again = _equal(kept)[:MOST_FOLLOWED]
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


def _equal(kept: Sequence[Windows]) -> Windows:
    """The windows that come more than once, each once."""
    every = np.concatenate(kept)
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


TESTS = (
    Test("longest-repeat", at_least(100 * 8), run_repeat),
    Test("longest-run-of-all", at_least(100), run_longest_run),
)
