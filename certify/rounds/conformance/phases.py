"""Every phase a round can be in, and the shortest way there."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from certify.rounds.conformance.follow import FollowedRound
from certify.rounds.conformance.story import Ask, Jump, Step, actions_of, term_of
from certify.rounds.exercise import default_stakes
from certify.rounds.play import Edition, calmest
from certify.rounds.probe import Deck
from certify.rounds.system import reference_system
from certify.rounds.table import DEALS, Command, SeatAction, command_for

_SECOND: Final = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class StoryPhase:
    """A phase by its name, what leads to it, and what shows that it was reached.

    Args:
        name: Its name in the report.
        ways: Returns the ways to try on a deck, the likeliest first.
        shows: The phase that the view shows there.
        further: Whether it is a phase of a round in further circumstances; it is tried connected and after a break.
    """

    name: str
    ways: Callable[[Edition, datetime], Iterator[tuple[Step, ...]]]
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


def places(edition: Edition) -> tuple[Step, ...]:
    """Returns bets on every wager, different ones where the limits allow it."""
    return tuple(Ask(Command(SeatAction.PLACE, *bet)) for bet in default_stakes(edition.game))


def closers(edition: Edition) -> tuple[Command, ...]:
    """Returns the decisions of a game: what commits to least first, what gives up last."""
    play, calm = edition.play, calmest(edition.play)
    ranked = sorted(play.decisions, key=lambda one: (play.gives_up(one), one != calm))
    return tuple(map(command_for, ranked))


def _after(
    *further: SeatAction | timedelta | str,
) -> Callable[[Edition, datetime], Iterator[tuple[Step, ...]]]:
    """Returns the ways that lead from a deal on: actions, clock jumps, and words for a decision and the term."""

    def ways(edition: Edition, start: datetime) -> Iterator[tuple[Step, ...]]:
        dealt = (*places(edition), Ask(Command(SeatAction.DEAL)))
        term = term_of(edition, start)
        words = {"term": term, "before": term - _SECOND, "back": -term}
        decided: tuple[tuple[Step, ...], ...] = tuple((Ask(one),) for one in closers(edition))
        # Where nothing is ever decided, a hand is done by its deal.
        for deciding in (decided or ((),)) if "decide" in further else ((),):
            steps: list[Step] = list(dealt)
            for one in further:
                if one == "decide":
                    steps.extend(deciding)
                elif isinstance(one, SeatAction):
                    steps.append(Ask(Command(one)))
                else:
                    steps.append(Jump(words[one] if isinstance(one, str) else one))
            yield tuple(steps)

    return ways


def _none(edition: Edition, start: datetime) -> Iterator[tuple[Step, ...]]:
    yield ()


def _chips(edition: Edition, start: datetime) -> Iterator[tuple[Step, ...]]:
    yield places(edition)


def _chips_unavailable(edition: Edition, start: datetime) -> Iterator[tuple[Step, ...]]:
    yield (*places(edition), Ask(Command(SeatAction.SUSPEND)))


def _chips_behind(edition: Edition, start: datetime) -> Iterator[tuple[Step, ...]]:
    yield (*places(edition), Jump(-timedelta(days=1)))


PHASES: Final = (
    StoryPhase("no round", _none, "none"),
    StoryPhase("chips on the layout", _chips, "betting"),
    StoryPhase("a decision open", _after(), "decision"),
    StoryPhase("hand done", _after("decide"), "resolved"),
    StoryPhase("settled", _after("decide", SeatAction.SETTLE), "settled"),
    StoryPhase("void by a malfunction", _after(SeatAction.MALFUNCTION), "void"),
    StoryPhase(
        "void after settlement",
        _after("decide", SeatAction.SETTLE, SeatAction.MALFUNCTION),
        "void",
        further=True,
    ),
    StoryPhase("void by its term", _after("term", SeatAction.EXPIRE), "expired"),
    StoryPhase(
        "void by its term, clock set back", _after("term", SeatAction.EXPIRE, "back"), "expired", further=True
    ),
    StoryPhase("a decision open, one second before the term", _after("before"), "decision", further=True),
    StoryPhase("a decision open, term passed", _after("term"), "decision", further=True),
    StoryPhase("hand done, one second before the term", _after("decide", "before"), "resolved", further=True),
    StoryPhase("hand done, term passed", _after("decide", "term"), "resolved", further=True),
    StoryPhase("chips on the layout, clock set back", _chips_behind, "betting", further=True),
    StoryPhase("chips on the layout, game unavailable", _chips_unavailable, "betting", further=True),
    StoryPhase("a decision open, game unavailable", _after(SeatAction.SUSPEND), "decision", further=True),
    StoryPhase(
        "settled, game unavailable",
        _after("decide", SeatAction.SETTLE, SeatAction.SUSPEND),
        "settled",
        further=True,
    ),
)
"""The phases of the fixed part, in the order in which they are tried."""


def reach(
    phase: StoryPhase,
    edition: Edition,
    decks: Sequence[Deck],
    start: datetime,
    opening: int,
    unsupported: Collection[SeatAction],
) -> PhaseReached | None:
    """Returns a way and a deck on which the reference reaches a phase, one that pays where there is one."""
    found: PhaseReached | None = None
    for steps in phase.ways(edition, start):
        asked = [action for step in steps for action in actions_of(step)]
        if set(asked) & set(unsupported):
            continue
        for index in range(len(decks)):
            there = arrive(steps, edition, decks, index, start, opening)
            if there.reference.view().phase == phase.shows:
                found = found or PhaseReached(phase, steps, index)
                if there.pays():
                    return PhaseReached(phase, steps, index)
            if not DEALS & set(asked):
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


def arrive(
    steps: Sequence[Step],
    edition: Edition,
    decks: Sequence[Deck],
    first_deck: int,
    start: datetime,
    opening: int,
) -> Arrived:
    """Returns the reference after some steps; a step that it refuses changes nothing."""
    reference, deal, instant = (
        FollowedRound(reference_system(edition, opening, start), start),
        first_deck,
        start,
    )
    paid = False
    for step in steps:
        match step:
            case Ask(command=Command() as command):
                reference.set_deck(decks[deal % len(decks)])
                reply = reference.system.perform(command)
                deal += reply.done and command.action in DEALS
                paid = paid or any(amount for _, amount in reply.view.returned)
            case Jump(by):
                instant += by
                reference.set_clock(instant)
            case _:
                continue
    return Arrived(reference, decks[deal % len(decks)], paid)
