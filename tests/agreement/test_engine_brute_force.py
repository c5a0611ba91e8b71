"""The engine against every order of a small shoe, and against the families' own counting."""

from collections import Counter
from fractions import Fraction
from functools import partial
from itertools import permutations, product
from pathlib import Path

import pytest
from engine_rounds import MergedHiddenCard, OpenedCard

from certify.analysis.engine.best import SEEN, solve
from certify.analysis.engine.counted import counted_game
from certify.analysis.engine.distribution import counting_order, decide_by, joint, visits
from certify.analysis.engine.exact import EngineExact
from certify.analysis.engine.walk import walk
from certify.families.driver import play
from certify.families.port import rows_of
from certify.families.registry import family_of
from certify.mathematics import analyze, joint_figures
from certify.mathematics.of_game import exposure
from certify.model.strategy import ChoiceTable
from certify.submission import read_game

SHOE = (3, 2, 4, 3)
"""Six cards: ranks 1 to 3 in two suits, target 4, the dealer draws below 3."""
STAKES = {"main": Fraction(1), "bonus": Fraction(1, 3)}


def every_strategy(offered):
    for options in product(*offered.values()):
        yield ChoiceTable("tried", SEEN, frozenset(zip(offered, options, strict=True)))


def counted_by_dealing(round_, strategy):
    """How many of the 720 orders of the shoe end so, each played card by card."""
    ends = Counter()
    for row in permutations(range(round_.equipment[0].size)):
        outcomes = play(round_, row, strategy).outcomes
        ends[outcomes["main"], outcomes["bonus"]] += 1
    return ends


@pytest.mark.parametrize("stakes", [{"main": Fraction(1)}, STAKES], ids=["main", "both"])
def test_best_and_worst_play_are_those_among_all_strategies(stakes):
    graph = walk(MergedHiddenCard(*SHOE, doubling=True))
    order = counting_order(graph.offsets, graph.targets)
    offered = {choice.sees: choice.ids for choice in graph.choices}
    values = [
        sum(
            probability * sum(stakes.get(result.wager, 0) * result.net for result in results)
            for results, probability in zip(
                graph.results, visits(graph, order, decide_by(one)).results, strict=True
            )
        )
        for one in every_strategy(offered)
    ]
    assert len(values) > 50
    assert solve(graph, order, stakes).value == max(values)
    assert solve(graph, order, stakes, worst=True).value == min(values)


def test_every_order_of_the_shoe_is_counted_as_it_is_dealt():
    round_ = MergedHiddenCard(*SHOE, doubling=True)
    graph = walk(round_)
    order = counting_order(graph.offsets, graph.targets)
    best, worst = (solve(graph, order, STAKES, worst=worst).table("tried") for worst in (False, True))
    for table in (best, worst):
        found = joint(graph, visits(graph, order, decide_by(table)), table)
        dealt = counted_by_dealing(round_, table)
        assert {key: Fraction(count, 720) for key, count in dealt.items()} == dict(found.probabilities)


def test_who_sees_the_hidden_card_does_better_than_best_play_does():
    values = []
    for round_ in (MergedHiddenCard(*SHOE), OpenedCard(*SHOE)):
        graph = walk(round_)
        order = counting_order(graph.offsets, graph.targets)
        values.append(solve(graph, order, STAKES).value)
    assert values[0] < values[1]


SETTE_E_MEZZO = read_game(Path("fixtures/games/playtech-7-e-mezzo/game.toml"))


def counted(name):
    game = read_game(Path(f"fixtures/games/{name}/game.toml"))
    family = family_of(game)
    return counted_game(family.reference, partial(rows_of, family.rules), game)


def assert_reproduced(game, strategies):
    """The engine's figures, play, decisions and exposure are those of the family's own counting."""
    family = family_of(game)
    exact = EngineExact(family.reference, partial(rows_of, family.rules))
    for strategy in strategies:
        own, walked = analyze(game, strategy), exact.analyze(game, strategy)
        for wager in game.wagers:
            ours, theirs = walked.wager(wager.id), own.wager(wager.id)
            assert {o.id: (o.pays, o.probability, o.staked) for o in ours.outcomes if o.probability} == {
                o.id: (o.pays, o.probability, o.staked) for o in theirs.outcomes if o.probability
            }
            assert ours.return_on_total_wagered == theirs.return_on_total_wagered
    assert exact.exposure(game).amount == exposure(game).amount
    rows = set(exact.witnesses(game))
    assert rows == {
        (wager.id, row) for wager in game.wagers for row in family.rules.reachable_rows(game, wager.id)
    }


def test_the_games_of_us5632489_return_what_they_always_did():
    assert 1 + counted("us5632489-casino").solution().value == Fraction(201034, 137085)
    assert 1 + counted("us5632489-home").solution().value == Fraction(10120821773902837, 9059753340237600)


@pytest.mark.slow
def test_7_e_mezzo_is_reproduced_by_its_reference_round_alone():
    assert 1 + counted("playtech-7-e-mezzo").solution().value == Fraction(4099063827798161, 4118069700108000)
    assert_reproduced(SETTE_E_MEZZO, ("main-optimal", "jointly-optimal"))


GAME = read_game(Path(__file__).parents[2] / "fixtures/games/playtech-7-e-mezzo/game.toml")


def test_covariances_equal_those_of_the_marginals_and_the_joint_distribution():
    figures = joint_figures(GAME, "main-optimal")
    analysis = analyze(GAME)
    for wager, value in figures.returns.items():
        assert value == analysis.wager(wager).return_to_player
        assert figures.of_pair(wager, wager).covariance == analysis.wager(wager).variance
    spread = sum((1 if len({*pair.wagers}) == 1 else 2) * pair.covariance for pair in figures.covariance)
    assert figures.variance == spread
