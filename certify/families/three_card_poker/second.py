"""Three card poker settled from its printed rules, apart from everything else here: the second text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

ORDER = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"]
QUALIFIES = {"any hand": "2", "jack high": "J", "queen high": "Q", "king high": "K", "ace high": "A"}


def settle(printed: Mapping[str, Any], draws: Sequence[str], decisions: Sequence[str]) -> dict[str, str]:
    """Returns the outcome of every wager.

    Args:
        printed: The rules by id in the words of the submission, and the rows of each wager's paytable.
        draws: Names of the cards in the order drawn: the player's three, then the dealer's.
        decisions: ``play`` or ``fold``.
    """
    player, dealer = draws[:3], draws[3:6]
    ended = {}
    for wager in (name for name, rows in printed.items() if not isinstance(rows, str)):
        rows = printed[wager]
        if wager == "ante-play":
            ended[wager] = _ante(printed, player, dealer) if decisions[0] == "play" else "fold"
        elif decisions[0] == "fold" and printed["side-bets-after-fold"] == "lost":
            ended[wager] = "lose"
        elif wager == "pair-plus":
            ended[wager] = next((row for row in _names(player) if row in rows), "lose")
        else:
            fives = {name for five in combinations([*player, *dealer], 5) for name in _names(five)}
            best = "royal-flush straight-flush four-of-a-kind full-house flush straight three-of-a-kind"
            ended[wager] = next((row for row in best.split() if row in fives and row in rows), "lose")
    return ended


def _ante(printed: Mapping[str, Any], player: Sequence[str], dealer: Sequence[str]) -> str:
    mine, theirs = _worth(player), _worth(dealer)
    if theirs[0] == 0 and theirs[1][0] < ORDER.index(QUALIFIES[printed["dealer-qualifies"]]):
        end = "unqualified"
    else:
        end = "win" if mine > theirs else "push" if mine == theirs else "lose"
    paid = [row for row in _names(player) if row in printed["ante-play"] and row not in ("flush", "pair")]
    return f"{paid[0]}-{end}" if paid else end


def _names(cards: Sequence[str]) -> list[str]:
    """Returns what three or five cards are, the highest name first."""
    ranks = [card.split(" of ")[0] for card in cards]
    same = sorted((ranks.count(rank) for rank in set(ranks)), reverse=True)
    flush = len({card.split(" of ")[1] for card in cards}) == 1
    inner = sorted(map(ORDER.index, ranks))
    straight = len(same) == len(cards) and (
        inner[-1] - inner[0] == len(cards) - 1 or inner == [*range(len(cards) - 1), 12]
    )
    royal = straight and flush and inner[-2:] == [11, 12]
    return [
        name
        for name, holds in (
            ("mini-royal" if len(cards) == 3 else "royal-flush", royal),
            ("straight-flush", straight and flush),
            ("four-of-a-kind", same[0] == 4),
            ("full-house", same == [3, 2]),
            ("three-of-a-kind", same[0] == 3),
            ("flush", flush),
            ("straight", straight),
            ("pair", same[0] == 2),
        )
        if holds
    ]


def _worth(cards: Sequence[str]) -> tuple[int, list[int]]:
    """Returns the place of three cards in the ranking, and the ranks that decide between equal places."""
    ranking = ["pair", "flush", "straight", "three-of-a-kind", "straight-flush"]
    name = next((name for name in _names(cards) if name in ranking), "")
    ranks = [ORDER.index(card.split(" of ")[0]) for card in cards]
    if "straight" in name and sorted(ranks) == [0, 1, 12]:
        ranks = [-1, 0, 1]
    by_count = sorted(ranks, key=lambda rank: (ranks.count(rank), rank), reverse=True)
    return (ranking.index(name) + 1 if name else 0), by_count
