"""Outcomes by code, and a strategy as one small array."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from certify.families.caribbean_stud import rules as ids
from certify.families.caribbean_stud.cards import KEYS, deck_of, key_of, label, patterns
from certify.families.caribbean_stud.rules import rules_of
from certify.families.caribbean_stud.strategy import cells_of
from certify.families.french_deck.deck import Deck
from certify.model.game import Game
from certify.model.paytable import Paytable
from certify.model.strategy import Strategy

KINDS: Final = ("high", "pair", *reversed(ids.HANDS))
"""Kinds of five cards by code."""

UNQUALIFIED, TIE, LOSE, FOLD = range(4)
"""Ends that do not hang on the player's hand, by their place among the codes of the ante; wins by kind follow."""

_LEAST: Final = {ids.ANY: 0, ids.ACE: 12 << 16, ids.ACE_KING: 12 << 16 | 11 << 12, ids.PAIR: 1 << 20}
"""Worth of the lowest hand with which a dealer qualifies, as the kernel counts it."""


@dataclass(frozen=True)
class Tables:
    """What the play-through needs of strategy, rules and paytables.

    Args:
        ranks: Rank of the card of each item.
        suits: Suit of the card of each item.
        deck: The cards.
        places: int16[KEYS]: place of each pattern of a hand by its key, -1 for none.
        cells: uint8: folded, raised or decided by suits, thirteen open ranks for each pattern.
        strategy: Decides where suits do.
        least: Worth of the lowest hand with which a dealer qualifies.
        loses_all: Whether a fold loses every bet.
        columns: Column of the ante, of the progressive bet and of the bonus on six cards; -1 where there is none.
        codes: Code of each end and winning kind of the ante; of each kind of five cards; of each of six.
        axes: Wagers with their outcomes in the order of their codes.
    """

    ranks: NDArray[np.int64]
    suits: NDArray[np.int64]
    deck: Deck
    places: NDArray[np.int16]
    cells: NDArray[np.uint8]
    strategy: Strategy
    least: int
    loses_all: bool
    columns: NDArray[np.int64]
    codes: tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint8]]
    axes: tuple[tuple[str, tuple[str, ...]], ...]


def compiled(game: Game, strategy: Strategy) -> Tables:
    """Returns strategy, rules and paytables as arrays."""
    deck, rules, wagers = deck_of(game), rules_of(game), {wager.id: wager.paytable for wager in game.wagers}
    named = {wager: names_of(wager, paytable) for wager, paytable in wagers.items()}
    axes = tuple((wager, tuple(dict.fromkeys(names))) for wager, names in named.items())
    outcomes = dict(axes)
    codes = tuple(
        np.array([outcomes[wager].index(name) for name in named.get(wager, ())], dtype=np.uint8)
        for wager in ids.WAGER_IDS
    )
    columns = [list(wagers).index(wager) if wager in wagers else -1 for wager in ids.WAGER_IDS]
    ranks, suits = zip(*deck.cards, strict=True)
    return Tables(
        ranks=np.array(ranks, dtype=np.int64),
        suits=np.array(suits, dtype=np.int64),
        deck=deck,
        places=_places(deck),
        cells=np.frombuffer(cells_of(deck, strategy), dtype=np.uint8),
        strategy=strategy,
        least=_LEAST[rules.lowest],
        loses_all=rules.fold_loses_all,
        columns=np.array(columns, dtype=np.int64),
        codes=(codes[0], codes[1], codes[2]),
        axes=axes,
    )


def names_of(wager: str, paytable: Paytable) -> list[str]:
    """Returns the outcomes of a wager in the order of the kinds; of the ante the ends without a win come first."""
    rows = [paid_as(kind, paytable) for kind in KINDS]
    if wager != ids.ANTE:
        return [row or ids.LOSE for row in rows]
    return [ids.UNQUALIFIED, ids.TIE, ids.LOSE, ids.FOLD, *(row or ids.WIN for row in rows)]


def paid_as(kind: str, paytable: Paytable) -> str:
    """Returns the row of a kind: a royal flush is a straight flush where it has no row; empty where it has none."""
    if kind == ids.ROYAL and kind not in paytable.ids:
        kind = ids.STRAIGHT_FLUSH
    return kind if kind in paytable.ids else ""


def raises(tables: Tables, row: list[int]) -> bool:
    """Returns whether the strategy raises the hand of a row, by what the player sees."""
    own, up = [tables.deck.cards[face] for face in row[:5]], tables.deck.cards[row[5]]
    return tables.strategy.choose(label(own, up), ids.OPTIONS) == ids.RAISE


@lru_cache(maxsize=4)
def _places(deck: Deck) -> NDArray[np.int16]:
    found = np.full(KEYS, -1, dtype=np.int16)
    for place, pattern in enumerate(patterns(deck)):
        found[key_of(pattern)] = place
    return found
