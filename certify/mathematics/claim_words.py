"""Printed claims in words: what is claimed, what it is exactly, and what any play can make of it."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Final

from certify.errors import InputError
from certify.exact import decimal_text, format_odds, fraction_text, percent_text
from certify.mathematics.possible import possible
from certify.model.bounded import Figure, Interval, figure_text, percent_of
from certify.model.claims import (
    BY_VARIANCE,
    CLASS,
    DEVIATION,
    HIT_FREQUENCY,
    HOUSE_EDGE,
    INDEX,
    MAXIMUM_AWARD,
    ODDS,
    ODDS_OF_MAXIMUM,
    ODDS_OF_ROW,
    ON_TOTAL,
    RETURN,
    PrintedAward,
    prints_as,
)
from certify.model.game import Claim, Game

_NAMES: Final = {
    RETURN: "return to player",
    HOUSE_EDGE: "house edge",
    ON_TOTAL: "return on everything wagered",
    HIT_FREQUENCY: "hit frequency",
    MAXIMUM_AWARD: "maximum award",
    ODDS_OF_MAXIMUM: "odds of the maximum award",
    DEVIATION: "standard deviation",
    INDEX: "volatility index",
    CLASS: "volatility class",
}


def claim_words(claim: Claim) -> str:
    """Returns what a claim is about, in words."""
    return f"odds of {claim.row}" if claim.metric == ODDS_OF_ROW else _NAMES[claim.metric]


def figure_words(claim: Claim, exact: Figure) -> str:
    """Returns an exact figure in the form in which it is claimed, with its fraction."""
    if isinstance(exact, Interval):
        return f"{percent_of(exact)} % = {figure_text(exact)}"
    if claim.metric == MAXIMUM_AWARD:
        if isinstance(claim.printed, PrintedAward) and claim.printed.currency:
            return f"{decimal_text(exact, 2)} {claim.printed.currency}"
        return format_odds(exact) if exact >= 0 else f"a loss of {fraction_text(-exact)}"
    if claim.metric in BY_VARIANCE:
        return f"a standard deviation of {root_text(exact)}, the root of {fraction_text(exact)}"
    if claim.metric in ODDS:
        return f"1 in {decimal_text(1 / exact, 2)} = {fraction_text(exact)}" if exact else "never"
    return f"{percent_text(exact)} % = {fraction_text(exact)}"


def root_text(value: Fraction, places: int = 6) -> str:
    """Returns the root of a number, rounded down to so many places, without a float between.

    >>> root_text(Fraction(2))
    '1.414213'
    """
    scaled = math.isqrt(value.numerator * 10 ** (2 * places) // value.denominator)
    return decimal_text(Fraction(scaled, 10**places), places)


def best_possible(game: Game, claim: Claim, exact: Figure) -> str:
    """Returns what is added where no play reaches a printed figure, else nothing."""
    if prints_as(claim, exact):
        return ""
    able = possible(game, claim)
    if not able.excludes(claim):
        return ""
    words, end = bound(able.lowest, able.highest, claim.printed.interval)
    if claim.metric == ODDS_OF_ROW and able.highest == 0:
        return "; impossible: no round reaches the row"
    return f"; impossible under any play: {words} {figure_words(claim, end)}"


def bound(
    lowest: Fraction | None, highest: Fraction | None, printed: tuple[Fraction, Fraction]
) -> tuple[str, Fraction]:
    """Returns which end of what is possible a printed figure lies beyond, in words, and that end.

    Args:
        lowest: The least that some play comes to, none where that was not found.
        highest: The most.
        printed: Lowest and highest figure that print as the one that no play comes to.

    Raises:
        InputError: Neither end is known.

    >>> bound(Fraction(9, 10), None, (Fraction(1, 2), Fraction(3, 5)))
    ('at least', Fraction(9, 10))
    >>> bound(Fraction(1, 2), Fraction(9, 10), (Fraction(19, 20), Fraction(1)))
    ('at most', Fraction(9, 10))
    """
    if lowest is not None and lowest == highest:
        return "always", lowest
    if lowest is not None and (highest is None or lowest >= printed[1]):
        return "at least", lowest
    if highest is None:
        raise InputError("what any play comes to is not known: nothing is impossible by it")
    return "at most", highest
