"""Systems that break one promise each, for the tests of exercise and conformance."""

from dataclasses import replace
from datetime import timedelta

from certify.rounds import (
    OPEN,
    Command,
    Phase,
    ReferenceSystem,
    Reply,
    Rounding,
    SeatAction,
    reference_system,
)


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


def after(action, change, when=lambda current: True):
    """Returns a system that changes the seat once an action is done, where the round is one of some kind."""

    class After(Faulty):
        def act(self, command):
            reply = self.sound(command)
            if reply.done and command.action is action and self.seat.round and when(self.seat.round):
                return self.change(**change(self.seat))
            return reply

    return After


def pays_again(action, phases, coins):
    """Returns a system that pays coins where an action is asked of a round in some phases, instead of refusing it."""

    class PaysAgain(Faulty):
        def act(self, command):
            current = self.seat.round
            if command.action is action and current and current.phase in phases:
                return self.change(balance=self.seat.balance + coins(current))
            return self.sound(command)

    return PaysAgain


def tells(method, change):
    """Returns a system whose history, or what it recalls, is changed as it is asked for."""
    return type(
        "Tells", (Faulty,), {method: lambda self: tuple(change(getattr(ReferenceSystem, method)(self)))}
    )


def recalls(**changes):
    """Returns a system that recalls rounds with some fields otherwise, each made of the round."""
    return tells(
        "recalled",
        lambda rounds: (replace(one, **{f: made(one) for f, made in changes.items()}) for one in rounds),
    )


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


RefundsTwice = pays_again(SeatAction.MALFUNCTION, (Phase.VOID,), lambda current: current.refunded)


SettlesTwice = pays_again(SeatAction.SETTLE, (Phase.SETTLED,), lambda current: current.returned)


PaysAfterVoid = pays_again(SeatAction.SETTLE, (Phase.VOID, Phase.EXPIRED), lambda _: 1)


class DecidesAfterTerm(Faulty):
    def act(self, command):
        instant = self.clock.instant
        accepted = self.seat.round.accepted_at if self.seat.round else None
        if command.action is SeatAction.DECIDE and accepted and instant - accepted >= timedelta(days=90):
            self.clock.instant = accepted
        reply = self.sound(command)
        self.clock.instant = instant
        return reply


def dealt_anew(current, used):
    """The round with the cards that it has not used in the opposite order."""
    return replace(current, deck=(*current.deck[:used], *reversed(current.deck[used:])))


NewCardsOnResume = after(
    SeatAction.RESUME,
    lambda seat: {"round": dealt_anew(seat.round, 2 + len(dict(seat.round.hands).get("player", ())))},
    lambda current: current.deck,
)


StartsOverOnResume = after(
    SeatAction.RESUME,
    lambda seat: {
        "round": replace(seat.round, phase=Phase.BETTING, chips=seat.round.stakes),
        "balance": seat.balance + seat.held,
        "held": 0,
    },
)


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


SettlesAgainOnReturn = after(
    SeatAction.RESUME,
    lambda seat: {"balance": seat.balance + seat.round.returned},
    lambda current: current.phase is Phase.SETTLED,
)
"""Pays a settled round again when the player comes back."""


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


def takes_bets(allows):
    """Returns a system that puts chips on the layout that no rule allows."""

    class TakesBets(Faulty):
        def act(self, command):
            if command.action is not SeatAction.PLACE or not allows(command):
                return self.sound(command)
            reply = self.sound(replace(command, wager="main", amount=100))
            if not reply.done:
                return reply
            chips = (*self.seat.round.chips[:-1], (command.wager, command.amount))
            return self.change(round=replace(self.seat.round, chips=chips))

    return TakesBets


TakesNegativeBets = takes_bets(lambda command: command.amount < 0)


TakesZeroBets = takes_bets(lambda command: command.amount == 0)


TakesUnknownWagers = takes_bets(
    lambda command: command.wager not in ("main", "partita-perfetta", "mano-di-poker")
)


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


def lies(**changes):
    """Returns a system that answers commands truly and lies where the view is asked for: fields are made of it."""

    class LyingView(Faulty):
        inside = False

        def perform(self, command, key=""):
            self.inside = True
            try:
                return Faulty.perform(self, command, key)
            finally:
                self.inside = False

        def view(self):
            view = Faulty.view(self)
            return (
                view
                if self.inside
                else replace(view, **{field: made(view) for field, made in changes.items()})
            )

    return LyingView


LyingView = lies(balance=lambda view: view.balance + view.held)


HidesRefundsInTheView = lies(refunded=lambda _: 0)


ShowsDisconnectedPlayersAsConnected = lies(connected=lambda _: True)


ForgetsVoidRounds = tells("history", lambda rounds: (one for one in rounds if one.phase != "void"))
"""Leaves void rounds out of the history."""


EmbellishesTheHistory = tells("history", lambda rounds: (replace(one, returned=()) for one in rounds))


ShowsRecallAsPlay = recalls(mark=lambda _: " ")
"""Recalls rounds without saying that they are no play."""


LeavesFieldsOut = recalls(session=lambda _: "", total_won=lambda _: None, advice_given=lambda _: " ")
"""Recalls rounds without a text, an amount and what is not offered."""


WinsMoreInRecall = recalls(total_won=lambda one: one.total_won + 1)


RecallsFundsAfterwards = recalls(funds_before=lambda one: one.funds_after)
"""Recalls the funds that the player had after the round as those before it."""


RecallsChoicesWithoutTheirTimes = recalls(
    choices=lambda one: tuple(replace(choice, at=one.started) for choice in one.choices)
)


RecallsTheEndBeforeTheStart = recalls(ended=lambda _: "2020-01-01T00:00:00+00:00")


RecallsPaidRoundsAlone = tells("recalled", lambda rounds: (one for one in rounds if one.phase == "settled"))


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


rounding_up = with_policy(rounding=Rounding.UP)
"""Makes a fraction of the smallest coin whole for the player, where the terms drop it."""


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
