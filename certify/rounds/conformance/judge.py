"""Comparing a system under test with the reference, step by step, and naming the promise that broke."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import Final, TypeVar

from certify.rounds.conformance.blame import OPEN, Before, by_holder, promise_of
from certify.rounds.conformance.client import LateError
from certify.rounds.conformance.extras import Extra, offering
from certify.rounds.conformance.follow import (
    Reference,
    amounts,
    comparable,
    described,
    faces,
    outcome,
    same,
    shown,
)
from certify.rounds.conformance.promise import Breach, Promise
from certify.rounds.conformance.story import (
    Again,
    Ask,
    Jump,
    Look,
    Meanwhile,
    Recall,
    Restart,
    Reuse,
    Step,
    Story,
    Together,
    term_of,
)
from certify.rounds.conformance.wire import shortened
from certify.rounds.play import Edition
from certify.rounds.probe import Deck
from certify.rounds.system import (
    DEALS,
    Action,
    Choice,
    Command,
    PastRound,
    RecalledRound,
    Reply,
    System,
    SystemFactory,
    View,
)

__all__ = ["Breach", "Promise", "tell"]

T = TypeVar("T")


class UnansweredError(Exception):
    """The system under test did not answer, or not within the interface; the message says how."""

    @property
    def promise(self) -> Promise:
        """The promise that it broke."""
        return Promise.IN_TIME if isinstance(self.__cause__, LateError) else Promise.ANSWERED


@dataclass(slots=True)
class _Play:
    """A story being told to the reference and to the system under test."""

    reference: Reference
    system: System
    edition: Edition
    instant: datetime
    decks: Sequence[Deck]
    offers: Collection[Extra]
    next_deck: int
    furthest: datetime
    accepted_at: datetime | None = None
    resumed: bool = False
    asked: int = 0
    done: list[tuple[Command, str]] = field(default_factory=list)
    refused: set[str] = field(default_factory=set)
    ids: dict[str, str] = field(default_factory=dict)
    one_deck: bool = False
    beside: Callable[[], _Play] | None = None
    other: _Play | None = None

    def before(self) -> Before:
        """Returns how things stand."""
        view, accepted = self.reference.view(), self.accepted_at
        age = self.instant - (accepted or self.instant)
        return Before(
            view.phase, view.available, self.resumed, age, term_of(self.edition, accepted or self.instant)
        )

    def key(self) -> str:
        """Returns a fresh key."""
        self.asked += 1
        return f"key-{self.asked}"


def tell(
    story: Story,
    factory: SystemFactory,
    edition: Edition,
    decks: Sequence[Deck],
    start: datetime,
    opening: int,
    offers: Collection[Extra] = (),
) -> Breach | None:
    """Tells a story to a fresh system and to the reference; returns the first breach, or None.

    Args:
        story: What is done.
        factory: Makes the system with a fresh player.
        edition: Rules and terms.
        decks: Decks of the deals.
        start: When the story begins.
        opening: Opening balance.
        offers: What the system offers beyond commands and view; steps that need more are passed over.
    """
    begins = story.start or start
    brought = opening if story.opening is None else story.opening

    def fresh() -> _Play:
        reference = Reference.fresh(edition, brought, begins)
        system = answered(lambda: factory(edition, brought, begins))
        return _Play(
            reference,
            system,
            edition,
            begins,
            decks,
            offers,
            story.first_deck,
            begins,
            one_deck=story.one_deck,
        )

    try:
        play = fresh()
    except UnansweredError as error:
        return Breach(error.promise, 0, "a fresh player", str(error))
    play.beside = fresh
    for number, step in enumerate(story.steps, start=1):
        before = play.reference.view()
        try:
            breach = _step(play, step)
        except UnansweredError as error:
            expected = f"an answer; before it {described(before)}"
            breach = Breach(error.promise, number, expected, str(error))
        if breach is not None:
            return replace(breach, step=number)
    return None


def answered(call: Callable[[], T], kind: type | tuple[type, ...] = object) -> T:
    """Returns what a system under test answers.

    Raises:
        UnansweredError: It raised something, whatever that is, or answered something else.
    """
    try:
        found = call()
    except Exception as error:  # whatever an operator's code raises is no answer
        raise UnansweredError(f"{type(error).__name__}: {str(error)[:500]}") from error
    if not isinstance(found, kind):
        raise UnansweredError(f"{found!r}"[:500] + f": expected {kind}")
    return found


def _step(play: _Play, step: Step) -> Breach | None:
    match step:
        case Jump():
            play.instant += step.by
            _set_clock(play)
            return None
        case Ask(command=Command() as command):
            return _ask(play, command, step.key or play.key())
        case Meanwhile():
            return _meanwhile(play, step)
        case Again():
            return _again(play, step)
        case Reuse():
            return _reuse(play, step)
        case Together():
            return _together(play, step) if Extra.TOGETHER in play.offers else None
        case Restart():
            return _restart(play) if Extra.RESTART in play.offers else None
        case Look():
            return _look(play, Promise.VIEW if play.asked else Promise.OPENED)
        case Recall():
            told = _recall(play) if Extra.HISTORY in play.offers else None
            return told or (_recalled(play) if Extra.RECALL in play.offers else None)
        case Ask():
            raise ValueError(f"{step.command} is asked of a table: expected a story of one player")


def _set_clock(play: _Play) -> None:
    play.reference.set_clock(play.instant)
    play.furthest = max(play.furthest, play.instant)
    # An operator's code may return anything; what it raises is no answer.
    answered(partial(play.system.set_clock, play.instant))


def _give_deck(play: _Play, *commands: Command) -> None:
    if any(command.action in DEALS for command in commands):
        deck = play.decks[play.next_deck % len(play.decks)]
        play.reference.set_deck(deck)
        answered(lambda: play.system.set_deck(deck))


def _ask(play: _Play, command: Command, key: str) -> Breach | None:
    _give_deck(play, command)
    before = play.before()
    observed = _reply(lambda: play.system.perform(command, key))
    expected = play.reference.answer(command, key, observed)
    promise = promise_of(command, before, expected, observed)
    if any(key == used for _, used in play.done):
        promise = Promise.DUPLICATES
    elif key in play.refused and expected.done and not observed.done:
        promise = Promise.FREE_KEYS
    elif expected.done:
        play.done.append((command, key))
        _remember(play, command)
    else:
        play.refused.add(key)
    if same(expected, observed) and command.action in DEALS and expected.done:
        if observed.view.round in play.ids.values():
            return Breach(
                Promise.HISTORY, 0, "a round with an id of its own", f"id {observed.view.round!r} again"
            )
        play.ids[expected.view.round] = observed.view.round
    return None if same(expected, observed) else Breach(promise, 0, shown(expected), shown(observed))


def _meanwhile(play: _Play, step: Meanwhile) -> Breach | None:
    if play.other is None:
        if play.beside is None:
            raise ValueError("another player has no other player: expected steps of two")
        play.other = play.beside()
    play.other.instant = play.instant
    _set_clock(play.other)
    breach = _step(play.other, step.step)
    return replace(breach, promise=Promise.APART) if breach is not None else None


def _again(play: _Play, step: Again) -> Breach | None:
    if step.back > len(play.done):
        return None
    return _sent_under_old_key(play, *play.done[-step.back], Promise.DUPLICATES)


def _reuse(play: _Play, step: Reuse) -> Breach | None:
    if step.back > len(play.done) or play.done[-step.back][0] == step.command:
        return None
    _give_deck(play, step.command)
    return _sent_under_old_key(play, step.command, play.done[-step.back][1], Promise.KEYS)


def _sent_under_old_key(play: _Play, command: Command, key: str, promise: Promise) -> Breach | None:
    observed = _reply(lambda: play.system.perform(command, key))
    expected = play.reference.answer(command, key, observed)
    return None if same(expected, observed) else Breach(promise, 0, shown(expected), shown(observed))


def _together(play: _Play, step: Together) -> Breach | None:
    one, other = commands = tuple(one for one in step.commands if isinstance(one, Command))
    key = play.key()
    asked = ((one, key), (other, key if step.one_key else play.key()))
    _give_deck(play, *commands)
    replies = answered(lambda: tuple(offering(play.system).perform_together(asked)), tuple)
    if len(replies) != len(asked) or not all(isinstance(reply, Reply) for reply in replies):
        raise UnansweredError(f"{replies!r}"[:500] + ": expected a reply to each command")
    view = answered(play.system.view, View)
    orders = play.reference.together(asked, replies, view)
    if orders:
        told = outcome(reply.done for reply in replies)
        return Breach(Promise.TOGETHER, 0, ", or ".join(orders), f"{told}; {described(view)}")
    for command, reply in zip(commands, replies, strict=True):
        if reply.done:
            _remember(play, command)
    return None


def _restart(play: _Play) -> Breach | None:
    breach = _look(play, Promise.VIEW)
    if breach is not None:
        return breach
    answered(lambda: offering(play.system).restart())
    return _look(play, Promise.RESTART)


def _look(play: _Play, promise: Promise) -> Breach | None:
    observed = answered(play.system.view, View)
    _verify_plain(observed)
    expected = play.reference.shown(observed)
    if comparable(expected) == comparable(observed):
        return None
    return Breach(promise, 0, described(expected), described(observed))


def _recall(play: _Play) -> Breach | None:
    told = answered(lambda: tuple(offering(play.system).history()), tuple)
    if not all(isinstance(one, PastRound) for one in told):
        raise UnansweredError(f"{told!r}"[:500] + ": expected rounds")
    for one in told:
        _verify_plain(one)
    complete = _complete(play.reference.history())
    expected = tuple(replace(one, round=play.ids.get(one.round, "")) for one in complete)
    observed = _complete(told)
    named = [(one.round, other.round) for one, other in zip(expected, observed, strict=False) if one.round]
    if len(observed) == len(expected) and any(one != other for one, other in named):
        ids = ", ".join(one for one, _ in named), ", ".join(other for _, other in named)
        return Breach(Promise.HISTORY, 0, f"rounds under the ids shown: {ids[0]}", f"rounds {ids[1]}")
    own = [one.round for one in told]
    if _without_ids(observed) == _without_ids(expected) and len(set(own)) == len(own):
        return None
    return Breach(Promise.HISTORY, 0, _listed(expected), _listed(observed))


def _without_ids(rounds: Sequence[PastRound]) -> list[PastRound]:
    """Returns rounds without what every system forms in its own way: ids, and the order of holders."""
    return [replace(one, round="", hands=by_holder(one.hands)) for one in rounds]


def _complete(rounds: Sequence[PastRound]) -> tuple[PastRound, ...]:
    """Returns the rounds that are complete; whether an open one is listed is left to the system."""
    return tuple(one for one in rounds if one.phase not in OPEN)


def _listed(rounds: Sequence[PastRound]) -> str:
    return (
        "; ".join(
            f"{one.phase}, stakes {amounts(one.stakes)}, hands {faces(one.hands)}, "
            f"returned {amounts(one.returned)}, refunded {one.refunded}"
            for one in rounds
        )
        or "no complete round"
    )


_STATED: Final = ("mark", "player", "game", "version", "paytable", "currency")
"""What a recalled round must say, each system in its own way."""


def _recalled(play: _Play) -> Breach | None:
    """Compares complete rounds as recall shows them: what identifies them is there, all else as it was played."""
    told = answered(lambda: tuple(offering(play.system).recalled()), tuple)
    if not all(isinstance(one, RecalledRound) for one in told):
        raise UnansweredError(f"{told!r}"[:500] + ": expected recalled rounds")
    for one in told:
        _verify_plain(one)
    expected = play.reference.recalled()
    observed = [one for one in told if one.phase not in OPEN]
    if len(observed) != len(expected):
        return Breach(
            Promise.RECALLED, 0, f"{len(expected)} rounds recalled", f"{len(observed)} rounds recalled"
        )
    for number, (ours, theirs) in enumerate(zip(expected, observed, strict=True), start=1):
        for name, wanted, found in _recall_facts(ours, theirs, play.furthest):
            if wanted != found:
                about = f"round {number}, {name.replace('_', ' ')}"
                return Breach(Promise.RECALLED, 0, f"{about}: {wanted}", f"{about}: {found}")
    return None


def _recall_facts(
    ours: RecalledRound, theirs: RecalledRound, latest: datetime
) -> Iterator[tuple[str, str, str]]:
    """Yields what is compared of a recalled round: its name, what is wanted, and what was found."""
    for name in _STATED:
        yield name, "stated", "stated" if getattr(theirs, name).strip() else "not stated"
    yield "started", _moment(ours.started), _moment(theirs.started)
    for name in ("phase", "funds_before", "funds_after", "refunded"):
        yield name, str(getattr(ours, name)), str(getattr(theirs, name))
    for name in ("stakes", "returned"):
        yield name, amounts(getattr(ours, name)), amounts(getattr(theirs, name))
    yield "hands", faces(by_holder(ours.hands)), faces(by_holder(theirs.hands))
    yield "choices", _choices(ours), _choices(theirs)
    # A system may settle or void by itself, so that only the order of times is known.
    last = max(_moment(ours.started), *(_moment(choice.at) for choice in ours.choices), "")
    ended = _moment(theirs.ended)
    wanted = f"a time from {last} to {_moment(latest.isoformat())}"
    yield "ended", wanted, wanted if last <= ended <= _moment(latest.isoformat()) else ended


def _choices(one: RecalledRound) -> str:
    said = (
        f"{choice.decision} of {', '.join(choice.offered)} at {_moment(choice.at)}" for choice in one.choices
    )
    return "; ".join(said) or "none"


def _moment(text: str) -> str:
    """Returns a time in UTC, written so that times are in the order of their texts; what is none stays as it is."""
    try:
        instant = datetime.fromisoformat(text)
    except ValueError:
        return shortened(text)
    if instant.tzinfo is None:
        return f"{shortened(text)}, without a zone"
    return instant.astimezone(UTC).isoformat(timespec="seconds")


def _reply(call: Callable[[], Reply]) -> Reply:
    reply = answered(call, Reply)
    if not isinstance(reply.view, View) or type(reply.done) is not bool:
        raise UnansweredError(f"{reply!r}"[:500] + ": expected done, and a view in the reply")
    _verify_plain(reply.view)
    return reply


def _verify_plain(shown_: View | PastRound | RecalledRound) -> None:
    """Refuses what only looks like an answer: a number of another kind, or one that says it equals everything.

    Raises:
        UnansweredError: An amount or a face is no whole number, a name no text, a flag neither true nor false.
    """
    for name in shown_.__dataclass_fields__:
        if not _is_plain(getattr(shown_, name)):
            raise UnansweredError(f"{name} {getattr(shown_, name)!r}"[:500] + ": expected plain values")


def _is_plain(value: object) -> bool:
    if type(value) is tuple:
        return all(map(_is_plain, value))
    if type(value) is Choice:
        return all(_is_plain(getattr(value, name)) for name in value.__dataclass_fields__)
    return type(value) in (int, str, bool)


def _remember(play: _Play, command: Command) -> None:
    if command.action in DEALS:
        play.accepted_at = play.reference.latest = play.instant
        play.resumed = False
        play.next_deck += not play.one_deck
    if command.action is Action.RESUME:
        play.resumed = True
