"""What sources print of a slot beside its return: judged exactly, to the printed digits, and a false one found."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache

import pytest
from small_slots import HEAD, LINES, every_round, small

from certify.errors import InputError, NothingCheckedError
from certify.families.slot.exact.ends import at_least, highest_win
from certify.families.slot.exact.limited import METHOD, frequencies
from certify.families.slot.exact.round import round_figures
from certify.families.slot.rules import rules_of
from certify.mathematics import analyze, identify
from certify.model.bounded import Interval, ends_of
from certify.model.claims import claimed_figure, prints_as
from certify.model.figures import WagerFigures
from certify.model.game import Game
from certify.submission import parse_game

ENDING = LINES.replace("games = [0, 2, 4]", "games = [0, 2, 4]\nmost_games = 6")


def claimed(tables: str, metric: str, printed: str, row: str = "") -> Game:
    about = f'row = "{row}"\n' if row else ""
    claim = (
        f'\n[[claims]]\nwager = "main"\nmetric = "{metric}"\nprinted = "{printed}"\nsource = "rules"\n{about}'
    )
    return parse_game((HEAD.replace("claims = []\n", "") + tables + claim).encode(), "game.toml")


def holds(game: Game) -> bool:
    (claim,) = game.claims
    (figures,) = analyze(game, "main-optimal").wagers
    return prints_as(claim, claimed_figure(claim, figures, game.wager("main").limits))


@cache
def figures() -> WagerFigures:
    return round_figures(rules_of(small(ENDING)), "main")


Printed = Callable[[WagerFigures], str]
"""What a source prints, by the figures: counted where a test needs them, not by every worker."""


def one_in(chance: Fraction) -> str:
    return f"1 in {float(1 / chance):.2f}"


TRUE: list[tuple[str, Printed, str]] = [
    ("hit-frequency", lambda one: f"{float(100 * one.hit_frequency):.4f} %", ""),
    ("odds-of-row", lambda one: one_in(one.odds_of("free-games")), "free-games"),
    ("odds-of-row", lambda one: one_in(one.odds_of("a-3")), "a-3"),
    ("odds-of-row", lambda one: one_in(one.odds_of("free/a-3")), "free/a-3"),
    ("odds-of-row", lambda one: one_in(one.odds_of("win-from-1")), "win-from-1"),
    ("odds-of-maximum-award", lambda one: one_in(one.odds_of_highest), ""),
    ("standard-deviation", lambda one: f"{one.standard_deviation:.4f}", ""),
    ("volatility-index", lambda one: f"{one.volatility_index(1.65):.3f} at 1.65", ""),
    ("volatility-index", lambda one: f"{one.volatility_index(1.6448536269514722):.3f} at 90 %", ""),
    ("volatility-class", lambda one: f"high: standard deviation from {int(one.standard_deviation)}", ""),
]


@pytest.mark.parametrize(("metric", "printed", "row"), TRUE)
def test_what_is_printed_right_holds(metric: str, printed: Printed, row: str) -> None:
    assert holds(claimed(ENDING, metric, printed(figures()), row))


@pytest.mark.parametrize(
    ("metric", "printed", "row"),
    [
        ("hit-frequency", lambda one: f"{float(100 * one.hit_frequency) + 0.0001:.4f} %", ""),
        ("odds-of-row", lambda one: one_in(one.odds_of("free-games") * Fraction(100, 101)), "free-games"),
        ("odds-of-maximum-award", lambda one: one_in(one.odds_of_highest * Fraction(100, 101)), ""),
        ("standard-deviation", lambda one: f"{one.standard_deviation + 0.0001:.4f}", ""),
        # The index at 90 % printed as if it were that at 95 %.
        ("volatility-index", lambda one: f"{one.volatility_index(1.6448536269514722):.3f} at 95 %", ""),
        (
            "volatility-class",
            lambda one: f"high: standard deviation from {int(one.standard_deviation) + 1}",
            "",
        ),
        ("maximum-award", lambda one: "100,000 x", ""),
    ],
)
def test_what_is_printed_wrong_is_found(metric: str, printed: Printed, row: str) -> None:
    assert not holds(claimed(ENDING, metric, printed(figures()), row))


def test_the_maximum_is_that_of_a_series_with_an_end() -> None:
    odds = figures().odds
    assert odds is not None
    assert odds.highest is not None
    top = odds.highest + 1
    printed = (
        f"{top.numerator * 3} for 3" if top.denominator == 1 else f"{top.numerator} for {top.denominator}"
    )
    assert holds(claimed(ENDING, "maximum-award", printed))


def test_a_maximum_of_a_series_without_an_end_is_refused_with_its_line() -> None:
    with pytest.raises(InputError, match=r'game\.toml:\d+.*the series "free-games" may go on for ever'):
        claimed(LINES, "maximum-award", "5,000 x")


def test_odds_of_what_the_game_does_not_have_are_refused() -> None:
    with pytest.raises(InputError, match=r'odds of the row "jackpot": expected a row, a feature or a band'):
        claimed(LINES, "odds-of-row", "1 in 100", "jackpot")


def test_a_class_without_its_limits_is_refused() -> None:
    with pytest.raises(InputError, match="expected its name with the limits that the source gives"):
        claimed(LINES, "volatility-class", "high")


def test_bands_of_whole_rounds_contain_what_is_played_out_by_hand() -> None:
    tables = LINES.replace("games = [0, 2, 4]", "games = [0, 1, 2]\nretriggers = false")
    rules = rules_of(small(tables))
    law = every_round(rules, 6)
    assert sum(law.values()) == 1
    for many, (low, high) in at_least(rules, (1, 2, 5, 10, 20)).items():
        exact = sum((chance for win, chance in law.items() if win >= many * rules.cost), Fraction(0))
        assert low <= exact <= high
        assert high - low < Fraction(1, 10**9)
    for figure, least in zip(frequencies(rules), (1, rules.cost, rules.cost + 1), strict=True):
        assert figure == sum((chance for win, chance in law.items() if win >= least), Fraction(0))
    highest = highest_win(rules)
    assert highest is not None
    assert highest.coins == max(law)
    assert highest.chance == law[max(law)]


@pytest.mark.parametrize("tables", [ENDING, LINES.replace("games = [0, 2, 4]", "games = [0, 1, 1]")])
def test_bands_and_dry_rounds_of_series_that_go_on(tables: str) -> None:
    rules = rules_of(small(tables))
    law = every_round(rules, 5)
    later = 1 - sum(law.values())
    for figure, least in zip(frequencies(rules), (1, rules.cost, rules.cost + 1), strict=True):
        low, high = ends_of(figure)
        assert 0 <= high - low < Fraction(1, 10**40)
        assert low == high or (isinstance(figure, Interval) and figure.method == METHOD)
        beneath = sum((chance for win, chance in law.items() if win < least), Fraction(0))
        assert 1 - beneath - later <= low <= high <= 1 - beneath
    low, _ = ends_of(frequencies(rules)[0])
    bands = at_least(rules, (1, 2, 5, 10, 20, 50))
    chances = [chance for _, chance in bands.values()]
    assert chances == sorted(chances, reverse=True)
    assert chances[0] <= low


def test_no_strip_is_sought_behind_a_printed_return() -> None:
    with pytest.raises(NothingCheckedError, match="there is nothing to search for"):
        identify(claimed(LINES, "return-to-player", "95.00 %"), "main")
