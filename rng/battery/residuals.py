"""How far counts lie from what is expected, cell by cell: by place in a row, and over time."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

# Faces or values distinguished; of more, neighbouring ones form classes.
MOST_CLASSES: Final = 64
MOST_PLACES: Final = 64
# Stretches of time, each as long as every other.
BLOCKS: Final = 48
LEAST_EXPECTED: Final = 5
# Largest residuals that are named.
NAMED: Final = 5

Axis = Literal["place", "block"]


@dataclass(frozen=True, slots=True)
class ResidualCell:
    """One cell of the table.

    Args:
        row: Number of its place or block, from 0.
        column: Number of its class, from 0.
        observed: Times that it was seen.
        expected: Times that it is expected.
        residual: Standardised: the difference over its standard deviation.
    """

    row: int
    column: int
    observed: int
    expected: float
    residual: float


@dataclass(frozen=True, slots=True)
class Residuals:
    """Counts of classes by place, or by block of time, next to what is expected.

    Args:
        axis: What the rows are.
        rows: Names of the rows.
        columns: Names of the classes.
        residuals: Standardised residuals, row by row, to two decimals.
        largest: The largest of them, the largest first.
        due: Size that the largest one reaches by chance alone in one sample of two, if the cells were independent.
    """

    axis: Axis
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    residuals: tuple[tuple[float, ...], ...]
    largest: tuple[ResidualCell, ...]
    due: float


def tables_of(
    drawn: NDArray[Any], shows: Sequence[int], faces: Sequence[str], *, by_place: bool
) -> tuple[Residuals, ...]:
    """Returns the residuals by place, where a row has several, and over time.

    A residual is the difference between count and expectation over the standard deviation of the count, which is
    binomial within one place; over whole rows without replacement it is smaller, and such blocks look at the first
    place alone.

    Args:
        drawn: Items[n, width], one row a row, in the order drawn.
        shows: Face of each item.
        faces: Names of the faces.
        by_place: Whether places of a row mean something: decks, balls, columns.

    >>> table = tables_of(np.array([[0, 1]] * 50 + [[1, 0]] * 30), (0, 1), ("red", "black"), by_place=True)[0]
    >>> table.rows, table.residuals, table.largest[0].observed
    (('1', '2'), ((2.24, -2.24), (-2.24, 2.24)), 50)
    """
    kinds, names, weights = _classes(np.array(shows), faces)
    of = kinds[drawn]
    width = of.shape[1]
    found: list[Residuals] = []
    if by_place and width > 1:
        looked = of[:, :MOST_PLACES]
        places = np.broadcast_to(np.arange(looked.shape[1]), looked.shape)
        numbered = tuple(str(place + 1) for place in range(looked.shape[1]))
        found += _table("place", numbered, names, weights, places.reshape(-1), looked.reshape(-1))
    in_time = (of[:, 0] if by_place else of).reshape(-1)
    fewest = int(LEAST_EXPECTED / float(weights.min())) + 1
    blocks = min(BLOCKS, len(in_time) // fewest)
    if blocks > 1:
        block = np.arange(len(in_time), dtype=np.int64) * blocks // len(in_time)
        numbered = tuple(str(number + 1) for number in range(blocks))
        found += _table("block", numbered, names, weights, block, in_time)
    return tuple(found)


def _classes(
    shows: NDArray[np.int64], faces: Sequence[str]
) -> tuple[NDArray[np.uint8], tuple[str, ...], NDArray[np.float64]]:
    """Returns the class of each item, their names and their probabilities."""
    size = len(faces)
    classes = min(size, MOST_CLASSES)
    of_face = np.arange(size) * classes // size
    ends = [np.flatnonzero(of_face == number)[[0, -1]] for number in range(classes)]
    names = tuple(
        faces[first] if first == last else f"{faces[first]} to {faces[last]}" for first, last in ends
    )
    kinds = of_face[shows].astype(np.uint8)
    return kinds, names, np.bincount(kinds, minlength=classes) / len(shows)


def _table(
    axis: Axis,
    rows: tuple[str, ...],
    columns: tuple[str, ...],
    weights: NDArray[np.float64],
    row_of: NDArray[np.int64],
    class_of: NDArray[np.uint8],
) -> list[Residuals]:
    """Returns the table, or none where a cell is expected too seldom to be looked at."""
    shape = (len(rows), len(columns))
    counts = np.bincount(
        row_of.astype(np.int64) * len(columns) + class_of, minlength=shape[0] * shape[1]
    ).reshape(shape)
    totals = counts.sum(axis=1, keepdims=True)
    expected = totals * weights
    if float(expected.min()) < LEAST_EXPECTED or len(columns) < 2:
        return []
    residuals = (counts - expected) / np.sqrt(expected * (1 - weights))
    places = np.argsort(-np.abs(residuals), axis=None, kind="stable")[:NAMED]
    largest = tuple(
        ResidualCell(
            row, column, int(counts[row, column]), float(expected[row, column]), float(residuals[row, column])
        )
        for row, column in (divmod(int(place), len(columns)) for place in places)
    )
    # What describes a page of numbers does not wait for scipy.
    from scipy import special

    due = float(special.ndtri(0.5 + 0.5 * math.exp(math.log(0.5) / counts.size)))
    rounded = tuple(tuple(round(float(value), 2) for value in row) for row in residuals)
    return [Residuals(axis, rows, columns, rounded, largest, round(due, 2))]
