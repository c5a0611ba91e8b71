"""The real deck a second way: other states, other arithmetic, other code, and every deal of the first three cards."""

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import permutations
from pathlib import Path

import pytest

from certify.families.sette_e_mezzo.exact.figures import named_strategy
from certify.families.sette_e_mezzo.second import three_row
from certify.families.seven_and_a_half.cards import card_name, rank_of
from certify.mathematics import analyze, joint_figures
from certify.submission import read_game

GAME = read_game(Path(__file__).parents[2] / "fixtures/games/playtech-7-e-mezzo/game.toml")

POINTS = (2, 4, 6, 8, 10, 12, 14, 1)
DECK = (4, 4, 4, 4, 4, 4, 4, 11, 1)


def without(left, kind):
    return (*left[:kind], left[kind] - 1, *left[kind + 1 :])


def total(points, matta):
    """Returns a total from the points without the matta, by the parity of what is missing."""
    if not matta:
        return points
    missing = 15 - points
    if missing < 0:
        return points + 1
    return points + max((value for value in POINTS if value <= missing), default=1)


@cache
def dealer(left, points, matta, cards, chasing):
    """Returns floating-point probabilities of the dealer's totals 1 to 15, and 16 for a bust."""
    made = total(points, matta)
    face_first = cards == 1 and (matta or points == 1)
    if not face_first and made >= (15 if chasing else 6):
        return tuple(float(min(made, 16) == end) for end in range(17))
    size = sum(left)
    result = [0.0] * 17
    for kind, count in enumerate(left):
        if count:
            after = (points, True) if kind == 8 else (points + POINTS[kind], matta)
            for end, chance in enumerate(dealer(without(left, kind), *after, min(cards + 1, 2), chasing)):
                result[end] += chance * count / size
    return tuple(result)


def first_dealer_card(left, chasing):
    size = sum(left)
    result = [0.0] * 17
    for kind, count in enumerate(left):
        if count:
            after = (0, True) if kind == 8 else (POINTS[kind], False)
            for end, chance in enumerate(dealer(without(left, kind), *after, 1, chasing)):
                result[end] += chance * count / size
    return result


@cache
def player(left, points, matta, cards):
    made = total(points, matta)
    if made > 15:
        return -1.0
    ends = first_dealer_card(left, made == 15)
    below, equal = sum(ends[:made]) + ends[16], ends[made]
    if made == 15 and matta and cards == 2:
        return 2.0
    stand = below - (1 - below - equal) - equal
    if made == 15:
        return stand
    size = sum(left)
    hit = 0.0
    for kind, count in enumerate(left):
        if count:
            after = (points, True) if kind == 8 else (points + POINTS[kind], matta)
            hit += count / size * player(without(left, kind), *after, min(cards + 1, 3))
    return hit if cards == 1 and (matta or points == 1) else max(hit, stand)


@pytest.mark.slow
def test_main_optimal_return_equals_a_floating_point_programme_over_other_states():
    value = 0.0
    for kind, count in enumerate(DECK):
        after = (0, True) if kind == 8 else (POINTS[kind], False)
        value += count / 40 * player(without(DECK, kind), *after, 1)
    exact = analyze(GAME).wager("main").return_to_player
    assert 1 + value == pytest.approx(float(exact), abs=1e-12)


@cache
def three_of(*cards):
    return three_row([card_name(card) for card in cards])


@pytest.mark.parametrize("strategy", ["main-optimal", "always-second-card", "mimic-dealer"])
def test_mano_di_poker_equals_all_59280_deals_of_the_first_three_cards(strategy):
    table = named_strategy(GAME, strategy)
    one_card = {hand.index(1) for hand in table.draws if sum(hand) == 1}
    rows = Counter()
    for first, dealer_card, second in permutations(range(40), 3):
        takes_second = rank_of(first) >= 7 or rank_of(first) in one_card
        row = three_of(first, second, dealer_card)
        rows[row if takes_second else "no-second-card"] += 1
    figures = analyze(GAME, strategy).wager("mano-di-poker")
    for outcome in figures.outcomes:
        assert outcome.probability == Fraction(rows[outcome.id], 59280), outcome.id
    assert sum(rows.values()) == 59280


def test_partita_perfetta_equals_all_1560_deals_of_the_first_two_cards():
    rows = Counter()
    for first, dealer_card in permutations(range(40), 2):
        rank = rank_of(first)
        name = "pair-of-sevens" if rank == 6 else "pair-of-faces" if rank > 6 else "pair-ace-to-six"
        rows[name if rank == rank_of(dealer_card) else "lose"] += 1
    figures = analyze(GAME).wager("partita-perfetta")
    assert {outcome.id: outcome.probability for outcome in figures.outcomes} == {
        row: Fraction(count, 1560) for row, count in rows.items()
    }


def test_covariances_equal_those_of_the_marginals_and_the_joint_distribution():
    figures = joint_figures(GAME, "main-optimal")
    analysis = analyze(GAME)
    for wager, value in figures.returns.items():
        assert value == analysis.wager(wager).return_to_player
        assert figures.of_pair(wager, wager).covariance == analysis.wager(wager).variance
    spread = sum((1 if len({*pair.wagers}) == 1 else 2) * pair.covariance for pair in figures.covariance)
    assert figures.variance == spread
