"""Systems that break one promise each, for the tests of exercise and conformance."""

from dataclasses import replace
from datetime import timedelta

from certify.rounds.money import Rounding
from certify.rounds.state import OPEN, Phase
from certify.rounds.system import ReferenceSystem, reference_system
from certify.rounds.table import Command, Reply, SeatAction


class Faulty(ReferenceSystem):
    """The reference system with one promise broken; a done key is honoured unless that is the fault."""

    def perform(self, command, key=""):
        if key and key in self.keys:
            return self.done_before(command, key)
        reply = self.act(command)
        if reply.done and key:
            self.keys[key] = command
        return reply

    def act(self, command):
        return self.sound(command)

    def sound(self, command):
        return ReferenceSystem.perform(self, command)

    def change(self, **changes):
        self.seat = replace(self.seat, **changes)
        return Reply(True, self.view())


def short_by(action, coins):
    """Returns a system that keeps coins where an action is done; how many say the seat after it and before."""

    class ShortBy(Faulty):
        def act(self, command):
            before = self.seat
            reply = self.sound(command)
            if reply.done and command.action is action:
                return self.change(balance=self.seat.balance - coins(self.seat, before))
            return reply

    return ShortBy


def shows(change):
    """Returns a system that shows something otherwise."""

    class Shows(Faulty):
        def view(self):
            view = Faulty.view(self)
            return replace(view, **change(view))

    return Shows


RefundsDouble = short_by(SeatAction.MALFUNCTION, lambda seat, _: -seat.round.refunded)
"""Returns every stake twice at one malfunction."""
NeverRefunds = short_by(SeatAction.MALFUNCTION, lambda seat, before: seat.balance - before.balance)
ForgetsSideBets = short_by(
    SeatAction.MALFUNCTION,
    lambda _, before: sum(amount for wager, amount in before.round.stakes if wager != "main"),
)
TakesBackEarlierWins = short_by(
    SeatAction.PLACE, lambda _, before: before.round.returned if before.round else 0
)
ChargesTheMainBetTwice = short_by(SeatAction.DEAL, lambda *_: 1)
PaysWholeUnitsOnly = short_by(SeatAction.SETTLE, lambda seat, _: seat.round.returned % 10)
"""Drops what a payout holds beyond whole units of ten cents."""


class ForgetsKeys(Faulty):
    """Does a command again that was done under the same key."""

    def perform(self, command, key=""):
        return self.sound(command)


class RefundsTwice(Faulty):
    def act(self, command):
        current = self.seat.round
        if (
            command.action is SeatAction.MALFUNCTION
            and current
            and current.phase is Phase.VOID
            and current.refunded
        ):
            return self.change(balance=self.seat.balance + current.refunded)
        return self.sound(command)


class SettlesTwice(Faulty):
    def act(self, command):
        current = self.seat.round
        if command.action is SeatAction.SETTLE and current and current.phase is Phase.SETTLED:
            return self.change(balance=self.seat.balance + current.returned)
        return self.sound(command)


class PaysAfterVoid(Faulty):
    def act(self, command):
        current = self.seat.round
        if command.action is SeatAction.SETTLE and current and current.phase in (Phase.VOID, Phase.EXPIRED):
            return self.change(balance=self.seat.balance + 1)
        return self.sound(command)


class DecidesAfterTerm(Faulty):
    def act(self, command):
        instant = self.clock.instant
        accepted = self.seat.round.accepted_at if self.seat.round else None
        if command.action is SeatAction.DECIDE and accepted and instant - accepted >= timedelta(days=90):
            self.clock.instant = accepted
        reply = self.sound(command)
        self.clock.instant = instant
        return reply


class NewCardsOnResume(Faulty):
    def act(self, command):
        reply = self.sound(command)
        current = self.seat.round
        if reply.done and command.action is SeatAction.RESUME and current and current.deck:
            used = 2 + len(dict(current.hands).get("player", ()))
            fresh = (*current.deck[:used], *reversed(current.deck[used:]))
            return self.change(round=replace(current, deck=fresh))
        return reply


class StartsOverOnResume(Faulty):
    def act(self, command):
        reply = self.sound(command)
        if reply.done and command.action is SeatAction.RESUME and self.seat.round:
            held = self.seat.held
            fresh = replace(self.seat.round, phase=Phase.BETTING, chips=self.seat.round.stakes)
            return self.change(round=fresh, balance=self.seat.balance + held, held=0)
        return reply


