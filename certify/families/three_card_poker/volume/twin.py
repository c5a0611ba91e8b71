"""The kernel's twin in plain Python: outcomes by name, hand by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certify.families.french_deck.deck import Card, Deck
from certify.families.three_card_poker import rules as ids
from certify.families.three_card_poker.cards import HAND, deck_of, label
from certify.families.three_card_poker.rules import rules_of
from certify.families.three_card_poker.volume.tables import paid_as
from certify.model.game import Game
from certify.model.strategy import Strategy

RUNS = [{12, *range(4)}, *({*range(low, low + 5)} for low in range(9))]


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
    cards = [deck.cards[face] for face in row[: 2 * HAND]]
    own, other = cards[:HAND], cards[HAND:]
    plays = strategy.choose(label(deck.of(row[:HAND])), ids.OPTIONS) == ids.PLAY
    ended = {}
    for wager in game.wagers:
        if wager.id == ids.ANTE:
            ended[wager.id] = ids.FOLD
            if plays:
                bonus = paid_as(kind_of(own), wager.paytable) if kind_of(own) in ids.BONUSES else ""
                end = against(own, other, rules_of(game).lowest)
                ended[wager.id] = f"{bonus}-{end}" if bonus else end
        elif not plays and rules_of(game).fold_loses_all:
            ended[wager.id] = ids.LOSE
        elif wager.id == ids.PAIR_PLUS:
            ended[wager.id] = paid_as(kind_of(own), wager.paytable) or ids.LOSE
        else:
            ended[wager.id] = best_five(cards)
    return ended


def against(own: Sequence[Card], other: Sequence[Card], lowest: int) -> str:
    """Returns how a hand that is played ends against the dealer's."""
    kind, ranks = worth(other)
    if kind == 0 and max(ranks) < lowest:
        return "unqualified"
    if worth(own) == (kind, ranks):
        return "push"
    return "win" if worth(own) > (kind, ranks) else "lose"


def worth(cards: Sequence[Card]) -> tuple[int, list[int]]:
    """Returns kind and ranks of three cards, the greater the stronger."""
    ranks = sorted((rank for rank, _ in cards), reverse=True)
    one_suit = len({suit for _, suit in cards}) == 1
    if ranks[0] == ranks[2]:
        return 4, ranks[:1]
    if ranks[1] in {ranks[0], ranks[2]}:
        return 1, [ranks[1], ranks[0] + ranks[2] - ranks[1]]
    if ranks == [12, 1, 0]:
        return (5 if one_suit else 3), [1]
    if ranks[0] - ranks[2] == 2:
        return (5 if one_suit else 3), ranks[:1]
    return (2 if one_suit else 0), ranks


def kind_of(cards: Sequence[Card]) -> str:
    """Returns the kind of three cards."""
    kind, ranks = worth(cards)
    if kind == 5 and ranks == [12]:
        return "mini-royal"
    return ("high", "pair", "flush", "straight", "three-of-a-kind", "straight-flush")[kind]


def best_five(cards: Sequence[Card]) -> str:
    """Returns the best five of six cards."""
    counts = sorted(Counter(rank for rank, _ in cards).values(), reverse=True)
    suit, most = Counter(suit for _, suit in cards).most_common(1)[0]
    suited = {rank for rank, of in cards if of == suit}
    if most >= 5 and suited >= RUNS[-1]:
        return "royal-flush"
    if most >= 5 and any(suited >= run for run in RUNS):
        return "straight-flush"
    if counts[0] == 4:
        return "four-of-a-kind"
    if counts[0] == 3 and counts[1] >= 2:
        return "full-house"
    if most >= 5:
        return "flush"
    if any({rank for rank, _ in cards} >= run for run in RUNS):
        return "straight"
    return "three-of-a-kind" if counts[0] == 3 else "lose"
