"""How a whole round ends, by open card and first two cards: the distribution of the main wager.

Everything is exact but single results of rounds that were split: those lie between bounds. What such rounds return is
exact.

The hands of a split pair and the dealer draw from one shoe, which is a weighted sum of endless decks from below
(:mod:`shoes`). From an endless deck hands are dealt apart, so that what several come to is put together of what one
comes to. What is counted so is never more than the chance; and how probable all rounds are together is known. So each
chance is between what was counted and that with all that is missing. Sums are in floats. How far they may be off
follows from the sum of all their parts without signs.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise, product
from math import floor, lcm, prod
from typing import Final, NamedTuple

import numpy as np

from certify.array_types import Floats, Marks, Whole
from certify.by_key import summed
from certify.families.blackjack import rules as ids
from certify.families.blackjack.exact import kernels
from certify.families.blackjack.exact.kernels import ENDS, LEAST, MAXIMUM, NATURAL
from certify.families.blackjack.exact.search import Ended, Zero, two_cards
from certify.families.blackjack.exact.shoes import Near, cut, near
from certify.families.blackjack.exact.splits import endings
from certify.families.blackjack.exact.strategies import Counted
from certify.families.blackjack.exact.terms import BlackjackGame
from certify.families.blackjack.side_bets import TEN, VALUES, Counts

GRID: Final = 1 << 60
"""Chances are given in this part of one, rounded down."""

BLOCK: Final = 64
"""Endless decks that are looked at side by side."""

ROUNDING: Final = 2.0**-53 * (1 << 13)
"""More than any part of a sum is off by: fewer than 2^13 sums and products, one after the other, go into it."""


Results = list[list[list[tuple[int, int]]]]
"""What none, one, two ... hands may come to, by the dealer's end: net results and stakes in units."""


Halves = tuple[Floats, Floats]
"""Some and the other hands of a round, each by what their number of closed ones weighs."""


class Result(NamedTuple):
    """How a round of several hands ends.

    Args:
        net: Net result.
        staked: Everything staked.
        natural: Whether the dealer holds a natural.
    """

    net: Fraction
    staked: Fraction
    natural: bool


class _Ways(NamedTuple):
    """Ways in which a hand may end.

    Args:
        drawn: Cards drawn to the card of the pair, a row each, without a second card that counts what the pair does.
        orders: In how many orders they may come.
        cells: Which of the ends it is, times MAXIMUM, and the number of cards.
        ends: How play ended, as in :mod:`kernels`, what is staked, and the total, seventeen for all that is less.
        alike: By end, whether the second card counts what the pair does.
    """

    drawn: Whole
    orders: Floats
    cells: Whole
    ends: tuple[tuple[int, int, int], ...]
    alike: Marks


