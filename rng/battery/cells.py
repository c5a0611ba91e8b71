"""Every cell of a table by its own exact binomial tails: a fault of one cell is not pooled away among the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import special

Floats = NDArray[np.float64]


def two_sided(counts: NDArray[np.int64], trials: int, law: Floats) -> Floats:
    """Twice the smaller binomial tail of each cell, at most one; 0 for what cannot be.

    Args:
        counts: How often each cell was hit.
        trials: Trials, each of which may hit it.
        law: Probability of each cell in one trial.

    Example:
        >>> two_sided(np.array([5, 0]), 5, np.array([0.5, 0.0])).tolist()
        [0.0625, 1.0]
    """
    below = special.bdtr(counts, trials, law)
    above = np.where(counts > 0, special.bdtrc(np.maximum(counts - 1, 0), trials, law), 1.0)
    p_values = np.minimum(1.0, 2 * np.minimum(below, above))
    impossible = ((law <= 0) & (counts > 0)) | ((law >= 1) & (counts < trials))
    certain = ((law <= 0) | (law >= 1)) & ~impossible
    return np.where(impossible, 0.0, np.where(certain, 1.0, p_values))


def worst(p_values: Floats, names: Sequence[str]) -> tuple[str, float]:
    """The smallest p-value of many cells, corrected for their number, and the cell's name.

    Example:
        >>> worst(np.array([0.5, 0.01, 0.2, 1.0]), "abcd")
        ('b', 0.04)
    """
    at = int(p_values.argmin())
    return names[at], min(1.0, p_values.size * float(p_values[at]))


def signs_agree(
    now: NDArray[np.bool_], before: NDArray[np.bool_], lags: Sequence[int]
) -> Iterator[tuple[int, int, int, int]]:
    """Yields place now, place before, lag and how often two signs of independent rounds agree.

    Args:
        now: One sign a round and place, shape (places, rounds), as bits packed along the rounds would be too narrow
            for lags that are no multiple of eight.
        before: The same of the earlier round.
        lags: Rounds between.
    """
    for lag in lags:
        for i, later in enumerate(now):
            for j, earlier in enumerate(before):
                yield i, j, lag, int(np.count_nonzero(later[lag:] == earlier[:-lag]))
