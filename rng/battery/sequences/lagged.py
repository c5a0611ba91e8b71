"""Correlation over any distance: signs of the numbers at all lags at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from rng.battery import goodness
from rng.battery.lags import Signs, detectable_correlation, farthest, lagged
from rng.battery.result import TestResult
from rng.battery.sequences.draws import IntegerDraws, SequenceTest
from rng.battery.suite import Test

LEAST_PRODUCTS = 100
MOST_LAGS = 1 << 17
BLOCK = (1 << 20) - MOST_LAGS


def upper_half(piece: NDArray[np.uint64], below: int) -> Signs:
    """-1 for numbers of the lower half of the range, +1 for the upper half, 0 for the one in the middle."""
    half = np.uint64(below // 2)
    signs = np.where(piece >= half, np.float32(1), np.float32(-1))
    if below % 2:
        signs[piece == half] = 0
    return signs


def parity(piece: NDArray[np.uint64], below: int) -> Signs:
    """-1 for odd numbers, +1 for even ones; 0 for the largest, where there is one more even number."""
    signs = np.where(piece & np.uint64(1), np.float32(-1), np.float32(1))
    if below % 2:
        signs[piece == np.uint64(below - 1)] = 0
    return signs


def run_all_lags(draws: IntegerDraws) -> TestResult:
    """Correlation at all lags, of the halves of the range and of odd and even numbers.

    The low bits of a congruential generator modulo a power of two turn into their opposite after half their period.

    Source: Knuth, The Art of Computer Programming 2, 3.2.1.1 (low digits of a power-of-two modulus).
    """
    blocks = -(-draws.size // BLOCK)
    length = draws.size // blocks
    lags = min(MOST_LAGS, length - LEAST_PRODUCTS)
    signs = {"halves of the range": upper_half} | ({"odd and even": parity} if draws.below > 2 else {})

    def pieces(sign: Callable[[NDArray[np.uint64], int], Signs]) -> Iterator[Signs]:
        for block in range(blocks):
            piece = draws.values[block * length : (block + 1) * length].astype(np.uint64)
            yield sign(piece, draws.below)

    found = [farthest(lagged(pieces(sign), length, lags)) for sign in signs.values()]
    level = goodness.detection_level(len(found))
    share = detectable_correlation(blocks * (length - 1), lags, level, goodness.DETECTION_POWER)
    return TestResult(
        p_values=tuple(p_value for p_value, _ in found),
        labels=tuple(signs),
        parameters={"lags": lags, "lag": min(found)[1]},
        null="products of independent fair signs: binomial, exact; Bonferroni over the lags",
        discrete=True,
        detectable=f"a correlation of {share:.3g} at any one lag{goodness.power_words(len(found))}",
    )


TESTS: tuple[SequenceTest, ...] = (Test("all-lags", lambda _below: 2 * LEAST_PRODUCTS, run_all_lags),)
