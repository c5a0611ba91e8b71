"""What players ask: exact on a small deck, every sentence in the catalogue, and set in the report as it is counted."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from evidence_sample import smallest
from free_bank_tables import game_of

from certify.evidence.asked import AskedFigure, AskedTable, Basis, Unit
from certify.exact import format_half_points
from certify.families import registry
from certify.families.free_bank.exact import asked
from certify.families.free_bank.exact.chart_tables import chart_tables
from certify.families.free_bank.exact.equilibrium import equilibrium
from certify.families.free_bank.exact.passing import passing_rules
from certify.families.free_bank.exact.rule_values import without_rules
from certify.families.free_bank.exact.simple import simple_charts
from certify.families.free_bank.rules import Passing
from certify.families.free_bank.several_seats import several_seats
from certify.families.seven_and_a_half.cards import CLASSES
from certify.gate.figure_changes import WagerChange
from certify.gate.figures import _bracket, _wager
from certify.gate.impact_on_returns import returns_moved
from certify.gate.policy import GatePolicy
from certify.messages.catalogue import read_sentences
from certify.model.figures import Bracket, Outcome, WagerFigures
from certify.report.chapters.asked import asked as chapter
from tests.families.free_bank.test_exact_on_small_decks import SEPT, SETTE

FOLDER = Path(asked.__file__).parents[1] / "messages"


@pytest.fixture(autouse=True, scope="module")
def _catalogues() -> None:
    registry.families()


def test_shares_of_a_ring_and_its_chances_are_exact_probabilities() -> None:
    table = asked._takers(SEPT)
    takes = [row.figures["takes"].low for row in table.rows]
    assert sum(takes) == 1
    assert {row.figures["share"].low for row in table.rows} == {Fraction(1, 3)}


def test_every_rule_that_a_game_knows_has_a_proven_worth() -> None:
    table = asked._rules(SETTE)
    assert len(table.rows) == len(without_rules(SETTE)) == 4
    for row in table.rows:
        figure = row.figures["worth"]
        assert figure.basis is Basis.PROVEN
        assert 0 <= figure.high - figure.low < Fraction(1, 10**5)
    assert asked._rules(SEPT).rows == ()


def test_every_way_of_passing_is_asked_the_adopted_one_first() -> None:
    rules = replace(SETTE.rules, passing=Passing.REALE, passes_when_bank_has_it=False)
    found = list(passing_rules(rules))
    assert found[0] == rules
    assert len(set(found)) == 4
    assert len(list(passing_rules(SEPT.rules))) == 2


def test_what_cannot_be_said_in_one_language_is_not_said_in_the_other() -> None:
    english, italian = (read_sentences(FOLDER / f"{language}.toml") for language in ("en", "it"))
    assert english.keys() == italian.keys()


def test_the_report_sets_a_figure_as_what_it_rests_on_allows() -> None:
    exact = AskedFigure(Fraction(1, 3), Fraction(1, 3), Unit.STAKES, Basis.EXACT)
    wide = AskedFigure(Fraction(-1, 4), Fraction(1, 4), Unit.STAKES, Basis.PLAYED)
    seldom = AskedFigure(Fraction(0), Fraction(1, 5000), Unit.CHANCE, Basis.PLAYED)
    rows = (asked.row("simple-player", {"worth": exact, "bank": wide, "ran-out": seldom}, "7 6: stand"),)
    table = asked.table("rules", ("worth", "bank", "ran-out", "share"), rows)
    assert isinstance(table, AskedTable)
    (shown,) = chapter(replace(smallest(), asked=(table,)))
    assert [column.title for column in shown.columns][1:] == [
        "Worth, stakes",
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
    delta = WagerChange("bet", "fixed", before, after, {}, {"equilibrium": (before, after)})
    told = {one.kind: one for one in returns_moved(delta, before, after, ("wagers", 0), GatePolicy())}
    assert told["return-changed"].before == "1"
    assert told["return-changed"].after == "5/4"
    assert told["bracket-moved"].after == "5/4 to 1250001/1000000"
    same = WagerChange("bet", "fixed", before, before, {}, {"equilibrium": (before, before)})
    assert "bracket-moved" not in {
        one.kind for one in returns_moved(same, before, before, ("wagers", 0), GatePolicy())
    }


def test_kept_figures_of_the_gate_hold_the_bracket() -> None:
    before = figures(Fraction(1))
    outcomes = {one.id: [str(one.probability), str(one.pays), "1"] for one in before.outcomes}
    kept = {"outcomes": outcomes, "rows": {}, "total_wagered": None} | _bracket(before)
    assert _wager(game_of("sept-et-demi"), "bet", kept).bracket == before.bracket


@pytest.mark.slow
def test_seats_and_cover_are_the_figures_of_the_methods_page() -> None:
    cover, seats = several_seats(game_of("sept-et-demi"))
    assert [row.figures["costs"].low for row in cover.rows] == [1, 2, 3, 5, 8, 11]
    assert len(seats.rows) == 22
    exact = Fraction(8266079, 10**7) - 1
    for row in seats.rows[:11]:
        figure = row.figures["last-seat"]
        # Eleven intervals of 99 %: one of them may miss, none by its own width.
        assert figure.low - (figure.high - figure.low) < exact < figure.high + (figure.high - figure.low)
    assert seats.rows[-1].figures["bank"].low > seats.rows[10].figures["bank"].low


def test_charts_say_of_both_sides_what_their_simple_charts_do() -> None:
    pair = equilibrium(SEPT)
    simple = simple_charts(SEPT, pair.player, pair.bank)
    player, bank = chart_tables(SEPT, simple)
    for (key, hit), shown in ((entry, entry[0]) for entry in simple.player.by_total):
        words = f"Open: {format_half_points(shown.open)}" if shown.open else "No open card"
        (row,) = (one for one in player.rows if one.of == words)
        assert row.figures[CLASSES[key.hidden]].low == hit
    assert sum(len(row.figures) for row in player.rows) == len(simple.player.by_total)
    for key, line in simple.bank.by_total:
        words = f"Open: {format_half_points(key.total)}" if key.total else "No open card"
        (row,) = (one for one in bank.rows if one.of == words)
        for end in range(1, 15):
            name = format_half_points(end)
            if any(column.id == name for column in bank.columns):
                assert row.figures[name].low == line.hit_on(end)
            else:  # on what the table leaves out every line does the same
                assert len({line.hit_on(end) for _, line in simple.bank.by_total}) == 1
