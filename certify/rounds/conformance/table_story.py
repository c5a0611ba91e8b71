"""Stories at a table: what leads on, breaks off, comes late, twice, out of turn or at the same time."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, TypeVar

from certify.rounds.conformance.story import (
    Again,
    Ask,
    Jump,
    Look,
    Recall,
    Restart,
    Step,
    Story,
    Together,
    asked_at_table,
)
from certify.rounds.conformance.table_judge import PEOPLE, Scene, Told, step_at_table
from certify.rounds.table import TableAction, TableCommand, TableView, decides

LONGEST: Final = 30
"""Turns of a story at a table: each is a step, or a few that belong together."""

_STEPS = timedelta(seconds=1), timedelta(minutes=2), timedelta(hours=1)

T = TypeVar("T")


@dataclass(slots=True)
class Chooser:
    """Chooses by a digest of what it was made of and of how often it chose: the same every time."""

    text: str
    chosen: int = 0

    def below(self, number: int) -> int:
        """Returns a whole number from 0 to below another."""
        self.chosen += 1
        digest = hashlib.sha256(f"{self.text}/{self.chosen}".encode()).digest()
        return int.from_bytes(digest[:8], "big") % number

    def of(self, things: Sequence[T]) -> T:
        """Returns one of some things."""
        return things[self.below(len(things))]


def story_at_table(scene: Scene, choose: Chooser, *, at_once: bool) -> Story:
    """Returns steps chosen while the reference is told them, so that most of them lead on.

    Args:
        scene: In what it is told.
        choose: Chooses.
        at_once: Whether commands may arrive at the same time.
    """
    first = choose.below(len(scene.rows))
    play = Told(scene, scene.reference(), None, first)
    steps: list[Step] = []
    for _ in range(LONGEST):
        for step in _next(play, scene, choose, at_once):
            if {str(command.action) for command in asked_at_table(step)} & scene.unsupported:
                continue
            steps.append(step)
            step_at_table(play, step)
    return Story((*steps, Look(), Recall()), first)


def _next(play: Told, scene: Scene, choose: Chooser, at_once: bool) -> Iterator[Step]:
    """Yields what is done next: mostly what leads on, else what breaks off, comes late, twice or out of turn."""
    view, kind = play.reference.view(), choose.below(22 if at_once else 20)
    if kind < 12:
        yield Ask(_leading_on(view, scene, choose))
    elif kind < 15:
        yield Ask(_out_of_place(view, scene, choose))
    elif kind == 15:
        said: tuple[Step, ...] = (Look(), Recall(), Restart(), Again(1), Again(1), Again(2))
        yield choose.of(said)
    elif kind == 16:
        person = choose.of(PEOPLE)
        yield Ask(TableCommand(choose.of((TableAction.LEAVE, TableAction.RETURN)), person))
    elif kind == 17:
        yield Jump(choose.of(_STEPS))
        yield Ask(TableCommand(TableAction.AWAY))
    elif kind < 20:
        yield from _around_the_term(play, view, choose, at_once)
    else:
        yield _at_once(view, scene, choose)


def _leading_on(view: TableView, scene: Scene, choose: Chooser) -> TableCommand:
    if view.turn:
        return decides(view.turn, choose.of(view.options))
    seats = [name for name in PEOPLE if name != view.banker]
    stake = scene.edition.game.wagers[0].limits.minimum
    units = choose.of(((1, 1), (1, 2), (2, 1), (3, 7), (30, 40)))
    return TableCommand(
        TableAction.DEAL,
        stakes=tuple((name, stake * unit) for name, unit in zip(seats, units, strict=True)),
    )


def _out_of_place(view: TableView, scene: Scene, choose: Chooser) -> TableCommand:
    """Returns what is to be refused, or breaks the round off."""
    stake = scene.edition.game.wagers[0].limits.minimum
    option = choose.of(view.options or ("stand",))
    return choose.of(
        (
            decides(choose.of(PEOPLE), option),
            decides(view.turn or PEOPLE[0], "peek"),
            TableCommand(TableAction.DEAL, stakes=((PEOPLE[1], stake),)),
            TableCommand(TableAction.DEAL, stakes=tuple((name, stake) for name in PEOPLE)),
            TableCommand(TableAction.DEAL, stakes=tuple((name, 0) for name in PEOPLE if name != view.banker)),
            TableCommand(TableAction.AWAY),
            TableCommand(TableAction.EXPIRE),
            TableCommand(TableAction.MALFUNCTION),
            TableCommand(TableAction.LEAVE, "Zoe"),
        )
    )


def _at_once(view: TableView, scene: Scene, choose: Chooser) -> Step:
    """Returns two commands at the same time: the same twice, under one key or two, or two that exclude each other."""
    one = _leading_on(view, scene, choose)
    person = choose.of(PEOPLE)
    option = choose.of(view.options or ("stand",))
    other = choose.of(
        (
            one,
            one,
            _leading_on(view, scene, choose),
            decides(person, option),
            TableCommand(TableAction.MALFUNCTION),
            TableCommand(TableAction.EXPIRE),
            TableCommand(TableAction.AWAY),
            TableCommand(TableAction.LEAVE, view.turn or person),
        )
    )
    return Together((one, other), one_key=one == other and choose.below(2) == 1)


def _around_the_term(play: Told, view: TableView, choose: Chooser, at_once: bool) -> Iterator[Step]:
    """Yields a jump to the term of the open round or a second before it, and what is asked then."""
    void_at = play.reference.state.gathering.void_at
    if void_at is None:
        return
    yield Jump(void_at - play.instant - choose.of((timedelta(0), timedelta(seconds=1))))
    late = decides(view.turn, choose.of(view.options)) if view.turn else TableCommand(TableAction.AWAY)
    expire = TableCommand(TableAction.EXPIRE)
    asked: tuple[Step, ...] = (Ask(late), Ask(expire), Together((late, expire)))
    yield choose.of(asked if at_once else asked[:2])
    yield Ask(expire)
