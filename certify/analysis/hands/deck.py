"""A deck by faces, wild cards included, and the complaint about one that is not whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from certify.errors import InputError
from certify.model.equipment import FRENCH_RANKS, FRENCH_SUITS, Equipment, Kind, shoe
from certify.model.game import Game

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RANKS: Final = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
"""Ranks from low to high; an ace may be low too, in a straight."""

WILD: Final = -1
"""In place of a rank: a card that stands for any card."""

NATURAL: Final = 52
"""Bits of a hand that are cards; those above are wild ones."""

Card = tuple[int, int]
"""Place of the rank in RANKS, and number of the suit; (WILD, 0) is a wild card."""


@dataclass(frozen=True, slots=True)
class CountedDeck:
    """The cards by face.

    Args:
        cards: Rank and suit of the card of each face.
        suits: Number of suits.
    """

    cards: tuple[Card, ...]
    suits: int

    @property
    def size(self) -> int:
        """Number of cards."""
        return len(self.cards)

    @property
    def wilds(self) -> int:
        """Number of wild cards."""
        return sum(rank == WILD for rank, _ in self.cards)

    def of(self, faces: Sequence[int]) -> tuple[Card, ...]:
        """Returns the cards of some faces, in their order."""
        return tuple(self.cards[face] for face in faces)


def bits_of(deck: CountedDeck) -> NDArray[np.int64]:
    """Returns the bit of every face, int64[cards]: rank and suit of a card, or which of the wild cards it is.

    >>> [bit.bit_length() - 1 for bit in bits_of(CountedDeck(((0, 0), (12, 3), (WILD, 0)), 4)).tolist()]
    [0, 51, 52]
    """
    import numpy as np

    bits, wild = [], NATURAL
    for rank, suit in deck.cards:
        bits.append(1 << (wild if rank == WILD else 13 * suit + rank))
        wild += rank == WILD
    return np.array(bits, dtype=np.int64)


@lru_cache(maxsize=32)
def deck_of_piece(piece: Equipment, wild_rank: str = "") -> CountedDeck:
    """Returns the deck that a piece of equipment is; faces without a suit are wild, and every card of one rank."""
    cards = []
    for name in piece.faces:
        rank, of, suit = name.partition(" of ")
        wild = not of or rank == wild_rank
        cards.append((WILD, 0) if wild else (RANKS.index(rank), piece.suits.index(suit)))
    return CountedDeck(tuple(cards), len(piece.suits))


def smaller(game: Game, sizes: Sequence[tuple[str, int]]) -> Iterator[Game]:
    """Yields the game dealt from fewer cards.

    Args:
        game: The submission.
        sizes: Ranks apart by spaces, and the number of suits, of each deck.
    """
    (piece,) = game.equipment
    for ranks, suits in sizes:
        yield replace(game, equipment=(shoe(piece.id, ranks.split(), piece.suits[:suits]),))


def not_whole(equipment: tuple[Equipment, ...]) -> str:
    """Returns what is wrong with the equipment of a game dealt from one deck of 52 cards, nothing where it serves."""
    if [piece.kind for piece in equipment] == [Kind.SHOE]:
        (deck,) = equipment
        whole = sorted(deck.ranks) == sorted(FRENCH_RANKS) and sorted(deck.suits) == sorted(FRENCH_SUITS)
        if whole and deck.size == len(deck.faces) == 52:
            return ""
    return (
        "this family is dealt from one deck of 52 cards: expected one piece of the kind shoe with one deck, "
        f"ranks {', '.join(FRENCH_RANKS)}, suits {', '.join(FRENCH_SUITS)}"
    )


def label(own: Sequence[Card], opened: Sequence[Card] = ()) -> str:
    """Returns what a player sees: cards from the highest, suits renamed a, b, c, d by what is held of them.

    >>> label([(10, 3), (2, 0), (4, 3)]), label([(5, 1), (5, 2), (12, 2)])
    ('Qa 6a 4b', 'Aa 7a 7b')
    >>> label([(12, 3), (11, 0), (6, 3), (4, 1), (2, 1)], [(6, 1)])
    'Aa Kb 8a 6c 4c / 8c'
    """
    held: dict[int, tuple[int, int]] = {}
    for place, cards in enumerate((own, opened)):
        for rank, suit in cards:
            ranks = held.get(suit, (0, 0))
            held[suit] = (ranks[0] | 1 << rank, ranks[1]) if place == 0 else (ranks[0], ranks[1] | 1 << rank)
    letters = dict(zip(sorted(held, key=lambda suit: held[suit], reverse=True), "abcd", strict=False))
    named = (sorted((-rank, letters[suit]) for rank, suit in cards) for cards in (own, opened) if cards)
    return " / ".join(" ".join(f"{RANKS[-rank]}{letter}" for rank, letter in cards) for cards in named)


@lru_cache(maxsize=65536)
def labelled(text: str) -> tuple[tuple[Card, ...], ...]:
    """Returns the cards of a label: the player's, and those that lie open where some do.

    >>> labelled("Qa 10a 4b")
    (((10, 0), (8, 0), (2, 1)),)
    >>> labelled("Aa Kb 8a 6c 4c / 8c")[1]
    ((6, 2),)
    """
    return tuple(
        tuple((RANKS.index(card[:-1]), "abcd".index(card[-1])) for card in cards.split(" "))
        for cards in text.split(" / ")
    )


def falling(text: str, most: int, source: str, like: str) -> tuple[int, ...]:
    """Returns ranks that fall, such as ``A-K-J-8-3``, as places in RANKS.

    Args:
        text: The ranks.
        most: How many there may be.
        source: What states them, for messages.
        like: What would state some.

    Raises:
        InputError: They are no such ranks.

    >>> falling("Q-6-4", 3, "the rule", "Q-6-4")
    (10, 4, 2)
    """
    ranks = text.split("-")
    places = tuple(RANKS.index(rank) for rank in ranks if rank in RANKS)
    if len(places) != len(ranks) or len(ranks) > most or list(places) != sorted(set(places), reverse=True):
        raise InputError(f'"{source}": expected up to {most} ranks that fall, such as {like}')
    return places
