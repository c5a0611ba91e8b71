"""Systems that break a promise: the exercise must find each, by the name of the promise."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime

import pytest
from rounds_game import TERMS, deck_from, decks, game

from certify.errors import NothingCheckedError
from certify.model.finding import Verdict
from certify.rounds.exercise import exercise
from certify.rounds.policy import AfterSettlement, Policy, VoidStakes
from certify.rounds.state import Phase
from certify.rounds.system import Action, ReferenceSystem, Reply, reference_system

START = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)


class Faulty(ReferenceSystem):
    """The reference system with one promise broken."""

    def change(self, **changes):
        self.seat = replace(self.seat, **changes)
        return Reply(True, self.view())


class RefundsTwice(Faulty):
    def perform(self, command):
        current = self.seat.round
        if (
            command.action is Action.MALFUNCTION
            and current
            and current.phase is Phase.VOID
            and current.refunded
        ):
            return self.change(balance=self.seat.balance + current.refunded)
        return super().perform(command)


class NeverRefunds(Faulty):
    def perform(self, command):
        balance = self.seat.balance
        reply = super().perform(command)
        if reply.done and command.action is Action.MALFUNCTION:
            return self.change(balance=balance)
        return reply


class ForgetsSideBets(Faulty):
    def perform(self, command):
        current = self.seat.round
        reply = super().perform(command)
        if reply.done and command.action is Action.MALFUNCTION:
            side = sum(amount for wager, amount in current.stakes if wager != "main")
            return self.change(balance=self.seat.balance - side)
        return reply


class SettlesTwice(Faulty):
    def perform(self, command):
        current = self.seat.round
        if command.action is Action.SETTLE and current and current.phase is Phase.SETTLED:
            return self.change(balance=self.seat.balance + current.returned)
        return super().perform(command)


class PaysAfterVoid(Faulty):
    def perform(self, command):
        current = self.seat.round
        if command.action is Action.SETTLE and current and current.phase in (Phase.VOID, Phase.EXPIRED):
            return self.change(balance=self.seat.balance + 1)
        return super().perform(command)


class SettlesAfterTerm(Faulty):
    def perform(self, command):
        instant = self.clock.instant
        if command.action is Action.SETTLE and self.seat.round and self.seat.round.accepted_at:
            self.clock.instant = self.seat.round.accepted_at
        reply = super().perform(command)
        self.clock.instant = instant
        return reply


class NewCardsOnResume(Faulty):
    def perform(self, command):
        reply = super().perform(command)
        current = self.seat.round
        if reply.done and command.action is Action.RESUME and current and current.deck:
            used = 2 + len(current.player)
            fresh = (*current.deck[:used], *reversed(current.deck[used:]))
            return self.change(round=replace(current, deck=fresh))
        return reply


class StartsOverOnResume(Faulty):
    def perform(self, command):
        reply = super().perform(command)
        if reply.done and command.action is Action.RESUME and self.seat.round:
            held = self.seat.held
            fresh = replace(self.seat.round, phase=Phase.BETTING, chips=self.seat.round.stakes)
            return self.change(round=fresh, balance=self.seat.balance + held, held=0)
        return reply


class TakesBackEarlierWins(Faulty):
    def perform(self, command):
        won = self.seat.round.returned if self.seat.round else 0
        reply = super().perform(command)
        if reply.done and command.action is Action.PLACE and won:
            return self.change(balance=self.seat.balance - won)
        return reply


class DealsWhileUnavailable(Faulty):
    def perform(self, command):
        suspended = self.seat.suspended
        if command.action is Action.DEAL and suspended:
            self.seat = replace(self.seat, suspended="")
            reply = super().perform(command)
            self.seat = replace(self.seat, suspended=suspended)
            return reply
        return super().perform(command)


class DealsBesideAnOpenRound(Faulty):
    def perform(self, command):
        if command.action is Action.REBET_AND_DEAL and self.seat.round and self.seat.connected:
            self.seat = replace(self.seat, round=replace(self.seat.round, phase=Phase.SETTLED))
        return super().perform(command)


class ChargesTheMainBetTwice(Faulty):
    def perform(self, command):
        reply = super().perform(command)
        if reply.done and command.action is Action.DEAL:
            return self.change(balance=self.seat.balance - 1)
        return reply


class IgnoresLimits(Faulty):
    def perform(self, command):
        if command.action is Action.PLACE and command.amount > 500:
            command = replace(command, amount=500)
        return super().perform(command)


class FollowsAClockSetBack(Faulty):
    def perform(self, command):
        current = self.seat.round
        if current and current.phase is Phase.EXPIRED and self.clock.now() < self.seat.last_at:
            self.seat = replace(self.seat, round=self.unexpired, last_at=self.clock.now())
        reply = super().perform(command)
        if reply.done and command.action is Action.EXPIRE:
            self.unexpired = current
        return reply


def faulty(kind):
    def make(edition, balance, instant):
        sound = reference_system(edition, balance, instant)
        return kind(sound.machine, sound.clock, sound.seat, sound.deck, sound.events)

    return make


def with_days(days):
    def make(edition, balance, instant):
        changed = replace(edition, policy=replace(edition.policy, void_after_days=days))
        return reference_system(changed, balance, instant)

    return make


@dataclass(frozen=True)
class Planted:
    system: object
    found_by: str


FAULTS = {
    "refunds twice": Planted(faulty(RefundsTwice), "void-is-final"),
    "never refunds": Planted(faulty(NeverRefunds), "malfunction-awaiting-decision"),
    "forgets side bets": Planted(faulty(ForgetsSideBets), "malfunction-awaiting-decision"),
    "settles twice": Planted(faulty(SettlesTwice), "settled-once"),
    "pays after void": Planted(faulty(PaysAfterVoid), "void-is-final"),
    "settles after the term": Planted(faulty(SettlesAfterTerm), "settle-after-term"),
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
    assert report.decks == 12
    assert report.rounds > report.points > 12
    assert all(result.trials for result in report.situations)


@pytest.mark.parametrize("after", list(AfterSettlement))
@pytest.mark.parametrize("stakes", list(VoidStakes))
def test_every_policy_can_be_kept(after, stakes):
    policy = Policy(after_settlement=after, void_stakes=stakes)
    assert exercise(game(), decks(4), START, policy=policy).verdict is Verdict.SATISFIED


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


def test_without_a_win_the_promise_about_wins_is_inconclusive():
    # 2 of Denari against 7 of Denari: standing loses, and the 7 of Coppe that a hit draws is bust.
    losing = deck_from(4, 24, 25)
    report = exercise(game(), (losing,), START)
    assert report.result("previous-wins").verdict is Verdict.INCONCLUSIVE
    assert report.verdict is Verdict.INCONCLUSIVE


def test_no_decks_are_never_a_pass():
    with pytest.raises(NothingCheckedError):
        exercise(game(), (), START)


def test_the_evidence_is_plain():
    evidence = exercise(game(), decks(1), START).to_evidence()
    assert set(evidence) == {"situations", "policy", "stakes", "decks", "points", "rounds"}
    assert evidence["policy"]["void_after_days"] == "90"
    assert evidence["stakes"] == {"main": 300, "partita-perfetta": 500, "mano-di-poker": 700}
    first = evidence["situations"][0]
    assert first["verdict"] == "satisfied"
    assert first["evidence"]
