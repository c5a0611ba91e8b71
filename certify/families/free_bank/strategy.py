"""What players and bank see, and strategies as chances of options for everything that can be seen.

One seat and the bank use at most 22 cards. In which order the last twelve lie has nothing to do with any card that
was dealt, and is one of 479,001,600 equally likely ones. That number is the lot of the round: each decision takes
its share of what is left of it, so that decisions are independent, to within one part in the orders that are left.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from math import factorial
from typing import Final, Protocol

from certify.errors import InputError
from certify.families.free_bank.rules import total
from certify.model import pair_name

NO_CARD: Final = -1


@dataclass(frozen=True, slots=True)
class HandOnTable:
    """A hand of a seat.

    Args:
        cards: Card ids in the order dealt.
        end: How it ended; none while it may go on.
    """

    cards: tuple[int, ...]
    end: "HandEnd | None" = None


@dataclass(frozen=True, slots=True)
class SeatAtTable:
    """A seat of the table.

    Args:
        hands: Its hands, the one with the hidden first card at the head; none before its first card.
        given_up: Card that it swapped away; -1 for none.
        face_came: Face that came and is neither kept nor split off yet; -1 for none.
        covered: Whether what it can lose beyond its stake was put up.
    """

    hands: tuple[HandOnTable, ...] = ()
    given_up: int = NO_CARD
    face_came: int = NO_CARD
    covered: bool = False

    @property
    def playing(self) -> int | None:
        """The first hand that may go on, none where all have ended."""
        return next((place for place, hand in enumerate(self.hands) if hand.end is None), None)

    @property
    def done(self) -> bool:
        """Whether it was dealt to and all its hands have ended."""
        return bool(self.hands) and self.playing is None and self.face_came == NO_CARD

    @property
    def still_in(self) -> bool:
        """Whether some hand has not exceeded 7½."""
        return any(hand.end is not HandEnd.BUST for hand in self.hands)


@dataclass(frozen=True, slots=True)
class BankDeck:
    """Where cards come from.

    Args:
        piece: Which piece of the equipment is dealt from, 0 for the first deck.
        left: Cards that are still to come, in no order.
        bust: Cards of hands that exceeded 7½ since the deck was made.
    """

    left: frozenset[int]
    piece: int = 0
    bust: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class BankTable:
    """A round so far.

    Args:
        deck: What is left to come.
        seats: The seats in the order of play.
        bank: The bank's cards in the order they came.
        bank_stood: Whether the bank is done.
        decision: The last decision, until the card that it asks for has come; empty where none is open.
    """

    deck: BankDeck
    seats: tuple[SeatAtTable, ...]
    bank: tuple[int, ...] = ()
    bank_stood: bool = False
    decision: str = ""


def seen_of(seat: SeatAtTable, classes: tuple[int, ...], *, bust_covered: bool) -> "OpenSeat":
    """Returns what everybody sees of a seat that is done.

    Args:
        seat: The seat.
        classes: Class of each card by its id.
        bust_covered: Whether a hand that exceeded 7½ keeps its hidden card covered.
    """
    hands = []
    for place, hand in enumerate(seat.hands):
        hidden = place == 0 and (hand.end is HandEnd.STOOD or (hand.end is HandEnd.BUST and bust_covered))
        cards = tuple(classes[card] for card in (hand.cards[1:] if hidden else hand.cards))
        hands.append(OpenHand(cards, hand.end or HandEnd.STOOD, not hidden))
    return OpenSeat(tuple(hands), seat.given_up != NO_CARD)


Chances = tuple[tuple[str, Fraction], ...]
"""Options with their chances, which sum to one; options without a chance are left out."""

MOST_CARDS: Final = 22
"""Cards that one seat and the bank use, at most."""

LAST_CARDS: Final = 12
"""Cards at the end of the deck whose order is the lot."""

ORDERS: Final = factorial(LAST_CARDS)

WEIGHT_BITS: Final = 32
"""Chances are taken in steps of 2⁻³², the same for every way of playing a round."""


def lot_of(row: Sequence[int]) -> int:
    """Returns the number of the order in which the last twelve cards lie, 0 to 479,001,599.

    >>> lot_of(range(40)), lot_of([*range(28), *range(39, 27, -1)])
    (0, 479001599)
    """
    last = row[len(row) - LAST_CARDS :]
    number = 0
    for place, card in enumerate(last):
        number = number * (LAST_CARDS - place) + sum(other < card for other in last[place + 1 :])
    return number


def weight(chance: Fraction) -> int:
    """Returns a chance in steps of 2⁻³², to the nearest.

    >>> weight(Fraction(1, 2)) == 2**31
    True
    """
    return round(chance * (1 << WEIGHT_BITS))


@dataclass(slots=True)
class Lot:
    """What is left of the lot of one round.

    Args:
        at: The number drawn.
        size: Among how many.
    """

    at: int
    size: int = ORDERS

    def take(self, chances: Chances) -> str:
        """Returns the option that the lot falls on, and keeps what is left of it."""
        if len(chances) == 1:
            return chances[0][0]
        low, upto = 0, Fraction(0)
        for option, chance in chances:
            upto += chance
            high = self.size * weight(upto) >> WEIGHT_BITS
            if self.at < high:
                self.at, self.size = self.at - low, high - low
                return option
            low = high
        raise ValueError(f"the chances {chances} do not sum to one")


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
        face_came: Whether a face is there that either stays in the first hand or is split off.
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


Sees = PlayerSees | BankSees


class Conduct(Protocol):
    """How one party plays: for everything it can see, the chance of each option.

    It is hashable and compares by value.
    """

    @property
    def name(self) -> str:
        """Name, as on the command line."""

    @property
    def looks_at(self) -> str:
        """What it looks at, such as ``total-dependent``."""

    def __hash__(self) -> int:
        """Returns the hash by which figures that were counted under it are kept."""

    def chances(self, sees: Sees, options: Sequence[str]) -> Chances:
        """Returns the chance of each option, in the order stand, hit, swap, or stay, split.

        Raises:
            InputError: Nothing is stated of what is seen.
        """

    def table(self) -> object:
        """Returns everything that decides what is done, as plain sorted values for a digest."""


@dataclass(frozen=True, slots=True)
class StandOn:
    """Draws below a total and stands on it or more, whatever is open; never splits.

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
        chances = self.chances(seen(self.name, sees), options)
        if len(chances) != 1:
            raise InputError(f"strategy {self.name!r} decides by lot at {sees}, expected one that does not")
        return chances[0][0]

    def cast(self, row: Sequence[int]) -> "Cast":
        """Returns the pair with the lot that a row of draws holds."""
        return Cast(self.player, self.bank, Lot(lot_of(row)))

    def table(self) -> object:
        """Returns both tables."""
        return {PLAYER: self.player.table(), BANK: self.bank.table()}


@dataclass(frozen=True, slots=True)
class Cast(Pair):
    """A pair of strategies in one round, with what is left of its lot.

    Args:
        lot: What decides where they leave it to chance.
    """

    lot: Lot

    def choose(self, sees: Hashable, options: Sequence[str]) -> str:
        """Returns the option that the lot falls on.

        Raises:
            InputError: What is seen is not of this family.
        """
        return self.lot.take(self.chances(seen(self.name, sees), options))


def seen(name: str, sees: Hashable) -> Sees:
    """Returns what is seen, if it is of this family.

    Raises:
        InputError: It is not.
    """
    if isinstance(sees, PlayerSees | BankSees):
        return sees
    raise InputError(f"strategy {name!r} got {sees!r}, expected what a seat or the bank sees")
