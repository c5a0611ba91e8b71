"""What a standing hand of the main wager is worth, counted in orders of the cards that are left."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from certify.families.sette_e_mezzo.exact.hands import is_king_seven_and_a_half
from certify.families.sette_e_mezzo.rules import Tie, rules_of
from certify.families.seven_and_a_half.cards import SEVEN_AND_A_HALF
from certify.families.seven_and_a_half.counting import Hand
from certify.families.seven_and_a_half.dealer import Dealer, DealerShowdown
from certify.model.game import Game

KING_ROW = "king-of-denari-seven-and-a-half"
WIN, LOSE, BUST, PUSH = "win", "lose", "bust", "push"
MAIN = "main"


@dataclass(frozen=True, slots=True)
class MainTerms:
    """Rules and pays that settle the main wager.

    Args:
        tie: What a tie does.
        king_beats_tie: Whether the two-card 7½ with the King of Denari is paid against a dealer's 7½.
        win: Net pay of a win.
        king: Net pay of the two-card 7½ with the King of Denari.
    """

    tie: Tie
    king_beats_tie: bool
    win: Fraction
    king: Fraction

    def pays(self, outcome: str) -> Fraction:
        """Returns the net result of an outcome per unit staked."""
        return {KING_ROW: self.king, WIN: self.win, PUSH: Fraction(0)}.get(outcome, Fraction(-1))


def main_terms(game: Game) -> MainTerms:
    """Returns the rules and pays that settle a game's main wager."""
    paytable = game.wager(MAIN).paytable
    rules = rules_of(game)
    return MainTerms(
        rules.tie,
        rules.king_wins_against_dealer_seven_and_a_half,
        paytable.pays(WIN),
        paytable.pays(KING_ROW),
    )


def settle(terms: MainTerms, hand: Hand, total: int, showdown: DealerShowdown) -> dict[str, int]:
    """Returns the orders of the remaining deck by outcome of a hand on which the player stands."""
    king = is_king_seven_and_a_half(hand, total)
    won = showdown.below + showdown.bust
    orders = {KING_ROW if king else WIN: won, LOSE: showdown.above}
    tied = KING_ROW if king and terms.king_beats_tie else PUSH if terms.tie is Tie.PUSH else LOSE
    orders[tied] = orders.get(tied, 0) + showdown.equal
    return {outcome: count for outcome, count in orders.items() if count}


def ended(terms: MainTerms, dealer: Dealer, hand: Hand, total: int) -> dict[str, int]:
    """Returns the orders of the remaining deck by outcome of a hand that gets no more cards."""
    if total > SEVEN_AND_A_HALF:
        return {BUST: dealer.deck.orders_left(hand)}
    return settle(terms, hand, total, dealer.showdown(hand))
