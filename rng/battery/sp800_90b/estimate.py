"""Estimates of min-entropy (SP 800-90B 6.3.1 to 6.3.4): most common value, collision, Markov and compression.

Estimators that count: most common value, collision, Markov, compression.

Source: NIST SP 800-90B (January 2018), 6.3.1 to 6.3.4.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Symbols = NDArray[np.uint8]


# 6.3: the upper end of the 99 % interval of a normal variable. The text prints 2.576, NIST's program has all digits
# of the 99.5 % quantile, which is followed so that results can be compared with it.
Z_ALPHA = 2.5758293035489008
ALPHA = 0.99
BISECTIONS = 200


@dataclass(frozen=True, slots=True)
class Estimate:
    """One estimator on one sequence.

    Args:
        estimator: Name, in kebab case.
        section: Of SP 800-90B.
        min_entropy: Estimate in bits for each sample of the sequence.
        details: Intermediate values as the standard names them, to compare with other programs.
    """

    estimator: str
    section: str
    min_entropy: float
    details: Mapping[str, float] = field(default_factory=dict)


def upper_bound(share: float, trials: int) -> float:
    """Upper end of the interval of a probability of which a share was seen.

    Source: SP 800-90B 6.3.1 step 2 (the divisor is one less than the number of trials).

    Example:
        >>> round(upper_bound(0.4, 20), 4)
        0.6895
    """
    return min(1.0, share + Z_ALPHA * math.sqrt(share * (1 - share) / (trials - 1)))


def bits(probability: float) -> float:
    """Min-entropy of an outcome of this probability.

    Example:
        >>> bits(0.25)
        2.0
    """
    return max(0.0, -math.log2(probability))


def bisect(falling: Callable[[float], float], wanted: float, low: float, high: float) -> float | None:
    """The argument at which a falling function takes a value; None if it takes none between the ends."""
    if not falling(high) <= wanted <= falling(low):
        return None
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if falling(middle) > wanted else (low, middle)
    return (low + high) / 2


# 6.3.3: the chain whose most likely run is taken; 6.3.4: bits of a block, blocks that start the dictionary off.
CHAIN = 128
BLOCK = 6
DICTIONARY = 1_000
# 6.3.4 step 4, the correction of the standard deviation for b = 6.
CORRECTION = 0.5907
# Powers below e to the minus so much change no digit of a sum.
NO_DIGIT = 70.0


def most_common_value(symbols: Symbols) -> Estimate:
    """How likely is the most likely sample? (6.3.1)."""
    count = int(np.bincount(symbols).max())
    share = count / symbols.size
    bound = upper_bound(share, symbols.size)
    return Estimate(
        "most-common-value", "6.3.1", bits(bound), {"mode_count": count, "p_hat": share, "p_u": bound}
    )


@njit(cache=True, nogil=True)
def _collisions(s: Symbols) -> tuple[int, int]:
    """Collisions found, and those among them that took three samples."""
    found = three = at = 0
    while at + 1 < s.size:
        if s[at] == s[at + 1]:
            at += 2
        elif at + 2 < s.size:
            at += 3
            three += 1
        else:
            break
        found += 1
    return found, three


def collision(symbols: Symbols) -> Estimate:
    """How soon does a value come twice? For bits alone (6.3.2).

    The mean of 2 + 2p(1-p) is solved for p: the closed form of step 7.
    """
    found, three = _collisions(symbols)
    if found < 2:
        return Estimate("collision", "6.3.2", 0.0, {"v": found})
    mean = 2 + three / found
    deviation = math.sqrt(three * (found - three) / found / (found - 1))
    lower = mean - Z_ALPHA * deviation / math.sqrt(found)
    # A mean below two has no solution: all bits are then equal.
    p = 0.5 + math.sqrt(max(0.0, 1.25 - 0.5 * lower)) if lower < 2.5 else 0.5
    details = {"v": found, "x_bar": mean, "sigma_hat": deviation, "x_bar_lower": lower, "p": min(p, 1.0)}
    return Estimate("collision", "6.3.2", bits(min(p, 1.0)), details)


def markov(symbols: Symbols) -> Estimate:
    """How likely is the most likely run of 128 bits of a chain that remembers one bit? (6.3.3)."""
    ones = symbols.astype(np.int64)
    pairs = np.bincount(2 * ones[:-1] + ones[1:], minlength=4).reshape(2, 2)
    first = np.array([1 - ones.mean(), ones.mean()])
    after = pairs / np.maximum(pairs.sum(axis=1, keepdims=True), 1)
    with np.errstate(divide="ignore"):
        start, step = np.log2(first), np.log2(after)
    half = CHAIN // 2
    # The runs that can be the most likely ones: constant, alternating, and constant after the first bit.
    runs = [
        start[a] + (CHAIN - 1) * step[a, a] if a == b else start[a] + step[a, b] + (CHAIN - 2) * step[b, b]
        for a, b in product((0, 1), repeat=2)
    ]
    alternating = [start[a] + half * step[a, 1 - a] + (half - 1) * step[1 - a, a] for a in (0, 1)]
    likeliest = max(x for x in map(float, (*runs, *alternating)) if not math.isnan(x))
    details = {
        "p_0": float(first[0]),
        "p_1": float(first[1]),
        **{f"p_{a}{b}": float(after[a, b]) for a, b in product((0, 1), repeat=2)},
        "p_hat_max": 2.0**likeliest,
    }
    return Estimate("markov", "6.3.3", max(0.0, min(1.0, -likeliest / CHAIN)), details)


@njit(cache=True, nogil=True)
def _distances(s: Symbols, blocks: int, start: int) -> NDArray[np.int64]:
    last = np.zeros(64, dtype=np.int64)
    found = np.zeros(max(0, blocks - start), dtype=np.int64)
    for block in range(1, blocks + 1):
        value = 0
        for place in range((block - 1) * 6, block * 6):
            value = 2 * value + s[place]
        if block > start:
            found[block - start - 1] = block - last[value]
        last[value] = block
    return found


def compression(symbols: Symbols) -> Estimate:
    """How far back is the last equal block of six bits? Maurer's statistic for a biased source (6.3.4)."""
    blocks = symbols.size // BLOCK
    tested = blocks - DICTIONARY
    if tested < 2:
        return Estimate("compression", "6.3.4", 1.0, {"v": max(0, tested)})
    logs = np.log2(_distances(symbols, blocks, DICTIONARY))
    mean = float(logs.mean())
    # As step 5 prints it: the sum of squares over v - 1, less the square of the mean.
    deviation = CORRECTION * math.sqrt(max(0.0, float(np.square(logs).sum()) / (tested - 1) - mean**2))
    lower = mean - Z_ALPHA * deviation / math.sqrt(tested)
    u = np.arange(1, blocks + 1)
    weights = np.log2(u) * (blocks - np.maximum(u, DICTIONARY)).clip(min=0)
    ends = np.where(u > DICTIONARY, np.log2(u), 0.0)

    def g(z: float) -> float:
        # Beyond here the powers are below e^-70: with what they are multiplied by they change no digit.
        used = min(blocks, 2 + math.ceil(NO_DIGIT / -math.log1p(-z))) if z < 1 else 1
        powers = (1 - z) ** (u[:used] - 1)
        total = float(z * z * (weights[:used] * powers).sum() + z * (ends[:used] * powers).sum())
        return float(total / tested)

    def expected(p: float) -> float:
        return float(g(p) + (2**BLOCK - 1) * g((1 - p) / (2**BLOCK - 1)))

    p = bisect(expected, lower, 2.0**-BLOCK, 1 - 1e-12)
    details = {"v": tested, "x_bar": mean, "sigma_hat": deviation, "x_bar_lower": lower}
    if p is None:
        # 6.3.4 step 8: above the mean of even blocks nothing can be compressed; below that of constant ones, all.
        return Estimate("compression", "6.3.4", 1.0 if lower > expected(2.0**-BLOCK) else 0.0, details)
    return Estimate("compression", "6.3.4", bits(p) / BLOCK, {**details, "p": p})
