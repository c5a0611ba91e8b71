"""Exact chances by remainders: counted modulo several primes at once, put together to the one fraction they fit.

A chance that is asked for here is a whole number over the ways to draw so many cards in order. Its remainders modulo
enough primes say which number that is, for it lies between nought and those ways (Chinese remainder theorem). So
compiled loops count exactly what does not fit a machine word.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache, lru_cache
from math import prod
from typing import Any, Final

import numpy as np
from numba import njit
from numpy.typing import NDArray

from certify.families.blackjack.exact.kernels import MAXIMUM

Whole = NDArray[np.int64]

BITS: Final = 48
"""Primes lie below two to this power, so that a quotient of two remainders' product in floats is off by one at most."""

BLOCK: Final = 32
"""Shoes that are looked at side by side."""

STANDS, BUSTS, WINS_AT_ONCE, SEVENS, GIVEN_UP, RESCUED = range(6)
"""How play of a hand may end."""

CELLS: Final = (6, 3, 22, 7)
"""Cells that are counted: how play ended, stake, total where the hand stands, end of the dealer's hand.

Where the dealer's hand does not matter, its end is 6 for a natural and 0 for everything else.
"""


@lru_cache(maxsize=64)
def primes(bits: int) -> tuple[int, ...]:
    """Returns so many primes below two to the power of BITS that their product has more bits than asked for.

    >>> primes(60)
    (281474976710597, 281474976710591)
    """
    found: list[int] = []
    candidate = (1 << BITS) - 1
    while not found or prod(found).bit_length() <= bits + 1:
        if _is_prime(candidate):
            found.append(candidate)
        candidate -= 2
    return tuple(found)


def _is_prime(number: int) -> bool:
    """Tells whether an odd number below 2^48 is prime, by the bases that decide it there.

    Source: Jaeschke, On strong pseudoprimes to several bases, Math. Comp. 61 (1993): the first seven primes decide
    it below 341550071728321.
    """
    odd = number - 1
    twos = (odd & -odd).bit_length() - 1
    odd >>= twos
    for base in (2, 3, 5, 7, 11, 13, 17):
        power = pow(base, odd, number)
        if power in (1, number - 1):
            continue
        for _ in range(twos - 1):
            power = power * power % number
            if power == number - 1:
                break
        else:
            return False
    return True


def together(remainders: Sequence[int], moduli: tuple[int, ...], whole: int) -> Fraction:
    """Returns the chance, or the worth, whose whole number, over so many ways, leaves these remainders.

    Args:
        remainders: Remainder by modulus, ways divided out.
        moduli: The primes; their product exceeds twice the size of the whole number.
        whole: All ways.

    >>> together([pow(2, -1, 7), pow(2, -1, 11)], (7, 11), 6)
    Fraction(1, 2)
    >>> together([-pow(2, -1, 7), -pow(2, -1, 11)], (7, 11), 6)
    Fraction(-1, 2)
    """
    product, units = _units(moduli)
    number = (
        sum(remainder * unit for remainder, unit in zip(remainders, units, strict=True)) * whole % product
    )
    return Fraction(number - product if 2 * number > product else number, whole)


