"""What a final hand is and what it pays, by the play-through's own account: counts of ranks and spans."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from certify.families.video_poker.cards import WILD, Deck
from certify.families.video_poker.rules import VideoPokerRules
from certify.model.paytable import Paytable

INDEPENDENT: Final = (
    "kinds of hands, wild cards included: volume.settlement",
    "rows and pays: volume.settlement",
    "deal, hold and draw: volume.kernel and its twin volume.twin",
)
"""What the play-through does by itself, in modules of the family's folder; printed in the evidence."""

LOSES: Final = "lose"

NOTHING: Final = 0
PAIR: Final = 1
"""Code of a pair of the lowest rank; thirteen codes, one a rank."""
TWO_PAIR, THREE, STRAIGHT, FLUSH, FULL_HOUSE = range(14, 19)
FOUR: Final = 19
"""Code of four of the lowest rank; three codes a rank: another card, a two to four, an ace beside them."""
STRAIGHT_FLUSH, FIVE, WILD_ROYAL, FOUR_DEUCES, ROYAL = range(58, 63)
CODES: Final = 63

ACE: Final = 12
TEN: Final = 8


def code_of(cards: Sequence[int], deck: Deck, deuces: bool) -> int:
    """Returns the code of a hand.

    Args:
        cards: Five faces.
        deck: What of the cards matters.
        deuces: Whether four wild cards are four deuces.
    """
    ranks = sorted(deck.ranks[card] for card in cards if deck.ranks[card] != WILD)
    wild = len(cards) - len(ranks)
    suited = len({deck.suits[card] for card in cards if deck.ranks[card] != WILD}) == 1
    different = len(set(ranks)) == len(ranks)
    if wild == 4 and deuces:
        return FOUR_DEUCES
    if different and suited and ranks[0] >= TEN:
        return WILD_ROYAL if wild else ROYAL
    groups = sorted(((ranks.count(rank), rank) for rank in set(ranks)), reverse=True)
    equal, rank = groups[0][0] + wild, groups[0][1]
    if equal == 5:
        return FIVE
    runs = different and _spans(ranks)
    if runs and suited:
        return STRAIGHT_FLUSH
    if equal == 4:
        return FOUR + 3 * rank + (0 if wild else _beside(groups[1][1]))
    if len(groups) == 2:
        return FULL_HOUSE
    if suited:
        return FLUSH
    if runs:
        return STRAIGHT
    if equal == 3:
        return THREE
    if equal == 2:
        # A wild card pairs the highest of cards that do not pair among themselves.
        return TWO_PAIR if len(groups) == 3 and not wild else PAIR + rank
    return NOTHING


def _spans(ranks: Sequence[int]) -> bool:
    """Tells whether different ranks lie within five in a row, an ace below the deuce too."""
    low = sorted(-1 if rank == ACE else rank for rank in ranks)
    return ranks[-1] - ranks[0] <= 4 or low[-1] - low[0] <= 4


def _beside(kicker: int) -> int:
    return 2 if kicker == ACE else 1 if kicker <= 2 else 0


def rows_by_code(rules: VideoPokerRules, paytable: Paytable) -> tuple[str, ...]:
    """Returns the row by which the hands of each code are paid."""
    return tuple(_row(code, rules, paytable.ids) for code in range(CODES))


def _row(code: int, rules: VideoPokerRules, named: Sequence[str]) -> str:
    plain = {
        TWO_PAIR: "two-pair",
        THREE: "three-of-a-kind",
        STRAIGHT: "straight",
        FLUSH: "flush",
        FULL_HOUSE: "full-house",
        STRAIGHT_FLUSH: "straight-flush",
        FIVE: "five-of-a-kind",
        WILD_ROYAL: "wild-royal-flush",
        FOUR_DEUCES: "four-deuces",
        ROYAL: "royal-flush",
    }
    if FOUR <= code < STRAIGHT_FLUSH:
        row = _four(*divmod(code - FOUR, 3), named)
    elif PAIR <= code < TWO_PAIR:
        row = "high-pair" if code - PAIR >= rules.lowest_pair else LOSES
    else:
        row = plain.get(code, LOSES)
    return row if row in named else LOSES


def _four(rank: int, beside: int, named: Sequence[str]) -> str:
    if rank == ACE:
        split = ("four-aces-with-two-to-four",) * (beside == 1) + ("four-aces",)
    elif rank <= 2:
        split = ("four-twos-to-fours-with-ace-to-four",) * (beside > 0) + ("four-twos-to-fours",)
    else:
        split = ()
    return next((row for row in split if row in named), "four-of-a-kind")


def net_of(outcome: str, paytable: Paytable) -> Fraction:
    """Returns the net result of an outcome in units of the stake."""
    return Fraction(-1) if outcome == LOSES else paytable.pays(outcome)
