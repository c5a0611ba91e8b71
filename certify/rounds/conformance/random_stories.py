"""Random stories: what leads on, breaks off, comes late, twice or out of place."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, TypeVar

from certify.rounds.conformance.compared_fields import scattered
from certify.rounds.conformance.fixed import every_command
from certify.rounds.conformance.follow import FollowedRound
from certify.rounds.conformance.judge import JudgedPlay, take_step
from certify.rounds.conformance.setting import Extra, Setting, chips
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
from certify.rounds.exercise import default_stakes
from certify.rounds.state import OPEN
from certify.rounds.system import ReferenceSystem
from certify.rounds.table import Command, SeatAction, View, command_for

LONGEST: Final = 12
"""Turns of a story: each is a step, or a few that belong together."""

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


def random_story(setting: Setting, decks: int, seed: int, number: int) -> Story:
    """Returns steps chosen while the reference is told them, so that most of them lead on.

    Args:
        setting: In what it is told.
        decks: Number of decks that the first deal may take.
        seed: Chooses all stories.
        number: Which of them; in those of odd number commands may arrive at the same time.
    """
    choose = Chooser(f"{seed}/{number}")
    story = scattered(Story((), choose.below(decks)), setting, number)
    begins = story.start or setting.start
    brought = setting.opening if story.opening is None else story.opening
    # The reference stands on both sides: what it is told again under its key, it does once.
    table = ReferenceSystem.of(setting.edition, brought, begins)
    play = JudgedPlay(FollowedRound(table, begins), table, story, setting.decks, (Extra.TOGETHER,))
    turns = _Turns(setting, play, table, choose, at_once=bool(number % 2))
    steps: list[Step] = []
    for _ in range(LONGEST):
        for step in turns.next():
            if not set(actions_of(step)) & set(setting.unsupported):
                steps.append(step)
                take_step(play, step)
    return story.told((*steps, Look(), Recall()))


@dataclass(frozen=True, slots=True)
class _Turns:
    """What is done next at a table, by how it stands."""

    setting: Setting
    play: JudgedPlay
    table: ReferenceSystem
    choose: Chooser
    at_once: bool

    @property
    def view(self) -> View:
        return self.table.view()

    def next(self) -> Iterator[Step]:
        """Yields what is done: mostly what leads on, else what breaks off, comes late, twice or out of place."""
        kind = self.choose.below(22 if self.at_once else 20)
        if kind < 12:
            yield from map(Ask, self.leading_on())
        elif kind < 15:
            yield Ask(self.choose.of(tuple(every_command(self.setting))))
        elif kind == 15:
            said: tuple[Step, ...] = (Look(), Recall(), Restart(), Again(1), Again(1), Again(2))
            yield self.choose.of(said)
        elif kind == 16:
            yield from map(Ask, self.breaking_off())
        elif kind == 17:
            yield Jump(self.choose.of(_STEPS))
        elif kind < 20:
            yield from self.around_the_term()
        else:
            yield self.two_at_once()

    def leading_on(self) -> Sequence[Command]:
        """Returns what the round waits for: a decision, settlement, or bets and a deal."""
        view = self.view
        if view.options:
            return (command_for(self.choose.of(view.options)),)
        if view.phase in OPEN:
            return (Command(SeatAction.SETTLE),)
        deal, main = Command(SeatAction.DEAL), self.setting.edition.game.wagers[0]
        bets = [Command(SeatAction.PLACE, *bet) for bet in default_stakes(self.setting.edition.game)]
        return self.choose.of(
            (
                (*bets, deal),
                (bets[0], deal),
                (
                    *(Command(SeatAction.PLACE, main.id, one) for one in self.choose.of(chips(main.limits))),
                    deal,
                ),
                (Command(SeatAction.REBET), deal),
                (Command(SeatAction.REBET_AND_DEAL),),
                (Command(SeatAction.DOUBLE_AND_DEAL),),
            )
        )

    def breaking_off(self) -> Sequence[Command]:
        """Returns a break of the connection or of the game, with what follows it."""
        away, back, void = SeatAction.DISCONNECT, SeatAction.RESUME, SeatAction.MALFUNCTION
        unavailable = (SeatAction.SUSPEND, SeatAction.DEAL, SeatAction.RESTORE)
        breaks = (away,), (back,), (away, back), (void,), (void, void), unavailable
        return tuple(map(Command, self.choose.of(breaks)))

    def two_at_once(self) -> Step:
        """Returns two commands at a time: the same twice, under one key or two, or two that exclude each other."""
        one = self.leading_on()[-1]
        others = [one, one, self.leading_on()[-1], *map(Command, (SeatAction.MALFUNCTION, SeatAction.EXPIRE))]
        other = self.choose.of(others)
        return SeatsTogether((one, other), one_key=one == other and self.choose.below(2) == 1)

    def around_the_term(self) -> Iterator[Step]:
        """Yields a jump to the term of the open round or a second before it, and what is asked then."""
        current = self.table.seat.round
        if current is None or current.accepted_at is None or current.phase not in OPEN:
            return
        void_at = self.setting.edition.policy.deadline(current.accepted_at)
        yield Jump(void_at - self.play.instant - self.choose.of((timedelta(0), timedelta(seconds=1))))
        late, expire = self.leading_on()[0], Command(SeatAction.EXPIRE)
        asked: tuple[Step, ...] = (Ask(late), Ask(expire), SeatsTogether((late, expire)))
        yield self.choose.of(asked if self.at_once else asked[:2])
        yield Ask(expire)
