"""Bands of the mean of many rounds: exact quantiles of its distribution, rounded outwards by all that is not exact.

The sum of independent rounds is on a lattice. Its distribution is found on a window outside of which almost nothing
is: the transform of one round, to the power of the number of rounds, and back. What is left out or inexact (both
tails, what wraps round the window, floating point) is bounded, and the ends of a band are moved outwards by it.
"""

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import MAX_EMAX, MIN_EMIN, Context
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from certify.by_key import summed
from certify.errors import InputError
from certify.evidence import CHEBYSHEV, LongRun, RuinEver
from certify.messages import say, worded
from certify.model import Messages, WagerFigures

PLAYER, HOUSE = "player", "house"

PLAYER_BANKROLLS: Final = (20, 50, 100)
HOUSE_BANKROLLS: Final = (100, 1_000, 10_000)

_LONG: Final = Context(prec=80, Emin=MIN_EMIN, Emax=MAX_EMAX)
"""Digits that are kept of a power: what is cut off changes no digit of a float."""

_BITS: Final = 40
"""Places of the bracket around the base of the bounds."""


@dataclass(frozen=True, slots=True)
class Steps:
    """The net results of a round for one holder of a bankroll, in whole smallest units.

    Args:
        unit: Smallest units in one unit of stake.
        results: (Net result, probability).
    """

    unit: int
    results: tuple[tuple[int, Fraction], ...]

    @property
    def mean(self) -> Fraction:
        """Expected net result of a round."""
        return sum((step * chance for step, chance in self.results), Fraction(0))

    @property
    def asked(self) -> int:
        """The most that a round can cost, and at least the stake."""
        return max(self.unit, -min(step for step, _ in self.results))


def steps_of(figures: WagerFigures, holder: str) -> Steps:
    """Returns the net results of a round for the player or for the house.

    Raises:
        InputError: The holder is neither.
    """
    if holder not in (PLAYER, HOUSE):
        raise InputError(f"no bankroll of {holder!r}: expected {PLAYER} or {HOUSE}")
    sign = 1 if holder == PLAYER else -1
    unit = math.lcm(*(net.denominator for net, _ in figures.net))
    return Steps(unit, tuple((int(sign * net * unit), chance) for net, chance in figures.net if chance))


MOST_RESULTS: Final = 256
"""Different net results up to which ruin is carried from round to round; of more it is left out."""


MOST_STEPS: Final = 100_000
"""Different net results times the parts of a unit that they are counted in, up to which ruin is carried."""


def ruin_is_carried(figures: WagerFigures) -> bool:
    """Returns whether figures of ruin are given: single net results are known, few enough, and not too fine."""
    return (
        figures.all_listed
        and len(figures.net) <= MOST_RESULTS
        and len(figures.net) * steps_of(figures, PLAYER).unit <= MOST_STEPS
    )


def ruin_in_the_long_run(figures: WagerFigures, bankroll: int, holder: str = PLAYER) -> RuinEver:
    """Returns bounds on the probability that a bankroll is ever ruined.

    Args:
        figures: Exact figures of the wager.
        bankroll: Units at the start.
        holder: ``player`` or ``house``.

    Raises:
        InputError: The bankroll is not positive.

    Source: F. Lundberg's inequality for random walks, with the lower bound by the same martingale.
    """
    if bankroll < 1:
        raise InputError("ruin needs a bankroll of at least one unit")
    steps = steps_of(figures, holder)
    held = bankroll * steps.unit
    if held < steps.asked:
        return RuinEver(bankroll, 1.0, 1.0)
    if all(step >= 0 for step, _ in steps.results):
        return RuinEver(bankroll, 0.0, 0.0)
    if steps.mean <= 0:
        return RuinEver(bankroll, 1.0, 1.0)
    low, high = lundberg_base(steps)
    # When it is ruined the bankroll is between 0 and one smallest unit less than a round asks for.
    at_least, at_most = power(low, held), power(high, held - steps.asked + 1)
    return RuinEver(
        bankroll, max(math.nextafter(at_least, 0.0), 0.0), min(math.nextafter(at_most, math.inf), 1.0)
    )