@lru_cache(maxsize=64)
def _units(moduli: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
    """Returns the product of primes, and for each the number that leaves one by it and nothing by all others."""
    product = prod(moduli)
    return product, tuple(product // one * pow(product // one, -1, one) for one in moduli)


@cache
def inverse(modulus: int) -> Whole:
    """Returns one over each small number modulo a prime, and nought for nought."""
    return np.array([0, *(pow(number, -1, modulus) for number in range(1, 512))], np.int64)


@njit(cache=True, nogil=True, inline="always")
def times(one: Any, other: Any, modulus: Any, share: float) -> Any:
    """Returns the remainder of a product of two remainders.

    The quotient is taken in floats and is off by one at most. Product and multiple may both exceed a machine word: what
    is cut off is the same of both, so that their difference is right.

    Args:
        one: A remainder.
        other: Another.
        modulus: A prime below two to the power of BITS.
        share: One over the prime.
    """
    rest = one * other - np.int64(np.float64(one) * np.float64(other) * share) * modulus
    # Without branches, so that several products are taken side by side.
    rest += modulus & (rest >> 63)
    rest -= modulus
    return rest + (modulus & (rest >> 63))


@njit(cache=True, nogil=True)
def chances(
    left: Whole,
    heads: Whole,
    values: Whole,
    numbers: Whole,
    last: Whole,
    orders: Whole,
    ends: Whole,
    inverse: Whole,
    modulus: int,
    endless: bool,
) -> Any:
    """Returns, modulo a prime, how probably the dealer's hand ends in each way.

    Args:
        left: Cards left, a row a shoe.
        heads: What the dealer may draw as a tree: for each node the one before it.
        values: Value of which a node adds cards.
        numbers: How many it adds.
        last: The node at which each set of drawn cards is complete.
        orders: Orders in which a set may come.
        ends: How the hand ends with it, times MAXIMUM, and the number of its cards.
        inverse: One over each small number, modulo the prime.
        modulus: The prime.
        endless: Whether cards are put back.
    """
    found = np.zeros((left.shape[0], 7), np.int64)
    ways = np.ones((10, MAXIMUM, BLOCK), np.int64)
    whole = np.ones((MAXIMUM, BLOCK), np.int64)
    reached = np.ones((heads.shape[0], BLOCK), np.int64)
    sums = np.zeros((7 * MAXIMUM, BLOCK), np.int64)
    share = 1.0 / modulus
    most = numbers.max()
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
            before, more = reached[heads[node]], ways[values[node], numbers[node]]
            for row in range(BLOCK):
                reached[node, row] = times(before[row], more[row], modulus, share)
        sums[:] = 0
        for one in range(orders.shape[0]):
            # Fewer than 2^15 orders in all: remainders summed so often fit a machine word.
            before, many, into = reached[last[one]], orders[one], sums[ends[one]]
            for row in range(BLOCK):
                into[row] += before[row] * many
        for end in range(7):
            for number in range(MAXIMUM):
                for row in range(rows):
                    many = sums[end * MAXIMUM + number, row]
                    if many:
                        rest = times(many, 1, modulus, share)
                        total = found[start + row, end] + times(rest, whole[number, row], modulus, share)
                        found[start + row, end] = total - modulus if total >= modulus else total
    return found


@njit(cache=True, nogil=True, inline="always")
def _hidden(left: Whole, hole: Any, gone: Any, share_of_one: Any, modulus: Any, share: float) -> Any:
    """Returns, modulo a prime, how probably the covered card makes a natural: so many cards like it are gone."""
    return 0 if hole < 0 else times(left[hole] - gone, share_of_one, modulus, share)


@njit(cache=True, nogil=True)
def walk(
    hands: Whole, after: Whole, totals: Whole, plays: Whole, first: Whole, rows: Whole, ends: Whole, left: Whole,
    hole: int, inverse: Whole, modulus: int, endless: bool, charlie: int, sevens: int, rescued: Whole,
    cells: Whole,
) -> None:  # fmt: skip
    """Counts, modulo a prime, how play of a hand ends together with the dealer's hand.

    Args:
        hands: The hands, those with fewer cards first.
        after: Place of a hand with one more card of each value; -1 bust, -2 no such card.
        totals: What each counts.
        plays: The play on each hand.
        first: Orders in which each hand may come to be played first; play goes on from there.
        rows: Row of ``ends`` of each hand.
        ends: How probably the dealer's hand ends, modulo the prime.
        left: Cards of each value before the hand's first card.
        hole: Value that would make a natural of the open card, -1 where none does.
        inverse: One over each small number, modulo the prime.
        modulus: The prime.
        endless: Whether cards are put back.
        charlie: Number of cards that win at once, 0 for none.
        sevens: Place of three sevens where they are paid, else -1.
        rescued: Whether a doubled hand is given up, by its place.
        cells: What is counted, see CELLS.
    """
    reached = first.copy()
    share = 1.0 / modulus
    size = 0
    ways = np.ones((10, MAXIMUM), np.int64)
    for value in range(10):
        size += left[value]
        for number in range(1, MAXIMUM):
            rest = left[value] if endless else max(left[value] - (number - 1), 0)
            ways[value, number] = times(ways[value, number - 1], rest, modulus, share)
    for place in range(hands.shape[0]):
        if not reached[place]:
            continue
        cards = 0
        chance = reached[place] % modulus
        for value in range(10):
            drawn = hands[place, value]
            if drawn:
                chance = times(chance, ways[value, drawn], modulus, share)
            for _ in range(drawn):
                chance = times(chance, inverse[size if endless else size - cards], modulus, share)
                cards += 1
        if not chance:
            continue
        many = size if endless else size - cards
        gone = 0 if hole < 0 or endless else hands[place, hole]
        natural = times(chance, _hidden(left, hole, gone, inverse[many], modulus, share), modulus, share)
        other = (chance - natural) % modulus
        if (charlie > 0 and cards >= charlie) or place == sevens:
            kind = 3 if place == sevens else 2
            cells[kind, 1, 0, 0] = (cells[kind, 1, 0, 0] + other) % modulus
            cells[kind, 1, 0, 6] = (cells[kind, 1, 0, 6] + natural) % modulus
            continue
        act = plays[place]
        if act == 0:
            for end in range(7):
                more = times(chance, ends[rows[place], end], modulus, share)
                cells[0, 1, totals[place], end] = (cells[0, 1, totals[place], end] + more) % modulus
            continue
        if act == 3:
            cells[4, 1, 0, 0] = (cells[4, 1, 0, 0] + other) % modulus
            cells[4, 1, 0, 6] = (cells[4, 1, 0, 6] + natural) % modulus
            continue
        stake = 2 if act == 2 else 1
        for value in range(10):
            count = left[value] if endless else left[value] - hands[place, value]
            if count <= 0:
                continue
            then = after[place, value]
            if then >= 0 and act == 1:
                reached[then] += reached[place]
                continue
            step = times(times(chance, count, modulus, share), inverse[many], modulus, share)
            at_once = then >= 0 and (then == sevens or (charlie > 0 and cards + 1 >= charlie))
            if then >= 0 and not at_once and not rescued[then]:
                for end in range(7):
                    more = times(step, ends[rows[then], end], modulus, share)
                    cells[0, 2, totals[then], end] = (cells[0, 2, totals[then], end] + more) % modulus
                continue
            gone_too, fewer = (0, many) if endless else (gone + int(value == hole), many - 1)
            hidden = _hidden(left, hole, gone_too, inverse[fewer], modulus, share)
            hidden = times(step, hidden, modulus, share)
            kind = 1 if then < 0 else (3 if then == sevens else (2 if at_once else 5))
            cells[kind, stake, 0, 6] = (cells[kind, stake, 0, 6] + hidden) % modulus
            cells[kind, stake, 0, 0] = (cells[kind, stake, 0, 0] + step - hidden) % modulus


@njit(cache=True, nogil=True)
def worths(
    places: Whole, hands: Whole, after: Whole, totals: Whole, plays: Whole, every: bool, rows: Whole,
    ends: Whole, left: Whole, begun: int, hole: int,
    inverse: Whole, modulus: int, endless: bool, charlie: int, sevens: int, rescued: Whole, nets: Whole,
) -> Any:  # fmt: skip
    """Returns, modulo a prime, what each play on each hand is worth, later cards played as stated.

    Args:
        places: The hands that are asked for, and all that play comes to from there, those with more cards first.
        hands: The hands, those with fewer cards first.
        after: Place of a hand with one more card of each value; -1 bust, -2 no such card.
        totals: What each counts.
        plays: The play on each hand.
        every: Whether each play on a hand is asked for, or the stated one alone.
        rows: Row of ``ends`` of each hand.
        ends: How probably the dealer's hand ends, modulo the prime.
        left: Cards of each value before the hand's first card that is drawn.
        begun: Value of the card that the hand began with, -1 where it is dealt from ``left`` too.
        hole: Value that would make a natural of the open card, -1 where none does.
        inverse: One over each small number, modulo the prime.
        modulus: The prime.
        endless: Whether cards are put back.
        charlie: Number of cards that win at once, 0 for none.
        sevens: Place of three sevens where they are paid, else -1.
        rescued: Whether a doubled hand is given up, by its place.
        nets: What is won in each of the CELLS, modulo the prime.
    """
    found = np.zeros((hands.shape[0], 4), np.int64)
    share = 1.0 / modulus
    size = left.sum()
    for place in places:
        held, fits = 0, True
        for value in range(10):
            drawn = hands[place, value] - int(value == begun)
            fits = fits and drawn >= 0 and (endless or drawn <= left[value])
            held += hands[place, value]
        cards = held - int(begun >= 0)
        if not fits or (cards >= size and not endless):
            continue
        many = size if endless else size - cards
        gone = 0 if hole < 0 or endless else hands[place, hole] - int(hole == begun)
        natural = _hidden(left, hole, gone, inverse[many], modulus, share)
        worth = found[place]
        won = place == sevens
        if won or (charlie > 0 and held >= charlie):
            kind = 3 if won else 2
            worth[:] = _either(natural, nets[kind, 1, 0, 6], nets[kind, 1, 0, 0], modulus, share)
            continue
        act = plays[place]
        if every or act == 0:
            for end in range(7):
                worth[0] += times(ends[rows[place], end], nets[0, 1, totals[place], end], modulus, share)
        worth[3] = _either(natural, nets[4, 1, 0, 6], nets[4, 1, 0, 0], modulus, share)
        for value in range(10 if every or act in (1, 2) else 0):
            count = left[value] if endless else left[value] - hands[place, value] + int(value == begun)
            if count <= 0:
                continue
            step, then = times(count, inverse[many], modulus, share), after[place, value]
            gone_too, fewer = (0, many) if endless else (gone + int(value == hole), many - 1)
            hidden = _hidden(left, hole, gone_too, inverse[fewer], modulus, share)
            if then < 0:
                once = _either(hidden, nets[1, 1, 0, 6], nets[1, 1, 0, 0], modulus, share)
                twice = _either(hidden, nets[1, 2, 0, 6], nets[1, 2, 0, 0], modulus, share)
            else:
                once, twice = found[then, plays[then]], 0
                kind = 2 if charlie > 0 and held + 1 >= charlie else (5 if rescued[then] else 0)
                kind = 3 if then == sevens else kind
                if not every and act == 1:
                    pass
                elif kind:
                    twice = _either(hidden, nets[kind, 2, 0, 6], nets[kind, 2, 0, 0], modulus, share)
                else:
                    for end in range(7):
                        twice += times(ends[rows[then], end], nets[0, 2, totals[then], end], modulus, share)
            worth[1] += times(step, once, modulus, share)
            worth[2] += times(step, times(twice, 1, modulus, share), modulus, share)
        for play in range(4):
            worth[play] = times(worth[play], 1, modulus, share)
    return found


@njit(cache=True, nogil=True, inline="always")
def _either(chance: Any, one: Any, other: Any, modulus: Any, share: float) -> Any:
    """Returns, modulo a prime, one worth with a chance, else the other."""
    return times(
        times(chance, one, modulus, share) + times(modulus + 1 - chance, other, modulus, share),
        1,
        modulus,
        share,
    )
