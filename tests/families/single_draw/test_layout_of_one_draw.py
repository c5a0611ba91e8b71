"""The layout of the bets: which draws win each wager, as the settlement says, and drawn for a reader."""

import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from evidence_filled import smallest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from one_draw import DICE, parsed, settled, wager

from certify.certification.submitted import layout_evidence, wagers_evidence
from certify.mathematics.of_game import analyze, plan_of
from certify.messages import speaking
from certify.model.layout import ReadAs
from certify.report.chapters.scope import of_bets, of_table
from certify.report.figures.pieces import MOST, LayoutSpot, layout_of_table
from certify.submission import read_game

GAMES = Path(__file__).parents[3] / "fixtures/games"
WHEEL = "roulette-double-zero"
"""A wheel with a wager of every size."""


def game(name):
    return read_game(GAMES / name / "game.toml")


def return_of(coverage, wager):
    """The return that a layout tells, of a wager that no further draw decides."""
    (covered,) = (one for one in coverage.wagers if one.wager == wager)
    return sum(
        (covered.chances[spot.column] * spot.share * (1 + (spot.net or 0)) for spot in covered.spots),
        Fraction(0),
    )


@pytest.mark.parametrize(
    "name",
    [
        "sic-bo",
        "big-six",
        "deal-em",
        *(pytest.param(name, marks=pytest.mark.slow) for name in (WHEEL, "keno")),
    ],
)
def test_the_layout_alone_gives_the_exact_return_of_every_wager(name):
    submitted = game(name)
    exact = analyze(submitted, plan_of(submitted).analysed[0])
    coverage = layout_evidence(submitted).coverage
    told = {one.wager: return_of(panel, one.wager) for panel in coverage for one in panel.wagers}
    assert told == {one.wager: one.return_to_player for one in exact.wagers}
    assert all(sum(one.chances) == 1 for panel in coverage for one in panel.wagers)


def test_a_wheel_is_laid_out_face_by_face_in_the_order_of_its_numbers():
    (panel,) = layout_evidence(game(WHEEL)).coverage
    assert (panel.reading, panel.drawn, panel.columns[:4]) == (ReadAs.FACE, 1, ("0", "00", "1", "2"))
    straight = next(one for one in panel.wagers if one.wager == "straight-up")
    assert [(panel.columns[spot.column], spot.net) for spot in straight.spots] == [("17", 35)]


def test_a_wager_that_waits_for_another_draw_is_shown_as_waiting():
    (panel,) = layout_evidence(game("roulette-en-prison")).coverage
    red = next(one for one in panel.wagers if one.wager == "red")
    assert (panel.columns[red.spots[0].column], red.spots[0].net) == ("0", None)


@examples(max_examples=15)
@given(low=st.integers(3, 18), width=st.integers(0, 6))
def test_any_range_of_totals_is_laid_out_where_it_wins(low, width):
    high = min(low + width, 18)
    when = f"sum of dice is {low} to {high}"
    (panel,) = layout_evidence(
        parsed(DICE, wager("range", "win"), settled(wager="range", when=when, row="win"))
    ).coverage
    assert [panel.columns[spot.column] for spot in panel.wagers[0].spots] == [
        str(total) for total in range(low, high + 1)
    ]


def evidence_of(submitted):
    return replace(smallest(), layout=layout_evidence(submitted), wagers=wagers_evidence(submitted))


@pytest.mark.parametrize("name", [WHEEL, "sic-bo", "keno", "craps", "three-card-poker", "deal-em"])
@pytest.mark.parametrize("language", ["en", "it"])
def test_every_game_has_a_drawing_within_its_edges_that_names_every_wager(name, language):
    submitted = game(name)
    with speaking(language):
        table = of_table(evidence_of(submitted))
        bets = of_bets(evidence_of(submitted))
    assert all(bet.title in table.alternative for bet in submitted.wagers)
    for figure in (table, *bets):
        width, height = map(float, re.findall(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', figure.drawing)[0])
        xs = [float(x) for x in re.findall(r' x[12]?="(-?[\d.]+)"', figure.drawing)]
        ys = [float(y) for y in re.findall(r' y[12]?="(-?[\d.]+)"', figure.drawing)]
        assert 0 <= min(xs) <= max(xs) <= width
        assert 0 <= min(ys) <= max(ys) <= height


def test_more_wagers_than_can_be_drawn_are_counted_in_the_caption():
    places = [LayoutSpot(f"Wager {number}", "1 to 1", "1 to 5") for number in range(MOST + 3)]
    figure = layout_of_table("house", places)
    assert f"first {MOST} of {MOST + 3} wagers" in figure.caption
    assert layout_of_table("house", []) is None
