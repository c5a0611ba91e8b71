"""The deck of a video poker game and the order in which the places of a hand are numbered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from certify.families.french_deck.deck import RANKS
from certify.families.video_poker.rules import VideoPokerRules, rules_of
from certify.model.equipment import Equipment
from certify.model.game import Game

HAND: Final = 5
"""Cards of a hand."""

HOLDS: Final = tuple(range(31, -1, -1))
"""Every hold as bits, the first place the lowest one; all cards first, which commits to no draw."""

WILD: Final = -1
"""In place of a rank: a card that stands for any card."""


@dataclass(frozen=True, slots=True)
class Deck:
    """What of the cards matters.

    Args:
        ranks: Place in RANKS of the card of each face; WILD for a wild card.
        suits: Number of the suit of each face; 0 for a wild card.
        suit_count: Number of suits.
    """

    ranks: tuple[int, ...]
    suits: tuple[int, ...]
    suit_count: int

    @property
    def size(self) -> int:
        """Number of cards."""
        return len(self.ranks)

    @property
    def wilds(self) -> int:
        """Number of wild cards."""
        return self.ranks.count(WILD)

    def face(self, rank: int, suit: int) -> int:
        """Returns the face of a rank and a suit.

        Raises:
            ValueError: There is no such card.
        """
        return list(zip(self.ranks, self.suits, strict=True)).index((rank, suit))


def deck_of(game: Game) -> Deck:
    """Returns the deck of a game."""
    return _deck(game.equipment[0], rules_of(game))


@lru_cache(maxsize=32)
def _deck(piece: Equipment, rules: VideoPokerRules) -> Deck:
    ranks, suits = [], []
    for name in piece.faces:
        rank, of, suit = name.partition(" of ")
        wild = not of or (rules.deuces_wild and rank == "2")
        ranks.append(WILD if wild else RANKS.index(rank))
        suits.append(0 if wild else piece.suits.index(suit))
    return Deck(tuple(ranks), tuple(suits), len(piece.suits))


def arranged(deck: Deck, faces: Sequence[int]) -> tuple[int, ...]:
    """Returns a hand in the order in which its places are numbered.

    Wild cards come first, then cards from the highest rank down; cards of one rank in the order of what else is
    held of their suits, so that hands which differ in the names of suits alone are numbered alike.
    """
    labels = suit_labels(deck, faces)
    return tuple(
        sorted(
            faces,
            key=lambda face: (
                deck.ranks[face] != WILD,
                -deck.ranks[face],
                labels.get(deck.suits[face], 0),
                face,
            ),
        )
    )


def suit_labels(deck: Deck, faces: Sequence[int]) -> dict[int, int]:
    """Returns the suits held by new numbers: first the suit whose cards are, as a set of ranks, the highest."""
    masks = [0] * deck.suit_count
    for face in faces:
        if deck.ranks[face] != WILD:
            masks[deck.suits[face]] |= 1 << deck.ranks[face]
    order = sorted(range(deck.suit_count), key=lambda suit: (-masks[suit], suit))
    return {suit: label for label, suit in enumerate(order)}


def alike_hand(deck: Deck, faces: Sequence[int]) -> tuple[int, ...]:
    """Returns the hand that stands for all that differ from this one in the names of suits or wild cards alone."""
    return alike_cards(deck, faces, suit_labels(deck, faces))


def alike_cards(deck: Deck, faces: Sequence[int], labels: dict[int, int]) -> tuple[int, ...]:
    """Returns cards under new names of the suits, arranged; wild cards are the first ones of the deck."""
    wild = [face for face in range(deck.size) if deck.ranks[face] == WILD]
    held = sum(deck.ranks[face] == WILD for face in faces)
    places = _faces(deck)
    named = sorted(
        (-deck.ranks[face], labels[deck.suits[face]]) for face in faces if deck.ranks[face] != WILD
    )
    return (*wild[:held], *(places[-rank, label] for rank, label in named))


@lru_cache(maxsize=32)
def _faces(deck: Deck) -> dict[tuple[int, int], int]:
    return {(rank, suit): face for face, (rank, suit) in enumerate(zip(deck.ranks, deck.suits, strict=True))}


def hold_id(hold: int) -> str:
    """Returns a hold as submissions and records name it.

    >>> hold_id(0b00011), hold_id(0)
    ('hold-12', 'hold-none')
    """
    places = "".join(str(place + 1) for place in range(HAND) if hold >> place & 1)
    return f"hold-{places or 'none'}"


HOLD_IDS: Final = tuple(hold_id(hold) for hold in HOLDS)
HOLD_OF: Final = {name: hold for hold, name in zip(HOLDS, HOLD_IDS, strict=True)}
"""Bits of a hold by its name."""
