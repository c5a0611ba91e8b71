"""Compiled: what the dealer draws, what every play on every hand is worth, and how hands end.

Each loop counts in floats or in remainders by a prime, as the numbers that it gets say. Floats serve the search alone:
the plays found in them are counted again in remainders, that is in whole numbers (:mod:`counting`), so that an error of
theirs could at most make a strategy that is not the best.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from certify.array_types import Floats, Marks, Whole
from certify.by_key import summed
from certify.families.blackjack.exact.shoes import Numbers
from certify.families.blackjack.side_bets import ACE, TEN, VALUES, Counts, total_of
from certify.kernels import njit

BUST, NATURAL, TWENTY_TWO, ENDS = 0, 6, 7, 8
"""How a dealer's hand may end, besides 17 to 21, which are 1 to 5; twenty-two busts unless it is kept apart."""

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

    heads: Whole
    values: Whole
    numbers: Whole
    last: Whole
    orders: Whole
    ends: Whole


@dataclass(frozen=True)
class Dealt:
    """Every set of cards that the dealer may draw to an open card.

    Args:
        drawn: Cards drawn, by value; a row each.
        orders: Orders in which they may come.
        ends: How the hand ends.
    """

    drawn: Whole
    orders: Whole
    ends: Whole

    @cached_property
    def tree(self) -> Tree:
        """The sets of drawn cards as a tree, in which those with the same beginning are walked together."""
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
    """Returns whether the dealer draws no more."""
    return total > 17 or (total == 17 and not (soft and hits_soft_17))


@lru_cache(maxsize=64)
def dealt(up: int, hits_soft_17: bool, pushes_22: bool = False) -> Dealt:
    """Returns everything that the dealer may draw to an open card.

    Args:
        up: Place of the value of the open card.
        hits_soft_17: Whether the dealer draws to a soft seventeen.
        pushes_22: Whether twenty-two is an end of its own.

    >>> int(dealt(9, False).orders.sum()) > 0
    True
    """
    first: Counts = tuple(int(value == up) for value in range(VALUES))
    growing: dict[Counts, int] = {(0,) * VALUES: 1}
    found: list[tuple[Counts, int, int]] = []
    while growing:
        longer = summed(
            ((*drawn[:value], drawn[value] + 1, *drawn[value + 1 :]), orders)
            for drawn, orders in growing.items()
            for value in range(VALUES)
        )
        growing = {}
        for drawn, orders in longer.items():
            total, soft = total_of(tuple(a + b for a, b in zip(first, drawn, strict=True)))
            if stands(total, soft, hits_soft_17):
                natural = total == 21 and sum(drawn) == 1 and up in (ACE, TEN)
                busts = TWENTY_TWO if pushes_22 and total == 22 else BUST
                found.append((drawn, orders, NATURAL if natural else busts if total > 21 else total - LEAST))
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

STANDS, BUSTS, WINS_AT_ONCE, SEVENS, GIVEN_UP, RESCUED, RUN, LONG = range(8)
"""How play of a hand may end; ``LONG`` is the first of three, by the number of cards."""

SPADE_RUN, SUITED_RUN = LONG + 3, LONG + 4
"""How a ``RUN`` ends where suits are kept apart."""

CELLS: Final = (LONG + 5, 3, 22, ENDS)
"""Cells that are counted: how play ended, stake, total where the hand stands, end of the dealer's hand.

Where the dealer's hand does not matter, its end is 6 for a natural and 0 for everything else.
"""

CELL_ROWS: Final = CELLS[0] * CELLS[1] * CELLS[2]

BLOCK: Final = 32
"""Shoes that are looked at side by side, so that one instruction counts for several."""


class HandTables(NamedTuple):
    """Hands of a player, those with fewer cards first.

    Args:
        counts: Cards of each value.
        after: Place of a hand with one more card of each value; -1 bust, -2 no such card.
        totals: What each counts.
    """

    counts: Whole
    after: Whole
    totals: Whole


