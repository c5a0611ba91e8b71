"""Settlement of baccarat written apart, from the printed rules: a row of cards in, the outcome of every wager out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

DRAWS = {  # The tableau as it hangs at a table: points of the player's third card on which the banker draws.
    0: "0123456789-", 1: "0123456789-", 2: "0123456789-", 3: "012345679-", 4: "234567-", 5: "4567-", 6: "67", 7: "",
}  # fmt: skip
LOST = Fraction(-1)


def settle(
    rules: Any, pays: Mapping[str, Mapping[str, Fraction]], draws: Sequence[str], decisions: Sequence[str]
) -> dict[str, tuple[str, Fraction]]:
    """Returns the outcome and the net result of every wager.

    Args:
        rules: The rules as submitted; only ``banker_win_apart`` is read.
        pays: What the rows of each wager pay.
        draws: Names of the cards in the order dealt: player, banker, player, banker, then the third cards.
        decisions: None are made.

    Raises:
        ValueError: More or fewer cards than the tableau asks for.
    """
    cards = iter(draws)
    first = [next(cards) for _ in range(4)]
    player, banker = first[0::2], first[1::2]
    natural = max(worth(player), worth(banker)) > 7
    if not natural:
        if worth(player) < 6:
            player.append(next(cards))
        seen = str(worth(player[2:])) if len(player) == 3 else "-"
        if seen in DRAWS[worth(banker)]:
            banker.append(next(cards))
    if list(cards) or decisions:
        raise ValueError("the round ended before all cards and decisions were used")
    ends = outcomes(player, banker, natural, rules.banker_win_apart)
    return {wager: (ends[wager], rows.get(ends[wager], LOST)) for wager, rows in pays.items()}


def worth(hand: Sequence[str]) -> int:
    """Returns the last digit of the sum of a hand."""
    return sum(["A23456789".find(card[0]) + 1 for card in hand]) % 10


def outcomes(player: list[str], banker: list[str], natural: bool, apart: str) -> dict[str, str]:
    """Returns the outcome of every wager on two finished hands."""
    total, against = worth(player), worth(banker)
    lead = total - against
    pairs = [hand[0].split()[0] == hand[1].split()[0] for hand in (player, banker)]
    won = {
        "player": lead > 0, "tie": lead == 0, "banker": lead < 0,
        "player-pair": pairs[0], "banker-pair": pairs[1], "either-pair": any(pairs),
        "dragon-7": lead < 0 and (len(banker), against) == (3, 7),
        "panda-8": lead > 0 and (len(player), total) == (3, 8),
    }  # fmt: skip
    ends = {wager: "win" if wins else "lose" for wager, wins in won.items()}
    if lead == 0:
        ends["player"] = ends["banker"] = "push"
    if lead < 0 and against == 6 and apart == "total of six":
        ends["banker"] = "win-on-six"
    if won["dragon-7"] and apart == "three-card seven":
        ends["banker"] = "win-on-three-card-seven"
    perfect = sum(hand[0] == hand[1] for hand in (player, banker))
    ends["perfect-pair"] = ("lose", "one-perfect-pair", "two-perfect-pairs")[perfect]
    ends["player-dragon-bonus"], ends["banker-dragon-bonus"] = bonus(lead, natural), bonus(-lead, natural)
    return ends


def bonus(lead: int, natural: bool) -> str:
    """Returns the outcome of the dragon bonus on a hand that leads by so much."""
    if natural:
        return "natural-win" if lead > 0 else "natural-tie" if lead == 0 else "lose"
    return "win-by-" + ("four", "five", "six", "seven", "eight", "nine")[lead - 4] if lead >= 4 else "lose"
