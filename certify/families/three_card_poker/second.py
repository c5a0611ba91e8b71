"""Three card poker settled from its printed rules, apart from everything else here: the second text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

ORDER = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"]
Pays = Mapping[str, Mapping[str, Fraction]]


def settle(
    rules: Any, pays: Pays, draws: Sequence[str], decisions: Sequence[str]
) -> dict[str, tuple[str, Fraction]]:
    """Returns the outcome and the net result of every wager.

    Args:
        rules: The rules as submitted; ``lowest`` is the place in ORDER of the lowest high card that qualifies.
        pays: What the rows of each wager pay.
        draws: Names of the cards in the order drawn: the player's three, then the dealer's.
        decisions: ``play`` or ``fold``.

    Raises:
        ValueError: The rules ask for more or fewer cards or decisions.
    """
    player, dealer, (decision,) = draws[:3], draws[3:], decisions
    folded = decision == "fold"
    if len(player) != 3 or len(dealer) != (0 if folded and rules.fold_loses_all else 3):
        raise ValueError(f"{len(draws)} cards were drawn before or after the player decided to {decision}")
    ended = {}
    for wager, rows in pays.items():
        if wager == "ante-play":
            ended[wager] = ("fold", Fraction(-1)) if folded else _ante(rules.lowest, rows, player, dealer)
            continue
        names: Sequence[str] = ()
        if wager == "pair-plus":
            names = _names(player)
        elif dealer:
            fives = {name for five in combinations([*player, *dealer], 5) for name in _names(five)}
            best = "royal-flush straight-flush four-of-a-kind full-house flush straight three-of-a-kind"
            names = [row for row in best.split() if row in fives]
        lost = folded and rules.fold_loses_all
        row = next((row for row in names if row in rows and not lost), "lose")
        ended[wager] = row, rows.get(row, Fraction(-1))
    return ended


def _ante(
    lowest: int, rows: Mapping[str, Fraction], player: Sequence[str], dealer: Sequence[str]
) -> tuple[str, Fraction]:
    """Returns how ante and play end, and their net result in antes: one on the ante, one on the play, and the bonus."""
    mine, theirs = _worth(player), _worth(dealer)
    if theirs[0] == 0 and theirs[1][0] < lowest:
        end, net = "unqualified", rows.get("unqualified", Fraction(0))
    elif mine == theirs:
        end, net = "push", Fraction(0)
    else:
        end, net = ("win", 2 * rows["win"]) if mine > theirs else ("lose", Fraction(-2))
    bonus = [row for row in _names(player) if row in rows and row not in ("flush", "pair")]
    return (f"{bonus[0]}-{end}", net + rows[bonus[0]]) if bonus else (end, net)


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
