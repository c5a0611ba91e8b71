"""What happened in a round, one frozen record for each operation."""

import hashlib
import re
from dataclasses import dataclass
from datetime import datetime
from typing import Final, get_args

from certify.rounds.money import Posting

Bets = tuple[tuple[str, int], ...]
"""Amounts in minor units by the id of the wager."""

Hands = tuple[tuple[str, tuple[int, ...]], ...]
"""Faces that lie open, by holder, in the order they came."""


def amounts(bets: Bets) -> str:
    """Returns amounts by what they belong to, as a line.

    >>> amounts((("main", 100), ("pair", 5))), amounts(())
    ('main 100, pair 5', 'none')
    """
    return ", ".join(f"{name} {amount}" for name, amount in bets) or "none"


@dataclass(frozen=True, slots=True)
class RulesInForce:
    """What a wager was accepted under, and is settled under (GLI-19 A.5.1(e), 2.8.2)."""

    game: str
    version: str
    submission_sha256: str
    software_sha256: str


@dataclass(frozen=True, slots=True)
class SettledWager:
    """How one wager of a round was settled, amounts in minor units.

    Args:
        wager: Id of the wager.
        stake: What was accepted on it at the deal.
        outcome: The outcome or row it was paid by.
        net: Net result of the whole round per unit of the stake, what decisions added included.
        returned: What came back to the player, all stakes included.
        added: What decisions added to it during the round.
    """

    wager: str
    stake: int
    outcome: str
    net: str
    returned: int
    added: int = 0


@dataclass(frozen=True, slots=True)
class SessionOpened:
    """A player sat down.

    Args:
        player: Pseudonym of the player.
        session: Id of the session.
        location: Where the player was when the session began.
        jurisdiction: Whose rules the policy follows.
    """

    player: str
    session: str
    location: str
    jurisdiction: str


@dataclass(frozen=True, slots=True)
class FundsDeposited:
    """The player paid money in at the table."""

    amount: int


@dataclass(frozen=True, slots=True)
class BetPlaced:
    """The player put chips on a wager; nothing is debited before the deal."""

    wager: str
    amount: int


@dataclass(frozen=True, slots=True)
class BetUndone:
    """The player took back the last chips put down."""

    wager: str
    amount: int


@dataclass(frozen=True, slots=True)
class BetsCleared:
    """The player took back all chips."""

    amount: int


@dataclass(frozen=True, slots=True)
class BetsRepeated:
    """The player put down the bets of the previous round again."""

    bets: Bets


@dataclass(frozen=True, slots=True)
class CardsDealt:
    """The bets were accepted and the round dealt to its first decision: from here it binds both sides.

    Args:
        stakes: Accepted stake of every wager.
        rules: Rules in force at acceptance.
        deck: The row of draws of the round, such as the whole shoe; never shown before it is drawn.
        hands: Faces that lie open.
        options: Decisions the player may take now.
        how: The button pressed: ``deal``, ``rebet-and-deal`` or ``double-and-deal``.
        currency: Currency of all amounts of the round.
        deck_sha256: Commitment to the deck, see :func:`deck_commitment`.
    """

    stakes: Bets
    rules: RulesInForce
    deck: tuple[int, ...]
    hands: Hands
    options: tuple[str, ...]
    how: str
    currency: str
    deck_sha256: str


@dataclass(frozen=True, slots=True)
class DecisionTaken:
    """The player decided without putting up more money.

    Args:
        decision: What was decided, such as ``hit``.
        offered: Decisions that were offered.
        hands: Faces that lie open after it.
        options: Decisions the player may take next; none when the hand is done.
    """

    decision: str
    offered: tuple[str, ...]
    hands: Hands
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StakeAdded:
    """The player added to the stakes together with the decision that it goes with.

    Stake and decision are one event: no record can hold the one without the other.

    Args:
        number: Number of the addition in its round, from 1: no record can hold one of them twice.
        added: What was added to each wager in minor units, debited by this event.
        decision: The decision, such as ``hit-2``.
        offered: Decisions that were offered.
        hands: Faces that lie open after it.
        options: Decisions the player may take next; none when the hand is done.
    """

    number: int
    added: Bets
    decision: str
    offered: tuple[str, ...]
    hands: Hands
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RoundSettled:
    """Every wager was paid or taken by the rules in force when it was accepted."""

    results: tuple[SettledWager, ...]
    returned: int


