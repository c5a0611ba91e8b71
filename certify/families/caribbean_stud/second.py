"""Caribbean stud settled from its printed rules, apart from everything else here: the second implementation."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

ORDER = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"]
RANKING = [
    *("high", "pair", "two-pair", "three-of-a-kind", "straight"),
    *("flush", "full-house", "four-of-a-kind", "straight-flush", "royal-flush"),
]


Pays = Mapping[str, Mapping[str, Fraction]]


def settle(
    rules: Any, pays: Pays, draws: Sequence[str], decisions: Sequence[str]
) -> dict[str, tuple[str, Fraction]]:
    """Returns the outcome and the net result of every wager.

    Args:
        rules: The rules as submitted: ``lowest``, the words of the lowest hand that qualifies, ``antes``, what a raise
            adds, and ``fold_loses_all``.
        pays: What the rows of each wager pay.
        draws: Names of the cards in the order drawn: the player's five, the dealer's open one, the dealer's others.
        decisions: ``raise`` or ``fold``.

    Raises:
        ValueError: The rules ask for more or fewer cards or decisions.
    """
    player, dealer, (decision,) = draws[:5], draws[5:], decisions
    raised = decision == "raise"
    if len(dealer) != (5 if raised else 1):
        raise ValueError(f"{len(draws)} cards were drawn before or after the player decided to {decision}")
    ended = {}
    for wager, rows in pays.items():
        if wager == "ante-raise":
            ended[wager] = _raise(rules, rows, player, dealer) if raised else ("fold", Fraction(-1))
            continue
        best = _worth(player)
        if wager == "five-plus-one":
            best = max(_worth(five) for five in combinations([*player, dealer[0]], 5))
        row = (_paid(best[0], rows) if raised or not rules.fold_loses_all else "") or "lose"
        ended[wager] = row, rows.get(row, Fraction(-1))
    return ended


def _raise(
    rules: Any, rows: Mapping[str, Fraction], player: Sequence[str], dealer: Sequence[str]
) -> tuple[str, Fraction]:
    """Returns how ante and raise end, and their net result in antes."""
    mine, theirs = _worth(player), _worth(dealer)
    needs = {"any hand": [], "ace high": ["A"], "ace king high": ["A", "K"]}.get(rules.lowest, ["pair"])
    high = [ORDER[rank] for rank in theirs[1][: len(needs)]]
    if theirs[0] == 0 and high != needs:
        return "unqualified", rows.get("unqualified", Fraction(1))
    if mine == theirs:
        return "push", Fraction(0)
    if mine < theirs:
        return "lose", Fraction(-1 - rules.antes)
    row = _paid(mine[0], rows) or "win"
    return row, 1 + rules.antes * rows[row]


def _paid(place: int, rows: Mapping[str, Fraction]) -> str:
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
