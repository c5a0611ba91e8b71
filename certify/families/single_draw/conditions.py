"""Conditions on what was drawn, as nouns: numbers read from the faces, within bounds, joined by and, or and not.

A condition holds no code: nothing in it is ever run, looked up or imported. What it means is said three times by
three pieces of code that do not know each other: the rulebook, the counting of ways and the compiled play-through.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

NO_BOUND: Final = 10**12
"""Above every number that can be read from faces: each counts at most a million, and 4,096 are drawn at most."""


class Reading(StrEnum):
    """What is read from the faces that a piece showed."""

    TOTAL = "total"
    """The numbers of the faces added up; a face that is in a set counts one, any other none."""
    ALIKE = "alike"
    """How often the label shows that shows most often."""
    DIFFERENT = "different"
    """How many different labels show."""


@dataclass(frozen=True, slots=True)
class Measure:
    """One number that is read from the faces of one piece.

    Args:
        reading: What is read.
        piece: Place of the piece among those that are drawn from.
        numbers: For each face what it adds to the total, or its label.
        place: The one draw that is looked at, counted from 1; 0 for all draws of the turn, whatever their order.
    """

    reading: Reading
    piece: int
    numbers: tuple[int, ...]
    place: int = 0


@dataclass(frozen=True, slots=True)
class Test:
    """Whether a measure lies within bounds, both included."""

    measure: Measure
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class All:
    """Every part holds."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Some:
    """At least one part holds."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """The part does not hold."""

    part: Condition


Condition = Test | All | Some | Not


def tests_of(condition: Condition) -> Iterator[Test]:
    """Yields the tests of a condition, in the order written."""
    if isinstance(condition, Test):
        yield condition
    elif isinstance(condition, Not):
        yield from tests_of(condition.part)
    else:
        for part in condition.parts:
            yield from tests_of(part)