@dataclass(frozen=True, slots=True)
class PlayerDisconnected:
    """The connection to the player was lost."""

    cause: str


@dataclass(frozen=True, slots=True)
class RoundResumed:
    """The player came back and was led to the round where it was broken."""


@dataclass(frozen=True, slots=True)
class MalfunctionDeclared:
    """A malfunction voided all pays and plays of the round.

    Args:
        reason: What went wrong.
        decided_by: Who decided it.
        stakes: The stakes that were voided, what decisions added under a name of its own.
        refunded: What was returned to the player, minor units.
        reversed: What was taken back of a pay, minor units.
        flagged: What was paid beyond the stakes and left for a person to decide, minor units.
    """

    reason: str
    decided_by: str
    stakes: Bets
    refunded: int
    reversed: int
    flagged: int


@dataclass(frozen=True, slots=True)
class BetsExpired:
    """Unresolved bets became void by the passing of their term."""

    stakes: Bets
    deadline: datetime
    refunded: int
    forfeited: int


@dataclass(frozen=True, slots=True)
class GameSuspended:
    """The game was made unavailable, as after a failure of the random number generator."""

    reason: str
    decided_by: str


@dataclass(frozen=True, slots=True)
class GameRestored:
    """The game was made available again."""

    reason: str
    decided_by: str


Body = (
    SessionOpened
    | FundsDeposited
    | BetPlaced
    | BetUndone
    | BetsCleared
    | BetsRepeated
    | CardsDealt
    | DecisionTaken
    | StakeAdded
    | RoundSettled
    | PlayerDisconnected
    | RoundResumed
    | MalfunctionDeclared
    | BetsExpired
    | GameSuspended
    | GameRestored
)

BODIES: Final[tuple[type[Body], ...]] = get_args(Body)


def deck_commitment(round_id: str, deck: tuple[int, ...]) -> str:
    """Returns the digest that commits to the row of draws of a round before any of it is shown.

    Items are written as one byte each; where a row holds an item above 255 as two, above 65,535 as four, after a
    separator of 0, 1 or 2.

    >>> deck_commitment("s-000001", tuple(range(40)))[:16]
    '8e8d44d1b779687d'
    """
    highest = max(deck, default=0)
    wide = (highest > 255) + (highest > 65_535)
    row = b"".join(item.to_bytes(1 << wide, "big") for item in deck)
    return hashlib.sha256(round_id.encode() + bytes([wide]) + row).hexdigest()


def kind_of(body: Body | type[Body]) -> str:
    """Returns the name of an event as logs and exports print it.

    >>> kind_of(RoundResumed())
    'round-resumed'
    """
    return _KINDS[body if isinstance(body, type) else type(body)]


_KINDS: Final = {kind: re.sub(r"(?<!^)(?=[A-Z])", "-", kind.__name__).lower() for kind in BODIES}


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened, when, and the money it moved.

    Args:
        sequence: Number of the event at its seat, from 1.
        round: Id of the round; empty for what belongs to no round.
        at: When it happened, UTC; never before the event that precedes it.
        body: What happened.
        postings: Money it moved; they sum to zero.
        clock_behind: Whether the clock stood before the preceding event, so that its time was kept.
    """

    sequence: int
    round: str
    at: datetime
    body: Body
    postings: tuple[Posting, ...] = ()
    clock_behind: bool = False

    def __post_init__(self) -> None:
        """Refuses an event that makes or loses money."""
        if self.postings and (total := sum([posting.amount for posting in self.postings])):
            raise ValueError(f"postings of event {self.sequence} sum to {total}, expected 0")

    @property
    def kind(self) -> str:
        """Name of what happened, such as ``cards-dealt``."""
        return _KINDS[type(self.body)]
