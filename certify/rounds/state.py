"""The state of a seat and its round, derived from events and from nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from certify.rounds.events import (
    BetPlaced,
    Bets,
    BetsCleared,
    BetsExpired,
    BetsRepeated,
    BetUndone,
    CardsDealt,
    DecisionTaken,
    Event,
    GameRestored,
    GameSuspended,
    MalfunctionDeclared,
    PlayerDisconnected,
    RoundResumed,
    RoundSettled,
    RulesInForce,
    WagerResult,
)
from certify.rounds.money import Account, balance_of


class Phase(StrEnum):
    """Where a round stands."""

    BETTING = "betting"
    """Chips may be placed and taken back; nothing is debited."""
    DECISION = "decision"
    """Bets are accepted, and the player may hit or stand."""
    RESOLVED = "resolved"
    """No decision is left; the cards decide, and settlement follows."""
    SETTLED = "settled"
    """Paid; complete."""
    VOID = "void"
    """Voided by a malfunction; complete."""
    EXPIRED = "expired"
    """Void because its term passed; complete."""


UNRESOLVED = frozenset({Phase.DECISION, Phase.RESOLVED})
"""Phases in which stakes are held: the bet is accepted and not settled."""

COMPLETE = frozenset({Phase.SETTLED, Phase.VOID, Phase.EXPIRED})
"""Phases after which a new round may start (GLI-19 4.16.3)."""


@dataclass(frozen=True, slots=True)
class Round:
    """One round as it stands.

    Args:
        id: Its id, unique at the table.
        phase: Where it stands.
        chips: Bets on the layout in the order placed, before the deal.
        stakes: Accepted stakes by wager.
        accepted_at: When they were accepted.
        rules: Rules in force at that moment.
        deck: The 40 cards in dealing order; secret.
        player: Cards of the player.
        dealer: Open cards of the dealer.
        decisions: Decisions taken.
        options: Decisions the player may take now.
        results: How each wager was settled.
        returned: What settlement paid back, stakes included, minor units.
        refunded: What voiding paid back, minor units.
    """

    id: str
    phase: Phase = Phase.BETTING
    chips: Bets = ()
    stakes: Bets = ()
    accepted_at: datetime | None = None
    rules: RulesInForce | None = None
    deck: tuple[int, ...] = ()
    player: tuple[int, ...] = ()
    dealer: tuple[int, ...] = ()
    decisions: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    results: tuple[WagerResult, ...] = ()
    returned: int = 0
    refunded: int = 0

    @property
    def staked(self) -> int:
        """The sum of all accepted stakes in minor units."""
        return sum(amount for _, amount in self.stakes)


@dataclass(frozen=True, slots=True)
class Seat:
    """One player at the game.

    Args:
        id: Id of the seat; rounds are numbered below it.
        balance: Funds the player may stake, minor units.
        held: Stakes held for a round that is not complete, minor units.
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


def merged(bets: Bets) -> Bets:
    """Returns bets with the chips of each wager added up, in the order first placed.

    >>> merged((("main", 5), ("side", 1), ("main", 5)))
    (('main', 10), ('side', 1))
    """
    totals: dict[str, int] = {}
    for wager, amount in bets:
        totals[wager] = totals.get(wager, 0) + amount
    return tuple(totals.items())


def apply(seat: Seat, event: Event) -> Seat:
    """Returns the seat after an event; the state is this and nothing else, so a log can be replayed."""
    seat = replace(
        seat,
        events=event.sequence,
        last_at=event.at,
        balance=seat.balance + balance_of(Account.PLAYER, event.postings),
        held=seat.held + balance_of(Account.HELD, event.postings),
    )
    body = event.body
    match body:
        case PlayerDisconnected():
            return replace(seat, connected=False)
        case RoundResumed():
            return replace(seat, connected=True)
        case GameSuspended():
            return replace(seat, suspended=body.reason)
        case GameRestored():
            return replace(seat, suspended="")
        case BetPlaced() | BetsRepeated():
            return _with_chips(seat, event.round, body)
        case CardsDealt():
            return replace(
                _opened(seat, event.round), round=_dealt(event.round, event.at, body), previous=body.stakes
            )
        case _:
            return seat if seat.round is None else replace(seat, round=_round_after(seat.round, event))


def replay(seat_id: str, events: Iterable[Event]) -> Seat:
    """Returns the state of a seat after all its events."""
    seat = Seat(seat_id)
    for event in events:
        seat = apply(seat, event)
    return seat


def _opened(seat: Seat, round_id: str) -> Seat:
    """Returns the seat with a fresh round where the event belongs to a new one."""
    if seat.round is not None and seat.round.id == round_id:
        return seat
    return replace(seat, round=Round(round_id), rounds=seat.rounds + 1)


def _with_chips(seat: Seat, round_id: str, body: BetPlaced | BetsRepeated) -> Seat:
    seat = _opened(seat, round_id)
    current = seat.round or Round(round_id)
    added = ((body.wager, body.amount),) if isinstance(body, BetPlaced) else body.bets
    return replace(seat, round=replace(current, chips=current.chips + added))


def _dealt(round_id: str, at: datetime, body: CardsDealt) -> Round:
    return Round(
        id=round_id,
        phase=Phase.DECISION if body.options else Phase.RESOLVED,
        stakes=body.stakes,
        accepted_at=at,
        rules=body.rules,
        deck=body.deck,
        player=body.player,
        dealer=body.dealer,
        options=body.options,
    )


def _round_after(current: Round, event: Event) -> Round:
    body = event.body
    match body:
        case BetUndone():
            return replace(current, chips=current.chips[:-1])
        case BetsCleared():
            return replace(current, chips=())
        case DecisionTaken():
            return replace(
                current,
                phase=Phase.DECISION if body.options else Phase.RESOLVED,
                player=body.player,
                dealer=body.dealer,
                options=body.options,
                decisions=(*current.decisions, body.decision),
            )
        case RoundSettled():
            return replace(current, phase=Phase.SETTLED, results=body.results, returned=body.returned)
        case MalfunctionDeclared():
            return replace(
                current,
                phase=Phase.VOID,
                chips=(),
                options=(),
                returned=current.returned - body.reversed,
                refunded=body.refunded,
            )
        case BetsExpired():
            return replace(current, phase=Phase.EXPIRED, options=(), refunded=body.refunded)
        case _:
            return current
