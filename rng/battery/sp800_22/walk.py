"""The random walk of the bits: how far it strays, and how often its cycles visit the states near zero."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numba import njit

from rng.kernels import called_by_kernels

if TYPE_CHECKING:
    from numpy.typing import NDArray

# The states of the random excursions test lie within 4 of zero, those of its variant within 9.
NEAR = 4
FAR = 9
# Visits in a cycle are counted as 0, 1, 2, 3, 4 and "5 or more".
LAST_CLASS = 5


def _byte_walks() -> NDArray[np.int8]:
    """For every byte: where its eight steps lead, and the highest and lowest point on the way."""
    steps = 2 * np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.int8) - 1
    walks = steps.cumsum(axis=1)
    return np.stack([walks[:, -1], walks.max(axis=1), walks.min(axis=1)], axis=1).astype(np.int8)


BYTE_WALKS = _byte_walks()


@njit(cache=True, nogil=True)
def _walk_extremes(octets: NDArray[np.uint8], length: int, tables: NDArray[np.int8]) -> tuple[int, int, int]:
    position = highest = lowest = 0
    for at in range(length >> 3):
        octet = octets[at]
        highest = max(highest, position + tables[octet, 1])
        lowest = min(lowest, position + tables[octet, 2])
        position += tables[octet, 0]
    for bit in range(length & 7):
        position += 2 * ((octets[length >> 3] >> (7 - bit)) & 1) - 1
        highest = max(highest, position)
        lowest = min(lowest, position)
    return position, highest, lowest


def walk_extremes(octets: NDArray[np.uint8], length: int) -> tuple[int, int, int]:
    """Return where the walk of the bits ends and its highest and lowest points, the start (0) included."""
    end, highest, lowest = _walk_extremes(octets, length, BYTE_WALKS)
    return int(end), int(highest), int(lowest)


@dataclass(frozen=True, slots=True, eq=False)
class Excursions:
    """The walk's cycles and visits.

    Args:
        cycles: Number of cycles; a walk that does not end at zero ends in a cycle of its own.
        near: Cycles by state (-4 to 4; the middle row is unused) and number of visits, 5 for more: shape
            (9, 6). far: Visits in all by state, -9 to 9: shape (19,).
    """

    cycles: int
    near: NDArray[np.int64]
    far: NDArray[np.int64]


@called_by_kernels
def _close_cycle(visits: NDArray[np.int64], near: NDArray[np.int64]) -> None:
    for state in range(visits.size):
        near[state, min(visits[state], 5)] += 1
        visits[state] = 0


@njit(cache=True, nogil=True)
def _walk(
    octets: NDArray[np.uint8],
    length: int,
    tables: NDArray[np.int8],
    near: NDArray[np.int64],
    far: NDArray[np.int64],
) -> int:
    visits = np.zeros(9, dtype=np.int64)
    position = cycles = 0
    for at in range((length + 7) >> 3):
        octet = octets[at]
        steps = min(8, length - 8 * at)
        if steps == 8 and (position > 17 or position < -17):
            # Eight steps from here stay beyond every state that is counted.
            position += int(tables[octet, 0])
            continue
        for bit in range(steps):
            position += 2 * int((octet >> np.uint8(7 - bit)) & np.uint8(1)) - 1
            if -9 <= position <= 9:
                far[position + 9] += 1
                if position == 0:
                    cycles += 1
                    _close_cycle(visits, near)
                elif -4 <= position <= 4:
                    visits[position + 4] += 1
    if position != 0:
        cycles += 1
        _close_cycle(visits, near)
    return cycles


def walk_excursions(octets: NDArray[np.uint8], length: int) -> Excursions:
    """Walk up for every one and down for every zero, counting cycles and visits."""
    near = np.zeros((2 * NEAR + 1, LAST_CLASS + 1), dtype=np.int64)
    far = np.zeros(2 * FAR + 1, dtype=np.int64)
    cycles = int(_walk(octets, length, BYTE_WALKS, near, far))
    return Excursions(cycles, near, far)
