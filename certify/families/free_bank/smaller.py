"""Smaller games of the same rules: nine cards, on which the engine walks every path of the reference round."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from certify.families.free_bank.rules import rules_of
from certify.model.equipment import shoe
from certify.model.game import Game

CARDS: Final = ("A", "3", "4", "5", "7", "7", "J", "Q", "K")
"""Ranks of cards with which a hand can be swapped, win, tie, exceed 7½, be 7½ in two cards or in more."""

WITH_SPLITS: Final = ("3", "4", "5", "7", "7", "J", "J", "Q", "K")
"""The same for games that split, with faces for four hands."""


def smaller(game: Game) -> Iterator[Game]:
    """Yields the game dealt from nine of its cards, the matta among them where it has one; one seat never empties them.

    Of several seats nothing is yielded: what is counted exactly is one seat against the bank.
    """
    rules = rules_of(game)
    if rules.seats > 1:
        return
    (deck,) = game.equipment
    kept: set[str] = set()
    for rank in CARDS if rules.hands == 1 else WITH_SPLITS:
        kept.add(next(card for suit in deck.suits if (card := f"{rank} of {suit}") not in kept))
    removed = [card for card in deck.faces if card not in kept]
    yield replace(game, equipment=(shoe(deck.id, deck.ranks, deck.suits, removed=removed),))
