"""Rules of the line bets of craps as parameters, and the names that all parts of the family share."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from certify.errors import InputError
from certify.families.own_rules import own_rules

FAMILY_ID: Final = "craps"
"""Id of the family, as submissions name it."""

PASS: Final = "pass-line"  # noqa: S105 - a bet
DONT: Final = "dont-pass"
WAGER_IDS: Final = (PASS, DONT)

PAIRS: Final[Mapping[int, str]] = {4: "4-10", 10: "4-10", 5: "5-9", 9: "5-9", 6: "6-8", 8: "6-8"}
"""The points, each with the name of the pair that is settled alike."""

WIN, LOSE, PUSH = "win", "lose", "push"
TAKEN, LAID, LOST = "odds", "lay", "lost"
"""First words of the outcomes of a bet with odds: taken and won, laid and won, lost with either."""

NO_ODDS, NO_LAY = "no-odds", "no-lay"

RULE_IDS: Final = ("odds", "barred")

MOST_ODDS: Final = 1_000
_ODDS: Final = re.compile(r"([1-9]\d{0,3})(?:-([1-9]\d{0,3})-([1-9]\d{0,3}))?x", re.ASCII)


@dataclass(frozen=True, slots=True)
class CrapsRules:
    """Rules of the line bets.

    Args:
        odds: For each pair of points the most odds that may be taken, in units of the line bet; all 0 where none are.
        barred: The total of the first roll on which the bet against the line is returned.
        against: Whether there is a bet against the line.
    """

    odds: tuple[tuple[str, int], ...] = (("4-10", 0), ("5-9", 0), ("6-8", 0))
    barred: int = 12
    against: bool = True

    @property
    def offers_odds(self) -> bool:
        """Whether odds may be taken and laid."""
        return any(most for _, most in self.odds)

    def most(self, point: int) -> int:
        """Returns the most odds on a point, in units of the line bet."""
        return dict(self.odds)[PAIRS[point]]


def odds_of(text: str) -> tuple[tuple[str, int], ...]:
    """Returns the most odds for each pair of points.

    Raises:
        InputError: The text is no multiple.

    >>> odds_of("3-4-5x")
    (('4-10', 3), ('5-9', 4), ('6-8', 5))
    """
    pairs = tuple(dict.fromkeys(PAIRS.values()))
    if text == "none":
        return tuple((pair, 0) for pair in pairs)
    found = _ODDS.fullmatch(text)
    if found is None or max(int(part) for part in found.groups() if part) > MOST_ODDS:
        raise InputError(f'odds of "{text}": expected "none", such as "2x", or such as "3-4-5x"')
    multiples = found.groups() if found[2] else (found[1],) * len(pairs)
    return tuple((pair, int(multiple)) for pair, multiple in zip(pairs, multiples, strict=True))


def laid(point: int, most: int) -> Fraction:
    """Returns what is laid against a point to win so many units at true odds: two, three halves, six fifths of them."""
    return most * {"4-10": Fraction(2), "5-9": Fraction(3, 2), "6-8": Fraction(6, 5)}[PAIRS[point]]


def options(wager: str, point: int) -> tuple[str, str]:
    """Returns what may be decided on a point: no odds, or full odds, whose id says on which pair.

    >>> options("pass-line", 4), options("dont-pass", 9)
    (('no-odds', 'odds-4-10'), ('no-lay', 'lay-5-9'))
    """
    pair = PAIRS[point]
    return (NO_ODDS, f"{TAKEN}-{pair}") if wager == PASS else (NO_LAY, f"{LAID}-{pair}")


def sees(wager: str, point: int) -> tuple[str, int]:
    """Returns what a player sees who decides on odds: for which bet, and on which point."""
    return (wager, point)


rules_of: Final = own_rules(CrapsRules, FAMILY_ID)
"""Returns the rules of a game of this family; a game of another family is refused."""
