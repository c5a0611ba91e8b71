"""What each first card is worth against a bank, and what choosing the stake after it brings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from certify.families.free_bank.exact.best_player import player_best_response
from certify.families.free_bank.exact.figures import values_of
from certify.families.free_bank.exact.own_hands import FIRST
from certify.families.free_bank.exact.settlement import BankTerms
from certify.families.free_bank.strategy import Conduct


@dataclass(frozen=True, slots=True)
class FirstCard:
    """What a first card is worth against a bank, everything after it played best.

    Args:
        card: Its class.
        chance: How often it comes.
        values: Exact expected net result of each decision, in stakes.
    """

    card: int
    chance: Fraction
    values: Mapping[str, Fraction]

    @property
    def best(self) -> str:
        """The best decision; standing where it is no worse."""
        return max(self.values, key=lambda option: self.values[option])

    @property
    def value(self) -> Fraction:
        """What the card is worth."""
        return self.values[self.best]


def first_cards(terms: BankTerms, bank: Conduct) -> tuple[FirstCard, ...]:
    """Returns what each first card is worth against a bank; a player never splits here."""
    found = player_best_response(terms, bank)
    return tuple(
        FirstCard(node.cards[0], found.own.dealt(node), values_of(worth))
        for node, worth in zip(found.own.nodes, found.worths, strict=True)
        if node.before == FIRST
    )


def gain_of_choosing_stakes(terms: BankTerms, bank: Conduct, most: int) -> Fraction:
    """Returns what a player gains per round by staking up to ``most`` units after the first card.

    The bank goes on as it did before. A bank that draws its conclusions from the stake gives less.
    """
    return sum(
        ((most - 1) * card.chance * max(card.value, Fraction(0)) for card in first_cards(terms, bank)),
        Fraction(0),
    )
