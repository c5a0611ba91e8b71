"""The hand that docs/methods/enumeration.md works out by hand, and the figures that the page quotes."""

from fractions import Fraction
from pathlib import Path

from certify.families.sette_e_mezzo.exact.best_play import solve
from certify.families.sette_e_mezzo.exact.hand_tree import dealer_hands, tree_of
from certify.families.seven_and_a_half.cards import DECK_SIZE, card_name
from certify.families.seven_and_a_half.counting import ClassDeck, plus, single
from certify.mathematics import explain
from certify.submission import read_game

CARDS = {card_name(card): card for card in range(DECK_SIZE)}

GAME = read_game(Path(__file__).parents[3] / "fixtures/games/playtech-7-e-mezzo/game.toml")


def test_the_five_of_a_deck_of_five_cards():
    deck = ClassDeck(tuple(CARDS[f"{rank} of Coppe"] for rank in "3456J"))
    solution = solve(GAME, deck=deck)
    five, five_and_face = (4, 0, single(4)), (4, 0, plus(single(4), 7))
    assert (solution.stand[five][0], solution.draw[five][0]) == (8, -16)
    assert solution.stand[five_and_face][0] == 2
    assert solution.expectation(solution.stand[five], five[2]) == Fraction(1, 3)
    assert solution.expectation(solution.draw[five], five[2]) == Fraction(-2, 3)
    assert five not in solution.hits


def test_the_figures_that_the_page_quotes():
    tree = tree_of(GAME)
    assert len(tree.totals) == 1492
    assert len([*tree.decisions]) == 249
    for player, count in ((10, 123), (15, 408)):
        finals = dealer_hands(tree.deck, tree.dealer.rule, player)
        assert sum(len(terminals) for totals in finals for terminals in totals.values()) == count
    four = explain(GAME, "4")
    assert (four.stand, four.hit, four.best) == (
        Fraction(-4421119, 9787869),
        Fraction(-11219906, 29363607),
        "hit",
    )
