"""Bands of the mean of many rounds: exact quantiles of its distribution, rounded outwards by all that is not exact.

The sum of independent rounds lies on a lattice. Its distribution is found on a window outside of which almost nothing
lies: the transform of one round, to the power of the number of rounds, and back. What is left out or inexact (both
tails, what wraps round the window, floating point) is bounded, and the ends of a band are moved outwards by it.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from certify.analysis.long_run import PLAYER, steps_of
from certify.errors import InputError
from certify.model.figures import WagerFigures

MOST_CELLS: Final = 1 << 21
"""Points of a window; where more would be needed, results are taken together and what that loses is bounded."""

TAIL: Final = math.log(1e12)
"""Each tail that lies outside of a window has at most a probability of e to the minus this."""

TILTS: Final = 241
"""Exponents that are tried for the bound of a tail; every one of them gives a bound."""


@dataclass(frozen=True, slots=True)
class MeanBand:
    """Where the mean return of a number of rounds lies.

    Args:
        low: Lower end: with at most half of what the confidence leaves, the mean is less.
        high: Upper end, likewise.
        covers: The probability of the band, at least; six places.
    """

    low: Fraction
    high: Fraction
    covers: float


@dataclass(frozen=True, slots=True)
class Lattice:
    """The net results of a round as whole steps from the lowest one.

    Args:
        lowest: The lowest net result, in smallest units.
        step: Smallest units of a step.
        unit: Smallest units in one unit of stake.
        results: (Steps above the lowest, probability).
    """

    lowest: int
    step: int
    unit: int
    results: tuple[tuple[int, Fraction], ...]

    def returned(self, steps: Fraction, rounds: int) -> Fraction:
        """Returns the mean return of rounds that come to so many steps together."""
        return 1 + (self.lowest + self.step * steps / rounds) / self.unit


def lattice_of(figures: WagerFigures) -> Lattice:
    """Returns the lattice on which the net results of a wager lie."""
    net = steps_of(figures, PLAYER)
    lowest = min(step for step, _ in net.results)
    step = math.gcd(*(result - lowest for result, _ in net.results)) or 1
    results = {Fraction(result - lowest, step).numerator: chance for result, chance in net.results}
    # What is not listed may stand anywhere: by how much that moves a sum of rounds is bounded with them.
    results[0] = results.get(0, Fraction(0)) + unlisted(figures)
    return Lattice(lowest, step, net.unit, tuple(sorted(results.items())))


def unlisted(figures: WagerFigures) -> Fraction:
    """Returns the probability of net results that are not listed."""
    return Fraction(0) if figures.distribution is None else figures.distribution.rest


@dataclass(frozen=True, slots=True)
class Sums:
    """The distribution of the sum of many rounds.

    Args:
        start: Sum at the first point.
        scale: Steps from one point to the next.
        below: Probability of a sum below each point, and below the one after the last.
        inexact: By how much any of these may be wrong.
        offset: What the sum lies above its point on average.
        loose: By how much it may lie off that.
    """

    start: int
    scale: int
    below: NDArray[np.float64]
    inexact: float
    offset: Fraction = Fraction(0)
    loose: int = 0


def mean_band(figures: WagerFigures, rounds: int, confidence: Fraction) -> MeanBand:
    """Returns the central band of the mean return: exact quantiles, or bounds of them from outside.

    Args:
        figures: Exact figures of the wager under one strategy.
        rounds: Number of rounds.
        confidence: Probability that the band has at least, such as 19/20.

    Raises:
        InputError: The number of rounds is not positive, or the confidence is no probability below one.
    """
    if rounds < 1 or not 0 < confidence < 1:
        raise InputError(
            f"{rounds} rounds at {confidence}: expected one round or more, and a confidence below 1"
        )
    if not figures.listed:
        return _by_variance(figures, rounds, confidence)
    lattice, sums = lattice_of(figures), _sums(figures, rounds)
    outside = float((1 - confidence) / 2) - sums.inexact
    if outside <= 0:
        return _by_variance(figures, rounds, confidence)
    # The last point with at most that much below it, and the first with at most that much above.
    first = int(np.searchsorted(sums.below, outside, side="right")) - 1
    last = int(np.searchsorted(sums.below, 1 - outside, side="left")) - 1
    first, last = max(first, 0), min(last, len(sums.below) - 2)
    covers = float(sums.below[last + 1] - sums.below[first]) - 2 * sums.inexact
    ends = [
        max(
            Fraction(0),
            min(sums.start + sums.scale * place + sums.offset + loose, Fraction(rounds * _widest(lattice))),
        )
        for place, loose in ((first, -sums.loose), (last, sums.loose))
    ]
    low, high = (lattice.returned(Fraction(end), rounds) for end in ends)
    # Cut off at a millionth, so that no machine's last digit shows.
    return MeanBand(low, high, max(0, math.floor(covers * 10**6)) / 10**6)


def _by_variance(figures: WagerFigures, rounds: int, confidence: Fraction) -> MeanBand:
    """Returns a band that holds whatever the single net results are: Chebyshev's, by the exact variance."""
    half = figures.variance / (rounds * (1 - confidence))
    # The root is rounded up to a millionth, so that the band stays a bound.
    width = Fraction(math.isqrt(math.floor(half * 10**12)) + 1, 10**6)
    mean = figures.return_to_player
    return MeanBand(max(Fraction(0), mean - width), mean + width, float(confidence))


