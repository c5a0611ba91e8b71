"""The hand that docs/methods/enumeration.md works out by hand, and the figures that the page quotes."""

from fractions import Fraction
from pathlib import Path

from certify.families.sette_e_mezzo.exact.analyze import tree_of
from certify.families.sette_e_mezzo.exact.game_tree import game_tree
from certify.families.sette_e_mezzo.exact.optimal import solve
from certify.families.seven_and_a_half.cards import DECK_SIZE, card_name
from certify.families.seven_and_a_half.counting import ClassDeck, plus, single
from certify.families.seven_and_a_half.dealer import dealer_hands
from certify.mathematics import explain
from certify.submission import read_game

CARDS = {card_name(card): card for card in range(DECK_SIZE)}

GAME = read_game(Path(__file__).parents[3] / "fixtures/games/playtech-7-e-mezzo/game.toml")


def test_the_five_of_a_deck_of_five_cards():
    deck = ClassDeck(tuple(CARDS[f"{rank} of Coppe"] for rank in "3456J"))
    tree = game_tree(GAME, deck)
    solution = solve(tree.hands, tree.dealer, tree.terms)
    five = single(4)
    assert (solution.stand[five], solution.draw[five]) == (8, -16)
    assert solution.stand[plus(five, 7)] == 2
    assert solution.expectation(solution.stand, five) == Fraction(1, 3)
    assert solution.expectation(solution.draw, five) == Fraction(-2, 3)
    assert five not in solution.hits


def test_the_figures_that_the_page_quotes():
    tree = tree_of(GAME)
    assert len(tree.hands.totals) == 1492
    assert sum(1 for hand in tree.hands.totals if tree.hands.is_decision(hand)) == 249
    for player, count in ((10, 123), (15, 408)):
        finals = dealer_hands(tree.deck, tree.dealer.rule, player)
        assert sum(len(terminals) for totals in finals for terminals in totals.values()) == count
    four = explain(GAME, "4")
    assert (four.stand, four.hit, four.best) == (
        Fraction(-4421119, 9787869),
        Fraction(-11219906, 29363607),
        "hit",
    )
