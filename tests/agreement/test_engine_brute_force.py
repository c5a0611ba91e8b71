"""The engine against every order of a small shoe and every complete strategy: nothing merged, nothing weighted."""

from collections import Counter
from fractions import Fraction
from itertools import permutations, product

import pytest
from engine_rounds import MergedHiddenCard, OpenedCard

from certify.analysis.engine.best import SEEN, solve
from certify.analysis.engine.distribution import counting_order, decide_by, joint, visits
from certify.analysis.engine.walk import walk
from certify.families.driver import play
from certify.model.strategy import ChoiceTable

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
