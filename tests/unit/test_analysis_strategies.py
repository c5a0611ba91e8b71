"""Strategies by name and by file, what they look at, and what a deviation from the best costs."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from certify.errors import InputError
from certify.evidence.plain import plain
from certify.families.sette_e_mezzo.exact.analyze import (
    named_strategy,
    parse_strategy,
    solution_of,
    tree_of,
)
from certify.families.sette_e_mezzo.exact.optimal import value_of
from certify.families.sette_e_mezzo.rules import PairCondition
from certify.mathematics import (
    analyze,
    explain,
    explanation_text,
    joint_figures,
    strategy_classes,
)
from certify.mathematics.figures_evidence import analysis_evidence
from certify.submission import read_game

GAME = read_game(Path(__file__).parents[2] / "fixtures/games/playtech-7-e-mezzo/game.toml")
NAMES = ("main-optimal", "always-second-card", "mimic-dealer", "time-out", "stand-on:4.5", "stand-on:7½")

CARD = """
schema = "certify-strategy/1"
name = "house card"
[totals]
hit = ["1", "1½", "2", "2½", "3", "3½", "4"]
stand = ["4½", "5", "5½", "6", "6½", "7"]
"""


def returns(analysis):
    return {figures.wager: figures.return_to_player for figures in analysis.wagers}


@pytest.mark.parametrize("name", NAMES)
def test_no_strategy_beats_the_optimal_one_on_main(name):
    best = returns(analyze(GAME))["main"]
    assert returns(analyze(GAME, name))["main"] <= best


@pytest.mark.parametrize("name", NAMES)
def test_no_strategy_beats_the_jointly_optimal_one_on_the_whole_stake(name):
    stakes = {"main": Fraction(1), "partita-perfetta": Fraction(1, 3), "mano-di-poker": Fraction(2)}
    best = joint_figures(GAME, "jointly-optimal", stakes)
    assert joint_figures(GAME, name, stakes).total_return <= best.total_return


def test_the_return_of_the_whole_stake_weighs_each_wager_by_its_stake():
    stakes = {"main": Fraction(2), "partita-perfetta": Fraction(1, 2), "mano-di-poker": Fraction(3)}
    figures = joint_figures(GAME, "jointly-optimal", stakes)
    paid = sum(stakes[wager] * value for wager, value in figures.returns.items())
    assert figures.total_return == paid / Fraction(11, 2)
    assert figures.expectation == paid - Fraction(11, 2)


def test_a_side_bet_that_is_not_staked_changes_nothing_of_main():
    analysis = analyze(GAME, "jointly-optimal", {"main": Fraction(7)})
    assert returns(analysis) == returns(analyze(GAME))


def test_jointly_optimal_play_may_look_at_the_first_card():
    bound = replace(GAME, rules=replace(GAME.rules, pair_condition=PairCondition.DEALER_MUST_UNCOVER))
    analysis = analyze(bound, "jointly-optimal")
    assert analysis.strategy.looks_at_first_card
    assert analysis.strategy.strategy_class == "composition-dependent with first card"
    assert not analyze(GAME, "jointly-optimal").strategy.looks_at_first_card
    by_hand = {}
    for decision in analysis.decisions:
        by_hand.setdefault(decision.composition, set()).add(decision.chosen)
    assert any(len(chosen) > 1 for chosen in by_hand.values())


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("best", "no strategy 'best'"),
        ("stand-on:x", "not a number of points"),
        ("stand-on:8", "no hand stands above 7½"),
        ("file:/none.toml", "cannot be read"),
    ],
)
def test_unknown_strategies_are_refused(name, message):
    with pytest.raises(InputError, match=message):
        analyze(GAME, name)


@pytest.mark.parametrize(
    ("stakes", "message"),
    [
        ({"mano-di-poker": Fraction(1)}, "nothing is staked on main"),
        ({"main": Fraction(1), "mano-di-poker": Fraction(-1)}, "negative"),
        ({"main": Fraction(1), "ante": Fraction(1)}, "no wager ante"),
    ],
)
def test_stakes_that_do_not_fit_are_refused(stakes, message):
    with pytest.raises(InputError, match=message):
        analyze(GAME, "jointly-optimal", stakes)


def test_a_printed_card_plays_as_its_totals(tmp_path):
    path = tmp_path / "card.toml"
    path.write_text(CARD, encoding="utf-8")
    table = named_strategy(GAME, f"file:{path}")
    assert (table.name, table.strategy_class) == ("house card", "printed card")
    assert table.draws == analyze(GAME).strategy.draws


def test_a_hand_of_a_printed_card_overrides_its_total():
    table = parse_strategy(CARD + '[hands]\n"face+4" = "hit"\n', "card", tree_of(GAME))
    assert (0, 0, 0, 1, 0, 0, 0, 1, 0) in table.draws


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("certify-strategy/1", "other"), "schema is"),
        (('"4½", ', ""), "nothing is decided on the total 4½"),
        (('"4½", ', '"4½", "4", '), "the total 4 is decided twice"),
        (('["1", ', '["1/2", "1", '), "no hand with a decision totals ½"),
        (("[totals]", "colour = 1\n[totals]"), "unknown keys colour"),
        (('name = "house card"', ""), "no name"),
        (("[totals]", '[hands]\n"face" = "hit"\n[totals]'), "leaves the player no decision"),
        (("[totals]", '[hands]\n"8" = "hit"\n[totals]'), "no card '8'"),
        (("[totals]", '[hands]\n"A+3" = "fold"\n[totals]'), "expected stand, hit"),
        (("[totals]", "[totals"), "not TOML"),
    ],
)
def test_incomplete_or_ambiguous_cards_are_refused(change, message):
    with pytest.raises(InputError, match=message):
        parse_strategy(CARD.replace(*change), "card", tree_of(GAME))


def test_every_decision_has_its_values_and_the_best_is_the_higher():
    analysis = analyze(GAME, "always-second-card")
    for decision in analysis.decisions:
        if decision.best == "draw":
            assert set(decision.values) == {"draw"}
            continue
        other = "stand" if decision.best == "hit" else "hit"
        assert decision.values[decision.best] >= decision.values[other]
        assert decision.cost_of_deviation == decision.values[decision.best] - decision.values[other]
    deviations = {decision.hand for decision in analysis.decisions if decision.best != decision.chosen}
    assert deviations == {"5", "6", "7"}


def test_cost_of_deviations_adds_up_to_the_loss_of_return():
    # Each deviation is valued as if play were best afterwards, as it is here: at most one hand deviates a round.
    best, played = analyze(GAME), analyze(GAME, "always-second-card")
    lost = sum(d.probability * d.cost_of_deviation for d in played.decisions if d.best != d.chosen)
    assert returns(best)["main"] - returns(played)["main"] == lost


def test_json_has_the_promised_shape():
    document = plain(analysis_evidence(analyze(GAME), GAME))
    assert document["game"] == GAME.id
    assert document["strategy"] == "main-optimal"
    main = document["wagers"]["main"]
    assert {"return", "return_percent", "house_edge", "outcomes", "net", "hit_frequency", "variance"} <= set(
        main
    )
    king = next(end for end in main["outcomes"] if end["outcome"] == "king-of-denari-seven-and-a-half")
    assert (king["pays"], king["probability"]) == ("2 to 1", "1/60")
    assert sum(Fraction(entry["probability"]) for entry in main["net"]) == 1
    assert document["decisions"][0].keys() >= {"hand", "dealer", "best", "values"}


@given(st.sampled_from(["A", "4", "face+3", "A+matta", "face", "matta", "2+2"]))
def test_explanations_add_up(hand):
    found = explain(GAME, hand)
    assert sum(branch.chance for branch in found.branches) == 1
    assert sum(branch.chance * branch.value for branch in found.branches) == found.hit
    assert found.best == "draw" or found.stand is not None
    assert explanation_text(found).splitlines()[-1] == f"best: {found.best}"


def test_hands_without_a_draw_cannot_be_explained():
    with pytest.raises(InputError, match="nothing to explain"):
        explain(GAME, "7+face")


def test_the_best_total_to_stand_on_costs_nothing_and_simpler_play_does():
    best, threshold, mimic, time_out = strategy_classes(GAME)
    assert (threshold.strategy, threshold.strategy_class) == ("stand-on:4½", "total-dependent")
    assert (best.cost, threshold.cost) == (0, 0)
    assert 0 < mimic.cost < time_out.cost


@pytest.mark.parametrize("name", ["stand-on:2", "stand-on:4½", "stand-on:7½", "mimic-dealer", "main-optimal"])
def test_the_value_of_drawing_on_some_hands_is_the_return_of_the_whole_distribution(name):
    drawn = named_strategy(GAME, name).draws
    net = value_of(solution_of(GAME), tree_of(GAME).hands, drawn)
    assert net + 1 == analyze(GAME, name).wagers[0].return_to_player
