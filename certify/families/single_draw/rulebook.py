"""What conditions mean, draw by draw: the reference against which counting and play-through are held."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from certify.families.single_draw.conditions import All, Condition, Measure, Not, Reading, Some
from certify.families.single_draw.rules import LOSE, Stage, WagerTerms
from certify.model.paytable import Paytable

Faces = Sequence[Sequence[int]]
"""Faces shown in one turn: for each piece in the order drawn."""

WAGER_IDS: Final[tuple[str, ...]] = ()
"""Submissions name their own wagers."""


def measured(measure: Measure, shown: Faces) -> int:
    """Returns the number that is read from what a turn showed."""
    faces = shown[measure.piece]
    if measure.place:
        faces = faces[measure.place - 1 : measure.place]
    numbers = [measure.numbers[face] for face in faces]
    if measure.reading is Reading.TOTAL:
        return sum(numbers)
    labels = Counter(numbers)
    return max(labels.values()) if measure.reading is Reading.ALIKE else len(labels)


def holds(condition: Condition, shown: Faces) -> bool:
    """Tells whether a condition holds of what a turn showed."""
    if isinstance(condition, All):
        return all(holds(part, shown) for part in condition.parts)
    if isinstance(condition, Some):
        return any(holds(part, shown) for part in condition.parts)
    if isinstance(condition, Not):
        return not holds(condition.part, shown)
    return condition.low <= measured(condition.measure, shown) <= condition.high


def settled(stage: Stage, shown: Faces) -> tuple[str, str]:
    """Returns the row in which a wager ends, or the stage in which it goes on; one of the two is empty."""
    for ending in stage.endings:
        if holds(ending.when, shown):
            return ending.row, ending.then
    return LOSE, ""


def net_of(row: str, terms: WagerTerms, paytable: Paytable) -> Fraction:
    """Returns the net result of a row, in units of the stake."""
    if row in paytable.ids:
        return paytable.pays(row)
    return dict(terms.returns).get(row, Fraction(0)) - 1
