"""The two games with an open dealer's card, decks for them, and systems that break one promise each."""

from dataclasses import replace
from pathlib import Path

from rounds_faulty import Faulty
from rounds_game import deck_from

from certify.families.stage_machine import StagedRound
from certify.rounds.play import Play
from certify.rounds.state import COMPLETE, Phase
from certify.rounds.system import reference_system
from certify.rounds.table import Command, Reply, SeatAction
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


class _Final(Faulty):
    """Knows the final bet of the round."""

    @property
    def final_bet(self):
        return sum(amount for _, amount in self.seat.round.added) if self.seat.round else 0


class ForgetsFinalBetOnMalfunction(_Final):
    """Returns the ante alone when a malfunction voids the round."""

    def act(self, command):
        unsettled = self.seat.round and self.seat.round.phase not in COMPLETE
        reply = self.sound(command)
        if reply.done and command.action is SeatAction.MALFUNCTION and unsettled:
            return self.change(balance=self.seat.balance - self.final_bet)
        return reply


class KeepsFinalBetOfReversedRound(_Final):
    """Takes back the pay of a settled round that turns out void, and returns the ante alone."""

    def act(self, command):
        settled = self.seat.round and self.seat.round.phase is Phase.SETTLED
        reply = self.sound(command)
        if reply.done and command.action is SeatAction.MALFUNCTION and settled:
            return self.change(balance=self.seat.balance - self.final_bet)
        return reply


class ForgetsFinalBetAfterTheTerm(_Final):
    """Returns the ante alone when unresolved bets become void."""

    def act(self, command):
        reply = self.sound(command)
        if reply.done and command.action is SeatAction.EXPIRE:
            return self.change(balance=self.seat.balance - self.final_bet)
        return reply


class ChargesTheFinalBetTwice(_Final):
    """Debits the final bet twice and holds it once."""

    def act(self, command):
        reply = self.sound(command)
        if reply.done and command.action is SeatAction.DECIDE:
            return self.change(balance=self.seat.balance - self.final_bet)
        return reply


class ChargesAgainUnderTheKey(_Final):
    """Debits the final bet again when the same decision arrives twice under one key."""

    def perform(self, command, key=""):
        again = key and key in self.keys and command.action is SeatAction.DECIDE
        reply = Faulty.perform(self, command, key)
        return self.change(balance=self.seat.balance - self.final_bet) if again else reply


class ChargesTheFinalBetLate(_Final):
    """Debits the final bet at settlement alone: until then nothing is held for it."""

    def act(self, command):
        reply = self.sound(command)
        if reply.done and command.action is SeatAction.DECIDE:
            bet = self.final_bet
            return self.change(balance=self.seat.balance + bet, held=self.seat.held - bet)
        if reply.done and command.action is SeatAction.SETTLE:
            return self.change(balance=self.seat.balance - self.final_bet, held=0)
        return reply


class PaysTheAnteAlone(_Final):
    """Pays a win on the ante and returns the final bet without its win."""

    def act(self, command):
        reply = self.sound(command)
        current = self.seat.round
        if (
            reply.done
            and command.action is SeatAction.SETTLE
            and current.results[0].outcome.startswith("win")
        ):
            return self.change(balance=self.seat.balance - self.final_bet)
        return reply


class FoldLosesAFinalBet(_Final):
    """Takes a final bet of one ante from a player who folds."""

    def act(self, command):
        reply = self.sound(command)
        if reply.done and command.decision == "fold":
            return self.change(balance=self.seat.balance - self.seat.round.stakes[0][1])
        return reply


class _Hides(Faulty):
    """Hides the dealer's cards in some phases."""

    phases = ()

    def view(self):
        view = Faulty.view(self)
        return replace(view, hands=(view.hands[0], ("dealer", ()))) if view.phase in self.phases else view


class HidesTheOpenCard(_Hides):
    """Shows no card of the dealer while the player decides."""

    phases = ("decision",)


class HidesTheOpenCardAfterwards(_Hides):
    """Shows no card of the dealer once the round is settled."""

    phases = ("settled",)


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


class DrawsForTheDealerAgainOnResume(Faulty):
    """Deals the dealer another second card when the player comes back."""

    def act(self, command):
        reply = self.sound(command)
        current = self.seat.round
        if reply.done and command.action is SeatAction.RESUME and current and current.phase is Phase.DECISION:
            fresh = (*current.deck[:2], *reversed(current.deck[2:]))
            return self.change(round=replace(current, deck=fresh))
        return reply


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
