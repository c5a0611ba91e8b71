"""Tables beside the returns: exact, every sentence in the catalogue, and set in the report as what they rest on."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from evidence_filled import smallest
from free_bank_tables import game_of

from certify.evidence.analysis import Basis, SupplementaryFigure, Unit
from certify.evidence.encode import plain
from certify.evidence.read import read
from certify.families import registry
from certify.families.free_bank import supplementary_tables as tables
from certify.families.free_bank.exact.passing import passing_rules
from certify.families.free_bank.rules import Passing, rules_of
from certify.gate.figure_changes import WagerChange
from certify.gate.impact_on_returns import returns_moved
from certify.gate.policy import GatePolicy
from certify.model.figures import Bracket, Outcome, WagerFigures
from certify.report.chapters.printed import supplementary_tables as chapter
from tests.families.free_bank.test_exact_on_small_decks import SEPT, SETTE


@pytest.fixture(autouse=True, scope="module")
def _catalogues() -> None:
    registry.families()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sept-et-demi", "siete-y-media"])
def test_passing_and_takers_are_exact_probabilities_and_the_adopted_rule_is_named(name: str) -> None:
    passing, takers = tables.passing_tables(game_of(name))
    takes = [row.figures["takes"].low for row in takers.rows]
    assert sum(takes) == 1
    assert {row.figures["share"].low for row in takers.rows} == {Fraction(1, 3)}
    for row in passing.rows:
        assert row.figures["passes"].low * row.figures["lasts"].low == 1
        assert 0 < row.figures["share"].low < 1
    adopted = [row.of for row in passing.rows if "(adopted)" in row.of]
    assert len(adopted) == (rules_of(game_of(name)).passing is not Passing.NEVER)


def test_every_way_of_passing_is_counted_the_adopted_one_first() -> None:
    rules = replace(SETTE.rules, passing=Passing.REALE, passes_when_bank_has_it=False)
    found = list(passing_rules(rules))
    assert found[0] == rules
    assert len(set(found)) == 4
    assert len(list(passing_rules(SEPT.rules))) == 2


def test_the_report_sets_a_figure_as_what_it_rests_on_allows() -> None:
    exact = SupplementaryFigure(Fraction(1, 3), Fraction(1, 3), Unit.STAKES, Basis.EXACT)
    wide = SupplementaryFigure(Fraction(-1, 4), Fraction(1, 4), Unit.STAKES, Basis.PLAYED)
    seldom = SupplementaryFigure(Fraction(0), Fraction(1, 5000), Unit.CHANCE, Basis.PLAYED)
    figures = {"costs": exact, "bank": wide, "ran-out": seldom}
    rows = (tables._row(tables._said("row.banker"), figures, "7 6: stand"),)
    table = tables._table("cover", ("costs", "bank", "ran-out"), rows)
    (shown,) = chapter(replace(smallest(), supplementary_tables=(table,)))
    assert [column.title for column in shown.columns][1:] == [
        "Costs, stakes",
        "Bank, a round",
        "Deck ran out",
    ]
    (cells,) = shown.rows
    assert cells[0].detail == "7 6: stand"
    assert [cell.text.replace("\u202f", " ") for cell in cells[1:]] == [
        "+0.333333",
        "−0.250 to +0.250",
        "0.00 % to 0.02 %",
    ]


def figures(pays: Fraction) -> WagerFigures:
    outcomes = (
        Outcome("win", pays, Fraction(1, 2)),
        Outcome("lose", Fraction(-1), Fraction(1, 2)),
    )
    low = 1 + (pays - 1) / 2
    return WagerFigures("bet", outcomes, None, Bracket(low, low + Fraction(1, 10**6)))


def test_the_gate_tells_a_moved_bracket_beside_the_effect_at_fixed_strategies() -> None:
    before, after = figures(Fraction(1)), figures(Fraction(3, 2))
    delta = WagerChange("bet", "fixed", before, after, {"equilibrium": (before, after)})
    told = {one.kind: one for one in returns_moved(delta, ("wagers", 0), GatePolicy())}
    assert told["return-changed"].before == "1"
    assert told["return-changed"].after == "5/4"
    assert told["bracket-moved"].after == "5/4 to 1250001/1000000"
    same = WagerChange("bet", "fixed", before, before, {"equilibrium": (before, before)})
    assert "bracket-moved" not in {one.kind for one in returns_moved(same, ("wagers", 0), GatePolicy())}


def test_kept_figures_of_the_gate_hold_the_bracket() -> None:
    before = figures(Fraction(1))
    assert read(WagerFigures, plain(before)) == before


@pytest.mark.slow
def test_seats_and_cover_are_the_figures_of_the_methods_page() -> None:
    cover, seats = tables.tables_of_several_seats(game_of("sept-et-demi"))
    assert [row.figures["costs"].low for row in cover.rows] == [1, 2, 3, 5, 8, 11]
    assert len(seats.rows) == 11
    exact = Fraction(8266079, 10**7) - 1
    for row in seats.rows:
        figure = row.figures["last-seat"]
        # Eleven intervals of 99 %: one of them may miss, none by its own width.
        assert figure.low - (figure.high - figure.low) < exact < figure.high + (figure.high - figure.low)
