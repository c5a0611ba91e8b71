"""Systems whose tables of several people break one promise each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from time import sleep

from certify.families.port import Hand
from certify.rounds.events import Bets
from certify.rounds.several import Steps, people_at
from certify.rounds.state import Seat
from certify.rounds.system import ReferenceSystem, ReferenceTable, System, reference_system
from certify.rounds.table import TableAction, TableCommand, TableReply, TableRound, TableView


def laid_open(seat: Seat) -> tuple[Hand, ...]:
    """Returns every hand of the latest round, covered faces named."""
    if seat.round is None:
        return ()
    people = people_at(seat)
    return people.hands(people.play.standing(seat.round.deck, seat.round.decisions).state)


class TurnsTheBanksCard(ReferenceTable):
    """The bank's covered card lies open to the seats."""

    def view(self) -> TableView:
        shown = super().view()
        turned = tuple(
            (hand.holder, hand.faces if hand.holder == shown.banker else dict(shown.hands)[hand.holder])
            for hand in laid_open(self.seat)
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
    """Does a command again that comes again under its key; it cannot be asked two things at once."""

    ask_together = None  # type: ignore[assignment]

    def ask(self, command: TableCommand, key: str = "") -> TableReply:
        return super().ask(command, "")


class LetsTheBankOwe(ReferenceTable):
    """Deals although the bank cannot pay the worst round: it lends what is missing."""

    def ask(self, command: TableCommand, key: str = "") -> TableReply:
        reply = super().ask(command, key)
        if command.action is TableAction.DEAL and "worst round" in reply.refusal:
            return replace(reply, done=True)
        return reply


class TakesBothAtOnce(ReferenceTable):
    """Looks at what is allowed for both of two commands before it does either: both are done."""

    def ask_together(self, asked: Sequence[tuple[TableCommand, str]]) -> tuple[TableReply, ...]:
        seen, replies = self.seat, []
        for command, key in asked:
            self.seat = seen
            replies.append(self.ask(command, key))
        return tuple(replies)


class TakesNeitherAtOnce(ReferenceTable):
    """Refuses both of two commands that arrive at the same time."""

    def ask_together(self, asked: Sequence[tuple[TableCommand, str]]) -> tuple[TableReply, ...]:
        return tuple(TableReply(False, self.view(), "busy") for _ in asked)


class LooksBeforeItActs(ReferenceTable):
    """Takes its time between looking at what is allowed and doing it, so that two commands can both be allowed."""

    def step(self, command: TableCommand) -> Steps:
        done = super().step(command)
        sleep(0.2)
        return done


class DropsVoidRounds(ReferenceTable):
    """Leaves what was void out of a history."""

    def history(self, person: str) -> tuple[TableRound, ...]:
        return tuple(one for one in super().history(person) if one.phase not in ("void", "expired"))


class AltersARound(ReferenceTable):
    """Writes one minor unit more into every history of who won."""

    def history(self, person: str) -> tuple[TableRound, ...]:
        return tuple(replace(one, net=one.net + (one.net > 0)) for one in super().history(person))


class ShowsAnothersHistory(ReferenceTable):
    """Shows everybody the history of who sat down first."""

    def history(self, person: str) -> tuple[TableRound, ...]:
        return super().history(next(iter(people_at(self.seat).balances)))


class TellsARoundTwice(ReferenceTable):
    """The latest complete round stands twice in a history."""

    def history(self, person: str) -> tuple[TableRound, ...]:
        told = super().history(person)
        return (*told, *told[-1:])


class NamesEveryRoundAlike(ReferenceTable):
    """Gives every round the id of the first."""

    def view(self) -> TableView:
        return replace(super().view(), round="table-000001")


class AnswersInDecimals(ReferenceTable):
    """Tells balances as decimals, which compare equal to whole numbers."""

    def view(self) -> TableView:
        shown = super().view()
        return replace(shown, balances=tuple((name, float(has)) for name, has in shown.balances))  # type: ignore[misc]


class KnowsNoMore(ReferenceTable):
    """A table with neither history nor restart, which cannot be asked two things at once."""

    history = restart = ask_together = None  # type: ignore[assignment]


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
takes_both_at_once = _made(TakesBothAtOnce)
looks_before_it_acts = _made(LooksBeforeItActs)
takes_neither_at_once = _made(TakesNeitherAtOnce)
drops_void_rounds = _made(DropsVoidRounds)
alters_a_round = _made(AltersARound)
shows_anothers_history = _made(ShowsAnothersHistory)
tells_a_round_twice = _made(TellsARoundTwice)
names_every_round_alike = _made(NamesEveryRoundAlike)
answers_in_decimals = _made(AnswersInDecimals)
knows_no_more = _made(KnowsNoMore)
