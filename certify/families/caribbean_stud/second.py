"""Caribbean stud settled from its printed rules, apart from everything else here: the second text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

ORDER = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"]
RANKING = [
    *("high", "pair", "two-pair", "three-of-a-kind", "straight"),
    *("flush", "full-house", "four-of-a-kind", "straight-flush", "royal-flush"),
]


def settle(printed: Mapping[str, Any], draws: Sequence[str], decisions: Sequence[str]) -> dict[str, str]:
    """Returns the outcome of every wager.

    Args:
        printed: The rules by id in the words of the submission, and the rows of each wager's paytable.
        draws: Names of the cards in the order drawn: the player's five, the dealer's open one, the dealer's others.
        decisions: ``raise`` or ``fold``.
    """
    player, dealer = draws[:5], draws[5:10]
    raised = decisions[0] == "raise"
    ended = {}
    for wager in (name for name, rows in printed.items() if not isinstance(rows, str)):
        rows = printed[wager]
        if wager == "ante-raise":
            ended[wager] = _raise(printed, player, dealer) if raised else "fold"
        elif not raised and printed["side-bets-after-fold"] == "lost":
            ended[wager] = "lose"
        elif wager == "progressive":
            ended[wager] = _paid(_worth(player)[0], rows) or "lose"
        else:
            best = max(_worth(five) for five in combinations([*player, dealer[0]], 5))
            ended[wager] = _paid(best[0], rows) or "lose"
    return ended


def _raise(printed: Mapping[str, Any], player: Sequence[str], dealer: Sequence[str]) -> str:
    mine, theirs = _worth(player), _worth(dealer)
    needs = {"any hand": [], "ace high": ["A"], "ace king high": ["A", "K"]}.get(
        printed["dealer-qualifies"], ["pair"]
    )
    high = [ORDER[rank] for rank in theirs[1][: len(needs)]]
    if theirs[0] == 0 and high != needs:
        return "unqualified"
    if mine == theirs:
        return "push"
    return (_paid(mine[0], printed["ante-raise"]) or "win") if mine > theirs else "lose"


def _paid(place: int, rows: Sequence[str]) -> str:
    """Returns the row that pays a hand, empty if none; a royal flush without one is a straight flush."""
    name = RANKING[place]
    name = "straight-flush" if name == "royal-flush" and name not in rows else name
    return name if name in rows else ""


def _worth(cards: Sequence[str]) -> tuple[int, list[int]]:
    """Returns the place of five cards in the ranking, and the ranks that decide between equal places."""
    ranks = sorted(ORDER.index(card.split(" of ")[0]) for card in cards)
    flush = len({card.split(" of ")[1] for card in cards}) == 1
    if ranks == [0, 1, 2, 3, 12]:
        ranks = [-1, 0, 1, 2, 3]
    by_rank = sorted(set(ranks), key=lambda rank: (ranks.count(rank), rank), reverse=True)
    straight = len(by_rank) == 5 and ranks[4] - ranks[0] == 4
    same = [ranks.count(rank) for rank in by_rank]
    if straight and flush:
        name = "royal-flush" if ranks[0] == ORDER.index("10") else "straight-flush"
    elif same[0] == 4:
        name = "four-of-a-kind"
    elif same == [3, 2]:
        name = "full-house"
    elif flush or straight:
        name = "flush" if flush else "straight"
    else:
        name = {3: "three-of-a-kind", 2: "pair", 1: "high"}[same[0]]
        name = "two-pair" if same[:2] == [2, 2] else name
    return RANKING.index(name), by_rank
