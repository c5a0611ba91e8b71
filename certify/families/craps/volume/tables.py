"""Outcomes of the line bets by code, and a strategy as two small arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from certify.families.craps.rules import DONT, NO_LAY, NO_ODDS, PASS, CrapsRules, options, sees
from certify.model.strategy import Strategy

LINE_OUTCOMES: Final = (
    "win", "lose", "odds-4-10", "odds-5-9", "odds-6-8", "lost-4-10", "lost-5-9", "lost-6-8",
)  # fmt: skip
AGAINST_OUTCOMES: Final = (
    "win", "lose", "lay-4-10", "lay-5-9", "lay-6-8", "lost-4-10", "lost-5-9", "lost-6-8", "push",
)  # fmt: skip
"""Outcomes in the order of their codes; those of points follow each other by pair."""

WON, LOST, FIRST_WON, FIRST_LOST, PUSHED = 0, 1, 2, 5, 8

PAIR_OF: Final = (-1, -1, -1, -1, 0, 1, 2, -1, 2, 1, 0, -1, -1)
"""Place of the pair of each total; -1 where it is no point."""


@dataclass(frozen=True, slots=True)
class LineTables:
    """What the play-through needs of strategy and rules.

    Args:
        takes: uint8[13], 1 where odds are taken on a point.
        lays: uint8[13], 1 where odds are laid against a point.
        barred: Total of the first roll that returns the bet against the line.
        against: Whether there is a bet against the line.
    """

    takes: NDArray[np.uint8]
    lays: NDArray[np.uint8]
    barred: int
    against: bool


def compiled(strategy: Strategy, rules: CrapsRules, *, against: bool) -> LineTables:
    """Returns a strategy and the rules as arrays."""
    takes, lays = np.zeros(13, dtype=np.uint8), np.zeros(13, dtype=np.uint8)
    for point, pair in enumerate(PAIR_OF):
        if pair >= 0 and rules.most(point):
            takes[point] = strategy.choose(sees(PASS, point), options(PASS, point)) != NO_ODDS
            lays[point] = against and strategy.choose(sees(DONT, point), options(DONT, point)) != NO_LAY
    return LineTables(takes, lays, rules.barred, against)
