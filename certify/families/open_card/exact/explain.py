"""The tree behind one decision against an open dealer's card, with its fractions."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from certify.analysis.explanation import Branch, Explanation
from certify.errors import InputError
from certify.families.open_card.exact.figures import LOSE, PUSH, WIN, open_solution
from certify.families.open_card.exact.optimal import Play
from certify.families.open_card.exact.tree import OpenTree
from certify.families.seven_and_a_half.cards import CLASS_FACE, CLASS_MATTA, CLASSES, SEVEN_AND_A_HALF
from certify.families.seven_and_a_half.counting import Hand, hand_name
from certify.families.seven_and_a_half.strategy_files import parse_hand
from certify.model.game import Game

AGAINST = " against "


def explain_open_card(game: Game, text: str) -> Explanation:
    """Returns the tree behind the decision on a hand such as ``3 against 4``.

    Where there is a final bet, values are in antes with the smallest one; the best decision is the best of all.

    Raises:
        InputError: The text names no hand and open card, or one on which nothing is decided.
    """
    held, separator, shown = text.partition(AGAINST)
    if not separator or shown.strip() not in CLASSES[: CLASS_FACE + 1]:
        expected = ", ".join(CLASSES[: CLASS_FACE + 1])
        raise InputError(
            f'"{text}": expected a hand and the open card, such as "3 against 4", cards {expected}'
        )
    hand, open_card = parse_hand(held), CLASSES.index(shown.strip())
    solution = open_solution(game)
    tree = solution.tree
    if hand[CLASS_MATTA] or not _occurs(tree, hand, open_card) or not tree.may_draw(hand):
        raise InputError(f"on {text} nothing is decided, or it cannot occur: nothing to explain")
    play = solution.play(open_card, min(tree.rules.final_bets, default=0))
    orders = tree.orders(hand)
    made = tree.showdown(hand, open_card)
    ends = ((WIN, made.below + made.bust), (PUSH, made.equal), (LOSE, made.above))
    stands = tree.may_stand(hand)
    return Explanation(
        f"{hand_name(hand)}{AGAINST}{CLASSES[open_card]}",
        tree.total(hand),
        tree.deck.size - sum(hand) - 1,
        tuple((end, Fraction(count, orders)) for end, count in ends) if stands else (),
        play.stand(hand) / orders if stands else None,
        tuple(_branches(play, hand)),
        play.hit(hand) / orders,
        solution.best(open_card, hand),
        tuple(solution.values(open_card, hand).items()),
    )


def _occurs(tree: OpenTree, hand: Hand, open_card: int) -> bool:
    """Tells whether the deck holds the hand beside the open card."""
    left = tree.deck.left(hand)
    return sum(hand) > 0 and min(left) >= 0 and left[open_card] > 0


def _branches(play: Play, hand: Hand) -> Iterator[Branch]:
    tree = play.tree
    size = tree.deck.size - sum(hand) - 1
    for cards, longer in tree.draws(hand, play.open_card):
        drawn = next(kind for kind, held in enumerate(longer) if held != hand[kind])
        total = tree.total(longer)
        values = play.values(longer) if total <= SEVEN_AND_A_HALF else {}
        then = max(values, key=lambda move: values[move]) if values else "bust"
        yield Branch(
            CLASSES[drawn],
            cards,
            Fraction(cards, size),
            hand_name(longer),
            total,
            then,
            play.best(longer) / tree.orders(longer),
        )
