"""The bracket that a pair of strategies proves: what each secures against the best answer of the other side.

Whatever the bank does, the player's strategy keeps at least what it gets against the bank's best answer; whatever the
player does, the bank's strategy gives at most what the player's best answer takes. The value of the game lies between
the two. Both best answers are found exactly, so the bracket holds whoever proposed the strategies, and however.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from certify.families.free_bank.exact.best_bank import bank_best_response
from certify.families.free_bank.exact.best_player import player_best_response
from certify.families.free_bank.exact.settlement import Terms
from certify.families.free_bank.strategy import Conduct


@dataclass(frozen=True, slots=True)
class Bracket:
    """An interval that is proven to contain the value of a game, as expected net results of the player in stakes.

    Args:
        lower: What the player's strategy keeps against the bank's best answer.
        upper: What the bank's strategy gives to the player's best answer.
    """

    lower: Fraction
    upper: Fraction

    def __post_init__(self) -> None:
        """Refuses a bracket that no pair of strategies can have."""
        if self.lower > self.upper:
            raise ValueError(f"the bracket is empty: {self.lower} lies above {self.upper}")

    @property
    def width(self) -> Fraction:
        """How far apart the ends are."""
        return self.upper - self.lower


def bracket(terms: Terms, player: Conduct, bank: Conduct) -> Bracket:
    """Returns the bracket that a pair of strategies proves; nothing is solved.

    Args:
        terms: Deck, rules and pays.
        player: The player's strategy.
        bank: The bank's strategy.

    Raises:
        InputError: One of them has no answer to something that it sees.
    """
    return Bracket(bank_best_response(terms, player).value, player_best_response(terms, bank).value)
