"""A table in the middle of a round: its seats, the bank, and the deck; frozen, and a function of what came."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from certify.families.free_bank.strategy import HandEnd, OpenHand, OpenSeat

NO_CARD: Final = -1


@dataclass(frozen=True, slots=True)
class HandOnTable:
    """A hand of a seat.

    Args:
        cards: Card ids in the order dealt.
        end: How it ended; none while it may go on.
    """

    cards: tuple[int, ...]
    end: HandEnd | None = None


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
        bank_given_up: Card that the bank swapped away; -1 for none.
        bank_stood: Whether the bank is done.
        decision: The last decision, until the card that it asks for has come; empty where none is open.
    """

    deck: BankDeck
    seats: tuple[SeatAtTable, ...]
    bank: tuple[int, ...] = ()
    bank_given_up: int = NO_CARD
    bank_stood: bool = False
    decision: str = ""


def seen_of(seat: SeatAtTable, classes: tuple[int, ...], *, bust_covered: bool) -> OpenSeat:
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
