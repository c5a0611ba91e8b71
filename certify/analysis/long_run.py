"""Who is ruined in the long run, and how likely: exact certainty on one side, proven bounds on the other."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from certify.errors import InputError
from certify.evidence.par import LongRun, RuinEver
from certify.messages import say, worded
from certify.model.figures import WagerFigures

PLAYER, HOUSE = "player", "house"

PLAYER_BANKROLLS: Final = (20, 50, 100)
HOUSE_BANKROLLS: Final = (100, 1_000, 10_000)

_KEPT: Final = 256
"""Bits that are kept of a power: what is cut off changes no digit of a float."""

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


def ruin_is_carried(figures: WagerFigures) -> bool:
    """Tells whether figures of ruin are given: every single net result is known, and there are few enough."""
    return figures.all_listed and len(figures.net) <= MOST_RESULTS


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
    """Returns a power of a number between 0 and 1, to the last place of a float or one beside it.

    >>> power(Fraction(1, 2), 10) == 2.0**-10, power(Fraction(9, 10), 10**7)
    (True, 0.0)
    """
    # Numbers of so many bits, cut off: a long bankroll would ask for millions of them.
    found, shift, square, square_shift = 1, 0, int(base * (1 << _KEPT)), _KEPT
    while exponent:
        if exponent & 1:
            found, shift = _cut(found * square, shift + square_shift)
        square, square_shift = _cut(square * square, 2 * square_shift)
        exponent >>= 1
    return math.ldexp(float(found), -shift)


def _cut(number: int, shift: int) -> tuple[int, int]:
    """Returns a number without the bits that do not count, and how many places it stands below the point."""
    over = max(0, number.bit_length() - _KEPT)
    return number >> over, shift - over


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


def long_run_evidence(figures: WagerFigures) -> LongRun:
    """Returns who is ruined in the long run, with the sentence that says it."""
    net, carried = figures.expectation, ruin_is_carried(figures)
    side = "player" if net > 0 else "bank" if net < 0 else "nobody"
    return LongRun(
        player=tuple(
            ruin_in_the_long_run(figures, bankroll, PLAYER) for bankroll in PLAYER_BANKROLLS if carried
        ),
        house=tuple(
            ruin_in_the_long_run(figures, bankroll, HOUSE) for bankroll in HOUSE_BANKROLLS if carried
        ),
        **worded(sentence=say(f"long-run.edge-{side}"), method=say("long-run.method")),
    )
