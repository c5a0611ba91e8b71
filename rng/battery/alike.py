"""How many columns of a row show the same: pairs, triples and whole rows of one face, by their exact law."""

from __future__ import annotations

import math
from collections import Counter
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rng.battery import goodness
from rng.battery.cells import two_sided
from rng.battery.result import TestResult

Pattern = tuple[int, ...]

NAME: Final = "columns-alike"
# Of two columns it is the test of matches; more columns than these have too many patterns.
COLUMNS: Final = range(3, 13)
LEAST_ROWS: Final = 100


@cache
def patterns(columns: int, below: int) -> dict[Pattern, float]:
    """Probability of each pattern of equal numbers, largest group first.

    Example:
        >>> patterns(3, 6)[3,], round(patterns(3, 6)[1, 1, 1], 6)
        (0.027777777777777776, 0.555556)
    """
    found = {}
    for code in range(1 << (columns - 1)):
        pattern = _pattern(code, columns)
        ways = math.factorial(columns)
        for group, times in Counter(pattern).items():
            ways //= math.factorial(group) ** times * math.factorial(times)
        found[pattern] = ways * math.perm(below, len(pattern)) / below**columns
    return found


def _pattern(code: int, columns: int) -> Pattern:
    """The groups of a sorted row of which a bit says for each two neighbours whether they are equal."""
    groups = [1]
    for place in range(columns - 1):
        if code >> place & 1:
            groups[-1] += 1
        else:
            groups.append(1)
    return tuple(sorted(groups, reverse=True))


def counts_of(rows: NDArray[np.unsignedinteger]) -> Counter[Pattern]:
    """How many rows show each pattern of equal numbers.

    Example:
        >>> counts_of(np.array([[2, 1, 2], [0, 0, 0]], dtype=np.uint8))
        Counter({(2, 1): 1, (3,): 1})
    """
    columns = rows.shape[1]
    ordered = np.sort(rows, axis=1)
    codes = (ordered[:, 1:] == ordered[:, :-1]) @ (1 << np.arange(columns - 1))
    counts = Counter[Pattern]()
    for code, times in enumerate(np.bincount(codes).tolist()):
        if times:
            counts[_pattern(code, columns)] += times
    return counts


def run(rows: NDArray[np.unsignedinteger], below: int) -> TestResult:
    """Pairs, triples and more equal numbers in a row, each pattern by its exact binomial tails.

    Args:
        rows: Independent numbers below one range, a draw a row.
        below: The range.

    Source: Knuth, The Art of Computer Programming 2, 3.3.2 E (poker test), every class by itself.
    """
    law, counts = patterns(rows.shape[1], below), counts_of(rows)
    possible = [pattern for pattern, chance in law.items() if chance]
    chances = np.array([law[pattern] for pattern in possible])
    p_values = two_sided(np.array([counts[pattern] for pattern in possible]), len(rows), chances)
    return TestResult(
        p_values=tuple(p_values.tolist()),
        labels=tuple(" + ".join(map(str, pattern)) for pattern in possible),
        null="patterns of equal numbers; binomial, exact",
        discrete=True,
        detectable=goodness.describe_fullest(
            len(rows), float(chances.min()), chances.size, "rows with one combination of three"
        ),
    ).run_as("rows", NAME, len(rows))
