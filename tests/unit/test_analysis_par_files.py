"""The PAR sheet as CSV and workbook: the figures of the analysis, text never computed, bytes reproducible."""

import csv
import io
import re
import zipfile
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest
from computing_again import value_of
from hypothesis import given, strategies as st
from openpyxl import load_workbook
from representatives import firsts

from certify.analysis.par_cells import Formula
from certify.analysis.par_sheet import ruin
from certify.certification.par_files import par_csv, par_xlsx
from certify.certification.request import strategy_of
from certify.characters import not_a_formula
from certify.evidence import Head, Issuer
from certify.mathematics import analyze, exact_of, exposure
from certify.mathematics.par_tables import par_tables, par_title
from certify.model import Outcome, WagerFigures, repaid
from certify.submission import read_game

GAMES = Path(__file__).parents[2] / "fixtures/games"
NAMES = ("playtech-7-e-mezzo", "us5632489-casino")
HEAD = Head(
    number="GM-20261121-0123ABCD",
    revision=1,
    issued="2026-11-21T12:30:00Z",
    tested_from="2026-11-21T12:00:00Z",
    tested_to="2026-11-21T12:30:00Z",
    profile="quick",
    classification="",
    demonstration_key=True,
    issuer=Issuer("Laboratorio & figli", ""),
    client="",
    messages={},
)
ATTACKS = (
    "=HYPERLINK(1)",
    "-2+3+cmd|' /C calc'!A0",
    "@SUM(A1)",
    "+1+1",
    "\t=1+1",
    " =1+1",
    "-A1",
    "＝1+1",
    "-1-",
)


def workbook(content, *, values=False):
    return load_workbook(io.BytesIO(content), data_only=values)


@cache
def game_of(name):
    return read_game(GAMES / name / "game.toml")


@cache
def analysed(name, strategy="main-optimal"):
    return analyze(game_of(name), strategy)


@cache
def tables_of(name, strategy="main-optimal", head=True):
    return par_tables(game_of(name), [analysed(name, strategy)], HEAD if head else None)


def written(game, head=HEAD):
    return par_xlsx(tables_of(game.id, head=head is not None), par_title(game), head)


EXACT = ("header", "pays", "rules", "returns", "own best", "claims", "combinations", "exposure", "methods")
"""Sheets of which every cell is exact, its nearest float or text."""


@pytest.mark.parametrize("name", NAMES)
def test_exact_sheets_are_those_that_are_kept(name, kept):
    game = game_of(name)
    analyses = {one: analysed(name, one) for one in ("main-optimal", "always-second-card")}
    for head in (HEAD, None):
        tables = par_tables(game, list(analyses.values()), head, strategy_of=strategy_of(game, analyses))
        assert all(len(row) == len(table.header) for table in tables for row in table.rows)
        exact = [table for table in tables if table.name in (EXACT if head else ("header",))]
        text = ", ".join(table.name for table in tables) + "\n"
        text += par_csv(exact).decode("utf-8").replace("\r\n", "\n")
        kept(f"par_sheet_{name}{'' if head else '_of_no_report'}.csv", text)


@pytest.mark.parametrize("name", NAMES)
def test_formulas_of_contributions_and_totals_give_the_exact_figures(name):
    game = game_of(name)
    tables = tables_of(game.id)
    content = written(game)
    live, shown = workbook(content), workbook(content, values=True)
    seen = 0
    for table in tables:
        for at, row in enumerate(table.rows, start=2):
            for column, cell in enumerate(row, start=1):
                if isinstance(cell, Formula):
                    computed = value_of(live, table.name, live[table.name].cell(at, column).value)
                    assert computed == pytest.approx(float(cell.value), rel=1e-12, abs=1e-13)
                    assert shown[table.name].cell(at, column).value == pytest.approx(
                        float(cell.value), rel=1e-16
                    )
                    seen += 1
    assert seen > 20


