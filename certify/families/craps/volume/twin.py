"""The kernel's twin in plain Python: outcomes by name, roll by roll."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certify.errors import InputError
from certify.families.craps.rules import DONT, PAIRS, PASS, CrapsRules, options, sees
from certify.families.craps.volume.tables import AGAINST_OUTCOMES, LINE_OUTCOMES
from certify.model.strategy import Strategy


def play(rows: NDArray[Any], strategy: Strategy, rules: CrapsRules, *, against: bool) -> NDArray[np.uint8]:
    """Returns the codes of both bets for every round, uint8[rounds, wagers].

    Raises:
        InputError: A round asks for more throws than its row holds.
    """
    ended = [play_one(row, strategy, rules, against=against) for row in rows.tolist()]
    codes = [[LINE_OUTCOMES.index(line), AGAINST_OUTCOMES.index(other)] for line, other in ended]
    return np.array(codes, dtype=np.uint8).reshape(-1, 2)[:, : 1 + against]


def play_one(row: Sequence[int], strategy: Strategy, rules: CrapsRules, *, against: bool) -> tuple[str, str]:
    """Returns how both bets end in one round."""
    rolls = _rolls(row)
    point = next(rolls)
    if point in {7, 11}:
        return "win", "lose"
    if point not in PAIRS:
        return "lose", "push" if point == rules.barred else "win"
    odds = lay = False
    if rules.most(point):
        odds = strategy.choose(sees(PASS, point), options(PASS, point)).startswith("odds")
        lay = against and strategy.choose(sees(DONT, point), options(DONT, point)).startswith("lay")
    last = next((roll for roll in rolls if roll in {7, point}), None)
    if last is None:
        raise InputError(f"a round asks for more rolls than its row of {len(row)} throws holds")
    pair = PAIRS[point]
    if last == point:
        return f"odds-{pair}" if odds else "win", f"lost-{pair}" if lay else "lose"
    return f"lost-{pair}" if odds else "lose", f"lay-{pair}" if lay else "win"


def _rolls(row: Sequence[int]) -> Iterator[int]:
    yield from (first + second + 2 for first, second in zip(row[::2], row[1::2], strict=True))
