"""The PAR sheet as CSV and workbook: the figures of the analysis, text never computed, bytes reproducible."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from openpyxl import load_workbook

from certify.analysis import analyze
from certify.analysis.par_sheet import ruin
from certify.analysis.par_tables import par_tables
from certify.certification.par_files import par_csv, par_xlsx
from certify.model.figures import Outcome, WagerFigures
from certify.submission import read_game

GAMES = Path(__file__).parents[2] / "fixtures/games"
NAMES = ("playtech-7-e-mezzo", "us5632489-casino")


@pytest.mark.parametrize("name", NAMES)
def test_the_workbook_holds_the_exact_figures(name):
    game = read_game(GAMES / name / "game.toml")
    analysis = analyze(game)
    book = load_workbook(io.BytesIO(par_xlsx(par_tables(game, [analysis]))))
    assert book.sheetnames == [
        "game",
        "summary",
        "combinations",
        "bands",
        "losing runs",
        "ruin",
        "ruin in the long run",
        "exposure",
        "methods",
    ]
    rows = list(book["combinations"].iter_rows(values_only=True))
    header = rows[0]
    for figures in analysis.wagers:
        mine = [dict(zip(header, row, strict=True)) for row in rows[1:] if row[1] == figures.wager]
        assert sum(Fraction(row["probability"]) for row in mine) == 1
        assert sum(Fraction(row["contribution"]) for row in mine) == figures.return_to_player
        assert sum(Fraction(row["combinations"]) for row in mine) == int(mine[0]["cycle"])
    returns = {row[1]: row[2] for row in book["summary"].iter_rows(min_row=2, values_only=True)}
    assert returns == {figures.wager: str(figures.return_to_player) for figures in analysis.wagers}


def test_equal_figures_are_equal_bytes_and_another_figure_is_not():
    game = read_game(GAMES / NAMES[1] / "game.toml")
    first = par_xlsx(par_tables(game, [analyze(game)]))
    assert first == par_xlsx(par_tables(game, [analyze(game)]))
    assert first != par_xlsx(par_tables(game, [analyze(game, "time-out")]))


def test_csv_says_the_same_as_the_workbook():
    game = read_game(GAMES / NAMES[1] / "game.toml")
    tables = par_tables(game, [analyze(game)])
    read = list(csv.reader(io.StringIO(par_csv(tables).decode("utf-8"), newline="")))
    assert [row[0] for row in read if len(row) == 1] == [table.name for table in tables]
    assert sum(bool(row) for row in read) == sum(len(table.rows) + 2 for table in tables)


def test_text_that_looks_like_a_formula_is_never_one():
    game = replace(read_game(GAMES / NAMES[1] / "game.toml"), title="=HYPERLINK(1)")
    tables = par_tables(game, [analyze(game)])
    cell = load_workbook(io.BytesIO(par_xlsx(tables)))["game"]["C2"]
    assert (cell.value, cell.data_type) == ("=HYPERLINK(1)", "s")
    assert b"'=HYPERLINK(1)" in par_csv(tables)


def test_ruin_counts_a_round_that_can_lose_more_than_its_ante():
    """By hand: from 4 units, rounds that win or lose 3 with equal chance; a round asks for 3."""
    half = Fraction(1, 2)
    figures = WagerFigures("ante", (Outcome("win", Fraction(3), half), Outcome("lose", Fraction(-3), half)))
    assert ruin(figures, 2, 1) == 1.0
    assert ruin(figures, 4, 1) == 0.5
    # From 4: lose (1 left, ruined) 1/2; win to 7, lose to 4, lose to 1: 1/8 more within three rounds.
    assert ruin(figures, 4, 3) == 0.5 + 0.125
    assert ruin(figures, 12, 3) == 0.0
