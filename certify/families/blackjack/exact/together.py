"""How the hands of one split pair end together, with the dealer's hand: every chance, bounded from both sides.

The hands and the dealer draw from one shoe, which is a weighted sum of endless decks from below (:mod:`shoes`). From an
endless deck hands are dealt apart, so that what several come to is put together of what one comes to. What is counted
so is never more than the chance; and how probable all rounds are together is known. So each chance lies between what
was counted and that with all that is missing.

Sums are in floats. How far they may be off follows from the sum of all their parts without signs.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import pairwise, product
from math import floor, lcm
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from certify.families.blackjack.exact import kernels, residues
from certify.families.blackjack.exact.counting import Counted
from certify.families.blackjack.exact.kernels import LEAST, MAXIMUM, NATURAL
from certify.families.blackjack.exact.shoes import Near, cut, near
from certify.families.blackjack.exact.terms import endings
from certify.families.blackjack.side_bets import ACE, TEN, VALUES, Counts

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]

GRID: Final = 1 << 60
"""Chances are told in this part of one, rounded down."""

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
        ends: How play ended, as in :mod:`residues`, what is staked, and the total, seventeen for all that is less.
        alike: By end, whether the second card counts what the pair does.
    """

    drawn: Whole
    orders: Whole
    cells: Whole
    ends: tuple[tuple[int, int, int], ...]
    alike: NDArray[np.bool_]


