"""How strong hands are: three cards, and the best five of five to seven, wild cards included.

A strength is one whole number: the kind of the hand, then the ranks that decide among hands of a kind, those held
most often before the others. The greater one wins, equal ones tie. :mod:`certify.analysis.hands.strength_bits` is
the compiled twin.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from itertools import combinations
from typing import Final

from certify.analysis.hands.deck import WILD, Card
from certify.analysis.hands.kinds import (
    FIVE,
    FLUSH,
    FOUR,
    FULL_HOUSE,
    HIGH,
    MINI_ROYAL,
    PAIR,
    ROYAL,
    SHIFT,
    STRAIGHT,
    STRAIGHT_FLUSH,
    THREE,
    THREE_FLUSH,
    THREE_OF_THREE,
    THREE_PAIR,
    THREE_STRAIGHT,
    THREE_STRAIGHT_FLUSH,
    TWO_PAIR,
)

_ACE: Final = 12
_RANKS: Final = 13


def three_cards(cards: Sequence[Card]) -> int:
    """Returns the strength of three cards.

    >>> three_cards([(0, 0), (1, 1), (12, 2)]) < three_cards([(0, 0), (1, 1), (2, 2)])
    True
    """
    ranks = [rank for rank, _ in cards]
    suited = len({suit for _, suit in cards}) == 1
    top = run_of(ranks, 3)
    if top >= 0:
        kind = THREE_STRAIGHT if not suited else MINI_ROYAL if top == _ACE else THREE_STRAIGHT_FLUSH
        return kind << SHIFT | top
    most = max(Counter(ranks).values())
    kind = {3: THREE_OF_THREE, 2: THREE_PAIR, 1: THREE_FLUSH if suited else HIGH}[most]
    return graded(kind, ranks)


def best_five(cards: Sequence[Card]) -> int:
    """Returns the strength of the best five of five to seven cards; of exactly five, some may be wild.

    A wild card stands for any card, also one that is held. Five of a kind ranks above a straight flush and below a
    royal flush, wild or not, as paytables of video poker have it.

    >>> best_five([(0, 0), (1, 1), (2, 2), (3, 3), (12, 0)]) >> SHIFT == STRAIGHT
    True
    >>> best_five([(3, 0), (3, 1), (9, 2), (9, 0), (WILD, 0)]) >> SHIFT == FULL_HOUSE
    True
    """
    natural = [card for card in cards if card[0] != WILD]
    if len(natural) == len(cards):
        return max(_five([rank for rank, _ in five], _suited(five)) for five in combinations(cards, 5))
    ranks, suited, wild = [rank for rank, _ in natural], _suited(natural), len(cards) - len(natural)
    # All wild cards of the rank of one that is held, or all of a straight, or of a flush.
    found = [_five([*ranks, *[rank] * wild], suited=False) for rank in ranks]
    if len(set(ranks)) == len(ranks):
        runs = [{_ACE, 0, 1, 2, 3}, *({*range(low, low + 5)} for low in range(9))]
        found += [_five([*run], suited) for run in runs if run >= set(ranks)]
        if suited:
            others = [rank for rank in range(_ACE, -1, -1) if rank not in ranks]
            found.append(_five([*ranks, *others[:wild]], suited=True))
    return max(found)


def _suited(cards: Sequence[Card]) -> bool:
    return len({suit for _, suit in cards}) == 1


def _five(ranks: Sequence[int], suited: bool) -> int:
    top = run_of(ranks, 5)
    if top >= 0:
        return (STRAIGHT if not suited else ROYAL if top == _ACE else STRAIGHT_FLUSH) << SHIFT | top
    if suited:
        return graded(FLUSH, ranks)
    shape = sorted(Counter(ranks).values(), reverse=True)
    kinds = {(5,): FIVE, (4, 1): FOUR, (3, 2): FULL_HOUSE, (3, 1): THREE, (2, 2): TWO_PAIR, (2, 1): PAIR}
    return graded(kinds.get(tuple(shape[:2]), HIGH), ranks)


def run_of(ranks: Collection[int], length: int) -> int:
    """Returns the highest of so many ranks that follow one another, -1 where they do not; an ace may be low."""
    for held in (set(ranks), {-1 if rank == _ACE else rank for rank in ranks}):
        if len(held) == len(ranks) == length and max(held) - min(held) == length - 1:
            return max(held)
    return -1


def graded(kind: int, ranks: Sequence[int]) -> int:
    """Returns a kind with the ranks held most often, then the others, as bits."""
    counts = Counter(ranks)
    most = max(counts.values())
    often = sum(1 << rank for rank, count in counts.items() if count == most)
    others = sum(1 << rank for rank, count in counts.items() if count < most)
    return kind << SHIFT | (often << _RANKS | others if most > 1 else often)
