"""Small slots of which something false was printed once: what is right of them, counted or computed by hand."""

from __future__ import annotations

from fractions import Fraction

from small_slots import HEAD

from certify.analysis.par_sheet import par_sheet_evidence
from certify.evidence.plain import plain
from certify.mathematics import analyze
from certify.mathematics.figures_evidence import wager_evidence
from certify.model.bounded import Interval, ends_of, percent_of
from certify.submission import parse_game

WHOLE_ROUNDS = """
[slot]
heights = [2, 2, 2]
lines = ["111", "222"]

[[strips]]
id = "base"
reels = ["A B S A D", "B S A D A", "S A D B A"]

[[stages]]
id = "free"
strips = "base"
multiplier = 3

[[line_pays]]
symbol = "A"
pays = [0, 1, 5]

[[line_pays]]
symbol = "B"
pays = [0, 0, 8]

[[free_games]]
id = "fg"
stage = "free"
symbol = "S"
games = [0, 0, 2, 2, 2]
again = [0, 0, 2, 2, 2]
"""


def test_win_frequency_is_that_of_whole_rounds_features_included() -> None:
    """17.670934 % by complete enumeration; 13.6 % is what the paid spin alone wins."""
    game = parse_game((HEAD + WHOLE_ROUNDS + "most_games = 5\n").encode(), "game.toml")
    figures = wager_evidence(analyze(game).wager("main"), game)
    assert figures.win_frequency == Fraction(674092650521, 3814697265625)
    assert plain(figures)["win_frequency_percent"] == "17.670934"


def test_an_endless_series_has_frequencies_between_ends_and_no_end_is_printed_as_the_value() -> None:
    game = parse_game((HEAD + WHOLE_ROUNDS).encode(), "game.toml")
    figures = analyze(game).wager("main")
    win = figures.win_frequency
    assert isinstance(win, Interval)
    assert win.lower > Fraction(17670934, 10**8)
    stated = plain(wager_evidence(figures, game))
    assert stated["win_frequency"].keys() == {"lower", "upper", "method"}
    assert "win_frequency_percent" not in stated
    assert percent_of(win, 4).count(".") == 1


def test_a_losing_run_counts_rounds_that_lose_money() -> None:
    """A win below the bet loses money: runs are longer than those of rounds without a win."""
    game = parse_game((HEAD + WHOLE_ROUNDS).encode(), "game.toml")
    figures = analyze(game).wager("main")
    sheet = par_sheet_evidence(figures, "main-optimal")
    dry = 1 - ends_of(figures.hit_frequency)[0]
    lost = sum((chance for net, chance in figures.listed if net < 0), Fraction(0))
    assert isinstance(sheet.loss_frequency, Interval)
    assert lost < sheet.loss_frequency.lower
    assert dry < sheet.loss_frequency.lower
    run = next(one.longest for one in sheet.losing_runs if one.rounds == 1000)
    high = sheet.loss_frequency.upper

    def longer(length: int) -> Fraction:
        return high ** (length + 1) * (1 + (999 - length) * (1 - high))

    assert longer(run) <= Fraction(1, 100) < longer(run - 1)
