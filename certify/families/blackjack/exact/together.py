"""How the hands of one split pair end together, with the dealer's hand: every two of them, counted.

What two hands hold when they are finished says what is left for the dealer, so every two finished hands are met with
the law of the dealer's hand. A hand that busts is the hand before it, less all that it becomes without busting: so
hands that bust need not be listed. Two hands of a split, and the variance of any number of them, are counted so,
right to some 10^-13. Of three and four hands every two are: of more at once, what two of them know of each other is
taken for all that they know (Kirkwood's superposition), which leaves out only what three cards tell of one another.

Source: Kirkwood, Statistical mechanics of fluid mixtures, J. Chem. Phys. 3 (1935), for the superposition.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, reduce
from itertools import combinations
from math import lcm
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from certify.families.blackjack.cards import ACE, VALUES
from certify.families.blackjack.exact import kernels, residues
from certify.families.blackjack.exact.counting import Counted
from certify.families.blackjack.exact.dealer import NATURAL, dealt
from certify.families.blackjack.exact.hands import KEYS
from certify.families.blackjack.exact.splits import Ending, endings

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]

ENDS: Final = range(NATURAL + 1)
CLOSED, FREE = "closed", "free"
"""A hand whose second card is none of the pair, and one whose second card may be any."""


class Result(NamedTuple):
    """How a round of several hands ends.

    Args:
        net: Net result, in units.
        staked: Everything staked, in units.
        natural: Whether the dealer holds a natural.
    """

    net: int
    staked: int
    natural: bool


class _Finished(NamedTuple):
    """A part of the ways in which one hand ends.

    Args:
        place: What it holds, by its place among the hands.
        kind: How play ended, as in :mod:`residues`.
        stake: What is staked.
        total: What it counts, nought where that does not matter.
        alike: Whether its second card counts what the pair does.
        orders: In how many orders it comes; below nought where that many are taken out again.
    """

    place: int
    kind: int
    stake: int
    total: int
    alike: bool
    orders: int


class _Hand(NamedTuple):
    """Everything in which one hand may end.

    Args:
        keys: Cards drawn to the card of the pair, one number each.
        weights: Orders by the dealer's end, cards drawn and result; results twice, for second cards unlike the pair
            and like it.
        results: Net results and stakes in units, by the dealer's end.
    """

    keys: Whole
    weights: Floats
    results: Whole


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
        pays = counted.terms.pays
        self.unit = lcm(2, pays.win.denominator, pays.charlie.denominator)
        self._lost = (
            self.unit if counted.against.law(split=True) in (kernels.BUSTED_APART, kernels.ORIGINAL) else 0
        )
        self._tree = dealt(counted.plan.up, counted.terms.rules.hits_soft_17).tree

    def law(self) -> tuple[dict[Result, float], float]:
        """Returns the chances of how all hands end, and the mean of the squared net result, in units.

        Where the dealer looked, a natural ended the round before anything was split: it is not among them.
        """
        found, square = dict[Result, float](), 0.0
        for ending, orders in endings(self._counted.terms.most_hands(self._value)).items():
            reached = float(orders)
            for gone in range(ending.pairs):
                reached *= self._chance(gone)
            if reached:
                for end in ENDS[: -1 if self._counted.against.looked else None]:
                    square += reached * self._end(ending, end, reached, found)
        return found, square

    def _chance(self, gone: int) -> float:
        """Returns the chance that the next card is one of the pair, with so many further ones gone."""
        return max(self._alike - self._less * gone, 0) / (self._size - self._less * gone)

    def _end(self, ending: Ending, end: int, reached: float, found: dict[Result, float]) -> float:
        """Adds the chances of what hands come to against one end of the dealer's; returns their mean square."""
        kinds = (CLOSED,) * ending.closed + (FREE,) * ending.free
        net, staked = self._hand(ending.pairs).results[end].T
        two = {
            (one, other): self._two(ending.pairs, kinds[one], kinds[other], ending.closed, end)
            for one, other in combinations(range(len(kinds)), 2)
        }
        whole = float(two[0, 1].sum())
        if whole <= 0:
            return 0.0
        single = [two[0, 1].sum(axis=1), *(two[0, other].sum(axis=0) for other in range(1, len(kinds)))]
        chances = _superposed(
            [one / whole for one in single], {pair: part / whole for pair, part in two.items()}
        )
        lost = self._lost if end == NATURAL else 0
        sums = [reduce(np.add, np.ix_(*[one] * len(kinds))).ravel() for one in (net, staked)]
        sets, place = np.unique(np.stack(sums, axis=1), axis=0, return_inverse=True)
        merged = np.bincount(place.ravel(), chances.ravel())
        for (total, stakes), chance in zip(sets.tolist(), merged.tolist(), strict=True):
            key = Result(total - lost, stakes, end == NATURAL)
            if chance:
                found[key] = found.get(key, 0.0) + reached * whole * chance
        crossed = sum(float(net @ part @ net) for part in two.values())
        alone = sum(float((net * net - 2 * lost * net) @ one) for one in single)
        return 2 * crossed + alone + lost * lost * whole

    # --- two hands ---------------------------------------------------------------------------------------

    def _two(self, came: int, one: str, other: str, closed: int, end: int) -> Floats:
        """Returns the chances of the results of two hands, while further hands are known to be closed."""
        return self._known(came, came, one, other, closed - (one, other).count(CLOSED))[end]

    @cache  # noqa: B019
    def _known(self, came: int, gone: int, one: str, other: str, others: int) -> tuple[Floats, ...]:
        """Returns them by the dealer's end; what is known of others is taken out one by one, as in :mod:`splits`."""
        if not others:
            return self._any(came, gone, one, other)
        fewer, chance = self._known(came, gone, one, other, others - 1), self._chance(gone)
        if not chance:
            return fewer
        more = self._known(came, gone + 1, one, other, others - 1)
        return tuple(left - chance * right for left, right in zip(fewer, more, strict=True))

    @cache  # noqa: B019
    def _any(self, came: int, gone: int, one: str, other: str) -> tuple[Floats, ...]:
        """Returns them where nothing is known of other hands."""
        left = self._counted.left_of(self._value) - self._less * (2 + gone)
        like = self._alike - self._less * gone
        # Of cards that count what the pair does, these shares make it a pair: of one such card, and of two.
        first = like / max(left, 1)
        second = first * (like - self._less) / max(left - self._less, 1)
        kept = [1.0 - first * (kind == CLOSED) for kind in (one, other)]
        both = 1.0 - first * ((one, other).count(CLOSED)) + second * (one == other == CLOSED)
        return tuple(
            neither + kept[1] * unlike + kept[0] * unlike_other + both * alike
            for neither, unlike, unlike_other, alike in self._tables(came, gone)
        )

    @cache  # noqa: B019
    def _tables(self, came: int, gone: int) -> tuple[tuple[Floats, Floats, Floats, Floats], ...]:
        """Returns the chances of the results of two hands by the dealer's end.

        Four each: no second card counts what the pair does, the second hand's does, the first hand's, both.
        """
        # Where hands are played alike however many there are, they are counted once.
        plays, plan = self._counted.plan.after_split(self._value, came), self._counted.plan
        alike = min(one for one in range(came + 1) if plan.after_split(self._value, one) is plays)
        if alike < came or (gone and not self._less):
            return self._tables(alike, gone if self._less else 0)
        hand, found = self._hand(came), []
        keys, index = self._unions(came)
        meets = kernels.meets(index, self._met(keys, gone), hand.weights)
        many = hand.results.shape[1]
        for one, other in zip(hand.weights, meets, strict=True):
            whole = one.T @ other
            found.append((whole[:many, :many], whole[:many, many:], whole[many:, :many], whole[many:, many:]))
        return tuple(found)

    @cache  # noqa: B019
    def _unions(self, came: int) -> tuple[Whole, Whole]:
        """Returns every two hands' cards as one number, and for each two hands which of them it is."""
        keys = self._hand(came).keys
        found, index = np.unique(keys[:, None] + keys[None, :], return_inverse=True)
        return found, index.reshape(len(keys), len(keys))

    def _met(self, keys: Whole, gone: int) -> Floats:
        """Returns the chances of cards drawn, each set as one number, with each end of the dealer's hand."""
        held = keys[:, None] // KEYS % KEYS[1]
        left, size = self._counted.shown_counts, self._size - self._less * gone
        if self._less:
            left = left - (2 + gone) * (np.arange(VALUES) == self._value)
            ends = kernels.chances(np.maximum(left - held, 0), *self._tree, False)
        else:
            ends = np.repeat(kernels.chances(left[None, :], *self._tree, True), len(keys), axis=0)
        ways, drawn = np.ones(len(keys)), np.zeros(len(keys), np.int64)
        for value in range(VALUES):
            for number in range(int(held[:, value].max())):
                more = held[:, value] > number
                ways[more] *= max(int(left[value]) - self._less * number, 0)
                ways[more] /= np.maximum(size - self._less * drawn[more], 1)
                drawn += more
        met: Floats = ways[:, None] * ends
        return met

    # --- one hand ----------------------------------------------------------------------------------------

    @cache  # noqa: B019
    def _hand(self, came: int) -> _Hand:
        """Returns everything in which a hand may end that is played as where so many further cards of the pair came."""
        finished = [one for one in self._finished(came) if one.orders]
        places = sorted({one.place for one in finished})
        row = {place: number for number, place in enumerate(places)}
        keys = self._counted.against.hands.keys[places] - KEYS[self._value]
        numbers = [dict[tuple[int, int], int]() for _ in ENDS]
        entries = [
            (
                end,
                row[one.place],
                ends.setdefault(self._result(one.kind, one.stake, one.total, end), len(ends)),
                one,
            )
            for end, ends in enumerate(numbers)
            for one in finished
        ]
        many = max(len(ends) for ends in numbers)
        weights, results = (
            np.zeros((len(ENDS), len(places), 2 * many)),
            np.zeros((len(ENDS), many, 2), np.int64),
        )
        for end, number, result, one in entries:
            weights[end, number, result + many * one.alike] += one.orders
        for end, ends in enumerate(numbers):
            results[end, : len(ends)] = list(ends)
        return _Hand(keys, weights, results)

    @cache  # noqa: B019
    def _result(self, kind: int, stake: int, total: int, end: int) -> tuple[int, int]:
        ended = self._counted.settled(kind, stake, total, end, split=True)
        return int(ended.net * self.unit), int(ended.staked * self.unit)

    def _finished(self, came: int) -> Iterator[_Finished]:
        """Yields the parts of the ways in which a hand ends."""
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
            for place in range(len(whole.held)):
                if orders[place]:
                    yield from self._played(place, int(plays[place]), alike, orders)

    def _played(self, place: int, play: int, alike: bool, orders: Whole) -> Iterator[_Finished]:
        """Yields how a hand ends that comes in so many orders, and writes in how many it goes on."""
        whole, charlie, many = (
            self._counted.against.hands,
            self._counted.terms.rules.charlie,
            int(orders[place]),
        )
        if charlie and whole.cards[place] >= charlie:
            yield _Finished(place, residues.WINS_AT_ONCE, 1, 0, alike, many)
            return
        if play not in (kernels.HIT, kernels.DOUBLE):
            yield _Finished(place, residues.STANDS, 1, int(whole.totals[place]), alike, many)
            return
        stake, after = 2 if play == kernels.DOUBLE else 1, whole.after[place].tolist()
        if -1 in after:
            yield _Finished(place, residues.BUSTS, stake, 0, alike, many)
        for then in after:
            if then < 0:
                continue
            if -1 in after:
                yield _Finished(then, residues.BUSTS, stake, 0, alike, -many)
            if play == kernels.HIT:
                orders[then] += many
            elif charlie and whole.cards[then] >= charlie:
                yield _Finished(then, residues.WINS_AT_ONCE, 2, 0, alike, many)
            elif self._counted.plan.rescued is not None and self._counted.plan.rescued[then]:
                yield _Finished(then, residues.RESCUED, 2, 0, alike, many)
            else:
                yield _Finished(then, residues.STANDS, 2, int(whole.totals[then]), alike, many)


def _superposed(single: list[Floats], two: dict[tuple[int, int], Floats]) -> Floats:
    """Returns how probably hands end together: as every two of them do, and of more no more than follows from that."""
    if len(single) == 2:
        return two[0, 1]
    apart = reduce(np.multiply, np.ix_(*single))
    chances = apart
    for (one, other), part in two.items():
        alone = np.outer(single[one], single[other])
        ratio = np.divide(part, alone, out=np.ones_like(part), where=alone > 0)
        shape = [len(ends) if place in (one, other) else 1 for place, ends in enumerate(single)]
        chances = chances * np.maximum(ratio, 0.0).reshape(shape)
    whole = chances.sum()
    # Of a shoe so small that no three hands fit every two of them, nothing better is known than hands apart.
    return chances / whole if whole > 0 else apart
