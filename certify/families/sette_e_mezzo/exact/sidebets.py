"""The side bets of 7 e Mezzo on the first three cards, counted over every deal of the real deck."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from itertools import combinations, permutations

from certify.families.seven_and_a_half.cards import RANK_FIRST_FACE, RANK_SEVEN, rank_of, suit_of
from certify.families.seven_and_a_half.counting import TYPE_KING, TYPE_MATTA, ClassDeck, type_of

PARTITA = "partita-perfetta"
MANO = "mano-di-poker"
NO_ROW = "lose"
NOT_UNCOVERED = "not-uncovered"
NO_SECOND_CARD = "no-second-card"


def rank_of_type(card_type: int) -> int:
    """Returns the rank of a type of card; the matta is a King."""
    return TYPE_KING if card_type == TYPE_MATTA else card_type


def partita_row(first_rank: int) -> str:
    """Returns the row that a pair of this rank is paid by.

    >>> partita_row(6), partita_row(9), partita_row(0)
    ('pair-of-sevens', 'pair-of-faces', 'pair-ace-to-six')
    """
    if first_rank == RANK_SEVEN:
        return "pair-of-sevens"
    return "pair-of-faces" if first_rank >= RANK_FIRST_FACE else "pair-ace-to-six"


def mano_row(cards: tuple[int, int, int]) -> str:
    """Returns the highest row that three cards make in Mano di Poker, or ``lose``.

    Rows are tried in printed order. Runs are A-2-3 to 5-6-7 and J-Q-K; none runs past a King or from 7 to J.

    >>> mano_row((28, 32, 36)), mano_row((20, 24, 28)), mano_row((0, 5, 10))
    ('royal-flush', 'flush', 'straight')
    """
    low, middle, high = sorted(rank_of(card) for card in cards)
    suited = len({suit_of(card) for card in cards}) == 1
    faces_or_none = (low >= RANK_FIRST_FACE) == (high >= RANK_FIRST_FACE)
    run = middle == low + 1 and high == middle + 1 and faces_or_none
    if suited and run:
        return "royal-flush" if low == RANK_FIRST_FACE else "straight-flush"
    if low == high:
        return "three-of-a-kind"
    if suited:
        return "flush"
    return "straight" if run else NO_ROW


@lru_cache(maxsize=4)
def mano_counts(deck: ClassDeck) -> Mapping[tuple[int, int, int], Counter[str]]:
    """Returns, for each (first, second, dealer's) card by type, the ordered deals of each row."""
    counts: dict[tuple[int, int, int], Counter[str]] = {}
    for cards in combinations(deck.cards, 3):
        row = mano_row(cards)
        for first, second, dealer in permutations(map(type_of, cards)):
            counts.setdefault((first, second, dealer), Counter())[row] += 1
    return counts
