"""Where a change of the return comes from: what each part and row contributes otherwise, exactly."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from certify.errors import KeyPath
from certify.exact import fraction_text
from certify.gate.impact import Impact
from certify.gate.words import percent, points
from certify.model.figures import WagerFigures

MOST_TOLD: Final = 12
"""Rows that are told one by one, those that moved most; the rest together."""


def contributions_moved(
    wager: str, before: WagerFigures, after: WagerFigures, key: KeyPath
) -> Iterator[Impact]:
    """Yields the parts and rows of a wager that contribute otherwise, where one round wins many times."""
    if not before.awards or not after.awards:
        return
    old, new = _rows(before), _rows(after)
    moved = {row: new.get(row, Fraction(0)) - old.get(row, Fraction(0)) for row in {**old, **new}}
    moved = {row: change for row, change in moved.items() if change}
    order = sorted(moved, key=lambda row: (-abs(moved[row]), row))
    for row in order[:MOST_TOLD]:
        was, now = old.get(row, Fraction(0)), new.get(row, Fraction(0))
        yield _told(wager, row, was, now, key)
    rest = order[MOST_TOLD:]
    if rest:
        was, now = (sum((one.get(row, Fraction(0)) for row in rest), Fraction(0)) for one in (old, new))
        yield _told(wager, f"{len(rest)} further rows together", was, now, key)


def _rows(figures: WagerFigures) -> dict[str, Fraction]:
    found: dict[str, Fraction] = {}
    for one in figures.awards:
        name = f"{one.part}/{one.row}" if one.part else one.row
        found[name] = found.get(name, Fraction(0)) + one.contribution
    return found


def _told(wager: str, row: str, was: Fraction, now: Fraction, key: KeyPath) -> Impact:
    change = now - was
    return Impact(
        "contribution-changed",
        f"{wager}/{row}",
        f"{row} contributes {percent(was)} → {percent(now)}, {points(change)} ({fraction_text(change)})",
        fraction_text(was),
        fraction_text(now),
        key,
        wager,
    )
