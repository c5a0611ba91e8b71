"""What hands are and what a round pays, as the rules print it: the account of the reference round."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import Final

from certify.families.french_deck.deck import Card
from certify.families.port import WagerResult
from certify.families.three_card_poker import rules as ids
from certify.families.three_card_poker.rules import ThreeCardRules
from certify.model.paytable import Paytable

_ACE: Final = 12
_LOW_ACE: Final = -1

Strength = tuple[int, tuple[int, ...]]
"""Place of the hand from the lowest, then the ranks that decide among equal hands."""


def strength(cards: Sequence[Card]) -> Strength:
    """Returns how strong three cards are; the higher one wins, equal ones tie.

    >>> strength([(0, 0), (1, 1), (12, 2)]) < strength([(0, 0), (1, 1), (2, 2)])
    True
    """
    ranks = sorted((rank for rank, _ in cards), reverse=True)
    counts = Counter(ranks)
    ordered = tuple(sorted(counts, key=lambda rank: (-counts[rank], -rank)))
    flush, run = len({suit for _, suit in cards}) == 1, run_of(ranks)
    if run is not None:
        return (5 if flush else 3), (run,)
    return {1: 4, 2: 1, 3: 2 if flush else 0}[len(counts)], ordered


def run_of(ranks: Sequence[int]) -> int | None:
    """Returns the highest rank of ranks that follow one another, none where they do not."""
    for low in (set(ranks), {_LOW_ACE if rank == _ACE else rank for rank in ranks}):
        if len(low) == len(ranks) and max(low) - min(low) == len(ranks) - 1:
            return max(low)
    return None


def hands_of(cards: Sequence[Card]) -> frozenset[str]:
    """Returns the hands of three cards that they are, by the names of rows."""
    place, decides = strength(cards)
    name = {5: ids.STRAIGHT_FLUSH, 4: ids.THREE, 3: ids.STRAIGHT, 2: ids.FLUSH, 1: ids.PAIR}.get(place)
    mini = {ids.MINI_ROYAL} if place == 5 and decides == (_ACE,) else set()
    return frozenset({name} | mini if name else ())


def five_of(cards: Sequence[Card]) -> frozenset[str]:
    """Returns the hands that some five of six cards are, by the names of rows."""
    return frozenset(name for five in combinations(cards, 5) for name in _five(five))


def _five(cards: Sequence[Card]) -> set[str]:
    ranks = [rank for rank, _ in cards]
    most = sorted(Counter(ranks).values(), reverse=True)
    flush, run = len({suit for _, suit in cards}) == 1, run_of(ranks)
    found = {ids.FLUSH} if flush else set()
    if run is not None:
        found |= {ids.STRAIGHT, *((ids.STRAIGHT_FLUSH,) if flush else ())}
        found |= {ids.ROYAL} if flush and run == _ACE else set()
    if most[0] == 4:
        found.add(ids.FOUR)
    if most[0] >= 3:
        found |= {ids.THREE, *((ids.FULL_HOUSE,) if most[1] == 2 else ())}
    return found


def paid(ranking: Sequence[str], fits: frozenset[str], paytable: Paytable) -> str:
    """Returns the first row, from the highest, that a hand fits and the paytable names; losing if none."""
    return next((row for row in ranking if row in fits and row in paytable.ids), ids.LOSE)


def qualifies(rules: ThreeCardRules, cards: Sequence[Card]) -> bool:
    """Tells whether the dealer's hand is high enough to be played."""
    place, decides = strength(cards)
    return place > 0 or decides[0] >= rules.lowest


def ante_result(
    rules: ThreeCardRules, player: Sequence[Card], dealer: Sequence[Card] | None, paytable: Paytable
) -> WagerResult:
    """Returns the result of the ante with what was played on it; the dealer has no cards after a fold."""
    if dealer is None:
        return WagerResult(ids.ANTE, ids.FOLD, Fraction(-1))
    own, other = strength(player), strength(dealer)
    if not qualifies(rules, dealer):
        end, net = ids.UNQUALIFIED, paytable.pays(ids.UNQUALIFIED)
    elif own > other:
        end, net = ids.WIN, 2 * paytable.pays(ids.WIN)
    elif own == other:
        end, net = ids.TIE, Fraction(0)
    else:
        end, net = ids.LOSE, Fraction(-2)
    bonus = paid(ids.BONUSES, hands_of(player), paytable)
    if bonus == ids.LOSE:
        return WagerResult(ids.ANTE, end, net, Fraction(2))
    return WagerResult(ids.ANTE, f"{bonus}-{end}", net + paytable.pays(bonus), Fraction(2))


def plain_result(wager: str, row: str, paytable: Paytable) -> WagerResult:
    """Returns the result of a bet that nothing is added to."""
    return WagerResult(wager, row, Fraction(-1) if row == ids.LOSE else paytable.pays(row))