@pytest.mark.parametrize(
    ("name", "strategy"),
    # In the last an award is paid beside the wager itself: several pays make one result.
    firsts([(NAMES[1], "mimic-dealer"), (NAMES[0], "main-optimal"), ("three-card-poker", "main-optimal")]),
)
def test_a_pay_that_is_changed_changes_everything_that_follows_from_it(name, strategy):
    game, analysis = game_of(name), analysed(name, strategy)
    book = workbook(par_xlsx(tables_of(name, strategy), "title"))
    pays = {(row[0].value, row[1].value): row[3] for row in book["pays"].iter_rows(min_row=2)}
    for wager in game.wagers:
        row = wager.paytable.rows[0]
        pays[wager.id, row.id].value = float(row.pays) + 3
        more = repaid(game, {(wager.id, row.id): row.pays + 3})
        exact = exact_of(more).analyze_table(more, analysis.strategy).wager(wager.id)
        (line,) = (
            n
            for n, cells in enumerate(book["returns"].iter_rows(values_only=True), 1)
            if cells[1] == wager.id
        )
        for sheet, column, figure in (
            ("returns", "C", float(exact.return_to_player)),
            ("returns", "D", float(exact.house_edge)),
            ("volatility", "C", exact.standard_deviation),
            ("volatility", "E", exact.volatility_index(1.959963984540054)),
        ):
            text = book[sheet][f"{column}{line}"].value
            assert value_of(book, sheet, text) == pytest.approx(figure, rel=1e-11), (sheet, column)
        (late,) = (
            cells
            for cells in book["bands"].iter_rows(min_row=2)
            if [cell.value for cell in cells[1:4]] == [wager.id, 10_000, "95 %"]
        )
        high = float(exact.return_to_player) + exact.volatility_index(1.959963984540054) / 100
        assert value_of(book, "bands", late[8].value) == pytest.approx(high, rel=1e-11)
        pays[wager.id, row.id].value = float(row.pays)


def test_dates_are_those_of_the_report_or_none():
    game = game_of(NAMES[1])
    content = written(game)
    assert workbook(content).properties.created == datetime(2026, 11, 21, 12, 30, tzinfo=UTC).replace(
        tzinfo=None
    )
    assert workbook(content).properties.creator == HEAD.issuer.name
    entries = zipfile.ZipFile(io.BytesIO(content)).infolist()
    assert {entry.date_time for entry in entries} == {(2026, 11, 21, 12, 30, 0)}
    assert b"dcterms" not in re.sub(
        rb'xmlns:dcterms="[^"]*"',
        b"",
        zipfile.ZipFile(io.BytesIO(written(game, None))).read("docProps/core.xml"),
    )


def test_every_sheet_prints_with_its_heading_and_page_number():
    for sheet in workbook(written(game_of(NAMES[0]))):
        assert (sheet.page_setup.orientation, sheet.page_setup.fitToWidth) == ("landscape", 1)
        assert sheet.print_title_rows == "$1:$1"
        assert HEAD.number in sheet.oddHeader.left.text
        assert "&P" in sheet.oddFooter.right.text


def test_no_sentence_is_repeated_and_percentages_are_formatted_as_such():
    book = workbook(written(game_of(NAMES[0])))
    told = [row[1] for row in book["methods"].iter_rows(min_row=2, values_only=True)]
    assert len(told) == len(set(told))
    assert {cell.number_format for cell in book["returns"]["C"][1:]} == {"0.000000%"}


def test_equal_figures_are_equal_bytes_and_another_figure_is_not():
    game = game_of(NAMES[1])
    first = written(game)
    assert first == written(game)
    assert first != par_xlsx(tables_of(game.id, "time-out"), par_title(game), HEAD)


def test_csv_says_the_same_as_the_workbook():
    game = game_of(NAMES[1])
    tables = tables_of(game.id)
    read = list(csv.reader(io.StringIO(par_csv(tables).decode("utf-8"), newline="")))
    assert [row[0] for row in read if len(row) == 1] == [table.name for table in tables]
    assert sum(bool(row) for row in read) == sum(len(table.rows) + 2 for table in tables)
    heads = {table.name: table.header for table in tables}
    book = workbook(par_xlsx(tables, "title", HEAD), values=True)
    lines = iter(row for row in read if len(row) > 1)
    for sheet in book:
        # Programs read names of columns, people headings.
        assert tuple(next(lines)) == heads[sheet.title]
        for row in sheet.iter_rows(min_row=2, values_only=True):
            line = next(lines)
            for there, here in zip(row, line, strict=True):
                number = isinstance(there, int | float)
                # The library of the workbook writes sixteen digits.
                same = pytest.approx(there, rel=1e-15) == float(here) if number else here == (there or "")
                assert same, (sheet.title, here, there)


