"""What is counted and how it is printed: hit frequencies, awards, odds, percentages, amounts of currencies."""

import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from cli_support import refuses
from hypothesis import given, strategies as st

from certify.analysis.mean_bands import mean_band
from certify.analysis.par_sheet import longest_losing_run, par_sheet_evidence
from certify.certification.play_through import _same_ends
from certify.errors import InputError, SubmissionError
from certify.exact import (
    decimal_text,
    minor_units,
    parse_fraction,
    parse_half_points,
    parse_odds,
    parse_percent,
    units,
)
from certify.families import Choice, WagerResult
from certify.families.declared_rules import with_rules
from certify.families.open_card.text import OpenCardTie
from certify.gate.figure_changes import top_award
from certify.gate.figure_inputs import basis_of
from certify.gate.figures import count_figures, figures_document, figures_from
from certify.mathematics import analyze, has_decisions
from certify.mathematics.par_tables import par_tables
from certify.model import (
    AdvertisedAward,
    Award,
    Distribution,
    Interval,
    Outcome,
    RoundOdds,
    WagerFigures,
    parse_claim,
    percent_of,
)
from certify.model.joint_counts import JointCounts, cell_of, named_cell
from certify.model.points import walk
from certify.report.formats import NARROW, money
from certify.submission import parse_game, read_game

TENTH = Fraction(1, 10)

LOST = Outcome("nothing", Fraction(-1), Fraction(7, 10))
LINES = Outcome(
    "lines", Fraction(1), Fraction(2, 10), variance=Fraction(4), least=Fraction(-1, 2), most=Fraction(19)
)
FREE_GAMES = Outcome("free-games", Fraction(2), TENTH, variance=Fraction(25), least=Fraction(0))
AWARDS = (
    Award("three-bars", Fraction(3, 10), Fraction(4, 10), "base"),
    Award("three-bars", Fraction(2, 10), Fraction(3, 10), "free-games"),
)
TOP = AdvertisedAward(("three-bars",), Fraction(3, 2), Fraction(1, 2))
ODDS = RoundOdds(
    Fraction(3, 10), Fraction(1, 5), Interval(Fraction(1, 10), Fraction(3, 20), "counted"), top=TOP
)
FIGURES = WagerFigures("main", (LOST, LINES, FREE_GAMES), awards=AWARDS, odds=ODDS)


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
        replace(FREE_GAMES, most=Fraction(1))


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
    assert (wide.bound, exact.bound) == ("Chebyshev's inequality", "")
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


GAMES = Path(__file__).parents[2] / "fixtures/games"
CASINO = read_game(GAMES / "us5632489-casino/game.toml")
HOME = read_game(GAMES / "us5632489-home/game.toml")
SEVEN = read_game(GAMES / "playtech-7-e-mezzo/game.toml")
ANTE_RETURNED = with_rules(CASINO, tie=OpenCardTie.ANTE_RETURNED)


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
    kept = figures_from(figures_document(counted), basis_of(ANTE_RETURNED))
    for strategy, wagers in counted.wagers.items():
        assert kept.wagers[strategy]["ante"] == wagers["ante"]
        assert kept.wagers[strategy]["ante"].hit_frequency == wagers["ante"].hit_frequency


AXES = (("main", ("win", "push", "lose")), ("side", ("a", "b")))
MANY = tuple((f"bet-{number}", ("win", "push", "lose")) for number in range(44))


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1)), max_size=50))
def test_every_way_of_counting_gives_the_same(codes):
    named = [tuple(AXES[at][1][code] for at, code in enumerate(row)) for row in codes]
    dense = np.zeros((3, 2), dtype=np.int64)
    for row in codes:
        dense[row] += 1
    counted = JointCounts.of_outcomes(AXES, named)
    assert counted == JointCounts.dense(AXES, dense)
    assert counted.rounds == len(codes)
    assert counted.marginals() == {wager: counted.wager(wager) for wager, _ in AXES}
    assert list(counted.wager("main").values()) == dense.sum(axis=1).tolist()
    assert counted + JointCounts(AXES) == counted
    assert (counted + counted).rounds == 2 * counted.rounds


