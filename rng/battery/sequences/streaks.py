"""What follows a streak: bets that a run of high or low, odd or even, inner or outer numbers goes on, or breaks.

A player waits for five reds in a row and bets on black. From fair draws nothing is won by that, whatever the streak.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rng.battery import due, evidence, goodness
from rng.battery.lags import Signs
from rng.battery.result import TestResult
from rng.battery.sequences.draws import IntegerDraws, SequenceTest
from rng.battery.sequences.lagged import parity, upper_half
from rng.battery.suite import Test

LARGEST_RANGE = 128
LEAST_NUMBERS = 100
LONGEST = 8


def inner_half(piece: NDArray[np.uint64], below: int) -> Signs:
    """+1 for the half of the range about its middle, -1 for the outer half, 0 for one of an odd range.

    Example:
        >>> inner_half(np.arange(5, dtype=np.uint64), 5).tolist()
        [-1.0, 1.0, 1.0, 0.0, -1.0]
    """
    order = np.argsort(np.abs(2 * np.arange(below) - (below - 1)), kind="stable")
    signs = np.zeros(below, dtype=np.float32)
    signs[order[: below // 2]], signs[order[(below + 1) // 2 :]] = 1, -1
    return signs[piece.astype(np.int64)]


def continued(signs: Signs) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """How often a streak of 1, 2, … signs and more was bet on, and how often it went on.

    Example:
        >>> cases, went_on = continued(np.array([1, 1, 1, -1, 1], dtype=np.float32))
        >>> cases[:4].tolist(), went_on[:4].tolist()
        ([4, 2, 1, 0], [2, 1, 0, 0])
    """
    ends = np.flatnonzero(np.append(signs[1:] != signs[:-1], True))
    lengths = np.diff(ends, prepend=-1)
    # Of a streak of n signs the bets on k and more signs are placed n - k + 1 times, and all but the last are won; that
    # of the last streak is not settled.
    least = np.arange(1, LONGEST + 1)
    placed = np.array([int(np.maximum(lengths - k + 1, 0).sum()) for k in least])
    broken = np.array([int((lengths[:-1] >= k).sum()) for k in least])
    open_ones = (lengths[-1] >= least).astype(np.int64)
    cases = placed - open_ones
    return cases, cases - broken


WAYS = {"odd or even": parity, "inner or outer": inner_half}


def run(draws: IntegerDraws) -> TestResult:
    """Streaks of high or low, odd or even, inner or outer numbers: bets that one of so many goes on, or breaks.

    Source: Ville, Étude critique de la notion de collectif (1939), chapter V; Shafer, J. R. Stat. Soc. A 184 (2021).
    """
    ways = {"high or low": upper_half} | (WAYS if draws.below > 2 else {})
    found, fair = {}, np.full(LONGEST, 0.5)
    for name, sign in ways.items():
        signs = np.concatenate([sign(piece, draws.below) for piece in draws.chunks()])
        # Numbers without a sign are passed over: the others are as fair without them.
        cases, went_on = continued(signs[signs != 0])
        for k, won in enumerate(evidence.log_capital(went_on, cases, fair), 1):
            found[f"{k} and more {name}"] = evidence.p_value(float(won))
    return TestResult.of(
        found,
        null=due.NULL,
        detectable=goodness.describe_shift(
            max(1, draws.size >> LONGEST), "in the correlation of successive halves", len(found)
        ),
    )


TESTS: tuple[SequenceTest, ...] = (
    Test("after-streaks", lambda below: LEAST_NUMBERS if below <= LARGEST_RANGE else None, run),
)