class Together:
    """All hands of one split pair under a plan.

    Args:
        counted: The plan against an open card.
        value: The pair.
        alike: How many further cards would make it a pair again.
    """

    def __init__(self, counted: Counted, value: int, alike: int) -> None:
        self._counted, self._value, self._alike = counted, value, alike
        self._less = 0 if counted.endless else 1
        self._size = counted.against.size - 2 * self._less
        self._dealt = counted.against.dealer.dealt
        pays = counted.terms.pays
        self._unit = lcm(2, pays.win.denominator, pays.charlie.denominator)
        self._result, self._ways = cache(self._result_of), cache(self._ways_of)

    def law(self) -> dict[Result, Fraction]:
        """Returns what the chances of how all hands end are at least.

        Where the dealer looked, a natural ended the round before anything was split: it is not among them.
        """
        found = dict[Result, Fraction]()
        ended = endings(self._counted.terms.most_hands(self._value))
        for came in sorted({ending.pairs for ending in ended}):
            orders = np.zeros(came + 3)
            for ending, number in ended.items():
                if ending.pairs == came:
                    orders[ending.closed] += number * float(self._reached(came))
            if orders.any():
                for result, chance in self._of(came, orders).items():
                    found[result] = found.get(result, Fraction(0)) + chance
        return found

    def _reached(self, came: int) -> Fraction:
        """Returns the chance that so many further cards of the pair come first."""
        reached = Fraction(1)
        for gone in range(came):
            reached *= Fraction(max(self._alike - self._less * gone, 0), self._size - self._less * gone)
        return reached

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
        for end in range(NATURAL if self._counted.against.looked else NATURAL + 1):
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
            (halves, np.zeros((NATURAL + 1, *(counts[len(half) - 1].max() for half in halves))))
            for halves in _halves(orders)
        ]
        marks = np.zeros((NATURAL + 1, counts[1].max(), len(ways.ends)))
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
        counts = self._counted.shown_counts - self._less * (2 + came) * (np.arange(VALUES) == self._value)
        most = hands * (ways.drawn.max(axis=0) + 1) + self._dealt.drawn.max(axis=0)
        left, asked = tuple(counts.tolist()), tuple(most.tolist())
        if self._value == TEN:
            alike = max(self._alike - self._less * came, 0)
            left, asked = (*left[:-1], left[-1] - alike, alike), (*asked, asked[-1])
        if self._counted.endless:
            return Near(np.array([left]) / sum(left), np.ones(1), np.ones(1), np.ones(1))
        return near(left, asked, cut(sum(count > 0 for count in left)))

    def _sums(self, ways: _Ways, decks: Floats) -> tuple[Floats, Floats, Floats]:
        """Returns the ways in which a hand, a closed hand and the dealer's may end, by end, cards and deck."""
        ends, dealer, values, others = len(ways.ends), self._dealt, decks, np.zeros(len(decks))
        if self._value == TEN:
            values, others = np.column_stack([decks[:, :TEN], decks[:, TEN:].sum(axis=1)]), decks[:, TEN]
        cells = dealer.ends * MAXIMUM + dealer.drawn.sum(axis=1)
        drawn = kernels.sums(dealer.drawn, dealer.orders, cells, values, (NATURAL + 1) * MAXIMUM)
        hand = kernels.sums(ways.drawn, ways.orders, ways.cells, values, ends * MAXIMUM)
        hand = hand.reshape(ends, MAXIMUM, -1)
        closed = hand.copy()
        hand[ways.alike] *= values[:, self._value]
        closed[ways.alike] *= others
        return hand, closed, drawn.reshape(NATURAL + 1, MAXIMUM, -1)

    # --- what hands come to ------------------------------------------------------------------------------

    def _results(self, ways: _Ways, hands: int) -> Results:
        """Returns what none, one, two ... hands may come to, by the dealer's end: net results and stakes in units."""
        found = [[[(0, 0)] for _ in range(NATURAL + 1)]]
        single = [sorted({self._result(*one, end) for one in ways.ends}) for end in range(NATURAL + 1)]
        for _ in range(hands):
            found.append([
                sorted({(net + more, staked + stake) for (net, staked), (more, stake) in product(some, one)})
                for some, one in zip(found[-1], single, strict=True)
            ])  # fmt: skip
        return found

    def _folds(self, results: Results) -> Whole:
        """Returns the place of what so many hands and one more come to, by number, the dealer's end and both."""
        most = [max(len(ends) for ends in results[number]) for number in (-2, 1)]
        found = np.zeros((len(results) - 1, NATURAL + 1, *most), np.int64)
        for number, (some, more) in enumerate(pairwise(results)):
            for end in range(NATURAL + 1):
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
        drawn, orders, cells = list[Counts](), list[int](), list[int]()
        places = dict[tuple[int, int, int, bool], int]()
        for cards, kind, stake, total, alike, many in self._finished(came):
            place = places.setdefault((kind, stake, max(total, LEAST), alike), len(places))
            drawn.append(tuple(count - (alike and one == self._value) for one, count in enumerate(cards)))
            orders.append(many)
            cells.append(place * MAXIMUM + sum(cards))
        return _Ways(
            np.array(drawn), np.array(orders), np.array(cells), tuple(one[:3] for one in places),
            np.array([one[3] for one in places]),
        )  # fmt: skip

    def _finished(self, came: int) -> Iterator[tuple[Counts, int, int, int, bool, int]]:
        """Yields how a hand may end: cards drawn, kind, stake, total, second card like the pair, orders."""
        whole, terms = self._counted.against.hands, self._counted.terms
        plays = self._counted.plan.after_split(self._value, came)
        if self._value == ACE and not terms.rules.draw_to_aces:
            plays = np.zeros_like(plays)
        for alike in (False, True):
            orders = np.zeros(len(whole.held), np.int64)
            for second in range(VALUES):
                hand = tuple(int(self._value == one) + int(second == one) for one in range(VALUES))
                if hand in whole.place and (second == self._value) is alike:
                    orders[whole.place[hand]] = 1
            for place in np.arange(len(whole.held))[whole.cards >= 2].tolist():
                if orders[place]:
                    for cards, *ended in self._played(place, int(plays[place]), orders):
                        own = tuple(count - (value == self._value) for value, count in enumerate(cards))
                        yield own, *ended, alike, int(orders[place])  # type: ignore[misc]

    def _played(self, place: int, play: int, orders: Whole) -> Iterator[tuple[Counts, int, int, int]]:
        """Yields how a hand ends that comes in so many orders, and writes in how many it goes on."""
        whole, charlie = self._counted.against.hands, self._counted.terms.rules.charlie
        rescued, held = self._counted.plan.rescued, whole.held[place]
        if charlie and sum(held) >= charlie:
            yield held, residues.WINS_AT_ONCE, 1, 0
        elif play not in (kernels.HIT, kernels.DOUBLE):
            yield held, residues.STANDS, 1, int(whole.totals[place])
        else:
            stake = 2 if play == kernels.DOUBLE else 1
            for value, then in enumerate(whole.after[place].tolist()):
                more = (*held[:value], held[value] + 1, *held[value + 1 :])
                if then == -1:
                    yield more, residues.BUSTS, stake, 0
                elif then >= 0 and play == kernels.HIT:
                    orders[then] += orders[place]
                elif then >= 0 and charlie and sum(more) >= charlie:
                    yield more, residues.WINS_AT_ONCE, 2, 0
                elif then >= 0 and rescued is not None and rescued[then]:
                    yield more, residues.RESCUED, 2, 0
                elif then >= 0:
                    yield more, residues.STANDS, 2, int(whole.totals[then])


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
