"""Generators of 32 bits whose outputs tell nothing by arithmetic: every state that gives the first number is tried."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from rng.battery import goodness
from rng.battery.result import TestResult
from rng.battery.sequences.draws import IntegerDraws
from rng.battery.suite import Test
from rng.kernels import called_by_kernels

STATE_BITS = 32
FOLLOWED = 64
# A remainder by three leaves 1.4 thousand million states: seconds of work. Even ranges tell a bit to linear-halves.
LEAST_RANGE = 5
# Marsaglia's own shifts, left, right, left.
SHIFTS = (13, 17, 5)


@called_by_kernels
def _step(state: np.uint32) -> np.uint32:
    state ^= np.uint32(state << np.uint32(SHIFTS[0]))
    state ^= state >> np.uint32(SHIFTS[1])
    return state ^ np.uint32(state << np.uint32(SHIFTS[2]))


@called_by_kernels
def _followed(values: NDArray[np.uint32], divisor: np.uint32, state: np.uint32, leap: int) -> int:
    agreed = 1
    while agreed < values.size:
        for _ in range(leap):
            state = _step(state)
        if state % divisor != values[agreed]:
            break
        agreed += 1
    return agreed


def longest_agreement(values: NDArray[np.uint32], below: int) -> tuple[int, int]:
    """Most numbers in a row, from the first on, that are remainders of the states of a xorshift generator of 32 bits.

    Args:
        values: The numbers.
        below: Range that the remainders are taken by, odd.

    Returns:
        The longest agreement of all outputs, and that of every second one.
    """
    inverse = pow(below, -1, 1 << STATE_BITS)
    longest, of_every_second = _tried(values, below, np.uint32(inverse))
    return int(longest), int(of_every_second)


@njit(cache=True)
def _tried(values: NDArray[np.uint32], below: int, inverse: np.uint32) -> tuple[int, int]:
    # A state leaves the remainder if the difference is divisible, and a multiple of an odd number times its inverse
    # is the quotient. Differences below zero wrap: `_followed` divides, and lets those few go again.
    longest, of_every_second = 1, 1
    divisor, wanted = np.uint32(below), values[1]
    most = np.uint32(0xFFFFFFFF) // divisor
    for start in range(values[0], 1 << STATE_BITS, below):
        state = _step(np.uint32(start))
        if np.uint32((state - wanted) * inverse) <= most:
            longest = max(longest, _followed(values, divisor, np.uint32(start), 1))
        if np.uint32((_step(state) - wanted) * inverse) <= most:
            of_every_second = max(of_every_second, _followed(values, divisor, np.uint32(start), 2))
    return longest, of_every_second


def run(draws: IntegerDraws) -> TestResult:
    """Xorshift of 32 bits behind a remainder by an odd range: all its states are tried, 2^32 over the range of them.

    Each state agrees with so many independent uniform numbers with probability n to the minus so many: union bound
    over all states.

    Source: Marsaglia, Journal of Statistical Software 8 (2003), issue 14 (the shifts 13, 17, 5).
    """
    values = draws.values[:FOLLOWED].astype(np.uint32)
    p_values = [
        min(1.0, 2.0**STATE_BITS * float(draws.below) ** -agreed)
        for agreed in longest_agreement(values, draws.below)
    ]
    return TestResult(
        suite="sequences",
        test="every-state",
        p_values=tuple(p_values),
        labels=("xorshift32, modulo", "xorshift32, every second output, modulo"),
        sample_size=draws.size,
        null="each state foretells each number with probability 1/n; union bound over 2^32 states",
        discrete=True,
        detectable=f"xorshift32 behind a remainder, from its first {FOLLOWED} numbers{goodness.CERTAIN_WORDS}",
    )


def minimum(below: int) -> int | None:
    """Fewest numbers: odd ranges of one word, from which a remainder leaves few enough states."""
    return 1_000 if below % 2 and LEAST_RANGE <= below < 1 << 16 else None


TESTS = (Test("every-state", minimum, run),)
