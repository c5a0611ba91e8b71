"""Names of strategies that the families of Seven and a Half share, and what they look at."""

from __future__ import annotations

from dataclasses import dataclass

from certify.errors import InputError
from certify.exact import parse_half_points
from certify.families.seven_and_a_half.cards import SEVEN_AND_A_HALF
from certify.model.strategy import FILE, JOINTLY_OPTIMAL, MAIN_OPTIMAL

ALWAYS_SECOND_CARD = "always-second-card"
MIMIC_DEALER = "mimic-dealer"
TIME_OUT = "time-out"
STAND_ON = "stand-on:"
THRESHOLDS = "stand-on-by-open-card"
OWN_CARD = "best-by-own-card"

COMPOSITION = "composition-dependent"
FIRST_CARD = "composition-dependent with first card"
TOTAL = "total-dependent"
PRINTED_CARD = "printed card"
ONE_TOTAL = "one total"
OWN_FIRST_CARD = "own card alone"
FIXED = "fixed"
LOWEST_BET = ": always the lowest final bet, never a fold"
"""Added to the class of a strategy that leaves nothing to choose about the final bet."""


_NAMES = (
    MAIN_OPTIMAL,
    JOINTLY_OPTIMAL,
    ALWAYS_SECOND_CARD,
    MIMIC_DEALER,
    TIME_OUT,
    THRESHOLDS,
    OWN_CARD,
)


@dataclass(frozen=True, slots=True)
class StrategyName:
    """A strategy name as on the command line, taken apart.

    Args:
        kind: Name up to a colon.
        total: Total to stand on in half points, for ``stand-on``.
        path: File of the table, for ``file``.
    """

    kind: str
    total: int = 0
    path: str = ""


def parse_strategy_name(name: str) -> StrategyName:
    """Returns a strategy name taken apart.

    Raises:
        InputError: No such strategy.

    >>> parse_strategy_name("stand-on:4.5")
    StrategyName(kind='stand-on:', total=9, path='')
    """
    if name == "optimal":
        return StrategyName(MAIN_OPTIMAL)
    if name.startswith(STAND_ON):
        text = name.removeprefix(STAND_ON)
        points = text[: -len(".5")] + "½" if text.endswith(".5") else text
        total = parse_half_points(points.removeprefix("0") if len(points) > 1 else points)
        if total > SEVEN_AND_A_HALF:
            raise InputError(f"{name}: no hand stands above 7½, expected a total up to that")
        return StrategyName(STAND_ON, total)
    if name.startswith(FILE):
        return StrategyName(FILE, path=name.removeprefix(FILE))
    if name in _NAMES:
        return StrategyName(name)
    raise InputError(
        f"no strategy {name!r}: expected {MAIN_OPTIMAL}, {JOINTLY_OPTIMAL}, {ALWAYS_SECOND_CARD}, "
        f"{MIMIC_DEALER}, {TIME_OUT}, {THRESHOLDS}, {OWN_CARD}, {STAND_ON}TOTAL such as {STAND_ON}4.5, or "
        f"{FILE}PATH.toml"
    )
