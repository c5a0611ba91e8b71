"""Simpler ways to play against an open dealer's card: one total to stand on for each card that may lie open."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from certify.families.open_card.exact.optimal import FOLD, HIT, STAND, OpenSolution, Play
from certify.families.open_card.exact.tree import OpenTree
from certify.families.seven_and_a_half.cards import SEVEN_AND_A_HALF
from certify.families.seven_and_a_half.counting import Hand, single


@dataclass
class Threshold:
    """Play that stands on a total and above against one open card, whatever cards make it.

    Args:
        play: Values against the open card with one final bet.
        stands_on: Total in half points.
    """

    play: Play
    stands_on: int
    _values: dict[Hand, Fraction] = field(default_factory=dict)

    def draws(self, hand: Hand) -> bool:
        """Tells whether a card is taken on a hand with a decision."""
        tree = self.play.tree
        return tree.total(hand) < self.stands_on or not tree.may_stand(hand)

    def value(self, hand: Hand) -> Fraction:
        """Returns the net result of playing on so, summed over all orders of the cards left."""
        if hand not in self._values:
            self._values[hand] = self._count(hand)
        return self._values[hand]

    def _count(self, hand: Hand) -> Fraction:
        play, tree = self.play, self.play.tree
        if tree.total(hand) > SEVEN_AND_A_HALF:
            return play.payoff.lose * tree.orders(hand)
        if tree.may_draw(hand) and self.draws(hand):
            drawn = (cards * self.value(longer) for cards, longer in tree.draws(hand, play.open_card))
            return sum(drawn, Fraction(0))
        return play.stand(hand)


@dataclass(frozen=True, slots=True)
class OpenThreshold:
    """The best play by totals against one open card.

    Args:
        stands_on: Total in half points that is stood on, once the first decision is made.
        first: First decision on each first card: on one card the total is the card.
    """

    stands_on: int
    first: dict[Hand, str]

    def decision(self, tree: OpenTree, hand: Hand) -> str:
        """Returns the decision on a hand."""
        if sum(hand) == 1:
            return self.first[hand]
        return HIT if tree.total(hand) < self.stands_on else STAND


def best_thresholds(tree: OpenTree, solution: OpenSolution) -> dict[int, OpenThreshold]:
    """Returns, for each open card, the best total to stand on with the best first decision on each card.

    Rounds with different open cards have nothing in common, so that each open card is settled by itself: every
    threshold is tried, and the lowest of the best is taken.
    """
    return {shown: _best(tree, solution, shown) for shown in {shown for _, shown, _ in tree.first_deals()}}


def _best(tree: OpenTree, solution: OpenSolution, open_card: int) -> OpenThreshold:
    firsts = [(single(first), ways) for first, shown, ways in tree.first_deals() if shown == open_card]
    found: list[tuple[Fraction, OpenThreshold]] = []
    for stands_on in range(1, SEVEN_AND_A_HALF + 1):
        played = {
            bet: Threshold(solution.play(open_card, bet), stands_on) for bet in tree.rules.final_bets or (0,)
        }
        moves = {hand: _first_move(tree, played, hand) for hand, _ in firsts}
        worth = sum((ways * moves[hand][1] for hand, ways in firsts), Fraction(0))
        found.append((worth, OpenThreshold(stands_on, {hand: move for hand, (move, _) in moves.items()})))
    return max(found, key=lambda entry: entry[0])[1]


def _first_move(tree: OpenTree, played: dict[int, Threshold], hand: Hand) -> tuple[str, Fraction]:
    """Returns the best first decision that fits a threshold, and its expected net result in antes."""
    options = [(FOLD, Fraction(-1))] if tree.rules.final_bets else []
    for bet, threshold in played.items():
        move = HIT if threshold.draws(hand) else STAND
        value = threshold.value(hand) / tree.orders(hand)
        options.append((f"{move}-{bet}" if tree.rules.final_bets else move, value))
    return max(options, key=lambda option: option[1])
