"""The bracket that a pair of strategies proves: what each secures against the best answer of the other side.

Whatever the bank does, the player's strategy keeps at least what it gets against the bank's best answer; whatever the
player does, the bank's strategy gives at most what the player's best answer takes. The value of the game lies between
the two. Both best answers are found exactly, so the bracket holds whoever proposed the strategies, and however.
"""

from __future__ import annotations

from certify.families.free_bank.exact.best_bank import bank_best_response
from certify.families.free_bank.exact.best_player import player_best_response
from certify.families.free_bank.exact.settlement import BankTerms
from certify.families.free_bank.strategy import Conduct
from certify.model.figures import Bracket


def bracket(terms: BankTerms, player: Conduct, bank: Conduct) -> Bracket:
    """Returns the bracket that a pair of strategies proves, as net results in stakes; nothing is solved.

    Args:
        terms: Deck, rules and pays.
        player: The player's strategy.
        bank: The bank's strategy.

    Raises:
        InputError: One of them has no answer to something that it sees.
    """
    return Bracket(bank_best_response(terms, player).value, player_best_response(terms, bank).value)
