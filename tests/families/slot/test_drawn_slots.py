"""Strips, lines and the window that wins most are drawn as they are, whatever is written on them."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

import pytest
from small_slots import LINES, WAYS, small

from certify.certification.submitted import layout_evidence
from certify.evidence.analysis import Basis, SupplementaryFigure, Unit
from certify.families.slot.rules import rules_of
from certify.messages import speaking
from certify.model.game import Game
from certify.report.chapters.printed import _figure
from certify.report.chapters.scope import of_reels
from certify.report.figures.pieces import MOST_STOPS, stops_of
from certify.report.layout import Figure


def drawn(game: Game) -> dict[str, Figure]:
    """Returns the figures of a game's reels by their names."""
    return {one.name: one for one in of_reels(layout_evidence(game))}


def texts(figure: Figure) -> list[str]:
    return re.findall(r">([^<]+)</text>", figure.drawing)


def test_every_stop_of_every_strip_is_drawn_and_told() -> None:
    game = small(LINES)
    figures = drawn(game)
    assert list(figures) == ["stops-1", "lines-1", "window-1", "stops-2"]
    (base, _) = rules_of(game).strip_sets
    written = texts(figures["stops-1"])
    for reel in base.reels:
        for stop, symbol in enumerate(reel.symbols):
            weight = f" :{reel.weight(stop)}" if reel.weights else ""
            assert symbol + weight in written
    assert figures["stops-1"].alternative.endswith("Reel 3: b, a, c, wild, star, a")
    assert "weight" in figures["stops-1"].caption
    assert "weight" not in figures["stops-2"].caption


def test_each_line_takes_one_cell_of_each_reel() -> None:
    figure = drawn(small(LINES))["lines-1"]
    assert figure.drawing.count("<rect") == 3 * 3
    assert figure.alternative.endswith("1: 1 1 1; 2: 2 2 2; 3: 1 2 1")


def test_ways_have_no_lines_and_no_window_is_sought_that_wins_most() -> None:
    assert list(drawn(small(WAYS))) == ["stops-1"]
    assert "window-1" in drawn(small(LINES))


def test_more_stops_than_fit_are_said_to_be_left_out() -> None:
    figure = stops_of("strips", "long", [["seven"] * (MOST_STOPS + 1)], [[]])
    assert texts(figure).count("seven") == MOST_STOPS
    assert str(MOST_STOPS) in figure.caption


def test_a_name_that_is_too_long_is_cut_and_markup_is_text() -> None:
    figure = stops_of("strips", "a", [["<script>", "x" * 300], ["y"]], [[], []])
    assert "<script>" not in figure.drawing
    assert "&lt;script&gt;" in figure.drawing
    assert any(one.endswith("…") for one in texts(figure))


@pytest.mark.parametrize(("language", "word"), [("it", "Rullo"), ("fr", "Rouleau"), ("es", "Rodillo")])
def test_reels_are_named_in_every_language(language: str, word: str) -> None:
    with speaking(language):
        assert f"{word} 1" in texts(drawn(small(LINES))["stops-1"])


def test_a_game_without_reels_draws_none() -> None:
    game = small(LINES)
    layout = replace(layout_evidence(game), reels=None)
    assert of_reels(layout) == ()


def test_a_wait_of_more_digits_than_a_column_holds_is_told_in_powers_of_ten() -> None:
    row = SupplementaryFigure(Fraction(4) ** 200, Fraction(4) ** 200, Unit.ROUNDS, Basis.EXACT)
    assert _figure(row) == "2.58 × 10^120"
    near = SupplementaryFigure(
        Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**30), Unit.CHANCE, Basis.PROVEN
    )
    assert _figure(near) == "33.3333\u202f%"
    apart = SupplementaryFigure(Fraction(1, 3), Fraction(34, 100), Unit.CHANCE, Basis.PROVEN)
    assert "to" in _figure(apart)
