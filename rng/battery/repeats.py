"""Counting values that come back, shared by the tests of decks and of sequences."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def repeated(values: NDArray[np.integer]) -> int:
    """Number of values that had been seen before; by sorting, which is far quicker here than hashing.

    Example:
        >>> repeated(np.array([3, 1, 3, 3, 2, 1]))
        3
    """
    ordered = np.sort(values)
    return int((ordered[1:] == ordered[:-1]).sum())


def values_repeated(values: NDArray[np.integer]) -> NDArray[np.integer]:
    """The values that come more than once, each once.

    Example:
        >>> values_repeated(np.array([3, 1, 3, 3, 2, 1])).tolist()
        [1, 3]
    """
    ordered = np.sort(values)
    return np.unique(ordered[1:][ordered[1:] == ordered[:-1]])
