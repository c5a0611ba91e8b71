"""Figures of the engine and of campaigns that others published or that a pencil finds."""

import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import pytest
from engine_rounds import (
    HiddenCard,
    Keno,
    MergedHiddenCard,
    PassLine,
    PressOn,
    Roulette,
)

from certify.analysis.engine.best import solve
from certify.analysis.engine.distribution import counting_order, decide_by, joint, pays_of, visits
from certify.analysis.engine.walk import walk
from certify.certification.play_through import borderline
from certify.evidence import WagerAgreement
from certify.families.sette_e_mezzo.second import three_row
from certify.families.sette_e_mezzo.text import combination
from certify.families.seven_and_a_half.cards import card_name, rank_of, suit_of
from certify.model import Outcome, Verdict, WagerFigures
from certify.simulation import Margin, chi_square, equivalence_test, holm, margin_of, mean_test, rounds_needed

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


# Of the 9880 hands of three cards: 4 royals; 5 runs in 4 suits; 10 ranks × C(4,3); 4 × (C(10,3) − 6 runs);
# 6 runs × (4³ − 4).
CLOSED_FORM = {"royal-flush": 4, "straight-flush": 20, "three-of-a-kind": 40, "flush": 456, "straight": 360}


def test_against_closed_form_counts_of_three_cards():
    hands = list(combinations(range(40), 3))
    first = Counter(
        combination(tuple(map(rank_of, hand)), len(set(map(suit_of, hand))) == 1) for hand in hands
    )
    second = Counter(three_row(list(map(card_name, hand))) for hand in hands)
    assert first == second == {**CLOSED_FORM, "lose": math.comb(40, 3) - sum(CLOSED_FORM.values())}


def test_against_knuth_two_dice():
    # D. E. Knuth, The Art of Computer Programming 2, 3.3.1: sums of two dice in 144 throws, V = 7 7/48.
    counts = [2, 4, 10, 12, 22, 29, 21, 15, 14, 9, 6]
    expected = [144 * ways / 36 for ways in (1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1)]
    shifted = [(5 * mean, 5 * count) for mean, count in zip(expected, counts, strict=True)]
    test = chi_square([count for _, count in shifted], [mean for mean, _ in shifted])
    # Five times the throws with the same frequencies are five times the statistic, and no cell is pooled.
    assert test.statistic == pytest.approx(5 * (7 + 7 / 48), abs=1e-12)
    assert test.degrees_of_freedom == 10


def test_against_the_table_of_chi_square():
    # Knuth, Table 3.3.1-1: with 1 degree of freedom 3.841 is exceeded with probability 5 %.
    test = chi_square([550, 450], [500.0, 500.0])
    assert test.statistic == pytest.approx(10)
    assert test.p_value == pytest.approx(0.0015654, abs=1e-7)


def test_small_cells_are_pooled_smallest_first_until_five_are_expected():
    test = chi_square([3, 1, 2, 50, 44], [1.0, 2.0, 3.0, 44.0, 50.0])
    assert test.degrees_of_freedom == 2  # 1 + 2 + 3 make one cell
    assert test.statistic == pytest.approx(0 / 6 + 36 / 44 + 36 / 50)
    assert chi_square([1, 99], [1.0, 99.0]) is None
    # A pool within its bounds adds nothing; one beyond them is compared with the bound.
    assert chi_square([8, 92], [5.0, 95.0], 2).statistic == pytest.approx(1 / 7 + 1 / 93)
    assert chi_square([0, 100], [5.0, 95.0], 9).statistic == 0


def test_holm_is_monotone_and_at_most_one():
    assert holm([0.5, 0.001, 0.5, 0.02]) == pytest.approx([1.0, 0.004, 1.0, 0.06])
    assert holm([]) == []


COIN = WagerFigures(
    "coin", (Outcome("win", Fraction(1), Fraction(1, 2)), Outcome("lose", Fraction(-1), Fraction(1, 2)))
)
"""A fair coin: return 1, standard deviation 1, so that a million rounds have a standard error of 0.001."""


@pytest.mark.parametrize(("errors", "shown"), [(2.6, True), (2.7, False), (-2.6, True), (-2.7, False)])
def test_equivalence_is_two_one_sided_tests_at_one_percent(errors, shown):
    # Of a hundred million rounds the margin of 0.05 points is five standard errors; the interval reaches 2.326.
    mean = mean_test(1 + Fraction(errors) / 10_000, COIN, 100_000_000)
    assert mean.standard_error == pytest.approx(0.0001)
    assert mean.z == pytest.approx(errors)
    assert equivalence_test(mean, COIN).margin == Fraction(1, 2_000)
    assert equivalence_test(mean, COIN).equivalent is shown


def test_the_margin_follows_from_the_exact_figures_and_never_from_what_was_played():
    short, long = (equivalence_test(mean_test(Fraction(1), COIN, n), COIN) for n in (10_000, 10**12))
    assert short.margin == long.margin
    # Ten thousand rounds show nothing of 0.05 points, whatever they give; six standard errors of them would have.
    assert (short.equivalent, long.equivalent) == (False, True)
    odds = WagerFigures(
        "long",
        (Outcome("win", Fraction(399), Fraction(1, 500)), Outcome("lose", Fraction(-1), Fraction(499, 500))),
    )
    # A quarter of the edge of 20 points would be 5: one point is the widest.
    assert margin_of(odds) == Margin(Fraction(1, 100), "share-of-edge")


def test_the_rounds_that_are_called_enough_show_an_agreement_99_times_in_100():
    needed = rounds_needed(COIN)
    assert needed == math.ceil(((2.3263478740408408 + 2.5758293035489004) / 0.0005) ** 2)
    # A mean that strays by its 99 % interval is still shown with so many rounds, and not with fewer.
    for rounds, shown in ((needed, True), (needed - 10**5, False)):
        stray = Fraction(2.5758293035489 / math.sqrt(rounds))
        assert equivalence_test(mean_test(1 + stray, COIN, rounds), COIN).equivalent is shown


def test_against_the_table_of_the_normal_distribution():
    # 1.96 standard errors are exceeded to either side with probability 5 %.
    mean = mean_test(1 + Fraction("0.00196"), COIN, 1_000_000)
    assert mean.p_value == pytest.approx(0.0499958, abs=1e-7)
    assert mean.interval_99 == pytest.approx((1.00196 - 0.00257583, 1.00196 + 0.00257583), abs=1e-8)


def test_a_mean_that_enough_rounds_did_not_show_is_played_once_more_and_too_few_are_not():
    mean = mean_test(Fraction(1), COIN, 1_000)
    missed = WagerAgreement(
        wager="main",
        outcomes=(),
        mean=mean,
        equivalence=equivalence_test(mean, COIN),
        adjusted_p={"z of the mean": 0.5},
        verdict=Verdict.INCONCLUSIVE,
        reasons=("is not shown",),
        chi_square=None,
        summed=None,
    )
    enough, agreed = rounds_needed(COIN), replace(missed, verdict=Verdict.SATISFIED, reasons=())
    assert borderline([agreed, missed], enough)
    assert not borderline([agreed, missed], enough - 1)
    assert not borderline([missed, replace(missed, reasons=("is not shown", "too few outcomes"))], enough)
    assert not borderline([agreed], enough)
    refuted = replace(missed, verdict=Verdict.NOT_SATISFIED, reasons=("pays 2, analysed with 1",))
    assert not borderline([missed, refuted], enough)