class Together:
    """All hands of one split pair under a plan.

    Args:
        counted: The plan against an open card.
        value: The pair.
        alike: How many further cards would make it a pair again.
    """

    def __init__(self, counted: Counted, value: int, alike: int) -> None:
        self._counted, self._value, self._alike = counted, value, alike
        self._less = counted.against.less
        self._size = counted.against.size - 2 * self._less
        self._dealt = counted.against.dealer.dealt
        pays = counted.terms.pays
        others = [net.denominator for _, net in pays.others]
        self._unit = lcm(2, pays.win.denominator, pays.charlie.denominator, *others)
        self._result, self._ways = cache(self._result_of), cache(self._ways_of)

    def law(self) -> dict[Result, Fraction]:
        """Returns what the chances of how all hands end are at least.

        Where the dealer looked, a natural ended the round before anything was split: it is not among them.
        """
        found = list[tuple[Result, Fraction]]()
        ended = endings(self._counted.terms.most_hands(self._value))
        for came in sorted({ending.pairs for ending in ended}):
            orders = np.zeros(came + 3)
            for ending, number in ended.items():
                if ending.pairs == came:
                    orders[ending.closed] += number * float(self._reached(came))
            if orders.any():
                found += self._of(came, orders).items()
        return summed(found)

    def _reached(self, came: int) -> Fraction:
        """Returns the chance that so many further cards of the pair come first."""
        left = ((self._alike - self._less * gone, self._size - self._less * gone) for gone in range(came))
        return prod((Fraction(max(alike, 0), size) for alike, size in left), start=Fraction(1))

    def _of(self, came: int, orders: Floats) -> dict[Result, Fraction]:
        """Returns what the chances are at least where so many further cards of the pair came.

        Args:
            came: Further cards of the pair.
            orders: How probable it is by the number of hands whose second card is none of the pair.
        """
        hands, ways = came + 2, self._ways(self._counted.plan.first_alike(self._value, came))
        results = self._results(ways, hands)
        joint, size = self._joint(ways, self._near(came, hands, ways), orders, results)
        slack, ends = size * float(orders.sum()) * ROUNDING, dict[tuple[int, int, bool], float]()
        for end in range(ENDS):
            if end == NATURAL and self._counted.against.looked:
                continue
            lost, natural = self._lost(end), end == NATURAL
            for net, staked, chance in _joined(results, joint, end):
                key = net - lost, staked, natural
                ends[key] = ends.get(key, -slack) + chance
        return {
            Result(Fraction(net, self._unit), Fraction(staked, self._unit), natural): Fraction(
                max(floor(chance * GRID), 0), GRID
            )
            for (net, staked, natural), chance in ends.items()
        }

    def _joint(
        self, ways: _Ways, deck: Near, orders: Floats, results: Results
    ) -> tuple[list[tuple[Halves, Floats]], float]:
        """Returns what some hands and the others come to together, by the dealer's end, and all parts without signs."""
        hands, size = len(orders) - 1, 0.0
        counts = np.array([[len(one) for one in ends] for ends in results])
        found = [
            (halves, np.zeros((ENDS, *(counts[len(half) - 1].max() for half in halves))))
            for halves in _halves(orders)
        ]
        marks = np.zeros((ENDS, counts[1].max(), len(ways.ends)))
        for end, singles in enumerate(results[1]):
            for kind, one in enumerate(ways.ends):
                marks[end, singles.index(self._result(*one, end)), kind] = 1.0
        folds, powers = self._folds(results), deck.sizes[:, None] ** np.arange(MAXIMUM)
        for start in range(0, len(deck.decks), BLOCK):
            decks, weights = deck.decks[start : start + BLOCK], deck.weights[start : start + BLOCK]
            ended = self._sums(ways, decks)
            hand, closed, dealer = (np.tensordot(powers, one, (1, 1)) for one in ended)
            hand, closed = marks @ hand[:, None], marks @ closed[:, None]
            dealer *= weights * deck.shares[:, None, None]
            for halves, joint in found:
                one, other = (kernels.several(hand, closed, half, folds, counts) for half in halves)
                joint += (one @ (other * dealer[:, :, None]).transpose(0, 1, 3, 2)).sum(axis=0)
            # The same without signs, all ends as one.
            bare, _, dealer = self._sums(ways, np.abs(decks)) if (decks < 0).any() else ended
            parts = (dealer.sum(axis=0).T @ powers.T) * (bare.sum(axis=0).T @ powers.T) ** hands
            size += float(np.abs(weights) @ parts @ deck.shares)
        return found, size

    def _lost(self, end: int) -> int:
        """Returns the stake, in units, that a natural costs the round as a whole."""
        apart = self._counted.against.law(split=True) in (kernels.BUSTED_APART, kernels.ORIGINAL)
        return self._unit if apart and end == NATURAL else 0

    # --- cards -------------------------------------------------------------------------------------------

    def _near(self, came: int, hands: int, ways: _Ways) -> Near:
        """Returns the endless decks by which the shoe is counted; tens that make a pair again apart from the others."""
        counts = self._counted.against.left - self._less * (2 + came) * (np.arange(VALUES) == self._value)
        most = hands * (ways.drawn.max(axis=0) + 1) + self._dealt.drawn.max(axis=0)
        left, asked = tuple(counts.tolist()), tuple(most.tolist())
        if self._value == TEN:
            alike = max(self._alike - self._less * came, 0)
            left, asked = (*left[:-1], left[-1] - alike, alike), (*asked, asked[-1])
        if self._counted.against.endless:
            return Near(np.array([left]) / sum(left), np.ones(1), np.ones(1), np.ones(1))
        return near(left, asked, cut(sum(count > 0 for count in left)))

    def _sums(self, ways: _Ways, decks: Floats) -> tuple[Floats, Floats, Floats]:
        """Returns the ways in which a hand, a closed hand and the dealer's may end, by end, cards and deck."""
        ends, dealer, values, others = len(ways.ends), self._dealt, decks, np.zeros(len(decks))
        if self._value == TEN:
            values, others = np.column_stack([decks[:, :TEN], decks[:, TEN:].sum(axis=1)]), decks[:, TEN]
        cells = dealer.ends * MAXIMUM + dealer.drawn.sum(axis=1)
        drawn = kernels.sums(dealer.drawn, dealer.orders.astype(float), cells, values, ENDS * MAXIMUM)
        hand = kernels.sums(ways.drawn, ways.orders, ways.cells, values, ends * MAXIMUM)
        hand = hand.reshape(ends, MAXIMUM, -1)
        closed = hand.copy()
        hand[ways.alike] *= values[:, self._value]
        closed[ways.alike] *= others
        return hand, closed, drawn.reshape(ENDS, MAXIMUM, -1)

    # --- what hands come to ------------------------------------------------------------------------------

    def _results(self, ways: _Ways, hands: int) -> Results:
        """Returns what none, one, two ... hands may come to, by the dealer's end: net results and stakes in units."""
        found = [[[(0, 0)] for _ in range(ENDS)]]
        single = [sorted({self._result(*one, end) for one in ways.ends}) for end in range(ENDS)]
        for _ in range(hands):
            found.append([
                sorted({(net + more, staked + stake) for (net, staked), (more, stake) in product(some, one)})
                for some, one in zip(found[-1], single, strict=True)
            ])  # fmt: skip
        return found

    def _folds(self, results: Results) -> Whole:
        """Returns the place of what so many hands and one more come to, by number, the dealer's end and both."""
        most = [max(len(ends) for ends in results[number]) for number in (-2, 1)]
        found = np.zeros((len(results) - 1, ENDS, *most), np.int64)
        for number, (some, more) in enumerate(pairwise(results)):
            for end in range(ENDS):
                places = {one: place for place, one in enumerate(more[end])}
                for (row, (net, staked)), (column, (won, stake)) in product(
                    enumerate(some[end]), enumerate(results[1][end])
                ):
                    found[number, end, row, column] = places[net + won, staked + stake]
        return found

    def _result_of(self, kind: int, stake: int, total: int, end: int) -> tuple[int, int]:
        ended = self._counted.settled(kind, stake, total, end, split=True)
        return int(ended.net * self._unit), int(ended.staked * self._unit)

    # --- one hand ----------------------------------------------------------------------------------------

    def _ways_of(self, came: int) -> _Ways:
        """Returns the ways in which a hand may end that is played as where so many further cards of the pair came."""
        whole, plays = self._counted.against.hands, self._counted.plays(self._value, came)
        first = np.zeros((len(whole.held), 2), np.int64)
        for second in range(VALUES):
            if (place := whole.place.get(two_cards(self._value, second))) is not None:
                first[place, int(second == self._value)] = 1
        cards, ways, _, orders = self._counted.finished(first, plays, split=True)
        cards = cards - (np.arange(VALUES) == self._value)
        places, cells = dict[tuple[int, int, int, bool], int](), list[int]()
        found = list[tuple[int, int, float]]()
        for pair, row in np.argwhere(orders.T).tolist():
            whole_kind, stake, total = ways[row].tolist()
            for kind, share in self._kinds(whole_kind):
                place = places.setdefault((kind, stake, max(total, LEAST), bool(pair)), len(places))
                cells.append(place * MAXIMUM + int(cards[row].sum()))
                found.append((row, pair, float(orders[row, pair] * share)))
        rows, alike, many = (np.array(column) for column in zip(*found, strict=True))
        return _Ways(
            cards[rows] - alike[:, None] * (np.arange(VALUES) == self._value), many,
            np.array(cells), tuple(one[:3] for one in places), np.array([one[3] for one in places]),
        )  # fmt: skip

    def _kinds(self, kind: int) -> list[tuple[int, Fraction]]:
        """Returns how play ended in fact, with shares: six, seven and eight are paid by their suits."""
        if kind != kernels.RUN:
            return [(kind, Fraction(1))]
        kinds = (kernels.SPADE_RUN, kernels.SUITED_RUN, kernels.RUN)
        shares = self._counted.terms.by_suits(ids.RUN)
        return [(one, share) for one, (_, share) in zip(kinds, shares, strict=True) if share]


