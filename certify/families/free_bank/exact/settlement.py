"""What a pair of final hands pays, apart from the reference round and from play-through."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Final

from certify.errors import InputError
from certify.families.free_bank.rules import FreeBankRules, is_reale, rules_of, total
from certify.families.seven_and_a_half.cards import (
    MATTA,
    RANK_FIRST_FACE,
    RANKS,
    SEVEN_AND_A_HALF,
    card_name,
)
from certify.families.seven_and_a_half.counting import Hand
from certify.model import Equipment, Game

PLAIN: Final = SEVEN_AND_A_HALF
"""The end of a hand with 7½ that is no reale; lower numbers are ends of hands that stood on that total."""

REALE: Final = PLAIN + 1
BUST: Final = PLAIN + 2

End = int
"""How a hand ended: its total in half points below 7½, or one of the three above."""

Cards = tuple[int, ...]
"""Cards by class in the order dealt."""


@dataclass(frozen=True, slots=True)
class BankTerms:
    """Everything that a round of one seat against the bank is counted by.

    Args:
        rules: Rules of play.
        win: Net pay of a hand below 7½ that wins, in stakes.
        seven_and_a_half: Net pay of 7½.
        reale: Net pay of a reale.
        deck: Cards of each class; the deck of the rules where left out. Smaller ones serve to deal every deal.
    """

    rules: FreeBankRules
    win: Fraction = Fraction(1)
    seven_and_a_half: Fraction = Fraction(1)
    reale: Fraction = Fraction(1)
    deck: Hand = field(default=())

    def __post_init__(self) -> None:
        """Takes the deck of the rules where none is given."""
        if not self.deck:
            object.__setattr__(self, "deck", self.rules.deck)

    @property
    def size(self) -> int:
        """Cards in the deck."""
        return sum(self.deck)

    @property
    def of_hands(self) -> BankTerms:
        """The terms as far as it depends on them which hands there are and how they end: pays are left out."""
        rules = self.rules
        kept = FreeBankRules(matta=rules.matta, swap=rules.swap, reale=rules.reale)
        return BankTerms(kept, deck=self.deck)

    def end(self, hand: Cards) -> End:
        """Returns how a hand ends if nothing more is drawn to it."""
        points = total(hand)
        if points > SEVEN_AND_A_HALF:
            return BUST
        if points == SEVEN_AND_A_HALF and self.rules.reale and is_reale(hand):
            return REALE
        return points

    def pay(self, player: End) -> Fraction:
        """Returns what a hand is paid when it wins."""
        if player < PLAIN:
            return self.win
        return self.reale if player == REALE else self.seven_and_a_half

    def net(self, player: End, bank: End) -> Fraction:
        """Returns the net result of a player's hand against the bank's, in stakes of that hand."""
        outcome = outcome_of(player, bank)
        if outcome in PAID:
            return self.pay(player)
        if outcome == ROW_BANK:
            return Fraction(-self.rules.bank_collects)
        return Fraction(-self.rules.bank_collects_from_seven_and_a_half if outcome == ROW_BOTH else -1)


ROW_WIN: Final = "win"
ROW_SEVEN_AND_A_HALF: Final = "seven-and-a-half"
ROW_REALE: Final = "reale"
ROW_LOSE: Final = "lose"
ROW_BUST: Final = "bust"
ROW_BANK: Final = "bank-seven-and-a-half"
ROW_BOTH: Final = "both-seven-and-a-half"
ROW_BOTH_REALE: Final = "both-reale"

PAID: Final = (ROW_REALE, ROW_SEVEN_AND_A_HALF, ROW_WIN)
"""Outcomes that the bank pays."""


def outcome_of(player: End, bank: End) -> str:
    """Returns how a hand ended against the bank's, as the paytable and the house name it.

    A player's hand that exceeds 7½ has lost whatever the bank does, ties are the bank's, and a reale loses to a reale
    alone.
    """
    if player == BUST:
        return ROW_BUST
    if player == REALE:
        return ROW_BOTH_REALE if bank == REALE else ROW_REALE
    if bank in (PLAIN, REALE):
        return ROW_BOTH if player == PLAIN else ROW_BANK
    if player == PLAIN:
        return ROW_SEVEN_AND_A_HALF
    return ROW_WIN if bank == BUST or player > bank else ROW_LOSE


@lru_cache(maxsize=64)
def terms_of(game: Game) -> BankTerms:
    """Returns the terms of a game of this family, pays from its paytable.

    Raises:
        InputError: The game is of another family, or a row without which it cannot be counted is missing.
    """
    rules = rules_of(game)
    pays = {row.id: row.pays for row in game.wagers[0].paytable.rows}
    needed = (ROW_WIN, ROW_SEVEN_AND_A_HALF, *((ROW_REALE,) if rules.reale else ()))
    missing = [row for row in needed if row not in pays]
    if missing:
        raise InputError(f"{game.path}: no pay for {', '.join(missing)}: expected one for each")
    plain, best = pays[ROW_WIN], pays[ROW_SEVEN_AND_A_HALF]
    return BankTerms(rules, plain, best, pays.get(ROW_REALE, Fraction(0)), _deck(game.equipment[0], rules))


def _deck(deck: Equipment, rules: FreeBankRules) -> Hand:
    """Returns the cards of each class in a deck, which may lack some of the forty."""
    held = [deck.name_of(item) for item in range(deck.size)]
    ranks = [card.partition(" of ")[0] for card in held]
    numbers, faces = RANKS[:RANK_FIRST_FACE], RANKS[RANK_FIRST_FACE:]
    mattas = held.count(card_name(MATTA, deck.suits)) if rules.matta else 0
    return (*map(ranks.count, numbers), sum(map(ranks.count, faces)) - mattas, mattas)
