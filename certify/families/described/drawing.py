"""What one draw of a turn adds to, and how many of what is not put back can come."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from certify.families.described.conditions import Measure, Measurement
from certify.model.equipment import Equipment, Kind

HOW: Final = {
    Kind.WHEEL: "spins",
    Kind.REEL: "stops",
    Kind.DICE: "throws",
    Kind.BALLS: "draws",
    Kind.SHOE: "is dealt",
}
"""What happens at a draw, for sentences."""


class Drawing(NamedTuple):
    """One draw of a turn.

    Args:
        holder: Who gets what is drawn.
        piece: What is drawn from.
        how: What happens, for sentences.
        adds: Readings that the card adds to.
        matched: Readings whose cards are matched with it.
        bounds: Readings that count items which are not put back: the reading, others that count a part of these each,
            and how many of the rest there are.
    """

    holder: str
    piece: str
    how: str
    adds: tuple[int, ...]
    matched: tuple[int, ...]
    bounds: tuple[tuple[int, tuple[int, ...], int], ...] = ()


def bounds(
    piece: Equipment, place: int, readings: Mapping[int, Measurement]
) -> Iterator[tuple[int, tuple[int, ...], int]]:
    """Yields how many of some items can come where none is put back: what is beyond need not be walked.

    Args:
        piece: What is drawn from.
        place: Where its items lie.
        readings: The readings that a draw adds to, by number.
    """
    if piece.replaced:
        return
    sets: dict[int, frozenset[int]] = {}
    for number, reading in readings.items():
        numbers = dict(reading.numbers).get(piece.id, ())
        own = reading.kind is Measure.SUM and reading.places == (place,) and not reading.number
        if own and len(reading.numbers) == 1 and set(numbers) <= {0, 1}:
            sets[number] = frozenset(face for face, counts in enumerate(numbers) if counts)
    for number, faces in sets.items():
        inner: list[int] = []
        left = faces
        for other in sorted(sets, key=lambda one: (-len(sets[one]), one)):
            if sets[other] < faces and sets[other] <= left:
                inner.append(other)
                left -= sets[other]
        yield number, tuple(inner), sum(piece.copies[face] for face in left)
