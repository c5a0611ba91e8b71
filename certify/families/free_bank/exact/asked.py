"""What players ask of a game, exactly: the bank, its passing, the rules, first cards, habits, simple charts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Final

from certify.evidence.asked import AskedColumn, AskedFigure, AskedRow, AskedTable, Basis, Unit
from certify.exact import format_half_points
from certify.families.free_bank.exact.certificate import Bracket
from certify.families.free_bank.exact.names import solved
from certify.families.free_bank.exact.passing import (
    chance_of_passing,
    first_to_take,
    passing_rules,
    shares,
    two_at_the_table,
)
from certify.families.free_bank.exact.settlement import Terms, terms_of
from certify.families.free_bank.exact.simple import simple_charts
from certify.families.free_bank.exact.splitting import split_worth
from certify.families.free_bank.exact.worth import first_cards, gain_of_choosing_stakes, habits, rule_worths
from certify.families.free_bank.rules import FAMILY_ID, Passing
from certify.families.free_bank.strategy import HIT, STAND, SWAP, StandOn
from certify.families.seven_and_a_half.cards import CLASS_FACE, CLASSES
from certify.messages import say, verbatim, worded
from certify.model.game import Game
from certify.model.message import Message, Parameter

HABITS: Final = range(8, 12)
"""Totals in half points on which a fixed habit stands."""

FIVE: Final = StandOn("stand-on:5", 10)
"""The bank against which splitting is counted."""

STAKED: Final = (2, 3, 4)
"""Units up to which a player may stake once the first card is seen."""

AT_THE_TABLE: Final = 3
"""People of the table whose long-run shares are counted, the banker among them."""

Figures = Mapping[str, AskedFigure]


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
    simple = simple_charts(terms, found.player, found.bank)
    rows = (
        row("simple-player", {"gives-away": stakes(simple.cost_to_player(found.bracket))}),
        row("simple-bank", {"gives-away": stakes(simple.cost_to_bank(found.bracket))}),
    )
    yield table("simple-charts", ("gives-away",), rows)


# --- tables ------------------------------------------------------------------------------------------------


def said(message: str, **parameters: Parameter) -> Message:
    """Returns a message of the questions of this family."""
    return say(f"{FAMILY_ID}.asked.{message}", **parameters)


def table(
    question: str, columns: tuple[str, ...], rows: Iterator[AskedRow] | tuple[AskedRow, ...]
) -> AskedTable:
    """Returns a table; columns in which nothing stands are left out."""
    answers = tuple(rows)
    kept = [column for column in columns if any(column in answer.figures for answer in answers)]
    return AskedTable(
        id=question,
        columns=tuple(AskedColumn(id=one, **worded(title=said(f"column.{one}"))) for one in kept),
        rows=answers,
        **worded(title=said(question), remark=said(f"{question}.remark")),
    )


def row(of: str, figures: Figures, detail: str = "", **parameters: Parameter) -> AskedRow:
    """Returns a row of a table."""
    return named(said(f"row.{of}", **parameters), figures, detail)


def named(of: Message, figures: Figures, detail: str = "") -> AskedRow:
    """Returns a row whose words are a message."""
    return AskedRow(figures=figures, detail=detail, **worded(of=of))


def stakes(value: Fraction) -> AskedFigure:
    """Returns an exact amount in stakes."""
    return AskedFigure(value, value, Unit.STAKES, Basis.EXACT)


def proven(low: Fraction, high: Fraction, unit: Unit = Unit.STAKES) -> AskedFigure:
    """Returns an interval that is proven."""
    return AskedFigure(low, high, unit, Basis.PROVEN)


def chance(value: Fraction) -> AskedFigure:
    """Returns an exact probability."""
    return AskedFigure(value, value, Unit.CHANCE, Basis.EXACT)


def rounds(value: Fraction) -> AskedFigure:
    """Returns an exact number of rounds."""
    return AskedFigure(value, value, Unit.ROUNDS, Basis.EXACT)


# --- the bank ----------------------------------------------------------------------------------------------


def _bank(terms: Terms, game: Game) -> AskedTable:
    found = solved(game)
    bracket = found.bracket
    rows = [row("bank-per-seat", {"worth": proven(-bracket.upper, -bracket.lower)})]
    if terms.rules.passing is not Passing.NEVER:
        passes = chance_of_passing(terms, found.player, found.bank)
        until = proven(-bracket.upper / passes, -bracket.lower / passes)
        rows.append(row("bank-until-passed", {"worth": until}))
    return table("bank", ("worth",), tuple(rows))


def _passing(terms: Terms, game: Game) -> AskedTable:
    """Tabulates each rule by which the bank may pass: how often it does, and what playing better is then worth."""
    found = solved(game)
    good, plain = (found.player, found.bank), (FIVE, FIVE)
    rows = []
    for rules in passing_rules(terms.rules):
        at = replace(terms, rules=rules)
        passes = chance_of_passing(at, found.player, found.bank)
        two = two_at_the_table(at, good, plain)
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


def _takers(terms: Terms) -> AskedTable:
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


def _rules(terms: Terms) -> AskedTable:
    rows = [
        row(f"rule.{worth.rule}", {"worth": proven(worth.least, worth.most)}) for worth in rule_worths(terms)
    ]
    if terms.rules.hands > 1:
        worth = split_worth(terms, FIVE)
        rows += [
            row("rule.splitting", {"worth": stakes(worth.worth)}),
            row("without-splitting", {"worth": stakes(worth.without)}),
            row("with-splitting", {"worth": stakes(worth.value)}),
            row("first-face-split", {"worth": stakes(worth.face)}),
        ]
    return table("rules", ("worth",), tuple(rows))


# --- decisions ---------------------------------------------------------------------------------------------


def _first_cards(terms: Terms, game: Game) -> Iterator[AskedRow]:
    bank = solved(game).bank
    for card in first_cards(terms, bank):
        name = said("face") if card.card == CLASS_FACE else verbatim(CLASSES[card.card])
        figures = {option: stakes(value) for option, value in card.values.items()}
        yield named(name, figures)


def _habits(terms: Terms, game: Game) -> Iterator[AskedRow]:
    found = solved(game)
    bracket: Bracket = found.bracket
    for habit in habits(terms, found.bank, HABITS):
        figures = {
            "against-equilibrium": stakes(habit.against_equilibrium),
            "against-best": stakes(habit.secured),
            "loses": proven(bracket.lower - habit.secured, bracket.upper - habit.secured),
        }
        of = "stands-after-swap" if habit.player.swaps else "stands"
        yield row(of, figures, total=format_half_points(habit.player.least))
