"""Every row of a slot is shown by a round that is played; its highest win is counted in two ways."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from math import ceil
from types import SimpleNamespace
from typing import Any

import pytest
from representatives import firsts
from small_slots import LINES, WAYS, small

from certify.certification.submitted import all_witnesses
from certify.clauses.checks.awards import exposure_stated
from certify.clauses.registry import Answer
from certify.families.driver import play
from certify.families.port import Chance
from certify.families.registry import family_of
from certify.families.slot.exact.ends import longest_coins
from certify.families.slot.exact.spin import spin_law
from certify.families.slot.random_elements import games_of, pieces_of
from certify.families.slot.rules import BASE, SlotRules, rules_of
from certify.families.witnesses import rows_won
from certify.mathematics import analyze, exposure
from certify.model.figures import WagerFigures
from certify.model.finding import Verdict
from certify.model.game import Game, Limits
from certify.rounds.money import Rounding, within_a_coin

LINED, WAYED = small(LINES), small(WAYS)

BONUS = f"""{LINES}
[[bonuses]]
id = "boxes"
draws = "pick until"
symbol = "c"
starts = [0, 0, 1]
prizes = ["5 x2", "20", "0 x2 ends"]
"""


def limited(**changes: int) -> Game:
    """Returns the game of lines whose free games are limited otherwise."""
    rules = rules_of(LINED)
    rules = replace(rules, free_games=(replace(rules.free_games[0], **changes),))
    return replace(LINED, rules=rules, equipment=pieces_of(rules))


@pytest.mark.parametrize("game", [LINED, WAYED], ids=["lines", "ways"])
def test_every_row_that_is_ever_won_is_won_by_a_round_that_is_played(game: Game) -> None:
    shown = {one.row: one for one in all_witnesses(game)}
    assert set(shown) == {award.row for award in analyze(game).wager("main").awards}
    family = family_of(game)
    for row, one in shown.items():
        assert row in rows_won(game, play(family.reference(game), one.deck, ()), one.wager)


def test_a_row_that_no_stop_shows_has_no_round() -> None:
    rules = rules_of(LINED)
    never = replace(rules.line_pays[0], id="never", symbols=("nowhere",))
    game = replace(LINED, rules=replace(rules, line_pays=(*rules.line_pays, never)))
    assert family_of(game).reference(game).showing("never-3") is None  # type: ignore[attr-defined]


def highest(rules: SlotRules) -> int:
    """Returns the highest win of a round by trying every order of spins, best spins first or last alike."""
    (feature,) = rules.free_games
    (stage,) = (name for name, _ in feature.stages)
    tops = {starts[0]: max(wins) for starts, wins in spin_law(rules, stage).wins.items()}
    held = games_of(rules, stage)

    @cache
    def best(left: int, granted: int, again: int) -> int:
        if granted > held:
            return -(10**9)
        found = 0 if not left else -(10**9)
        for more, coins in tops.items() if left else ():
            extra = 0 if feature.most_again >= 0 and again >= feature.most_again else more
            extra = min(extra, feature.most_games - granted) if feature.most_games else extra
            found = max(found, coins + best(left - 1 + extra, granted + extra, again + (extra > 0)))
        return found

    def series(games: int) -> int:
        first = min(games, feature.most_games) if feature.most_games else games
        return best(first, first, 0) if first else 0

    return max(max(wins) + series(starts[0]) for starts, wins in spin_law(rules, BASE).wins.items())


@pytest.mark.parametrize("game", firsts([LINED, WAYED, small(BONUS)], 2), ids=["lines", "ways", "bonus"])
def test_no_step_draws_more_than_its_event_says(game: Game) -> None:
    reference = family_of(game).reference(game)
    events = [{piece.id: piece.supply for piece in event} for event in reference.events]  # type: ignore[attr-defined]
    faces = {piece.id: len(piece.faces) for piece in reference.equipment}
    draw, steps = random.Random(7), 0  # noqa: S311 - a test repeats its rounds
    for _ in range(300):
        state, drawn = reference.start(), Counter[str]()
        while isinstance(node := reference.node(state), Chance):
            drawn[node.equipment] += 1
            state = reference.drawn(state, draw.randrange(faces[node.equipment]))
            if not state.faces:
                assert any(
                    all(many <= event.get(one, 0) for one, many in drawn.items()) for event in events
                ), drawn
                drawn, steps = Counter(), steps + 1
    assert steps >= 300


@pytest.mark.parametrize(
    "game",
    [limited(most_games=8), limited(most_games=5), limited(most_again=1), limited(most_again=0)],
    ids=["8 games", "5 games", "once again", "not again"],
)
def test_the_most_that_a_round_wins_is_that_of_every_order_of_spins(game: Game) -> None:
    rules = rules_of(game)
    assert longest_coins(rules) == highest(rules)
    assert exposure(game).amount == ceil((Fraction(highest(rules), rules.cost) - 1) * 10_000)


WAYS_FREE = f"""{WAYS}
[[stages]]
id = "free"
strips = "base"
multiplier = 2

