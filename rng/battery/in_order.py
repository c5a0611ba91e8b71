"""Numbers in the order in which they were drawn, row by row: what ties outputs together runs across the columns."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rng.battery import sequences
from rng.battery.result import TestResult
from rng.battery.suite import Results, Running
from rng.draws import Draw, Integer

NAMES = (
    "known-lags",
    "power-of-two-lags",
    "three-lags",
    "every-state",
    "seeds",
    "all-lags",
    "congruential",
    "linear-halves",
)
"""The tests of sequences that look for relations between outputs of one generator."""


def run(draw: Draw, rows: NDArray[np.unsignedinteger], running: Running = map) -> Results:
    """Runs the tests of known generators on rows of equal integers, read like text.

    Two dice take the outputs of one generator in turn: neither column holds what ties them together.

    Args:
        draw: What was drawn; nothing is run unless it is several integers of one range.
        rows: One draw a row.
        running: What runs each of them.
    """
    ranges = {element.below for element in draw.elements if isinstance(element, Integer)}
    alike = len(ranges) == 1 and all(isinstance(element, Integer) for element in draw.elements)
    if not alike or len(draw.elements) < 2 or not 2 <= (below := ranges.pop()) <= 1 << 48:
        return ()
    results = sequences.run(np.ascontiguousarray(rows).reshape(-1), below, NAMES, running=running)
    applied = (result for result in results if isinstance(result, TestResult) or result.undecided)
    return tuple(replace(result, suite="rows") for result in applied)
