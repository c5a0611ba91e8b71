"""How a whole round ends, by open card and first two cards: the distribution of the main wager.

Everything is exact but one thing. Of a pair that is split, the result of each hand together with the end of the
dealer's hand is exact, and so is what the round returns. That two hands of one split also take cards from each other,
which ties their results a little more than the dealer's hand does, is left out of the *distribution* of such rounds:
given the dealer's end and the number of hands, hands are taken as independent. Of an endless deck that is exact too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import lcm
from typing import Final

import numpy as np
from numpy.typing import NDArray

from certify.families.blackjack import rules as ids
from certify.families.blackjack.cards import VALUES, Counts
from certify.families.blackjack.exact import kernels
from certify.families.blackjack.exact.counting import Counted, Ended, Zero
from certify.families.blackjack.exact.dealer import BUST, NATURAL
from certify.families.blackjack.exact.splits import Ending, Known, endings
from certify.families.blackjack.exact.terms import Terms

GRID: Final = 1 << 60
"""Chances of single results of split rounds are told in this part of one; their sum and their mean are exact."""

Law = Mapping[tuple[Ended, bool], Fraction]
"""Chances of how a round ends, together with whether the dealer holds a natural."""

Floats = NDArray[np.float64]

_WAYS: Final = 256
"""More ways than one hand can end in, together with the dealer's."""
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
    value, hidden = start.hand.index(2), counted.hidden(start.hand)
    looked = counted.against.looked
    floats: dict[tuple[Ended, bool], float] = {}
    cases = counted.against.pair_shares[value]
    whole = sum((share for share, _ in cases), Zero)
    for share, alike in cases:
        for key, chance in _together(counted, value, alike).items():
            floats[key] = floats.get(key, 0.0) + float(share / whole) * chance
    law: dict[tuple[Ended, bool], Fraction] = {}
    if looked:
        law[Ended(ids.LOSE, Fraction(-1), Fraction(1)), True] = hidden
        floats = {key: chance for key, chance in floats.items() if not key[1]}
    for key, chance in floats.items():
        law[key] = Fraction(round(chance * GRID), GRID)
    return _mended(law, counted.splitting(value) - counted.apart(start.hand))


def _mended(law: dict[tuple[Ended, bool], Fraction], mean: Fraction) -> Law:
    """Returns a law with its two likeliest results moved by what its sum and its mean lack."""
    likely = sorted((key for key in law if not key[1]), key=lambda key: law[key], reverse=True)
    first = likely[0]
    second = next(key for key in likely if key[0].net != first[0].net)
    lacks = 1 - sum(law.values(), Zero)
    short = mean - sum((ended.net * chance for (ended, _), chance in law.items()), Zero)
    moved = (short - first[0].net * lacks) / (second[0].net - first[0].net)
    return law | {first: law[first] + lacks - moved, second: law[second] + moved}


def _together(counted: Counted, value: int, alike: int) -> dict[tuple[Ended, bool], float]:
    """Returns how all hands of a split pair end together, in floats."""
    less = 0 if counted.endless else 1
    size = counted.against.size - 2 * less
    found: dict[tuple[Ended, bool], float] = {}

    def chance(gone: int) -> float:
        return max(alike - less * gone, 0) / (size - less * gone)

    for ending, orders in endings(counted.terms.most_hands(value)).items():
        reached = float(orders)
        for gone in range(ending.pairs):
            reached *= chance(gone)
        if reached:
            for key, part in _ending(counted, value, alike, ending, chance).items():
                found[key] = found.get(key, 0.0) + reached * part
    return found