def _widest(lattice: Lattice) -> int:
    return max(steps for steps, _ in lattice.results)


@lru_cache(maxsize=64)
def _sums(figures: WagerFigures, rounds: int) -> Sums:
    sums, missing = sums_of(lattice_of(figures).results, rounds, MOST_CELLS), unlisted(figures)
    return replace(sums, inexact=sums.inexact + float(rounds * missing)) if missing else sums


def sums_of(results: Sequence[tuple[int, Fraction]], rounds: int, cells: int) -> Sums:
    """Returns the distribution of the sum of many rounds.

    Args:
        results: (Steps, probability) of one round; steps are whole and not negative.
        rounds: Number of rounds.
        cells: Points of a window, at most.
    """
    low, high = window(results, rounds)
    scale = -(-(high - low + 1) // cells)
    if scale == 1:
        return _transformed(results, rounds, low, high)
    # Each result is a multiple of the scale and a rest; the rests add up to their mean, but for a bounded deviation.
    coarse: dict[int, Fraction] = {}
    for steps, chance in results:
        coarse[steps // scale] = coarse.get(steps // scale, Fraction(0)) + chance
    rests = sum((steps % scale * chance for steps, chance in results), Fraction(0))
    merged = tuple(sorted(coarse.items()))
    found = _transformed(merged, rounds, *window(merged, rounds))
    # Hoeffding (1963), theorem 2: rests lie between 0 and the scale less one.
    loose = math.ceil((scale - 1) * math.sqrt(rounds * TAIL / 2)) + 1
    return Sums(
        found.start * scale,
        scale,
        found.below,
        found.inexact + 2 * math.exp(-TAIL),
        rounds * rests,
        loose,
    )


def window(results: Sequence[tuple[int, Fraction]], rounds: int) -> tuple[int, int]:
    """Returns two sums between which that of many rounds lies, but for two tails of at most e^-TAIL each.

    Source: H. Chernoff, A measure of asymptotic efficiency, Annals of Mathematical Statistics 23 (1952): for every
    tilt t the sum exceeds (n K(t) + TAIL) / t with at most that probability, K the logarithm of the mean of e^(tX).
    """
    steps = np.array([float(step) for step, _ in results])
    logs = np.log(np.array([float(chance) for _, chance in results]))
    mean = sum((step * chance for step, chance in results), Fraction(0))
    variance = float(sum((step**2 * chance for step, chance in results), Fraction(0)) - mean**2)
    if variance == 0:
        return rounds * int(mean), rounds * int(mean)
    tilts = math.sqrt(TAIL / (rounds * variance)) * np.logspace(-5, 5, TILTS)
    ends = []
    for sign in (-1, 1):
        shifted = logs[None, :] + sign * tilts[:, None] * steps[None, :]
        highest = shifted.max(axis=1)
        bound = highest + np.log(np.exp(shifted - highest[:, None]).sum(axis=1))
        ends.append(sign * float(((rounds * bound + TAIL) / tilts).min()))
    margin = 1 + rounds * float(steps.max()) * 1e-14
    low, high = math.floor(ends[0] - margin), math.ceil(ends[1] + margin)
    return max(low, 0), min(high, rounds * int(steps.max()))


def _transformed(results: Sequence[tuple[int, Fraction]], rounds: int, low: int, high: int) -> Sums:
    from scipy.fft import irfft, next_fast_len, rfft  # scipy takes a moment that --help need not wait for.

    size = int(next_fast_len(high - low + 1, real=True))
    one = np.zeros(size)
    for steps, chance in results:
        one[steps % size] += float(chance)
    transform = rfft(one)
    with np.errstate(divide="ignore", invalid="ignore"):
        power = np.where(transform == 0, 0, np.exp(rounds * np.log(transform)))
    weights = np.roll(np.clip(irfft(power, size), 0, None), -(low % size))
    below = np.concatenate(([0.0], np.cumsum(weights)))
    # By Parseval's identity the points together are wrong by no more than the transform in the mean of squares.
    wrong = 64 * rounds * sys.float_info.epsilon * math.sqrt(2 * float((np.abs(power) ** 2).sum()))
    inexact = wrong + size * sys.float_info.epsilon + 2 * math.exp(-TAIL)
    if abs(below[-1] - 1) > inexact:
        raise InputError(
            f"the distribution of {rounds:,} rounds sums to {below[-1]!r}, expected 1 within {inexact:.1g}"
        )
    return Sums(low, 1, np.minimum(below, 1.0), inexact)
