"""What rounding payouts to whole coins does to a return, at every stake that the limits allow."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from certify.model.figures import WagerFigures
from certify.model.game import Limits
from certify.rounds.money import Rounding, return_at_stake

LADDER: Final = Fraction(1, 10_000)
"""N.J.A.C. 13:69E-1.28A(d): the return may fall by 0.01 percentage points as the wager grows."""

LONGEST_PERIOD: Final = 10_000
"""Pays whose common denominator is greater are not those of a table; they decide nothing."""

FAR: Final = int(2 / LADDER)
"""Beyond this stake no two returns differ by more than LADDER: less than one coin in each is rounded."""


def returns_by_stake(figures: WagerFigures, limits: Limits, rule: Rounding) -> Iterator[tuple[int, Fraction]]:
    """Yields the exact return at every stake from the least to the greatest, in minor units.

    What rounding adds or takes depends on the stake modulo twice the common denominator of the pays only
    (twice, because rounding to even looks at the parity of the coin), so that it is computed once for each
    remainder. Where it adds and takes nothing, the ends of the range stand for all stakes. At stakes a whole
    period beyond FAR the same remainders weigh less than at those before, and are left out.
    """
    exact, shifts, tried = figures.return_to_player, _shifts(figures, limits, rule), _tried(figures, limits)
    if not any(shifts.values()):
        yield from ((stake, exact) for stake in (limits.minimum, limits.maximum))
        return
    period = period_of(figures)
    for stake in tried:
        rounding = shifts[stake % period]
        yield stake, exact + rounding / stake if rounding else exact


def _shifts(figures: WagerFigures, limits: Limits, rule: Rounding) -> dict[int, Fraction]:
    """Returns by the remainder of a stake what rounding adds to its return, times the stake."""
    exact, period = figures.return_to_player, period_of(figures)
    first = range(limits.minimum, min(limits.maximum, limits.minimum + period - 1) + 1)
    return {stake % period: stake * (return_at_stake(figures, stake, rule) - exact) for stake in first}


def _tried(figures: WagerFigures, limits: Limits) -> range:
    return range(limits.minimum, min(limits.maximum, max(limits.minimum, FAR) + period_of(figures)) + 1)


def period_of(figures: WagerFigures) -> int:
    """Returns after how many minor units rounding repeats itself."""
    return 2 * math.lcm(*(outcome.pays.denominator for outcome in figures.outcomes))


def within_a_coin(figures: WagerFigures, limits: Limits, rule: Rounding) -> tuple[Fraction, Fraction]:
    """Returns bounds of the return at every stake, where single results are too many to be rounded one by one.

    Rounding changes what a round returns by less than one minor unit, and where nothing is returned by nothing; that
    is most of the least stake.
    """
    returned = sum((one.probability for one in figures.outcomes if one.pays > -1 or one.varies), Fraction(0))
    exact, coin = figures.return_to_player, returned / limits.minimum
    return exact - (0 if rule is Rounding.UP else coin), exact + (0 if rule is Rounding.DOWN else coin)


@dataclass(frozen=True, slots=True)
class AtStake:
    """A return with the stake in minor units of the currency at which it holds."""

    value: Fraction
    stake: int
    currency: str


def extreme_returns(figures: WagerFigures, limits: Limits, rule: Rounding) -> tuple[AtStake, AtStake]:
    """Returns the least and the greatest return at any stake that the limits allow, each at the least such stake.

    Where the pays are too fine for every stake to be tried, the return at the least stake stands for them: there a
    coin is the greatest part of the stake.
    """
    if period_of(figures) > LONGEST_PERIOD:
        only = AtStake(return_at_stake(figures, limits.minimum, rule), limits.minimum, limits.currency)
        return only, only
    exact, shifts, tried = figures.return_to_player, _shifts(figures, limits, rule), _tried(figures, limits)
    period = period_of(figures)
    # What rounding does to the stakes of one remainder becomes less with each: the first and the last are the extremes.
    ends = {*tried[:period], *tried[-period:]}
    every = [
        AtStake(exact + shifts[stake % period] / stake, stake, limits.currency) for stake in sorted(ends)
    ]
    return min(every, key=lambda one: (one.value, one.stake)), max(
        every, key=lambda one: (one.value, -one.stake)
    )
