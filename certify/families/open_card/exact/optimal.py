"""Best play in view of the dealer's open card, by backward induction on hands counted by class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from certify.families.open_card.exact.tree import OpenTree
from certify.families.open_card.rules import OpenCardTie
from certify.families.seven_and_a_half.cards import SEVEN_AND_A_HALF
from certify.families.seven_and_a_half.counting import Hand, single

FOLD, STAND, HIT = "fold", "stand", "hit"


@dataclass(frozen=True, slots=True)
class Pays:
    """What a bet that is played to the end pays to 1, ante and final bet alike.

    Args:
        win: Pay of a win.
        push: Pay of a tie that returns the bets: 0 as printed, otherwise only to see what it would change.
    """

    win: Fraction
    push: Fraction = Fraction(0)


@dataclass(frozen=True, slots=True)
class Payoff:
    """What a round played to the end is worth, in parts of an ante.

    Args:
        win: Net result of a win.
        tie: Net result of a tie.
        lose: Net result of a loss.
    """

    win: Fraction
    tie: Fraction
    lose: Fraction


def payoff(tree: OpenTree, final_bet: int, pays: Pays) -> Payoff:
    """Returns the payoff with a final bet of so many antes, ante and final bet paid at the same odds."""
    tie = {
        OpenCardTie.PUSH: (1 + final_bet) * pays.push,
        OpenCardTie.ANTE_RETURNED: Fraction(-final_bet),
        OpenCardTie.LOSE: Fraction(-1 - final_bet),
    }[tree.rules.tie]
    return Payoff((1 + final_bet) * pays.win, tie, Fraction(-1 - final_bet))


@dataclass
class Play:
    """Values of hands against one open card with one final bet; whole numbers over all orders of cards left.

    Args:
        tree: Deck and rules.
        open_card: Class of the dealer's open card.
        payoff: What the round is worth.
    """

    tree: OpenTree
    open_card: int
    payoff: Payoff
    _stand: dict[Hand, Fraction] = field(default_factory=dict)
    _hit: dict[Hand, Fraction] = field(default_factory=dict)

    def values(self, hand: Hand) -> dict[str, Fraction]:
        """Returns the expected net result in antes of each way to go on from a hand, standing first."""
        orders = self.tree.orders(hand)
        moves = {STAND: self.stand(hand) / orders} if self.tree.may_stand(hand) else {}
        if self.tree.may_draw(hand):
            moves[HIT] = self.hit(hand) / orders
        return moves

    def stand(self, hand: Hand) -> Fraction:
        """Returns the net result of standing, summed over all orders of the cards left."""
        if hand not in self._stand:
            made = self.tree.showdown(hand, self.open_card)
            self._stand[hand] = (
                self.payoff.win * (made.below + made.bust)
                + self.payoff.tie * made.equal
                + self.payoff.lose * made.above
            )
        return self._stand[hand]

    def hit(self, hand: Hand) -> Fraction:
        """Returns the net result of taking a card and playing on best, summed over all orders."""
        if hand not in self._hit:
            self._hit[hand] = sum(
                (cards * self.best(longer) for cards, longer in self.tree.draws(hand, self.open_card)),
                Fraction(0),
            )
        return self._hit[hand]

    def best(self, hand: Hand) -> Fraction:
        """Returns the net result of best play, summed over all orders; a bust is lost."""
        if self.tree.total(hand) > SEVEN_AND_A_HALF:
            return self.payoff.lose * self.tree.orders(hand)
        if not self.tree.may_draw(hand):
            return self.stand(hand)
        if not self.tree.may_stand(hand):
            return self.hit(hand)
        return max(self.stand(hand), self.hit(hand))


Values = dict[str, Fraction]
"""Expected net result in antes of each decision that is allowed, in the order in which equals are preferred."""


@dataclass
class OpenSolution:
    """The values of all decisions of a game.

    Args:
        tree: Deck and rules.
        pays: What the bets pay.
    """

    tree: OpenTree
    pays: Pays
    _plays: dict[tuple[int, int], Play] = field(default_factory=dict)

    def play(self, open_card: int, final_bet: int) -> Play:
        """Returns the values against an open card with a final bet; 0 where there is none."""
        key = (open_card, final_bet)
        if key not in self._plays:
            self._plays[key] = Play(self.tree, open_card, payoff(self.tree, final_bet, self.pays))
        return self._plays[key]

    def values(self, open_card: int, hand: Hand) -> Values:
        """Returns the value of each decision on a hand; the first one names the final bet where there is one."""
        bets = self.tree.rules.final_bets
        if not bets or sum(hand) > 1:
            return self.play(open_card, 0).values(hand)
        named = {
            f"{move}-{bet}": value
            for bet in bets
            for move, value in self.play(open_card, bet).values(hand).items()
        }
        return {FOLD: Fraction(-1)} | named

    def best(self, open_card: int, hand: Hand) -> str:
        """Returns the best decision: on equal worth the smaller final bet, then standing, and folding first."""
        return best_of(self.values(open_card, hand))


def best_of(values: Mapping[str, Fraction]) -> str:
    """Returns the first of the decisions with the highest value.

    >>> best_of({"fold": Fraction(-1), "stand-1": Fraction(0), "stand-2": Fraction(0)})
    'stand-1'
    """
    return max(values, key=lambda move: values[move])


def open_hands(tree: OpenTree) -> tuple[Hand, ...]:
    """Returns the hands on which the player may decide, by number of cards."""
    level = {single(first): None for first, _, _ in tree.first_deals()}
    found: dict[Hand, None] = {}
    while level:
        longer: dict[Hand, None] = {}
        for hand in level:
            if tree.may_draw(hand):
                found[hand] = None
                longer.update((grown, None) for _, _, grown in tree.deck.draws(hand))
        level = longer
    return tuple(found)