def _halves(orders: Floats) -> Iterator[Halves]:
    """Yields some and the other hands of a round.

    What few hands come to is put together last, for all that others come to at once: half the products of one by one.
    """
    hands = len(orders) - 1
    half = hands // 2
    free, apart, closed = np.eye(1, half + 1)[0], orders[: hands - half + 1], np.zeros(hands - half + 1)
    if apart.any():
        yield free, apart
    # More closed hands than the others are: those of this half are all closed.
    closed[hands - 2 * half + 1 :] = orders[hands - half + 1 :]
    if closed.any():
        yield free[::-1], closed


def _joined(
    results: Results, joint: list[tuple[Halves, Floats]], end: int
) -> Iterator[tuple[int, int, float]]:
    """Yields what hands come to together against one end of the dealer's: net result and stake, and a chance of it."""
    for halves, chances in joint:
        first, rest = (results[len(half) - 1][end] for half in halves)
        for (net, staked), row in zip(first, chances[end].tolist(), strict=False):
            for (more, stake), chance in zip(rest, row, strict=False):
                yield net + more, staked + stake, chance


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
        hand: The two cards by value.
        chance: How probable they are, the open card given.
        split: Which share of them is a pair that is split.
    """

    hand: Counts
    chance: Fraction
    split: Fraction


def begun(counted: Counted) -> Iterator[Begun]:
    """Yields every two first cards against the open card."""
    for hand, chance in counted.against.starts.items():
        share = counted.share_split(hand.index(2)) if 2 in hand else Zero
        yield Begun(hand, chance, share)


def law_of(counted: Counted, start: Begun, *, split: bool) -> Law:
    """Returns how a round that began so ends, whether or not it is split; chances sum to one."""
    place = counted.against.hands.place[start.hand]
    if place in counted.plan.early:
        hidden, ended = counted.against.hidden(start.hand), Ended(ids.SURRENDERED, -_HALF, Fraction(1))
        law = Law({(ended, True): hidden, (ended, False): 1 - hidden})
    elif counted.against.hands.totals[place] == 21:
        law = Law(_natural(counted, start))
    elif split:
        law = _split(counted, start)
    else:
        found = summed(
            ((one, end == NATURAL), chance * share / start.chance)
            for (ended, end), chance in counted.ended(start.hand).items()
            for one, share in _suits(counted.terms, ended)
        )
        law = Law(found)
    return _insured(counted, law) if place in counted.plan.insured else law


def _natural(counted: Counted, start: Begun) -> Chances:
    """Returns how a round ends with a natural: it is paid, or pushes against the dealer's."""
    hidden, terms, one = counted.against.hidden(start.hand), counted.terms, Fraction(1)
    share = terms.shoe.suited_naturals if terms.pays.suited_natural is not None else Zero
    rows = [(ids.NATURAL, terms.pays.natural, 1 - share)]
    if terms.pays.suited_natural is not None:
        rows.append((ids.SUITED_NATURAL, terms.pays.suited_natural, share))
    found = {(Ended(row, net, one), False): (1 - hidden) * part for row, net, part in rows}
    if terms.rules.wins_21:
        return found | {(Ended(row, net, one), True): hidden * part for row, net, part in rows}
    return found | {(Ended(ids.PUSH, Zero, one), True): hidden}


