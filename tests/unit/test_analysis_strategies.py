"""Strategies by name and by file, what they look at, and what a deviation from the best costs."""

from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest
from cli_support import refuses
from hypothesis import given, strategies as st

from certify.analysis.mean_bands import HOUSE, PLAYER, lundberg_base, ruin_in_the_long_run, steps_of
from certify.analysis.par_sheet import par_sheet_evidence, ruin, top_award_evidence
from certify.errors import InputError
from certify.evidence import plain
from certify.families.sette_e_mezzo.exact.figures import named_strategy, read_card
from certify.families.sette_e_mezzo.rules import PairCondition
from certify.mathematics import analyze, explain, explanation_text, joint_figures, strategy_classes
from certify.model import Outcome, WagerFigures
from certify.submission import read_game

GAMES = Path(__file__).parents[2] / "fixtures/games"
CASINO = read_game(GAMES / "us5632489-casino/game.toml")
HOME = read_game(GAMES / "us5632489-home/game.toml")
SEVEN = read_game(GAMES / "playtech-7-e-mezzo/game.toml")


def wager(*ends):
    return WagerFigures(
        "toy",
        tuple(Outcome(f"o{i}", Fraction(pays), Fraction(chance)) for i, (pays, chance) in enumerate(ends)),
    )


GENEROUS = wager((1, "3/5"), (-1, "2/5"))
RAISED = wager((3, "2/5"), (0, "1/10"), (-1, "1/10"), (-2, "2/5"))


def test_against_the_gamblers_ruin_of_the_textbook():
    """W. Feller, An Introduction to Probability Theory and Its Applications, vol. 1, XIV.2: (q/p)^b."""
    found = ruin_in_the_long_run(GENEROUS, 5)
    assert found.at_least <= (2 / 3) ** 5 <= found.at_most
    assert found.at_most - found.at_least < 1e-9
    assert ruin_in_the_long_run(GENEROUS, 1_000, HOUSE).at_least == 1.0


@pytest.mark.parametrize("figures", [GENEROUS, RAISED, wager(("1/2", "2/3"), (-1, "1/3"))])
def test_many_rounds_come_as_near_as_the_bounds_allow(figures):
    if figures.expectation <= 0:
        assert ruin_in_the_long_run(figures, 10).at_least == 1.0
        return
    for bankroll in (3, 8):
        found = ruin_in_the_long_run(figures, bankroll)
        long = ruin(figures, bankroll, 3_000)
        assert found.at_least - 1e-9 <= long <= found.at_most + 1e-9


@given(
    st.lists(
        st.tuples(st.integers(-3, 4), st.integers(1, 9)), min_size=2, max_size=5, unique_by=lambda e: e[0]
    )
)
def test_the_base_is_bracketed_exactly(ends):
    whole = sum(weight for _, weight in ends)
    figures = wager(*((net, Fraction(weight, whole)) for net, weight in ends))
    steps = steps_of(figures, PLAYER)
    if steps.mean <= 0 or min(net for net, _ in ends) >= 0:
        return
    low, high = lundberg_base(steps)
    assert 0 < high - low <= Fraction(1, 2**40)
    assert sum(chance * high**step for step, chance in steps.results) <= 1
    assert low == 0 or sum(chance * low**step for step, chance in steps.results) > 1


def ruin_by_looping(figures, bankroll, rounds, sign):
    asked = max(1, *(-sign * end.pays for end in figures.outcomes))
    ruined = Fraction(0)
    for played in product(figures.outcomes, repeat=rounds):
        held, probability, broke = Fraction(bankroll), Fraction(1), bankroll < asked
        for end in played:
            probability *= end.probability
            if not broke:
                held += sign * end.pays
                broke = held < asked
        ruined += probability if broke else 0
    return float(ruined)


@pytest.mark.parametrize("holder", [PLAYER, HOUSE])
@pytest.mark.parametrize(("bankroll", "rounds"), [(2, 3), (3, 5), (4, 6), (9, 5)])
def test_ruin_of_either_side_equals_every_sequence_of_rounds(holder, bankroll, rounds):
    sign = 1 if holder == PLAYER else -1
    expected = ruin_by_looping(RAISED, bankroll, rounds, sign)
    assert ruin(RAISED, bankroll, rounds, holder) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("game", [CASINO, HOME], ids=["casino", "home"])
def test_where_the_player_has_the_edge_it_is_the_house_that_is_ruined(game):
    sheet = plain(par_sheet_evidence(analyze(game).wager("ante"), "main-optimal"))
    assert sheet["long_run"]["sentence"].startswith("The player has the edge: it is the bank that is ruined")
    assert {entry["at_least"] for entry in sheet["long_run"]["house"]} == {1.0}
    for entry in sheet["long_run"]["player"]:
        assert 0 < entry["at_least"] <= entry["at_most"] < 0.05
        within = [one["probability"] for one in sheet["ruin"] if one["bankroll"] == entry["bankroll"]]
        assert within == sorted(within)
        assert within[-1] <= entry["at_most"]
    chances = [entry["probability"] for entry in sheet["house_ruin"] if entry["rounds"] == 1000]
    assert chances == sorted(chances, reverse=True)
    assert chances[0] > 0.7


def test_where_the_house_has_the_edge_it_is_the_player():
    sheet = plain(par_sheet_evidence(analyze(SEVEN).wager("main"), "main-optimal"))
    assert sheet["long_run"]["sentence"].startswith("The bank has the edge")
    assert {entry["at_least"] for entry in sheet["long_run"]["player"]} == {1.0}
    assert sheet["long_run"]["house"][-1]["at_most"] < 1e-30


def test_a_fair_game_ruins_whoever_can_be():
    fair = wager((1, "1/2"), (-1, "1/2"))
    assert plain(par_sheet_evidence(fair, "fair"))["long_run"]["sentence"].startswith("Nobody has an edge")
    assert all(ruin_in_the_long_run(fair, 50, holder).at_least == 1.0 for holder in (PLAYER, HOUSE))
    gift = wager((1, "1/2"), (0, "1/2"))
    assert ruin_in_the_long_run(gift, 1).at_most == 0.0


def test_who_holds_what_must_be_said():
    refuses(
        InputError,
        ("expected player or house", lambda: ruin(GENEROUS, 10, 10, "bank")),
        ("at least one unit", lambda: ruin_in_the_long_run(GENEROUS, 0)),
        ("at least one unit", lambda: ruin(GENEROUS, 0, 10)),
    )


def test_the_top_award_is_what_pays_most_for_what_is_staked():
    assert plain(top_award_evidence(analyze(CASINO).wager("ante"))) == {
        "outcome": "king-of-diamonds",
        "outcomes": ["king-of-diamonds"],
        "pays": "3 to 1",
        "probability": "1/40",
        "one_in": "40",
    }
    royal = plain(top_award_evidence(analyze(SEVEN, "always-second-card").wager("mano-di-poker")))
    assert (royal["outcome"], royal["one_in"]) == ("royal-flush", "2470")


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
    table = read_card(GAME, CARD + '[hands]\n"face+4" = "hit"\n', "card")
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
        read_card(GAME, CARD.replace(*change), "card")


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
