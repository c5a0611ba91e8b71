"""Chances against a dealer's final hand: counted by composition, and by dealing every ordered hand of a small deck."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest
from representatives import firsts

from certify.analysis import analyze
from certify.families.open_card import rulebook
from certify.families.open_card.exact.chances import ENDS, Chances, joint_chances, true_chances
from certify.families.open_card.exact.figures import open_solution
from certify.families.open_card.exact.optimal import OpenSolution, Pays
from certify.families.open_card.exact.strategies import decisions_of, open_strategy
from certify.families.open_card.exact.tree import OpenTree, PlainDeck, open_tree
from certify.families.open_card.reference import open_composition
from certify.families.open_card.rules import ANY_NUMBER, OpenCardRules
from certify.families.seven_and_a_half.cards import CLASS_FACE, MATTA
from certify.families.seven_and_a_half.counting import plus, single
from certify.families.seven_and_a_half.values import CardValues
from certify.submission import read_game

GAMES = Path(__file__).parents[2] / "fixtures/games"

VALUES = CardValues((2, 4, 6, 8, 10, 12, 14, 1))
CARDS = (0, 4, 5, 8, 9, 16, 24, 28, MATTA)
"""A, 2, 2, 3, 3, 5, 7, a Jack and the King of diamonds: a dealer who stands on 5 or below never runs out of them."""

HOME = {
    f"stands on {stands_on / 2}, {'always draws' if always else 'may stand at once'}": OpenCardRules(
        final_bets=(),
        player_maximum_cards=ANY_NUMBER,
        dealer_maximum_cards=ANY_NUMBER,
        dealer_stands_on=stands_on,
        dealer_always_draws=always,
    )
    for stands_on, always in ((8, False), (8, True), (10, False))
}
RULES = {
    **HOME,
    "any number of cards for the player alone": OpenCardRules(final_bets=(), player_maximum_cards=ANY_NUMBER),
    "any number of cards for the dealer alone": OpenCardRules(
        dealer_stands_on=8, dealer_maximum_cards=ANY_NUMBER
    ),
    "three cards each": OpenCardRules(final_bets=(), player_maximum_cards=3, dealer_maximum_cards=3),
    "casino": OpenCardRules(),
    "no card for anyone": OpenCardRules(final_bets=(), player_maximum_cards=1, dealer_maximum_cards=1),
}

Ends = dict[str, Fraction]


def named(cards: tuple[int, ...], king: bool) -> tuple[int, ...]:
    """Classes of a hand, low first; the King of diamonds by name, or one of the faces."""
    return tuple(sorted(min(card >> 2, CLASS_FACE) + (king and card == MATTA) for card in cards))


def dealt(rules: OpenCardRules, strategy: str) -> dict[tuple[int, ...], Ends]:
    """Every ordered deal by the readable rules: how rounds end, by the classes of the dealer's final hand.

    The player's cards come before the dealer's, and the dealer takes cards whatever became of the player.
    """
    tree = open_tree(rules, VALUES, PlainDeck(CARDS))
    chosen = decisions_of(open_strategy(tree, OpenSolution(tree, Pays(Fraction(1))), strategy))
    found: dict[tuple[int, ...], Ends] = defaultdict(lambda: defaultdict(Fraction))

    def plays(
        player: tuple[int, ...], shown: int, chance: Fraction
    ) -> Iterator[tuple[tuple[int, ...], bool, Fraction]]:
        if not rulebook.decisions(player, rules):
            yield player, False, chance
            return
        move = chosen[min(shown >> 2, CLASS_FACE), open_composition(player)].partition("-")[0]
        if move != rulebook.HIT:
            yield player, move == rulebook.FOLD, chance
            return
        left = [card for card in CARDS if card != shown and card not in player]
        for card in left:
            yield from plays((*player, card), shown, chance / len(left))

    def draws(
        dealer: tuple[int, ...], gone: tuple[int, ...], chance: Fraction
    ) -> Iterator[tuple[tuple[int, ...], Fraction]]:
        if not rulebook.dealer_must_draw(dealer, rules):
            yield dealer, chance
            return
        left = [card for card in CARDS if card not in dealer and card not in gone]
        for card in left:
            yield from draws((*dealer, card), gone, chance / len(left))

    firsts = [
        (first, shown) for first in CARDS for shown in CARDS if first != shown and MATTA not in (first, shown)
    ]
    for first, shown in firsts:
        for player, folded, chance in plays((first,), shown, Fraction(1)):
            for dealer, weight in draws((shown,), player, chance):
                end = rulebook.FOLD if folded else rulebook.settle(player, dealer)
                for king in {False, MATTA in dealer}:
                    found[named(dealer, king)][end] += weight
    return found


@cache
def both(name: str, strategy: str) -> dict[tuple[int, ...], tuple[Chances, Chances]]:
    """By the dealer's final hand: the chances by dealing every hand, and those that are counted."""
    tree = open_tree(RULES[name], VALUES, PlainDeck(CARDS))
    table = open_strategy(tree, OpenSolution(tree, Pays(Fraction(1))), strategy)
    compared = {}
    for hand, ends in dealt(RULES[name], strategy).items():
        whole = sum(ends.values())
        lost = ends[rulebook.LOSE] + ends[rulebook.BUST]
        parts = (lost, ends[rulebook.PUSH], ends[rulebook.WIN], ends[rulebook.FOLD])
        compared[hand] = (Chances(*(part / whole for part in parts)), true_chances(tree, table, hand))
    return compared


