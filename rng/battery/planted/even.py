"""Output that is too even to be random: bags, shuffled lists, and draws that make up for what is rare."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from rng.battery.planted.good import Source, uniform_numbers

Numbers = NDArray[np.unsignedinteger]


def _orders(source: Source, seed: int, rows: int, size: int) -> NDArray[np.int64]:
    """Shuffled lists, one a row: places in the order of 64-bit keys."""
    keys = source(seed, 2 * rows * size).view(np.uint64).reshape(rows, size)
    return np.argsort(keys, axis=1)


def bag(source: Source, seed: int, count: int, below: int, size: int) -> Numbers:
    """Numbers from a bag that holds each value equally often and is filled again when it is empty."""
    bags = -(-count // size)
    order = _orders(source, seed, bags, size)
    return np.asarray(order.reshape(-1)[:count] % below, dtype=np.uint32)


@njit(cache=True)
def _made_up_for(first: NDArray[np.uint32], second: NDArray[np.uint32], below: int) -> NDArray[np.uint32]:
    counts = np.zeros(below, dtype=np.int64)
    chosen = first.copy()
    for i in range(first.size):
        if counts[second[i]] < counts[first[i]] and i % 10 == 0:
            chosen[i] = second[i]
        counts[chosen[i]] += 1
    return chosen


def compensated(source: Source, seed: int, count: int, below: int) -> Numbers:
    """Every tenth number is the rarer so far of two good ones."""
    first = uniform_numbers(source, seed, below, count)
    return _made_up_for(first, uniform_numbers(source, seed + 1, below, count), below)


def without_repetition(source: Source, seed: int, count: int, bits: int) -> Numbers:
    """Words of few bits in a shuffled order, each once."""
    return np.asarray(_orders(source, seed, 1, 1 << bits)[0, :count], dtype=np.uint32)


@njit(cache=True)
def _due(values: NDArray[np.uint32], odds: NDArray[np.uint32], below: int, age: int) -> NDArray[np.uint32]:
    last = np.full(below, -1, dtype=np.int64)
    for t in range(values.size):
        number = values[t]
        # What has been missing for long is drawn once more in one case of so many.
        if t - last[number] > age and odds[t] == 0 and t > 0:
            values[t] = values[t - 1]
            number = values[t]
        last[number] = t
    return values


def due_avoided(source: Source, seed: int, count: int, below: int, age: int, one_in: int) -> Numbers:
    """A number that was missing for long is replaced by the last one in one case of so many."""
    values = uniform_numbers(source, seed, below, count)
    return _due(values, uniform_numbers(source, seed + 1, one_in, count), below, age)


def never_thrice(source: Source, seed: int, count: int, below: int) -> Numbers:
    """A number that would come for the third time in a row is drawn once more."""
    values = uniform_numbers(source, seed, below, count)
    again = uniform_numbers(source, seed + 1, below, count)
    for t in np.flatnonzero((values[2:] == values[1:-1]) & (values[1:-1] == values[:-2])) + 2:
        if values[t] == values[t - 1] == values[t - 2]:
            values[t] = again[t]
    return values
