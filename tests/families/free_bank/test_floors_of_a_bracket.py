"""Where the bank plays as it likes, floors and ceilings are held against what is proven, not a foolish bank."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any, cast

import pytest
from free_bank_tables import game_of

from certify.clauses.jurisdiction import regime_of
from certify.clauses.registry import Results, checks
from certify.families.free_bank.exact.port import with_rules
from certify.gate.impact_on_returns import above_stake, floors
from certify.mathematics import analyze
from certify.model.clause import Certainty, Limit
from certify.model.figures import Bracket, Outcome, WagerFigures, optimal_play

GAME = game_of("sept-et-demi")
PAIR, FOOLISH = "equilibrium against equilibrium", "stand-on:5 against stand-on:5"
FLOOR = Fraction(3, 4)


def returning(value: Fraction, proven: Bracket | None = None) -> WagerFigures:
    win = (value) / 2
    return WagerFigures(
        "bet", (Outcome("win", Fraction(1), win), Outcome("lose", Fraction(-1), 1 - win)), None, proven
    )


def results(low: str, high: str, foolish: str = "0.78055706", **regime: Any) -> Results:
    proven = Bracket(Fraction(low), Fraction(high))
    figures = {PAIR: returning(proven.lower, proven), FOOLISH: returning(Fraction(foolish))}
    analyses = {name: SimpleNamespace(wager=lambda _, one=one: one) for name, one in figures.items()}
    asked = replace(regime_of(), **regime) if regime else regime_of()
    return cast(Results, SimpleNamespace(game=GAME, regime=asked, analyses=analyses))


def observed(check: str, of: Results) -> tuple[str, str]:
    (one,) = checks()[check].observe(of)
    return str(one.verdict), one.observed


@pytest.mark.parametrize(
    ("check", "expected"),
    # What no rounding causes is told once, by the floor itself.
    [("returns.floor", "not satisfied"), ("returns.at-every-stake", "not applicable")],
)
def test_planted_a_good_player_against_a_foolish_bank_satisfies_no_floor(check: str, expected: str) -> None:
    verdict, words = observed(check, results("0.735182", "0.735183"))
    assert verdict == expected
    assert "between 73.518200 % and 73.518300 %" in words
    assert "78.05" not in words


@pytest.mark.parametrize(
    ("check", "low", "high", "verdict"),
    [
        # A floor is held against the lower end, a ceiling against the upper one.
        ("floor", "0.75", "0.76", "satisfied"),
        ("floor", "0.74", "0.76", "inconclusive"),
        ("floor", "0.73", "0.74", "not satisfied"),
        ("local-floor", "0.83", "0.9", "satisfied"),
        ("local-floor", "0.8", "0.9", "inconclusive"),
        ("local-floor", "0.7", "0.8", "not satisfied"),
        ("not-above-total", "0.9", "1", "satisfied"),
        ("not-above-total", "0.99", "1.01", "inconclusive"),
        ("not-above-total", "1.01", "1.02", "not satisfied"),
    ],
)
def test_a_bracket_is_judged_by_the_end_that_the_limit_asks_for(
    check: str, low: str, high: str, verdict: str
) -> None:
    of = results(low, high)
    if check == "local-floor":
        limit = Limit(Fraction("0.83"), "a text", Certainty.VERBATIM)
        of = cast(Any, SimpleNamespace(game=GAME, analyses=of.analyses, regime=SimpleNamespace(
            least_returns=lambda _: (limit,))))  # fmt: skip
    assert observed(f"returns.{check}", of)[0] == verdict


def test_where_a_second_party_decides_and_nothing_is_proven_nothing_is_satisfied() -> None:
    analyses = {FOOLISH: SimpleNamespace(wager=lambda _: returning(Fraction("0.9")))}
    of = cast(Results, SimpleNamespace(game=GAME, regime=regime_of(), analyses=analyses))
    for check in ("returns.floor", "returns.not-above-total"):
        assert observed(check, of)[0] == "inconclusive"
    assert observed("returns.at-every-stake", of)[0] == "not applicable"


def test_the_gate_holds_the_same_ends_against_its_floors() -> None:
    delta = cast(Any, SimpleNamespace(wager="bet", before=None, strategy=PAIR, adds_to_stake=False))
    policy = cast(Any, SimpleNamespace(floors={"GLI-19": FLOOR}))
    figures = {PAIR: returning(Fraction("0.74"), Bracket(Fraction("0.74"), Fraction("1.2")))}
    figures[FOOLISH] = returning(Fraction("0.9"))
    after = figures[optimal_play(figures)]
    assert [one.kind for one in floors(delta, after, ("rules",), policy)] == ["floor-crossed"]
    assert [one.kind for one in above_stake(delta, after, ("rules",))] == ["return-above-100"]
    assert not [*floors(delta, figures[FOOLISH], ("rules",), policy)]


@pytest.mark.slow
def test_sept_et_demi_with_a_collecting_seven_and_a_half_is_below_the_floor() -> None:
    game = with_rules(GAME, bank_collects=2)
    analyses = {name: analyze(game, name) for name in (PAIR, FOOLISH)}
    assert analyses[FOOLISH].wager("bet").return_to_player > FLOOR
    of = cast(Results, SimpleNamespace(game=game, regime=regime_of(), analyses=analyses))
    verdict, words = observed("returns.floor", of)
    assert verdict == "not satisfied"
    assert "73.518" in words
