"""The best play of one who looks at the own first card alone and never at the dealer's open card."""

from __future__ import annotations

from fractions import Fraction

from certify.errors import InputError
from certify.families.open_card.exact.optimal import OpenSolution, best_of
from certify.families.open_card.exact.tree import OPEN_CLASSES, OpenTree
from certify.families.seven_and_a_half.counting import Hand, single

CARDS = 2
"""Cards at most for which the first decision is the only one, so that the best of each is the best of all."""


def decides_once(tree: OpenTree) -> bool:
    """Tells whether the first decision is the only one of a round."""
    return tree.rules.player_maximum_cards == CARDS


def own_card_decisions(tree: OpenTree, solution: OpenSolution) -> dict[Hand, str]:
    """Returns the best decision on each first card, the same whatever lies open.

    The values of a decision against each open card are weighed by how often that card lies open, and summed; each
    first card is settled by itself.

    Raises:
        InputError: Further decisions follow the first one.
    """
    if not decides_once(tree):
        raise InputError(
            "the best play by the own card alone is only found where the player may hold two cards"
        )
    return {
        single(first): best_of(_worth(tree, solution, first)) for first in OPEN_CLASSES if _held(tree, first)
    }


def _held(tree: OpenTree, first: int) -> bool:
    return any(card == first for card, _, _ in tree.first_deals())


def _worth(tree: OpenTree, solution: OpenSolution, first: int) -> dict[str, Fraction]:
    """Returns the net result of each decision over all deals that begin with a card."""
    worth: dict[str, Fraction] = {}
    for card, shown, ways in tree.first_deals():
        if card == first:
            for move, value in solution.values(shown, single(first)).items():
                worth[move] = worth.get(move, Fraction(0)) + ways * value
    return worth