class DealsWhileUnavailable(Faulty):
    def act(self, command):
        suspended = self.seat.suspended
        if command.action is SeatAction.DEAL and suspended:
            self.seat = replace(self.seat, suspended="")
            done = self.sound(command).done
            self.seat = replace(self.seat, suspended=suspended)
            return Reply(done, self.view())
        return self.sound(command)


class DealsBesideAnOpenRound(Faulty):
    def act(self, command):
        before = self.seat
        if command.action is SeatAction.REBET_AND_DEAL and before.round and before.round.phase in OPEN:
            self.seat = replace(before, round=replace(before.round, phase=Phase.SETTLED))
        reply = self.sound(command)
        if not reply.done:
            self.seat = before
        return Reply(reply.done, self.view())


class IgnoresLimits(Faulty):
    def act(self, command):
        if command.action is SeatAction.PLACE and command.amount > 500:
            command = replace(command, amount=500)
        return self.sound(command)


class FollowsAClockSetBack(Faulty):
    def act(self, command):
        current = self.seat.round
        if current and current.phase is Phase.EXPIRED and self.clock.now() < self.seat.last_at:
            self.seat = replace(self.seat, round=self.unexpired, last_at=self.clock.now())
        reply = self.sound(command)
        if reply.done and command.action is SeatAction.EXPIRE:
            self.unexpired = current
        return reply


def faulty(kind):
    def make(edition, balance, instant):
        sound = reference_system(edition, balance, instant)
        return kind(sound.machine, sound.clock, sound.seat, sound.deck, sound.events)

    return make


def with_policy(**changes):
    def make(edition, balance, instant):
        changed = replace(edition, policy=replace(edition.policy, **changes))
        return reference_system(changed, balance, instant)

    return make


def with_days(days):
    return with_policy(void_after_days=days)


faulty_eighty_nine_days = with_days(89)


class SettlesAgainAfterReconnection(Faulty):
    """Pays a settled round again when it is asked to settle after the player came back."""

    def act(self, command):
        current = self.seat.round
        if command.action is SeatAction.RESUME and current and current.phase is Phase.SETTLED:
            self.back = current.id
        settled = command.action is SeatAction.SETTLE and current and current.phase is Phase.SETTLED
        if settled and getattr(self, "back", "") == current.id:
            return self.change(balance=self.seat.balance + current.returned)
        return self.sound(command)


class SettlesAgainOnReturn(Faulty):
    """Pays a settled round again when the player comes back."""

    def act(self, command):
        reply = self.sound(command)
        current = self.seat.round
        if reply.done and command.action is SeatAction.RESUME and current and current.phase is Phase.SETTLED:
            return self.change(balance=self.seat.balance + current.returned)
        return reply


class ForgetsKeysOnReturn(Faulty):
    """Does a command again that was done before the connection broke."""

    def act(self, command):
        if command.action is SeatAction.RESUME:
            self.keys.clear()
        return self.sound(command)


class UndoesAfterTheDeal(Faulty):
    """Takes a stake back while a decision is open."""

    def act(self, command):
        current = self.seat.round
        if command.action is SeatAction.UNDO and current and current.phase is Phase.DECISION:
            wager, amount = current.stakes[-1]
            left = tuple(stake for stake in current.stakes if stake[0] != wager)
            self.seat = replace(self.seat, round=replace(current, stakes=left))
            return self.change(balance=self.seat.balance + amount, held=self.seat.held - amount)
        return self.sound(command)


class TakesBets(Faulty):
    """Puts chips on the layout that no rule allows."""

    def allows(self, command):
        return True

    def act(self, command):
        if command.action is SeatAction.PLACE and self.allows(command):
            shadow = replace(command, wager="main", amount=100)
            reply = self.sound(shadow)
            if not reply.done:
                return reply
            chips = (*self.seat.round.chips[:-1], (command.wager, command.amount))
            return self.change(round=replace(self.seat.round, chips=chips))
        return self.sound(command)


class TakesNegativeBets(TakesBets):
    def allows(self, command):
        return command.amount < 0


class TakesZeroBets(TakesBets):
    def allows(self, command):
        return command.amount == 0


class TakesUnknownWagers(TakesBets):
    def allows(self, command):
        return command.wager not in ("main", "partita-perfetta", "mano-di-poker")


class DoesAnotherCommandUnderAKey(Faulty):
    """Takes a key for used only where the same command was done under it."""

    def perform(self, command, key=""):
        if key and self.keys.get(key) == command:
            return Reply(True, self.view())
        reply = self.act(command)
        if reply.done and key:
            self.keys[key] = command
        return reply


class AcknowledgesAnotherCommandUnderAKey(Faulty):
    """Says done to another command under a used key, and does nothing."""

    def perform(self, command, key=""):
        if key in self.keys:
            return Reply(True, self.view())
        return Faulty.perform(self, command, key)


