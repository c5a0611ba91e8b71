"""Where the p-values of a random sequence really fall, for the tests whose p-values are not uniform.

A p-value computed from a whole number takes few values, and one computed with a wrong variance is not
uniform however many it takes. Here the true law of the statistic, exact or in closed form, is carried through
the test's own formula to the probability of each tenth of the unit interval and of passing at a level. The
uniformity of p-values over many sequences is then judged against these, not against one tenth each.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import special
from scipy.fft import irfft, next_fast_len, rfft

from rng.battery.sp800_22 import fft, linearity, ones_and_runs, patterns, walks
from rng.battery.sp800_22.sample import Constants

Floats = NDArray[np.float64]

BINS = 10
# How far into the tails of a law its values are listed, in standard deviations.
REACH = 9.0
# Longer sequences have so many numbers of runs, or so many blocks, that their p-values are dense enough: over 10,000
# sequences the uniformity is then off by less than a quarter of a degree of freedom.
LONGEST_RUNS = 65_536
MOST_BLOCKS = 200
# More matrices than this give more pairs of ranks than are worth listing; their p-values are dense enough.
MOST_MATRICES = 4_000


@dataclass(frozen=True, slots=True)
class Null:
    """The law of one test's p-value under randomness.

    Args:
        bins: Probability of each tenth of the unit interval, the last one closed.
        passing: Probability of a p-value of at least the level.
        exact: Whether it is the law of the p-value itself; otherwise one tenth each is taken for granted.
    """

    bins: tuple[float, ...]
    passing: float
    exact: bool


def uniform(level: float) -> Null:
    """Return the law that the standard takes for granted."""
    return Null((1 / BINS,) * BINS, 1 - level, False)


def _from_values(p_values: Floats, chances: Floats, level: float) -> Null:
    """Sort the values that a p-value can take, with their chances, into tenths."""
    total = float(chances.sum())
    places = np.minimum((p_values * BINS).astype(np.int64), BINS - 1)
    bins = np.bincount(places, weights=chances, minlength=BINS) / total
    return Null(tuple(float(b) for b in bins), float(chances[p_values >= level].sum()) / total, True)


def _scaled_normal(ratio: float, level: float) -> Null:
    """Law of a two-sided p-value whose statistic has ``ratio`` times the standard deviation it is given."""
    edges = np.linspace(0, 1, BINS + 1)[1:-1]

    def below(p: Floats) -> Floats:
        return np.asarray(2 * special.ndtr(special.ndtri(p / 2) / ratio))

    reached = np.concatenate(([0.0], below(edges), [1.0]))
    return Null(tuple(float(b) for b in np.diff(reached)), 1 - float(below(np.array(level))), True)


def _two_sided(z: NDArray[np.floating]) -> Floats:
    return np.asarray(special.erfc(np.abs(z) / math.sqrt(2)))


def _frequency(n: int, level: float, constants: Constants) -> Null:
    """The number of ones is binomial."""
    half_width = int(REACH * math.sqrt(n) / 2) + 1
    ones = np.arange(max(0, n // 2 - half_width), min(n, n // 2 + half_width) + 1)
    logs = special.gammaln(n + 1) - special.gammaln(ones + 1) - special.gammaln(n - ones + 1)
    return _from_values(_two_sided((2 * ones - n) / math.sqrt(n)), np.exp(logs - n * math.log(2)), level)


def _block_frequency(n: int, level: float, constants: Constants) -> Null:
    """The sum over the blocks of the squared excess of ones takes whole values: the law of one block, convolved."""
    m = ones_and_runs.BLOCK_FREQUENCY.defaults["m"]
    blocks = n // m
    if blocks > MOST_BLOCKS:
        return uniform(level)
    ones = np.arange(m + 1)
    logs = special.gammaln(m + 1) - special.gammaln(ones + 1) - special.gammaln(m - ones + 1)
    # Sums beyond this have a probability under e^-40.
    most = int(m * (blocks + REACH * math.sqrt(2 * blocks) + REACH**2))
    squares = (2 * ones - m) ** 2
    one = np.bincount(squares, weights=np.exp(logs - m * math.log(2)), minlength=most + 1)[: most + 1]
    chances = np.ones(1)
    for _ in range(blocks):
        size = next_fast_len(chances.size + most, real=True)
        chances = irfft(rfft(chances, size) * rfft(one, size), size)[: most + 1].clip(min=0)
    p_values = np.asarray(special.gammaincc(blocks / 2, np.arange(chances.size) / m / 2), dtype=np.float64)
    return _from_values(p_values, chances, level)


def _runs(n: int, level: float, constants: Constants) -> Null:
    """Given the number of ones, the runs are those of a random arrangement.

    Source: Wald and Wolfowitz, On a test whether two samples are from the same population, Annals of Mathematical
    Statistics 11 (1940), 147-162, section 4.
    """
    if n > LONGEST_RUNS:
        return uniform(level)
    half_width = int(REACH * math.sqrt(n) / 2) + 1
    counts = np.arange(max(1, n // 2 - half_width), min(n, n // 2 + half_width) + 1)
    logs = special.gammaln(np.arange(n + 2) + 1.0)
    p_values, chances = [], []
    for ones in counts[counts < n].tolist():
        p, chance = _runs_given(n, ones, counts, logs)
        p_values.append(p)
        chances.append(chance)
    return _from_values(np.concatenate(p_values), np.concatenate(chances), level)


def _runs_given(n: int, ones: int, runs: NDArray[np.int64], logs: Floats) -> tuple[Floats, Floats]:
    """Return the published p-values of some numbers of runs, and how likely each is together with so many ones."""

    def cut(items: int, parts: NDArray[np.int64]) -> Floats:
        """Logarithm of the ways to cut a row of items into so many parts."""
        inside = (parts >= 1) & (parts <= items)
        held = np.where(inside, parts, 1)
        ways = logs[items - 1] - logs[held - 1] - logs[items - held]
        return np.where(inside, ways, -np.inf)

    less, more = runs // 2, runs - runs // 2
    # As many runs of ones as of zeros, beginning with either; or one more of the one or of the other.
    ways = np.logaddexp(
        cut(ones, less) + cut(n - ones, more),
        cut(ones, more) + cut(n - ones, less),
    )
    share = ones / n
    spread = share * (1 - share)
    p_values = _two_sided((runs - 2 * n * spread) / (2 * math.sqrt(n) * spread))
    if abs(share - 0.5) > 2 / math.sqrt(n):
        p_values = np.zeros_like(p_values)
    return p_values, np.exp(ways - n * math.log(2))


def _fft(n: int, level: float, constants: Constants) -> Null:
    """The number of weak frequencies is a rounded normal variable with the exact mean and variance."""
    true_mean, true_variance = fft.expectation(n, "exact")
    mean, variance = fft.expectation(n, constants)
    deviation = math.sqrt(true_variance)
    counts = np.arange(
        math.floor(true_mean - REACH * deviation), math.ceil(true_mean + REACH * deviation) + 1
    )
    edges = special.ndtr((np.append(counts, counts[-1] + 1) - 0.5 - true_mean) / deviation)
    return _from_values(_two_sided((counts - mean) / math.sqrt(variance)), np.diff(edges), level)


def _walk_within(n: int, z: Floats) -> Floats:
    """Probability that a walk of n steps never reaches ±z: reflection, and the binomial law of its end."""

    def end_below(x: Floats) -> Floats:
        # S = 2 ones - n < x for ones < (x + n)/2.
        most = np.ceil((x + n) / 2) - 1
        return np.asarray(special.bdtr(np.clip(most, 0, n), n, 0.5) * (most >= 0))

    def between(low: Floats, high: Floats) -> Floats:
        return end_below(high) - end_below(low + 0.5)

    reach = REACH * math.sqrt(n)
    inside = between(-z, z) - between(z, 3 * z)
    for turn in range(1, int(reach / (4 * z.min())) + 2):
        # Only the shorter distances are reflected this often within reach.
        near = z[: np.searchsorted(z, reach / (4 * turn - 3), side="right")]
        for k in (-turn, turn):
            first, second = (4 * k - 1) * near, (4 * k + 1) * near
            inside[: near.size] += between(first, second) - between(second, (4 * k + 3) * near)
    return inside


def _cumulative_sums(n: int, level: float, constants: Constants) -> Null:
    """The largest distance of the walk takes whole values with exact probabilities."""
    root = math.sqrt(n)
    # Below a fifth of the root the walk stays with probability under e^-30.
    z = np.arange(max(1, int(root / 5)), int(REACH * root) + 1, dtype=np.float64)
    chances = np.diff(_walk_within(n, np.append(z, z[-1] + 1))).clip(min=0)
    return _from_values(walks.tails(z / root), chances, level)


def _rank(n: int, level: float, constants: Constants) -> Null:
    """The numbers of matrices of full rank and of one less are trinomial (32 x 32 matrices)."""
    matrices = n // 1024
    probabilities = np.array(linearity.class_probabilities(32, 32))
    if matrices > MOST_MATRICES:
        return uniform(level)
    full, less = np.meshgrid(np.arange(matrices + 1), np.arange(matrices + 1), indexing="ij")
    possible = full + less <= matrices
    counts = np.stack([full[possible], less[possible], matrices - (full + less)[possible]])
    logs = special.gammaln(matrices + 1) - special.gammaln(counts + 1).sum(axis=0)
    chances = np.exp(logs + np.log(probabilities) @ counts)
    expected = matrices * probabilities[:, None]
    return _from_values(np.exp(-((counts - expected) ** 2 / expected).sum(axis=0) / 2), chances, level)


def _universal(n: int, level: float, constants: Constants) -> Null:
    """The reference program's standard deviation is Maurer's estimate, off by up to three percent."""
    width = patterns.pattern_length(n)
    blocks = n // width - 10 * 2**width
    stated = patterns.moments(width, blocks, constants)[1]
    return _scaled_normal(patterns.moments(width, blocks, "exact")[1] / stated, level)


_LAWS: dict[str, Callable[[int, float, Constants], Null]] = {
    "frequency": _frequency,
    "block-frequency": _block_frequency,
    "runs": _runs,
    "rank": _rank,
    "fft": _fft,
    "universal": _universal,
    "cumulative-sums": _cumulative_sums,
}


@lru_cache(maxsize=64)
def null_of(test: str, n: int, level: float, constants: Constants) -> Null:
    """Return the law of the p-values of a test on sequences of n bits.

    Args:
        test: Name of the test; its parameters are the standard's.
        n: Bits in a sequence.
        level: Of the test on one sequence.
        constants: Which the p-values are computed with.

    Example:
        >>> round(null_of("frequency", 100, 0.01, "reference").passing, 6)
        0.987967
    """
    law = _LAWS.get(test)
    return uniform(level) if law is None else law(n, level, constants)
