"""What a player sees: five cards and the dealer's open one, up to the names of suits."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations_with_replacement
from typing import Final

from certify.families.french_deck.deck import RANKS, Card, Deck, deck_of_piece
from certify.model.game import Game

HAND: Final = 5
"""Cards of a hand."""

DEALT: Final = 2 * HAND
"""Cards of a round: the player's five, the dealer's open one, the dealer's other four."""

_OPEN: Final = " / "

Pattern = tuple[tuple[int, ...], bool]
"""Ranks of a hand in falling order, and whether all are of one suit: what a hand is worth hangs on nothing else."""


def deck_of(game: Game) -> Deck:
    """Returns the deck of a game."""
    return deck_of_piece(game.equipment[0])


def label(own: Sequence[Card], up: Card) -> str:
    """Returns what is seen, suits renamed a, b, c, d in the order of what is held of them.

    >>> label([(12, 3), (11, 0), (6, 3), (4, 1), (2, 1)], (6, 1))
    'Aa Kb 8a 6c 4c / 8c'
    """
    held: dict[int, tuple[int, int]] = {up[1]: (0, 1 << up[0])}
    for rank, suit in own:
        ranks, opened = held.get(suit, (0, 0))
        held[suit] = (ranks | 1 << rank, opened)
    letters = dict(zip(sorted(held, key=lambda suit: held[suit], reverse=True), "abcd", strict=False))
    named = sorted((-rank, letters[suit]) for rank, suit in own)
    cards = " ".join(f"{RANKS[-rank]}{letter}" for rank, letter in named)
    return f"{cards}{_OPEN}{RANKS[up[0]]}{letters[up[1]]}"


@lru_cache(maxsize=65536)
def seen(text: str) -> tuple[tuple[Card, ...], Card]:
    """Returns the player's cards and the dealer's open one of a label.

    >>> seen("Aa Kb 8a 6c 4c / 8c")[1]
    (6, 2)
    """
    own, _, up = text.partition(_OPEN)
    return tuple(_card(one) for one in own.split(" ")), _card(up)


def _card(text: str) -> Card:
    return RANKS.index(text[:-1]), "abcd".index(text[-1])


def pattern_of(cards: Sequence[Card]) -> Pattern:
    """Returns the ranks of a hand in falling order, and whether all are of one suit."""
    return tuple(sorted((rank for rank, _ in cards), reverse=True)), len({suit for _, suit in cards}) == 1


@lru_cache(maxsize=8)
def patterns(deck: Deck) -> tuple[Pattern, ...]:
    """Returns every pattern of a hand of a deck, in the order of their keys."""
    ranks = sorted({rank for rank, _ in deck.cards}, reverse=True)
    found = []
    for held in combinations_with_replacement(ranks, HAND):
        if max(held.count(rank) for rank in held) <= deck.suits:
            suited = (False, True) if len(set(held)) == HAND else (False,)
            found += [(held, one) for one in suited]
    return tuple(sorted(found, key=key_of))


def key_of(pattern: Pattern) -> int:
    """Returns a number for a pattern, less than KEYS: four bits a rank from the highest, one bit for the suit."""
    ranks, suited = pattern
    key = 0
    for rank in ranks:
        key = key * 16 + rank
    return key * 2 + suited


KEYS: Final = 13 * 2 * 16**4
"""More than the key of any pattern."""
