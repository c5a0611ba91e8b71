"""What players ask of a game, exactly: the bank, its passing, the rules, first cards, habits, simple charts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Final

from certify.evidence.asked import AskedRow, AskedTable
from certify.exact import format_half_points
from certify.families.free_bank.exact.chart_tables import chart_tables
from certify.families.free_bank.exact.joint import joint
from certify.families.free_bank.exact.names import proven_value, solved, with_splits
from certify.families.free_bank.exact.passing import (
    chance_of_passing,
    first_to_take,
    passing_rules,
    shares,
    two_at_the_table,
)
from certify.families.free_bank.exact.report_tables import (
    chance,
    named,
    proven,
    rounds,
    row,
    said,
    stakes,
    table,
)
from certify.families.free_bank.exact.rule_values import (
    first_cards,
    gain_of_choosing_stakes,
    habits,
    rule_worths,
)
from certify.families.free_bank.exact.settlement import BankTerms, terms_of
from certify.families.free_bank.exact.simple import simple_charts
from certify.families.free_bank.exact.splitting import split_worth
from certify.families.free_bank.rules import Passing
from certify.families.free_bank.strategy import HIT, STAND, SWAP, StandOn
from certify.families.seven_and_a_half.cards import CLASS_FACE, CLASSES
from certify.messages import verbatim
from certify.model.game import Game

HABITS: Final = range(8, 12)
"""Totals in half points on which a fixed habit stands."""

FIVE: Final = StandOn("stand-on:5", 10)
"""The bank against which splitting is counted."""

STAKED: Final = (2, 3, 4)
"""Units up to which a player may stake once the first card is seen."""

AT_THE_TABLE: Final = 3
"""People of the table whose long-run shares are counted, the banker among them."""


def asked(game: Game, *, thorough: bool = True) -> Iterator[AskedTable]:
    """Yields what players ask of a game, exactly; results are net and in first stakes.

    Args:
        game: The submission.
        thorough: Whether to count other rules and habits too: each is a game, or a best answer, of its own.
    """
    terms, found = terms_of(game), solved(game)
    yield _bank(terms, game)
    if thorough:
        yield _passing(terms, game)
    yield _takers(terms)
    rules = _rules(terms) if thorough else None
    if rules is not None and rules.rows:
        yield rules
    yield table("first-cards", (STAND, HIT, SWAP), _first_cards(terms, game))
    gains = ((most, gain_of_choosing_stakes(terms, found.bank, most)) for most in STAKED)
    after = tuple(row("staked-after", {"worth": stakes(gain)}, most=most) for most, gain in gains)
    yield table("staked-after-first-card", ("worth",), after)
    if thorough:
        yield table("habits", ("against-equilibrium", "against-best", "loses"), _habits(terms, game))
    simple, value = simple_charts(terms, found.player, found.bank), proven_value(game)
    most = simple.bracket.upper
    if terms.rules.hands > 1:
        most = with_splits(terms, simple.bracket, simple.bank).upper
    rows = (
        row("simple-player", {"gives-away": stakes(value.upper - simple.bracket.lower)}),
        row("simple-bank", {"gives-away": stakes(most - value.lower)}),
    )
    yield table("simple-charts", ("gives-away",), rows)
    yield from chart_tables(terms, simple)


# --- the bank ----------------------------------------------------------------------------------------------


def _bank(terms: BankTerms, game: Game) -> AskedTable:
    found, bracket = solved(game), proven_value(game)
    rows = [row("bank-per-seat", {"worth": proven(-bracket.upper, -bracket.lower)})]
    if terms.rules.passing is not Passing.NEVER:
        passes = chance_of_passing(terms, joint(terms, found.player, found.bank))
        until = proven(-bracket.upper / passes, -bracket.lower / passes)
        rows.append(row("bank-until-passed", {"worth": until}))
    return table("bank", ("worth",), tuple(rows))


def _passing(terms: BankTerms, game: Game) -> AskedTable:
    """Tabulates each rule by which the bank may pass: how often it does, and what playing better is then worth."""
    found = solved(game)
    both = joint(terms, found.player, found.bank)
    first, second = joint(terms, FIVE, found.bank), joint(terms, found.player, FIVE)
    rows = []
    for rules in passing_rules(terms.rules):
        at = replace(terms, rules=rules)
        passes = chance_of_passing(at, both)
        two = two_at_the_table(at, first, second)
        figures = {
            "passes": chance(passes),
            "lasts": rounds(1 / passes),
            "share": chance(two.share),
            "net": stakes(two.net),
        }
        of = f"passes-{rules.passing}{'' if rules.passes_when_bank_has_it else '-if-it-won'}"
        told = said(f"row.{of}")
        rows.append(named(said("adopted", of=(told,)) if rules == terms.rules else told, figures))
    return table("passing", ("passes", "lasts", "share", "net"), tuple(rows))


def _takers(terms: BankTerms) -> AskedTable:
    """Tabulates who takes the bank at a table where all stand on 5, and the share of rounds that each banks."""
    seats = AT_THE_TABLE - 1
    passing = terms.rules.passing
    rules = replace(
        terms.rules,
        passing=Passing.SEVEN_AND_A_HALF if passing is Passing.NEVER else passing,
        passes_when_bank_has_it=True,
    )
    taken = first_to_take(replace(terms, rules=rules), FIVE.least, seats)
    stays = 1 - sum(taken, Fraction(0))
    ring = (stays, *taken)
    matrix = [[ring[(at - banker) % len(ring)] for at in range(len(ring))] for banker in range(len(ring))]
    long_run = shares(matrix)
    rows = [row("banker", {"takes": chance(stays), "share": chance(long_run[0])})]
    rows += [
        row("seat", {"takes": chance(one), "share": chance(long_run[place])}, number=place)
        for place, one in enumerate(taken, start=1)
    ]
    return table("takers", ("takes", "share"), tuple(rows))


# --- the rules ---------------------------------------------------------------------------------------------


def _rules(terms: BankTerms) -> AskedTable:
    rows = []
    for worth in rule_worths(terms):
        rule = said(f"row.rule.{worth.rule}")
        of = said("row.where-nobody-splits", of=(rule,)) if terms.rules.hands > 1 else rule
        rows.append(named(of, {"worth": proven(worth.least, worth.most)}))
    if terms.rules.hands > 1:
        splitting = split_worth(terms, FIVE)
        rows += [
            row("rule.splitting", {"worth": stakes(splitting.worth)}),
            row("without-splitting", {"worth": stakes(splitting.without)}),
            row("with-splitting", {"worth": stakes(splitting.value)}),
            row("first-face-split", {"worth": stakes(splitting.face)}),
        ]
    return table("rules", ("worth",), tuple(rows))


# --- decisions ---------------------------------------------------------------------------------------------


def _first_cards(terms: BankTerms, game: Game) -> Iterator[AskedRow]:
    bank = solved(game).bank
    for card in first_cards(terms, bank):
        name = said("face") if card.card == CLASS_FACE else verbatim(CLASSES[card.card])
        figures = {option: stakes(value) for option, value in card.values.items()}
        yield named(name, figures)


def _habits(terms: BankTerms, game: Game) -> Iterator[AskedRow]:
    found, bracket = solved(game), proven_value(game)
    for habit in habits(terms, found.bank, HABITS):
        figures = {
            "against-equilibrium": stakes(habit.against_equilibrium),
            "against-best": stakes(habit.secured),
            "loses": proven(bracket.lower - habit.secured, bracket.upper - habit.secured),
        }
        of = "stands-after-swap" if habit.player.swaps else "stands"
        yield row(of, figures, total=format_half_points(habit.player.least))
