"""Checks of awards: reachable, unambiguous, frequent enough, and their joint maximum stated."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import ceil
from typing import Final

from certify.clauses.catalogue import UNREAD, kept_to
from certify.clauses.checks.returns import above_floor_rounded, at_least, at_lowest, by_themselves, optimal
from certify.clauses.registry import Answer, ExactResults, exact_check, verdict_of
from certify.clauses.status import applicabilities
from certify.errors import InputError
from certify.exact import decimal_text, fraction_text, percent_text, units
from certify.families import ConfigurationKind, play, rows_won
from certify.mathematics import offered, played_apart
from certify.model import (
    LEAST_RETURN,
    RAREST_AWARD,
    Game,
    Limits,
    Row,
    Verdict,
    Wager,
    WagerFigures,
    Witness,
    completed,
)
from certify.rounds import (
    LADDER,
    Rounding,
    longest_period,
    period_of,
    returns_by_stake,
    too_fine,
    within_a_coin,
)


def _too_fine(figures: WagerFigures, limits: Limits, metered: bool = False) -> Answer:
    """Returns the answer where not every stake that the limits allow can be tried: a meter may pay any amount."""
    period = period_of(figures, limits)
    return Answer(
        Verdict.INCONCLUSIVE,
        f"single pays that repeat within {longest_period(figures)} stakes",
        f"they repeat after {period if period < 10**12 else 'more than a million million'}"
        if figures.all_listed and not metered
        else "not every single pay is listed",
        subject=figures.wager,
        reason="not every stake can be tried",
    )


@exact_check("returns.at-every-stake", "At every stake, rounding included, each wager returns at least 75 %")
def at_every_stake(results: ExactResults) -> Iterable[Answer]:
    """The floor of GLI-19 v3.0 4.7.1(a) at each stake level by itself."""
    rule = results.regime.policy(results.game.terms).rounding
    for wager in by_themselves(results.game):
        yield _at_stakes(results, wager, rule)
    yield from above_floor_rounded(results.game, rule)


def _at_stakes(results: ExactResults, wager: Wager, rule: Rounding) -> Answer:
    """Returns what the returns of a wager are at each of its stakes."""
    play = optimal(results, wager.id)
    figures, limits = play.figures, wager.limits
    fine, (least, _) = too_fine(figures, limits), within_a_coin(figures, limits, rule)
    if fine and figures.varies and least >= LEAST_RETURN:
        return Answer(
            Verdict.SATISFIED,
            at_least(wager.limits, rule),
            f"{percent_text(least)} % at least: {percent_text(figures.return_to_player)} % less a whole "
            f"{units(1, limits.currency)} {limits.currency} in each round that returns anything, "
            "at the least stake",
            subject=wager.id,
            evidence=(play.evidence(wager.id), "/rounds/policy"),
            tried=1,
        )
    if fine:
        return _too_fine(figures, limits)
    above, _ = play.at_least(LEAST_RETURN)
    if above is not Verdict.SATISFIED:
        # One fact is reported once: what no rounding causes is the other check's to tell.
        return Answer(
            Verdict.NOT_APPLICABLE,
            "a wager that returns at least 75 % where nothing is rounded",
            play.words,
            subject=wager.id,
            reason="its return is judged before any rounding, and not above the floor there",
            evidence=(play.evidence(wager.id),),
        )
    by_stake = tuple(returns_by_stake(figures, wager.limits, rule))
    least, stake = min((value, stake) for stake, value in by_stake)
    even = all(value == figures.return_to_player for _, value in by_stake)
    verdict, reason = verdict_of(least >= LEAST_RETURN), ""
    observed = f"{percent_text(least)} % at least"
    if even:
        verdict, reason = play.at_least(LEAST_RETURN)
    elif figures.bracket is not None:
        return _answered_otherwise(wager.id)
    if figures.bracket is not None:
        observed = play.words
    verdict, reason = at_lowest(results.game, wager.id, verdict, reason)
    return Answer(
        verdict,
        at_least(limits, rule),
        observed
        + (
            ": every payout is a whole coin"
            if even
            else f", at {units(stake, limits.currency)} {limits.currency}"
        ),
        subject=wager.id,
        reason=reason,
        evidence=(play.evidence(wager.id), "/rounds/policy"),
        tried=len(by_stake),
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
    kinds = {one.id: one.kind for one in offered(results.game)}
    metered = ConfigurationKind.SEED in kinds.values()
    for wager in results.game.wagers:
        play = optimal(results, wager.id)
        yield replace(
            _greatest_fall(play.figures, wager.limits, rule, metered),
            subject=wager.id,
            evidence=(play.evidence(wager.id),),
        )
    for named, (own, analysis) in played_apart(results.game).items():
        # A gamble stakes whole coins.
        for figures in analysis.wagers if kinds[named] is not ConfigurationKind.GAMBLE else ():
            yield replace(
                _greatest_fall(figures, own.wager(figures.wager).limits, rule, metered), subject=named
            )


def _greatest_fall(figures: WagerFigures, limits: Limits, rule: Rounding, metered: bool) -> Answer:
    """Returns by how much a return falls most."""
    if metered or too_fine(figures, limits):
        return _too_fine(figures, limits, metered)
    highest, fall, stakes = Fraction(0), Fraction(0), 0
    for _, value in returns_by_stake(figures, limits, rule):
        highest, stakes = max(highest, value), stakes + 1
        fall = max(fall, highest - value)
    if figures.bracket is not None and fall:
        return _answered_otherwise(figures.wager)
    return Answer(
        verdict_of(fall <= LADDER),
        "a fall of at most 0.01 percentage points from any stake to a greater one",
        f"{percent_text(fall, 4)} percentage points, payouts rounded {rule}",
        tried=stakes,
    )


@exact_check("awards.reachable", "Every paytable row is produced by a deck that is printed and replayed")
def reachable(results: ExactResults) -> Iterable[Answer]:
    """A witness deck for each row, played by the reference engine."""
    game = results.game
    shown = {(witness.wager, witness.row) for witness in results.witnesses if _produces(results, witness)}
    for wager in game.wagers:
        missing = [row for row in wager.paytable.ids if (wager.id, row) not in shown]
        yield Answer(
            verdict_of(not missing),
            f"a replayed deck for each row, rows: {len(wager.paytable.ids)}",
            f"missing: {', '.join(missing)}" if missing else f"rows replayed: {len(wager.paytable.ids)}",
            subject=wager.id,
            evidence=("/witnesses",),
            tried=len(wager.paytable.ids),
        )


def _produces(results: ExactResults, witness: Witness) -> bool:
    """Returns whether the reference engine agrees that a witness produces its row."""
    game = results.game
    try:
        played = play(game.port.reference(game), witness.deck, witness.decisions)
    except InputError:
        return False
    return witness.row in rows_won(game, played, witness.wager)


@exact_check("awards.top-odds", "The top award of each wager is at least as frequent as 1 in 100,000,000")
def top_odds(results: ExactResults) -> Iterable[Answer]:
    """The exact odds of the top award under the strategy named for the wager, and of each variant and bet level."""
    yield from _top_awards(results, RAREST_AWARD, "at least 1 in 100,000,000")


@exact_check("awards.local-odds", "No wager has a top award rarer than the jurisdiction allows")
def local_odds(results: ExactResults) -> Iterable[Answer]:
    """The odds beyond which a jurisdiction allows no award, displayed or not."""
    limits = results.regime.rarest_awards(applicabilities(results.game))
    if not limits:
        yield Answer(
            Verdict.NOT_APPLICABLE,
            "odds that the jurisdiction allows",
            "none stated",
            reason="no jurisdiction of this report forbids awards by their odds",
        )
    for limit in limits:
        rarest = f"at least 1 in {decimal_text(1 / limit.value, 0)} ({limit.reference})"
        for answer in _top_awards(results, limit.value, rarest):
            if answer.verdict is Verdict.NOT_SATISFIED:
                verdict = kept_to(limit, holds=False)
                answer = replace(answer, verdict=verdict, reason="" if limit.read else UNREAD)
            yield answer


_UNCOUNTED: Final = "the expected number is computed, not the probability that a round wins any"

_PRINTED = 40
"""Longest fraction that is in a line; longer ones are in the evidence alone."""


def _top_chance(figures: WagerFigures) -> tuple[Fraction, Fraction]:
    """Returns between which chances a round wins the top award, per unit staked: more staked is no greater award."""
    if figures.top is not None:
        return figures.top.chances
    highest = max(outcome.pays / outcome.staked for outcome in figures.outcomes)
    chance = sum(
        (one.probability for one in figures.outcomes if one.pays / one.staked == highest), Fraction(0)
    )
    return chance, chance


def _winning(results: ExactResults, wager: str) -> str:
    """Returns the strategy named for a wager; where it never wins the top award, the one that wins it most often.

    Of two ways of playing that return the same, the one that stakes no more may leave an award to the other.
    """

    def chance(name: str) -> Fraction:
        return _top_chance(results.analyses[name].wager(wager))[1]

    named = results.strategy_of[wager]
    return named if chance(named) else max(results.analyses, key=chance)


def _top_awards(results: ExactResults, rarest: Fraction, expected: str) -> Iterator[Answer]:
    """Yields what is found about the top award of each wager, and of the configurations that state one of their own."""
    for wager in results.game.wagers:
        strategy = _winning(results, wager.id)
        figures = results.analyses[strategy].wager(wager.id)
        place = f"/analysis/{strategy}/wagers/{wager.id}/top_award"
        yield replace(_top_award(figures, rarest, expected), subject=wager.id, evidence=(place,))
    for named, (_, analysis) in played_apart(results.game).items():
        for figures in analysis.wagers:
            if figures.top is not None:
                yield replace(_top_award(figures, rarest, expected), subject=named)


def _top_award(figures: WagerFigures, rarest: Fraction, expected: str) -> Answer:
    """Returns what is found about a top award: nothing where the limit is between what is proven of its chance."""
    least, most = _top_chance(figures)
    found = [_odds(one) for one in (most, least)]
    undecided = least < rarest <= most
    return Answer(
        Verdict.INCONCLUSIVE if undecided else verdict_of(least >= rarest),
        expected,
        found[0]
        if found[0] == found[1]
        else f"at most {found[0]}" + (f"; at least {found[1]}" if least else ""),
        reason=_UNCOUNTED if undecided else "",
        tried=1,
    )


def _odds(chance: Fraction) -> str:
    if not chance:
        return "never"
    odds, exactly = decimal_text(1 / chance, 0), fraction_text(chance)
    return f"{exactly}, about 1 in {odds}" if len(exactly) <= _PRINTED else f"about 1 in {odds}"


@exact_check(
    "exposure.stated",
    "The highest win over all wagers together is computed, with a deal that produces it",
    own="Whether the rules disclose highest wins (GLI-19 4.4.1(r)) is for a person to read; this gives the amount",
)
def exposure_stated(results: ExactResults) -> Iterable[Answer]:
    """The witness of the highest joint win is replayed and pays just that; a bound is held against every witness.

    Where there is no end of what a round may win, no win is the highest, whatever the longest round played here pays.
    """
    exposure = results.exposure
    endless = any(one.endless for analysis in results.analyses.values() for one in analysis.wagers)
    if not exposure.attained:
        yield _not_replayed(results, endless=endless)
        return
    paid = _paid(results.game, exposure.deck, exposure.decisions, dict(exposure.stakes))
    right = paid == exposure.amount
    yield Answer(
        Verdict.NOT_APPLICABLE if endless and right else verdict_of(right),
        f"the replayed deal pays {units(exposure.amount, exposure.currency)} {exposure.currency} net",
        "the deal cannot be played as stated"
        if paid is None
        else f"{units(paid, exposure.currency)} {exposure.currency} net",
        reason=_NO_END if endless and right else "",
        evidence=("/exposure",),
        tried=1,
    )


_DEARER: Final = "another wagering configuration may cost more: of each a bound is stated"

_NO_END: Final = "what a round may win has no limit: no win is the highest"


def _not_replayed(results: ExactResults, *, endless: bool) -> Answer:
    """Returns what is found about a highest win that no round shows: a witness beyond it refutes it.

    It is exact where the highest result of the one wager, which is counted apart with its chance, costs just so much.
    """
    exposure, stakes = results.exposure, dict(results.exposure.stakes)
    paid = [_paid(results.game, one.deck, one.decisions, stakes) for one in results.witnesses]
    most = max((one for one in paid if one is not None), default=0)
    currency = exposure.currency
    amount, dearest = units(exposure.amount, currency), f"{units(most, currency)} {currency}"
    chance = None if endless else _chance_of_just(results)
    verdict, reason = Verdict.INCONCLUSIVE, "the amount is a bound: the round that costs most was not found"
    observed = (
        f"at most {amount} {currency}, counted; not proven to be reached; "
        f"the most expensive replayed round costs {dearest}"
    )
    if endless:
        verdict, reason = Verdict.NOT_APPLICABLE, _NO_END
        observed = (
            f"{amount} {currency} in rounds as long as are played here; "
            f"the most expensive replayed round costs {dearest}"
        )
    elif chance is not None:
        verdict, reason, odds = Verdict.SATISFIED, "", decimal_text(1 / chance, 0)
        observed = (
            f"{amount} {currency}, counted: about 1 round in {odds} costs as much; "
            f"the most expensive replayed round costs {dearest}"
        )
        # What is gambled with, paid from a meter or staked otherwise is in no round as submitted.
        limits = results.game.wagers[0].limits
        if any((one.exposure(limits) or 0) > exposure.amount for one in offered(results.game)):
            verdict, reason = Verdict.NOT_APPLICABLE, _DEARER
    within = most <= exposure.amount
    return Answer(
        verdict if within else Verdict.NOT_SATISFIED,
        "a bound that no replayed round exceeds",
        observed,
        reason=reason if within else "",
        evidence=("/exposure", "/witnesses"),
        tried=len(paid),
    )


def _chance_of_just(results: ExactResults) -> Fraction | None:
    """Returns how often a round costs just the stated amount, where the figures of its one wager say that."""
    figures = next(iter(results.analyses.values())).wagers
    odds = figures[0].odds if len(figures) == 1 else None
    if odds is None or odds.highest is None:
        return None
    most = ceil(odds.highest * results.game.wagers[0].limits.maximum)
    return odds.highest_chance if most == results.exposure.amount else None


def _paid(game: Game, deck: Row, decisions: Sequence[str], stakes: Mapping[str, int]) -> int | None:
    """Returns what a round really pays at some stakes in minor units, None if it cannot be played.

    Broken minor units of each wager count in the player's favour, as in the amount that is stated.
    """
    try:
        row = completed(game.equipment, deck)
        played = play(game.port.reference(game), row, decisions)
    except InputError:
        return None
    # Net results are in units of the initial stake; the stated stakes hold what was added to it in that round.
    return sum(ceil(one.net * stakes[one.wager] / one.staked) for one in played.results if one.net)
