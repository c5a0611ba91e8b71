"""Compiled search in floats: what standing and every play is worth. Only the search is in floats, no figure is.

The plays found here are counted again in whole numbers (:mod:`counting`), so that an error here could at most make
a strategy that is not the best, and the margins by which each choice is best are proved there.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Final, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from certify.families.blackjack.side_bets import ACE, TEN, VALUES, Counts, total_of

BUST, NATURAL = 0, 6
"""How a dealer's hand may end, besides 17 to 21, which are 1 to 5."""

MAXIMUM: Final = 24
"""More cards than a dealer's hand holds, and more of one value than a player's."""

LEAST: Final = 16
"""A total of the dealer less this is how the hand ends."""


class Tree(NamedTuple):
    """Sets of cards as a tree: a node adds cards of one value to those of the node before it.

    Args:
        heads: The node before each; the first node holds nothing.
        values: Value of which a node adds cards.
        numbers: How many it adds.
        last: The node at which each set is complete.
        orders: Orders in which a set may come.
        ends: How the hand ends with it, times MAXIMUM, and the number of its cards.
    """

    heads: NDArray[np.int64]
    values: NDArray[np.int64]
    numbers: NDArray[np.int64]
    last: NDArray[np.int64]
    orders: NDArray[np.int64]
    ends: NDArray[np.int64]


@dataclass(frozen=True)
class Dealt:
    """Every set of cards that the dealer may draw to an open card.

    Args:
        drawn: Cards drawn, by value; a row each.
        orders: Orders in which they may come.
        ends: How the hand ends.
    """

    drawn: NDArray[np.int64]
    orders: NDArray[np.int64]
    ends: NDArray[np.int64]

    @cached_property
    def tree(self) -> Tree:
        """The sets of drawn cards as a tree, in which those that begin alike are walked together."""
        nodes: dict[tuple[int, ...], int] = {(): 0}
        heads, values, numbers, last = [0], [0], [0], list[int]()
        for drawn in self.drawn.tolist():
            node, path = 0, tuple[int, ...]()
            # Cards of high values come first: few sets hold many of them.
            for value in reversed(range(VALUES)):
                if drawn[value]:
                    path = (*path, value, drawn[value])
                    if path not in nodes:
                        nodes[path] = len(heads)
                        heads.append(node)
                        values.append(value)
                        numbers.append(drawn[value])
                    node = nodes[path]
            last.append(node)
        ends = self.ends * MAXIMUM + self.drawn.sum(axis=1)
        return Tree(*(np.array(one, np.int64) for one in (heads, values, numbers, last, self.orders, ends)))


def stands(total: int, soft: bool, hits_soft_17: bool) -> bool:
    """Tells whether the dealer draws no more."""
    return total > 17 or (total == 17 and not (soft and hits_soft_17))


@lru_cache(maxsize=64)
def dealt(up: int, hits_soft_17: bool) -> Dealt:
    """Returns everything that the dealer may draw to an open card.

    Args:
        up: Place of the value of the open card.
        hits_soft_17: Whether the dealer draws to a soft seventeen.

    >>> int(dealt(9, False).orders.sum()) > 0
    True
    """
    first: Counts = tuple(int(value == up) for value in range(VALUES))
    growing: dict[Counts, int] = {(0,) * VALUES: 1}
    found: list[tuple[Counts, int, int]] = []
    while growing:
        longer: dict[Counts, int] = {}
        for drawn, orders in growing.items():
            for value in range(VALUES):
                more = (*drawn[:value], drawn[value] + 1, *drawn[value + 1 :])
                longer[more] = longer.get(more, 0) + orders
        growing = {}
        for drawn, orders in longer.items():
            total, soft = total_of(tuple(a + b for a, b in zip(first, drawn, strict=True)))
            if stands(total, soft, hits_soft_17):
                natural = total == 21 and sum(drawn) == 1 and up in (ACE, TEN)
                found.append((drawn, orders, NATURAL if natural else BUST if total > 21 else total - LEAST))
            else:
                growing[drawn] = orders
    return Dealt(
        np.array([drawn for drawn, _, _ in found], np.int64),
        np.array([orders for _, orders, _ in found], np.int64),
        np.array([end for _, _, end in found], np.int64),
    )


