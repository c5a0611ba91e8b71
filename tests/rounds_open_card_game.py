"""The two games with an open dealer's card, decks for them, and systems that break one promise each."""

from dataclasses import replace
from pathlib import Path

from rounds_faulty import Faulty, after, dealt_anew, short_by, shows
from rounds_game import deck_from

from certify.families.stage_machine import StagedRound
from certify.rounds import COMPLETE, Command, Phase, Play, Reply, SeatAction, reference_system
from certify.submission import read_game

GAMES = Path(__file__).parents[1] / "fixtures/games"
CASINO_FILE = GAMES / "us5632489-casino/game.toml"
HOME_FILE = GAMES / "us5632489-home/game.toml"
CASINO = read_game(CASINO_FILE)
HOME = read_game(HOME_FILE)

WINS = deck_from(24, 0, 32, 4)  # 7 of diamonds against ace, which draws 2: the hand of 7 wins
LOSES = deck_from(0, 24, 4)  # ace of diamonds against 7 of diamonds; drawing 2 loses too
TIES = deck_from(24, 25, 4)  # 7 against 7; drawing is bust
KING = deck_from(36, 24)
DEALER_KING = deck_from(24, 36)


def final_bet(seat):
    """The final bet of the round."""
    return sum(amount for _, amount in seat.round.added) if seat.round else 0


ForgetsFinalBetOnMalfunction = short_by(
    SeatAction.MALFUNCTION,
    lambda seat, before: final_bet(seat) if before.round and before.round.phase not in COMPLETE else 0,
)
"""Returns the ante alone when a malfunction voids the round."""


KeepsFinalBetOfReversedRound = short_by(
    SeatAction.MALFUNCTION,
    lambda seat, before: final_bet(seat) if before.round and before.round.phase is Phase.SETTLED else 0,
)
"""Takes back the pay of a settled round that turns out void, and returns the ante alone."""


ForgetsFinalBetAfterTheTerm = short_by(SeatAction.EXPIRE, lambda seat, _: final_bet(seat))
"""Returns the ante alone when unresolved bets become void."""


ChargesTheFinalBetTwice = short_by(SeatAction.DECIDE, lambda seat, _: final_bet(seat))
"""Debits the final bet twice and holds it once."""


class ChargesAgainUnderTheKey(Faulty):
    """Debits the final bet again when the same decision arrives twice under one key."""

    def perform(self, command, key=""):
        again = key and key in self.keys and command.action is SeatAction.DECIDE
        reply = Faulty.perform(self, command, key)
        return self.change(balance=self.seat.balance - final_bet(self.seat)) if again else reply


class ChargesTheFinalBetLate(Faulty):
    """Debits the final bet at settlement alone: until then nothing is held for it."""

    def act(self, command):
        reply = self.sound(command)
        if reply.done and command.action is SeatAction.DECIDE:
            bet = final_bet(self.seat)
            return self.change(balance=self.seat.balance + bet, held=self.seat.held - bet)
        if reply.done and command.action is SeatAction.SETTLE:
            return self.change(balance=self.seat.balance - final_bet(self.seat), held=0)
        return reply


PaysTheAnteAlone = short_by(
    SeatAction.SETTLE,
    lambda seat, _: final_bet(seat) if seat.round.results[0].outcome.startswith("win") else 0,
)
"""Pays a win on the ante and returns the final bet without its win."""


class FoldLosesAFinalBet(Faulty):
    """Takes a final bet of one ante from a player who folds."""

    def act(self, command):
        reply = self.sound(command)
        if reply.done and command.decision == "fold":
            return self.change(balance=self.seat.balance - self.seat.round.stakes[0][1])
        return reply


def hides(phase):
    """Returns a system that shows no card of the dealer in a phase."""
    return shows(lambda view: {"hands": (view.hands[0], ("dealer", ()))} if view.phase == phase else {})


HidesTheOpenCard = hides("decision")


HidesTheOpenCardAfterwards = hides("settled")


class DealsWithoutCover(Faulty):
    """Deals to a player who has no more than the ante."""

    def act(self, command):
        if command.action is not SeatAction.DEAL or self.seat.round is None:
            return self.sound(command)
        lent = 10**6
        self.seat = replace(self.seat, balance=self.seat.balance + lent)
        reply = self.sound(command)
        self.seat = replace(self.seat, balance=self.seat.balance - lent)
        return Reply(reply.done, self.view(), reply.refusal)


class TakesAnyFinalBet(Faulty):
    """Takes a final bet of three antes as if it were one of two."""

    def act(self, command):
        if command.decision == "hit-3":
            command = Command(SeatAction.DECIDE, decision="hit-2")
        return self.sound(command)


DrawsForTheDealerAgainOnResume = after(
    SeatAction.RESUME,
    lambda seat: {"round": dealt_anew(seat.round, 2)},
    lambda current: current.phase is Phase.DECISION,
)
"""Deals the dealer another second card when the player comes back."""


def with_king_paid(pays):
    """Returns a system that pays the King of diamonds otherwise than the submission says."""

    def make(edition, balance, instant):
        wager = edition.game.wagers[0]
        rows = tuple(
            replace(row, pays=pays) if row.id == "king-of-diamonds" else row for row in wager.paytable.rows
        )
        paytable = replace(wager.paytable, rows=rows)
        text = edition.play.reference.text
        price = replace(text.price, paytables={wager.id: paytable})
        reference = StagedRound(replace(text, price=price))
        play = Play(edition.game, reference)
        return reference_system(replace(edition, play=play), balance, instant)

    return make