def power(base: Fraction, exponent: int) -> float:
    """Returns a power of a number between 0 and 1, to the last place of a float or one next to it.

    >>> power(Fraction(1, 2), 10) == 2.0**-10, power(Fraction(9, 10), 10**7)
    (True, 0.0)
    """
    return float(_LONG.power(_LONG.divide(base.numerator, base.denominator), exponent))


def lundberg_base(steps: Steps) -> tuple[Fraction, Fraction]:
    """Returns two numbers around the r below 1 where the mean of r^X is 1, from a walk that drifts upwards.

    Below r the mean is above 1 and r'^bankroll falls no faster than ruin; above r it is not, and the bound holds.
    """
    depth = -min(step for step, _ in steps.results)
    scale = math.lcm(*(chance.denominator for _, chance in steps.results))
    terms = [(step + depth, int(chance * scale)) for step, chance in steps.results]
    degree = max(power for power, _ in terms)
    low, high = 0, 1 << _BITS
    while high - low > 1:
        middle = (low + high) // 2
        # All terms times 2^(bits * degree), so that whole numbers are compared.
        mean = sum(weight * middle**power << _BITS * (degree - power) for power, weight in terms)
        if mean > scale * middle**depth << _BITS * (degree - depth):
            low = middle
        else:
            high = middle
    return Fraction(low, 1 << _BITS), Fraction(high, 1 << _BITS)


class StakedAs(StrEnum):
    """How a round is staked that figures are of."""

    ALONE = "alone"
    AMONG = "among other configurations"
    METERED = "with meters that the figures leave out"


def long_run_evidence(figures: WagerFigures, staked: StakedAs = StakedAs.ALONE) -> LongRun:
    """Returns who is ruined in the long run, with the sentence that says it."""
    net, carried = figures.expectation, ruin_is_carried(figures) and staked is not StakedAs.METERED
    side = "player" if net > 0 else "bank" if net < 0 else "nobody"
    return LongRun(
        player=tuple(
            ruin_in_the_long_run(figures, bankroll, PLAYER) for bankroll in PLAYER_BANKROLLS if carried
        ),
        house=tuple(
            ruin_in_the_long_run(figures, bankroll, HOUSE) for bankroll in HOUSE_BANKROLLS if carried
        ),
        **worded(sentence=_long_run_words(side, staked), method=say("long-run.method")),
    )


def _long_run_words(side: str, staked: StakedAs) -> Messages:
    if staked is StakedAs.METERED:
        return (say("long-run.metered"),)
    told = say(f"long-run.edge-{side}")
    return (told,) if staked is StakedAs.ALONE else (say("long-run.as-submitted"), told)


MOST_CELLS: Final = 1 << 21
"""Points of a window; where more would be needed, results are taken together and what that loses is bounded."""

TAIL: Final = math.log(1e12)
"""Each tail that is outside of a window has at most a probability of e to the minus this."""

TILTS: Final = 241
"""Exponents that are tried for the bound of a tail; every one of them gives a bound."""


@dataclass(frozen=True, slots=True)
class MeanBand:
    """Where the mean return of a number of rounds is.

    Args:
        low: Lower end: with at most half of what the confidence leaves, the mean is less.
        high: Upper end, likewise.
        covers: The probability of the band, at least; six places.
        bound: The inequality that bounds it, where its ends are no quantiles; else empty.
    """

    low: Fraction
    high: Fraction
    covers: float
    bound: str = ""


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
        offset: What the sum is above its point on average.
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
    widest = max(steps for steps, _ in lattice.results)
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
            min(sums.start + sums.scale * place + sums.offset + loose, Fraction(rounds * widest)),
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
    return MeanBand(max(Fraction(0), mean - width), mean + width, float(confidence), CHEBYSHEV)


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
    coarse = summed((steps // scale, chance) for steps, chance in results)
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
    """Returns two sums between which that of many rounds is, but for two tails of at most e^-TAIL each.

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
