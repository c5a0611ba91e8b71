"""What a system under test promises, and how a broken promise is written down."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class PromiseId(StrEnum):
    """What can break, in the words of a report."""

    OPENED = "a fresh player has the balance that was brought"
    LAYOUT = "chips on the layout cost nothing until the deal, and can be taken back"
    LIMITS = "bets stay within their limits and the balance"
    ONE_ROUND = "no new round starts before the old one is complete"
    UNAVAILABLE = "no cards are dealt while the game is unavailable"
    ACCEPTED = "every stake is debited once and held"
    ADDED = "what a decision adds to the stakes is debited once, with it, and held"
    OPTIONS = "the options shown are those of the rules, in their order"
    DECISIONS = "decisions are taken only when they are offered, and then they are taken"
    CARDS = "cards come from the deck of the deal in order"
    RESUMED = "a resumed round goes on with the same cards"
    PAID = "every wager is paid by its own row"
    SETTLED_ONCE = "a round is settled once"
    VOID_PAYS_NOTHING = "a void bet is neither settled nor paid"
    RETURNED = "a malfunction returns the stake of every wager"
    RETURNED_ONCE = "no stake is returned twice"
    TERM = "a bet is void at its term and not a moment before"
    STANDS = "a result that is known stands until it is settled"
    DUPLICATES = "a command that was done is not done again under its key"
    KEYS = "a key under which a command was done is refused for another command"
    OTHER_KEYS = "keys that are not equal are different keys"
    FREE_KEYS = "a key under which a command was refused stays free"
    APART = "no player is shown, asked or paid what is another's"
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
