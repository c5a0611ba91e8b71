"""Tests of what any draw yields: each part by its fitting suite, and integers beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rng.battery import balls, cards, goodness, in_order, sequences
from rng.battery.result import NotRun, TestResult
from rng.draws import Draw, Integer, OrderedSample, check_rows
from rng.errors import RangeError, SampleError

Rows = NDArray[np.unsignedinteger]
Results = tuple[TestResult | NotRun, ...]

MOST_CELLS = 1 << 20


def run(draw: Draw, rows: Rows) -> Results:
    """Runs the fitting tests on rows of a draw, each test once.

    Integers are tested column by column as sequences, and neighbouring columns against each other; whole orders of
    twenty items and more as decks; other samples as balls. p-values of one test on several parts stand together.

    Args:
        draw: What was drawn.
        rows: One draw a row.

    Raises:
        SampleError: A row is none that the draw can yield.
    """
    try:
        check_rows(draw, rows)
    except RangeError as error:
        raise SampleError(str(error)) from None
    parts: list[tuple[str, Results]] = []
    column = 0
    for element in draw.elements:
        part = rows[:, column : column + element.width]
        where = (
            f"column {column + 1}"
            if element.width == 1
            else f"columns {column + 1} to {column + element.width}"
        )
        parts.append((where, _element(element, part)))
        column += element.width
    return (*_pooled(parts), *_column_pairs(draw, rows), *in_order.run(draw, rows))


def _element(element: OrderedSample | Integer, part: Rows) -> Results:
    if isinstance(element, Integer):
        if element.below < 2 or element.below > 1 << 48:
            return (NotRun("sequences", "frequency", f"does not apply to numbers below {element.below}"),)
        return sequences.run(np.ascontiguousarray(part[:, 0]), element.below)
    if element.size == element.items and cards.FEWEST_CARDS <= element.items <= cards.MOST_CARDS:
        return cards.run(part.astype(np.uint16))
    return balls.run(element, part)


def _pooled(parts: Sequence[tuple[str, Results]]) -> Results:
    """Puts the results of the same test on several parts into one."""
    tests: dict[tuple[str, str], list[tuple[str, TestResult | NotRun]]] = {}
    for where, results in parts:
        for result in results:
            tests.setdefault((result.suite, result.test), []).append((where, result))
    return tuple(_one(found, len(parts)) for found in tests.values())


def _one(found: Sequence[tuple[str, TestResult | NotRun]], parts: int) -> TestResult | NotRun:
    run_on = [(where, result) for where, result in found if isinstance(result, TestResult)]
    if not run_on:
        return found[0][1]
    if parts == 1:
        return run_on[0][1]
    labels: list[str] = []
    for where, result in run_on:
        own = result.labels or tuple(str(n + 1) for n in range(len(result.p_values)))
        labels += [f"{where}, {label}" if len(own) > 1 else where for label in own]
    return replace(
        run_on[0][1],
        p_values=tuple(p for _, result in run_on for p in result.p_values),
        deciding=tuple(p for _, result in run_on for p in result.decided),
        labels=tuple(labels),
        discrete=any(result.discrete for _, result in run_on),
        statistic=None,
    )


def _column_pairs(draw: Draw, rows: Rows) -> Results:
    """Each two neighbouring integers of a row: independent, so that all pairs of values are equally likely."""
    p_values, labels, fewest, column = [], [], 0, 0
    for first, second in pairwise(draw.elements):
        after = column + first.width
        if isinstance(first, Integer) and isinstance(second, Integer):
            cells = first.below * second.below
            needed = int(goodness.LEAST_EXPECTED) * cells
            if 1 < cells <= MOST_CELLS and len(rows) >= needed:
                codes = rows[:, column].astype(np.int64) * second.below + rows[:, after]
                p_values.append(goodness.uniform_fit(np.bincount(codes, minlength=cells)).p_value)
                labels.append(f"columns {column + 1} and {after + 1}")
            elif 1 < cells <= MOST_CELLS:
                fewest = max(fewest, needed)
        column = after
    if p_values:
        null = "multinomial with equal probabilities; chi-square"
        return (
            TestResult(
                "rows", "column-pairs", tuple(p_values), tuple(labels), sample_size=len(rows), null=null
            ),
        )
    if fewest:
        reason = f"{len(rows)} rows, at least {fewest} are needed"
        return (NotRun("rows", "column-pairs", reason, fewest),)
    return ()
