"""Systems that break a promise: exercise and conformance find each, by the name of the promise."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from fractions import Fraction

import pytest
from representatives import firsts
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
from rounds_open_card_game import (
    CASINO,
    HOME,
    KING,
    LOSES,
    TIES,
    ChargesAgainUnderTheKey,
    ChargesTheFinalBetLate,
    ChargesTheFinalBetTwice,
    DealsWithoutCover,
    DrawsForTheDealerAgainOnResume,
    FoldLosesAFinalBet,
    ForgetsFinalBetAfterTheTerm,
    ForgetsFinalBetOnMalfunction,
    HidesTheOpenCard,
    HidesTheOpenCardAfterwards,
    KeepsFinalBetOfReversedRound,
    PaysTheAnteAlone,
    TakesAnyFinalBet,
    with_king_paid,
)

from certify.errors import NothingCheckedError
from certify.evidence.encode import plain
from certify.model.finding import Verdict
from certify.rounds.conformance.conform import conform
from certify.rounds.conformance.judge import PromiseId
from certify.rounds.exercise import ADDED_STAKE, SHOWN_FACE, exercise, situations_of
from certify.rounds.play import Play, edition_of
from certify.rounds.policy import AfterSettlement, KnownResults, Policy, VoidStakes
from certify.rounds.situations import SITUATIONS
from certify.rounds.system import reference_system

START = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)

VOIDS_RESULTS = Policy(known_results=KnownResults.VOID)
"""Where a decision that adds a stake ends the round, only the other reading has added stakes at the term."""


@dataclass(frozen=True)
class Planted:
    system: object
    found_by: str
    policy: Policy | None = None


# A fault that concerns every game is told to both.
EVERY = {
    "refunds twice": Planted(faulty(RefundsTwice), "void-is-final"),
    "settles twice": Planted(faulty(SettlesTwice), "settled-once"),
    "decides after the term": Planted(faulty(DecidesAfterTerm), "settle-after-term"),
    "voids at 89 days": Planted(with_days(89), "unresolved-before-term"),
    "voids at 91 days": Planted(with_days(91), "unresolved-at-term"),
    "deals while unavailable": Planted(faulty(DealsWhileUnavailable), "unavailable-after-generator-failure"),
}

PLAIN = EVERY | {
    "refunds double": Planted(faulty(RefundsDouble), "malfunction-awaiting-decision"),
    "never refunds": Planted(faulty(NeverRefunds), "malfunction-awaiting-decision"),
    "forgets side bets": Planted(faulty(ForgetsSideBets), "malfunction-awaiting-decision"),
    "pays after void": Planted(faulty(PaysAfterVoid), "void-is-final"),
    "voids a known result": Planted(with_policy(known_results=KnownResults.VOID), "result-known-at-term"),
    "deals new cards on resume": Planted(faulty(NewCardsOnResume), "resume"),
    "starts over on resume": Planted(faulty(StartsOverOnResume), "resume"),
    "takes back earlier wins": Planted(faulty(TakesBackEarlierWins), "previous-wins"),
    "deals beside an open round": Planted(faulty(DealsBesideAnOpenRound), "one-round-at-a-time"),
    "charges too much": Planted(faulty(ChargesTheMainBetTwice), "bets-accepted"),
    "ignores limits": Planted(faulty(IgnoresLimits), "bets-within-limits"),
    "follows a clock set back": Planted(faulty(FollowsAClockSetBack), "clock-set-back"),
}

OPEN_CARD = EVERY | {
    "forgets the final bet on a malfunction": Planted(
        faulty(ForgetsFinalBetOnMalfunction), "malfunction-before-settlement"
    ),
    "keeps the final bet of a reversed round": Planted(
        faulty(KeepsFinalBetOfReversedRound), "malfunction-after-settlement"
    ),
    "forgets the final bet after the term": Planted(
        faulty(ForgetsFinalBetAfterTheTerm), "unresolved-at-term", VOIDS_RESULTS
    ),
    "charges the final bet twice": Planted(faulty(ChargesTheFinalBetTwice), "bets-added-accepted"),
    "charges again under the key": Planted(faulty(ChargesAgainUnderTheKey), "bets-added-sent-again"),
    "charges the final bet late": Planted(faulty(ChargesTheFinalBetLate), "bets-added-accepted"),
    "pays the ante alone": Planted(faulty(PaysTheAnteAlone), "settlement"),
    "fold loses a final bet": Planted(faulty(FoldLosesAFinalBet), "bets-added-accepted"),
    "hides the open card": Planted(faulty(HidesTheOpenCard), "open-faces-shown"),
    "hides the open card afterwards": Planted(faulty(HidesTheOpenCardAfterwards), "open-faces-shown"),
    "deals without cover": Planted(faulty(DealsWithoutCover), "bets-added-covered"),
    "takes any final bet": Planted(faulty(TakesAnyFinalBet), "bets-added-within-rules"),
    "draws for the dealer again": Planted(faulty(DrawsForTheDealerAgainOnResume), "resume"),
    "pays the king otherwise": Planted(with_king_paid(Fraction(2)), "settlement"),
}


@pytest.mark.parametrize(
    ("planted", "played", "dealt"),
    [
        *(pytest.param(one, game(), 2, id=name) for name, one in PLAIN.items()),
        *(
            pytest.param(one, game(), 6, id=f"{name}, 6", marks=pytest.mark.slow)
            for name, one in PLAIN.items()
        ),
        *(pytest.param(one, CASINO, 1, id=f"{name}, open card") for name, one in OPEN_CARD.items()),
    ],
)
@pytest.mark.parametrize(
    "alone", [True, pytest.param(False, marks=pytest.mark.slow)], ids=["alone", "among all"]
)
def test_a_broken_promise_is_found(planted, played, dealt, alone, monkeypatch):
    if alone:
        # The situation that is to find it alone: which others a fault touches is told of some of them below.
        monkeypatch.setattr(
            "certify.rounds.exercise.situations_of",
            lambda play: [one for one in situations_of(play) if one.id == planted.found_by],
        )
    report = exercise(played, decks(dealt), START, system=planted.system, policy=planted.policy)
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


@pytest.mark.parametrize("after", firsts(list(AfterSettlement)))
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


EXACT = (
    "forgets the final bet on a malfunction",
    "keeps the final bet of a reversed round",
    "charges again under the key",
    "hides the open card",
    "deals without cover",
    "takes any final bet",
)


@pytest.mark.parametrize("name", firsts(EXACT, 2))
def test_what_is_not_touched_by_a_fault_is_not_blamed(name):
    report = exercise(CASINO, decks(1), START, system=OPEN_CARD[name].system)
    blamed = {result.id for result in report.situations if result.verdict is Verdict.NOT_SATISFIED}
    assert OPEN_CARD[name].found_by in blamed
    assert blamed <= {OPEN_CARD[name].found_by, "void-is-final", "malfunction-while-disconnected"}


def test_a_forgotten_final_bet_is_told_as_money():
    report = exercise(CASINO, (LOSES,), START, system=faulty(ForgetsFinalBetOnMalfunction))
    result = report.result("malfunction-before-settlement")
    assert "expected void, balance 9000, held 0; observed void, balance 8100, held 0" in result.observed
    assert result.evidence[-2:] == ("decide stand-1: done", "malfunction: done")


@pytest.mark.parametrize("played", firsts([CASINO, HOME]), ids=["casino", "home"])
@pytest.mark.parametrize("after", firsts(AfterSettlement))
@pytest.mark.parametrize("stakes", list(VoidStakes))
def test_every_policy_can_be_kept_on_any_decks(played, after, stakes):
    # Losing, tied and King decks alone: what shuffled decks may miss is exercised on decks made for it.
    policy = Policy(after_settlement=after, void_stakes=stakes)
    report = exercise(played, (LOSES, TIES, KING), START, policy=policy)
    assert {result.id: result.verdict for result in report.situations} == {
        result.id: Verdict.SATISFIED for result in report.situations
    }


def test_one_deck_leaves_nothing_inconclusive():
    for played, further in ((CASINO, (*SHOWN_FACE, *ADDED_STAKE)), (HOME, SHOWN_FACE)):
        report = exercise(played, (LOSES,), START)
        assert report.verdict is Verdict.SATISFIED
        assert [result.id for result in report.situations] == [
            situation.id for situation in (*SITUATIONS, *further)
        ]
        assert all(result.trials for result in report.situations)
        # The one that was given loses: the others are dealt to reach what it does not.
        assert report.decks > 1


def test_the_evidence_of_an_added_stake_is_plain():
    evidence = plain(exercise(CASINO, decks(1), START))
    assert evidence["stakes"] == {"ante": 900}
    by_id = {entry["id"]: entry for entry in evidence["situations"]}
    accepted = by_id["bets-added-accepted"]
    assert accepted["observed"].endswith("balance 7200, held 1800, stakes ante 900 + ante-added 900")
    assert accepted["evidence"][-1] == "decide stand-1: done"
    assert (
        "player 5 of diamonds, dealer J of clubs, options fold or stand-1"
        in by_id["open-faces-shown"]["observed"]
    )


STORIES = {
    "forgets the final bet on a malfunction": PromiseId.RETURNED,
    "forgets the final bet after the term": PromiseId.RETURNED,
    "charges the final bet twice": PromiseId.ADDED,
    "charges again under the key": PromiseId.DUPLICATES,
    "pays the ante alone": PromiseId.PAID,
    "fold loses a final bet": PromiseId.ADDED,
    "hides the open card": PromiseId.CARDS,
    "settles twice": PromiseId.SETTLED_ONCE,
    "voids at 91 days": PromiseId.TERM,
}


@pytest.mark.parametrize("name", firsts(STORIES, 3))
def test_stories_find_it_too(name):
    edition = edition_of(CASINO, OPEN_CARD[name].policy)
    report = conform(OPEN_CARD[name].system, edition, decks(8), START, count=1000)
    assert report.breach.promise is STORIES[name]
    assert len(report.script) <= 2 + 5, report.script


@pytest.mark.parametrize("played", firsts([HOME, CASINO]), ids=["home", "casino"])
def test_the_reference_keeps_every_promise_to_stories(played):
    report = conform(
        reference_system, edition_of(played), (*decks(6), KING), START, count=200, fixed=played is CASINO
    )
    assert report.verdict is Verdict.SATISFIED
    assert report.steps > 1500
