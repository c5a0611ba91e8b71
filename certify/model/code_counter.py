"""Play-through behind the port of the families, from one function: compiled rows to codes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from certify.model.equipment import Equipment
from certify.model.joint_counts import Axes, JointCounts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MOST_DISTINCT: Final = 65_536
"""Different rows up to which each is played once."""

_WIDEST: Final = 16
"""Items of a row beyond which more different rows are possible than that, but for one or two faces."""


def faces_of(equipment: Sequence[Equipment], rows: NDArray[Any]) -> NDArray[Any]:
    """Returns rows of items as rows of faces, as the reference round is given them.

    Args:
        equipment: The pieces, in the order in which rows lay out their draws.
        rows: Numbers of items, unsigned integers[rounds, width].

    >>> import numpy as np
    >>> from certify.model.equipment import Kind, strip
    >>> faces_of([strip("reel", Kind.REEL, ("bar", "7", "bar"), 2)], np.array([[0, 2], [1, 2]])).tolist()
    [[0, 0], [1, 0]]
    """
    import numpy as np

    shown, start = np.empty_like(rows), 0
    for piece in equipment:
        columns = slice(start, start + piece.supply)
        shown[:, columns] = np.asarray(piece.shows, dtype=rows.dtype)[rows[:, columns]]
        start += piece.supply
    return shown


def named(axes: Axes, codes: NDArray[Any]) -> list[tuple[str, ...]]:
    """Returns the outcome of every wager for every round.

    Args:
        axes: Wagers with their outcomes in the order of their codes.
        codes: Unsigned integers[rounds, wagers].
    """
    ids = [outcomes for _, outcomes in axes]
    return [tuple(ids[column][code] for column, code in enumerate(row)) for row in codes.tolist()]


def distinct_rows(rows: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Returns the different rows with how often each came; all of them, once each, where many are possible.

    Args:
        rows: Unsigned integers[rounds, width].

    >>> import numpy as np
    >>> rows, times = distinct_rows(np.array([[1, 2], [0, 1], [1, 2]] * 20, dtype=np.uint8))
    >>> rows.tolist(), times.tolist()
    ([[0, 1], [1, 2]], [20, 40])
    """
    import numpy as np

    base = int(rows.max()) + 1 if rows.size else 0
    possible = base ** rows.shape[1] if base and rows.shape[1] <= _WIDEST else 0
    if not 0 < possible <= min(_MOST_DISTINCT, len(rows) // 4):
        return rows, np.ones(len(rows), dtype=np.int64)
    keys = np.zeros(len(rows), dtype=np.int64)
    for column in range(rows.shape[1]):
        keys *= base
        keys += rows[:, column]
    times = np.bincount(keys, minlength=possible)
    came = np.flatnonzero(times)
    digits = np.unravel_index(came, (base,) * rows.shape[1])
    return np.stack(digits, axis=1).astype(rows.dtype), times[came].astype(np.int64)


@dataclass(frozen=True, slots=True)
class CodeCounter:
    """Plays rows of draws by a compiled function.

    Args:
        axes: Wagers with their outcomes in the order of their codes.
        kernel: Returns the code of every wager's outcome, uint8[rounds, wagers], for rows of items.
    """

    axes: Axes
    kernel: Callable[[NDArray[Any]], NDArray[np.uint8]]

    def count(self, rows: NDArray[Any]) -> JointCounts:
        """Returns how many rows end in each joint outcome.

        Where few different rows are possible, such as the pockets of a wheel, each that came is played once and
        counts as often as it came: how a row ends hangs on the row alone.
        """
        distinct, times = distinct_rows(rows)
        each_once = len(distinct) == len(rows)
        return JointCounts.of_codes(self.axes, self.kernel(distinct), None if each_once else times)

    def outcomes(self, rows: NDArray[Any]) -> list[tuple[str, ...]]:
        """Returns the outcome of every wager for every row, by the compiled code."""
        return named(self.axes, self.kernel(rows))
