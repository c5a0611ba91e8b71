"""Games described in the submission alone have the figures that their sources print, and both texts agree."""

import csv
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest

from certify.certification.texts import texts_of
from certify.errors import SubmissionError
from certify.families.registry import family_of
from certify.mathematics import analyze
from certify.mathematics.of_game import analyze_table, engine_of
from certify.model.strategy import ChoiceTable
from certify.submission import parse_game, read_game

GAMES = Path(__file__).parents[3] / "fixtures/games"
SEED = bytes(range(32))
FIGURES = Path(__file__).with_name("figures_of_families.csv")
QUICK = ("dragon-tiger", "casino-war", "red-dog", "andar-bahar")


@cache
def submitted(name):
    return read_game(GAMES / name / "game.toml")


@cache
def analysed(name):
    return analyze(submitted(name))


@pytest.mark.parametrize(
    ("name", "wager", "returned"),
    [
        ("dragon-tiger", "dragon", 1 - Fraction(31, 830)),
        ("dragon-tiger", "suited-tie", Fraction(51 * 7, 415)),
        # 23 of 311 second cards tie; in the war two units are lost, one won, or two on a further tie.
        ("casino-war", "tie", Fraction(11 * 23, 311)),
        ("casino-war", "bet", Fraction(969885, 993023)),
        ("red-dog", "bet", Fraction(16052, 16575)),
        ("andar-bahar", "bahar", 2 * Fraction(404, 833)),
        pytest.param("let-it-ride", "bet", Fraction(1044937, 1082900), marks=pytest.mark.slow),
        pytest.param("let-it-ride", "three-card-bonus", Fraction(5397, 5525), marks=pytest.mark.slow),
    ],
)
def test_the_return_of_a_wager_is_the_known_fraction(name, wager, returned):
    assert analysed(name).wager(wager).return_to_player == returned


@pytest.mark.parametrize(
    "name", ["baccarat-ez", "baccarat-no-commission", "baccarat-punto-banco", "craps", "three-card-poker"]
)
def test_figures_are_those_that_a_family_in_code_counted(name):
    """Returns, variances and hit frequencies as two texts in code gave them, which the house had until 0.2."""
    stated = [one for one in csv.DictReader(FIGURES.read_text("utf-8").splitlines()) if one["game"] == name]
    assert [one["wager"] for one in stated] == [one.id for one in submitted(name).wagers]
    for one in stated:
        found = analysed(name).wager(one["wager"])
        figures = found.return_to_player, found.variance, found.hit_frequency
        assert figures == tuple(Fraction(one[figure]) for figure in ("return", "variance", "hit_frequency"))


def test_full_odds_lower_the_edge_of_the_line_as_printed():
    # wizardofodds.com: 3-4-5x odds, 0.374 % on the pass line and 0.273 % on don't pass, of everything staked.
    offered = engine_of(family_of(submitted("craps"))).counted(submitted("craps")).offered()
    full = ChoiceTable(
        "full odds", "a card", frozenset((sees, options[-1]) for sees, options in offered.items())
    )
    figures = analyze_table(submitted("craps"), full)
    on_total = [figures.wager(name).return_on_total_wagered for name in ("pass-line", "dont-pass")]
    assert on_total == [Fraction(1863, 1870), Fraction(1097, 1100)]


@pytest.mark.parametrize("name", [*QUICK, pytest.param("let-it-ride", marks=pytest.mark.slow)])
def test_both_texts_settle_every_state_and_dealt_rounds_alike(name):
    found = texts_of(submitted(name), SEED, analysed(name).strategy, 300)
    assert found is not None
    assert found.merging is not None
    assert (found.differing, found.dealt, found.shared) == (0, 300, ())


def test_an_option_that_stakes_otherwise_elsewhere_is_refused():
    # The life of a round knows what an option stakes by its id: two meanings took more than the stake.
    text = (GAMES / "craps/game.toml").read_text("utf-8").replace('"odds-5-9", stakes', '"odds-4-10", stakes')
    with pytest.raises(SubmissionError, match='"odds-4-10" stakes otherwise elsewhere'):
        parse_game(text.encode(), "game.toml")
