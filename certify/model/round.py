"""A round as every part of the house plays it: what it waits for, how it is settled, its state machine."""

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol, TypeVar, runtime_checkable

from certify.model.equipment import Equipment, Row
from certify.model.figures import Award
from certify.model.form import origins
from certify.model.stages import Option


@origins()
@dataclass(frozen=True, slots=True)
class Witness:
    """A round that proves that a row can occur.

    Args:
        wager: Id of the wager.
        row: Id of the row that the round produces.
        deck: Everything that chance gives the round: the whole shoe, or the draws of each piece.
        deck_names: The same as a player calls it.
        decisions: Decisions in that round.
    """

    wager: str
    row: str
    deck: tuple[int, ...]
    deck_names: tuple[str, ...]
    decisions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Recipe:
    """A round as one would show it: what is drawn first, and what is decided.

    Args:
        faces: Names of the faces drawn first, in order, from the one piece of the game.
        decisions: Options taken in turn; after the last of them, and where one is not offered, the first option is.
    """

    faces: tuple[str, ...]
    decisions: tuple[str, ...] = ()


@origins()
@dataclass(frozen=True, slots=True)
class Exposure:
    """The most that one round can cost the house over all wagers together.

    Args:
        amount: Highest total net win at the table's limits, in minor units.
        currency: Currency of the amount.
        wins: Net win of each wager in that round, in minor units.
        deck: Witness: the first cards of a deck that produces it, in dealing order, as card ids; empty where the amount
            is a bound that no round exceeds, and none is shown that comes to it.
        decisions: Decisions of the player in that round, in order.
        stakes: Everything staked on each wager in that round, what the player added to it included, in minor units;
            0 where it is not placed.
        deck_names: The witness as a player calls it.
    """

    amount: int
    currency: str
    wins: tuple[tuple[str, int], ...]
    deck: tuple[int, ...]
    decisions: tuple[str, ...]
    stakes: tuple[tuple[str, int], ...] = ()
    deck_names: tuple[str, ...] = ()

    @property
    def attained(self) -> bool:
        """Whether a round is shown that costs just so much; the amount is a bound where none is."""
        return bool(self.deck)


