"""Systems whose tables of several people break one promise each."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from certify.rounds.events import Bets
from certify.rounds.system import ReferenceSystem, System, reference_system
from certify.rounds.table import TableAction, TableCommand, TableReply, TableView
from certify.rounds.table_system import ReferenceTable


class TurnsTheBanksCard(ReferenceTable):
    """The bank's covered card lies open to the seats."""

    def view(self) -> TableView:
        shown = super().view()
        turned = tuple(
            (hand.holder, hand.faces if hand.holder == shown.banker else dict(shown.hands)[hand.holder])
            for hand in self.state.gathering.hands()
        )
        return replace(shown, hands=turned)


class TakesAnybodysDecision(ReferenceTable):
    """Whoever shouts first decides, whose turn it is or not."""

    def ask(self, command: TableCommand, key: str = "") -> TableReply:
        turn = self.view().turn
        loud = command.action is TableAction.DECIDE and turn
        return super().ask(replace(command, person=turn) if loud else command, key)


class KeepsTheBanksCover(ReferenceTable):
    """A malfunction gives the seats their money back and not the banker."""

    def ask(self, command: TableCommand, key: str = "") -> TableReply:
        before = self.view()
        reply = super().ask(command, key)
        if command.action is not TableAction.MALFUNCTION or not reply.done:
            return reply
        kept = dict(before.held)[before.banker]
        poorer = tuple((name, has - kept * (name == before.banker)) for name, has in reply.view.balances)
        return replace(reply, view=replace(reply.view, balances=poorer))


class VoidsADayEarly(ReferenceTable):
    """Lets a round lapse a day before its term."""

    def ask(self, command: TableCommand, key: str = "") -> TableReply:
        if command.action is not TableAction.EXPIRE:
            return super().ask(command, key)
        now = self.clock.instant
        self.clock.instant = now + timedelta(days=1)
        try:
            return super().ask(command, key)
        finally:
            self.clock.instant = now


class ForgetsTheLatestStep(ReferenceTable):
    """A restart loses what was acknowledged last."""

    def restart(self) -> None:
        kept = [event for event in self.events if event.at <= self.events[-1].at]
        while len(kept) > 1 and kept[-1].kind in ("person-decided", "round-settled"):
            self.events = kept = kept[:-1]
        super().restart()


class DoesItTwice(ReferenceTable):
    """Does a command again that comes again under its key."""

    def ask(self, command: TableCommand, key: str = "") -> TableReply:
        return super().ask(command, "")


class LetsTheBankOwe(ReferenceTable):
    """Deals although the bank cannot pay the worst round: it lends what is missing."""

    def ask(self, command: TableCommand, key: str = "") -> TableReply:
        reply = super().ask(command, key)
        if command.action is TableAction.DEAL and "worst round" in reply.refusal:
            return replace(reply, done=True)
        return reply


def _made(kind: type[ReferenceTable]) -> object:
    class Under(ReferenceSystem):
        def gather(self, people: Bets, banker: str) -> ReferenceTable:
            return kind.of(self.machine.edition, people, banker, self.clock.now())

    def make(edition: object, balance: int, instant: object) -> System:
        sound = reference_system(edition, balance, instant)  # type: ignore[arg-type]
        assert isinstance(sound, ReferenceSystem)
        return Under(sound.machine, sound.clock, sound.seat, events=sound.events)

    return make


turns_the_banks_card = _made(TurnsTheBanksCard)
takes_anybodys_decision = _made(TakesAnybodysDecision)
keeps_the_banks_cover = _made(KeepsTheBanksCover)
voids_a_day_early = _made(VoidsADayEarly)
forgets_the_latest_step = _made(ForgetsTheLatestStep)
does_it_twice = _made(DoesItTwice)
lets_the_bank_owe = _made(LetsTheBankOwe)
