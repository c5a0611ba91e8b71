"""The tree behind one decision, with its fractions, so that a reader can follow it card by card."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from certify.analysis.explanation import Branch, Explanation
from certify.errors import InputError
from certify.families.sette_e_mezzo.exact.analyze import solution_of, tree_of
from certify.families.sette_e_mezzo.exact.optimal import MainSolution
from certify.families.sette_e_mezzo.exact.settlement import ended
from certify.families.seven_and_a_half.cards import CLASSES, SEVEN_AND_A_HALF
from certify.families.seven_and_a_half.counting import ORDERS, Hand, hand_name
from certify.families.seven_and_a_half.strategy_files import parse_hand
from certify.model.game import Game


def explain(game: Game, text: str) -> Explanation:
    """Returns the tree behind the decision on a hand such as ``A+3``.

    Raises:
        InputError: The text names no hand, or one on which nothing is decided or drawn.
    """
    tree, solution = tree_of(game), solution_of(game)
    hand = parse_hand(text)
    if hand not in solution.draw:
        raise InputError(f"on {text} no card is drawn any more, or it cannot occur: nothing to explain")
    forced = hand in tree.hands.forced
    orders = tree.deck.orders_left(hand)
    standing = {} if forced else ended(tree.terms, tree.dealer, hand, tree.hands.totals[hand])
    return Explanation(
        hand_name(hand),
        tree.hands.totals[hand],
        tree.deck.size - sum(hand),
        tuple((outcome, Fraction(count, orders)) for outcome, count in sorted(standing.items())),
        None if forced else solution.expectation(solution.stand, hand),
        tuple(_branches(game, hand)),
        solution.expectation(solution.draw, hand),
        "draw" if forced else "hit" if hand in solution.hits else "stand",
        tuple(_values(solution, hand, forced=forced)),
    )


def _values(solution: MainSolution, hand: Hand, *, forced: bool) -> Iterator[tuple[str, Fraction]]:
    if not forced:
        yield "stand", solution.expectation(solution.stand, hand)
    yield "draw" if forced else "hit", solution.expectation(solution.draw, hand)


def _branches(game: Game, hand: Hand) -> Iterator[Branch]:
    tree, solution = tree_of(game), solution_of(game)
    size = tree.deck.size - sum(hand)
    for card_class, cards, longer in tree.deck.draws(hand):
        total = tree.hands.totals[longer]
        value = Fraction(solution.value(longer), solution.scale * ORDERS[size - 1])
        then = "bust" if total > SEVEN_AND_A_HALF else "hit" if longer in solution.hits else "stand"
        yield Branch(CLASSES[card_class], cards, Fraction(cards, size), hand_name(longer), total, then, value)
