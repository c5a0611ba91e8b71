"""Changes of the games with an open dealer's card against figures that need no gate."""

from dataclasses import replace
from fractions import Fraction

from gate_open_card import CASINO, FIXTURES, source
from gate_support import compared, edited

from certify.gate.figure_changes import WagerChange, edge, on_total, top_award
from certify.gate.impact_on_returns import above_stake, returns_moved
from certify.gate.policy import GatePolicy
from certify.mathematics import analyze
from certify.model import Outcome, WagerFigures
from certify.submission import read_game

KING = ('pays = "3 to 1"', 'pays = "2 to 1"')


def test_the_king_paid_two_to_one_costs_one_ante_in_forty_rounds():
    # The player's first card is the King of diamonds once in 40 deals, and no play depends on its pay.
    figures = compared(source(CASINO), edited(KING, text=source(CASINO))).figure_changes
    (delta,) = figures.wagers
    assert delta.delta == Fraction(-1, 40)
    # 1763/780 antes are staked in the mean round (final bets included), before and after.
    assert delta.moved("return_on_total_wagered").difference == Fraction(-1, 40) / Fraction(1763, 780)
    assert delta.before.return_to_player == Fraction(201034, 137085)
    assert on_total(delta.before) == Fraction(1495185, 1239389)


def test_a_fair_wager_is_nobody_s_and_not_above_what_is_staked():
    half = Fraction(1, 2)
    fair = WagerFigures("ante", (Outcome("win", Fraction(1), half), Outcome("lose", Fraction(-1), half)))
    more = WagerFigures("ante", (Outcome("win", Fraction(2), half), Outcome("lose", Fraction(-1), half)))
    less = WagerFigures("ante", (Outcome("win", half, half), Outcome("lose", Fraction(-1), half)))
    assert [edge(each) for each in (less, fair, more)] == ["the bank", "nobody", "the player"]
    for before, after, above, side in (
        (less, fair, [], ["nobody"]),
        (fair, less, [], ["the bank"]),
        (fair, more, ["return-above-100"], ["the player"]),
        (more, more, ["above-100-before"], []),
        (None, more, ["return-above-100"], []),
    ):
        delta = WagerChange("ante", "main-optimal", before, after, {})
        assert [found.kind for found in above_stake(delta, after, ())] == above
        moved = returns_moved(delta, (), GatePolicy()) if before else ()
        assert [found.after for found in moved if found.kind == "edge-changed-side"] == side


def test_the_top_award_is_the_best_pay_for_what_is_staked():
    # A win with two antes of final bet nets three antes, but on three staked: 1 to 1, as its row says.
    figures = analyze(read_game(FIXTURES / CASINO / "game.toml")).wager("ante")
    award = top_award(figures)
    assert (award.id, award.pays, award.probability) == ("king-of-diamonds", 3, Fraction(1, 40))
    others = tuple(outcome for outcome in figures.outcomes if outcome.id != "king-of-diamonds")
    rest = replace(figures.outcomes[-1], probability=figures.outcomes[-1].probability + Fraction(1, 40))
    won = top_award(replace(figures, outcomes=(*others[:-1], rest)))
    wins = sum(outcome.probability for outcome in others if outcome.id.startswith("win"))
    assert (won.id, won.pays, won.probability) == ("win", 1, wins)
