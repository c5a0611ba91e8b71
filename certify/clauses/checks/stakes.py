"""Checks of what rounding to whole coins does to returns, at every stake that the limits allow."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Final

from certify.clauses.checks.returns import best_for
from certify.clauses.registry import Answer, exact_check, verdict_of
from certify.clauses.results import ExactResults
from certify.exact import percent_text
from certify.model.figures import WagerFigures
from certify.model.finding import Verdict
from certify.model.game import Wager
from certify.model.limits import LEAST_RETURN
from certify.rounds.money import Rounding, return_at_stake

LADDER: Final = Fraction(1, 10_000)
"""N.J.A.C. 13:69E-1.28A(d): the return may fall by 0.01 percentage points as the wager grows."""


LONGEST_PERIOD: Final = 10_000
"""Pays whose common denominator is greater are not those of a table; they decide nothing."""

FAR: Final = int(2 / LADDER)
"""Beyond this stake no two returns differ by more than LADDER: less than one coin in each is rounded."""


def returns_by_stake(figures: WagerFigures, wager: Wager, rule: Rounding) -> Iterator[tuple[int, Fraction]]:
    """Yields the exact return at every stake from the least to the greatest, in minor units.

    What rounding adds or takes depends on the stake modulo twice the common denominator of the pays only
    (twice, because rounding to even looks at the parity of the coin), so that it is computed once for each
    remainder. Where it adds and takes nothing, the ends of the range stand for all stakes. At stakes a whole
    period beyond FAR the same remainders weigh less than at those before, and are left out.
    """
    exact = figures.return_to_player
    least, most = wager.limits.minimum, wager.limits.maximum
    period = period_of(figures)
    shift = {
        stake % period: stake * (return_at_stake(figures, stake, rule) - exact)
        for stake in range(least, min(most, least + period - 1) + 1)
    }
    if not any(shift.values()):
        yield from ((stake, exact) for stake in (least, most))
        return
    for stake in range(least, min(most, max(least, FAR) + period) + 1):
        rounding = shift[stake % period]
        yield stake, exact + rounding / stake if rounding else exact


def period_of(figures: WagerFigures) -> int:
    """Returns after how many minor units rounding repeats itself."""
    return 2 * math.lcm(*(outcome.pays.denominator for outcome in figures.outcomes))


def _too_fine(wager: str, period: int) -> Answer:
    """Returns the answer where the pays are too fine to look at every remainder."""
    return Answer(
        Verdict.INCONCLUSIVE,
        f"pays that repeat within {LONGEST_PERIOD} minor units",
        f"they repeat after {period if period < 10**12 else 'more than a million million'}",
        subject=wager,
        reason="the common denominator of the pays is too great",
    )


def _coins(minor: int) -> str:
    """Returns an amount of minor units in units of the currency."""
    return f"{minor // 100}.{minor % 100:02}"


@exact_check("returns.at-every-stake", "At every stake, rounding included, each wager returns at least 75 %")
def at_every_stake(results: ExactResults) -> Iterable[Answer]:
    """The floor of GLI-19 v3.0 4.7.1(a) at each stake level by itself."""
    rule = results.regime.policy(results.game.terms).rounding
    for wager in results.game.wagers:
        name, figures = best_for(results, wager.id)
        if period_of(figures) > LONGEST_PERIOD:
            yield _too_fine(wager.id, period_of(figures))
            continue
        limits = wager.limits
        least, stake = min((value, stake) for stake, value in returns_by_stake(figures, wager, rule))
        even = least == figures.return_to_player
        yield Answer(
            verdict_of(least >= LEAST_RETURN),
            f"at least 75 % at every stake from {_coins(limits.minimum)} to {_coins(limits.maximum)} "
            f"{limits.currency}, payouts rounded {rule}",
            f"{percent_text(least)} % at least"
            + (": every payout is a whole coin" if even else f", at {_coins(stake)} {limits.currency}"),
            subject=wager.id,
            evidence=(f"/analysis/{name}/wagers/{wager.id}/return", "/rounds/policy"),
        )


@exact_check(
    "returns.stake-ladder",
    "No return falls by more than 0.01 percentage points as the stake grows",
    touches=("gli-19@3.0/4.7.1(a)",),
)
def stake_ladder(results: ExactResults) -> Iterable[Answer]:
    """The greatest fall of the exact return from one stake to any greater one."""
    rule = results.regime.policy(results.game.terms).rounding
    for wager in results.game.wagers:
        name, figures = best_for(results, wager.id)
        if period_of(figures) > LONGEST_PERIOD:
            yield _too_fine(wager.id, period_of(figures))
            continue
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
