"""Comparing a system under test with the reference, step by step, and naming the promise that broke."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeVar

from certify.rounds.conformance.blame import UNRESOLVED, Before, by_holder, promise_of
from certify.rounds.conformance.client import LateError
from certify.rounds.conformance.extras import Extra, offering
from certify.rounds.conformance.follow import Reference, comparable, described, outcome, same, shown
from certify.rounds.conformance.promise import Breach, Promise
from certify.rounds.conformance.story import (
    Again,
    Ask,
    AskTable,
    Jump,
    Look,
    Recall,
    Restart,
    Reuse,
    Step,
    Story,
    Together,
    TogetherAtTable,
    term_of,
)
from certify.rounds.play import Edition
from certify.rounds.probe import Deck
from certify.rounds.system import DEALS, Action, Command, PastRound, Reply, System, SystemFactory, View

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
    accepted_at: datetime | None = None
    resumed: bool = False
    asked: int = 0
    done: list[tuple[Command, str]] = field(default_factory=list)

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
    reference = Reference.fresh(edition, opening, start)
    try:
        system = answered(lambda: factory(edition, opening, start))
    except UnansweredError as error:
        return Breach(error.promise, 0, "a fresh player", str(error))
    play = _Play(reference, system, edition, start, decks, offers, story.first_deck)
    for number, step in enumerate(story.steps, start=1):
        before = reference.view()
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
            play.reference.set_clock(play.instant)
            answered(lambda: play.system.set_clock(play.instant))
            return None
        case Ask():
            return _ask(play, step.command, play.key())
        case Again():
            return _again(play, step)
        case Reuse():
            return _reuse(play, step)
        case Together():
            return _together(play, step) if Extra.TOGETHER in play.offers else None
        case Restart():
            return _restart(play) if Extra.RESTART in play.offers else None
        case Look():
            return _look(play, Promise.VIEW)
        case Recall():
            return _recall(play) if Extra.HISTORY in play.offers else None
        case AskTable() | TogetherAtTable():
            return None  # stories of one player hold none


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
    if expected.done:
        play.done.append((command, key))
        _remember(play, command)
    if same(expected, observed):
        return None
    return Breach(promise_of(command, before, expected, observed), 0, shown(expected), shown(observed))


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
    one, other = step.commands
    key = play.key()
    asked = ((one, key), (other, key if step.one_key else play.key()))
    _give_deck(play, *step.commands)
    replies = answered(lambda: tuple(offering(play.system).perform_together(asked)), tuple)
    if len(replies) != len(asked) or not all(isinstance(reply, Reply) for reply in replies):
        raise UnansweredError(f"{replies!r}"[:500] + ": expected a reply to each command")
    view = answered(play.system.view, View)
    orders = play.reference.together(asked, replies, view)
    if orders:
        told = outcome(reply.done for reply in replies)
        return Breach(Promise.TOGETHER, 0, ", or ".join(orders), f"{told}; {described(view)}")
    for command, reply in zip(step.commands, replies, strict=True):
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
    expected = play.reference.shown(observed)
    if comparable(expected) == comparable(observed):
        return None
    return Breach(promise, 0, described(expected), described(observed))


def _recall(play: _Play) -> Breach | None:
    told = answered(lambda: tuple(offering(play.system).history()), tuple)
    if not all(isinstance(one, PastRound) for one in told):
        raise UnansweredError(f"{told!r}"[:500] + ": expected rounds")
    expected = _complete(play.reference.history())
    observed = _complete(told)
    ids = [one.round for one in told]
    if _without_ids(observed) == _without_ids(expected) and len(set(ids)) == len(ids):
        return None
    return Breach(Promise.HISTORY, 0, _listed(expected), _listed(observed))


def _without_ids(rounds: Sequence[PastRound]) -> list[PastRound]:
    """Returns rounds without what every system forms in its own way: ids, and the order of holders."""
    return [replace(one, round="", hands=by_holder(one.hands)) for one in rounds]


def _complete(rounds: Sequence[PastRound]) -> tuple[PastRound, ...]:
    """Returns the rounds that are complete; whether an open one is listed is left to the system."""
    return tuple(one for one in rounds if one.phase not in UNRESOLVED)


def _listed(rounds: Sequence[PastRound]) -> str:
    return (
        "; ".join(
            f"{one.phase}, stakes {list(one.stakes)}, hands {dict(one.hands)}, "
            f"returned {list(one.returned)}, refunded {one.refunded}"
            for one in rounds
        )
        or "no complete round"
    )


def _reply(call: Callable[[], Reply]) -> Reply:
    reply = answered(call, Reply)
    if not isinstance(reply.view, View):
        raise UnansweredError(f"{reply!r}"[:500] + ": expected a view in the reply")
    return reply


def _remember(play: _Play, command: Command) -> None:
    if command.action in DEALS:
        play.accepted_at = play.reference.latest = play.instant
        play.resumed = False
        play.next_deck += 1
    if command.action is Action.RESUME:
        play.resumed = True