S = TypeVar("S", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Chance:
    """The round waits for one draw.

    Args:
        equipment: Id of the piece that is requested.
        to: Who gets it, such as ``player``, ``dealer`` or ``table``.
        how: What happens, such as ``is dealt``, ``draws`` or ``spins``; used in sentences.
        shown: Whether everybody sees it at once.
    """

    equipment: str
    to: str
    how: str = "is dealt"
    shown: bool = True


@dataclass(frozen=True, slots=True)
class Choice:
    """The round waits for a decision.

    Args:
        seat: Whose decision it is, such as ``player`` or ``bank``.
        options: What may be decided, the least committing option first (it is taken for a player who is gone).
        sees: Everything that this seat sees and that may matter; what is forgotten here no strategy can use.
        hand: Which hand of the seat it is about, where that may hold several.
    """

    seat: str
    options: tuple[Option, ...]
    sees: Hashable
    hand: str = ""

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the options."""
        return tuple(option.id for option in self.options)


@dataclass(frozen=True, slots=True)
class WagerResult:
    """How one wager ended.

    Args:
        wager: Id of the wager.
        outcome: Id of the outcome; rows of the paytable are outcomes, or groups of them (see ``row_of``).
        net: Net result in units of the initial stake, everything added to it included.
        staked: Everything staked on it, in units of the initial stake.
        awards: What the round won, row by row, where it can win many times; empty where the outcome is its one award.
    """

    wager: str
    outcome: str
    net: Fraction
    staked: Fraction = Fraction(1)
    awards: tuple[Award, ...] = ()

    @property
    def won(self) -> tuple[Award, ...]:
        """What the round won, row by row: the awards, or the outcome as its own one award where anything came back."""
        if self.awards or self.net <= -self.staked:
            return self.awards
        return (Award(self.outcome, Fraction(1), self.staked + self.net),)


@dataclass(frozen=True, slots=True)
class Settled:
    """The round is over: every wager of the game, bet on or not, with its result."""

    results: tuple[WagerResult, ...]


Node = Chance | Choice | Settled
"""What a round waits for."""


@dataclass(frozen=True, slots=True)
class Hand:
    """What one holder has on the table.

    Args:
        holder: ``player``, ``dealer``, ``table`` and the like.
        faces: Faces in the order they came.
        hidden: Places among them that lie face down for the player.
        total: What the hand is worth, in words; empty where it has no total.
    """

    holder: str
    faces: tuple[int, ...]
    hidden: tuple[int, ...] = ()
    total: str = ""


class ReferenceRound(Protocol[S]):
    """The rules of one game as a small state machine: pure, serialisable, without chance of its own.

    A round is the list of its draws and decisions, and replays from it. States are hashable and frozen, and so is
    the reference round itself: what was learnt of its rules is kept by it.
    """

    @property
    def equipment(self) -> tuple[Equipment, ...]:
        """What the round is dealt from."""

    def start(self) -> S:
        """Returns the state before anything is drawn."""

    def node(self, state: S) -> Node:
        """Returns what the round waits for."""

    def drawn(self, state: S, face: int) -> S:
        """Returns the state after a draw that shows a face of the piece that was requested."""

    def decided(self, state: S, option: str) -> S:
        """Returns the state after a decision."""

    def alike(self, state: S, face: int) -> Hashable:
        """Returns what the round can tell of a face that comes next; equal answers lead to equal states.

        Returning the face itself is always right, and a coarser answer makes counting faster.
        """

    def matters(self, state: S) -> Hashable:
        """Returns what of a state still matters to draws, decisions and results to come, the state itself if all.

        States that matter in the same way must also agree on what was drawn from equipment that is not put back, up to
        faces that are equal from here on.
        """

    def hands(self, state: S) -> tuple[Hand, ...]:
        """Returns what is on the table, for views, records and sentences."""


@runtime_checkable
class TellingRound(Protocol):
    """A reference round that says in its own words what a player sees, where single draws are not what is seen."""

    def told(self, before: Any, after: Any) -> tuple[str, ...]:
        """Returns what is seen at a draw; nothing where more is to be drawn before anything is."""


@runtime_checkable
class LongRound(Protocol):
    """A reference round of more points than a walk looks at: it says itself what a walk would have to find."""

    @property
    def decides(self) -> bool:
        """Whether some round waits for a decision."""

    @property
    def lived(self) -> tuple[str, ...]:
        """What its life is tried on: features, and rows of the paytable."""

    def showing(self, row: str) -> Row | None:
        """Returns draws of a round that wins a row, or begins a feature; nothing where none was found."""


@runtime_checkable
class SteppedRound(Protocol):
    """A reference round of events one after the other, such as spins, none of which takes from what another left."""

    @property
    def events(self) -> tuple[tuple[Equipment, ...], ...]:
        """Every kind of event, with pieces that draw as often as one such event draws, at most."""


@runtime_checkable
class PacedByPlayer(Protocol):
    """A reference round that draws on where its player would start what comes next, such as the next free game."""

    def paced(self) -> ReferenceRound[Any]:
        """Returns the same round as it is lived, waiting for its player there; its results are the same."""


@runtime_checkable
class PassingRound(Protocol):
    """A reference round after which one of its seats may hold the bank."""

    def next_bank(self, state: Any) -> int | None:
        """Returns the seat that banks the next round, none where the bank stays."""


@runtime_checkable
class NamingRound(Protocol):
    """A reference round whose hands hold faces of several pieces, and which names them."""

    def named(self, holder: str, face: int) -> str:
        """Returns a face that a holder has, in words."""


@runtime_checkable
class BoundedRound(Protocol):
    """A reference round whose draws are too many to be walked, and which bounds them."""

    @property
    def most_rows(self) -> int:
        """More rows of faces than one round can look at, whatever is decided."""
