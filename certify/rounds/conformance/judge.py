"""Comparing a system under test with the reference, step by step, and naming the promise that broke."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum

from certify.rounds.conformance.story import Again, Ask, Jump, Story
from certify.rounds.play import Edition
from certify.rounds.probe import Deck
from certify.rounds.system import DEALS, Action, Command, Reply, System, SystemFactory, View, reference_system

UNRESOLVED = ("decision", "resolved")


class Promise(StrEnum):
    """What can break, in the words of a report."""

    LIMITS = "bets stay within their limits and the balance"
    ONE_ROUND = "no new round starts before the old one is complete"
    UNAVAILABLE = "no cards are dealt while the game is unavailable"
    ACCEPTED = "every stake is debited once and held"
    ADDED = "what a decision adds to the stakes is debited once, with it, and held"
    DECISIONS = "decisions are taken only when they are offered, and then they are taken"
    CARDS = "cards come from the deck of the deal in order"
    RESUMED = "a resumed round goes on with the same cards"
    PAID = "every wager is paid by its own row"
    SETTLED_ONCE = "a round is settled once"
    VOID_PAYS_NOTHING = "a void bet is neither settled nor paid"
    RETURNED = "a malfunction returns the stake of every wager"
    RETURNED_ONCE = "no stake is returned twice"
    TERM = "a bet is void at its term and not a moment before"
    DUPLICATES = "a command that was done is not done again under its key"
    REFUSED = "what is not allowed is refused, and a refusal changes nothing"
    DONE = "what is allowed is done"


@dataclass(frozen=True, slots=True)
class Breach:
    """A promise that a system broke.

    Args:
        promise: Which one.
        step: Number of the step of the story at which it showed, from 1.
        expected: What the reference showed.
        observed: What the system showed.
    """

    promise: Promise
    step: int
    expected: str
    observed: str


@dataclass(slots=True)
class _Play:
    """A story being told to the reference and to the system under test."""

    reference: System
    system: System
    instant: datetime
    decks: Sequence[Deck]
    term: timedelta
    next_deck: int
    accepted_at: datetime | None = None
    resumed: bool = False
    asked: int = 0
    done: list[tuple[Command, str]] = field(default_factory=list)


def tell(
    story: Story,
    factory: SystemFactory,
    edition: Edition,
    decks: Sequence[Deck],
    start: datetime,
    opening: int,
) -> Breach | None:
    """Tells a story to a fresh system and to the reference; returns the first breach, or None."""
    play = _Play(
        reference_system(edition, opening, start),
        factory(edition, opening, start),
        start,
        decks,
        timedelta(days=edition.policy.void_after_days),
        story.first_deck,
    )
    for number, step in enumerate(story.steps, start=1):
        match step:
            case Jump():
                _jump(play, step)
            case Ask():
                play.asked += 1
                breach = _ask(play, step.command, f"key-{play.asked}", number)
                if breach:
                    return breach
            case Again():
                breach = _again(play, step, number)
                if breach:
                    return breach
    return None


def _jump(play: _Play, step: Jump) -> None:
    play.instant += step.by
    play.reference.set_clock(play.instant)
    play.system.set_clock(play.instant)


def _ask(play: _Play, command: Command, key: str, number: int) -> Breach | None:
    if command.action in DEALS:
        deck = play.decks[play.next_deck % len(play.decks)]
        play.reference.set_deck(deck)
        play.system.set_deck(deck)
    before = play.reference.view()
    expected = play.reference.perform(command, key)
    observed = play.system.perform(command, key)
    if expected.done:
        play.done.append((command, key))
        _remember(play, command)
    expected = _caught_up(play, expected, observed)
    if _same(expected, observed):
        return None
    promise = _promise(play, command, before, expected, observed)
    return Breach(promise, number, shown(expected), shown(observed))


def _caught_up(play: _Play, expected: Reply, observed: Reply) -> Reply:
    """Lets the reference follow a system that settles by itself once no decision is left.

    GLI-19 4.16.3(a) allows that: no player input is needed to complete such a round.
    """
    if expected.done and expected.view.phase == "resolved" and observed.view.phase == "settled":
        return replace(play.reference.perform(Command(Action.SETTLE)), done=expected.done)
    return expected


def _again(play: _Play, step: Again, number: int) -> Breach | None:
    if step.back > len(play.done):
        return None
    command, key = play.done[-step.back]
    expected = play.reference.perform(command, key)
    observed = play.system.perform(command, key)
    if _same(expected, observed):
        return None
    return Breach(Promise.DUPLICATES, number, shown(expected), shown(observed))


def _remember(play: _Play, command: Command) -> None:
    if command.action in DEALS:
        play.accepted_at = play.instant
        play.resumed = False
        play.next_deck += 1
    if command.action is Action.RESUME:
        play.resumed = True


def _same(expected: Reply, observed: Reply) -> bool:
    return expected.done == observed.done and _comparable(expected.view) == _comparable(observed.view)


def _comparable(view: View) -> View:
    """Returns a view without the round's id, which every system forms in its own way."""
    phase = "none" if view.phase == "betting" and not view.stakes else view.phase
    return replace(view, round="", phase=phase)


