"""The rules of the line bets as the reference plays them: what a roll does, and what an end pays."""

from __future__ import annotations

from fractions import Fraction

from certify.families.craps.rules import (
    DONT,
    LAID,
    LOSE,
    LOST,
    PAIRS,
    PASS,
    PUSH,
    TAKEN,
    WIN,
    CrapsRules,
    laid,
)
from certify.families.port import WagerResult
from certify.model.paytable import Paytable

NATURALS = (7, 11)
CRAPS = (2, 3, 12)
SEVEN = 7


def first_roll(total: int, rules: CrapsRules) -> tuple[str, str] | None:
    """Returns how the bets with and against the line end on the first roll; none where a point is set."""
    if total in NATURALS:
        return WIN, LOSE
    if total in CRAPS:
        return LOSE, PUSH if total == rules.barred else WIN
    return None


def later_roll(total: int, point: int) -> bool | None:
    """Returns whether the point was made, none where the dice are rolled again."""
    if total == point:
        return True
    return False if total == SEVEN else None


def line_result(made: bool, point: int, odds: int, paytable: Paytable) -> WagerResult:
    """Returns the result of the bet on the line, with odds taken in units of it."""
    pair = PAIRS[point]
    if not odds:
        return plain(PASS, WIN if made else LOSE, paytable)
    if made:
        net = paytable.pays(WIN) + odds * paytable.pays(f"{TAKEN}-{pair}")
        return WagerResult(PASS, f"{TAKEN}-{pair}", net, Fraction(1 + odds))
    return WagerResult(PASS, f"{LOST}-{pair}", Fraction(-1 - odds), Fraction(1 + odds))


def against_result(made: bool, point: int, odds: int, paytable: Paytable) -> WagerResult:
    """Returns the result of the bet against the line, with odds laid to win so many units."""
    pair = PAIRS[point]
    if not odds:
        return plain(DONT, LOSE if made else WIN, paytable)
    stake = laid(point, odds)
    if made:
        return WagerResult(DONT, f"{LOST}-{pair}", -1 - stake, 1 + stake)
    net = paytable.pays(WIN) + stake * paytable.pays(f"{LAID}-{pair}")
    return WagerResult(DONT, f"{LAID}-{pair}", net, 1 + stake)


def plain(wager: str, row: str, paytable: Paytable) -> WagerResult:
    """Returns the result of a bet without odds."""
    net = {LOSE: Fraction(-1), PUSH: Fraction(0)}.get(row)
    return WagerResult(wager, row, paytable.pays(row) if net is None else net)
