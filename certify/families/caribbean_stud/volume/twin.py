"""The kernel's twin in plain Python: outcomes by name, hand by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certify.families.caribbean_stud import rules as ids
from certify.families.caribbean_stud.cards import DEALT, HAND, deck_of, label
from certify.families.caribbean_stud.rules import rules_of
from certify.families.caribbean_stud.volume.tables import KINDS, paid_as
from certify.families.french_deck.deck import Card, Deck
from certify.model.game import Game
from certify.model.strategy import Strategy

SHAPES = [(1, 1, 1, 1, 1), (2, 1, 1, 1), (2, 2, 1), (3, 1, 1), (), (), (3, 2), (4, 1)]
RUNS = [{12, 0, 1, 2, 3}, *({*range(low, low + 5)} for low in range(9))]


def play(
    rows: NDArray[Any], game: Game, strategy: Strategy, axes: Sequence[tuple[str, tuple[str, ...]]]
) -> NDArray[np.uint8]:
    """Returns the code of every wager for every deck, uint8[decks, wagers]."""
    deck = deck_of(game)
    ended = [play_one(row, game, strategy, deck) for row in rows.tolist()]
    codes = [[outcomes.index(one[wager]) for wager, outcomes in axes] for one in ended]
    return np.array(codes, dtype=np.uint8).reshape(-1, len(axes))


def play_one(row: Sequence[int], game: Game, strategy: Strategy, deck: Deck) -> dict[str, str]:
    """Returns how every wager of one deck ends, by wager."""
    cards = [deck.cards[face] for face in row[:DEALT]]
    own, other = cards[:HAND], cards[HAND:]
    raised = strategy.choose(label(own, other[0]), ids.OPTIONS) == ids.RAISE
    ended = {}
    for wager in game.wagers:
        if wager.id == ids.ANTE:
            end = against(own, other, rules_of(game).lowest) if raised else ids.FOLD
            ended[wager.id] = (paid_as(kind_of(own), wager.paytable) or end) if end == "win" else end
        elif not raised and rules_of(game).fold_loses_all:
            ended[wager.id] = ids.LOSE
        elif wager.id == ids.PROGRESSIVE:
            ended[wager.id] = paid_as(kind_of(own), wager.paytable) or ids.LOSE
        else:
            best = max(combinations(cards[: HAND + 1], HAND), key=worth)
            ended[wager.id] = paid_as(kind_of(best), wager.paytable) or ids.LOSE
    return ended


def against(own: Sequence[Card], other: Sequence[Card], lowest: str) -> str:
    """Returns how a hand that is raised ends against the dealer's."""
    kind, ranks = worth(other)
    needed = {"any hand": [], "ace high": [12], "ace king high": [12, 11], "pair": [13]}[lowest]
    if kind == 0 and ranks < needed:
        return "unqualified"
    if worth(own) == (kind, ranks):
        return "push"
    return "win" if worth(own) > (kind, ranks) else "lose"


def worth(cards: Sequence[Card]) -> tuple[int, list[int]]:
    """Returns kind and ranks of five cards, the greater the stronger."""
    counts = Counter(rank for rank, _ in cards)
    ranks = [rank for rank, _ in sorted(counts.items(), key=lambda held: (held[1], held[0]), reverse=True)]
    one_suit = len({suit for _, suit in cards}) == 1
    if set(ranks) in RUNS:
        top = 3 if set(ranks) == RUNS[0] else ranks[0]
        return ((9 if top == 12 else 8) if one_suit else 4), [top]
    if one_suit:
        return 5, ranks
    return SHAPES.index(tuple(sorted(counts.values(), reverse=True))), ranks


def kind_of(cards: Sequence[Card]) -> str:
    """Returns the kind of five cards."""
    return KINDS[worth(cards)[0]]