@pytest.mark.parametrize("strategy", firsts(["main-optimal", "always-second-card"]))
@pytest.mark.parametrize("name", RULES)
def test_chances_equal_every_ordered_deal_of_a_small_deck(name, strategy):
    for hand, (by_dealing, counted) in both(name, strategy).items():
        assert counted == by_dealing, hand


def test_hands_of_every_length_are_among_those_compared():
    """Dealers with one to four cards, busts, hands with the King of diamonds; players with more than two cards."""
    hands = set(both("stands on 4.0, may stand at once", "main-optimal"))
    assert {len(hand) for hand in hands} == {1, 2, 3, 4}
    assert any(8 in hand for hand in hands)
    assert any(sum(2 * kind + 2 if kind < 7 else 1 for kind in hand) > 15 for hand in hands)


def final_hands(tree: OpenTree) -> set[tuple[int, ...]]:
    """Every hand on which the dealer of the real deck ends, by classes."""
    level, ended = {single(first) for first in range(CLASS_FACE + 1)}, set()
    while level:
        going = {hand for hand in level if tree.dealer.rule.draws(hand, tree.total(hand), 0)}
        ended |= level - going
        level = {
            plus(hand, kind)
            for hand in going
            for kind, cards in enumerate(tree.deck.class_counts)
            if hand[kind] < cards
        }
    return {tuple(kind for kind, held in enumerate(hand) for _ in range(held)) for hand in ended}


@pytest.mark.parametrize("strategy", firsts(["main-optimal", "always-second-card"]))
@pytest.mark.parametrize(("game", "hands"), [("casino", 2 + 21 + 12), ("home", 457)])
def test_over_all_hands_of_the_dealer_the_chances_add_up_to_the_figures_of_the_game(game, hands, strategy):
    """The law of total probability on the real deck: what is counted by the dealer's hand, and without it.

    In the casino version these are a 6, a 7, and a first card of six classes with another of them or a 6 or 7.
    """
    game = read_game(GAMES / f"us5632489-{game}/game.toml")
    tree, analysis = open_solution(game).tree, analyze(game, strategy)
    found = dict.fromkeys(ENDS, Fraction(0))
    finals = final_hands(tree)
    for dealer in finals:
        for end, chance in joint_chances(tree, analysis.strategy, dealer).items():
            found[end] += chance
    assert len(finals) == hands
    counted = defaultdict(Fraction)
    for outcome in analysis.wager("ante").outcomes:
        counted[outcome.id.partition("-final-")[0]] += outcome.probability
    assert found["tie"] == counted["push"]
    assert found["player"] == counted["win"]
    assert found["dealer"] == counted["lose"] + counted["bust"]
    assert found["fold"] == counted["fold"]