class Deck(NamedTuple):
    """The cards that hands are dealt from.

    Args:
        left: Cards of each value before the hand's first card that is drawn.
        begun: Value of the card that the hand began with, -1 where it is dealt from ``left`` too.
        hole: Value that would make a natural of the open card, -1 where none does.
        endless: Whether cards are put back.
    """

    left: Whole
    begun: int
    hole: int
    endless: bool


class PaidHands(NamedTuple):
    """What hands are paid.

    Args:
        nets: What is won in each of the CELLS.
        at_once: How play ends on a hand that wins at once, 0 on all others: a row not doubled, and one doubled.
    """

    nets: NDArray[Any]
    at_once: Whole


@njit(cache=True, nogil=True)
def times(one: Any, other: Any, modulus: Any, share: float) -> Any:
    """Returns the product of two numbers, or the remainder of a product of two remainders.

    The quotient is taken in floats and is off by one at most. Product and multiple may both exceed a machine word: what
    is cut off is the same of both, so that their difference is right.

    Args:
        one: A number.
        other: Another.
        modulus: A prime below two to the power of BITS, none for floats.
        share: One over the prime.
    """
    if modulus is None:
        return one * other
    rest = one * other - np.int64(np.float64(one) * np.float64(other) * share) * modulus
    # Without branches, so that several products are taken side by side.
    rest += modulus & (rest >> 63)
    rest -= modulus
    return rest + (modulus & (rest >> 63))


@njit(cache=True, nogil=True)
def _hidden(left: Whole, hole: int, gone: int, share_of_one: Any, modulus: Any, share: float) -> Any:
    """Returns how probably the covered card makes a natural: so many cards like it are gone."""
    return 0 * share_of_one if hole < 0 else times(left[hole] - gone, share_of_one, modulus, share)


@njit(cache=True, nogil=True)
def _either(chance: Any, one: Any, other: Any, modulus: Any, share: float) -> Any:
    """Returns one worth with a chance, else the other."""
    other_chance = 1 - chance if modulus is None else modulus + 1 - chance
    both = times(chance, one, modulus, share) + times(other_chance, other, modulus, share)
    return times(both, 1, modulus, share)


@njit(cache=True, nogil=True)
def _standing(
    ends: NDArray[Any], row: int, nets: NDArray[Any], stake: int, total: int, modulus: Any, share: float
) -> Any:
    """Returns what a hand that stands is worth."""
    worth = times(ends[row, 0], nets[0, stake, total, 0], modulus, share)
    for end in range(1, ENDS):
        worth += times(ends[row, end], nets[0, stake, total, end], modulus, share)
    return times(worth, 1, modulus, share)


@njit(cache=True, nogil=True)
def chances(left: Whole, tree: Tree, endless: bool, numbers: Numbers) -> Any:
    """Returns how probably the dealer's hand ends in each way, for shoes of which so many cards of each value are left.

    Args:
        left: Cards left, a row a shoe.
        tree: What the dealer may draw.
        endless: Whether cards are put back.
        numbers: What is counted in.
    """
    heads, values, more, last, orders, ends = tree
    inverse, modulus, share = numbers
    found = np.zeros((left.shape[0], ENDS), inverse.dtype)
    ways = np.ones((10, MAXIMUM, BLOCK), inverse.dtype)
    whole = np.ones((MAXIMUM, BLOCK), inverse.dtype)
    reached = np.ones((heads.shape[0], BLOCK), inverse.dtype)
    sums = np.zeros((ENDS * MAXIMUM, BLOCK), inverse.dtype)
    most = more.max()
    for start in range(0, left.shape[0], BLOCK):
        rows = min(BLOCK, left.shape[0] - start)
        for row in range(rows):
            size = 0
            for value in range(10):
                count = left[start + row, value]
                size += count
                for number in range(1, most + 1):
                    rest = count if endless else max(count - (number - 1), 0)
                    ways[value, number, row] = times(ways[value, number - 1, row], rest, modulus, share)
            for number in range(1, MAXIMUM):
                rest = size if endless else size - (number - 1)
                whole[number, row] = times(whole[number - 1, row], inverse[max(rest, 0)], modulus, share)
        for node in range(1, heads.shape[0]):
            before, with_it = reached[heads[node]], ways[values[node], more[node]]
            for row in range(BLOCK):
                reached[node, row] = times(before[row], with_it[row], modulus, share)
        sums[:] = 0
        for one in range(orders.shape[0]):
            # Fewer than 2^15 orders in all: remainders summed so often fit a machine word.
            before, many, into = reached[last[one]], orders[one], sums[ends[one]]
            for row in range(BLOCK):
                into[row] += before[row] * many
        for end in range(ENDS):
            for number in range(MAXIMUM):
                for row in range(rows):
                    rest = times(sums[end * MAXIMUM + number, row], 1, modulus, share)
                    total = found[start + row, end] + times(rest, whole[number, row], modulus, share)
                    found[start + row, end] = times(total, 1, modulus, share)
    return found


