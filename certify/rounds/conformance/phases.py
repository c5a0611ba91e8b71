"""Every phase a round can be in, and the shortest way there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from certify.rounds.conformance.follow import FollowedRound
from certify.rounds.conformance.setting import Setting
from certify.rounds.conformance.story import Ask, Jump, Step, actions_of, places, steps_of, term_of
from certify.rounds.play import Edition, calmest
from certify.rounds.probe import Deck
from certify.rounds.system import reference_system
from certify.rounds.table import DEALS, Command, command_for

_SECOND: Final = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class StoryPhase:
    """A phase by its name, what leads to it, and what shows that it was reached.

    Args:
        name: Its name in the report.
        text: What leads there, in words.
        shows: The phase that the view shows there.
        further: Whether it is a phase of a round in further circumstances; it is tried connected and after a break.
    """

    name: str
    text: str
    shows: str
    further: bool = False


@dataclass(frozen=True, slots=True)
class PhaseReached:
    """A phase that the reference reached.

    Args:
        phase: Which one.
        steps: What leads there.
        first_deck: Index of the deck of the first deal.
    """

    phase: StoryPhase
    steps: tuple[Step, ...]
    first_deck: int


def closers(edition: Edition) -> tuple[Command, ...]:
    """Returns the decisions of a game: what commits to least first, what gives up last."""
    play, calm = edition.play, calmest(edition.play)
    ranked = sorted(play.decisions, key=lambda one: (play.gives_up(one), one != calm))
    return tuple(map(command_for, ranked))


def _ways(text: str, edition: Edition, start: datetime) -> Iterator[tuple[Step, ...]]:
    """Yields the ways that a text says to a phase, the likeliest first; ``decide`` is each decision in turn."""
    term = term_of(edition, start)
    jumps = {"term": term, "before": term - _SECOND, "back": -term, "day-back": -timedelta(days=1)}
    known: dict[str, tuple[Step, ...]] = {word: (Jump(by),) for word, by in jumps.items()}
    known["bets"] = places(edition)
    decided: tuple[tuple[Step, ...], ...] = tuple((Ask(one),) for one in closers(edition))
    # Where nothing is ever decided, a hand is done by its deal.
    for deciding in (decided or ((),)) if "decide" in text else ((),):
        yield steps_of(text, known | {"decide": deciding})


PHASES: Final = (
    StoryPhase("no round", "", "none"),
    StoryPhase("chips on the layout", "bets", "betting"),
    StoryPhase("a decision open", "bets deal", "decision"),
    StoryPhase("hand done", "bets deal decide", "resolved"),
    StoryPhase("settled", "bets deal decide settle", "settled"),
    StoryPhase("void by a malfunction", "bets deal malfunction", "void"),
    StoryPhase("void after settlement", "bets deal decide settle malfunction", "void", further=True),
    StoryPhase("void by its term", "bets deal term expire", "expired"),
    StoryPhase("void by its term, clock set back", "bets deal term expire back", "expired", further=True),
    StoryPhase("a decision open, one second before the term", "bets deal before", "decision", further=True),
    StoryPhase("a decision open, term passed", "bets deal term", "decision", further=True),
    StoryPhase("hand done, one second before the term", "bets deal decide before", "resolved", further=True),
    StoryPhase("hand done, term passed", "bets deal decide term", "resolved", further=True),
    StoryPhase("chips on the layout, clock set back", "bets day-back", "betting", further=True),
    StoryPhase("chips on the layout, game unavailable", "bets suspend", "betting", further=True),
    StoryPhase("a decision open, game unavailable", "bets deal suspend", "decision", further=True),
    StoryPhase("settled, game unavailable", "bets deal decide settle suspend", "settled", further=True),
)
"""The phases of the fixed part, in the order in which they are tried."""


def reach(phase: StoryPhase, setting: Setting) -> PhaseReached | None:
    """Returns a way and a deck on which the reference reaches a phase, one that pays where there is one."""
    found: PhaseReached | None = None
    for steps in _ways(phase.text, setting.edition, setting.start):
        asked = {action for step in steps for action in actions_of(step)}
        if asked & setting.unsupported:
            continue
        for index in range(len(setting.decks)):
            there = arrive(steps, setting, index)
            if there.reference.view().phase == phase.shows:
                found = found or PhaseReached(phase, steps, index)
                if there.pays():
                    return PhaseReached(phase, steps, index)
            if not DEALS & asked:
                break
    return found


@dataclass(frozen=True, slots=True)
class Arrived:
    """The reference after some steps.

    Args:
        reference: The reference.
        deck: The deck of its next deal.
        paid: Whether settlement paid something on the way.
    """

    reference: FollowedRound
    deck: Deck
    paid: bool

    def pays(self) -> bool:
        """Tells whether settlement paid something, or would: what is paid twice must be something."""
        return self.paid or self.reference.would_pay()

    def does(self, command: Command) -> bool:
        """Tells whether a command would be done here; nothing is changed by asking."""
        self.reference.set_deck(self.deck)
        return self.reference.would_do(command)


def arrive(steps: Sequence[Step], setting: Setting, first_deck: int) -> Arrived:
    """Returns the reference after some steps; a step that it refuses changes nothing."""
    fresh = reference_system(setting.edition, setting.opening, setting.start)
    reference, deal, instant, paid = FollowedRound(fresh, setting.start), first_deck, setting.start, False
    for step in steps:
        match step:
            case Ask(command=command):
                reference.set_deck(setting.decks[deal % len(setting.decks)])
                reply = fresh.perform(command)
                deal += reply.done and command.action in DEALS
                paid = paid or any(amount for _, amount in reply.view.returned)
            case Jump(by):
                instant += by
                reference.set_clock(instant)
            case _:
                continue
    return Arrived(reference, setting.decks[deal % len(setting.decks)], paid)
