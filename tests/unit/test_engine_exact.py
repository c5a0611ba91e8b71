"""What a family gets that brings no exact figures of its own: every promise of the port, on two small games."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from engine_rounds import KENO, TABLE, PaidKeno, PaidTable, PushingTable, TwoRows, game_of, row_of, rows_of

from certify.analysis.engine.beliefs import seen_texts
from certify.analysis.engine.exact import EngineExact
from certify.analysis.engine.exposure import replay
from certify.analysis.engine.identify import EngineIdentify
from certify.analysis.engine.strategies import parse_strategy
from certify.analysis.explanation import explanation_json, explanation_text
from certify.analysis.pay_search import PayBounds
from certify.analysis.strategy_file import written
from certify.analysis.whole_pays import Order
from certify.errors import InputError, NothingCheckedError
from certify.exact import parse_percent
from certify.families import play
from certify.mathematics import identify_together
from certify.mathematics.figures_evidence import analysis_evidence
from certify.model import completed, raised_pays, split_row
from certify.submission import read_game

ONE = Fraction(1)
keno = EngineExact(PaidKeno)
table = EngineExact(PaidTable, rows_of)


def test_a_game_without_decisions_has_one_strategy_and_its_rows_in_printed_order():
    analysis = keno.analyze(KENO, "optimal")
    assert keno.plan(KENO).names == ("main-optimal",)
    assert analysis.strategy.strategy_class == "no decisions"
    assert not analysis.decisions
    figures = analysis.wager("keno")
    assert [outcome.id for outcome in figures.outcomes] == [
        "catch-3",
        "catch-2",
        "catch-7",
        "catch-0",
        "catch-1",
    ]
    assert figures.outcomes[2].probability == 0
    # C(3, 3) C(6, 2) and C(3, 2) C(6, 3) of C(9, 5); 10 · 15 + 2 · 60 comes back of 126.
    assert [outcome.probability for outcome in figures.outcomes[:2]] == [Fraction(15, 126), Fraction(60, 126)]
    assert analysis_evidence(analysis, KENO).wagers["keno"].return_ == Fraction(15, 7)


def test_every_row_that_can_occur_is_shown_by_a_round_and_the_other_is_proven_unreachable():
    for exact, game in ((keno, KENO), (table, TABLE)):
        reference = exact.reference(game)
        for (wager, row), reached in exact.witnesses(game).items():
            played = play(reference, reached.row(reference.equipment), reached.decisions)
            assert row_of(played.outcome(wager)) == row
            assert replay(reference, reached) == played.results
    assert ("keno", "catch-7") not in keno.witnesses(KENO)


def test_named_strategies_are_best_worst_joint_and_constant():
    assert table.plan(TABLE).names == (
        "main-optimal",
        "jointly-optimal",
        "worst",
        "always:double",
        "always:hit",
        "always:stand",
        "file:PATH.toml",
    )
    value = {
        name: table.analyze(TABLE, name).wager("main").expectation for name in table.plan(TABLE).names[:-1]
    }
    assert value["worst"] < value["always:stand"] <= value["main-optimal"]
    assert value["main-optimal"] == max(value.values())
    assert table.analyze(TABLE, "optimal") == table.analyze(TABLE, "main-optimal")


def test_joint_play_is_best_for_the_stakes_given():
    def total(name, stakes):
        analysis = table.analyze(TABLE, name, stakes)
        return sum((stakes[one.wager] * one.expectation for one in analysis.wagers), Fraction(0))

    for bonus in (0, 1, 7):
        stakes = {"main": ONE, "bonus": Fraction(bonus)}
        assert total("jointly-optimal", stakes) >= total("main-optimal", stakes)
    assert total("jointly-optimal", {"main": ONE, "bonus": Fraction(7)}) > total(
        "main-optimal", {"main": ONE, "bonus": Fraction(7)}
    )


def test_what_was_added_to_the_stake_is_in_the_total_wagered():
    doubled = table.analyze(TABLE, "always:double").wager("main")
    assert doubled.total_wagered == sum(one.staked * one.probability for one in doubled.outcomes)
    assert doubled.total_wagered is not None
    assert doubled.total_wagered > 1
    assert table.analyze(TABLE, "always:stand").wager("main").total_wagered == 1


def test_the_joint_distribution_has_the_marginals_of_the_figures():
    found = table.joint(TABLE, "main-optimal")
    assert found.wagers == ("main", "bonus")
    assert sum(found.probabilities.values()) == 1
    for place, figures in enumerate(table.analyze(TABLE, "main-optimal").wagers):
        for outcome in figures.outcomes:
            marginal = sum(p for ends, p in found.probabilities.items() if ends[place] == outcome.id)
            assert marginal == outcome.probability


def test_exposure_is_the_dearest_round_and_its_row_plays_it():
    found = table.exposure(TABLE)
    # A doubled win pays 2, a pair 3, both at the maximum of 10000; one round does both.
    assert (found.amount, found.wins) == (50_000, (("main", 20_000), ("bonus", 30_000)))
    reference = PaidTable(TABLE)
    # Only the cards of the round are named; what is not dealt may follow in any order.
    row = completed(reference.equipment, found.deck)
    assert len(found.deck) < len(row)
    assert split_row(reference.equipment, row)
    played = play(reference, row, found.decisions)
    # What was added to a wager counts in its stake: net results are in units of the initial one.
    assert found.stakes == (("main", 2 * 10_000), ("bonus", 10_000))
    assert (
        sum(played.net[wager] * stake / played.staked[wager] for wager, stake in found.stakes) == found.amount
    )


def test_each_option_of_a_decision_is_explained_to_its_value():
    decision = next(one for one in table.analyze(TABLE, "optimal").decisions if len(one.values) == 3)
    found = table.explain(TABLE, decision.hand)
    assert dict(found.values) == dict(decision.values)
    for option, value in decision.values.items():
        branches = [branch for branch in found.branches if branch.option == option]
        assert sum(branch.chance for branch in branches) == 1
        assert sum(branch.chance * branch.value for branch in branches) == value
    assert f"best: {decision.best}" in explanation_text(found)
    assert explanation_json(found)["total"] is None
    with pytest.raises(InputError, match="nothing is decided on that"):
        table.explain(TABLE, "the moon")


def test_raised_pays_are_counted_again():
    base = table.analyze(TABLE, "main-optimal")
    for wager in ("main", "bonus"):
        for variant in raised_pays(TABLE, wager):
            figures = table.analyze_table(variant.game, base.strategy).wager(wager)
            won = [one for one in base.wager(wager).outcomes if row_of(one.id) == variant.subject]
            more = sum((one.staked * one.probability for one in won), Fraction(0))
            assert figures.return_to_player == base.wager(wager).return_to_player + more
            assert (
                table.analyze(variant.game, "optimal").wager(wager).return_to_player
                >= figures.return_to_player
            )


def test_an_outcome_that_two_rows_pay_is_refused_once_they_pay_differently():
    same = game_of({"keno": {"catch-3": 2, "catch-2": 2}})
    faulty = EngineExact(TwoRows)
    assert faulty.analyze(same, "optimal").wager("keno").return_to_player == Fraction(75, 126) * 3
    (raised, _) = raised_pays(same, "keno")
    with pytest.raises(InputError, match="expected an id of its own for each"):
        faulty.analyze(raised.game, "optimal")


def test_decisions_name_what_is_chosen_reached_and_lost():
    standing = table.analyze(TABLE, "always:stand")
    assert {one.chosen for one in standing.decisions} == {"stand"}
    assert any(not one.reachable for one in standing.decisions)
    lost = sum(
        one.probability * (max(one.values.values()) - one.values["stand"]) for one in standing.decisions
    )
    best = table.analyze(TABLE, "optimal").wager("main").expectation
    assert best - standing.wager("main").expectation == lost


def test_a_strategy_file_states_every_decision_and_comes_back_as_it_was(tmp_path):
    counted = table.counted(TABLE)
    best = counted.solution().table("main-optimal")
    offered = counted.offered()
    entries = [(text, best.choose(seen, offered[seen])) for seen, text in seen_texts(offered).items()]
    text = written({"name": "my card"}, [("choices", entries)])
    assert parse_strategy(text, "card.toml", counted.offered()).choices == best.choices
    path = tmp_path / "card.toml"
    path.write_text(text, encoding="utf-8")
    analysis = table.analyze(TABLE, f"file:{path}")
    assert analysis.strategy.name == "my card"
    assert analysis.wagers == table.analyze(TABLE, "optimal").wagers


def test_a_strategy_file_is_refused_with_all_its_mistakes():
    offered = {(1, (1,)): ("stand", "hit"), (2, (2,)): ("stand", "hit", "double"), (3, ()): ("stand", "hit")}
    text = (
        'schema = "certify-strategy/2"\nname = "worst"\ncolour = 1\n[choices]\n"1, 1" = "fold"\n"9" = "hit"\n'
    )
    with pytest.raises(InputError) as refused:
        parse_strategy(text, "card.toml", offered)
    message = str(refused.value)
    for part in (
        "unknown keys colour",
        'expected "certify-strategy/1"',
        "is that of a built-in strategy",
        "'9': nothing is decided on it",
        "'1, 1' is 'fold': expected one of stand, hit",
        "nothing is decided on '2, 2'",
        "nothing is decided on '3, none'",
    ):
        assert part in message
    otherwise = 'schema = "certify-strategy/1"\nname = "x"\notherwise = "stand"\n'
    assert parse_strategy(otherwise, "card.toml", offered).choose((3, ()), ("stand", "hit")) == "stand"


def test_what_reads_the_same_is_written_out():
    assert list(seen_texts([(1, "2"), ("1", 2), 5]).values()) == ["(1, '2')", "('1', 2)", "5"]


def test_unknown_strategies_and_stakes_are_refused():
    for name in ("mimic-dealer", "always:fold", "file:/nowhere.toml"):
        with pytest.raises(InputError):
            table.analyze(TABLE, name)
    for stakes in ({"ante": ONE}, {"main": -ONE}, {"bonus": ONE}):
        with pytest.raises(InputError):
            table.analyze(TABLE, "jointly-optimal", stakes)


def test_lost_pays_are_found_by_the_printed_return():
    lost = game_of({"keno": {"catch-3": 1, "catch-2": 1}}, lost=("catch-3", "catch-2"), printed="166.67 %")
    found = EngineIdentify(keno).identify(lost, "keno", PayBounds(1, 20, order=Order.NON_INCREASING))
    fits = {tuple(int(pay) for pay in fit.pays.values()) for fit in found.fits}
    # 15 (a + 1) + 60 (b + 1) = 210: b = 1 gives a = 5, b = 2 gives a = 1, which is out of order.
    # For 1, b = 0 is printed as 1: a = 9 is 10 for 1.
    assert fits == {(5, 1), (9, 0)}
    assert found.conclusion.startswith("Ambiguous: 2 ")


def test_printed_rows_keep_their_pays_in_the_search():
    lost = game_of({"keno": {"catch-3": 1, "catch-2": Fraction(3, 2)}}, lost=("catch-3",), printed="166.67 %")
    found = EngineIdentify(keno).identify(lost, "keno", PayBounds(0, 20))
    # 15 (a + 1) + 60 (5/2) = 210, so a = 3.
    assert [fit.pays for fit in found.fits] == [{"catch-3": Fraction(3)}]


def test_a_pay_of_a_row_that_doubling_doubles_counts_as_often():
    exact = table.analyze(TABLE, "optimal").wager("main")
    printed = game_of({"bonus": {"pair": 3}, "main": {"win": 1}}, lost=("win",), printed="100 %")
    found = EngineIdentify(table).identify(printed, "main", PayBounds(1, 3))
    assert dict(found.bounds)["strategy"] == "best for the first wager, and each constant choice"
    doubling = next(one for one in found.readings if one.strategy == "always:double")
    won = table.analyze(TABLE, "always:double").wager("main")
    weight = sum(one.staked * one.probability for one in won.outcomes if row_of(one.id) == "win")
    assert doubling.weights == {"win": weight}
    assert exact.return_to_player != won.return_to_player


def test_best_play_is_solved_anew_for_each_candidate_of_the_first_wager():
    def best(win, push):
        paid = game_of({"main": {"win": win, "push": push}, "bonus": {"pair": 3}})
        return exact.analyze(paid, "optimal").wager("main").return_to_player

    exact = EngineExact(PushingTable, rows_of)
    returns = {(win, push): best(win, push) for win in range(6) for push in range(6) if win >= push}
    printed = f"{float(100 * returns[3, 2]):.2f} %"
    low, high = parse_percent(printed).interval
    fits = {pays for pays, exact_return in returns.items() if low <= exact_return < high}
    lost = game_of({"bonus": {"pair": 3}, "main": {"win": 1, "push": 0}}, ("win", "push"), printed)
    lost = replace(lost, wagers=lost.wagers[::-1])
    found = EngineIdentify(exact).identify(lost, "main", PayBounds(0, 5))
    search = next(one for one in found.readings if one.strategy == "main-optimal")
    assert {tuple(int(pay) for pay in fit.pays.values()) for fit in search.fits} == fits >= {(3, 2)}
    assert (search.candidates_tried, search.fits_count) == (21, len(fits))
    assert dict(found.bounds)["strategy"] == "best for each candidate, and each constant choice"


def test_the_nearest_miss_of_best_play_is_the_nearest_of_all_candidates():
    lost = game_of({"bonus": {"pair": 3}, "main": {"win": 1}}, ("win",), "100.00 %")
    lost = replace(lost, wagers=lost.wagers[::-1])
    found = EngineIdentify(table).identify(lost, "main", PayBounds(1, 9)).readings[0]
    returns = [
        table.analyze(game_of({"main": {"win": pay}, "bonus": {"pair": 3}}), "optimal")
        .wager("main")
        .return_to_player
        for pay in range(1, 10)
    ]
    assert found.fits_count == 0
    assert found.nearest_miss.return_ == min(returns, key=lambda one: abs(one - 1))


def test_where_no_pay_is_lost_nothing_is_searched():
    printed = game_of({"keno": {"catch-3": 9}}, printed="119 %")
    with pytest.raises(NothingCheckedError, match="every pay of keno is printed"):
        EngineIdentify(keno).identify(printed, "keno", PayBounds())
    alone = read_game(Path("fixtures/games/caribbean-stud/game.toml"))
    with pytest.raises(
        InputError, match="caribbean-stud: its family searches for each printed return by itself"
    ):
        identify_together(alone, None, PayBounds())
