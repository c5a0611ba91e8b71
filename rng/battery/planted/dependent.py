"""Numbers and bits that look well but for an echo, a wave, or one number that is drawn too often."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rng.battery.planted.good import Source, uniform_numbers
from rng.battery.planted.known import shift_register, xoroshiro128plus

Numbers = NDArray[np.unsignedinteger]


def hot_number(source: Source, seed: int, count: int, below: int, one_in: int) -> Numbers:
    """One draw in so many is replaced by the same number."""
    values = uniform_numbers(source, seed, below, count)
    values[uniform_numbers(source, seed + 1, one_in, count) == 0] = below // 3
    return values


def hot_pair(source: Source, seed: int, count: int, below: int, one_in: int) -> Numbers:
    """One pair of draws in so many is replaced by the same two numbers."""
    values = uniform_numbers(source, seed, below, count)
    for pair in np.flatnonzero(uniform_numbers(source, seed + 1, one_in, count // 2) == 0):
        values[2 * pair], values[2 * pair + 1] = below // 3, below // 5
    return values


def echo(source: Source, seed: int, count: int, below: int, lag: int, one_in: int) -> Numbers:
    """One draw in so many repeats the one a fixed distance before."""
    values = uniform_numbers(source, seed, below, count)
    for place in np.flatnonzero(uniform_numbers(source, seed + 1, one_in, count)[lag:] == 0) + lag:
        values[place] = values[place - lag]
    return values


def even_sixes(source: Source, seed: int, count: int, one_in: int) -> Numbers:
    """In one group of six tosses in so many the last is turned so that the number of heads is even."""
    tosses = source(seed, count) >> np.uint32(31)
    groups = tosses[: count // 6 * 6].reshape(-1, 6)
    struck = uniform_numbers(source, seed + 1, one_in, len(groups)) == 0
    groups[struck, 5] = groups[struck, :5].sum(axis=1) % 2
    return tosses


def as_words(bits: NDArray[np.integer]) -> Numbers:
    """Bits as words of bytes, the first bit of each byte the most significant."""
    return np.packbits(bits.astype(np.uint8)).astype(np.uint8)


def bit_echo(source: Source, seed: int, count: int, lag: int, one_in: int) -> Numbers:
    """One bit in so many repeats the bit a fixed distance before."""
    bits = source(seed, count) >> np.uint32(31)
    struck = uniform_numbers(source, seed + 1, one_in, count) == 0
    for place in np.flatnonzero(struck[lag:]) + lag:
        bits[place] = bits[place - lag]
    return as_words(bits)


def wave(source: Source, seed: int, count: int, size: float, period: float) -> Numbers:
    """Bits whose probability of a one swings by ``size`` about one half."""
    chance = 0.5 + size * np.cos(2 * np.pi * np.arange(count) / period + 0.7)
    return as_words(source(seed, count) < np.floor(chance * 2.0**32))


def long_register(source: Source, seed: int, count: int, long: int, short: int) -> Numbers:
    """The keystream of a long shift register."""
    start = (source(seed, long) >> np.uint32(31)).astype(np.uint8)
    return as_words(shift_register(start, count, long, short))


def xoroshiro_words(_source: Source, seed: int, count: int) -> Numbers:
    """Words of xoroshiro128+, 64 bits each, in little-endian bytes."""
    words = xoroshiro128plus(np.uint64(seed + 1), np.uint64(0x9E3779B97F4A7C15), -(-count // 64))
    return words.astype("<u8").view(np.uint8)