def shown(reply: Reply) -> str:
    """Returns a reply as a reader compares it."""
    view = reply.view
    return (
        f"{'done' if reply.done else 'refused'}; {view.phase}, balance {view.balance}, held {view.held}, "
        f"refunded {view.refunded}, stakes {list(view.stakes)}, hands {dict(view.hands)}, "
        f"options {list(view.options)}, returned {list(view.returned)}, "
        f"connected {view.connected}, available {view.available}"
    )


def _promise(play: _Play, command: Command, before: View, expected: Reply, observed: Reply) -> Promise:
    if observed.done and not expected.done:
        return _of_wrongly_done(play, command, before)
    if expected.done and not observed.done:
        return _of_wrongly_refused(play, command, observed)
    if not expected.done:
        return Promise.REFUSED
    return _of_different_view(play, command, expected.view, observed.view)


def _of_wrongly_done(play: _Play, command: Command, before: View) -> Promise:
    action = command.action
    if action is Action.EXPIRE:
        return Promise.TERM if before.phase in UNRESOLVED else Promise.RETURNED_ONCE
    if action is Action.MALFUNCTION:
        return Promise.RETURNED_ONCE
    if _in_round(command):
        return _of_late_decision(play, command, before)
    if action is Action.PLACE or action is Action.REBET or action in DEALS:
        if before.phase in UNRESOLVED:
            return Promise.ONE_ROUND
        return Promise.LIMITS if before.available else Promise.UNAVAILABLE
    return Promise.REFUSED


def _of_late_decision(play: _Play, command: Command, before: View) -> Promise:
    if before.phase in ("void", "expired"):
        return Promise.VOID_PAYS_NOTHING
    if before.phase == "settled" and command.action is Action.SETTLE:
        return Promise.SETTLED_ONCE
    if before.phase in UNRESOLVED and _age(play) >= play.term:
        return Promise.TERM
    return Promise.DECISIONS


def _of_wrongly_refused(play: _Play, command: Command, observed: Reply) -> Promise:
    if command.action is Action.EXPIRE:
        return Promise.TERM
    if observed.view.phase == "expired" or (_in_round(command) and _age(play) > play.term / 2):
        return Promise.TERM
    if command.action is Action.MALFUNCTION:
        return Promise.RETURNED
    if command.action is Action.SETTLE:
        return Promise.PAID
    return Promise.DECISIONS if _in_round(command) else Promise.DONE


def _of_different_view(play: _Play, command: Command, expected: View, observed: View) -> Promise:
    if expected.hands != observed.hands:
        return Promise.RESUMED if play.resumed else Promise.CARDS
    action = command.action
    if action in DEALS:
        return Promise.ACCEPTED
    if action is Action.SETTLE:
        return Promise.PAID
    if action is Action.DECIDE:
        return Promise.ADDED
    if action in (Action.MALFUNCTION, Action.EXPIRE):
        more = observed.balance > expected.balance
        return Promise.RETURNED_ONCE if more else Promise.RETURNED
    if action is Action.RESUME:
        return Promise.RESUMED
    return Promise.DONE


def _in_round(command: Command) -> bool:
    return command.action in (Action.DECIDE, Action.SETTLE)


def _age(play: _Play) -> timedelta:
    return play.instant - play.accepted_at if play.accepted_at else timedelta()
