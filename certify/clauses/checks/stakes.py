"""Checks of what rounding to whole coins does to returns, at every stake that the limits allow."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from certify.clauses.checks.optimal_play import optimal
from certify.clauses.registry import Answer, exact_check, verdict_of
from certify.clauses.results import ExactResults
from certify.currency import units
from certify.exact import percent_text
from certify.model.finding import Verdict
from certify.model.game import LEAST_RETURN, Limits
from certify.rounds.money import LADDER, LONGEST_PERIOD, Rounding, period_of, returns_by_stake, within_a_coin


def _too_fine(wager: str, period: int) -> Answer:
    """Returns the answer where the pays are too fine to look at every remainder."""
    return Answer(
        Verdict.INCONCLUSIVE,
        f"pays that repeat within {LONGEST_PERIOD} minor units",
        f"they repeat after {period if period < 10**12 else 'more than a million million'}",
        subject=wager,
        reason="the common denominator of the pays is too great",
    )


def _at_least(limits: Limits, rule: Rounding) -> str:
    """Returns what is expected at every stake."""
    least, most = units(limits.minimum, limits.currency), units(limits.maximum, limits.currency)
    stakes = f"from {least} to {most} {limits.currency}"
    return f"at least 75 % at every stake {stakes}, payouts rounded {rule}"


@exact_check("returns.at-every-stake", "At every stake, rounding included, each wager returns at least 75 %")
def at_every_stake(results: ExactResults) -> Iterable[Answer]:
    """The floor of GLI-19 v3.0 4.7.1(a) at each stake level by itself."""
    rule = results.regime.policy(results.game.terms).rounding
    for wager in results.game.wagers:
        play = optimal(results, wager.id)
        figures, limits = play.figures, wager.limits
        least, _ = within_a_coin(figures, limits, rule)
        if figures.varies and least >= LEAST_RETURN:
            yield Answer(
                Verdict.SATISFIED,
                _at_least(wager.limits, rule),
                f"{percent_text(least)} % at least: {percent_text(figures.return_to_player)} % less a whole "
                f"{units(1, limits.currency)} {limits.currency} in each round that returns anything, "
                "at the least stake",
                subject=wager.id,
                evidence=(play.evidence(wager.id), "/rounds/policy"),
            )
            continue
        if figures.varies or period_of(figures) > LONGEST_PERIOD:
            yield _too_fine(wager.id, period_of(figures))
            continue
        above, _ = play.at_least(LEAST_RETURN)
        if above is not Verdict.SATISFIED:
            # One fact is told once: what no rounding causes is the other check's to tell.
            yield Answer(
                Verdict.NOT_APPLICABLE,
                "a wager that returns at least 75 % where nothing is rounded",
                play.words,
                subject=wager.id,
                reason="its return is judged before any rounding, and not above the floor there",
                evidence=(play.evidence(wager.id),),
            )
            continue
        by_stake = tuple(returns_by_stake(figures, wager.limits, rule))
        least, stake = min((value, stake) for stake, value in by_stake)
        even = all(value == figures.return_to_player for _, value in by_stake)
        verdict, reason = verdict_of(least >= LEAST_RETURN), ""
        observed = f"{percent_text(least)} % at least"
        if even:
            verdict, reason = play.at_least(LEAST_RETURN)
        elif figures.bracket is not None:
            yield _answered_otherwise(wager.id)
            continue
        if figures.bracket is not None:
            observed = play.words
        yield Answer(
            verdict,
            _at_least(limits, rule),
            observed
            + (
                ": every payout is a whole coin"
                if even
                else f", at {units(stake, limits.currency)} {limits.currency}"
            ),
            subject=wager.id,
            reason=reason,
            evidence=(play.evidence(wager.id), "/rounds/policy"),
        )


def _answered_otherwise(wager: str) -> Answer:
    """Returns the answer where rounding changes the pays that a second party answers."""
    return Answer(
        Verdict.INCONCLUSIVE,
        "payouts that are whole coins at every stake",
        "some are rounded",
        subject=wager,
        reason="a second party decides too, and what it secures is proven for the pays as printed alone",
    )


@exact_check(
    "returns.stake-ladder",
    "No return falls by more than 0.01 percentage points as the stake grows",
)
def stake_ladder(results: ExactResults) -> Iterable[Answer]:
    """The greatest fall of the exact return from one stake to any greater one."""
    rule = results.regime.policy(results.game.terms).rounding
    for wager in results.game.wagers:
        play = optimal(results, wager.id)
        figures = play.figures
        if period_of(figures) > LONGEST_PERIOD:
            yield _too_fine(wager.id, period_of(figures))
            continue
        highest, fall = Fraction(0), Fraction(0)
        for _, value in returns_by_stake(figures, wager.limits, rule):
            highest = max(highest, value)
            fall = max(fall, highest - value)
        if figures.bracket is not None and fall:
            yield _answered_otherwise(wager.id)
            continue
        yield Answer(
            verdict_of(fall <= LADDER),
            "a fall of at most 0.01 percentage points from any stake to a greater one",
            f"{percent_text(fall, 4)} percentage points, payouts rounded {rule}",
            subject=wager.id,
            evidence=(play.evidence(wager.id),),
        )
