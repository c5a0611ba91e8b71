"""Checks of what rounding to whole coins does to returns, at every stake that the limits allow."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Final

from certify.clauses.checks.returns import FLOOR, best_for
from certify.clauses.registry import Answer, check, verdict_of
from certify.clauses.results import Results
from certify.exact import percent_text
from certify.model.figures import WagerFigures
from certify.model.game import Wager
from certify.rounds.money import Rounding, return_at_stake

LADDER: Final = Fraction(1, 10_000)
"""N.J.A.C. 13:69E-1.28A(d): the return may fall by 0.01 percentage points as the wager grows."""


def returns_by_stake(figures: WagerFigures, wager: Wager, rule: Rounding) -> Iterator[tuple[int, Fraction]]:
    """Yields the exact return at every stake from the least to the greatest, in minor units.

    What rounding adds or takes at a stake depends on the stake modulo twice the common denominator of the
    pays only (twice, because rounding to even looks at the parity of the coin), so that it is computed once
    for each remainder.
    """
    exact = figures.return_to_player
    period = 2 * math.lcm(*(outcome.pays.denominator for outcome in figures.outcomes))
    shift = {
        stake % period: stake * (return_at_stake(figures, stake, rule) - exact)
        for stake in range(
            wager.limits.minimum, min(wager.limits.maximum, wager.limits.minimum + period - 1) + 1
        )
    }
    for stake in range(wager.limits.minimum, wager.limits.maximum + 1):
        rounding = shift[stake % period]
        yield stake, exact + rounding / stake if rounding else exact


@check("returns.at-every-stake", "At every stake, rounding included, each wager returns at least 75 %")
def at_every_stake(results: Results) -> Iterable[Answer]:
    """The floor of GLI-19 v3.0 4.7.1(a) at each stake level by itself."""
    rule = results.regime.policy(results.game.terms).rounding
    for wager in results.game.wagers:
        name, figures = best_for(results, wager.id)
        least, stake = min((value, stake) for stake, value in returns_by_stake(figures, wager, rule))
        even = least == figures.return_to_player
        yield Answer(
            verdict_of(least >= FLOOR),
            f"at least 75 % at every stake from {wager.limits.minimum} to {wager.limits.maximum} minor units, "
            f"payouts rounded {rule}",
            f"{percent_text(least)} % at least"
            + (": every payout is a whole coin" if even else f", at {stake} minor units"),
            subject=wager.id,
            evidence=(f"/analysis/{name}/wagers/{wager.id}/return", "/rounds/policy"),
        )


@check("returns.stake-ladder", "No return falls by more than 0.01 percentage points as the stake grows")
def stake_ladder(results: Results) -> Iterable[Answer]:
    """The greatest fall of the exact return from one stake to any greater one."""
    rule = results.regime.policy(results.game.terms).rounding
    for wager in results.game.wagers:
        name, figures = best_for(results, wager.id)
        highest, fall = Fraction(0), Fraction(0)
        for _, value in returns_by_stake(figures, wager, rule):
            highest = max(highest, value)
            fall = max(fall, highest - value)
        yield Answer(
            verdict_of(fall <= LADDER),
            "a fall of at most 0.01 percentage points from any stake to a greater one",
            f"{percent_text(fall, 4)} percentage points, payouts rounded {rule}",
            subject=wager.id,
            evidence=(f"/analysis/{name}/wagers/{wager.id}/return",),
        )
