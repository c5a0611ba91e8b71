"""The state of a seat and its round, derived from events and from nothing else."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Final

from certify.rounds.events import (
    BetPlaced,
    Bets,
    BetsCleared,
    BetsExpired,
    BetsRepeated,
    BetUndone,
    Body,
    CardsDealt,
    DecisionTaken,
    Event,
    GameRestored,
    GameSuspended,
    Hands,
    MalfunctionDeclared,
    PlayerDisconnected,
    RoundResumed,
    RoundSettled,
    RulesInForce,
    SettledWager,
    StakeAdded,
)
from certify.rounds.money import Account


class Phase(StrEnum):
    """The phase of a round."""

    BETTING = "betting"
    """Chips may be placed and taken back; nothing is debited."""
    DECISION = "decision"
    """Bets are accepted, and the player is to decide."""
    RESOLVED = "resolved"
    """No decision is left; the cards decide, and settlement follows."""
    SETTLED = "settled"
    """Paid; complete."""
    VOID = "void"
    """Voided by a malfunction; complete."""
    EXPIRED = "expired"
    """Void because its term passed; complete."""


OPEN = frozenset({Phase.DECISION, Phase.RESOLVED})
"""Phases in which stakes are held: the bet is accepted and the round not complete."""

COMPLETE = frozenset({Phase.SETTLED, Phase.VOID, Phase.EXPIRED})
"""Phases after which a new round may start (GLI-19 4.16.3)."""


@dataclass(frozen=True, slots=True)
class Round:
    """One round as it is.

    Args:
        id: Its id, unique at the table.
        phase: Where it is.
        chips: Bets on the layout in the order placed, before the deal.
        stakes: Accepted stakes by wager.
        accepted_at: When they were accepted.
        rules: Rules in force at that moment.
        deck: The row of draws; secret.
        hands: Faces that lie open.
        decisions: Decisions taken.
        options: Decisions the player may take now.
        results: How each wager was settled.
        returned: What settlement paid back, stakes included, minor units.
        refunded: What voiding paid back, minor units.
        added: What decisions added to each stake during the round, minor units.
        additions: How many decisions did.
    """

    id: str
    phase: Phase = Phase.BETTING
    chips: Bets = ()
    stakes: Bets = ()
    accepted_at: datetime | None = None
    rules: RulesInForce | None = None
    deck: tuple[int, ...] = ()
    hands: Hands = ()
    decisions: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    results: tuple[SettledWager, ...] = ()
    returned: int = 0
    refunded: int = 0
    added: Bets = ()
    additions: int = 0

    @property
    def wagered(self) -> Bets:
        """All the money that the player has at risk in the round, what decisions added under a name of its own."""
        return with_added(self.stakes, self.added)

    @property
    def staked(self) -> int:
        """The sum of all accepted stakes in minor units, what decisions added included."""
        return sum([amount for _, amount in self.wagered])


@dataclass(frozen=True, slots=True)
class Seat:
    """One player at the game.

    Args:
        id: Id of the seat; rounds are numbered below it.
        balance: Funds that may be staked, minor units.
        held: What is held for a round that is not complete, minor units.
        round: The latest round, complete or not.
        previous: Stakes of the latest round whose bets were accepted, for rebet.
        connected: Whether the player is connected.
        suspended: Why the game is unavailable; empty while it is available.
        events: Number of events so far.
        rounds: Number of rounds so far.
        last_at: Time of the latest event.
    """

    id: str
    balance: int = 0
    held: int = 0
    round: Round | None = None
    previous: Bets = ()
    connected: bool = True
    suspended: str = ""
    events: int = 0
    rounds: int = 0
    last_at: datetime | None = None


def with_added(stakes: Bets, added: Bets) -> Bets:
    """Returns stakes with what decisions added, under a name of its own next to each stake.

    >>> with_added((("ante", 300),), (("ante", 600),))
    (('ante', 300), ('ante-added', 600))
    """
    return (*stakes, *[(f"{wager}-added", amount) for wager, amount in added if amount]) if added else stakes


def merged(bets: Bets) -> Bets:
    """Returns bets with the chips of each wager added up, in the order first placed.

    >>> merged((("main", 5), ("side", 1), ("main", 5)))
    (('main', 10), ('side', 1))
    """
    totals = dict(bets)
    if len(totals) == len(bets):
        return bets
    totals = dict.fromkeys(totals, 0)
    for wager, amount in bets:
        totals[wager] += amount
    return tuple(totals.items())


def apply(seat: Seat, event: Event) -> Seat:
    """Returns the seat after an event; the state is this and nothing else, so a log can be replayed."""
    body, before = event.body, seat.round
    kind = type(body)
    fresh = kind in _OPENING and (before is None or before.id != event.round)
    current = Round(event.round) if fresh else before
    if current is not None:
        current = _round_after(current, event)
    balance, held = seat.balance, seat.held
    for posting in event.postings:
        if posting.account is Account.PLAYER:
            balance += posting.amount
        elif posting.account is Account.HELD:
            held += posting.amount
    # Every field is named: to copy what does not change would cost as much again, at every event of every round.
    return Seat(
        seat.id,
        balance,
        held,
        current,
        body.stakes if isinstance(body, CardsDealt) else seat.previous,
        kind is RoundResumed or (seat.connected and kind is not PlayerDisconnected),
        _suspended_after(seat, body),
        event.sequence,
        seat.rounds + fresh,
        event.at,
    )


def _suspended_after(seat: Seat, body: Body) -> str:
    if isinstance(body, GameSuspended):
        return body.reason
    return "" if isinstance(body, GameRestored) else seat.suspended


def replay(seat_id: str, events: Iterable[Event]) -> Seat:
    """Returns the state of a seat after all its events."""
    seat = Seat(seat_id)
    for event in events:
        seat = apply(seat, event)
    return seat


def _round_after(current: Round, event: Event) -> Round:
    """Returns what an event makes of the round that it belongs to; of a round without accepted bets chips are all."""
    match event.body:
        case BetPlaced(wager, amount):
            return Round(current.id, chips=(*current.chips, (wager, amount)))
        case BetsRepeated(bets):
            return Round(current.id, chips=current.chips + bets)
        case BetUndone():
            return Round(current.id, chips=current.chips[:-1])
        case BetsCleared():
            return Round(current.id)
        case CardsDealt() as body:
            return Round(
                id=event.round,
                phase=Phase.DECISION if body.options else Phase.RESOLVED,
                stakes=body.stakes,
                accepted_at=event.at,
                rules=body.rules,
                deck=body.deck,
                hands=body.hands,
                options=body.options,
            )
        case DecisionTaken() | StakeAdded() as body:
            added = body.added if isinstance(body, StakeAdded) else ()
            return replace(
                current,
                phase=Phase.DECISION if body.options else Phase.RESOLVED,
                hands=body.hands,
                options=body.options,
                decisions=(*current.decisions, body.decision),
                added=merged(current.added + added),
                additions=current.additions + bool(added),
            )
        case RoundSettled() as body:
            return replace(current, phase=Phase.SETTLED, results=body.results, returned=body.returned)
        case MalfunctionDeclared() as body:
            returned = current.returned - body.reversed
            return replace(
                current, phase=Phase.VOID, chips=(), options=(), returned=returned, refunded=body.refunded
            )
        case BetsExpired() as body:
            return replace(current, phase=Phase.EXPIRED, options=(), refunded=body.refunded)
    return current


_OPENING: Final = frozenset({BetPlaced, BetsRepeated, CardsDealt})
"""What belongs to a new round where it is not of the latest one."""
