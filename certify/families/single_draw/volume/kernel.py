"""Compiled play-through of games of one draw; its twin is volume.twin."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba import njit
from numpy.typing import NDArray

from certify.errors import InputError
from certify.families.single_draw.volume.program import AND, GOES_ON, OR, Ints, Program

RUN_OUT: Final = 255
"""Code of a round that asks for more draws than its row holds."""

_AND, _OR, _GOES_ON = AND, OR, GOES_ON


def play(rows: NDArray[Any], program: Program) -> NDArray[np.uint8]:
    """Returns the code of every wager's row for every round, uint8[rounds, wagers].

    Args:
        rows: Unsigned integers[rounds, draws], items in the order drawn.
        program: The game, compiled.

    Raises:
        InputError: A round asks for more draws than its row holds.
    """
    codes = np.empty((len(rows), len(program.lost)), dtype=np.uint8)
    _play(
        rows,
        program.pieces,
        program.shows,
        program.measures,
        program.numbers,
        program.tests,
        program.steps,
        program.endings,
        program.stages,
        program.lost,
        codes,
    )
    short = (codes == RUN_OUT).any(axis=1)
    if short.any():
        raise InputError(
            f"round {int(np.argmax(short))} asks for more turns than its row of {rows.shape[1]} draws holds"
        )
    return codes


@njit(cache=True, nogil=True)
def _play(
    rows: NDArray[Any],
    pieces: Ints,
    shows: Ints,
    measures: Ints,
    numbers: Ints,
    tests: Ints,
    steps: Ints,
    endings: Ints,
    stages: Ints,
    lost: Ints,
    codes: NDArray[np.uint8],
) -> None:
    faces = np.empty((pieces.shape[0], pieces[:, 1].max()), dtype=np.int64)
    read = np.empty(measures.shape[0], dtype=np.int64)
    passed = np.empty(tests.shape[0], dtype=np.bool_)
    stack = np.empty(steps.size + 1, dtype=np.bool_)
    seen = np.zeros(numbers.shape[1] + 1, dtype=np.int64)
    wagers = lost.size
    stage = np.empty(wagers, dtype=np.int64)
    for index in range(rows.shape[0]):
        stage[:] = 0
        waiting = wagers
        turn = 0
        while waiting > 0:
            enough = True
            for piece in range(pieces.shape[0]):
                start = turn * pieces[piece, 1]
                if start + pieces[piece, 1] > pieces[piece, 2]:
                    enough = False
                    break
                for draw in range(pieces[piece, 1]):
                    faces[piece, draw] = shows[piece, rows[index, pieces[piece, 0] + start + draw]]
            if not enough:
                for wager in range(wagers):
                    if stage[wager] >= 0:
                        codes[index, wager] = RUN_OUT
                break
            for measure in range(measures.shape[0]):
                read[measure] = _read(faces, pieces, measures, numbers, measure, seen)
            for test in range(tests.shape[0]):
                passed[test] = tests[test, 1] <= read[tests[test, 0]] <= tests[test, 2]
            for wager in range(wagers):
                if stage[wager] < 0:
                    continue
                result = lost[wager]
                for ending in range(stages[wager, stage[wager], 0], stages[wager, stage[wager], 1]):
                    if _holds(steps, endings[ending, 0], endings[ending, 1], passed, stack):
                        result = endings[ending, 2]
                        break
                if result >= _GOES_ON:
                    stage[wager] = result - _GOES_ON
                else:
                    codes[index, wager] = result
                    stage[wager] = -1
                    waiting -= 1
            turn += 1


@njit(cache=True, nogil=True)
def _read(faces: Ints, pieces: Ints, measures: Ints, numbers: Ints, measure: int, seen: Ints) -> int:
    piece, place, reading = measures[measure, 0], measures[measure, 1], measures[measure, 2]
    first, after = 0, pieces[piece, 1]
    if place > 0:
        first, after = place - 1, place
    if reading == 0:
        total = 0
        for draw in range(first, after):
            total += numbers[measure, faces[piece, draw]]
        return total
    most, kinds = 0, 0
    for draw in range(first, after):
        label = numbers[measure, faces[piece, draw]]
        seen[label] += 1
        if seen[label] == 1:
            kinds += 1
        most = max(most, seen[label])
    for draw in range(first, after):
        seen[numbers[measure, faces[piece, draw]]] = 0
    return most if reading == 1 else kinds


@njit(cache=True, nogil=True)
def _holds(steps: Ints, first: int, after: int, passed: NDArray[np.bool_], stack: NDArray[np.bool_]) -> bool:
    top = -1
    for place in range(first, after):
        step = steps[place]
        if step >= 0:
            top += 1
            stack[top] = passed[step]
        elif step == _AND:
            top -= 1
            stack[top] = stack[top] and stack[top + 1]
        elif step == _OR:
            top -= 1
            stack[top] = stack[top] or stack[top + 1]
        else:
            stack[top] = not stack[top]
    return bool(stack[top])
