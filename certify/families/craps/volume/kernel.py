"""Compiled play-through of the line bets; its twin is volume.twin."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from certify.errors import InputError
from certify.families.craps.volume.tables import (
    FIRST_LOST,
    FIRST_WON,
    LOST,
    PAIR_OF,
    PUSHED,
    WON,
    LineTables,
)

RUN_OUT = 255
"""Code of a round that asks for more throws than its row holds."""

_PAIRS = np.array(PAIR_OF, dtype=np.int64)


def play(rows: NDArray[Any], tables: LineTables) -> NDArray[np.uint8]:
    """Returns the codes of both bets for every round, uint8[rounds, wagers].

    Args:
        rows: Unsigned integers[rounds, throws], sides from 0 in the order thrown.
        tables: Strategy and rules, compiled.

    Raises:
        InputError: A round asks for more throws than its row holds.
    """
    codes = np.empty((len(rows), 2), dtype=np.uint8)
    _play(rows, tables.takes, tables.lays, tables.barred, codes)
    short = codes[:, 0] == RUN_OUT
    if short.any():
        raise InputError(
            f"round {int(np.argmax(short))} asks for more rolls than its row of {rows.shape[1]} throws holds"
        )
    return codes if tables.against else codes[:, :1]


@njit(cache=True, nogil=True)
def _play(
    rows: NDArray[Any],
    takes: NDArray[np.uint8],
    lays: NDArray[np.uint8],
    barred: int,
    codes: NDArray[np.uint8],
) -> None:
    for index in range(rows.shape[0]):
        point = np.int64(rows[index, 0]) + np.int64(rows[index, 1]) + 2
        if point == 7 or point == 11:
            codes[index, 0], codes[index, 1] = WON, LOST
            continue
        if _PAIRS[point] < 0:
            codes[index, 0] = LOST
            codes[index, 1] = PUSHED if point == barred else WON
            continue
        place = 2
        total = np.int64(0)
        while total != point and total != 7 and place + 1 < rows.shape[1]:
            total = np.int64(rows[index, place]) + np.int64(rows[index, place + 1]) + 2
            place += 2
        pair = _PAIRS[point]
        if total == point:
            codes[index, 0] = FIRST_WON + pair if takes[point] else WON
            codes[index, 1] = FIRST_LOST + pair if lays[point] else LOST
        elif total == 7:
            codes[index, 0] = FIRST_LOST + pair if takes[point] else LOST
            codes[index, 1] = FIRST_WON + pair if lays[point] else WON
        else:
            codes[index, 0], codes[index, 1] = RUN_OUT, RUN_OUT
