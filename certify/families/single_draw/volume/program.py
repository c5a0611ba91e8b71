"""Conditions as arrays: tests as rows of numbers, conditions as short programs in postfix order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from certify.families.single_draw.conditions import All, Condition, Not, Reading, Test
from certify.families.single_draw.rules import LOSE, SingleDrawRules
from certify.model.equipment import Equipment

AND, OR, NOT = -1, -2, -3
"""Steps of a program; any other step is the number of a test."""

GOES_ON: Final = 128
"""Results from here on are stages: the wager waits for another turn."""

READINGS: Final = {Reading.TOTAL: 0, Reading.ALIKE: 1, Reading.DIFFERENT: 2}

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Program:
    """Everything that the play-through needs of a game, as arrays.

    Args:
        pieces: int64[pieces, 3], for each piece in the order drawn: first column of a row, draws of a turn, draws of
            a round.
        shows: int64[pieces, items], face of each item.
        measures: int64[measures, 3], piece, place of the draw or 0, reading.
        numbers: int64[measures, faces], what each face adds to the total, or its label.
        tests: int64[tests, 3], measure, lowest and highest number that passes.
        steps: int64[steps], the programs of all conditions, one after the other.
        endings: int64[endings, 3], first step, step after the last, result.
        stages: int64[wagers, stages, 2], first ending and ending after the last.
        lost: int64[wagers], the result where no condition holds.
    """

    pieces: Ints
    shows: Ints
    measures: Ints
    numbers: Ints
    tests: Ints
    steps: Ints
    endings: Ints
    stages: Ints
    lost: Ints


def outcomes_of(rules: SingleDrawRules) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Returns the wagers with their rows in the order of their codes; losing last."""
    return tuple((terms.wager, (*(row for row in terms.rows if row != LOSE), LOSE)) for terms in rules.wagers)


def compiled(rules: SingleDrawRules, equipment: tuple[Equipment, ...]) -> Program:
    """Returns a game as arrays."""
    tests = rules.tests
    measures = tuple(dict.fromkeys(test.measure for test in tests))
    steps: list[int] = []
    endings: list[tuple[int, int, int]] = []
    most = max(len(terms.stages) for terms in rules.wagers)
    stages = np.zeros((len(rules.wagers), most, 2), dtype=np.int64)
    for wager, (terms, (_, rows)) in enumerate(zip(rules.wagers, outcomes_of(rules), strict=True)):
        ids = [stage.id for stage in terms.stages]
        for place, stage in enumerate(terms.stages):
            stages[wager, place] = (len(endings), len(endings) + len(stage.endings))
            for ending in stage.endings:
                first = len(steps)
                steps += _postfix(ending.when, tests)
                result = rows.index(ending.row) if ending.row else GOES_ON + ids.index(ending.then)
                endings.append((first, len(steps), result))
    faces = max(len(piece.faces) for piece in equipment)
    return Program(
        pieces=_pieces(rules, equipment),
        shows=_padded([equipment[piece].shows for piece, _ in rules.draws], max(p.size for p in equipment)),
        measures=_table([(one.piece, one.place, READINGS[one.reading]) for one in measures]),
        numbers=_padded([one.numbers for one in measures], faces),
        tests=_table([(measures.index(test.measure), test.low, test.high) for test in tests]),
        steps=np.array(steps, dtype=np.int64),
        endings=_table(endings),
        stages=stages,
        lost=np.array([len(rows) - 1 for _, rows in outcomes_of(rules)], dtype=np.int64),
    )


def _pieces(rules: SingleDrawRules, equipment: tuple[Equipment, ...]) -> Ints:
    first = [sum(piece.supply for piece in equipment[:place]) for place in range(len(equipment))]
    return _table([(first[piece], count, equipment[piece].supply) for piece, count in rules.draws])


def _table(rows: list[tuple[int, int, int]]) -> Ints:
    return np.array(rows, dtype=np.int64).reshape(-1, 3)


def _padded(rows: list[tuple[int, ...]], width: int) -> Ints:
    made = np.zeros((max(1, len(rows)), width), dtype=np.int64)
    for place, row in enumerate(rows):
        made[place, : len(row)] = row
    return made


def _postfix(condition: Condition, tests: tuple[Test, ...]) -> Iterator[int]:
    if isinstance(condition, Test):
        yield tests.index(condition)
    elif isinstance(condition, Not):
        yield from _postfix(condition.part, tests)
        yield NOT
    else:
        for place, part in enumerate(condition.parts):
            yield from _postfix(part, tests)
            if place:
                yield AND if isinstance(condition, All) else OR
