"""Systems that break a promise: the exercise must find each, by the name of the promise."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime

import pytest
from rounds_faulty import (
    ChargesTheMainBetTwice,
    DealsBesideAnOpenRound,
    DealsWhileUnavailable,
    DecidesAfterTerm,
    FollowsAClockSetBack,
    ForgetsSideBets,
    IgnoresLimits,
    NeverRefunds,
    NewCardsOnResume,
    PaysAfterVoid,
    RefundsDouble,
    RefundsTwice,
    SettlesTwice,
    StartsOverOnResume,
    TakesBackEarlierWins,
    faulty,
    with_days,
    with_policy,
)
from rounds_game import TERMS, deck_from, decks, game

from certify.errors import NothingCheckedError
from certify.evidence.plain import plain
from certify.model.finding import Verdict
from certify.rounds.exercise import exercise
from certify.rounds.play import Play
from certify.rounds.policy import AfterSettlement, KnownResults, Policy, VoidStakes
from certify.rounds.system import reference_system

START = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)


@dataclass(frozen=True)
class Planted:
    system: object
    found_by: str


FAULTS = {
    "refunds twice": Planted(faulty(RefundsTwice), "void-is-final"),
    "refunds double": Planted(faulty(RefundsDouble), "malfunction-awaiting-decision"),
    "never refunds": Planted(faulty(NeverRefunds), "malfunction-awaiting-decision"),
    "forgets side bets": Planted(faulty(ForgetsSideBets), "malfunction-awaiting-decision"),
    "settles twice": Planted(faulty(SettlesTwice), "settled-once"),
    "pays after void": Planted(faulty(PaysAfterVoid), "void-is-final"),
    "decides after the term": Planted(faulty(DecidesAfterTerm), "settle-after-term"),
    "voids a known result": Planted(with_policy(known_results=KnownResults.VOID), "result-known-at-term"),
    "voids at 89 days": Planted(with_days(89), "unresolved-before-term"),
    "voids at 91 days": Planted(with_days(91), "unresolved-at-term"),
    "deals new cards on resume": Planted(faulty(NewCardsOnResume), "resume"),
    "starts over on resume": Planted(faulty(StartsOverOnResume), "resume"),
    "takes back earlier wins": Planted(faulty(TakesBackEarlierWins), "previous-wins"),
    "deals while unavailable": Planted(faulty(DealsWhileUnavailable), "unavailable-after-generator-failure"),
    "deals beside an open round": Planted(faulty(DealsBesideAnOpenRound), "one-round-at-a-time"),
    "charges too much": Planted(faulty(ChargesTheMainBetTwice), "bets-accepted"),
    "ignores limits": Planted(faulty(IgnoresLimits), "bets-within-limits"),
    "follows a clock set back": Planted(faulty(FollowsAClockSetBack), "clock-set-back"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_broken_promise_is_found(name):
    planted = FAULTS[name]
    report = exercise(game(), decks(6), START, system=planted.system)
    result = report.result(planted.found_by)
    assert result.verdict is Verdict.NOT_SATISFIED
    assert report.verdict is Verdict.NOT_SATISFIED
    assert result.failures > 0
    assert "the shortest: expected" in result.observed
    assert result.evidence[0].startswith("balance ")


def test_the_reference_keeps_every_promise():
    report = exercise(game(), decks(12), START)
    assert {result.id: result.verdict for result in report.situations} == {
        result.id: Verdict.SATISFIED for result in report.situations
    }
    # Decks for rows in which no round of the twelve ends come besides.
    assert 12 <= report.decks <= 16
    assert report.rounds > report.points > 12
    assert all(result.trials for result in report.situations)


@pytest.mark.parametrize("after", list(AfterSettlement))
@pytest.mark.parametrize(
    ("stakes", "known"),
    [*((stakes, KnownResults.STAND) for stakes in VoidStakes), (VoidStakes.RETURN, KnownResults.VOID)],
)
def test_every_policy_can_be_kept(after, stakes, known):
    policy = Policy(after_settlement=after, void_stakes=stakes, known_results=known)
    report = exercise(game(), decks(4), START, policy=policy)
    assert {one.verdict for one in report.situations if one.trials} == {Verdict.SATISFIED}
    # Under the other reading no result stands past the term: then there is nothing to try.
    untried = {one.id for one in report.situations if not one.trials}
    assert untried == ({"result-known-at-term"} if known is KnownResults.VOID else set())


def test_a_policy_that_the_system_does_not_keep_is_found():
    report = exercise(
        game(),
        decks(4),
        START,
        policy=Policy(void_stakes=VoidStakes.FORFEIT),
        system=lambda edition, *rest: reference_system(replace(edition, policy=Policy()), *rest),
    )
    assert report.result("unresolved-at-term").verdict is Verdict.NOT_SATISFIED


def test_what_the_terms_do_not_promise_does_not_apply():
    terms = replace(TERMS, malfunction_voids_all=False, resume_after_disconnection=False)
    report = exercise(game(terms), decks(2), START)
    not_applicable = {r.id for r in report.situations if r.verdict is Verdict.NOT_APPLICABLE}
    assert {"malfunction-before-deal", "void-is-final", "resume"} <= not_applicable
    assert report.verdict is Verdict.SATISFIED


def test_terms_of_thirty_days_are_exercised_at_thirty_days():
    report = exercise(game(replace(TERMS, unresolved_void_after_days=30)), decks(2), START)
    assert report.verdict is Verdict.SATISFIED
    assert "30 days" in report.result("unresolved-at-term").expected


def test_without_a_win_the_promise_about_wins_is_inconclusive(monkeypatch):
    monkeypatch.setattr(Play, "witnesses", lambda play, beside: ())
    # 2 of Denari against 7 of Denari: standing loses, and the 7 of Coppe that a hit draws is bust.
    losing = deck_from(4, 24, 25)
    report = exercise(game(), (losing,), START)
    assert report.result("previous-wins").verdict is Verdict.INCONCLUSIVE
    assert report.verdict is Verdict.INCONCLUSIVE


def test_no_decks_are_never_a_pass():
    with pytest.raises(NothingCheckedError):
        exercise(game(), (), START)


def test_the_evidence_is_plain():
    evidence = plain(exercise(game(), decks(1), START))
    assert set(evidence) == {"situations", "policy", "stakes", "decks", "points", "rounds"}
    assert evidence["policy"]["void_after_days"] == "90"
    assert evidence["stakes"] == {"main": 300, "partita-perfetta": 500, "mano-di-poker": 700}
    first = evidence["situations"][0]
    assert first["verdict"] == "satisfied"
    assert first["evidence"]
