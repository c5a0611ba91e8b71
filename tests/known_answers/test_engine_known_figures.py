"""The engine against figures that others published or that a pencil finds, each named after its source."""

from fractions import Fraction
from functools import cache

import pytest
from engine_rounds import (
    HiddenCard,
    Keno,
    MergedHiddenCard,
    PassLine,
    PressOn,
    Roulette,
    Slot,
    ThreeCards,
)

from certify.analysis.engine.best import solve
from certify.analysis.engine.distribution import (
    counting_order,
    decide_by,
    joint,
    pays_of,
    visits,
)
from certify.analysis.engine.walk import walk

ONE = Fraction(1)


def walked(round_):
    graph = walk(round_)
    return graph, counting_order(graph.offsets, graph.targets)


def played(round_):
    """The joint distribution of a game in which nothing is decided."""
    graph, order = walked(round_)
    table = solve(graph, order, {}).table("main-optimal")
    return joint(graph, visits(graph, order, decide_by(table)), table)


def expectation(round_, wager):
    graph, order = walked(round_)
    return solve(graph, order, {wager: ONE}).value


def marginal(found, wager):
    place = found.wagers.index(wager)
    sums = {}
    for outcomes, probability in found.probabilities.items():
        sums[outcomes[place]] = sums.get(outcomes[place], Fraction(0)) + probability
    return sums


def test_single_zero_roulette_keeps_one_in_37_elementary():
    assert marginal(played(Roulette()), "red")["win"] == Fraction(18, 37)
    assert expectation(Roulette(), "red") == expectation(Roulette(), "straight") == Fraction(-1, 37)


def test_craps_pass_line_wins_244_of_495_textbook():
    assert marginal(played(PassLine()), "pass") == {"win": Fraction(244, 495), "lose": Fraction(251, 495)}
    assert expectation(PassLine(), "pass") == Fraction(-7, 495)


def test_craps_dont_pass_loses_3_of_220_textbook():
    assert expectation(PassLine(), "dont-pass") == Fraction(-3, 220)


def test_keno_ten_spots_of_20_in_80_known_figures():
    chances = marginal(played(Keno(80, 20, 10)), "keno")
    assert chances["catch-0"] == Fraction(13874499, 302998180)
    assert chances["catch-5"] == Fraction(557074224, 10832184935)
    assert chances["catch-10"] == Fraction(17, 151499090)


@cache
def three_cards():
    return played(ThreeCards())


@pytest.mark.parametrize(
    ("hand", "combinations"),
    [
        ("straight-flush", 48),
        ("three-of-a-kind", 52),
        ("straight", 720),
        ("flush", 1096),
        ("pair", 3744),
        ("high-card", 16440),
    ],
)
def test_three_cards_of_52_wizard_of_odds(hand, combinations):
    assert marginal(three_cards(), "hand")[hand] == Fraction(combinations, 22100)


def test_pair_plus_40_30_6_4_1_loses_128_of_5525_wizard_of_odds():
    chances = marginal(three_cards(), "hand")
    assert sum(ThreeCards.pays.get(hand, -1) * chance for hand, chance in chances.items()) == Fraction(
        -128, 5525
    )


def test_reels_with_repeated_symbols_and_a_bonus_wheel_by_hand():
    chances = marginal(played(Slot()), "spin")
    # bell-bell 1·1 of 20, then the wheel; bars 2·1 and plums 1·3 of 20.
    assert chances == {
        "bells-2": Fraction(2, 60),
        "bells-10": Fraction(1, 60),
        "pair": Fraction(5, 20),
        "lose": Fraction(14, 20),
    }


def test_a_die_that_may_be_thrown_on_is_worth_one_by_hand():
    # Stop on 4, 5, 6 (1, 3, 6), throw on below: v = (-6 + 2v + 1 + 3 + 6) / 6, so v = 1; stopping on 4 is worth 1.
    graph, order = walked(PressOn())
    best = solve(graph, order, {"bet": ONE})
    assert best.value == 1
    assert {one.sees: one.taken for one in best.decided} == {
        2: "throw",
        3: "throw",
        4: "stop",
        5: "stop",
        6: "stop",
    }
    chances = marginal(
        joint(graph, visits(graph, order, decide_by(best.table("best"))), best.table("best")), "bet"
    )
    assert chances == {name: Fraction(1, 4) for name in ("last-1", "last-4", "last-5", "last-6")}


def test_who_always_throws_on_loses_for_certain_by_hand():
    graph, order = walked(PressOn())
    assert solve(graph, order, {"bet": ONE}, worst=True).value == -6


def test_merged_and_unmerged_walks_find_the_same_play_and_figures():
    plain, merged = (cls(3, 2, 5, 4, doubling=True) for cls in (HiddenCard, MergedHiddenCard))
    (graph, order), (small, small_order) = walked(plain), walked(merged)
    assert small.size * 5 < graph.size
    for stakes in ({"main": ONE}, {"main": ONE, "bonus": Fraction(3)}):
        one, other = solve(graph, order, stakes), solve(small, small_order, stakes)
        assert one.value == other.value
        table = other.table("optimal")
        assert one.table("optimal").choices == table.choices
        ours, theirs = (
            joint(g, visits(g, o, decide_by(table)), table) for g, o in ((graph, order), (small, small_order))
        )
        assert ours.probabilities == theirs.probabilities
    assert pays_of(graph) == pays_of(small)
