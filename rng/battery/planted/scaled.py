"""Faults planted in how numbers are made: scaled from few bits, and output that does not vary."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from rng.battery.planted import known
from rng.battery.planted.good import Source, behind, uniform_numbers

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


def by_modulo(source: Source, seed: int, count: int, bits: int, below: int) -> Numbers:
    """A word of few bits, modulo the range."""
    return (source(seed, count) >> np.uint32(32 - bits)) % np.uint32(below)


def sticky_bit(source: Source, seed: int, count: int, bit: int) -> Numbers:
    """Words with one bit that repeats that of the word before in one case of eight."""
    words = source(seed, count)
    mask = np.uint32(1 << bit)
    for i in np.flatnonzero((source(seed + 1, count) < np.uint32(1 << 29)) & behind(count, 1)):
        words[i] = (words[i] & ~mask) | (words[i - 1] & mask)
    return words


def slow_drift(source: Source, seed: int, count: int, below: int, worst: float) -> Numbers:
    """Numbers that become zero more and more often, by ``worst`` of all cases at the end."""
    values = uniform_numbers(source, seed, below, count)
    odds = uniform_numbers(source, seed + 1, 1 << 30, count) / (1 << 30)
    values[odds < worst * np.arange(count) / count] = 0
    return values


def repeated_block(source: Source, seed: int, count: int, below: int, block: int) -> Numbers:
    """A block of numbers that comes back at an odd distance."""
    values = uniform_numbers(source, seed, below, count)
    values[-block - 3 : -3] = values[11 : 11 + block]
    return values


def previous_avoided(source: Source, seed: int, count: int, below: int) -> Numbers:
    """Numbers drawn once more when they repeat the one before: adaptive discarding."""
    values = uniform_numbers(source, seed, below, count)
    again = uniform_numbers(source, seed + 1, below, count)
    for i in np.flatnonzero(values[1:] == values[:-1]) + 1:
        values[i] = again[i]
    return values


def rc4_openings(source: Source, seed: int, count: int, length: int) -> Numbers:
    """The first bytes of RC4 under one fresh key after the other."""
    keys = source(seed, -(-count // length) * 4).view(np.uint8).reshape(-1, 16)
    return known.rc4(keys, length).reshape(-1)[:count]


def half_zero(source: Source, seed: int, count: int) -> Numbers:
    """Words of a source that was empty for its first half."""
    words = source(seed, count).copy()
    words[: count // 2] = 0
    return words


def polled(source: Source, seed: int, count: int, below: int) -> Numbers:
    """MINSTD, scaled, from which others take none to three outputs between any two, at random."""
    taken = np.cumsum(uniform_numbers(source, seed, 4, count).astype(np.int64))
    at = taken + np.arange(count)
    return known.scaled(known.minstd(seed + 1, int(at[-1]) + 1, 16807), 31, below)[at]


def forked(source: Source, seed: int, count: int, below: int) -> Numbers:
    """Good numbers of two workers that were forked with one generator; which of them serves is chance."""
    stream = uniform_numbers(source, seed, below, count)
    second = uniform_numbers(source, seed + 7_000, 2, count).astype(np.int64)
    return stream[np.where(second, np.cumsum(second), np.cumsum(1 - second)) - 1]
