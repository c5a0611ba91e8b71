"""Correlation between the cards of one deck: without replacement it is -1/(n-1), not zero."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from rng.battery import goodness
from rng.battery.cards import kernels
from rng.battery.cards.decks import Decks, column_chunks, plain
from rng.battery.cards.position_pairs import pair_labels, paired
from rng.battery.result import TestResult


def product_moments(cards: int) -> tuple[Fraction, Fraction]:
    """Exact mean and variance of the product of two centred card ids of one deck.

    Example:
        >>> mean, _ = product_moments(40)
        >>> mean / (Fraction(40 * 40 - 1, 12))
        Fraction(-1, 39)
    """
    values = [Fraction(2 * card - cards + 1, 2) for card in range(cards)]
    square = sum((v**2 for v in values), Fraction(0))
    fourth = sum((v**4 for v in values), Fraction(0))
    ways = cards * (cards - 1)
    mean = -square / ways
    return mean, (square**2 - fourth) / ways - mean**2


def product_sums(decks: Decks) -> NDArray[np.float64]:
    """Sums over decks of the products of centred ids of each pair of positions, from whole numbers throughout."""
    n, size = decks.shape[1], len(decks)
    first, second = paired(n)
    products = np.zeros(first.size, dtype=np.int64)
    totals = np.zeros(n, dtype=np.int64)
    for columns in column_chunks(decks):
        kernels.pair_products(columns, first, second, products)
        totals += columns.sum(axis=1, dtype=np.int64)
    # 4 (x - m)(y - m) = 4xy - 2(n-1)(x + y) + (n-1)², m = (n-1)/2.
    exact: NDArray[np.int64] = (
        4 * products - 2 * (n - 1) * (totals[first] + totals[second]) + size * (n - 1) ** 2
    )
    return np.asarray(exact / 4.0, dtype=np.float64)


def run(decks: Decks) -> TestResult:
    """Interplay correlation of every pair of positions, in standard deviations from -1/(n-1).

    Source: GLI-19 3.2.2(e); variance of the product by enumeration over ordered pairs of cards.
    """
    n, size = decks.shape[1], len(decks)
    mean, variance = product_moments(n)
    scores = (product_sums(decks) - size * float(mean)) / (size * float(variance)) ** 0.5
    return TestResult(
        p_values=tuple(goodness.normal_two_sided(float(z)) for z in scores),
        labels=pair_labels(n),
        statistic=float(np.abs(scores).max()),
        null="normal; mean correlation -1/(n-1), exact variance of the product",
        detectable=goodness.describe_shift(size, "in the correlation of two positions", len(scores)),
    )


TESTS = (plain("interplay-correlation", 1000, run),)
