"""Settlement of baccarat by the play-through's own account: from the code of an end to the outcome of a wager."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

import numpy as np
from numpy.typing import NDArray

from certify.families.baccarat.rules import BaccaratRules, BankerWinApart
from certify.model.equipment import Equipment
from certify.model.paytable import Paytable

ENDS: Final = 10 * 10 * 2 * 2 * 3 * 3
"""Codes of the ends of a round: totals, third cards, and how the first two cards pair."""

INDEPENDENT: Final = (
    "points, pairs and the tableau: volume.settlement",
    "outcomes and pays of all wagers: volume.settlement",
    "play: volume.kernel and its twin volume.twin",
)
"""What the play-through does by itself, in modules of the family's folder; printed in the evidence."""

DRAWS: Final = (
    # Points of the player's third card: 0 1 2 3 4 5 6 7 8 9, and none.
    (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1),
    (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1),
    (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1),
    (1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1),
    (0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 1),
    (0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 1),
    (0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0),
    (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
)
"""Whether the banker draws, by the total of two cards; the tableau as it hangs at a table."""

NO_THIRD: Final = 10

_MARGIN_NAMES: Final = ("four", "five", "six", "seven", "eight", "nine")


def tables_of(shoe: Equipment) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Returns points, rank and face of every card of a shoe, int64[cards] each."""
    ranks = [shoe.faces[face].split(" of ")[0] for face in shoe.shows]
    known = sorted(set(ranks))
    worth = [1 if rank == "A" else int(rank) % 10 if rank.isdigit() else 0 for rank in ranks]
    return (
        np.array(worth, dtype=np.int64),
        np.array([known.index(rank) for rank in ranks], dtype=np.int64),
        np.array(shoe.shows, dtype=np.int64),
    )


def code_of(player: int, banker: int, third: int, fourth: int, own: int, other: int) -> int:
    """Returns the code of an end.

    Args:
        player: The player's total.
        banker: The banker's total.
        third: 1 where the player drew.
        fourth: 1 where the banker drew.
        own: 0, 1 or 2: the player's first cards do not pair, pair, or are the same card of two decks.
        other: The same of the banker.

    >>> code_of(9, 9, 1, 1, 2, 2) + 1 == ENDS
    True
    """
    return ((((player * 10 + banker) * 2 + third) * 2 + fourth) * 3 + own) * 3 + other


def outcomes_of(wager: str, rules: BaccaratRules) -> tuple[str, ...]:
    """Returns every outcome of a wager, in the order of their counts."""
    if wager in ("player", "banker"):
        apart = {
            BankerWinApart.NONE: (),
            BankerWinApart.SIX: ("win-on-six",),
            BankerWinApart.THREE_CARD_SEVEN: ("win-on-three-card-seven",),
        }[rules.banker_win_apart]
        return ("win", *(apart if wager == "banker" else ()), "push", "lose")
    if wager == "perfect-pair":
        return ("two-perfect-pairs", "one-perfect-pair", "lose")
    if wager.endswith("dragon-bonus"):
        return ("natural-win", "natural-tie", *(f"win-by-{name}" for name in _MARGIN_NAMES), "lose")
    return ("win", "lose")


def settled(code: int, wager: str, rules: BaccaratRules) -> str:
    """Returns the outcome of a wager at the end of a code."""
    code, other = divmod(code, 3)
    code, own = divmod(code, 3)
    code, fourth = divmod(code, 2)
    code, third = divmod(code, 2)
    player, banker = divmod(code, 10)
    ahead = player - banker
    match wager:
        case "player":
            return "win" if ahead > 0 else "lose" if ahead else "push"
        case "banker" if ahead < 0:
            special = rules.banker_win_apart
            if special is BankerWinApart.SIX and banker == 6:
                return "win-on-six"
            if special is BankerWinApart.THREE_CARD_SEVEN and banker == 7 and fourth:
                return "win-on-three-card-seven"
            return "win"
        case "banker":
            return "lose" if ahead else "push"
        case "tie":
            won = ahead == 0
        case "dragon-7":
            won = ahead < 0 and fourth == 1 and banker == 7
        case "panda-8":
            won = ahead > 0 and third == 1 and player == 8
        case "player-pair":
            won = own > 0
        case "banker-pair":
            won = other > 0
        case "either-pair":
            won = own + other > 0
        case "perfect-pair":
            return ("lose", "one-perfect-pair", "two-perfect-pairs")[(own == 2) + (other == 2)]
        case "player-dragon-bonus":
            return _bonus(ahead, third + fourth == 0 and max(player, banker) >= 8)
        case _:
            return _bonus(-ahead, third + fourth == 0 and max(player, banker) >= 8)
    return "win" if won else "lose"


def _bonus(ahead: int, natural: bool) -> str:
    if natural:
        return "natural-win" if ahead > 0 else "lose" if ahead else "natural-tie"
    return f"win-by-{_MARGIN_NAMES[ahead - 4]}" if ahead >= 4 else "lose"


def net_of(outcome: str, paytable: Paytable) -> Fraction:
    """Returns the net result of an outcome: what its row pays, else the stake is lost."""
    pays = {row.id: row.pays for row in paytable.rows}
    return Fraction(-1) if outcome == "lose" else pays.get(outcome, Fraction(-1))
