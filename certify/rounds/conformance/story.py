"""Stories: sequences of commands, clock jumps, duplicates, breaks and restarts that a developer can replay."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from certify.errors import MissingPartError
from certify.rounds.exercise import default_stakes
from certify.rounds.play import Edition, calmest
from certify.rounds.probe import Deck
from certify.rounds.table import DEALS, OF_ONE, Command, SeatAction, command_for

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


@dataclass(frozen=True, slots=True)
class Ask:
    """A command is sent, under a key of its own or under one that the story names.

    Args:
        command: What is asked, of a player's own round or of a table of several people.
        key: Name of a key that other steps of the story share; empty for one that no other step has.
    """

    command: Command
    key: str = ""

    def __str__(self) -> str:
        """Returns the step as a line of the story."""
        return f"{self.command}, under the key {self.key}" if self.key else str(self.command)


@dataclass(frozen=True, slots=True)
class Again:
    """A command that was done is sent again under its old key: late, as a duplicate or out of order.

    Args:
        back: How many done commands ago it was sent first; 1 is the latest.
    """

    back: int

    def __str__(self) -> str:
        """Returns the step as a line of the story."""
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
class Reuse:
    """Another command is sent under the key of one that was done.

    Args:
        back: How many done commands ago that was; 1 is the latest.
        command: What is sent under its key.
    """

    back: int
    command: Command

    def __str__(self) -> str:
        """Returns the step as a line of the story."""
        return f"{self.command}, under the key of the done command {self.back} back"


@dataclass(frozen=True, slots=True)
class SeatsTogether:
    """Two commands arrive at the same time.

    Args:
        commands: What is asked, both of a player's own round or both of a table.
        one_key: Whether both carry the same key, as from a client that sends twice.
    """

    commands: tuple[Command, Command]
    one_key: bool = False

    def __str__(self) -> str:
        """Returns the step as a line of the story."""
        one, other = self.commands
        return f"{one} and, at the same time{' under the same key' if self.one_key else ''}, {other}"


@dataclass(frozen=True, slots=True)
class Restart:
    """The system is restarted."""

    def __str__(self) -> str:
        """Returns the step as a line of the story."""
        return "the system restarts"


@dataclass(frozen=True, slots=True)
class Look:
    """The view is asked for."""

    def __str__(self) -> str:
        """Returns the step as a line of the story."""
        return "look at the view"


@dataclass(frozen=True, slots=True)
class Recall:
    """The history is asked for; at a table, that of each person."""

    def __str__(self) -> str:
        """Returns the step as a line of the story."""
        return "look at the history"


@dataclass(frozen=True, slots=True)
class Meanwhile:
    """Another player of the same system does something."""

    step: Step

    def __str__(self) -> str:
        """Returns the step as a line of the story."""
        return f"another player: {self.step}"


Step = Ask | Again | Jump | Reuse | SeatsTogether | Restart | Look | Recall | Meanwhile


def asked_in(step: Step) -> tuple[Command, ...]:
    """Returns what a step asks for, of a player's own round or of a table."""
    match step:
        case Ask() | Reuse():
            return (step.command,)
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
    """

    steps: tuple[Step, ...]
    first_deck: int = 0
    start: datetime | None = None
    opening: int | None = None
    one_deck: bool = False

    def without(self, start: int, count: int) -> Story:
        """Returns the story without some of its steps."""
        return replace(self, steps=self.steps[:start] + self.steps[start + count :])

    def asking_nothing_of(self, unsupported: Collection[SeatAction]) -> Story:
        """Returns the story without the steps that ask for some actions."""
        kept = (step for step in self.steps if not set(actions_of(step)) & set(unsupported))
        return replace(self, steps=tuple(kept))

    def decks_in(self, decks: Sequence[Deck]) -> tuple[str, ...]:
        """Returns a line for the deck of every deal that is asked for; the first deal always has one."""
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


def term_of(edition: Edition, accepted: datetime) -> timedelta:
    """Returns the time from an acceptance to the first instant at which the bet is void, however days are counted."""
    return edition.policy.deadline(accepted) - accepted


def stories(edition: Edition, decks: int, start: datetime) -> SearchStrategy[Story]:
    """Returns a Hypothesis strategy of stories that reach deep into rounds and around their term.

    Args:
        edition: Rules and terms under which the stories are told.
        decks: Number of decks to deal from.
        start: When every story begins.

    Raises:
        MissingPartError: Hypothesis is not installed.
    """
    try:
        from hypothesis import strategies as st
    except ImportError as error:
        raise MissingPartError("conformance needs the package hypothesis: pip install hypothesis") from error
    anything = _anything(edition)
    again = st.integers(1, 5).map(lambda back: (Again(back),))
    noise = st.one_of(st.sampled_from(anything), again, st.sampled_from(_chips(edition)))
    within = st.one_of(
        st.sampled_from(_plays(edition)),
        st.sampled_from(_breaks(edition)),
        st.sampled_from(_jumps(edition, start)),
        noise,
    )
    scene = st.tuples(
        st.lists(noise, max_size=2),
        st.sampled_from(_deals(edition)).map(lambda deal: [deal]),
        st.lists(within, max_size=3),
        st.sampled_from(_ends(edition, start)).map(lambda end: [end]),
        st.lists(noise, max_size=2),
    )
    end: tuple[Step, ...] = (Look(), Recall())
    steps = st.lists(scene, min_size=1, max_size=3).map(lambda scenes: (*_flattened(scenes), *end))
    return st.builds(Story, steps, st.integers(0, decks - 1))


def _flattened(scenes: Sequence[Sequence[Sequence[tuple[Step, ...]]]]) -> tuple[Step, ...]:
    """Returns the steps of scenes, each a sequence of parts, each a sequence of phrases."""
    return tuple(step for scene in scenes for part in scene for phrase in part for step in phrase)


def _asks(*asked: SeatAction | Command) -> tuple[Step, ...]:
    return tuple(Ask(one if isinstance(one, Command) else Command(one)) for one in asked)


def _anything(edition: Edition) -> tuple[tuple[Step, ...], ...]:
    """Returns every single thing that can be asked."""
    actions = (_asks(action) for action in OF_ONE if action not in (SeatAction.PLACE, SeatAction.DECIDE))
    return (*actions, *(_asks(command) for command in _decisions(edition)))


def _decisions(edition: Edition) -> tuple[Command, ...]:
    """Returns every decision of the game."""
    return tuple(map(command_for, edition.play.decisions))


def _closers(edition: Edition) -> tuple[Command, ...]:
    """Returns what commits to least, and every decision that gives up or adds a stake; settlement where none is."""
    play, calm = edition.play, calmest(edition.play)
    closing = (one for one in play.decisions if one == calm or play.gives_up(one) or play.options[one].adds)
    return tuple(map(command_for, closing)) or (Command(SeatAction.SETTLE),)


def draws(edition: Edition) -> tuple[Command, ...]:
    """Returns the decisions that commit to more and give up nothing."""
    play, calm = edition.play, calmest(edition.play)
    return tuple(command_for(one) for one in play.decisions if one != calm and not play.gives_up(one))


def _places(edition: Edition) -> tuple[Step, ...]:
    return tuple(
        Ask(Command(SeatAction.PLACE, wager, amount)) for wager, amount in default_stakes(edition.game)
    )


def _deals(edition: Edition) -> tuple[tuple[Step, ...], ...]:
    """Returns phrases that begin a round: with all bets, with the main bet alone, with those of before."""
    places = _places(edition)
    deal = _asks(SeatAction.DEAL)
    return (
        (*places, *deal),
        (places[0], *deal),
        (*_asks(SeatAction.REBET), *deal),
        _asks(SeatAction.REBET_AND_DEAL),
        _asks(SeatAction.DOUBLE_AND_DEAL),
    )


def _chips(edition: Edition) -> tuple[tuple[Step, ...], ...]:
    """Returns single bets on, within and outside the limits."""
    return tuple(
        (Ask(Command(SeatAction.PLACE, wager.id, amount)),)
        for wager in edition.game.wagers
        for amount in (
            wager.limits.minimum,
            wager.limits.minimum + 1,
            wager.limits.maximum + 1,
            max(1, wager.limits.minimum - 1),
            0,
            -wager.limits.minimum,
        )
    )


def _ends(edition: Edition, start: datetime) -> tuple[tuple[Step, ...], ...]:
    """Returns phrases that end a round, some of them twice or too late."""
    closers = _closers(edition)
    term = Jump(term_of(edition, start))
    malfunction, settle = SeatAction.MALFUNCTION, SeatAction.SETTLE
    return (
        *(_asks(closer, settle) for closer in closers),
        *(_asks(closer, settle, settle) for closer in closers),
        *(_asks(closer, settle, malfunction) for closer in closers),
        _asks(malfunction),
        _asks(malfunction, malfunction),
        *(_asks(closer, malfunction, settle) for closer in closers),
        (term, *_asks(SeatAction.EXPIRE)),
        (term, *_asks(SeatAction.EXPIRE, settle)),
        *((*_asks(closer), term, *_asks(settle, SeatAction.EXPIRE)) for closer in closers),
        (),
    )


def _plays(edition: Edition) -> tuple[tuple[Step, ...], ...]:
    """Returns phrases that play a hand on."""
    further, closers = draws(edition), _closers(edition)
    return (
        *(_asks(closer, SeatAction.SETTLE) for closer in closers),
        *(
            _asks(draw, *([again] * more), closers[0], SeatAction.SETTLE)
            for draw in further
            for again in further[:1]
            for more in range(3)
        ),
        *(_asks(decision) for decision in (*further, *closers)),
    )


def _breaks(edition: Edition) -> tuple[tuple[Step, ...], ...]:
    """Returns phrases that break a round off and go on with it."""
    back = (SeatAction.DISCONNECT, SeatAction.RESUME)
    return (
        _asks(*back),
        (Restart(),),
        *(_asks(*back, draw, draw) for draw in draws(edition)),
        *(_asks(*back, closer) for closer in _closers(edition)),
        _asks(SeatAction.DISCONNECT),
        _asks(SeatAction.RESUME),
        _asks(SeatAction.SUSPEND, SeatAction.DEAL, SeatAction.RESTORE),
    )


def _jumps(edition: Edition, start: datetime) -> tuple[tuple[Step, ...], ...]:
    """Returns clock jumps, those on both sides of the term first."""
    term = term_of(edition, start)
    second = timedelta(seconds=1)
    around: Sequence[timedelta] = (term - second, term, term + second, term - timedelta(hours=12))
    others = (second, timedelta(hours=1), timedelta(days=1), -timedelta(days=1), -term)
    ends: tuple[SeatAction | Command, ...] = (SeatAction.EXPIRE, *_closers(edition), SeatAction.SETTLE)
    return (
        *((Jump(by), *_asks(asked)) for by in around for asked in ends),
        *((Jump(by),) for by in (*around, *others)),
    )