STAND, HIT, DOUBLE, SURRENDER = 0, 1, 2, 3
"""Plays as numbers."""

LOOKED, WHOLE, BETS, BUSTED, BUSTED_APART, ORIGINAL = 0, 1, 2, 3, 4, 5
"""What a natural of the dealer takes of a hand: nothing is played where the dealer looked; else everything staked, its
bet, everything if it bust and else its bet; of hands of a split everything if it bust, or nothing, where the round
loses one stake as a whole."""

BLOCK: Final = 32
"""Shoes that are looked at side by side, so that one instruction counts for several."""

Floats = NDArray[np.float64]
Places = NDArray[np.int64]


@njit(cache=True, nogil=True)
def chances(
    left: Places, heads: Places, values: Places, numbers: Places, last: Places, orders: Places, ends: Places,
    endless: bool,
) -> Any:  # fmt: skip
    """Returns how probably the dealer's hand ends in each way, for shoes of which so many cards of each value are left.

    Args:
        left: Cards left, a row a shoe.
        heads: What the dealer may draw as a tree: for each node the one before it.
        values: Value of which a node adds cards.
        numbers: How many it adds.
        last: The node at which each set of drawn cards is complete.
        orders: Orders in which a set may come.
        ends: How the hand ends with it, times MAXIMUM, and the number of its cards.
        endless: Whether cards are put back.
    """
    found = np.zeros((left.shape[0], 7))
    drawn = np.ones((10, MAXIMUM, BLOCK))
    whole = np.ones((MAXIMUM, BLOCK))
    reached = np.ones((heads.shape[0], BLOCK))
    sums = np.zeros((7, BLOCK))
    most = numbers.max()
    for start in range(0, left.shape[0], BLOCK):
        rows = min(BLOCK, left.shape[0] - start)
        for row in range(rows):
            size = 0.0
            for value in range(10):
                count = float(left[start + row, value])
                size += count
                for number in range(1, most + 1):
                    rest = count if endless else max(count - (number - 1), 0.0)
                    drawn[value, number, row] = drawn[value, number - 1, row] * rest
            for number in range(1, MAXIMUM):
                rest = size if endless else size - (number - 1)
                whole[number, row] = whole[number - 1, row] / rest if rest > 0 else 0.0
        for node in range(1, heads.shape[0]):
            before, more = reached[heads[node]], drawn[values[node], numbers[node]]
            for row in range(BLOCK):
                reached[node, row] = before[row] * more[row]
        sums[:] = 0.0
        for one in range(orders.shape[0]):
            end, many = ends[one] // MAXIMUM, float(orders[one])
            set_reached, ways = reached[last[one]], whole[ends[one] % MAXIMUM]
            for row in range(BLOCK):
                sums[end, row] += many * set_reached[row] * ways[row]
        for row in range(rows):
            for end in range(found.shape[1]):
                found[start + row, end] = sums[end, row]
    return found


@njit(cache=True, nogil=True)
def sums(drawn: Places, orders: Places, cells: Places, decks: Floats, number: int) -> Any:
    """Returns how many ways there are to draw sets of cards from endless decks, by cell and deck.

    Args:
        drawn: Cards of each value, a row a set.
        orders: In how many orders each may come.
        cells: To which cell each belongs.
        decks: Parts of each value, a row a deck.
        number: Number of cells.
    """
    many = decks.shape[0]
    powers = np.ones((10, MAXIMUM, many))
    for value in range(10):
        for count in range(1, MAXIMUM):
            for deck in range(many):
                powers[value, count, deck] = powers[value, count - 1, deck] * decks[deck, value]
    found, ways = np.zeros((number, many)), np.empty(many)
    for row in range(drawn.shape[0]):
        ways[:] = orders[row]
        for value in range(10):
            if drawn[row, value]:
                power = powers[value, drawn[row, value]]
                for deck in range(many):
                    ways[deck] *= power[deck]
        cell = found[cells[row]]
        for deck in range(many):
            cell[deck] += ways[deck]
    return found


