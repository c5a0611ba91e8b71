"""Naming the promise that a difference breaks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta

from certify.rounds.conformance.promise import Promise
from certify.rounds.conformance.shown import Answer, Asked, Shown, by_holder
from certify.rounds.state import OPEN, Phase
from certify.rounds.system import DEALS, Action, Command, Reply, View
from certify.rounds.table import TableAction, TableCommand, TableReply, TableView


@dataclass(frozen=True, slots=True)
class Before:
    """How things stood when a command was sent.

    Args:
        view: What the reference showed.
        resumed: Whether the player came back during the round.
        age: Time since the bets of the round were accepted.
        term: Time after which they are void.
    """

    view: Shown
    resumed: bool
    age: timedelta
    term: timedelta

    @property
    def phase(self) -> str:
        """Phase of the round."""
        return self.view.phase

    @property
    def available(self) -> bool:
        """Whether new rounds could start; a table does not show it."""
        return isinstance(self.view, TableView) or self.view.available

    @property
    def result_known(self) -> bool:
        """Whether the term has passed over a round in which nothing is left to decide."""
        return self.phase == "resolved" and self.age >= self.term


def promise_of(command: Asked, before: Before, expected: Answer, observed: Answer) -> Promise:
    """Returns the promise that a difference between two replies breaks."""
    if isinstance(expected, TableReply) and isinstance(observed, TableReply):
        return _at_table(command, before.view, expected, observed)
    if isinstance(command, TableCommand) or not (isinstance(expected, Reply) and isinstance(observed, Reply)):
        raise TypeError(f"{command} is asked of another kind of seat than {expected} answers for")
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


def _at_table(command: Asked, before: Shown, expected: TableReply, observed: TableReply) -> Promise:
    shown = expected.view
    if expected.done != observed.done:
        decides = isinstance(before, TableView) and before.turn
        if command.action is TableAction.EXPIRE or (decides and shown.phase == Phase.EXPIRED):
            return Promise.TERM
        return Promise.DONE if expected.done else Promise.REFUSED
    if by_holder(shown.hands) != by_holder(observed.view.hands):
        return Promise.CARDS
    if shown.phase in (Phase.VOID, Phase.EXPIRED):
        return Promise.RETURNED
    if shown.phase == Phase.SETTLED:
        return Promise.PAID
    return Promise.ACCEPTED if before.held != shown.held else Promise.DECISIONS
