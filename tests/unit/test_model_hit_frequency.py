"""Hit frequency: the probability that a round gives money back, whatever was staked in it."""

from fractions import Fraction
from pathlib import Path

import pytest
from representatives import firsts

from certify.analysis.par_sheet import longest_losing_run
from certify.families.open_card.readings import with_rules
from certify.families.open_card.rules import OpenCardTie
from certify.gate.figure_inputs import basis_of
from certify.gate.figures import count_figures, figures_document, figures_from
from certify.mathematics import analyze
from certify.model.figures import Outcome, WagerFigures
from certify.submission import read_game

GAMES = Path(__file__).parents[2] / "fixtures/games"
CASINO = read_game(GAMES / "us5632489-casino/game.toml")
HOME = read_game(GAMES / "us5632489-home/game.toml")
SEVEN = read_game(GAMES / "playtech-7-e-mezzo/game.toml")
ANTE_RETURNED = with_rules(CASINO, tie=OpenCardTie.ANTE_RETURNED)
ENDS = ("king-of-diamonds", "win", "push", "lose", "bust", "fold", "dealer-king-of-diamonds")


def returning(game, strategy):
    """Ends of a round in which something comes back, and the probability of all of them together."""
    figures = analyze(game, strategy).wager("ante")
    back = {end.id for end in figures.outcomes if end.returned > 0 and end.probability}
    return {name.partition("-final-")[0] for name in back}, figures


@pytest.mark.parametrize(
    "strategy", firsts(["main-optimal", "always-second-card", "mimic-dealer", "stand-on:5"])
)
@pytest.mark.parametrize(
    ("game", "ends"),
    [
        (CASINO, {"king-of-diamonds", "win", "push"}),
        (ANTE_RETURNED, {"king-of-diamonds", "win", "push"}),
        (with_rules(CASINO, tie=OpenCardTie.LOSE), {"king-of-diamonds", "win"}),
        (HOME, {"king-of-diamonds", "win", "push"}),
        (with_rules(HOME, tie=OpenCardTie.ANTE_RETURNED), {"king-of-diamonds", "win", "push"}),
    ],
    ids=["casino", "ante returned", "tie loses", "home", "home, ante returned"],
)
def test_a_tie_that_returns_the_ante_returns_something_and_a_fold_or_bust_nothing(game, ends, strategy):
    found, figures = returning(game, strategy)
    assert found == ends
    by_end = {
        end: sum(each.probability for each in figures.outcomes if each.id.partition("-final-")[0] == end)
        for end in ENDS
    }
    assert sum(by_end.values()) == 1
    assert figures.hit_frequency == sum(by_end[end] for end in ends)
    assert 1 - figures.hit_frequency == sum(by_end[end] for end in ENDS if end not in ends)


def test_what_is_staked_adds_up_to_what_is_wagered():
    for game in (CASINO, ANTE_RETURNED):
        for strategy in ("main-optimal", "time-out"):
            figures = analyze(game, strategy).wager("ante")
            assert sum(end.staked * end.probability for end in figures.outcomes) == figures.total_wagered
            assert {end.staked for end in figures.outcomes} <= {1, 2, 3}
            # Nobody loses more than was staked.
            assert all(end.returned >= 0 for end in figures.outcomes)


def test_adopted_readings_are_counted_as_before():
    """No return of less than what is staked but nothing at all, so a net result above -1 says the same."""
    for game in (CASINO, HOME, SEVEN):
        for figures in analyze(game).wagers:
            assert figures.hit_frequency == sum(end.probability for end in figures.outcomes if end.pays > -1)


def test_two_units_staked_and_one_returned_is_a_return():
    half = Fraction(1, 2)
    figures = WagerFigures(
        "toy",
        (
            Outcome("push-final-1", Fraction(-1), half, staked=Fraction(2)),
            Outcome("fold", Fraction(-1), half),
        ),
    )
    assert (figures.hit_frequency, figures.win_frequency) == (half, 0)
    # A losing round is one that loses money, whatever comes back of it: here all of them.
    assert (figures.loss_frequency, longest_losing_run(figures, 3, Fraction(1, 8))) == (1, 3)


def test_the_gate_keeps_what_was_staked():
    counted = count_figures(basis_of(ANTE_RETURNED))
    kept = figures_from(figures_document(counted, ANTE_RETURNED), basis_of(ANTE_RETURNED))
    for strategy, wagers in counted.wagers.items():
        assert kept.wagers[strategy]["ante"] == wagers["ante"]
        assert kept.wagers[strategy]["ante"].hit_frequency == wagers["ante"].hit_frequency
