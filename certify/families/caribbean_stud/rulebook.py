"""What hands are and what a round pays, as the rules print it: the account of the reference round."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import Final

from certify.families.caribbean_stud import rules as ids
from certify.families.caribbean_stud.rules import StudRules
from certify.families.french_deck.deck import Card
from certify.families.port import WagerResult
from certify.model.paytable import Paytable

_ACE: Final = 12
_LOW_ACE: Final = -1

Strength = tuple[int, tuple[int, ...]]
"""Place of the hand from the lowest, then the ranks that decide among equal hands."""

_PLACES: Final = {(4, 1): 7, (3, 2): 6, (3, 1): 3, (2, 2): 2, (2, 1): 1, (1, 1): 0}
"""Place of a hand by how many cards it has of the rank it has most of, and of the next."""

NAMES: Final = {
    8: ids.STRAIGHT_FLUSH,
    7: ids.FOUR,
    6: ids.FULL_HOUSE,
    5: ids.FLUSH,
    4: ids.STRAIGHT,
    3: ids.THREE,
    2: ids.TWO_PAIR,
}

_LEAST: Final[dict[str, Strength]] = {
    ids.ANY: (0, ()),
    ids.ACE: (0, (12,)),
    ids.ACE_KING: (0, (12, 11)),
    ids.PAIR: (1, ()),
}


def strength(cards: Sequence[Card]) -> Strength:
    """Returns how strong five cards are; the higher hand wins, equal ones tie.

    >>> strength([(0, 0), (1, 1), (2, 2), (3, 3), (12, 0)])
    (4, (3,))
    """
    counts = Counter(rank for rank, _ in cards)
    ordered = tuple(sorted(counts, key=lambda rank: (-counts[rank], -rank)))
    flush, run = len({suit for _, suit in cards}) == 1, _run(counts)
    if run is not None:
        return (8 if flush else 4), (run,)
    most = sorted(counts.values(), reverse=True)
    return (5 if flush else _PLACES[most[0], most[1]]), ordered


def _run(ranks: Counter[int]) -> int | None:
    """Returns the highest of five ranks that follow one another, none where they do not; an ace may be low."""
    for held in (set(ranks), {_LOW_ACE if rank == _ACE else rank for rank in ranks}):
        if len(held) == 5 and max(held) - min(held) == 4:
            return max(held)
    return None


def hands_of(cards: Sequence[Card]) -> tuple[str, ...]:
    """Returns the rows that may pay five cards, the highest first: a royal flush is a straight flush too."""
    place, decides = strength(cards)
    royal = (ids.ROYAL,) if place == 8 and decides == (_ACE,) else ()
    return (*royal, *((NAMES[place],) if place in NAMES else ()))


def paid(cards: Sequence[Card], paytable: Paytable) -> str:
    """Returns the row of five cards, or of the best five of more; losing if the paytable names none."""
    best = max(combinations(cards, 5), key=strength)
    return next((row for row in hands_of(best) if row in paytable.ids), ids.LOSE)


def qualifies(rules: StudRules, cards: Sequence[Card]) -> bool:
    """Tells whether the dealer's hand is high enough to be played."""
    return strength(cards) >= _LEAST[rules.lowest]


def ante_result(
    rules: StudRules, player: Sequence[Card], dealer: Sequence[Card] | None, paytable: Paytable
) -> WagerResult:
    """Returns the result of the ante with the raise; the dealer shows no hand after a fold.

    A winning ante is paid even money, the raise by the player's hand; a dealer who does not qualify pays the ante
    alone.
    """
    if dealer is None:
        return WagerResult(ids.ANTE, ids.FOLD, Fraction(-1))
    own, other = strength(player), strength(dealer)
    staked = Fraction(1 + rules.antes)
    if not qualifies(rules, dealer):
        return WagerResult(ids.ANTE, ids.UNQUALIFIED, paytable.pays(ids.UNQUALIFIED), staked)
    if own == other:
        return WagerResult(ids.ANTE, ids.TIE, Fraction(0), staked)
    if own < other:
        return WagerResult(ids.ANTE, ids.LOSE, -staked, staked)
    row = paid(player, paytable)
    row = ids.WIN if row == ids.LOSE else row
    return WagerResult(ids.ANTE, row, 1 + rules.antes * paytable.pays(row), staked)


def plain_result(wager: str, row: str, paytable: Paytable) -> WagerResult:
    """Returns the result of a bet that nothing is added to."""
    return WagerResult(wager, row, Fraction(-1) if row == ids.LOSE else paytable.pays(row))
