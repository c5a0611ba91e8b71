"""Cards of blackjack by what they count, and what a player sees when something is decided."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from certify.errors import InputError
from certify.model.equipment import FRENCH_RANKS, Equipment

Counts = tuple[int, ...]
"""Cards by value: aces, twos, ..., nines, all cards that count ten."""

VALUES: Final = 10
ACE, TEN = 0, 9
"""Places of aces and of cards that count ten among the values."""

VALUE_NAMES: Final = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10")
"""Names of the values, in the order of their places; all that count ten are ``10``."""


def value_of(face: str) -> int:
    """Returns the place of the value of a card, named ``K of hearts`` or by its rank alone.

    Raises:
        InputError: The card has no French rank.

    >>> value_of("A of hearts"), value_of("2 of clubs"), value_of("10"), value_of("K of spades")
    (0, 1, 9, 9)
    """
    rank = face.partition(" of ")[0]
    if rank not in FRENCH_RANKS:
        raise InputError(f"{face!r} is no card of this game: expected one of {', '.join(FRENCH_RANKS)}")
    return min(FRENCH_RANKS.index(rank), TEN)


def counts_of(piece: Equipment) -> Counts:
    """Returns how many cards of each value a shoe holds; of an endless deck, how many of its stops.

    >>> from certify.model.equipment import FRENCH_SUITS, shoe
    >>> counts_of(shoe("shoe", FRENCH_RANKS, FRENCH_SUITS, decks=6))
    (24, 24, 24, 24, 24, 24, 24, 24, 24, 96)
    """
    counts = [0] * VALUES
    for face, copies in zip(piece.faces, piece.copies, strict=True):
        counts[value_of(face)] += copies
    return tuple(counts)


def total_of(hand: Counts) -> tuple[int, bool]:
    """Returns what a hand counts, and whether an ace in it counts eleven.

    >>> total_of((1, 0, 0, 0, 0, 1, 0, 0, 0, 0)), total_of((1, 0, 0, 0, 0, 1, 0, 0, 0, 1))
    ((17, True), (17, False))
    """
    low = sum((place + 1) * count for place, count in enumerate(hand))
    return (low + 10, True) if hand[ACE] and low <= 11 else (low, False)


def hand_name(hand: Counts) -> str:
    """Returns a hand as players name it, the lowest card first.

    >>> hand_name((1, 0, 0, 0, 0, 2, 0, 0, 0, 0))
    'A-6-6'
    """
    return "-".join(VALUE_NAMES[place] for place, count in enumerate(hand) for _ in range(count))


@dataclass(frozen=True, slots=True)
class Seen:
    """What a player sees when something is decided.

    Two decisions are alike to every strategy where all of this is alike: what other hands of the same round hold is
    not looked at ("zero memory").

    Args:
        up: Place of the value of the dealer's open card.
        hand: The hand by value.
        pair: Whether the hand is two cards that may be split by their ranks, whether or not another hand is allowed.
        split: Whether the hand came of a split.
    """

    up: int
    hand: Counts
    pair: bool = False
    split: bool = False

    @property
    def cards(self) -> int:
        """Number of cards in the hand."""
        return sum(self.hand)

    def __str__(self) -> str:
        """Returns the hand and the open card in one line."""
        return (
            f"{hand_name(self.hand)}{' after a split' if self.split else ''} against {VALUE_NAMES[self.up]}"
        )
