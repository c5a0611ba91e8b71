"""How a whole round ends, by open card and first two cards: the distribution of the main wager.

Everything is exact but single results of rounds that were split: those lie between bounds, as :mod:`together` says.
What such rounds return is exact.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Final

from certify.families.blackjack import rules as ids
from certify.families.blackjack.exact.counting import Counted, Ended, Zero
from certify.families.blackjack.exact.kernels import NATURAL
from certify.families.blackjack.exact.terms import BlackjackGame
from certify.families.blackjack.exact.together import GRID, Together
from certify.families.blackjack.side_bets import Counts

Chances = Mapping[tuple[Ended, bool], Fraction]
"""Chances of how a round ends, together with whether the dealer holds a natural."""

_HALF: Final = Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class Law:
    """How a round ends.

    Args:
        chances: Chances of how it ends, together with whether the dealer holds a natural; sum and mean are exact.
        off: How far chances may be off, and sums of them: nought where they are exact.
    """

    chances: Chances
    off: Fraction = Zero


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
        law = Law(_always(counted, start, Ended(ids.SURRENDERED, -_HALF, Fraction(1))))
    elif counted.against.hands.totals[place] == 21:
        law = Law(_natural(counted, start))
    elif split:
        law = _split(counted, start)
    else:
        found: dict[tuple[Ended, bool], Fraction] = {}
        for (ended, end), chance in counted.ended(start.hand).items():
            for one, share in _suits(counted.terms, ended):
                key = one, end == NATURAL
                found[key] = found.get(key, Zero) + chance * share / start.chance
        law = Law(found)
    return _insured(counted, law) if place in counted.plan.insured else law


def _always(counted: Counted, start: Begun, ended: Ended) -> Chances:
    hidden = counted.hidden(start.hand)
    return {(ended, True): hidden, (ended, False): 1 - hidden}


def _natural(counted: Counted, start: Begun) -> Chances:
    """Returns how a round ends with a natural: it pushes against the dealer's, and else is paid."""
    hidden, terms, one = counted.hidden(start.hand), counted.terms, Fraction(1)
    found = {(Ended(ids.PUSH, Zero, one), True): hidden}
    share = terms.shoe.suited_naturals if terms.pays.suited_natural is not None else Zero
    found[Ended(ids.NATURAL, terms.pays.natural, one), False] = (1 - hidden) * (1 - share)
    if terms.pays.suited_natural is not None:
        found[Ended(ids.SUITED_NATURAL, terms.pays.suited_natural, one), False] = (1 - hidden) * share
    return found


def _suits(terms: BlackjackGame, ended: Ended) -> Iterator[tuple[Ended, Fraction]]:
    """Yields how a hand ended, three sevens by whether they are of one suit."""
    plain, suited = terms.pays.sevens, terms.pays.suited_sevens
    if ended.row != ids.SEVENS or plain is None:
        yield ended, Fraction(1)
        return
    share = terms.shoe.suited_sevens if suited is not None else Zero
    yield Ended(ids.SEVENS, plain * ended.staked, ended.staked), 1 - share
    if suited is not None:
        yield Ended(ids.SUITED_SEVENS, suited * ended.staked, ended.staked), share


def _insured(counted: Counted, law: Law) -> Law:
    """Returns how a round ends with what insurance adds."""
    found: dict[tuple[Ended, bool], Fraction] = {}
    for (ended, natural), chance in law.chances.items():
        net = ended.net + (counted.terms.pays.insurance * _HALF if natural else -_HALF)
        key = _of_several(net, ended.staked + _HALF), natural
        found[key] = found.get(key, Zero) + chance
    return Law(found, law.off)


def _of_several(net: Fraction, staked: Fraction) -> Ended:
    """Returns how a round of several hands, or with an insured one, ended."""
    return Ended(ids.PUSH if net == 0 else ids.WIN if net > 0 else ids.LOSE, net, staked)


# --- rounds of several hands -------------------------------------------------------------------------------


def _split(counted: Counted, start: Begun) -> Law:
    """Returns how a round ends whose first two cards are split."""
    value = start.hand.index(2)
    law: dict[tuple[Ended, bool], Fraction] = {}
    cases = counted.against.pair_shares[value]
    whole = sum((share for share, _ in cases), Zero)
    for share, alike in cases:
        for (net, staked, natural), chance in Together(counted, value, alike).law().items():
            key = _of_several(net, staked), natural
            law[key] = law.get(key, Zero) + share / whole * chance
    if counted.against.looked:
        law[Ended(ids.LOSE, Fraction(-1), Fraction(1)), True] = counted.hidden(start.hand)
    mean = counted.splitting(value) - counted.apart(start.hand)
    return Law(_mended(law, mean), 1 - sum(law.values(), Zero))


def _mended(law: Chances, mean: Fraction) -> Chances:
    """Returns a law whose missing chance is laid on two likely results, so that sum and mean are exact.

    Every chance is at least what the law says, and all that is missing is no more: so none is off by more than that.
    """
    # What may come has a chance, if the least that can be told.
    law = {key: chance or Fraction(1, GRID) for key, chance in law.items()}
    missing = 1 - sum(law.values(), Zero)
    lacks = mean - sum((ended.net * chance for (ended, _), chance in law.items()), Zero)
    likely = sorted((key for key in law if not key[1]), key=lambda key: law[key], reverse=True)
    for low, high in combinations(likely, 2):
        apart = high[0].net - low[0].net
        if apart:
            more = (lacks - low[0].net * missing) / apart
            if 0 <= more <= missing:
                return {**law, low: law[low] + missing - more, high: law[high] + more}
    raise ValueError("how split hands end together cannot be made to fit the exact mean")