def _suits(terms: BlackjackGame, ended: Ended) -> Iterator[tuple[Ended, Fraction]]:
    """Yields how a hand ended, three cards by their suits."""
    if ended.row not in ids.BY_SUITS:
        yield ended, Fraction(1)
        return
    for row, share in terms.by_suits(ended.row):
        if share:
            yield Ended(row, terms.paid[row] * ended.staked, ended.staked), share


def _insured(counted: Counted, law: Law) -> Law:
    """Returns how a round ends with what insurance adds."""
    gained = {True: counted.terms.pays.insurance * _HALF, False: -_HALF}
    found = summed(
        ((_of_several(ended.net + gained[natural], ended.staked + _HALF), natural), chance)
        for (ended, natural), chance in law.chances.items()
    )
    return Law(found, law.off)


def _of_several(net: Fraction, staked: Fraction) -> Ended:
    """Returns how a round of several hands, or with an insured one, ended."""
    return Ended(ids.PUSH if net == 0 else ids.WIN if net > 0 else ids.LOSE, net, staked)


# --- rounds of several hands -------------------------------------------------------------------------------


def _split(counted: Counted, start: Begun) -> Law:
    """Returns how a round ends whose first two cards are split."""
    value = start.hand.index(2)
    cases = counted.against.pair_shares[value]
    whole = sum((share for share, _ in cases), Zero)
    law = summed(
        ((_of_several(net, staked), natural), share / whole * chance)
        for share, alike in cases
        for (net, staked, natural), chance in Together(counted, value, alike).law().items()
    )
    hidden = counted.against.hidden(start.hand)
    if counted.against.looked and hidden:
        law[Ended(ids.LOSE, Fraction(-1), Fraction(1)), True] = hidden
    mean = counted.splitting(value) - counted.against.apart(start.hand)
    return Law(_mended(law, mean), 1 - sum(law.values(), Zero))


def _mended(law: Chances, mean: Fraction) -> Chances:
    """Returns a law whose missing chance is laid on two likely results, so that sum and mean are exact.

    Every chance is at least what the law says, and all that is missing is no more: so none is off by more than that.
    """
    # What may come has a chance, if the least that can be given.
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
