"""Stories at a table: what leads on, breaks off, comes late, twice, out of turn or at the same time."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, TypeVar

from certify.rounds.conformance.extras import Extra
from certify.rounds.conformance.follow import FollowedRound
from certify.rounds.conformance.judge import JudgedPlay, take_step
from certify.rounds.conformance.setting import Setting
from certify.rounds.conformance.story import (
    Again,
    Ask,
    Jump,
    Look,
    Recall,
    Restart,
    SeatsTogether,
    Step,
    Story,
    actions_of,
)
from certify.rounds.state import OPEN
from certify.rounds.system import ReferenceSystem
from certify.rounds.table import Command, SeatAction, View, command_for

PEOPLE: Final = ("Ada", "Bea", "Cora")
"""Who sits at the table; the first banks first."""

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


def story_of_several(setting: Setting, choose: Chooser, *, at_once: bool) -> Story:
    """Returns steps chosen while the reference is told them, so that most of them lead on.

    Args:
        setting: In what it is told.
        choose: Chooses.
        at_once: Whether commands may arrive at the same time.
    """
    first = choose.below(len(setting.decks))
    # The reference stands on both sides: what it is told again under its key, it does once.
    table = ReferenceSystem.of(setting.edition, setting.people, setting.start)
    play = JudgedPlay(
        FollowedRound(table, setting.start), table, Story((), first), setting.decks, (Extra.TOGETHER,)
    )
    steps: list[Step] = []
    for _ in range(LONGEST):
        for step in _next(play, table, choose, at_once):
            if set(actions_of(step)) & set(setting.unsupported):
                continue
            steps.append(step)
            take_step(play, step)
    return Story((*steps, Look(), Recall()), first)


def _next(play: JudgedPlay, table: ReferenceSystem, choose: Chooser, at_once: bool) -> Iterator[Step]:
    """Yields what is done next: mostly what leads on, else what breaks off, comes late, twice or out of turn."""
    view, kind = table.view(), choose.below(22 if at_once else 20)
    stake = play.edition.game.wagers[0].limits.minimum
    if kind < 12:
        yield Ask(_leading_on(view, stake, choose))
    elif kind < 15:
        yield Ask(_out_of_place(view, stake, choose))
    elif kind == 15:
        said: tuple[Step, ...] = (Look(), Recall(), Restart(), Again(1), Again(1), Again(2))
        yield choose.of(said)
    elif kind == 16:
        person = choose.of(PEOPLE)
        yield Ask(Command(choose.of((SeatAction.LEAVE, SeatAction.RETURN)), person=person))
    elif kind == 17:
        yield Jump(choose.of(_STEPS))
        yield Ask(Command(SeatAction.AWAY))
    elif kind < 20:
        yield from _around_the_term(play, table, choose, at_once)
    else:
        yield _at_once(view, stake, choose)


def _leading_on(view: View, stake: int, choose: Chooser) -> Command:
    if view.people.turn:
        return command_for(choose.of(view.options), view.people.turn)
    seats = [name for name in PEOPLE if name != view.people.banker]
    units = choose.of(((1, 1), (1, 2), (2, 1), (3, 7), (30, 40)))
    return Command(
        SeatAction.DEAL,
        stakes=tuple((name, stake * unit) for name, unit in zip(seats, units, strict=True)),
    )


def _out_of_place(view: View, stake: int, choose: Chooser) -> Command:
    """Returns what is to be refused, or breaks the round off."""
    option = choose.of(view.options or ("stand",))
    return choose.of(
        (
            command_for(option, choose.of(PEOPLE)),
            command_for("peek", view.people.turn or PEOPLE[0]),
            Command(SeatAction.DEAL, stakes=((PEOPLE[1], stake),)),
            Command(SeatAction.DEAL, stakes=tuple((name, stake) for name in PEOPLE)),
            Command(
                SeatAction.DEAL, stakes=tuple((name, 0) for name in PEOPLE if name != view.people.banker)
            ),
            Command(SeatAction.AWAY),
            Command(SeatAction.EXPIRE),
            Command(SeatAction.MALFUNCTION),
            Command(SeatAction.LEAVE, person="Zoe"),
        )
    )


def _at_once(view: View, stake: int, choose: Chooser) -> Step:
    """Returns two commands at the same time: the same twice, under one key or two, or two that exclude each other."""
    one = _leading_on(view, stake, choose)
    person = choose.of(PEOPLE)
    option = choose.of(view.options or ("stand",))
    other = choose.of(
        (
            one,
            one,
            _leading_on(view, stake, choose),
            command_for(option, person),
            Command(SeatAction.MALFUNCTION),
            Command(SeatAction.EXPIRE),
            Command(SeatAction.AWAY),
            Command(SeatAction.LEAVE, person=view.people.turn or person),
        )
    )
    return SeatsTogether((one, other), one_key=one == other and choose.below(2) == 1)


def _around_the_term(
    play: JudgedPlay, table: ReferenceSystem, choose: Chooser, at_once: bool
) -> Iterator[Step]:
    """Yields a jump to the term of the open round or a second before it, and what is asked then."""
    view, current = table.view(), table.seat.round
    if current is None or current.accepted_at is None or current.phase not in OPEN:
        return
    void_at = play.edition.policy.deadline(current.accepted_at)
    yield Jump(void_at - play.instant - choose.of((timedelta(0), timedelta(seconds=1))))
    late = (
        command_for(choose.of(view.options), view.people.turn)
        if view.people.turn
        else Command(SeatAction.AWAY)
    )
    expire = Command(SeatAction.EXPIRE)
    asked: tuple[Step, ...] = (Ask(late), Ask(expire), SeatsTogether((late, expire)))
    yield choose.of(asked if at_once else asked[:2])
    yield Ask(expire)
