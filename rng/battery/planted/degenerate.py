"""Output so bad that nothing is left to count: what a test without observations must reject all the same."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rng.battery.planted.good import Source, uniform_numbers

Numbers = NDArray[np.uint32]


def constant(_source: Source, seed: int, count: int, below: int) -> Numbers:
    """The same number for ever."""
    return np.full(count, seed % below, dtype=np.uint32)


def highest(_source: Source, _seed: int, count: int, below: int) -> Numbers:
    """The largest number for ever: all bits set where the range is a power of two."""
    return np.full(count, below - 1, dtype=np.uint32)


def ordered(source: Source, seed: int, count: int, below: int) -> Numbers:
    """Good numbers, sorted before they were handed in."""
    return np.sort(uniform_numbers(source, seed, below, count))


def narrowed(source: Source, seed: int, count: int, reached: int) -> Numbers:
    """Good numbers of a smaller range than the one declared."""
    return uniform_numbers(source, seed, reached, count)


def from_one(source: Source, seed: int, count: int, sides: int) -> Numbers:
    """Dice counted from one, declared as counted from zero."""
    return uniform_numbers(source, seed, sides, count) + np.uint32(1)


def half_zero(source: Source, seed: int, count: int) -> Numbers:
    """Words of a source that was empty for its first half."""
    words = source(seed, count).copy()
    words[: count // 2] = 0
    return words


def counter(_source: Source, seed: int, count: int) -> Numbers:
    """A counter handed in as random words."""
    return np.arange(seed, seed + count, dtype=np.uint32)
