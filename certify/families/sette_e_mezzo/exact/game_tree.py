"""What the enumeration needs to know of a game: its hands, its dealer, its settlement."""

from __future__ import annotations

from dataclasses import dataclass, replace

from certify.families.sette_e_mezzo.exact.dealer_rule import dealer_rule
from certify.families.sette_e_mezzo.exact.hands import PlayerHands, player_hands
from certify.families.sette_e_mezzo.exact.settlement import MainTerms, main_terms
from certify.families.sette_e_mezzo.rules import PairCondition, rules_of
from certify.families.seven_and_a_half.counting import FULL_DECK, ClassDeck
from certify.families.seven_and_a_half.dealer import Dealer, dealer_for
from certify.families.seven_and_a_half.values import card_values
from certify.model.game import Game


@dataclass(frozen=True, slots=True, eq=False)
class GameTree:
    """All that decides how a round goes on and ends.

    Args:
        deck: The cards that are dealt from.
        hands: Every hand that a player can hold.
        dealer: Counter of the dealer's hands, shared by all games with the same dealer.
        terms: Rules and pays of the main wager.
        pair_condition: When a pair of first cards wins Partita Perfetta.
        dealer_stands_on: Total on which the dealer stands, in half points.
        dealer_draws_on_first_face: Whether the dealer draws on a first face card, whatever its total.
    """

    deck: ClassDeck
    hands: PlayerHands
    dealer: Dealer
    terms: MainTerms
    pair_condition: PairCondition
    dealer_stands_on: int
    dealer_draws_on_first_face: bool

    def under(self, terms: MainTerms) -> GameTree:
        """Returns the same game with other terms of the main wager."""
        return replace(self, terms=terms)


def game_tree(game: Game, deck: ClassDeck = FULL_DECK) -> GameTree:
    """Returns what the enumeration needs to know of a game, dealt from the whole deck or a smaller one."""
    values = card_values(game)
    rules = rules_of(game)
    return GameTree(
        deck=deck,
        hands=player_hands(deck, values, rules.player_draws_on_first_face),
        dealer=dealer_for(deck, values, dealer_rule(rules)),
        terms=main_terms(game),
        pair_condition=rules.pair_condition,
        dealer_stands_on=rules.dealer_stands_on,
        dealer_draws_on_first_face=rules.dealer_draws_on_first_face,
    )
