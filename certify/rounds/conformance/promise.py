"""What a system under test promises, and which promise a difference breaks."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum
from typing import Final

from certify.rounds.conformance.follow import by_holder
from certify.rounds.state import OPEN
from certify.rounds.table import DEALS, Command, Reply, SeatAction, View


class PromiseId(StrEnum):
    """What can break, in the words of a report."""

    OPENED = "a new player has the balance that was paid in"
    LAYOUT = "chips on the layout cost nothing until the deal, and can be taken back"
    LIMITS = "bets stay within their limits and the balance"
    ONE_ROUND = "no new round starts before the old one is complete"
    UNAVAILABLE = "no cards are dealt while the game is unavailable"
    ACCEPTED = "every stake is debited once and held"
    ADDED = "what a decision adds to the stakes is debited once, with it, and held"
    OPTIONS = "the options shown are those of the rules, in their order"
    DECISIONS = "a decision is accepted if and only if it is offered"
    CARDS = "cards come from the deck of the deal in order"
    RESUMED = "a resumed round goes on with the same cards"
    PAID = "every wager is paid by its own row"
    SETTLED_ONCE = "a round is settled once"
    VOID_PAYS_NOTHING = "a void bet is neither settled nor paid"
    RETURNED = "a malfunction returns the stake of every wager"
    RETURNED_ONCE = "no stake is returned twice"
    TERM = "a bet is void at its term and not a moment before"
    STANDS = "a known result remains until it is settled"
    DUPLICATES = "a command that was done is not done again under its key"
    KEYS = "a key under which a command was done is refused for another command"
    OTHER_KEYS = "keys that are not equal are different keys"
    FREE_KEYS = "a key under which a command was refused stays free"
    APART = "no player sees, decides or is paid what is another's"
    TOGETHER = "commands that arrive at the same time are done one after the other"
    RESTART = "what was acknowledged is there after a restart"
    HISTORY = "the history shows every complete round as it was played"
    RECALLED = "a complete round is recalled as a replay, with its times, funds, stakes, choices and results"
    VIEW = "the view shows what was answered"
    ANSWERED = "every request is answered, and within the interface"
    IN_TIME = "every request is answered whole within the deadline"
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

    promise: PromiseId
    step: int
    expected: str
    observed: str


@dataclass(frozen=True, slots=True)
class Before:
    """How things stood when a command was sent.

    Args:
        view: What the reference showed.
        resumed: Whether the player came back during the round.
        age: Time since the bets of the round were accepted.
        term: Time after which they are void.
    """

    view: View
    resumed: bool
    age: timedelta
    term: timedelta

    @property
    def result_known(self) -> bool:
        """Whether the term has passed over a round in which nothing is left to decide."""
        return self.view.phase == "resolved" and self.age >= self.term


def promise_of(command: Command, before: Before, expected: Reply, observed: Reply) -> PromiseId:
    """Returns the promise that a difference between two replies breaks."""
    if observed.done and not expected.done:
        return _of_wrongly_done(command, before)
    if expected.done and not observed.done:
        return _of_wrongly_refused(command, before, observed)
    if not expected.done:
        return PromiseId.REFUSED
    return _of_different_view(command, before, expected.view, observed.view)


def tried(command: Command, before: Before, expected: Reply) -> frozenset[PromiseId]:
    """Returns the promises that another answer to a command would break: what a right one shows is kept.

    That a bet is void at its term, that a decision is taken, and that money comes back are tried by the answers that do
    so: a refusal where nothing waits shows none of it.
    """
    action = command.action
    if not expected.done:
        return frozenset({PromiseId.REFUSED, _of_wrongly_done(command, before)}) - _BY_DOING
    view, found = expected.view, {PromiseId.DONE, _OF_VIEW.get(action, PromiseId.DONE)}
    found.add(_OF_REFUSAL.get(action, PromiseId.DONE))
    facts = {
        PromiseId.STANDS: before.result_known,
        PromiseId.CARDS: bool(view.hands),
        PromiseId.RESUMED: before.resumed and action not in DEALS,
        PromiseId.OPTIONS: bool(view.options),
        PromiseId.UNAVAILABLE: view.available != before.view.available,
        PromiseId.PAID: view.phase == "settled" and before.view.phase != "settled",
        PromiseId.ADDED: action is SeatAction.DECIDE and view.stakes != before.view.stakes,
        PromiseId.RETURNED: bool(expected.view.refunded),
        PromiseId.RETURNED_ONCE: bool(expected.view.refunded),
    }
    unseen = {promise for promise, holds in facts.items() if not holds} - {PromiseId.RESUMED}
    return frozenset((found - unseen) | {promise for promise, holds in facts.items() if holds})


_BY_DOING: Final = frozenset({PromiseId.TERM, PromiseId.DECISIONS})


def _of_wrongly_done(command: Command, before: Before) -> PromiseId:
    action, late = command.action, before.view.phase in OPEN and before.age >= before.term
    if action is SeatAction.EXPIRE and before.result_known:
        return PromiseId.STANDS
    # Whatever is done with a bet that is void by its term, before its term or behind it, the term was not kept.
    if late or (action is SeatAction.EXPIRE and before.view.phase in OPEN):
        return PromiseId.TERM
    if action in (SeatAction.EXPIRE, SeatAction.MALFUNCTION):
        return PromiseId.RETURNED_ONCE
    if _in_round(command):
        return _of_late_decision(command, before)
    if action is SeatAction.PLACE or action is SeatAction.REBET or action in DEALS:
        if before.view.phase in OPEN:
            return PromiseId.ONE_ROUND
        return PromiseId.LIMITS if before.view.available else PromiseId.UNAVAILABLE
    return PromiseId.REFUSED


def _of_late_decision(command: Command, before: Before) -> PromiseId:
    if before.view.phase in ("void", "expired"):
        return PromiseId.VOID_PAYS_NOTHING
    if before.view.phase == "settled" and command.action is SeatAction.SETTLE:
        return PromiseId.SETTLED_ONCE
    return PromiseId.DECISIONS


def _of_wrongly_refused(command: Command, before: Before, observed: Reply) -> PromiseId:
    if before.result_known and command.action is not SeatAction.EXPIRE:
        return PromiseId.STANDS
    if observed.view.phase == "expired" or (_in_round(command) and before.age > before.term / 2):
        return PromiseId.TERM
    return _OF_REFUSAL.get(command.action, PromiseId.DONE)


def _of_different_view(command: Command, before: Before, expected: View, observed: View) -> PromiseId:
    if by_holder(expected.hands) != by_holder(observed.hands):
        # A break before the deal has nothing to do with the cards of the deal.
        return PromiseId.RESUMED if before.resumed and command.action not in DEALS else PromiseId.CARDS
    if expected == replace(observed, round=expected.round, hands=expected.hands, options=expected.options):
        return PromiseId.OPTIONS
    if expected.available != observed.available:
        return PromiseId.UNAVAILABLE
    if observed.phase == "settled" and command.action in (*DEALS, SeatAction.DECIDE):
        return PromiseId.PAID
    twice = observed.balance >= expected.balance + expected.refunded
    if command.action in (SeatAction.MALFUNCTION, SeatAction.EXPIRE) and expected.refunded and twice:
        return PromiseId.RETURNED_ONCE
    return _OF_VIEW.get(command.action, PromiseId.DONE)


_OF_VIEW: Final[Mapping[SeatAction, PromiseId]] = {
    **dict.fromkeys(DEALS, PromiseId.ACCEPTED),
    SeatAction.PLACE: PromiseId.LAYOUT,
    SeatAction.UNDO: PromiseId.LAYOUT,
    SeatAction.CLEAR: PromiseId.LAYOUT,
    SeatAction.REBET: PromiseId.LAYOUT,
    SeatAction.DECIDE: PromiseId.ADDED,
    SeatAction.SETTLE: PromiseId.PAID,
    SeatAction.MALFUNCTION: PromiseId.RETURNED,
    SeatAction.EXPIRE: PromiseId.RETURNED,
    SeatAction.RESUME: PromiseId.RESUMED,
}
"""What breaks where a command was done and the view after it differs."""

_OF_REFUSAL: Final[Mapping[SeatAction, PromiseId]] = {
    SeatAction.EXPIRE: PromiseId.TERM,
    SeatAction.MALFUNCTION: PromiseId.RETURNED,
    SeatAction.SETTLE: PromiseId.PAID,
    SeatAction.DECIDE: PromiseId.DECISIONS,
}
"""What breaks where a command was wrongly refused."""


def _in_round(command: Command) -> bool:
    return command.action in (SeatAction.DECIDE, SeatAction.SETTLE)