@given(st.lists(st.lists(st.integers(0, 2), min_size=44, max_size=44), max_size=5))
def test_forty_four_bets_take_memory_only_for_what_occurred(codes):
    named = [tuple(MANY[at][1][code] for at, code in enumerate(row)) for row in codes]
    counted = JointCounts.of_outcomes(MANY, named)
    assert counted.possible == 3**44
    assert len(counted.cells) <= counted.rounds == len(codes)
    for ended, _ in counted.outcomes():
        assert named_cell(MANY, cell_of(MANY, ended)) == ended


@pytest.mark.parametrize(
    "cells", [((6, 1),), ((-1, 1),), ((0, 0),), ((1, 1), (0, 1)), ((1, 1), (1, 2)), ((1.0, 1),), ((1, True),)]
)
def test_cells_that_cannot_be_are_refused(cells):
    with pytest.raises(InputError, match="joint outcome"):
        JointCounts(AXES, cells)


def test_counts_of_other_axes_and_unknown_outcomes_are_refused():
    refuses(
        InputError,
        ("cannot be added", lambda: JointCounts(AXES) + JointCounts(MANY)),
        ("'draw', expected one of win, push, lose", lambda: JointCounts.of_outcomes(AXES, [("draw", "a")])),
        ("settles no wager 'third'", lambda: JointCounts(AXES).wager("third")),
    )


SUBMITTED = Path(__file__).parents[2] / "fixtures" / "games"


@pytest.mark.parametrize(
    ("name", "decides"),
    [
        ("red-dog", True),
        ("craps", True),
        ("dragon-tiger", False),
        ("deal-em", False),
        ("roulette-en-prison", False),
    ],
)
def test_a_game_decides_where_its_round_does(name, decides):
    game = read_game(SUBMITTED / name / "game.toml")
    walked = walk(game.port.reference(game))
    assert any(isinstance(reached.node, Choice) for reached in walked) == decides
    assert has_decisions(game) == decides


TINY = Fraction(1, 10**30)


@pytest.mark.parametrize(
    ("truncated", "low", "high"),
    [
        (False, Fraction(99535, 100000), Fraction(99545, 100000)),
        (True, Fraction(9954, 10000), Fraction(9955, 10000)),
    ],
    ids=["rounded", "what begins with its digits"],
)
def test_a_printed_figure_stands_for_a_half_open_interval(truncated, low, high):
    printed = parse_percent("99.54 %", truncated=truncated)
    assert printed.interval == (low, high)
    stands = [printed.stands_for(value) for value in (low - TINY, low, high - TINY, high)]
    assert stands == [False, True, True, False]


def test_the_places_printed_are_part_of_the_claim():
    assert parse_percent("96 %").interval == (Fraction(955, 1000), Fraction(965, 1000))
    assert parse_percent("96.0 %").interval == (Fraction(9595, 10000), Fraction(9605, 10000))


@given(
    value=st.fractions(min_value=Fraction(0), max_value=Fraction(9), max_denominator=10**9),
    places=st.integers(0, 6),
)
def test_a_value_prints_as_the_one_figure_that_stands_for_it(value, places):
    printed = parse_percent(f"{decimal_text(value * 100, places)} %")
    assert printed.places == places
    assert printed.stands_for(value)


def test_odds_with_and_without_the_stake():
    assert parse_odds("3 to 2") == Fraction(3, 2)
    assert parse_odds("40 for 1") == 39
    assert parse_odds("1 for 1") == 0
    # wizardofodds.com: the spinner of two-up 7.5 to 1, two pair on five dice 3.15 for 1.
    assert (parse_odds("7.5 to 1"), parse_odds("3.15 for 1")) == (Fraction(15, 2), Fraction(43, 20))