@njit(cache=True, nogil=True)
def _folded(some: Floats, one: Floats, many: int, ends: int, fold: Places, into: Floats) -> None:
    """Adds what several hands and one more come to together."""
    for place in range(many):
        for end in range(ends):
            then = fold[place, end]
            for deck in range(one.shape[1]):
                into[then, deck] += some[place, deck] * one[end, deck]


@njit(cache=True, nogil=True)
def several(any_hand: Floats, closed_hand: Floats, orders: Floats, folds: Places, counts: Places) -> Any:
    """Returns how several hands of a split pair end together, by size of deck, the dealer's end, result and deck.

    Args:
        any_hand: Ways in which one hand ends, by the same.
        closed_hand: The same of a hand whose second card is none of the pair.
        orders: By the number of closed hands, what that weighs.
        folds: What so many hands that come to this, and one more that comes to that, come to: by number, end, both.
        counts: How many things so many hands may come to, by number and end.
    """
    hands, sizes, decks = orders.size - 1, any_hand.shape[0], any_hand.shape[3]
    most = counts[: hands + 1].max()
    found = np.zeros((sizes, 7, most, decks))
    for size in range(sizes):
        for end in range(7):
            free, closed = any_hand[size, end], closed_hand[size, end]
            some, shut = np.full((1, decks), orders[0]), np.ones((1, decks))
            begun = orders[0] != 0.0
            for number in range(1, hands + 1):
                many, fold = counts[number - 1, end], folds[number - 1, end]
                then = found[size, end] if number == hands else np.zeros((most, decks))
                if begun:
                    _folded(some, free, many, counts[1, end], fold, then)
                if (orders[number:] != 0.0).any():
                    more = np.zeros((most, decks))
                    _folded(shut, closed, many, counts[1, end], fold, more)
                    shut = more
                if orders[number] != 0.0:
                    begun = True
                    for result in range(most):
                        for deck in range(decks):
                            then[result, deck] += orders[number] * shut[result, deck]
                some = then
    return found


@njit(cache=True, nogil=True)
def _taken(stake: float, bust: bool, law: int) -> float:
    """Returns what a hand comes to where the dealer turns out to hold a natural."""
    if law == 0 or law == 5:
        return 0.0
    if law == 1 or (bust and law >= 3):
        return -stake
    return 0.0 if law == 4 else -1.0


@njit(cache=True, nogil=True)
def settled(total: int, stake: float, ends: Floats, law: int, win: float) -> Any:
    """Returns what a hand that stands is worth, its natural part by the law that holds.

    Args:
        total: What it counts.
        stake: What is staked on it.
        ends: How probably the dealer's hand ends in each way.
        law: What a natural takes.
        win: What a win is paid.
    """
    won = ends[0]
    lost = 0.0
    for end in range(1, 6):
        if total > end + 16:
            won += ends[end]
        elif total < end + 16:
            lost += ends[end]
    return stake * (won * win - lost) + ends[6] * _taken(stake, False, law)


