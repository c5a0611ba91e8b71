"""Stories: sequences of commands, clock jumps, duplicates, breaks and restarts that a developer can replay."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from certify.rounds.exercise import default_stakes
from certify.rounds.play import Edition, calmest
from certify.rounds.probe import Deck
from certify.rounds.table import DEALS, Command, SeatAction, command_for


@dataclass(frozen=True, slots=True)
class Ask:
    """A command is sent, under a key of its own or under one that the story names.

    Args:
        command: What is requested.
        key: Name of a key that other steps of the story share; empty for one that no other step has.
    """

    command: Command
    key: str = ""

    def __str__(self) -> str:
        """Returns the step as a line of the story."""
        return f"{self.command}, under the key {self.key}" if self.key else str(self.command)


@dataclass(frozen=True, slots=True)
class Again:
    """Something is sent under the old key of a command that was done: late, as a duplicate or out of order.

    Args:
        back: How many done commands ago that was; 1 is the latest.
        command: Another command, sent under its key; where none, the same is sent again.
    """

    back: int
    command: Command | None = None

    def __str__(self) -> str:
        """Returns the step as a line of the story."""
        if self.command is not None:
            return f"{self.command}, under the key of the done command {self.back} back"
        return f"send the done command {self.back} back again, under its old key"


@dataclass(frozen=True, slots=True)
class Jump:
    """The clock moves, backwards too."""

    by: timedelta

    def __str__(self) -> str:
        """Returns the step as a line of the story."""
        seconds = int(self.by.total_seconds())
        days, rest = divmod(abs(seconds), 86_400)
        return f"clock {'back' if seconds < 0 else 'forward'} {days} d {rest} s"


@dataclass(frozen=True, slots=True)
class SeatsTogether:
    """Two commands arrive at the same time.

    Args:
        commands: What is requested.
        one_key: Whether both carry the same key, as from a client that sends twice.
    """

    commands: tuple[Command, Command]
    one_key: bool = False

    def __str__(self) -> str:
        """Returns the step as a line of the story."""
        one, other = self.commands
        return f"{one} and, at the same time{' under the same key' if self.one_key else ''}, {other}"


class Plain(StrEnum):
    """A step that needs no more than its name, as a line of the story."""

    RESTART = "the system restarts"
    LOOK = "look at the view"
    RECALL = "look at the history"


@dataclass(frozen=True, slots=True)
class Meanwhile:
    """Another player of the same system does something."""

    step: "Step"

    def __str__(self) -> str:
        """Returns the step as a line of the story."""
        return f"another player: {self.step}"


Step = Ask | Again | Jump | SeatsTogether | Plain | Meanwhile


def asked_in(step: Step) -> tuple[Command, ...]:
    """Returns what a step asks for."""
    match step:
        case Ask() | Again():
            return () if step.command is None else (step.command,)
        case SeatsTogether():
            return step.commands
        case Meanwhile():
            return asked_in(step.step)
        case _:
            return ()


def actions_of(step: Step) -> tuple[SeatAction, ...]:
    """Returns the actions that a step asks for."""
    return tuple(one.action for one in asked_in(step))


@dataclass(frozen=True, slots=True)
class Story:
    """Steps from a fresh player on, and the decks of the deals in their order.

    Args:
        steps: What is done.
        first_deck: Index of the deck of the first deal; each deal takes the next.
        start: When it begins; at the time of all stories where none.
        opening: Opening balance; that of all stories where none.
        one_deck: Whether every deal takes the deck of the first.
        configuration: Id of the wagering configuration that its rounds are staked as; empty for the round as submitted.
    """

    steps: tuple[Step, ...]
    first_deck: int = 0
    start: datetime | None = None
    opening: int | None = None
    one_deck: bool = False
    configuration: str = ""

    def told(self, steps: tuple[Step, ...]) -> "Story":
        """Returns other steps in the same circumstances."""
        return replace(self, steps=steps)

    def without(self, start: int, count: int) -> "Story":
        """Returns the story without some of its steps."""
        return self.told(self.steps[:start] + self.steps[start + count :])

    def asking_nothing_of(self, unsupported: Collection[SeatAction]) -> "Story":
        """Returns the story without the steps that ask for some actions."""
        kept = (step for step in self.steps if not set(actions_of(step)) & set(unsupported))
        return replace(self, steps=tuple(kept))

    def decks_in(self, decks: Sequence[Deck]) -> tuple[str, ...]:
        """Returns a line for the deck of every deal that is requested; the first deal always has one."""
        if self.one_deck:
            return (f"deck of every deal: {' '.join(map(str, decks[self.first_deck % len(decks)]))}",)
        deals = sum(action in DEALS for step in self.steps for action in actions_of(step))
        names = ("deck of the first deal", *(f"deck of deal {number}" for number in range(2, deals + 1)))
        return tuple(
            f"{name}: {' '.join(map(str, decks[(self.first_deck + index) % len(decks)]))}"
            for index, name in enumerate(names)
        )

    def script(self) -> tuple[str, ...]:
        """Returns the story as numbered lines."""
        return tuple(f"{number}. {step}" for number, step in enumerate(self.steps, start=1))


_PLAIN: Final[Mapping[str, tuple[Step, ...]]] = {
    **{
        action.value: (Ask(Command(action)),)
        for action in SeatAction
        if action not in (SeatAction.PLACE, SeatAction.DECIDE)
    },
    "look": (Plain.LOOK,),
    "history": (Plain.RECALL,),
    "restart": (Plain.RESTART,),
    "again": (Again(1),),
}
"""What words of a text mean in every story."""

_SPAN: Final = re.compile(r"([+-])(\d*)(term|[dhs])")
_UNITS: Final = {"d": timedelta(days=1), "h": timedelta(hours=1), "s": timedelta(seconds=1)}
"""How a word says by how much the clock moves."""


def steps_of(
    text: str, known: Mapping[str, tuple[Step, ...]] = MappingProxyType({}), term: timedelta = timedelta()
) -> tuple[Step, ...]:
    """Returns the steps that a text names word by word.

    Args:
        text: Names of actions, of other steps and of what is known, behind ``@`` the key under which it is sent; and
            how the clock moves, in terms, days, hours and seconds.
        known: Steps by further words.
        term: Time after which a bet is void.

    Raises:
        KeyError: A word is unknown.

    >>> print(*steps_of("deal@a again look chips", {"chips": (Ask(Command(SeatAction.PLACE, "main", 5)),)}), sep="; ")
    deal, under the key a; send the done command 1 back again, under its old key; look at the view; place main 5
    >>> print(*steps_of("-term +1d-1s", term=timedelta(days=90)), sep="; ")
    clock back 90 d 0 s; clock forward 0 d 86399 s
    """
    words = {**_PLAIN, **known}
    found: list[Step] = []
    for word in text.split():
        name, _, key = word.partition("@")
        if re.fullmatch(f"({_SPAN.pattern})+", name):
            spans = _SPAN.findall(name)
            found.append(
                Jump(
                    sum(
                        (
                            (term if unit == "term" else _UNITS[unit]) * int(f"{sign}{number or 1}")
                            for sign, number, unit in spans
                        ),
                        timedelta(),
                    )
                )
            )
        else:
            found += [
                replace(step, key=key) if key and isinstance(step, Ask) else step for step in words[name]
            ]
    return tuple(found)


def places(edition: Edition) -> tuple[Step, ...]:
    """Returns bets on every wager, different ones where the limits allow it."""
    return tuple(Ask(Command(SeatAction.PLACE, *bet)) for bet in default_stakes(edition.game))


def draws(edition: Edition) -> tuple[Command, ...]:
    """Returns the decisions that commit to more and give up nothing."""
    play, calm = edition.play, calmest(edition.play)
    return tuple(command_for(one) for one in play.decisions if one != calm and not play.gives_up(one))