@njit(cache=True, nogil=True)
def worths(
    tables: HandTables, places: Whole, asked: Marks, plays: Whole, rescued: Marks, best: int, rows: Whole,
    ends: NDArray[Any], deck: Deck, paid: PaidHands, numbers: Numbers,
) -> Any:  # fmt: skip
    """Returns what plays on hands are worth, later cards played as stated or at best.

    Args:
        tables: The hands.
        places: Those that count, and all that play comes to from there, those with more cards first.
        asked: Which plays count on each hand.
        plays: The play on each hand; written where the best is looked for.
        rescued: Whether a doubled hand is given up, by its place; written where that is looked for.
        best: Whether the best play is looked for: 0 no, 1 yes, 2 also whether doubled hands are given up.
        rows: Row of ``ends`` of each hand.
        ends: How probably the dealer's hand ends.
        deck: The cards.
        paid: What is paid.
        numbers: What is counted in.
    """
    counts, after, totals = tables
    left, begun, hole, endless = deck
    nets, at_once = paid
    inverse, modulus, share = numbers
    found = np.zeros((counts.shape[0], 4), inverse.dtype)
    size = left.sum()
    for place in places:
        held, fits = 0, True
        for value in range(10):
            drawn = counts[place, value] - int(value == begun)
            fits = fits and drawn >= 0 and (endless or drawn <= left[value])
            held += counts[place, value]
        cards = held - int(begun >= 0)
        # The best play is written for hands too that no such shoe deals: the digest of a strategy is of them all.
        if rows[place] < 0 or not (fits or best) or (cards >= size and not endless):
            continue
        many = size if endless else size - cards
        gone = 0 if hole < 0 or endless else counts[place, hole] - int(hole == begun)
        natural = _hidden(left, hole, gone, inverse[many], modulus, share)
        worth = found[place]
        kind = at_once[0, place]
        if kind:
            worth[:] = _either(natural, nets[kind, 1, 0, 6], nets[kind, 1, 0, 0], modulus, share)
            continue
        if asked[place, STAND]:
            worth[STAND] = _standing(ends, rows[place], nets, 1, totals[place], modulus, share)
        worth[SURRENDER] = _either(natural, nets[GIVEN_UP, 1, 0, 6], nets[GIVEN_UP, 1, 0, 0], modulus, share)
        for value in range(10 if asked[place, HIT] or asked[place, DOUBLE] else 0):
            count = left[value] if endless else left[value] - counts[place, value] + int(value == begun)
            if count <= 0:
                continue
            step, then = times(count, inverse[many], modulus, share), after[place, value]
            gone_too, fewer = (0, many) if endless else (gone + int(value == hole), many - 1)
            hidden = _hidden(left, hole, gone_too, inverse[fewer], modulus, share)
            if then < 0:
                once = _either(hidden, nets[BUSTS, 1, 0, 6], nets[BUSTS, 1, 0, 0], modulus, share)
                twice = _either(hidden, nets[BUSTS, 2, 0, 6], nets[BUSTS, 2, 0, 0], modulus, share)
            else:
                once, twice = found[then, plays[then]], 0
                if asked[place, DOUBLE]:
                    kind = at_once[1, then] or RESCUED
                    twice = _either(hidden, nets[kind, 2, 0, 6], nets[kind, 2, 0, 0], modulus, share)
                    if kind == RESCUED and (best == 2 or not rescued[then]):
                        stood = _standing(ends, rows[then], nets, 2, totals[then], modulus, share)
                        if best == 2:
                            rescued[then] = stood < twice
                        if not rescued[then]:
                            twice = stood
            worth[HIT] += times(step, once, modulus, share)
            worth[DOUBLE] += times(step, twice, modulus, share)
        for play in range(4):
            worth[play] = times(worth[play], 1, modulus, share)
        # Nobody decides on twenty-one.
        for play in range(1, 4 if best and totals[place] < 21 else 1):
            if asked[place, play] and worth[play] > worth[plays[place]] + 1e-13:
                plays[place] = play
    return found


