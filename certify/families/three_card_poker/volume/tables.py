"""Outcomes by code, and a strategy as one small array."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import comb
from typing import Final

import numpy as np
from numpy.typing import NDArray

from certify.families.french_deck.deck import Deck
from certify.families.three_card_poker import rules as ids
from certify.families.three_card_poker.cards import HAND, deck_of, label
from certify.families.three_card_poker.rules import rules_of
from certify.model.game import Game
from certify.model.paytable import Paytable
from certify.model.strategy import Strategy

KINDS: Final = ("high", ids.PAIR, ids.FLUSH, ids.STRAIGHT, ids.THREE, ids.STRAIGHT_FLUSH, ids.MINI_ROYAL)
"""Kinds of three cards by code."""

SIX_KINDS: Final = (ids.LOSE, *reversed(ids.SIX_HANDS))
"""Kinds of the best five of six cards by code."""

ENDS: Final = (ids.UNQUALIFIED, ids.WIN, ids.TIE, ids.LOSE)
"""Ends of a hand that is played, by code."""

FOLDED: Final = len(KINDS) * len(ENDS)
"""Place of a fold among the codes of the ante."""


@dataclass(frozen=True)
class Tables:
    """What the play-through needs of strategy, rules and paytables.

    Args:
        ranks: Rank of the card of each item.
        suits: Suit of the card of each item.
        played: uint8[hands], 1 where a hand is played, by the number of the hand.
        lowest: Rank with which a dealer without a pair or better qualifies.
        loses_all: Whether a fold loses every bet.
        columns: Column of the ante, of pair plus and of the bonus on six cards; -1 where there is none.
        codes: Code of each kind and end of the ante, then of a fold; of each kind of three cards; of each of six.
        axes: Wagers with their outcomes in the order of their codes.
    """

    ranks: NDArray[np.int64]
    suits: NDArray[np.int64]
    played: NDArray[np.uint8]
    lowest: int
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
        played=_played(deck, strategy),
        lowest=rules.lowest,
        loses_all=rules.fold_loses_all,
        columns=np.array(columns, dtype=np.int64),
        codes=(codes[0], codes[1], codes[2]),
        axes=axes,
    )


def names_of(wager: str, paytable: Paytable) -> list[str]:
    """Returns the outcomes of a wager in the order of the kinds; of the ante by kind and end, then the fold."""
    if wager == ids.SIX_CARDS:
        return [*SIX_KINDS]
    if wager == ids.PAIR_PLUS:
        return [paid_as(kind, paytable) or ids.LOSE for kind in KINDS]
    names = []
    for kind in KINDS:
        bonus = paid_as(kind, paytable) if kind in ids.BONUSES else ""
        names += [f"{bonus}-{end}" if bonus else end for end in ENDS]
    return [*names, ids.FOLD]


def paid_as(kind: str, paytable: Paytable) -> str:
    """Returns the row of a kind: a mini royal is a straight flush where it has no row; empty where it has none."""
    if kind == ids.MINI_ROYAL and kind not in paytable.ids:
        kind = ids.STRAIGHT_FLUSH
    return kind if kind in paytable.ids else ""


def _played(deck: Deck, strategy: Strategy) -> NDArray[np.uint8]:
    found = np.zeros(comb(deck.size, HAND), dtype=np.uint8)
    chosen: dict[str, bool] = {}
    for number, called in labels(deck):
        if called not in chosen:
            chosen[called] = strategy.choose(called, ids.OPTIONS) == ids.PLAY
        found[number] = chosen[called]
    return found


@lru_cache(maxsize=4)
def labels(deck: Deck) -> tuple[tuple[int, str], ...]:
    """Returns the number and the label of every hand."""
    hands = combinations(range(deck.size), HAND)
    return tuple((comb(a, 1) + comb(b, 2) + comb(c, 3), label(deck.of((a, b, c)))) for a, b, c in hands)
