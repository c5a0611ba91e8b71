"""One value or figure that is otherwise, before a policy judges it, and how figures are written."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from certify.currency import units
from certify.errors import KeyPath
from certify.exact import outward_texts, percent_text
from certify.model.figures import Bracket


@dataclass(frozen=True, slots=True)
class Impact:
    """One value or figure that is otherwise, before a policy judges it.

    Args:
        kind: Id of the kind of change.
        subject: What it is about.
        message: One sentence with its numbers.
        before: Value before.
        after: Value after.
        key: Key in the file after that an annotation belongs to.
        wager: Wager it concerns, if one.
        within: Whether the policy's thresholds on the return allow it.
    """

    kind: str
    subject: str
    message: str
    before: str | None
    after: str | None
    key: KeyPath
    wager: str = ""
    within: bool = False


PLACES: Final = 6
"""Decimal places of percentages; the fraction beside them is exact."""


def percent(value: Fraction) -> str:
    """Returns a fraction of one as a percentage with its sign.

    >>> percent(Fraction(1, 60))
    '1.666667 %'
    """
    return f"{percent_text(value, PLACES)} %"


def proven_percent(proven: Bracket) -> str:
    """Returns what is proven of a return as a percentage, or as the two that hold it, rounded outwards.

    >>> proven_percent(Bracket(Fraction(1, 3), Fraction(2, 3)))
    '33.333333 % to 66.666667 %'
    """
    if not proven.width:
        return percent(proven.lower)
    return " to ".join(f"{end} %" for end in outward_texts(100 * proven.lower, 100 * proven.upper, PLACES))


def points(value: Fraction) -> str:
    """Returns a difference in percentage points, with its sign always.

    A difference too small to show six places is never shown as nothing.

    >>> points(Fraction(-1, 60)), points(Fraction(1, 60)), points(Fraction(1, 10**12))
    ('-1.666667 pp', '+1.666667 pp', '+0.0000000001 pp')
    """
    places = PLACES
    while value and not any(c in "123456789" for c in percent_text(value, places)) and places < 30:
        places += 1
    return f"{'+' if value >= 0 else ''}{percent_text(value, places)} pp"


def money(amount: int, currency: str) -> str:
    """Returns an amount of minor units as text.

    >>> money(4_100_000, "EUR")
    '41,000.00 EUR'
    """
    return f"{units(amount, currency, ',')} {currency}"
