"""Conditions on what lies on the table, as nouns: numbers read from places, within bounds or compared.

A condition holds no code: nothing in it is ever run, looked up or imported.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, TypeAlias

NO_BOUND: Final = 1 << 60
"""Above every number that can be read."""


class Measure(StrEnum):
    """What is read from the cards of places, one card after the other."""

    SUM = "sum"
    ALIKE = "alike"
    DIFFERENT = "different"
    HIGHEST = "highest"
    LOWEST = "lowest"
    SPREAD = "spread"
    NTH = "nth"
    LAST = "last"
    NUMBER = "number"
    HAND = "hand"
    MATCHES = "matches"


Numbers: TypeAlias = tuple[tuple[str, tuple[int, ...]], ...]
"""For each piece and face a number: what it counts, its label, or whether it is in a set."""


@dataclass(frozen=True, slots=True)
class HandKinds:
    """Kinds of hands from the lowest, and of how many cards they are.

    Args:
        cards: Cards of a hand; of more the best are taken.
        kinds: Names of the kinds, the lowest first.
    """

    cards: int
    kinds: tuple[str, ...]

    @property
    def go_by_suits(self) -> bool:
        """Whether some kind is of one suit."""
        return any("flush" in kind or "royal" in kind for kind in self.kinds)


@dataclass(frozen=True, slots=True)
class Measurement:
    """A number that is read from the cards of places, in the order in which they come.

    Args:
        kind: What is read.
        words: What it is called, as written.
        places: Places by number; their cards count together.
        numbers: What each face counts here.
        number: Which card, of the n-th; what the sum is taken modulo, where it is.
        beside: Places whose cards are matched.
        order: How hands rank.
    """

    kind: Measure
    words: str
    places: tuple[int, ...]
    numbers: Numbers = ()
    number: int = 0
    beside: tuple[int, ...] = ()
    order: HandKinds | None = None


@dataclass(frozen=True, slots=True)
class Staked:
    """What was staked besides on one stake, in whole units."""

    stake: str


@dataclass(frozen=True, slots=True)
class Within:
    """Whether a number lies within bounds, both included."""

    reading: Measurement | Staked
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Against:
    """Whether a number is above, below or equal to another: ``sign`` is 1, -1 or 0."""

    one: Measurement
    sign: int
    other: Measurement


@dataclass(frozen=True, slots=True)
class Decided:
    """Whether an option was taken in this round."""

    option: str


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


Condition = Within | Against | Decided | All | Some | Not

Asked: TypeAlias = tuple[Any, ...]
"""A condition as stages ask it: what is asked, then places among the values that are kept, bounds or parts."""


def parts_of(condition: Condition) -> Iterator[Within | Against | Decided]:
    """Yields the tests of a condition, in the order written."""
    if isinstance(condition, All | Some):
        for part in condition.parts:
            yield from parts_of(part)
    elif isinstance(condition, Not):
        yield from parts_of(condition.part)
    else:
        yield condition


def readings_of(condition: Condition) -> Iterator[Measurement]:
    """Yields the readings that a condition rests on."""
    for part in parts_of(condition):
        if isinstance(part, Within) and isinstance(part.reading, Measurement):
            yield part.reading
        elif isinstance(part, Against):
            yield from (part.one, part.other)
