"""What the enumeration needs to know of a game: its hands, its dealer, its settlement."""

from __future__ import annotations

from dataclasses import dataclass, replace

from certify.errors import InputError
from certify.families.sette_e_mezzo.exact.hands import PlayerHands, player_hands
from certify.families.sette_e_mezzo.exact.settlement import MainTerms, main_terms
from certify.families.sette_e_mezzo.rules import PairCondition, rules_of
from certify.families.seven_and_a_half.counting import FULL_DECK, ClassDeck
from certify.families.seven_and_a_half.dealer import Dealer, DealerRule, dealer_for
from certify.families.seven_and_a_half.submitted import RANK_VALUES
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
    """

    deck: ClassDeck
    hands: PlayerHands
    dealer: Dealer
    terms: MainTerms
    pair_condition: PairCondition

    def under(self, terms: MainTerms) -> GameTree:
        """Returns the same game with other terms of the main wager."""
        return replace(self, terms=terms)


def game_tree(game: Game, deck: ClassDeck = FULL_DECK) -> GameTree:
    """Returns what the enumeration needs to know of a game, dealt from the whole deck or a smaller one.

    Raises:
        InputError: Cards count otherwise than in this family.
    """
    if dict(game.values) != dict(RANK_VALUES):
        raise InputError(
            f"{game.path}: cards of different values than the family's: enumeration expects these"
        )
    rules = rules_of(game)
    rule = DealerRule(
        rules.dealer_stands_on, rules.dealer_draws_on_first_face, rules.dealer_chases_seven_and_a_half
    )
    return GameTree(
        deck=deck,
        hands=player_hands(deck, rules.player_draws_on_first_face),
        dealer=dealer_for(deck, rule),
        terms=main_terms(game),
        pair_condition=rules.pair_condition,
    )
