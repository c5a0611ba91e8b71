"""Printed claims in words: what is claimed, what it is exactly, and what would be possible at best."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from certify.analysis.possible import possible
from certify.exact import decimal_text, format_odds, fraction_text, percent_text
from certify.model.claims import (
    HIT_FREQUENCY,
    HOUSE_EDGE,
    MAXIMUM_AWARD,
    ODDS_OF_ROW,
    ON_TOTAL,
    RETURN,
    PrintedAward,
)
from certify.model.game import Claim, Game

_NAMES: Final = {
    RETURN: "return to player",
    HOUSE_EDGE: "house edge",
    ON_TOTAL: "return on everything wagered",
    HIT_FREQUENCY: "hit frequency",
    MAXIMUM_AWARD: "maximum award",
}


def claim_words(claim: Claim) -> str:
    """Returns what a claim is about, in words."""
    return f"odds of {claim.row}" if claim.metric == ODDS_OF_ROW else _NAMES[claim.metric]


def figure_words(claim: Claim, exact: Fraction) -> str:
    """Returns an exact figure in the form in which it is claimed, with its fraction."""
    if claim.metric == MAXIMUM_AWARD:
        if isinstance(claim.printed, PrintedAward) and claim.printed.currency:
            return f"{decimal_text(exact, 2)} {claim.printed.currency}"
        return format_odds(exact) if exact >= 0 else f"a loss of {fraction_text(-exact)}"
    if claim.metric == ODDS_OF_ROW:
        return f"1 in {decimal_text(1 / exact, 2)} = {fraction_text(exact)}" if exact else "never"
    return f"{percent_text(exact)} % = {fraction_text(exact)}"


def best_possible(game: Game, claim: Claim, exact: Fraction) -> str:
    """Returns what is added where no play reaches a printed figure, else nothing."""
    if claim.printed.stands_for(exact):
        return ""
    able = possible(game, claim)
    if not able.excludes(claim):
        return ""
    low, _ = claim.printed.interval
    if able.highest is not None and (
        able.lowest is None or able.highest < low or able.lowest == able.highest
    ):
        return f"; impossible under any play: at most {figure_words(claim, able.highest)}"
    return f"; impossible under any play: at least {figure_words(claim, able.lowest or Fraction(0))}"
