"""Naming the promise that a difference breaks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta

from certify.rounds.conformance.promise import Promise
from certify.rounds.events import Hands
from certify.rounds.system import DEALS, Action, Command, Reply, View

OPEN = ("decision", "resolved")


def by_holder(hands: Hands) -> Hands:
    """Returns what lies open by holder: in which order holders are named, or that one has nothing, says nothing.

    >>> by_holder((("player", (3,)), ("dealer", (9,)), ("table", ())))
    (('dealer', (9,)), ('player', (3,)))
    """
    return tuple(sorted((holder, faces) for holder, faces in hands if faces))


@dataclass(frozen=True, slots=True)
class Before:
    """How things stood when a command was sent.

    Args:
        phase: Phase that the reference showed.
        available: Whether new rounds could start.
        resumed: Whether the player came back during the round.
        age: Time since the bets of the round were accepted.
        term: Time after which they are void.
    """

    phase: str
    available: bool
    resumed: bool
    age: timedelta
    term: timedelta

    @property
    def result_known(self) -> bool:
        """Whether the term has passed over a round in which nothing is left to decide."""
        return self.phase == "resolved" and self.age >= self.term


def promise_of(command: Command, before: Before, expected: Reply, observed: Reply) -> Promise:
    """Returns the promise that a difference between two replies breaks."""
    if observed.done and not expected.done:
        return _of_wrongly_done(command, before)
    if expected.done and not observed.done:
        return _of_wrongly_refused(command, before, observed)
    if not expected.done:
        return Promise.REFUSED
    return _of_different_view(command, before, expected.view, observed.view)


def _of_wrongly_done(command: Command, before: Before) -> Promise:
    action = command.action
    if action is Action.EXPIRE:
        if before.result_known:
            return Promise.STANDS
        return Promise.TERM if before.phase in OPEN else Promise.RETURNED_ONCE
    if action is Action.MALFUNCTION:
        return Promise.RETURNED_ONCE
    if _in_round(command):
        return _of_late_decision(command, before)
    if action is Action.PLACE or action is Action.REBET or action in DEALS:
        if before.phase in OPEN:
            return Promise.ONE_ROUND
        return Promise.LIMITS if before.available else Promise.UNAVAILABLE
    return Promise.REFUSED


def _of_late_decision(command: Command, before: Before) -> Promise:
    if before.phase in ("void", "expired"):
        return Promise.VOID_PAYS_NOTHING
    if before.phase == "settled" and command.action is Action.SETTLE:
        return Promise.SETTLED_ONCE
    if before.phase in OPEN and before.age >= before.term:
        return Promise.TERM
    return Promise.DECISIONS


def _of_wrongly_refused(command: Command, before: Before, observed: Reply) -> Promise:
    if before.result_known and command.action is not Action.EXPIRE:
        return Promise.STANDS
    if command.action is Action.EXPIRE:
        return Promise.TERM
    if observed.view.phase == "expired" or (_in_round(command) and before.age > before.term / 2):
        return Promise.TERM
    if command.action is Action.MALFUNCTION:
        return Promise.RETURNED
    if command.action is Action.SETTLE:
        return Promise.PAID
    return Promise.DECISIONS if _in_round(command) else Promise.DONE


def _of_different_view(command: Command, before: Before, expected: View, observed: View) -> Promise:
    if by_holder(expected.hands) != by_holder(observed.hands):
        # A break before the deal has nothing to do with the cards of the deal.
        return Promise.RESUMED if before.resumed and command.action not in DEALS else Promise.CARDS
    action = command.action
    if expected == replace(observed, round=expected.round, hands=expected.hands, options=expected.options):
        return Promise.OPTIONS
    if expected.available != observed.available:
        return Promise.UNAVAILABLE
    if action is Action.SETTLE or (observed.phase == "settled" and action in (*DEALS, Action.DECIDE)):
        return Promise.PAID
    if action in DEALS:
        return Promise.ACCEPTED
    if action in (Action.PLACE, Action.UNDO, Action.CLEAR, Action.REBET):
        return Promise.LAYOUT
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
