"""The fixed part: every action in every phase, connected and after a break, the same for every seed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from certify.errors import InputError
from certify.rounds.conformance.decks import Rows, odd_stakes
from certify.rounds.conformance.extras import Extra
from certify.rounds.conformance.matters import names_of, stories_of, ways_of
from certify.rounds.conformance.phases import PHASES, PhaseReached, arrive, closers, reach
from certify.rounds.conformance.setting import Setting
from certify.rounds.conformance.story import (
    Again,
    Ask,
    Look,
    Reuse,
    SeatsTogether,
    Step,
    Story,
    draws,
    places,
    steps_of,
)
from certify.rounds.play import Play
from certify.rounds.table import Command, SeatAction, command_for

UNKNOWN: Final = "no-such-wager"

NO_DECISION: Final = "no-such-decision"

ALWAYS: Final = frozenset({SeatAction.PLACE, SeatAction.DEAL, SeatAction.DECIDE})
"""Actions without which there is no round to test."""

CONNECTED, RETURNED, DISCONNECTED, RESTARTED = (
    "connected",
    "after a break and a return",
    "disconnected",
    "after a restart",
)
_SELDOM: Final = (DISCONNECTED, RESTARTED)
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
        rows_reached: Rows paid at odd stakes, as wager and row.
        rows_missed: Rows that no deck of the fixed part reaches.
        matters: What matters, each with the number of stories that try it.
    """

    stories: list[Story] = field(default_factory=list)
    phases: list[str] = field(default_factory=list)
    not_reached: list[str] = field(default_factory=list)
    ways: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()
    cells: int = 0
    rows_reached: tuple[tuple[str, str], ...] = ()
    rows_missed: tuple[tuple[str, str], ...] = ()
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
            "rows_reached": [list(row) for row in self.rows_reached],
            "rows_not_reached": [list(row) for row in self.rows_missed],
            "matters": [{"what": what, "stories": stories} for what, stories in self.matters],
        }


def plan_of(setting: Setting, rows: Rows) -> FixedPlan:
    """Returns the fixed part for a setting.

    Args:
        setting: In what the stories are told.
        rows: Rounds that reach the rows of the paytables; their decks are among those of the setting.
    """
    ways = dict(_ways(setting))
    actions = tuple(
        command for command in every_command(setting) if command.action not in setting.unsupported
    )
    plan = FixedPlan(ways=tuple(ways), actions=tuple(map(str, actions)))
    plan.stories += _broken_off(setting)
    plan.stories += _odd(setting, rows)
    plan.rows_reached, plan.rows_missed = rows.reached, rows.missed
    found = _reached(setting, plan)
    # What a plain story shows is not told as something rarer.
    for name, way in ways.items():
        for reached in found:
            if reached.phase.further and name in _SELDOM:
                continue
            plan.stories += _tried(setting, reached, way, actions)
            plan.cells += len(actions)
        if name == CONNECTED:
            for reached in found:
                plan.stories += _reused(setting, reached, actions)
                plan.stories += _at_once(setting, reached)
    named = list(stories_of(setting, ways_of(setting)))
    plan.stories += [story for _, story in named]
    plan.matters = names_of(named)
    return plan


def _reached(setting: Setting, plan: FixedPlan) -> list[PhaseReached]:
    """Returns the phases that can be reached, and writes down which can."""
    found = []
    for phase in PHASES:
        reached = reach(phase, setting)
        if reached is None:
            # Where nothing is decided, no round waits: such a phase is not missing, there is none.
            if setting.edition.play.decisions or phase.shows not in ("decision", "expired"):
                plan.not_reached.append(phase.name)
        else:
            plan.phases.append(phase.name)
            found.append(reached)
    return found


def _ways(setting: Setting) -> Iterator[tuple[str, tuple[Step, ...]]]:
    yield CONNECTED, ()
    if not {SeatAction.DISCONNECT, SeatAction.RESUME} & setting.unsupported:
        yield RETURNED, steps_of("disconnect resume")
    if SeatAction.DISCONNECT not in setting.unsupported:
        yield DISCONNECTED, steps_of("disconnect")
    if Extra.RESTART in setting.offers:
        yield RESTARTED, steps_of("restart")


def every_command(setting: Setting) -> Iterator[Command]:
    """Yields everything that is asked for in every phase, the impossible included."""
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
    yield from map(command_for, (*play.decisions, NO_DECISION, *_nearly(play)))
    yield Command(SeatAction.DECIDE)


def _nearly(play: Play) -> Iterator[str]:
    """Yields a decision that reads like one of the game with a stake besides, and is none: ``fold-9``."""
    ranked = sorted(play.decisions, key=play.gives_up, reverse=True)
    yield from (f"{one}-9" for one in ranked[:1] if f"{one}-9" not in play.decisions)


def _tried(
    setting: Setting, reached: PhaseReached, way: tuple[Step, ...], actions: Sequence[Command]
) -> Iterator[Story]:
    """Yields one story of everything that is refused there, and one for each thing that is done.

    Both begin with the thing that was done last before the way, sent again under its key.
    """
    late = Again(1 + sum(isinstance(step, Ask) for step in way))
    steps = (*reached.steps, *way)
    there = arrive(steps, setting, reached.first_deck)
    refused = [action for action in actions if not there.does(action)]
    yield Story((*steps, Look(), late, *map(Ask, refused), *_LOOKS), reached.first_deck)
    tail = _tail(setting)
    for action in actions:
        if action not in refused:
            yield Story((*steps, Ask(action), Look(), *tail), reached.first_deck)


def _tail(setting: Setting) -> tuple[Step, ...]:
    """Returns what follows everything that is done: the same again, and the round to its end and beyond."""
    text = "again deal close settle again settle look history"
    return Story(steps_of(text, {"close": _closing(setting)})).asking_nothing_of(setting.unsupported).steps


def _closing(setting: Setting) -> tuple[Step, ...]:
    """Returns the decision that commits to least, where anything is decided."""
    return tuple(map(Ask, closers(setting.edition)[:1]))


def _reused(setting: Setting, reached: PhaseReached, actions: Sequence[Command]) -> Iterator[Story]:
    """Yields stories in which a key is used again for another command that would be done."""
    if not reached.steps:
        return
    there = arrive(reached.steps, setting, reached.first_deck)
    for action in actions:
        if there.does(action):
            yield Story((*reached.steps, Reuse(1, action), *_LOOKS), reached.first_deck)


def _at_once(setting: Setting, reached: PhaseReached) -> Iterator[Story]:
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
    there = arrive(reached.steps, setting, reached.first_deck)
    for one, other, same in pairs:
        if {one.action, other.action} & setting.unsupported:
            continue
        if there.does(one) or there.does(other):
            yield Story((*reached.steps, SeatsTogether((one, other), same), *_LOOKS), reached.first_deck)


def _broken_off(setting: Setting) -> Iterator[Story]:
    """Yields a round on every deck that is broken off after the deal and then played on to its end."""
    draw = tuple(map(Ask, draws(setting.edition)[:1]))
    known = {"bets": places(setting.edition), "draw": draw, "close": _closing(setting)}
    for break_ in ("disconnect resume", *(("restart",) if Extra.RESTART in setting.offers else ())):
        steps = steps_of(f"bets deal {break_} draw draw close settle look history", known)
        for index in range(min(_BROKEN_OFF, len(setting.decks))):
            yield Story(steps, index).asking_nothing_of(setting.unsupported)


def _odd(setting: Setting, rows: Rows) -> Iterator[Story]:
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
