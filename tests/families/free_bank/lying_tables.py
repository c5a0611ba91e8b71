"""Systems whose tables of several people break one promise each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from time import sleep

from certify.families.port import Hand
from certify.rounds.events import Bets
from certify.rounds.operations import Steps
from certify.rounds.player_banked.operations import people_at
from certify.rounds.state import Seat
from certify.rounds.system import ReferenceSystem, reference_system
from certify.rounds.table import Command, PastRound, Reply, SeatAction, System, View


def laid_open(seat: Seat) -> tuple[Hand, ...]:
    """Returns every hand of the latest round, covered faces named."""
    if seat.round is None:
        return ()
    people = people_at(seat)
    return people.hands(people.play.standing(seat.round.deck, seat.round.decisions).state)


class TurnsTheBanksCard(ReferenceSystem):
    """The bank's covered card lies open to the seats."""

    def view(self) -> View:
        shown = super().view()
        turned = tuple(
            (
                hand.holder,
                hand.faces if hand.holder == shown.people.banker else dict(shown.hands)[hand.holder],
            )
            for hand in laid_open(self.seat)
        )
        return replace(shown, hands=turned)


class TakesAnybodysDecision(ReferenceSystem):
    """Whoever shouts first decides, whose turn it is or not."""

    def perform(self, command: Command, key: str = "") -> Reply:
        turn = self.view().people.turn
        loud = command.action is SeatAction.DECIDE and turn
        return super().perform(replace(command, person=turn) if loud else command, key)


class KeepsTheBanksCover(ReferenceSystem):
    """A malfunction gives the seats their money back and not the banker."""

    def perform(self, command: Command, key: str = "") -> Reply:
        before = self.view()
        reply = super().perform(command, key)
        if command.action is not SeatAction.MALFUNCTION or not reply.done:
            return reply
        people = before.people
        kept = dict(people.held)[people.banker]
        left = reply.view.people
        poorer = tuple((name, has - kept * (name == people.banker)) for name, has in left.balances)
        return replace(reply, view=replace(reply.view, several=replace(left, balances=poorer)))


class VoidsADayEarly(ReferenceSystem):
    """Lets a round lapse a day before its term."""

    def perform(self, command: Command, key: str = "") -> Reply:
        if command.action is not SeatAction.EXPIRE:
            return super().perform(command, key)
        now = self.clock.instant
        self.clock.instant = now + timedelta(days=1)
        try:
            return super().perform(command, key)
        finally:
            self.clock.instant = now


class ForgetsTheLatestStep(ReferenceSystem):
    """A restart loses what was acknowledged last."""

    def restart(self) -> None:
        kept = [event for event in self.events if event.at <= self.events[-1].at]
        while len(kept) > 1 and kept[-1].kind in ("person-decided", "round-settled"):
            self.events = kept = kept[:-1]
        super().restart()


class DoesItTwice(ReferenceSystem):
    """Does a command again that comes again under its key; it cannot be asked two things at once."""

    perform_together = None  # type: ignore[assignment]

    def perform(self, command: Command, key: str = "") -> Reply:
        return super().perform(command, "")


class LetsTheBankOwe(ReferenceSystem):
    """Deals although the bank cannot pay the worst round: it lends what is missing."""

    def perform(self, command: Command, key: str = "") -> Reply:
        reply = super().perform(command, key)
        if command.action is SeatAction.DEAL and "worst round" in reply.refusal:
            return replace(reply, done=True)
        return reply


class TakesBothAtOnce(ReferenceSystem):
    """Looks at what is allowed for both of two commands before it does either: both are done."""

    def perform_together(self, asked: Sequence[tuple[Command, str]]) -> tuple[Reply, ...]:
        seen, replies = self.seat, []
        for command, key in asked:
            self.seat = seen
            replies.append(self.perform(command, key))
        return tuple(replies)


class TakesNeitherAtOnce(ReferenceSystem):
    """Refuses both of two commands that arrive at the same time."""

    def perform_together(self, asked: Sequence[tuple[Command, str]]) -> tuple[Reply, ...]:
        return tuple(Reply(False, self.view(), "busy") for _ in asked)


class LooksBeforeItActs(ReferenceSystem):
    """Takes its time between looking at what is allowed and doing it, so that two commands can both be allowed."""

    def step(self, command: Command) -> Steps:
        done = super().step(command)
        sleep(0.2)
        return done


class DropsVoidRounds(ReferenceSystem):
    """Leaves what was void out of a history."""

    def history(self, person: str = "") -> tuple[PastRound, ...]:
        return tuple(one for one in super().history(person) if one.phase not in ("void", "expired"))


class AltersARound(ReferenceSystem):
    """Writes one minor unit more into every history of who won."""

    def history(self, person: str = "") -> tuple[PastRound, ...]:
        told = ((one, one.share) for one in super().history(person))
        return tuple(
            replace(one, share=share and replace(share, net=share.net + (share.net > 0)))
            for one, share in told
        )


class ShowsAnothersHistory(ReferenceSystem):
    """Shows everybody the history of who sat down first."""

    def history(self, person: str = "") -> tuple[PastRound, ...]:
        return super().history(next(iter(people_at(self.seat).balances)))


class TellsARoundTwice(ReferenceSystem):
    """The latest complete round stands twice in a history."""

    def history(self, person: str = "") -> tuple[PastRound, ...]:
        told = super().history(person)
        return (*told, *told[-1:])


class NamesEveryRoundAlike(ReferenceSystem):
    """Gives every round the id of the first."""

    def view(self) -> View:
        return replace(super().view(), round="table-000001")


class AnswersInDecimals(ReferenceSystem):
    """Tells balances as decimals, which compare equal to whole numbers."""

    def view(self) -> View:
        shown = super().view()
        told = tuple((name, float(has)) for name, has in shown.people.balances)
        return replace(shown, several=replace(shown.people, balances=told))


class KnowsNoMore(ReferenceSystem):
    """A table with neither history nor restart, which cannot be asked two things at once."""

    history = restart = perform_together = None  # type: ignore[assignment]


def _made(kind: type[ReferenceSystem]) -> object:
    class Under(ReferenceSystem):
        def gather(self, people: Bets, banker: str) -> ReferenceSystem:
            return kind.of(self.machine.edition, people, self.clock.now(), banker)

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