[[free_games]]
id = "free-games"
stage = "free"
symbol = "star"
games = [0, 2, 4]
most_games = 9
"""


def judged(game: Game, amount: int = 0) -> Answer:
    """Returns what is found about the exposure of a game, or about another amount."""
    stated = exposure(game)
    results: Any = SimpleNamespace(
        game=game,
        exposure=replace(stated, amount=amount or stated.amount),
        analyses={"main-optimal": analyze(game)},
        witnesses=tuple(all_witnesses(game)),
    )
    (answer,) = exposure_stated(results)
    return answer


@pytest.mark.parametrize(
    "text", [WAYS, WAYS_FREE, BONUS.replace("games = [0, 2, 4]", "games = [0, 2, 4]\nmost_games = 6")]
)
def test_two_countings_agree_on_the_highest_win(text: str) -> None:
    game = small(text)
    found = judged(game)
    assert (found.verdict, found.reason) == (Verdict.SATISFIED, "")
    assert " counted: about 1 round in " in found.observed
    # Planted: more than the count of the highest result says, and less than a round that wins a row costs.
    assert judged(game, exposure(game).amount + 1).verdict is Verdict.INCONCLUSIVE
    assert judged(game, 1).verdict is Verdict.NOT_SATISFIED


@pytest.mark.parametrize("text", [LINES, WAYS_FREE.replace("most_games = 9\n", "")])
def test_no_win_of_a_series_without_end_is_called_the_highest(text: str) -> None:
    """The longest round that is played was, and satisfied the check."""
    found = judged(small(text))
    assert (found.verdict, bool(found.reason)) == (Verdict.NOT_APPLICABLE, True)
    assert judged(small(text), 1).verdict is Verdict.NOT_SATISFIED


@pytest.mark.parametrize("rule", list(Rounding))
def test_no_rounding_takes_a_return_out_of_its_bounds(rule: Rounding) -> None:
    rules = rules_of(LINED)
    game = replace(LINED, rules=replace(rules, free_games=()))
    figures: WagerFigures = analyze(game).wager("main")
    distribution = figures.distribution
    assert distribution is not None
    assert distribution.complete
    ends: dict[Rounding, Callable[[Fraction], int]] = {
        Rounding.DOWN: lambda amount: amount.numerator // amount.denominator,
        Rounding.UP: lambda amount: -(-amount.numerator // amount.denominator),
        Rounding.HALF_EVEN: round,
    }
    for stake in (1, 3, 10, 77):
        low, high = within_a_coin(figures, Limits(stake, 100, "EUR"), rule)
        paid = sum(
            (ends[rule]((1 + net) * stake) * chance for net, chance in distribution.listed), Fraction(0)
        )
        assert low <= paid / stake <= high
