"""What repeats, avoids or turns round something drawn a little before: numbers, cards of a deck, bits of a word."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from rng.battery.planted.good import Source, uniform_numbers
from rng.battery.planted.shuffles import Decks, fisher_yates

Numbers = NDArray[np.unsignedinteger]


def _struck(source: Source, seed: int, count: int, one_in: int, first: int) -> NDArray[np.int64]:
    """Of so many outputs from ``first`` on one in so many."""
    struck = np.flatnonzero(uniform_numbers(source, seed + 7_000, one_in, count) == 0)
    return struck[struck >= first]


def stepped(source: Source, seed: int, count: int, below: int, step: int, lag: int, one_in: int) -> Numbers:
    """In one case of so many a number is a fixed step on from the one so many draws before."""
    values = uniform_numbers(source, seed, below, count)
    for i in _struck(source, seed, count, one_in, lag):
        values[i] = (int(values[i - lag]) + step) % below
    return values


def turned_round(source: Source, seed: int, count: int, below: int, lag: int, one_in: int) -> Numbers:
    """In one case of so many a number is the one so many draws before counted from the other end."""
    values = uniform_numbers(source, seed, below, count)
    for i in _struck(source, seed, count, one_in, lag):
        values[i] = below - 1 - int(values[i - lag])
    return values


def summing_up(source: Source, seed: int, count: int, below: int, one_in: int) -> Numbers:
    """In one case of so many three numbers in a row sum up to a multiple of the range."""
    values = uniform_numbers(source, seed, below, count)
    for i in _struck(source, seed, count, one_in, 2):
        values[i] = (-int(values[i - 1]) - int(values[i - 2])) % below
    return values


@njit(cache=True)
def _broken(values: NDArray[np.uint32], odds: NDArray[np.uint32], longest: int) -> NDArray[np.uint32]:
    run = 1
    for i in range(1, values.size):
        alike = values[i] % 2 == values[i - 1] % 2
        if alike and run >= longest and odds[i] == 0:
            values[i] ^= 1
            alike = False
        run = run + 1 if alike else 1
    return values


def streaks_broken(source: Source, seed: int, count: int, below: int, longest: int, one_in: int) -> Numbers:
    """After so many odd or so many even numbers in a row the next is turned into the other in one case of so many."""
    values = uniform_numbers(source, seed, below, count).astype(np.uint32)
    return _broken(values, uniform_numbers(source, seed + 1, one_in, count).astype(np.uint32), longest)


def alike_far_apart(source: Source, seed: int, count: int, one_in: int) -> Decks:
    """In one deck of so many the twelfth card is brought to the rank of the ninth."""
    decks = fisher_yates(source, seed, count)
    for t in _struck(source, seed, count, one_in, 0):
        places = np.flatnonzero(decks[t] // 4 == decks[t, 8] // 4)
        place = int(places[places != 8][0])
        decks[t, [11, place]] = decks[t, [place, 11]]
    return decks


def aces_together(source: Source, seed: int, count: int, one_in: int) -> Decks:
    """In one deck of so many the second ace is brought behind the first."""
    decks = fisher_yates(source, seed, count)
    for t in _struck(source, seed, count, one_in, 0):
        first, second = np.flatnonzero(decks[t] < 4)[:2]
        decks[t, [first + 1, second]] = decks[t, [second, first + 1]]
    return decks


def one_inverted(source: Source, seed: int, count: int) -> Decks:
    """One deck is an earlier one with places and cards exchanged."""
    decks = fisher_yates(source, seed, count)
    decks[3 * count // 4] = np.argsort(decks[count // 4])
    return decks


def tied_bits(source: Source, seed: int, count: int, one_in: int) -> NDArray[np.unsignedinteger]:
    """Words of 64 bits of which one bit repeats another in one case of so many."""
    words = source(seed, count // 32).view(np.uint64)
    struck = uniform_numbers(source, seed + 1, one_in, words.size) == 0
    bit = (words[struck] >> np.uint64(63) & np.uint64(1)) << np.uint64(17)
    words[struck] = words[struck] & ~np.uint64(1 << 17) | bit
    return words.view(np.uint8)
