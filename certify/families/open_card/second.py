"""Settlement of the games with an open dealer's card written apart, from the printed rules of US 5,632,489."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

KING = "K of diamonds"
HALF = Fraction(1, 2)
BEST = 7 + HALF


def settle(
    rules: Any, pays: Mapping[str, Mapping[str, Fraction]], draws: Sequence[str], decisions: Sequence[str]
) -> dict[str, tuple[str, Fraction]]:
    """Returns the outcome and the net result of the ante, its final bet included.

    Args:
        rules: The rules as submitted.
        pays: What the rows of the ante pay.
        draws: Names of the cards: the player's first, the dealer's open one, the player's others, the dealer's others.
        decisions: What the player decided, in order.

    Raises:
        ValueError: More or fewer cards or decisions than the rules ask for, or a decision that they do not allow.
    """
    cards, said = list(draws), list(decisions)
    (mine, theirs), cards = ([cards[0]], [cards[1]]), cards[2:]
    final = 0
    if mine[0] == KING or theirs[0] == KING:
        end = "king-of-diamonds" if mine[0] == KING else "dealer-king-of-diamonds"
    else:
        move = ""
        while move not in ("stand", "fold") and worth(mine) < BEST and len(mine) < rules.player_maximum_cards:
            move, *placed = said.pop(0).split("-")
            opening = len(mine) == 1
            if opening and rules.final_bets and move != "fold":
                final = int(placed[0])
            if (
                (move == "fold" and not (opening and rules.final_bets))
                or (move == "stand" and opening and not rules.player_may_stand_on_first_card)
                or (final and final not in rules.final_bets)
                or move not in ("fold", "stand", "hit")
            ):
                raise ValueError(f"the player may not {move} on {', '.join(mine)}")
            if move == "hit":
                mine.append(cards.pop(0))
        if move == "fold" or worth(mine) > BEST:
            end = "fold" if move == "fold" else "bust"
        else:
            while len(theirs) < rules.dealer_maximum_cards and (
                worth(theirs) * 2 < rules.dealer_stands_on or (rules.dealer_always_draws and len(theirs) == 1)
            ):
                theirs.append(cards.pop(0))
            ahead = worth(mine) - worth(theirs)
            end = "win" if worth(theirs) > BEST or ahead > 0 else "lose" if ahead else "push"
    if cards or said:
        raise ValueError("the round ended before all cards and decisions were used")
    (wager,) = pays
    staked = 1 + final
    lost = Fraction(final if end == "push" and rules.tie == "ante-returned" else staked)
    paid = end in ("king-of-diamonds", "win") or (end == "push" and rules.tie == "push")
    net = staked * pays[wager].get(end, Fraction(0 if end == "push" else -1)) if paid else -lost
    return {wager: (f"{end}-final-{final}" if final and end != "fold" else end, net)}


def worth(hand: Sequence[str]) -> Fraction:
    """Returns what cards count in points: their number, an ace one, a face card a half."""
    return sum(
        (Fraction(" A234567".find(card[0])) if card[0] not in "JQK" else HALF for card in hand), Fraction(0)
    )
