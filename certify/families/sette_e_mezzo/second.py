"""Settlement of 7 e Mezzo written apart, from the printed rules of the three wagers."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

KING = "K of Denari"
RANKS = "A234567JQK"
FACES = "JQK"
# Cards are counted in half points: a face one, an ace two, a seven fourteen; seven and a half are fifteen.
COUNTS = {rank: 1 if rank in FACES else 2 * number for number, rank in enumerate(RANKS, 1)}
AS_KING = (1, 2, 4, 6, 8, 10, 12, 14)
BEST = 15


def settle(
    rules: Any, pays: Mapping[str, Mapping[str, Fraction]], draws: Sequence[str], decisions: Sequence[str]
) -> dict[str, tuple[str, Fraction]]:
    """Returns the outcome and the net result of all three wagers.

    Args:
        rules: The rules as submitted.
        pays: What the rows of each wager pay.
        draws: Names of the cards: the player's first, the dealer's first, the player's others, the dealer's others.
        decisions: What the player decided, in order.

    Raises:
        ValueError: More or fewer cards or decisions than the rules ask for, or a decision that they do not know.
    """
    cards, said = list(draws), list(decisions)
    mine, theirs = [cards.pop(0)], [cards.pop(0)]
    while points(mine) < BEST:
        if not (rules.player_draws_on_first_face and len(mine) == 1 and mine[0][0] in FACES):
            move = said.pop(0) if said else "missing"
            if move not in ("hit", "stand"):
                raise ValueError(f"the decision on {', '.join(mine)} is {move}: expected hit or stand")
            if move == "stand":
                break
        mine.append(cards.pop(0))
    made = points(mine)
    # A dealer against whom the player is bust draws no more cards.
    while made <= BEST:
        wanted = BEST if made == BEST and rules.dealer_chases_seven_and_a_half else rules.dealer_stands_on
        by_rule = rules.dealer_draws_on_first_face and len(theirs) == 1 and theirs[0][0] in FACES
        if not by_rule and points(theirs) >= wanted:
            break
        theirs.append(cards.pop(0))
    if cards or said:
        raise ValueError("the round ended before all cards and decisions were used")
    rows = {
        "main": main_row(rules, mine, theirs),
        "partita-perfetta": pair_row(rules, mine, theirs[0]),
        "mano-di-poker": three_row([*mine[:2], theirs[0]]) if len(mine) > 1 else "no-second-card",
    }
    return {wager: (rows[wager], listed.get(rows[wager], Fraction(-1))) for wager, listed in pays.items()}


def points(hand: Sequence[str]) -> int:
    """Returns the half points of a hand: the King of Denari counts ½ or 1 to 7, what comes nearest to 7½, not above."""
    plain = sum([COUNTS[card[0]] for card in hand if card != KING])
    if KING not in hand:
        return plain
    return max((plain + one for one in AS_KING if plain + one <= BEST), default=plain + 1)


def main_row(rules: Any, mine: Sequence[str], theirs: Sequence[str]) -> str:
    """Returns the row of the main wager for both hands."""
    own, other = points(mine), points(theirs)
    if own > BEST:
        return "bust"
    beaten = other != BEST or rules.king_wins_against_dealer_seven_and_a_half
    if own == BEST and len(mine) == 2 and KING in mine and beaten:
        return "king-of-denari-seven-and-a-half"
    if other > BEST or own > other:
        return "win"
    return "push" if own == other and rules.tie == "push" else "lose"


def pair_row(rules: Any, mine: Sequence[str], shown: str) -> str:
    """Returns the row of Partita Perfetta for the player's hand and the dealer's first card."""
    if mine[0][0] != shown[0]:
        return "lose"
    if points(mine) > BEST and rules.pair_condition == "dealer-must-uncover":
        return "not-uncovered"
    return {"7": "pair-of-sevens"}.get(shown[0], "pair-of-faces" if shown[0] in FACES else "pair-ace-to-six")


def three_row(cards: Sequence[str]) -> str:
    """Returns the row of Mano di Poker for three cards in any order."""
    ranks = "".join(sorted((card[0] for card in cards), key=RANKS.index))
    flush = len({card.partition(" of ")[2] for card in cards}) == 1
    run = ranks in ("A23", "234", "345", "456", "567", FACES)
    if flush and run:
        return "royal-flush" if ranks == FACES else "straight-flush"
    if len(set(ranks)) == 1:
        return "three-of-a-kind"
    return "flush" if flush else "straight" if run else "lose"
