"""Three columns together: stops of one reel after two others, one by one and by classes; columns that are alike."""

import math
from collections.abc import Iterator, Sequence
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from rng.battery import goodness
from rng.battery.cell_sums import two_sided, worst
from rng.battery.result import TestResult

Rows = NDArray[np.unsignedinteger]

# More cells than this are not counted; of more columns than this, only three that follow each other.
MOST_CELLS = 1 << 21
MOST_COLUMNS = 5
# Symbols that fill several stops show in classes of neighbouring stops, so many of them on each reel.
CLASSES = (3, 6)
# A near miss shows in a few neighbouring stops together.
WINDOWS = (1, 2, 3)
LEAST_ROWS = 100
NAME = "column-triples"


def chosen(columns: int) -> list[tuple[int, int, int]]:
    """Two columns in their order, and the one that may follow them.

    Example:
        >>> chosen(3)
        [(0, 1, 2), (0, 2, 1), (1, 2, 0)]
    """
    if columns > MOST_COLUMNS:
        return [(i, i + 1, i + 2) for i in range(columns - 2)]
    return [(a, b, c) for a, b, c in permutations(range(columns), 3) if a < b]


def by_class(rows: Rows, ranges: Sequence[int]) -> Iterator[tuple[str, float]]:
    """Yields every three columns cut into classes of neighbouring values, and a p-value for all of these."""
    for three in sorted({tuple(sorted(three)) for three in chosen(len(ranges))}):
        for classes in CLASSES:
            if min(ranges[c] for c in three) < 2 * classes:
                continue
            codes, law = np.zeros(len(rows), dtype=np.int64), np.ones(1)
            for c in three:
                codes = codes * classes + rows[:, c].astype(np.int64) * classes // ranges[c]
                shares = np.bincount(np.arange(ranges[c]) * classes // ranges[c]) / ranges[c]
                law = np.outer(law, shares).reshape(-1)
            counts = np.bincount(codes, minlength=law.size)
            names = [", ".join(map(str, np.unravel_index(i, (classes,) * 3))) for i in range(law.size)]
            name, p_value = worst(two_sided(counts, len(rows), law), names)
            yield f"columns {', '.join(str(c + 1) for c in three)}: classes {name} of {classes}", p_value


def minimum(ranges: Sequence[int]) -> int | None:
    """Fewest rows; None where no three columns have few enough combinations, nor are cut into classes."""
    looked_at = (
        (math.prod(shape) <= MOST_CELLS and min(shape) > 1) or min(shape) >= 2 * min(CLASSES)
        for shape in ([ranges[column] for column in three] for three in chosen(len(ranges)))
    )
    return LEAST_ROWS if any(looked_at) else None


def run(rows: Rows, ranges: Sequence[int]) -> TestResult:
    """Each value of a column after each two values of two others, alone and with its neighbours, by exact tails.

    Beside these all three columns cut into a few classes each.

    Args:
        rows: Independent numbers, a draw a row.
        ranges: Range of each column.

    Source: binomial, exact; Bonferroni over the cells and windows.
    """
    found: dict[str, float] = {}
    cells = 1
    for first, second, third in chosen(len(ranges)):
        shape = ranges[first], ranges[second], ranges[third]
        if math.prod(shape) > MOST_CELLS or min(shape) < 2:
            continue
        codes = np.ravel_multi_index(
            tuple(rows[:, c].astype(np.int64) for c in (first, second, third)), shape
        )
        counts = np.bincount(codes, minlength=math.prod(shape)).reshape(shape)
        cells = max(cells, counts.size)
        window = np.zeros_like(counts)
        for width in WINDOWS:
            if width >= shape[2]:
                break
            window = window + np.roll(counts, 1 - width, axis=2)
            law = np.full(counts.size, width / counts.size)
            p_values = two_sided(window.reshape(-1), len(rows), law)
            at = int(p_values.argmin())
            a, b, c = (int(x) for x in np.unravel_index(at, shape))
            label = f"columns {first + 1}, {second + 1}: {a}, {b}; column {third + 1} from {c}, {width} wide"
            found[label] = min(1.0, p_values.size * float(p_values[at]))
    found |= dict(by_class(rows, ranges))
    return TestResult.of(
        found,
        null="binomial tails of each cell and of neighbouring cells, exact; Bonferroni over them",
        detectable=goodness.describe_fullest(
            len(rows), 1 / cells, cells, "rows with one combination of three"
        ),
    )
