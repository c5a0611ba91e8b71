"""What players ask of a game, as the rows of a table of the pack: question, of what, figure as a fraction."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from certify.exact import format_half_points
from certify.families.free_bank.exact.names import solved
from certify.families.free_bank.exact.passing import chance_of_passing
from certify.families.free_bank.exact.settlement import Terms, terms_of
from certify.families.free_bank.exact.simple import simple_charts
from certify.families.free_bank.exact.splitting import split_worth
from certify.families.free_bank.exact.worth import first_cards, gain_of_choosing_stakes, habits
from certify.families.free_bank.rules import Passing
from certify.families.free_bank.strategy import StandOn
from certify.families.seven_and_a_half.cards import CLASSES
from certify.model.game import Game

Row = tuple[str, str, Fraction]

COLUMNS: Final = ("question", "of", "figure", "decimal")

HABITS: Final = range(9, 12)
"""Totals in half points on which a fixed habit stands."""

FIVE: Final = StandOn("stand-on:5", 10)
"""The bank against which splitting is counted."""


def asked(game: Game) -> Iterator[Row]:
    """Yields what players ask of a game, exactly; results are net and in first stakes."""
    terms, found = terms_of(game), solved(game)
    yield "bank per seat and round, at least", "", -found.bracket.upper
    yield "bank per seat and round, at most", "", -found.bracket.lower
    simple = simple_charts(terms, found.player, found.bank)
    yield "simple chart gives away at most", "player", simple.cost_to_player(found.bracket)
    yield "simple chart gives away at most", "bank", simple.cost_to_bank(found.bracket)
    for card in first_cards(terms, found.bank):
        for decision, value in card.values.items():
            yield f"first card, {decision}", CLASSES[card.card], value
    for habit in habits(terms, found.bank, HABITS):
        name = f"{format_half_points(habit.player.least)}{' after swapping' if habit.player.swaps else ''}"
        yield "stands on, against the bank's equilibrium", name, habit.against_equilibrium
        yield "stands on, against a bank that knows it", name, habit.secured
        yield "stands on, loses to the equilibrium at most", name, found.bracket.upper - habit.secured
    for most in (2, 3):
        gain = gain_of_choosing_stakes(terms, found.bank, most)
        yield "stakes after the first card, the bank goes on as before", f"up to {most} units", gain
    if terms.rules.passing is not Passing.NEVER:
        yield "chance that the bank passes", "one seat", chance_of_passing(terms, found.player, found.bank)
    yield from _splitting(terms)


def _splitting(terms: Terms) -> Iterator[Row]:
    if terms.rules.hands > 1:
        worth = split_worth(terms, FIVE)
        yield "best play without splitting", f"against {FIVE.name}", worth.without
        yield "best play with splitting", f"against {FIVE.name}", worth.value
        yield "splitting is worth", f"against {FIVE.name}", worth.worth
        yield "first face with splitting", f"against {FIVE.name}", worth.face