@njit(cache=True, nogil=True)
def play(
    hands: Places, after: Places, totals: Places, doubles: NDArray[np.bool_], surrenders: NDArray[np.bool_],
    rows: Places, ends: Floats, left: Places, size: int, up: int, endless: bool, law: int, win: float,
    charlie: int, charlie_pays: float, sevens: int, sevens_pay: float, rescue: bool, best: bool,
    rescued: NDArray[np.bool_], acts: Places, values: Floats, first: Floats,
) -> None:  # fmt: skip
    """Writes what every hand is worth from which play may go on, the dealer's natural taken as the law says.

    Args:
        hands: The hands, those with fewer cards first.
        after: Place of a hand with one more card of each value; -1 bust, -2 no such card.
        totals: What each counts.
        doubles: Whether each may be doubled.
        surrenders: Whether each may be given up.
        rows: Row of ``ends`` of each hand, -1 where it is not played.
        ends: How probably the dealer's hand ends.
        left: Cards of each value that are left, the hand itself still among them.
        size: How many that are.
        up: Value of the open card.
        endless: Whether cards are put back.
        law: What a natural takes that shows after play.
        win: What a win is paid.
        charlie: Number of cards that win at once, 0 for none.
        charlie_pays: What they are paid.
        sevens: Place of the hand of three sevens, -1 where nothing is paid for it.
        sevens_pay: What it is paid.
        rescue: Whether a doubled hand may be given up for one stake.
        best: Whether the best play is looked for, and written to ``acts`` and ``rescued``.
        rescued: Whether each hand is given up once it was doubled.
        acts: The play on each hand; its double and surrender where they are allowed.
        values: What each hand is worth, written.
        first: Standing, hitting, doubling and giving up, written for each hand.
    """
    hole = 9 if up == 0 else 0
    natural = up == 0 or up == 9
    for place in range(hands.shape[0] - 1, -1, -1):
        if rows[place] < 0:
            continue
        cards = 0
        for value in range(10):
            cards += hands[place, value]
        many = size if endless else size - cards
        if many <= 1:
            # Nobody plays on when the shoe is empty: such hands are not come to.
            continue
        hidden = 0.0
        if natural:
            hidden = float(left[hole] if endless else left[hole] - hands[place, hole]) / many
        paid = -9.0
        if charlie > 0 and cards >= charlie:
            paid = charlie_pays
        if place == sevens:
            paid = sevens_pay
        if paid > -9.0:
            values[place] = paid * (1.0 - hidden if law == 0 else 1.0)
            acts[place] = 0
            first[place, :] = values[place]
            continue
        standing = settled(totals[place], 1.0, ends[rows[place]], law, win)
        hitting = 0.0
        doubling = 0.0
        for value in range(10):
            count = left[value] if endless else left[value] - hands[place, value]
            if count <= 0:
                continue
            chance = float(count) / many
            then = after[place, value]
            if then < 0:
                held = 0.0
                if natural:
                    rest = left[hole] if endless else left[hole] - hands[place, hole] - int(value == hole)
                    held = float(rest) / (many if endless else many - 1)
                hitting += chance * (held - 1.0 + held * _taken(1.0, True, law))
                doubling += chance * (2.0 * (held - 1.0) + held * _taken(2.0, True, law))
                continue
            hitting += chance * values[then]
            if not doubles[place]:
                continue
            if then == sevens or (charlie > 0 and cards + 1 >= charlie):
                doubling += chance * 2.0 * values[then]
                continue
            twice = settled(totals[then], 2.0, ends[rows[then]], law, win)
            if rescue:
                held = ends[rows[then], 6] if law == 0 else 0.0
                if best:
                    rescued[then] = twice < held - 1.0
                if rescued[then]:
                    twice = held - 1.0
            doubling += chance * twice
        given = -0.5 * (1.0 - hidden) - (hidden if law != 0 else 0.0)
        first[place, 0] = standing
        first[place, 1] = hitting
        first[place, 2] = doubling if doubles[place] else -9.0
        first[place, 3] = given if surrenders[place] else -9.0
        if best:
            acts[place] = 0
            # Nobody is asked on twenty-one.
            for option in range(1, 4 if totals[place] < 21 else 1):
                if first[place, option] > first[place, acts[place]] + 1e-13:
                    acts[place] = option
        values[place] = first[place, acts[place]]