MALFORMED = {
    parse_odds: ("2 to 1\n", " 2 to 1", "2 to 0", "1 for 2", "٢ to 1", "2:1", "2  to 1", "-2 to 1", "7. to 1",
                 "7,5 to 1", "1 to 2.5"),
    parse_percent: ("99.54", "99,54 %", "99.54 %\n", "99. %", "٩٩ %", "1e2 %", "-1 %"),
    parse_half_points: ("", "7.5", "1/3", "7½\n", "٧", "½½"),
    parse_fraction: ("1/0", "1.5", "1/2\n", "١/2", "--1"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("parse", "text"), [(parse, text) for parse, texts in MALFORMED.items() for text in texts]
)
def test_odds_percentages_points_and_fractions_of_another_form_are_refused(parse, text):
    with pytest.raises(InputError):
        parse(text)


ROULETTE = Path("fixtures/games/roulette-single-zero/game.toml")


def with_limits(minimum, maximum, currency):
    """Returns roulette with every limit in another currency."""
    table = f'limits = {{ minimum = "{minimum}", maximum = "{maximum}", currency = "{currency}"'
    text = re.sub(
        r"limits = \{ minimum = \"[^\"]*\", maximum = \"[^\"]*\", currency = \"[A-Z]+\"",
        table,
        ROULETTE.read_text(),
    )
    assert table in text
    return text.encode()


@pytest.mark.parametrize(
    ("minimum", "maximum", "currency", "expected"),
    [("100", "50000", "JPY", (100, 50_000)), ("0.250", "500.000", "KWD", (250, 500_000))],
)
def test_limits_have_the_decimal_places_of_their_currency(minimum, maximum, currency, expected):
    game = parse_game(with_limits(minimum, maximum, currency), "game.toml")
    limits = game.wagers[0].limits
    assert (limits.minimum, limits.maximum) == expected
    assert (
        money(limits.maximum, currency).replace(NARROW, ",")
        == f"{currency} {units(limits.maximum, currency, ',')}"
    )
    sheet = {table.name: dict(row[:2] for row in table.rows) for table in par_tables(game, [analyze(game)])}
    assert sheet["header"]["limits of Straight up"] == f"{minimum} to {maximum} {currency} (printed)"
    assert sheet["exposure"]["stake on straight-up"] == float(maximum)
    assert parse_claim("maximum-award", f"{maximum} {currency}").value == Fraction(maximum)


@pytest.mark.parametrize(
    ("minimum", "maximum", "currency", "message"),
    [
        ("1.00", "500.00", "JPY", 'amount "1.00": expected such as "500"'),
        ("1.00", "500.00", "KWD", 'amount "1.00": expected such as "500.000"'),
        ("1.00", "500.00", "XYZ", 'currency "XYZ": expected three letters of ISO 4217'),
        ("1.00", "500.00", "XAU", 'currency "XAU": expected three letters of ISO 4217'),
        ("0.00", "500.00", "EUR", "expected 0.01 ≤ minimum ≤ maximum < 1000000000.00"),
        ("1.00", "1000000000.00", "EUR", "expected 0.01 ≤ minimum ≤ maximum < 1000000000.00"),
    ],
)
def test_an_amount_of_other_places_and_a_currency_that_does_not_exist_are_mistakes(
    minimum, maximum, currency, message
):
    with pytest.raises(SubmissionError) as caught:
        parse_game(with_limits(minimum, maximum, currency), "game.toml")
    assert any(message in str(problem) for problem in caught.value.problems)
    assert all(problem.line for problem in caught.value.problems if message in str(problem))


@pytest.mark.parametrize("amount", ["1e3", "١.٠٠", " 1.00", "-1.00", "1.0", 1])
def test_nothing_but_digits_is_an_amount(amount):
    with pytest.raises(InputError, match=r'expected such as "500\.00"'):
        minor_units(amount, "EUR")


def test_the_fixture_itself_is_read():
    assert read_game(ROULETTE).wagers[0].limits.currency == "EUR"


def test_at_other_pays_an_outcome_is_the_same_where_its_row_is_or_where_both_are_named_after_their_net_result() -> (
    None
):
    def row_of(outcome: str) -> str:
        return outcome.partition(":")[0]

    assert _same_ends(row_of, "win:8:1", "win")
    assert _same_ends(row_of, "win:6:2", "lose:-2:2")
    assert not _same_ends(row_of, "push", "win")
    assert not _same_ends(row_of, "lose", "win:8:1")
