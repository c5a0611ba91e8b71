"""Two rounds told in full, one void by a malfunction and one by its term: times, cards and money after every step."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from certify.evidence.life import ToldRound, ToldStep
from certify.families.port import LongRound
from certify.model.game import Game
from certify.rounds.exercise import default_stakes
from certify.rounds.play import Edition, calmest, funds_for
from certify.rounds.system import reference_system
from certify.rounds.table import Command, SeatAction, System, View, command_for

_STEP = timedelta(seconds=7)


def told_rounds(edition: Edition, deck: tuple[int, ...], started: datetime) -> tuple[ToldRound, ...]:
    """Returns the two rounds, played on the reference round machine.

    Args:
        edition: Rules and terms.
        deck: Deck of both rounds; of a game of long rounds, where nothing is decided on it, one that leaves one open.
        started: Time of the first step.
    """
    play = edition.play
    if isinstance(play.reference, LongRound) and not play.position(deck, ()).options:
        deck = next((row for row in play.witnesses((deck,)) if play.position(row, ()).options), deck)
    return (_voided(edition, deck, started), _expired(edition, deck, started))


def _voided(edition: Edition, deck: tuple[int, ...], started: datetime) -> ToldRound:
    """Tells a round that is decided once, where something is to be decided, and then hit by a malfunction."""
    teller = _Teller(edition, deck, started)
    teller.bet_and_deal()
    calm = calmest(edition.play)
    if calm and teller.system.view().options:
        teller.do(command_for(calm))
    teller.do(Command(SeatAction.MALFUNCTION))
    return teller.told("voided")


def _expired(edition: Edition, deck: tuple[int, ...], started: datetime) -> ToldRound:
    """Tells a round whose player never returns, up to a second before its term, and at it."""
    teller = _Teller(edition, deck, started)
    teller.bet_and_deal()
    accepted = teller.instant
    teller.do(Command(SeatAction.DISCONNECT))
    deadline = edition.policy.deadline(accepted)
    for instant in (deadline - timedelta(seconds=1), deadline):
        teller.at(instant)
        teller.do(Command(SeatAction.EXPIRE))
    return teller.told("expired")


class _Teller:
    """Does commands on a system of its own and writes down what every one of them left."""

    def __init__(self, edition: Edition, deck: tuple[int, ...], started: datetime) -> None:
        self.edition, self.instant = edition, started
        self.stakes = default_stakes(edition.game)
        self.system: System = reference_system(edition, funds_for(edition.play, self.stakes), started)
        self.system.set_deck(deck)
        self.opening = self.system.view().balance
        self.steps: list[ToldStep] = []

    def bet_and_deal(self) -> None:
        """Places the stakes and asks for the cards."""
        for stake in self.stakes:
            self.do(Command(SeatAction.PLACE, *stake))
        self.do(Command(SeatAction.DEAL))

    def at(self, instant: datetime) -> None:
        """Sets the clock."""
        self.instant = instant
        self.system.set_clock(instant)

    def do(self, command: Command) -> None:
        """Does a command, or is refused, and writes down what is there then."""
        if self.steps and command.action is not SeatAction.EXPIRE:
            self.at(self.instant + _STEP)
        reply = self.system.perform(command)
        view = self.system.view()
        self.steps.append(
            ToldStep(
                at=self.instant.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
                action=str(command.action),
                wager=command.wager,
                amount=command.amount,
                decision=command.decision,
                done=reply.done,
                hands=self._hands(view),
                phase=view.phase,
                balance=view.balance,
                held=view.held,
            )
        )

    def _hands(self, view: View) -> tuple[str, ...]:
        play = self.edition.play
        return tuple(
            f"{holder}: {', '.join(play.names(faces, holder)) or '–'}" for holder, faces in view.hands
        )

    def told(self, ending: str) -> ToldRound:
        """Returns what was written down."""
        return ToldRound(
            ending=ending,
            currency=currency_of(self.edition.game),
            opening=self.opening,
            steps=tuple(self.steps),
        )


def currency_of(game: Game) -> str:
    """Returns the currency of a game's stakes."""
    return game.wagers[0].limits.currency
