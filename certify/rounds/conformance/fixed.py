"""The fixed part: every action in every phase, connected and after a break, the same for every seed."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from certify.errors import InputError
from certify.rounds.conformance.compared_fields import names_of, stories_of, ways_of
from certify.rounds.conformance.judge import JudgedPlay, on_the_reference, take_step
from certify.rounds.conformance.setting import Extra, Rows, Setting, odd_stakes
from certify.rounds.conformance.story import (
    Again,
    Ask,
    Plain,
    SeatsTogether,
    Step,
    Story,
    actions_of,
    draws,
    places,
    steps_of,
)
from certify.rounds.events import RoundSettled
from certify.rounds.play import Edition, calmest
from certify.rounds.table import DEALS, Command, SeatAction, command_for


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


def closers(edition: Edition) -> tuple[Command, ...]:
    """Returns the decisions of a game: what commits to least first, what gives up last."""
    play, calm = edition.play, calmest(edition.play)
    ranked = sorted(play.decisions, key=lambda one: (play.gives_up(one), one != calm))
    return tuple(map(command_for, ranked))


def _ways_there(text: str, edition: Edition, start: datetime) -> Iterator[tuple[Step, ...]]:
    """Yields the ways that a text says to a phase, the likeliest first; ``decide`` is each decision in turn."""
    known, term = {"bets": places(edition)}, edition.term(start)
    decided: tuple[tuple[Step, ...], ...] = tuple((Ask(one),) for one in closers(edition))
    # Where nothing is ever decided, a hand is done by its deal.
    for deciding in (decided or ((),)) if "decide" in text else ((),):
        yield steps_of(text, known | {"decide": deciding}, term)


PHASES: Final = (
    StoryPhase("no round", "", "none"),
    StoryPhase("chips on the layout", "bets", "betting"),
    StoryPhase("a decision open", "bets deal", "decision"),
    StoryPhase("hand done", "bets deal decide", "resolved"),
    StoryPhase("settled", "bets deal decide settle", "settled"),
    StoryPhase("void by a malfunction", "bets deal malfunction", "void"),
    StoryPhase("void after settlement", "bets deal decide settle malfunction", "void", further=True),
    StoryPhase("void by its term", "bets deal +term expire", "expired"),
    StoryPhase("void by its term, clock set back", "bets deal +term expire -term", "expired", further=True),
    StoryPhase("a decision open, one second before the term", "bets deal +term-1s", "decision", further=True),
    StoryPhase("a decision open, term passed", "bets deal +term", "decision", further=True),
    StoryPhase(
        "hand done, one second before the term", "bets deal decide +term-1s", "resolved", further=True
    ),
    StoryPhase("hand done, term passed", "bets deal decide +term", "resolved", further=True),
    StoryPhase("chips on the layout, clock set back", "bets -1d", "betting", further=True),
    StoryPhase("chips on the layout, game unavailable", "bets suspend", "betting", further=True),
    StoryPhase("a decision open, game unavailable", "bets deal suspend", "decision", further=True),
    StoryPhase("settled, game unavailable", "bets deal decide settle suspend", "settled", further=True),
)
"""The phases of the fixed part, in the order in which they are tried."""


def reach(phase: StoryPhase, setting: Setting) -> Story | None:
    """Returns the way to a phase and the deck on which the reference reaches it, one that pays where there is one."""
    found: Story | None = None
    for steps in _ways_there(phase.text, setting.edition, setting.start):
        asked = {action for step in steps for action in actions_of(step)}
        if asked & setting.unsupported:
            continue
        for index in range(len(setting.decks)):
            story = Story(steps, index)
            there = arrive(story, setting)
            if there.reference.view().phase == phase.shows:
                found = found or story
                # What is paid twice must be something.
                if _paid(there) or there.reference.would_pay():
                    return story
            if not DEALS & asked:
                break
    return found


def arrive(story: Story, setting: Setting) -> JudgedPlay:
    """Returns the reference after a story; a step that it refuses changes nothing."""
    there = on_the_reference(story, setting)
    for step in story.steps:
        take_step(there, step)
    return there


def _paid(there: JudgedPlay) -> bool:
    """Returns whether settlement paid something on the way."""
    bodies = (event.body for event in there.reference.system.events)
    return any(isinstance(body, RoundSettled) and body.returned for body in bodies)


UNKNOWN: Final = "no-such-wager"

NO_DECISION: Final = "no-such-decision"

ALWAYS: Final = frozenset({SeatAction.PLACE, SeatAction.DEAL, SeatAction.DECIDE})
"""Actions without which there is no round to test."""

_WAYS: Final[Mapping[str, tuple[Step, ...]]] = {
    "connected": (),
    "after a break and a return": steps_of("disconnect resume"),
    "disconnected": steps_of("disconnect"),
    "after a restart": steps_of("restart"),
}
"""How an action is tried, and what is done before it."""

_SELDOM: Final = ("disconnected", "after a restart")
"""Ways that are tried in the phases themselves and not again before the term, unavailable and so on."""

_BROKEN_OFF: Final = 12
"""Decks on which a round is broken off."""

_LOOKS: Final = steps_of("look history")


@dataclass(slots=True)
class FixedPlan:
    """The stories of the fixed part and what they cover.

    Args:
        stories: The stories.
        phases: Names of the phases reached.
        not_reached: Names of the phases that nothing supported leads to.
        ways: How an action is tried: connected, after a break and so on.
        actions: What is tried, as lines of a script.
        cells: Number of combinations of phase, way and action that are tried.
        rows: Rows paid at odd stakes, and those that no deck of the fixed part reaches.
        matters: What matters, each with the number of stories that try it.
    """

    stories: list[Story] = field(default_factory=list)
    phases: tuple[str, ...] = ()
    not_reached: tuple[str, ...] = ()
    ways: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()
    cells: int = 0
    rows: Rows = field(default_factory=Rows)
    matters: tuple[tuple[str, int], ...] = ()

    def to_evidence(self) -> dict[str, object]:
        """Returns what was covered as plain values."""
        return {
            "stories": len(self.stories),
            "cells": self.cells,
            "phases": list(self.phases),
            "phases_not_reached": list(self.not_reached),
            "ways": list(self.ways),
            "actions": list(self.actions),
            "rows_reached": [list(row) for row in self.rows.reached],
            "rows_not_reached": [list(row) for row in self.rows.missed],
            "matters": [{"what": what, "stories": stories} for what, stories in self.matters],
        }


def plan_of(setting: Setting, rows: Rows) -> FixedPlan:
    """Returns the fixed part for a setting.

    Args:
        setting: The setting of the stories.
        rows: Rounds that reach the rows of the paytables; their decks are among those of the setting.
    """
    there = {phase: reach(phase, setting) for phase in PHASES}
    found = [(phase, story) for phase, story in there.items() if story is not None]
    actions = [one for one in every_command(setting) if one.action not in setting.unsupported]
    named = list(stories_of(setting, ways_of(setting)))
    plan = FixedPlan(
        stories=[*_broken_off(setting), *rows_paid(setting, rows)],
        phases=tuple(phase.name for phase, _ in found),
        # Where nothing is decided, no round waits: such a phase is not missing, there is none.
        not_reached=tuple(
            phase.name
            for phase, story in there.items()
            if story is None
            and (setting.edition.play.decisions or phase.shows not in ("decision", "expired"))
        ),
        ways=tuple(name for name, way in _WAYS.items() if _offered(way, setting)),
        actions=tuple(map(str, actions)),
        rows=rows,
        matters=names_of(named),
    )
    # What a plain story shows is not repeated as something rarer.
    for name in plan.ways:
        for phase, reached in found:
            if not (phase.further and name in _SELDOM):
                plan.stories += _tried(setting, reached, _WAYS[name], actions)
                plan.cells += len(actions)
        if not _WAYS[name]:
            for _, reached in found:
                plan.stories += _reused(setting, reached, actions)
                plan.stories += _at_once(setting, reached)
    plan.stories += [story for _, story in named]
    return plan


def _offered(way: Sequence[Step], setting: Setting) -> bool:
    """Returns whether a system offers what a way needs, and its operator supports it."""
    needed = {action for step in way for action in actions_of(step)}
    return not needed & setting.unsupported and (Plain.RESTART not in way or Extra.RESTART in setting.offers)


def every_command(setting: Setting) -> Iterator[Command]:
    """Yields everything that is requested in every phase, the impossible included."""
    for wager in setting.edition.game.wagers:
        for amount in (
            wager.limits.minimum,
            max(1, wager.limits.minimum - 1),
            wager.limits.maximum + 1,
            0,
            -1,
            -wager.limits.minimum,
        ):
            yield Command(SeatAction.PLACE, wager.id, amount)
    yield Command(SeatAction.PLACE, UNKNOWN, setting.edition.game.wagers[0].limits.minimum)
    yield Command(SeatAction.PLACE, setting.edition.game.wagers[0].id, setting.opening + 1)
    for action in SeatAction:
        if action not in (SeatAction.PLACE, SeatAction.DECIDE):
            yield Command(action)
    play = setting.edition.play
    # One that reads like a decision of the game with a further stake, and is none: ``fold-9``.
    ranked = sorted(play.decisions, key=play.gives_up, reverse=True)
    nearly = [f"{one}-9" for one in ranked[:1] if f"{one}-9" not in play.decisions]
    yield from map(command_for, (*play.decisions, NO_DECISION, *nearly))
    yield Command(SeatAction.DECIDE)


def _tried(
    setting: Setting, reached: Story, way: tuple[Step, ...], actions: Sequence[Command]
) -> Iterator[Story]:
    """Yields one story of everything that is refused there, and one for each thing that is done.

    Both begin with the thing that was done last before the way, sent again under its key.
    """
    late = Again(1 + sum(isinstance(step, Ask) for step in way))
    steps = (*reached.steps, *way)
    there = arrive(reached.told(steps), setting)
    refused = [action for action in actions if not there.does(action)]
    yield reached.told((*steps, Plain.LOOK, late, *map(Ask, refused), *_LOOKS))
    # What follows everything that is done: the same again, and the round to its end and beyond.
    text = "again deal close settle again settle look history"
    tail = Story(steps_of(text, {"close": _closing(setting)})).asking_nothing_of(setting.unsupported).steps
    for action in actions:
        if action not in refused:
            yield reached.told((*steps, Ask(action), Plain.LOOK, *tail))


def _closing(setting: Setting) -> tuple[Step, ...]:
    """Returns the decision that commits to least, where anything is decided."""
    return tuple(map(Ask, closers(setting.edition)[:1]))


def _reused(setting: Setting, reached: Story, actions: Sequence[Command]) -> Iterator[Story]:
    """Yields stories in which a key is used again for another command that would be done."""
    if not reached.steps:
        return
    there = arrive(reached, setting)
    for action in actions:
        if there.does(action):
            yield reached.told((*reached.steps, Again(1, action), *_LOOKS))


def _at_once(setting: Setting, reached: Story) -> Iterator[Story]:
    """Yields stories in which two commands arrive at the same time."""
    if Extra.TOGETHER not in setting.offers:
        return
    main = setting.edition.game.wagers[0]
    place = Command(SeatAction.PLACE, main.id, main.limits.minimum)
    actions = SeatAction.DEAL, SeatAction.REBET_AND_DEAL, SeatAction.SETTLE, SeatAction.MALFUNCTION
    doubled = [place, *map(Command, (*actions, SeatAction.EXPIRE)), *closers(setting.edition)]
    mixed = [
        (SeatAction.SETTLE, SeatAction.MALFUNCTION),
        (SeatAction.EXPIRE, SeatAction.SETTLE),
        (SeatAction.UNDO, SeatAction.DEAL),
    ]
    pairs = [(one, one, same) for one in doubled for same in (False, True)]
    pairs += [(Command(one), Command(other), False) for one, other in mixed]
    there = arrive(reached, setting)
    for one, other, same in pairs:
        supported = not {one.action, other.action} & setting.unsupported
        if supported and (there.does(one) or there.does(other)):
            yield reached.told((*reached.steps, SeatsTogether((one, other), same), *_LOOKS))


def _broken_off(setting: Setting) -> Iterator[Story]:
    """Yields a round on every deck that is broken off after the deal and then played on to its end."""
    draw = tuple(map(Ask, draws(setting.edition)[:1]))
    known = {"bets": places(setting.edition), "draw": draw, "close": _closing(setting)}
    for break_ in ("disconnect resume", *(("restart",) if Extra.RESTART in setting.offers else ())):
        steps = steps_of(f"bets deal {break_} draw draw close settle look history", known)
        for index in range(min(_BROKEN_OFF, len(setting.decks))):
            yield Story(steps, index).asking_nothing_of(setting.unsupported)


def rows_paid(setting: Setting, rows: Rows) -> Iterator[Story]:
    """Yields rounds at stakes that pays do not divide, one for each row that is reached."""
    stakes = tuple(Ask(Command(SeatAction.PLACE, *bet)) for bet in odd_stakes(setting.edition))
    for line in rows.lines:
        decided = tuple(Ask(command_for(decision)) for decision in line.decisions)
        steps = steps_of("bets deal decided settle look history", {"bets": stakes, "decided": decided})
        yield Story(steps, setting.decks.index(line.deck)).asking_nothing_of(setting.unsupported)


def unsupported_of(names: Collection[str]) -> frozenset[SeatAction]:
    """Returns the actions that an operator declares unsupported.

    Raises:
        InputError: One is unknown, or there would be no round to test without it.
    """
    known = sorted(str(action) for action in SeatAction if action not in ALWAYS)
    foreign = sorted(name for name in names if name not in known)
    if foreign:
        raise InputError(f"{', '.join(foreign)} cannot be unsupported: expected some of {', '.join(known)}")
    return frozenset(SeatAction(name) for name in names)
