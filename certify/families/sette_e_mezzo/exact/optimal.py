"""Optimal play by exact backward induction over the player's hands."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from certify.families.sette_e_mezzo.exact.hands import PlayerHands
from certify.families.sette_e_mezzo.exact.settlement import MainTerms, ended
from certify.families.seven_and_a_half.counting import NO_CARDS, ORDERS, ClassDeck, Hand
from certify.families.seven_and_a_half.dealer import Dealer


@dataclass(frozen=True, slots=True)
class MainSolution:
    """Values of hands of the main wager under the play that is best for it.

    Args:
        deck: The cards that are dealt from.
        scale: What whole numbers are multiplied by so that fractional pays become whole.
        stand: For each hand that may end there, its value when the player stands.
        draw: For each hand that may go on, its value when the player draws and then plays on best.
        hits: Hands on which a card is better than standing; a tie is decided for standing.

    Values are whole numbers: the net result summed over all orders of the remaining cards, times the scale.
    """

    deck: ClassDeck
    scale: int
    stand: Mapping[Hand, int]
    draw: Mapping[Hand, int]
    hits: frozenset[Hand]

    def value(self, hand: Hand) -> int:
        """Returns the value of a hand under best play."""
        if hand in self.draw and (hand in self.hits or hand not in self.stand):
            return self.draw[hand]
        return self.stand[hand]

    def expectation(self, values: Mapping[Hand, int], hand: Hand) -> Fraction:
        """Returns a value as the expected net result per unit staked."""
        return Fraction(values[hand], self.scale * self.deck.orders_left(hand))


def pay_scale(pays: Iterable[Fraction]) -> int:
    """Returns the smallest factor that makes all pays whole.

    >>> pay_scale([Fraction(3, 2), Fraction(1), Fraction(-1)])
    2
    """
    return math.lcm(*(pay.denominator for pay in pays))


def solve(hands: PlayerHands, dealer: Dealer, terms: MainTerms) -> MainSolution:
    """Returns the play that is best for the main wager, composition by composition."""
    scale = pay_scale((terms.win, terms.king))

    def stand_value(hand: Hand) -> int:
        ends = ended(terms, dealer, hand, hands.totals[hand])
        return sum(int(terms.pays(outcome) * scale) * orders for outcome, orders in ends.items())

    return _induce(dealer.deck, hands, stand_value, scale)


def _induce(
    deck: ClassDeck, hands: PlayerHands, stand_value: Callable[[Hand], int], scale: int
) -> MainSolution:
    best: dict[Hand, int] = {}
    stand: dict[Hand, int] = {}
    draw: dict[Hand, int] = {}
    hits = set()
    for hand in reversed(hands.totals):
        if hand not in hands.forced:
            best[hand] = stand[hand] = stand_value(hand)
        if not hands.is_open(hand):
            continue
        draw[hand] = sum(cards * best[longer] for _, cards, longer in deck.draws(hand))
        if hand in hands.forced or draw[hand] > stand[hand]:
            best[hand] = draw[hand]
            hits.add(hand)
    return MainSolution(deck, scale, stand, draw, frozenset(hits - hands.forced))


def value_of(solution: MainSolution, hands: PlayerHands, drawn: Container[Hand]) -> Fraction:
    """Returns the expected net result of the main wager per unit staked for a player who draws on some hands only."""
    worth: dict[Hand, int] = {}
    for hand in reversed(hands.totals):
        draws = hand in hands.forced or (hands.is_open(hand) and hand in drawn)
        ways = solution.deck.draws(hand) if draws else ()
        worth[hand] = (
            sum(cards * worth[longer] for _, cards, longer in ways) if draws else solution.stand[hand]
        )
    total = sum(cards * worth[hand] for _, cards, hand in solution.deck.draws(NO_CARDS))
    return Fraction(total, solution.scale * ORDERS[solution.deck.size])


def game_value(solution: MainSolution) -> Fraction:
    """Returns the expected net result of the main wager per unit staked, before any card is dealt."""
    total = sum(cards * solution.value(hand) for _, cards, hand in solution.deck.draws(NO_CARDS))
    return Fraction(total, solution.scale * ORDERS[solution.deck.size])
