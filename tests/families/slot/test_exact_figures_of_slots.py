"""Exact figures of small slots against every stop tried in plain Python, and their variance against rounds played."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache

import pytest
from small_slots import LINES, WAYS, every, played, small

from certify.families.slot.exact.branching import branching
from certify.families.slot.exact.round import feature_odds, round_figures
from certify.families.slot.exact.spin import spin_law
from certify.families.slot.rules import (
    Direction,
    Doubled,
    LinePay,
    LineWins,
    SlotRules,
    WildProduct,
    rules_of,
)

LINED = rules_of(small(LINES))
WAYED = rules_of(small(WAYS))

CHANGED = {
    "as stated": LINED,
    "from the right": replace(LINED, direction=Direction.RIGHT),
    "from both ends, the best": replace(LINED, direction=Direction.BOTH),
    "from both ends, each": replace(LINED, direction=Direction.BOTH, line_wins=LineWins.EACH_END),
    "each, stars double": replace(
        LINED,
        direction=Direction.BOTH,
        line_wins=LineWins.EACH_END,
        doubled=(Doubled("star", "a"),),
        line_pays=(LinePay("a", ("a",), (0, 3, 20, 30, 40, 50)), *LINED.line_pays[1:]),
    ),
    "neighbours": replace(LINED, direction=Direction.ADJACENT),
    "all rows": replace(LINED, line_wins=LineWins.ALL),
    "wilds add": replace(LINED, wilds=(replace(LINED.wilds[0], together=WildProduct.ADD),)),
    "wilds once": replace(LINED, wilds=(replace(LINED.wilds[0], together=WildProduct.ONCE),)),
    "wilds not alone": replace(LINED, wilds=(replace(LINED.wilds[0], alone=False),)),
    "without wilds": replace(LINED, wilds=()),
    "anywhere": replace(LINED, line_pays=(replace(LINED.line_pays[0], anywhere=True), *LINED.line_pays[1:])),
}


@cache
def played_once(rules: SlotRules, rounds: int) -> tuple[float, float]:
    """Mean and variance of rounds played at random, the same for all who ask."""
    return played(rules, rounds, 7)


def counted(rules: SlotRules, stage: str) -> dict[tuple[int, int], Fraction]:
    """Returns the chance of (free games begun, coins) by the exact counting."""
    law = spin_law(rules, stage)
    return {
        (sum(starts), win): Fraction(weight, law.total)
        for starts, wins in law.wins.items()
        for win, weight in wins.items()
    }


def tried(rules: SlotRules, stage: str) -> dict[tuple[int, int], Fraction]:
    """Returns the same by trying every stop."""
    found: dict[tuple[int, int], Fraction] = {}
    for (starts, win), chance in every(rules, stage).items():
        key = (sum(times for _, times in starts), win)
        found[key] = found.get(key, Fraction(0)) + chance
    return found


@pytest.mark.parametrize("name", CHANGED)
def test_every_win_of_a_spin_with_what_it_starts_is_that_of_every_stop_tried(name: str) -> None:
    for stage in ("base", "free"):
        assert counted(CHANGED[name], stage) == tried(CHANGED[name], stage)


@pytest.mark.parametrize("rules", [LINED, WAYED], ids=["lines", "ways"])
def test_rows_together_are_the_mean_of_the_spin(rules: SlotRules) -> None:
    law = spin_law(rules, "base")
    mean = sum((one for _, one, _ in law.moments().values()), Fraction(0))
    assert sum((row.coins for row in law.rows), Fraction(0)) == mean


def test_mean_and_variance_of_the_round_are_those_of_rounds_played_at_random() -> None:
    plain = CHANGED["without wilds"]
    figures = round_figures(plain, "main")
    rounds = 200_000
    mean, variance = played_once(plain, rounds)
    exact = float(figures.variance)
    assert abs(mean - float(figures.return_to_player)) < 5 * (exact / rounds) ** 0.5
    assert abs(variance / exact - 1) < 0.05


def test_a_mean_in_the_place_of_a_square_is_found_by_the_rounds_played() -> None:
    plain = CHANGED["without wilds"]
    exact = round_figures(plain, "main").variance * plain.cost**2
    _, game, squares = branching(plain).series(plain.free_games[0], plain.stage("free"), 1)
    # What an analyser gets that takes a series for its mean number of games and forgets how that number varies.
    law = spin_law(plain, "base").moments()
    begun = sum((sum(starts) * chance for starts, (chance, _, _) in law.items()), Fraction(0))
    own = spin_law(plain, "base").distribution
    mean = sum((win * chance for win, chance in own.items()), Fraction(0))
    planted = (
        sum((win**2 * chance for win, chance in own.items()), Fraction(0))
        - mean**2
        + begun * (squares - game**2)
    )
    _, variance = played_once(plain, 200_000)
    assert abs(variance * plain.cost**2 / float(exact) - 1) < 0.05
    assert abs(variance * plain.cost**2 / float(planted) - 1) > 0.05


def test_limits_of_a_series_lower_its_mean_step_by_step() -> None:
    free = LINED.free_games[0]
    returns = [
        round_figures(replace(LINED, free_games=(limited,)), "main").return_to_player
        for limited in (
            replace(free, most_again=0),
            replace(free, most_again=1),
            replace(free, most_games=40),
            free,
        )
    ]
    assert returns == sorted(returns)
    assert len(set(returns)) == 4
    never = replace(free, begins_in=("base",))
    assert round_figures(replace(LINED, free_games=(never,)), "main").return_to_player == returns[0]


def test_odds_of_a_feature_are_those_of_its_symbols() -> None:
    begun = sum(chance for (starts, _), chance in every(LINED).items() if starts)
    assert feature_odds(LINED) == {"free-games": begun}


TINY = """
[slot]
heights = [1, 1, 1]
lines = ["111"]
cost = 1

[[strips]]
id = "base"
reels = ["a b", "a b", "a b"]

[[line_pays]]
symbol = "a"
pays = [0, 5, 5]

[[line_pays]]
symbol = "b"
pays = [0, 0, 1]
"""


def test_a_symbol_that_a_row_names_beside_what_it_counts_for_counts_once_there() -> None:
    # Counted twice here, once by the round and by the second text.
    text = TINY.replace('"a b", "a b", "a b"', '"a d b", "a d", "a d b"').replace(
        "[0, 5, 5]", "[0, 0, 1, 4, 5, 9]"
    )
    text = text.replace('symbol = "a"', 'id = "any"\nsymbols = ["a", "d"]').replace(
        "[0, 0, 1]", "[0, 0, 2]", 1
    )
    rules = rules_of(small(text + '[[doubled]]\nsymbol = "d"\nstands_for = "a"\n'))
    assert counted(rules, "base") == tried(rules, "base")
