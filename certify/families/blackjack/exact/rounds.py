"""How a whole round ends, by open card and first two cards: the distribution of the main wager.

Everything is exact but single results of rounds that were split: those are counted in floats, as :mod:`together` says.
What such rounds return is exact, and their mean square right to the floats that it is summed in.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import prod
from typing import Final

from certify.families.blackjack import rules as ids
from certify.families.blackjack.cards import Counts
from certify.families.blackjack.exact.counting import Counted, Ended, Zero
from certify.families.blackjack.exact.dealer import NATURAL
from certify.families.blackjack.exact.terms import Terms
from certify.families.blackjack.exact.together import Together

GRID: Final = 1 << 60
"""Chances of single results of split rounds are told in this part of one; their sum and their mean are exact."""

Law = Mapping[tuple[Ended, bool], Fraction]
"""Chances of how a round ends, together with whether the dealer holds a natural."""

_MOVED: Final = 6
"""Likeliest results of which three are moved so that sum, mean and mean square fit."""
_HALF: Final = Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class Begun:
    """First two cards against an open card.

    Args:
        up: Place of the value of the open card.
        hand: The two cards by value.
        chance: How probable they are, the open card given.
        split: Which share of them is a pair that is split.
    """

    up: int
    hand: Counts
    chance: Fraction
    split: Fraction


def begun(counted: Counted) -> Iterator[Begun]:
    """Yields every two first cards against the open card."""
    for hand, chance in counted.starts:
        share = counted.share_split(hand.index(2)) if 2 in hand else Zero
        yield Begun(counted.plan.up, hand, chance, share)


def law_of(counted: Counted, start: Begun, *, split: bool) -> Law:
    """Returns how a round that began so ends, whether or not it is split; chances sum to one."""
    place = counted.against.hands.place[start.hand]
    if place in counted.plan.early:
        return _insured(counted, start, _always(counted, start, Ended(ids.SURRENDERED, -_HALF, Fraction(1))))
    if counted.against.hands.totals[place] == 21:
        return _insured(counted, start, _natural(counted, start))
    if split:
        return _insured(counted, start, _split(counted, start))
    found: dict[tuple[Ended, bool], Fraction] = {}
    for (ended, end), chance in counted.ended(start.hand).items():
        for one, share in _suits(counted.terms, ended):
            key = one, end == NATURAL
            found[key] = found.get(key, Zero) + chance * share / start.chance
    return _insured(counted, start, found)


def _always(counted: Counted, start: Begun, ended: Ended) -> Law:
    hidden = counted.hidden(start.hand)
    return {(ended, True): hidden, (ended, False): 1 - hidden}


def _natural(counted: Counted, start: Begun) -> Law:
    """Returns how a round ends with a natural: it pushes against the dealer's, and else is paid."""
    hidden, terms, one = counted.hidden(start.hand), counted.terms, Fraction(1)
    found = {(Ended(ids.PUSH, Zero, one), True): hidden}
    share = terms.shoe.suited_naturals if terms.pays.suited_natural is not None else Zero
    found[Ended(ids.NATURAL, terms.pays.natural, one), False] = (1 - hidden) * (1 - share)
    if terms.pays.suited_natural is not None:
        found[Ended(ids.SUITED_NATURAL, terms.pays.suited_natural, one), False] = (1 - hidden) * share
    return found


def _suits(terms: Terms, ended: Ended) -> Iterator[tuple[Ended, Fraction]]:
    """Yields how a hand ended, three sevens by whether they are of one suit."""
    plain, suited = terms.pays.sevens, terms.pays.suited_sevens
    if ended.row != ids.SEVENS or plain is None:
        yield ended, Fraction(1)
        return
    share = terms.shoe.suited_sevens if suited is not None else Zero
    yield Ended(ids.SEVENS, plain, ended.staked), 1 - share
    if suited is not None:
        yield Ended(ids.SUITED_SEVENS, suited, ended.staked), share


def _insured(counted: Counted, start: Begun, law: Law) -> Law:
    """Returns how a round ends with what insurance adds, where it is taken."""
    if counted.against.hands.place[start.hand] not in counted.plan.insured:
        return law
    found: dict[tuple[Ended, bool], Fraction] = {}
    for (ended, natural), chance in law.items():
        net = ended.net + (counted.terms.pays.insurance * _HALF if natural else -_HALF)
        key = _of_several(net, ended.staked + _HALF), natural
        found[key] = found.get(key, Zero) + chance
    return found


def _of_several(net: Fraction, staked: Fraction) -> Ended:
    """Returns how a round of several hands, or with an insured one, ended."""
    return Ended(ids.PUSH if net == 0 else ids.WIN if net > 0 else ids.LOSE, net, staked)


# --- rounds of several hands -------------------------------------------------------------------------------


def _split(counted: Counted, start: Begun) -> Law:
    """Returns how a round ends whose first two cards are split."""
    value = start.hand.index(2)
    floats: dict[tuple[Ended, bool], float] = {}
    cases, square = counted.against.pair_shares[value], 0.0
    whole = sum((share for share, _ in cases), Zero)
    for share, alike in cases:
        together = Together(counted, value, alike)
        results, squared = together.law()
        unit = together.unit
        square += float(share / whole) * squared / unit**2
        for (net, staked, natural), chance in results.items():
            key = _of_several(Fraction(net, unit), Fraction(staked, unit)), natural
            floats[key] = floats.get(key, 0.0) + float(share / whole) * chance
    law = {key: Fraction(round(max(chance, 0.0) * GRID), GRID) for key, chance in floats.items()}
    mean, second = counted.splitting(value) - counted.apart(start.hand), Fraction(square)
    if counted.against.looked:
        hidden = counted.hidden(start.hand)
        law[Ended(ids.LOSE, Fraction(-1), Fraction(1)), True] = hidden
        second += hidden
    return _mended(law, mean, second)


def _mended(law: dict[tuple[Ended, bool], Fraction], mean: Fraction, square: Fraction) -> Law:
    """Returns a law with likely results moved by what its sum, its mean and its mean square lack.

    Where fewer than three different results are likely enough to be moved, the mean square is left as it is.
    """
    likely: dict[Fraction, tuple[Ended, bool]] = {}
    for key in sorted((key for key in law if not key[1]), key=lambda key: law[key], reverse=True):
        likely.setdefault(key[0].net, key)
    lacks = [
        wanted - sum((ended.net**power * chance for (ended, _), chance in law.items()), Zero)
        for power, wanted in enumerate((Fraction(1), mean, square))
    ]
    for many in (3, 2):
        for nets in combinations(list(likely)[:_MOVED], many):
            mended = law | {likely[net]: law[likely[net]] + more for net, more in _moves(nets, lacks).items()}
            if min(mended.values()) >= 0:
                return mended
    raise ValueError("how split hands end together cannot be made to fit the exact mean")


def _moves(nets: tuple[Fraction, ...], lacks: list[Fraction]) -> dict[Fraction, Fraction]:
    """Returns what is added to chances of results so that what lacks of each power's sum is there."""
    found = {}
    for net in nets:
        others = [other for other in nets if other != net]
        # By Lagrange: the polynomial that is one at this result and nought at the others.
        below = prod((net - other for other in others), start=Fraction(1))
        terms = (
            [prod(others, start=Fraction(1)), -sum(others, Zero), Fraction(1)]
            if len(others) == 2
            else [-others[0], Fraction(1)]
        )
        found[net] = sum((term * lack for term, lack in zip(terms, lacks, strict=False)), Zero) / below
    return found
