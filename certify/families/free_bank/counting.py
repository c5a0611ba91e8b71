"""Returns counted directly over ordered deals, by the reference round: a second exact way for fixed strategies."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from certify.families.free_bank.reference import FreeBankRound, reference
from certify.families.free_bank.rules import BET, rules_of
from certify.families.free_bank.strategy import Pair, StandOn
from certify.families.free_bank.table import NO_CARD, BankTable
from certify.families.port import Chance, Choice, Settled
from certify.model.game import Game
from certify.model.strategy import Strategy

Key = tuple[object, ...]


def counted_return(game: Game, pair: Pair) -> Fraction:
    """Returns the exact return of the bet under a pair of strategies, counted without the enumerator.

    Every ordered deal is followed card by card through the reference round, cards of one class at once, each with
    the number of cards of its class that are left. What was dealt in another order but leaves the same hands is
    followed once, where neither strategy looks at the order.

    Args:
        game: The game, of one seat.
        pair: How player and bank play; a strategy that decides by lot is followed both ways.
    """
    return 1 + _Counted(reference(game), pair).value()


class _Counted:
    """Expected net results of the states of one round, each followed once."""

    def __init__(self, rules: FreeBankRound, pair: Pair) -> None:
        self.round, self.pair = rules, pair
        self.blind = isinstance(pair.player, StandOn) and isinstance(pair.bank, StandOn)
        self.known: dict[Key, Fraction] = {}

    def value(self) -> Fraction:
        """Returns the expected net result of the first seat."""
        return self._value(self.round.start())

    def _value(self, state: BankTable) -> Fraction:
        key = self._key(state)
        if key not in self.known:
            self.known[key] = self._follow(state)
        return self.known[key]

    def _follow(self, state: BankTable) -> Fraction:
        node = self.round.node(state)
        if isinstance(node, Settled):
            return node.results[0].net
        if isinstance(node, Choice):
            sees = node.sees
            chances = self.pair.chances(sees, node.ids)  # type: ignore[arg-type]
            return sum(
                (chance * self._value(self.round.decided(state, option)) for option, chance in chances),
                Fraction(0),
            )
        return self._drawn(state, node)

    def _drawn(self, state: BankTable, node: Chance) -> Fraction:
        by_class: dict[int, list[int]] = {}
        for card in sorted(state.deck.left):
            by_class.setdefault(self.round.classes[card], []).append(card)
        total = sum(
            (len(cards) * self._value(self.round.drawn(state, cards[0])) for cards in by_class.values()),
            Fraction(0),
        )
        return total / len(state.deck.left)

    def _key(self, state: BankTable) -> Key:
        """Returns what still matters of a state to the rules and to both strategies."""
        if not self.blind:
            return (self.round.matters(state),)
        kinds = self.round.classes
        seat = state.seats[0]
        hands = tuple((tuple(sorted(kinds[card] for card in hand.cards)), hand.end) for hand in seat.hands)
        bank = tuple(sorted(kinds[card] for card in state.bank))
        gone = -1 if seat.given_up == NO_CARD else kinds[seat.given_up]
        return hands, bank, gone, seat.covered, seat.face_came != NO_CARD, state.bank_stood, state.decision


def counted(game: Game, strategy: Strategy) -> Mapping[str, Fraction]:
    """Returns the exact return of the bet where both look at their own total alone: others look at the order."""
    if not isinstance(strategy, Pair) or rules_of(game).seats != 1:
        return {}
    if not all(isinstance(side, StandOn) for side in (strategy.player, strategy.bank)):
        return {}
    return {BET: counted_return(game, strategy)}
