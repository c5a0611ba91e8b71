"""What players and bank see, and strategies as chances of options for everything that can be seen."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Final, Protocol

from certify.errors import InputError
from certify.families.free_bank.mixed_decisions import Chances as Chances
from certify.families.free_bank.mixed_decisions import Lot, lot_of
from certify.families.free_bank.rules import total
from certify.model.strategy import pair_name

HIT: Final = "hit"
STAND: Final = "stand"
SWAP: Final = "swap"
STAY: Final = "stay"
"""A further face on a single first face stays in the hand."""
SPLIT: Final = "split"
"""It is split off as a hand of its own, with its own equal stake."""

COVER: Final = "cover"
"""The one thing a seat does before it plays where it can lose more than its stake: it puts up the rest."""

PLAYER: Final = "player"
BANK: Final = "bank"

Cards = tuple[int, ...]
"""Cards of a hand by class (0 to 6 for A to 7, 7 for a face, 8 for the matta), in the order dealt."""


class HandEnd(StrEnum):
    """How a hand ended."""

    STOOD = "stood"
    SEVEN_AND_A_HALF = "seven-and-a-half"
    BUST = "bust"


@dataclass(frozen=True, slots=True)
class Own:
    """What a player sees of the own cards when deciding.

    Args:
        hands: Every hand of the seat, the one with the hidden first card at the head, split hands in the order in
            which they came, each from its face.
        playing: Which of them is decided on.
        given_up: Class of the card that was swapped away; -1 for none.
        face_came: Whether a face lies there that either stays in the first hand or is split off.
    """

    hands: tuple[Cards, ...]
    playing: int = 0
    given_up: int = -1
    face_came: bool = False

    @property
    def hand(self) -> Cards:
        """The hand that is decided on."""
        return self.hands[self.playing]


@dataclass(frozen=True, slots=True)
class OpenHand:
    """What everybody sees of a hand that has ended.

    Args:
        cards: Open cards in the order dealt; the first card is at the head where it is shown.
        end: How the hand ended: stood on what nobody else knows, 7½, or bust.
        first_shown: Whether the first card is among them.
    """

    cards: Cards
    end: HandEnd
    first_shown: bool = False


@dataclass(frozen=True, slots=True)
class OpenSeat:
    """What everybody sees of a seat that is done.

    Args:
        hands: Its hands; of several, all but the first began with an open face.
        swapped: Whether it swapped its first card.
    """

    hands: tuple[OpenHand, ...]
    swapped: bool = False


@dataclass(frozen=True, slots=True)
class PlayerSees:
    """What a player sees: the own cards, and the seats that were done before."""

    own: Own
    table: tuple[OpenSeat, ...] = ()


@dataclass(frozen=True, slots=True)
class BankSees:
    """What the bank sees: its own hand, sorted by class, and every seat; none where it looks at nothing."""

    hand: Cards
    table: tuple[OpenSeat, ...] = ()
    given_up: int = -1


Sees = PlayerSees | BankSees


class Conduct(Protocol):
    """How one party plays: for everything it can see, the chance of each option.

    It is hashable and compares by value.
    """

    @property
    def name(self) -> str:
        """Name, as on the command line."""
        ...

    @property
    def looks_at(self) -> str:
        """What it looks at, such as ``total-dependent``."""
        ...

    def __hash__(self) -> int:
        """Returns the hash by which figures that were counted under it are kept."""
        ...

    def chances(self, sees: Sees, options: Sequence[str]) -> Chances:
        """Returns the chance of each option, in the order stand, hit, swap, or stay, split.

        Raises:
            InputError: Nothing is said of what is seen.
        """
        ...

    def table(self) -> object:
        """Returns everything that decides what is done, as plain sorted values for a digest."""
        ...


@dataclass(frozen=True, slots=True)
class StandOn:
    """Draws below a total and stands on it or more, whatever lies open; never splits.

    Args:
        name: Name, as on the command line.
        least: The total, in half points.
        swaps: Whether it swaps every first card that may be swapped.
    """

    name: str
    least: int
    swaps: bool = False
    looks_at: str = "one total"

    def chances(self, sees: Sees, options: Sequence[str]) -> Chances:
        """Returns the one option that it takes."""
        if len(options) == 1:
            return ((options[0], Fraction(1)),)
        if SPLIT in options:
            return ((STAY, Fraction(1)),)
        if self.swaps and SWAP in options:
            return ((SWAP, Fraction(1)),)
        hand = sees.own.hand if isinstance(sees, PlayerSees) else sees.hand
        chosen = HIT if total(hand) < self.least and HIT in options else STAND
        return ((chosen, Fraction(1)),)

    def table(self) -> object:
        """Returns the total and whether it swaps."""
        return {"least": self.least, "swaps": self.swaps}


@dataclass(frozen=True, slots=True)
class Pair:
    """How both parties play: one strategy of the house, which asks whoever's turn it is.

    Args:
        player: How every seat plays.
        bank: How the bank plays.
    """

    player: Conduct
    bank: Conduct

    @property
    def name(self) -> str:
        """Names of both."""
        return pair_name(self.player.name, self.bank.name)

    @property
    def strategy_class(self) -> str:
        """What both look at."""
        return f"{self.player.looks_at} against {self.bank.looks_at}"

    def chances(self, sees: Sees, options: Sequence[str]) -> Chances:
        """Returns the chance of each option for whoever sees this; where the rules leave one option, that one."""
        if len(options) == 1:
            return ((options[0], Fraction(1)),)
        return (self.player if isinstance(sees, PlayerSees) else self.bank).chances(sees, options)

    def choose(self, sees: Hashable, options: Sequence[str]) -> str:
        """Returns the option taken.

        Raises:
            InputError: What is seen is not of this family, or the option is drawn by lot.
        """
        if not isinstance(sees, PlayerSees | BankSees):
            raise InputError(
                f"strategy {self.name!r} was asked about {sees!r}, expected what a seat or bank sees"
            )
        chances = self.chances(sees, options)
        if len(chances) != 1:
            raise InputError(f"strategy {self.name!r} decides by lot at {sees}, expected one that does not")
        return chances[0][0]

    def cast(self, row: Sequence[int]) -> Cast:
        """Returns the pair with the lot that a row of draws holds."""
        return Cast(self, Lot(lot_of(row)))

    def table(self) -> object:
        """Returns both tables."""
        return {PLAYER: self.player.table(), BANK: self.bank.table()}


@dataclass(slots=True)
class Cast:
    """A pair of strategies in one round, with what is left of its lot.

    Args:
        pair: The strategies.
        lot: What decides where they leave it to chance.
    """

    pair: Pair
    lot: Lot

    @property
    def name(self) -> str:
        """Names of both."""
        return self.pair.name

    @property
    def strategy_class(self) -> str:
        """What both look at."""
        return self.pair.strategy_class

    def choose(self, sees: Hashable, options: Sequence[str]) -> str:
        """Returns the option that the lot falls on.

        Raises:
            InputError: What is seen is not of this family.
        """
        return self.lot.take(self.pair.chances(seen(self.name, sees), options))

    def table(self) -> object:
        """Returns both tables."""
        return self.pair.table()


def seen(name: str, sees: Hashable) -> Sees:
    """Returns what is seen, if it is of this family.

    Raises:
        InputError: It is not.
    """
    if isinstance(sees, PlayerSees | BankSees):
        return sees
    raise InputError(f"strategy {name!r} was asked about {sees!r}, expected what a seat or the bank sees")
