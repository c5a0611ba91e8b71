"""The rules of the games with an open dealer's card, behind the port that rounds need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from certify.errors import InputError
from certify.families.open_card import rulebook
from certify.families.open_card.family import OpenCardFamily
from certify.families.open_card.round import net_pay
from certify.families.open_card.rules import OpenCardRules
from certify.model.paytable import Paytable
from certify.rounds.play import FOLD, HIT, STAND, Position, Result, move_of


@dataclass(frozen=True, slots=True)
class _Hand:
    """How far the player came: cards, what may be decided next, the final bet in antes, whether folded."""

    cards: tuple[int, ...]
    options: tuple[str, ...]
    final_bet: int = 0
    folded: bool = False


@dataclass(frozen=True, slots=True)
class OpenCardPlay:
    """A Seven and a Half game with an open dealer's card, one decision at a time.

    Args:
        rules: Rules of play.
        paytable: What the ante pays, the final bet alike.
    """

    rules: OpenCardRules
    paytable: Paytable

    @property
    def decisions(self) -> tuple[str, ...]:
        """Every decision that some round of the game offers."""
        first = rulebook.decisions((0,), self.rules)
        longer = () if self.rules.player_maximum_cards <= 2 else (STAND, HIT)
        return tuple(dict.fromkeys((*first, *longer)))

    @property
    def final_bets(self) -> tuple[int, ...]:
        """Multiples of the ante that a final bet may be; empty where the ante is the only bet."""
        return self.rules.final_bets

    def final_bet(self, decision: str) -> int:
        """Returns the final bet that a decision places, in antes.

        >>> OpenCardPlay(OpenCardRules(), Paytable(())).final_bet("hit-2")
        2
        """
        placed = decision.partition("-")[2]
        return int(placed) if placed.isdecimal() and int(placed) in self.rules.final_bets else 0

    def witnesses(self) -> tuple[tuple[int, ...], ...]:
        """Returns a deck for each way a round can end, the King of diamonds first at either side included.

        A way for which the family knows no example under these rules is left to the shuffled decks.
        """
        family = OpenCardFamily()
        decks: dict[tuple[int, ...], None] = {}
        for row in family.reachable_rows(rulebook.ANTE, self.rules):
            with suppress(InputError):
                decks[family.witness(rulebook.ANTE, row, self.rules).deck] = None
        return tuple(decks)

    def position(self, deck: Sequence[int], decisions: Sequence[str]) -> Position:
        """Returns how the round stands after the decisions; the dealer's first card lies open from the deal on.

        Raises:
            InputError: A decision was not offered.
        """
        hand = self._hand(deck, decisions)
        if hand.options:
            return Position(hand.cards, (deck[1],), hand.options)
        return Position(hand.cards, self._dealer(deck, hand), ())

    def settle(self, deck: Sequence[int], decisions: Sequence[str]) -> Mapping[str, Result]:
        """Returns how the round ended, and its net result in antes with the final bet.

        Raises:
            InputError: The player's hand is not done, or a decision was not offered.
        """
        hand = self._hand(deck, decisions)
        if hand.options:
            raise InputError(f"the hand is not done after {len(decisions)} decisions: expected another one")
        outcome = self._outcome(deck, hand)
        net = net_pay(outcome, hand.final_bet, self.rules, self.paytable)
        return {rulebook.ANTE: Result(rulebook.outcome_id(outcome, hand.final_bet), net)}

    def _outcome(self, deck: Sequence[int], hand: _Hand) -> str:
        if rulebook.is_king_of_diamonds(hand.cards):
            return rulebook.KING
        if rulebook.is_king_of_diamonds((deck[1],)):
            return rulebook.DEALER_KING
        return rulebook.FOLD if hand.folded else rulebook.settle(hand.cards, self._dealer(deck, hand))

    def _hand(self, deck: Sequence[int], decisions: Sequence[str]) -> _Hand:
        hand = _Hand((deck[0],), self._options((deck[0],), deck))
        for number, decision in enumerate(decisions, start=1):
            if not hand.options:
                raise InputError(
                    f"{len(decisions)} decisions were recorded, expected {number - 1}: the hand was done"
                )
            if decision not in hand.options:
                raise InputError(
                    f"decision {number} was {decision!r}, expected one of {', '.join(hand.options)}"
                )
            hand = self._after(deck, hand, decision)
        return hand

    def _after(self, deck: Sequence[int], hand: _Hand, decision: str) -> _Hand:
        bet = hand.final_bet + self.final_bet(decision)
        if move_of(decision) != HIT:
            return _Hand(hand.cards, (), bet, decision == FOLD)
        cards = (*hand.cards, deck[1 + len(hand.cards)])
        return _Hand(cards, self._options(cards, deck), bet)

    def _options(self, cards: tuple[int, ...], deck: Sequence[int]) -> tuple[str, ...]:
        # A dealer who begins with the King of diamonds ends the round before anything is decided.
        if rulebook.is_king_of_diamonds((deck[1],)):
            return ()
        return rulebook.decisions(cards, self.rules)

    def _dealer(self, deck: Sequence[int], hand: _Hand) -> tuple[int, ...]:
        """Returns the dealer's hand once the player is done; the dealer draws only against a hand still in play."""
        dealer = [deck[1]]
        over = (
            hand.folded,
            rulebook.is_bust(hand.cards),
            *map(rulebook.is_king_of_diamonds, (hand.cards, dealer)),
        )
        if any(over):
            return tuple(dealer)
        following = iter(deck[1 + len(hand.cards) :])
        while rulebook.dealer_must_draw(dealer, self.rules):
            dealer.append(next(following))
        return tuple(dealer)