def _ending(
    counted: Counted, value: int, alike: int, ending: Ending, chance: Callable[[int], float]
) -> dict[tuple[Ended, bool], float]:
    """Returns how the hands end together where splitting ended so."""
    hand = _Hand(counted, value, ending.pairs, alike)
    known = Known(chance, hand)
    rows = [known.other(ending.pairs, ending.closed - 1) for _ in range(ending.closed)]
    rows += [known.any_card(ending.pairs, ending.closed) for _ in range(ending.free)]
    found, unit = dict[tuple[Ended, bool], float](), hand.unit
    whole = counted.against.law(split=True) in (kernels.BUSTED_APART, kernels.ORIGINAL)
    for end in range(NATURAL + 1):
        laws = [hand.given(row, end) for row in rows]
        reached = sum(laws[0].values())
        if reached <= 0:
            continue
        joint = reduce(_convolved, ({key: part / reached for key, part in law.items()} for law in laws))
        for (net, staked), part in joint.items():
            lost = 1 if end == NATURAL and whole else 0
            key = _of_several(Fraction(net, unit) - lost, Fraction(staked, unit)), end == NATURAL
            found[key] = found.get(key, 0.0) + reached * part
    return found


def _convolved(
    one: dict[tuple[int, int], float], other: dict[tuple[int, int], float]
) -> dict[tuple[int, int], float]:
    found: dict[tuple[int, int], float] = {}
    for (net, staked), chance in one.items():
        for (more, further), part in other.items():
            key = net + more, staked + further
            found[key] = found.get(key, 0.0) + chance * part
    return found


class _Hand:
    """How one hand of a split pair ends together with the dealer's hand: a row of chances, one for each way."""

    def __init__(self, counted: Counted, value: int, came: int, alike: int) -> None:
        self._counted, self._value, self._came, self._alike = counted, value, came, alike
        self.ways: dict[tuple[Ended, int], int] = {}

    @property
    def unit(self) -> int:
        """Results and stakes of these ways are whole numbers of this part of a stake."""
        return lcm(*(part.denominator for ended, _ in self.ways for part in (ended.net, ended.staked)))

    def given(self, row: Floats, end: int) -> dict[tuple[int, int], float]:
        """Returns the chances of net result and stakes, in units, where the dealer's hand ended so."""
        found, unit = dict[tuple[int, int], float](), self.unit
        for (ended, one), place in self.ways.items():
            if one == end and row[place] > 0:
                key = int(ended.net * unit), int(ended.staked * unit)
                found[key] = found.get(key, 0.0) + float(row[place])
        return found

    def any_card(self, gone: int) -> Floats:
        """Returns it with so many further cards of the pair gone, whatever its second card is."""
        return self._row(gone, pair=False)

    def pair(self, gone: int) -> Floats:
        """Returns the part of it where the second card is one of the pair."""
        less = 0 if self._counted.endless else 1
        left = self._counted.left_of(self._value) - less * (2 + gone)
        return (self._alike - less * gone) / max(left, 1) * self._row(gone, pair=True)

    def _row(self, gone: int, *, pair: bool) -> Floats:
        row = np.zeros(_WAYS)
        found = self._counted.split_hand(self._value, self._came, gone, pair=pair)
        # Hands that are over before the dealer's are counted as if that had bust: it may have ended in any way yet.
        over = {
            key: float(chance) for key, chance in found.items() if key[1] == BUST and key[0].row != ids.WIN
        }
        taken = tuple((2 + gone + pair) * (value == self._value) for value in range(VALUES))
        ends = self._counted.dealer_ends(taken) if over and self._fits(taken) else (Zero,) * NATURAL
        whole = float(sum(found.values(), Zero))
        left = [whole * float(chance) for chance in ends[:NATURAL]]
        for key, chance in found.items():
            if key not in over:
                row[self._way(key)] = float(chance)
                if key[1] != NATURAL:
                    left[key[1]] -= float(chance)
        for (ended, _), many in over.items():
            for end, part in enumerate(left):
                row[self._way((ended, end))] += many * max(part, 0.0) / sum(left)
        return row

    def _way(self, key: tuple[Ended, int]) -> int:
        return self.ways.setdefault(key, len(self.ways))

    def _fits(self, taken: Counts) -> bool:
        return self._counted.endless or taken[self._value] <= self._counted.left_of(self._value)