@njit(cache=True, nogil=True)
def ended(
    cards: Whole, cells: Whole, rows: Whole, orders: Whole, ends: Whole, deck: Deck, numbers: Numbers
) -> Any:
    """Returns how probably play of a hand ends in each of the CELLS, in remainders by a prime.

    Args:
        cards: Cards of each value in a hand that is finished, a row each.
        cells: How it ended: place of the cell among those that tell the dealer's hand not apart.
        rows: Row of ``ends``, -1 where the dealer's hand does not matter.
        orders: Orders in which the cards may come.
        ends: How probably the dealer's hand ends.
        deck: The cards.
        numbers: What is counted in.
    """
    left, _, hole, endless = deck
    inverse, modulus, share = numbers
    found = np.zeros((CELL_ROWS, ENDS), inverse.dtype)
    size = left.sum()
    for one in range(orders.size):
        chance, drawn = times(orders[one], 1, modulus, share), 0
        for value in range(10):
            for number in range(cards[one, value]):
                count = left[value] if endless else max(left[value] - number, 0)
                chance = times(chance, count, modulus, share)
                chance = times(chance, inverse[size if endless else size - drawn], modulus, share)
                drawn += 1
        cell = found[cells[one]]
        if rows[one] >= 0:
            for end in range(ENDS):
                more = times(chance, ends[rows[one], end], modulus, share)
                cell[end] = times(cell[end] + more, 1, modulus, share)
        else:
            gone = 0 if hole < 0 or endless else cards[one, hole]
            hidden = _hidden(left, hole, gone, inverse[size if endless else size - drawn], modulus, share)
            natural = times(chance, hidden, modulus, share)
            cell[6] = times(cell[6] + natural, 1, modulus, share)
            cell[0] = times(cell[0] + chance + modulus - natural, 1, modulus, share)
    return found


@njit(cache=True, nogil=True)
def sums(drawn: Whole, orders: Floats, cells: Whole, decks: Floats, number: int) -> Any:
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
def _folded(some: Floats, one: Floats, many: int, ends: int, fold: Whole, into: Floats) -> None:
    """Adds what several hands and one more come to together."""
    for place in range(many):
        for end in range(ends):
            then = fold[place, end]
            for deck in range(one.shape[1]):
                into[then, deck] += some[place, deck] * one[end, deck]


@njit(cache=True, nogil=True)
def several(any_hand: Floats, closed_hand: Floats, orders: Floats, folds: Whole, counts: Whole) -> Any:
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
    found = np.zeros((sizes, ENDS, most, decks))
    for size in range(sizes):
        for end in range(ENDS):
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