def hostile(attack):
    """A game that carries an attack wherever a submission has a text."""
    game = game_of(NAMES[0])
    wager = game.wagers[0]
    row = replace(
        wager.paytable.rows[0], title=attack, origin=replace(wager.paytable.rows[0].origin, by=attack)
    )
    paytable = replace(wager.paytable, rows=(row, *wager.paytable.rows[1:]))
    return replace(
        game,
        title=attack,
        version=attack,
        supplier=attack,
        rule_values=tuple(replace(rule, value=attack, title=attack) for rule in game.rule_values),
        wagers=(replace(wager, title=attack, paytable=paytable), *game.wagers[1:]),
    )


@pytest.fixture(scope="module")
def figures():
    return analysed(NAMES[0])


@pytest.fixture(scope="module")
def highest():
    return exposure(game_of(NAMES[0]))


@pytest.mark.parametrize("attack", firsts(ATTACKS, 4))
def test_text_that_looks_like_a_formula_is_never_one(attack, figures, highest):
    game = hostile(attack)
    tables = par_tables(game, [figures], replace(HEAD, issuer=Issuer(attack, "")), highest)
    ours = {cell.text for table in tables for row in table.rows for cell in row if isinstance(cell, Formula)}
    landed = 0
    for sheet in workbook(par_xlsx(tables, "title")):
        for row in sheet.iter_rows():
            for cell in row:
                if cell.value == attack:
                    assert (cell.data_type, cell.quotePrefix) == ("s", True)
                    landed += 1
                elif cell.data_type == "f":
                    assert cell.value in ours
    assert landed > 10
    for line in csv.reader(io.StringIO(par_csv(tables).decode("utf-8"), newline="")):
        for text in line:
            assert text.lstrip()[:1] not in tuple("=+-@＝") or re.fullmatch(r"-?[0-9./e-]+", text), text


@pytest.mark.parametrize(("currency", "form"), [("JPY", "#,##0"), ("EUR", "#,##0.00#")])
def test_amounts_have_the_places_of_their_currency(currency, form, figures, highest):
    tables = par_tables(game_of(NAMES[0]), [figures], HEAD, replace(highest, currency=currency))
    sheet = workbook(par_xlsx(tables, "title"))["exposure"]
    assert {row[1].number_format for row in sheet.iter_rows(min_row=2) if row[1].value} == {form}


SIGNS = ("=", "+", "-", "@", "\r", "\n", "＝", "－", "＋", "＠", "−")
"""With what a cell begins that a spreadsheet would compute."""


@given(st.text(st.sampled_from("=+-@ \t\r\n\u00a0＝－0123456789./|A!'(")))
def test_only_a_full_match_of_a_number_may_begin_with_a_sign(text):
    told = not_a_formula(text)
    assert told.replace("'", "") == text.replace("'", "")
    # Spreadsheets also part cells at semicolons, tabs and bars.
    begun = [part for part in re.split(r"[;|\t]", told) if part.strip(" \u00a0")[:1] in SIGNS]
    assert all(Fraction(part) <= 0 for part in begun)
    if not any(part.strip(" \u00a0")[:1] in SIGNS for part in re.split(r"[;|\t]", text)):
        assert told == text


def test_ruin_counts_a_round_that_can_lose_more_than_its_ante():
    """By hand: from 4 units, rounds that win or lose 3 with equal chance; a round asks for 3."""
    half = Fraction(1, 2)
    figures = WagerFigures("ante", (Outcome("win", Fraction(3), half), Outcome("lose", Fraction(-3), half)))
    assert ruin(figures, 2, 1) == 1.0
    assert ruin(figures, 4, 1) == 0.5
    # From 4: lose (1 left, ruined) 1/2; win to 7, lose to 4, lose to 1: 1/8 more within three rounds.
    assert ruin(figures, 4, 3) == 0.5 + 0.125
    assert ruin(figures, 12, 3) == 0.0
