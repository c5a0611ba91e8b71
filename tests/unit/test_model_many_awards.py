"""A wager that wins many times in a round: classes of rounds, awards, single results as far as they are listed."""

from dataclasses import replace
from fractions import Fraction

import pytest

from certify.analysis.mean_bands import mean_band
from certify.analysis.par_sheet import par_sheet_evidence
from certify.families.port import WagerResult
from certify.gate.figure_changes import top_award
from certify.model.bounded import Interval, percent_of
from certify.model.figures import (
    AdvertisedAward,
    Award,
    Distribution,
    Outcome,
    RoundOdds,
    WagerFigures,
)

TENTH = Fraction(1, 10)

LOST = Outcome("nothing", Fraction(-1), Fraction(7, 10))
LINES = Outcome(
    "lines", Fraction(1), Fraction(2, 10), variance=Fraction(4), least=Fraction(-1, 2), most=Fraction(19)
)
GAMES = Outcome("free-games", Fraction(2), TENTH, variance=Fraction(25), least=Fraction(0))
AWARDS = (
    Award("three-bars", Fraction(3, 10), Fraction(4, 10), "base"),
    Award("three-bars", Fraction(2, 10), Fraction(3, 10), "free-games"),
)
TOP = AdvertisedAward(("three-bars",), Fraction(3, 2), Fraction(1, 2))
ODDS = RoundOdds(
    Fraction(3, 10), Fraction(1, 5), Interval(Fraction(1, 10), Fraction(3, 20), "counted"), top=TOP
)
FIGURES = WagerFigures("main", (LOST, LINES, GAMES), awards=AWARDS, odds=ODDS)


def test_variance_counts_what_varies_within_an_outcome():
    """A mean in place of a series of free games would leave most of its variance out."""
    among = (
        sum((one.pays**2 * one.probability for one in FIGURES.outcomes), Fraction(0)) - FIGURES.expectation**2
    )
    assert FIGURES.variance == among + Fraction(2, 10) * 4 + TENTH * 25


def test_frequencies_are_bounds_where_a_class_holds_rounds_of_either_kind():
    """Every class returns something here; not every one of them wins more than was staked."""
    classes = replace(FIGURES, odds=None)
    win = classes.win_frequency
    assert classes.hit_frequency == Fraction(3, 10)
    assert isinstance(win, Interval)
    assert (win.lower, win.upper) == (0, Fraction(3, 10))
    assert percent_of(win, 2) == "0.00 to 30.00"
    # What is counted of whole rounds says more.
    assert (FIGURES.hit_frequency, FIGURES.loss_frequency) == (Fraction(3, 10), Fraction(4, 5))
    assert percent_of(FIGURES.win_frequency, 2) == "10.00 to 15.00"


def test_awards_are_the_return():
    """A row too few, or one counted twice, is found by the sum."""
    assert sum(award.contribution for award in FIGURES.awards) == FIGURES.return_to_player
    with pytest.raises(ValueError, match="awards of main come to 2/5 together, expected its return of 7/10"):
        replace(FIGURES, awards=AWARDS[:1])


def test_single_results_are_listed_or_refused():
    """Means of classes never stand for single results."""
    with pytest.raises(ValueError, match="single net results of main are not listed"):
        _ = FIGURES.net
    listed = Distribution(((Fraction(-1), Fraction(7, 10)),), rest=Fraction(3, 10))
    assert replace(FIGURES, distribution=listed).net == listed.listed
    ends = Outcome("any", Fraction(0), Fraction(1), variance=Fraction(1))
    halves = Distribution(((Fraction(-1), Fraction(1, 2)), (Fraction(1), Fraction(1, 2))))
    assert WagerFigures("even", (ends,), distribution=halves).net == halves.listed
    with pytest.raises(
        ValueError, match="have mean 0 and variance 1, expected those of its outcomes, 0 and 2"
    ):
        WagerFigures("even", (replace(ends, variance=Fraction(2)),), distribution=halves)


@pytest.mark.parametrize(
    ("listed", "rest"),
    [
        (((Fraction(1), TENTH), (Fraction(1), TENTH)), Fraction(8, 10)),
        (((Fraction(1), TENTH),), TENTH),
        (((Fraction(1), Fraction(11, 10)),), -TENTH),
    ],
)
def test_what_is_no_distribution_is_refused(listed, rest):
    """Results twice, a sum that is not one, a rest below nothing."""
    with pytest.raises(ValueError, match=r"expected exactly 1|not in rising order"):
        Distribution(listed, rest)


def test_a_class_lies_within_its_limits():
    """A mean above the most that a round can come to cannot be."""
    with pytest.raises(ValueError, match="free-games pays 2 on average, outside of 0 to 1"):
        replace(GAMES, most=Fraction(1))


def test_a_round_of_a_table_game_has_one_award():
    """One view of what a round won, whatever the game."""
    assert WagerResult("main", "win", Fraction(2)).won == (Award("win", Fraction(1), Fraction(3)),)
    assert WagerResult("main", "lose", Fraction(-1)).won == ()
    assert WagerResult("main", "base", Fraction(0), awards=AWARDS).won == AWARDS


def test_bands_of_the_mean_hold_without_single_results():
    """Chebyshev's band is wider than the exact one, and both contain the return."""
    classes = WagerFigures("even", (Outcome("any", Fraction(0), Fraction(1), variance=Fraction(1)),))
    halves = Distribution(((Fraction(-1), Fraction(1, 2)), (Fraction(1), Fraction(1, 2))))
    wide = mean_band(classes, 1_000, Fraction(95, 100))
    exact = mean_band(replace(classes, distribution=halves), 1_000, Fraction(95, 100))
    assert wide.low < exact.low < 1 < exact.high < wide.high
    cut = Distribution(
        ((Fraction(-1), Fraction(1, 2)), (Fraction(1), Fraction(499, 1000))), rest=Fraction(1, 1000)
    )
    assert mean_band(replace(classes, distribution=cut), 1_000, Fraction(95, 100)) == wide
    rare = Distribution(
        (*halves.listed[:1], (Fraction(1), Fraction(1, 2) - Fraction(1, 10**9))), rest=Fraction(1, 10**9)
    )
    near = mean_band(replace(classes, distribution=rare), 1_000, Fraction(95, 100))
    assert wide.low < near.low <= exact.low < exact.high <= near.high < wide.high


def test_sheets_and_gate_read_awards():
    """The top award is the highest that is advertised, as often as a round comes to it."""
    sheet = par_sheet_evidence(FIGURES, "as dealt")
    assert sheet.awards is not None
    assert sum(award.contribution for award in sheet.awards) == FIGURES.return_to_player
    assert (sheet.top_award.outcome, sheet.top_award.pays, sheet.top_award.one_in) == (
        "three-bars",
        "1 to 2",
        2,
    )
    assert (sheet.ruin, sheet.long_run.house) == ((), ())
    top = top_award(FIGURES)
    assert (top.id, top.pays, top.probability) == ("three-bars", Fraction(1, 2), Fraction(1, 2))