class DoesCommandsAtOnce(Faulty):
    """Works out commands that arrive together on the same state, and books them all."""

    def perform_together(self, asked):
        before, replies, booked = self.seat, [], 0
        for command, _key in asked:
            self.seat = before
            replies.append(self.sound(command))
            booked += self.seat.balance - before.balance
        self.change(balance=before.balance + booked)
        return tuple(replies)


class LyingView(Faulty):
    """Answers commands truly and lies when the view is asked for."""

    inside = False

    def perform(self, command, key=""):
        self.inside = True
        try:
            return Faulty.perform(self, command, key)
        finally:
            self.inside = False

    def view(self):
        view = Faulty.view(self)
        return view if self.inside else self.lie(view)

    def lie(self, view):
        return replace(view, balance=view.balance + view.held)


class HidesRefundsInTheView(LyingView):
    def lie(self, view):
        return replace(view, refunded=0)


class ShowsDisconnectedPlayersAsConnected(LyingView):
    def lie(self, view):
        return replace(view, connected=True)


class ForgetsVoidRounds(Faulty):
    """Leaves void rounds out of the history."""

    def history(self):
        return tuple(one for one in ReferenceSystem.history(self) if one.phase != "void")


class EmbellishesTheHistory(Faulty):
    def history(self):
        return tuple(replace(one, returned=()) for one in ReferenceSystem.history(self))


class ShowsRecallAsPlay(Faulty):
    """Recalls rounds without saying that they are no play."""

    def recalled(self):
        return tuple(replace(one, mark=" ") for one in ReferenceSystem.recalled(self))


class RecallsFundsAfterwards(Faulty):
    """Recalls the funds that the player had after the round as those before it."""

    def recalled(self):
        return tuple(replace(one, funds_before=one.funds_after) for one in ReferenceSystem.recalled(self))


class RecallsChoicesWithoutTheirTimes(Faulty):
    def recalled(self):
        return tuple(
            replace(one, choices=tuple(replace(choice, at=one.started) for choice in one.choices))
            for one in ReferenceSystem.recalled(self)
        )


class RecallsTheEndBeforeTheStart(Faulty):
    def recalled(self):
        return tuple(
            replace(one, ended="2020-01-01T00:00:00+00:00") for one in ReferenceSystem.recalled(self)
        )


class RecallsPaidRoundsAlone(Faulty):
    def recalled(self):
        return tuple(one for one in ReferenceSystem.recalled(self) if one.phase == "settled")


class ForgetsKeysOnRestart(Faulty):
    def restart(self):
        ReferenceSystem.restart(self)
        self.keys.clear()


class LosesTheLastEventOnRestart(Faulty):
    def restart(self):
        del self.events[max(1, len(self.events) - 1) :]
        ReferenceSystem.restart(self)


class Raises(Faulty):
    """Fails where a void round is asked to settle."""

    def act(self, command):
        if command.action is SeatAction.SETTLE and self.seat.round and self.seat.round.phase is Phase.VOID:
            raise KeyError("round")
        return self.sound(command)


class AnswersNothing(Faulty):
    def act(self, command):
        return None if command.action is SeatAction.CLEAR else self.sound(command)


def rounding_up(edition, balance, instant):
    """Makes a fraction of the smallest coin whole for the player, where the terms drop it."""
    changed = replace(edition, policy=replace(edition.policy, rounding=Rounding.UP))
    return reference_system(changed, balance, instant)


class VoidsByItself(Faulty):
    """Voids a bet as soon as it is touched after its term, as a system may."""

    def perform(self, command, key=""):
        self.sound(Command(SeatAction.EXPIRE))
        return Faulty.perform(self, command, key)

    def view(self):
        return Faulty.view(self)


class RefusesMalfunctionWithoutABet(Faulty):
    """Refuses a malfunction where no bet was accepted, as a system may."""

    def act(self, command):
        current = self.seat.round
        if command.action is SeatAction.MALFUNCTION and current and current.phase is Phase.BETTING:
            return Reply(False, self.view(), "no bet was accepted")
        return self.sound(command)


class Bare:
    """A system with the four methods and nothing beyond."""

    def __init__(self, edition, balance, instant):
        self.sound = reference_system(edition, balance, instant)

    def set_clock(self, instant):
        self.sound.set_clock(instant)

    def set_deck(self, deck):
        self.sound.set_deck(deck)

    def perform(self, command, key=""):
        return self.sound.perform(command, key)

    def view(self):
        return self.sound.view()
