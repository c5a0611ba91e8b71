"""Play-through behind the port of the families, from two functions: compiled rows to codes, and their readable twin."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Axes = tuple[tuple[str, tuple[str, ...]], ...]
"""Wagers with their outcomes, in the order in which joint counts are laid out."""


def named(axes: Axes, codes: NDArray[Any]) -> list[tuple[str, ...]]:
    """Returns the outcome of every wager for every round.

    Args:
        axes: Wagers with their outcomes in the order of their codes.
        codes: Unsigned integers[rounds, wagers].
    """
    ids = [outcomes for _, outcomes in axes]
    return [tuple(ids[column][code] for column, code in enumerate(row)) for row in codes.tolist()]


@dataclass(frozen=True, slots=True)
class CodeCounter:
    """Plays rows of draws by a compiled function, and by its twin.

    Args:
        axes: Wagers with their outcomes in the order of their codes.
        kernel: Returns the code of every wager's outcome, uint8[rounds, wagers], for rows of items.
        readable: The same in plain Python.
    """

    axes: Axes
    kernel: Callable[[NDArray[Any]], NDArray[np.uint8]]
    readable: Callable[[NDArray[Any]], NDArray[np.uint8]]

    def count(self, rows: NDArray[Any]) -> NDArray[np.int64]:
        """Returns how many rows end in each joint outcome, flattened in the order of the axes."""
        import numpy as np  # numpy takes a moment that --help need not wait for.

        shape = tuple(len(outcomes) for _, outcomes in self.axes)
        cells = np.ravel_multi_index(tuple(self.kernel(rows).T), shape)
        return np.bincount(cells, minlength=prod(shape)).astype(np.int64)

    def outcomes(self, rows: NDArray[Any]) -> list[tuple[str, ...]]:
        """Returns the outcome of every wager for every row, by the compiled code."""
        return named(self.axes, self.kernel(rows))

    def twin(self, rows: NDArray[Any]) -> list[tuple[str, ...]]:
        """Returns the same by the readable twin."""
        return named(self.axes, self.readable(rows))
