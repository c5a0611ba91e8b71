"""Settlement of baccarat written apart, from the printed rules: a row of cards in, the outcome of every wager out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

DRAWS = {  # The tableau as it hangs at a table: points of the player's third card on which the banker draws.
    0: "0123456789-", 1: "0123456789-", 2: "0123456789-", 3: "012345679-", 4: "234567-", 5: "4567-", 6: "67", 7: "",
}  # fmt: skip


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
    hands = [first[0::2], first[1::2]]
    natural = any(worth(hand) > 7 for hand in hands)
    if not natural:
        if worth(hands[0]) < 6:
            hands[0].append(next(cards))
        seen = str(worth(hands[0][2:])) if len(hands[0]) == 3 else "-"
        if seen in DRAWS[worth(hands[1])]:
            hands[1].append(next(cards))
    if list(cards) or decisions:
        raise ValueError("the round ended before all cards and decisions were used")
    ends = {wager: outcome(wager, hands[0], hands[1], natural, str(rules.banker_win_apart)) for wager in pays}
    return {wager: (end, pays[wager].get(end, Fraction(-1))) for wager, end in ends.items()}


def worth(hand: Sequence[str]) -> int:
    """Returns the last digit of the sum of a hand."""
    return sum("A23456789".find(card[0]) + 1 for card in hand) % 10


def outcome(wager: str, player: list[str], banker: list[str], natural: bool, apart: str) -> str:
    """Returns the outcome of a wager on two finished hands."""
    lead = worth(player) - worth(banker)
    pairs = [hand[0].split()[0] == hand[1].split()[0] for hand in (player, banker)]
    won = {
        "player": lead > 0, "tie": lead == 0, "player-pair": pairs[0], "banker-pair": pairs[1],
        "banker": lead < 0, "either-pair": any(pairs), "dragon-7": lead < 0 and (len(banker), worth(banker)) == (3, 7),
        "panda-8": lead > 0 and (len(player), worth(player)) == (3, 8),
    }  # fmt: skip
    if wager in ("player", "banker") and lead == 0:
        return "push"
    if wager == "banker" and lead < 0:
        if apart == "total of six" and worth(banker) == 6:
            return "win-on-six"
        if apart == "three-card seven" and won["dragon-7"]:
            return "win-on-three-card-seven"
    if wager == "perfect-pair":
        return ("lose", "one-perfect-pair", "two-perfect-pairs")[sum(h[0] == h[1] for h in (player, banker))]
    if wager.endswith("dragon-bonus"):
        lead = lead if wager.startswith("player") else -lead
        if natural:
            return "natural-win" if lead > 0 else "natural-tie" if lead == 0 else "lose"
        return (
            ("win-by-" + ["four", "five", "six", "seven", "eight", "nine"][lead - 4]) if lead >= 4 else "lose"
        )
    return "win" if won[wager] else "lose"
