"""What a submission of a game with an open dealer's card states, and which rows its rounds can reach."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from certify.errors import InputError
from certify.families.open_card import rulebook
from certify.families.open_card.rules import (
    FAMILY_ID,
    RULE_IDS,
    OpenCardRules,
    OpenCardTie,
    read_rules,
    rules_of,
)
from certify.families.port import Problems, RuleReader, TableForm
from certify.families.seven_and_a_half.cards import FRENCH_SUITS, MATTA, card_name
from certify.families.seven_and_a_half.submitted import MATTA_TABLE, SubmittedMatta, with_cards
from certify.model.game import Game

KING_OF_DIAMONDS: Final = card_name(MATTA, FRENCH_SUITS)

KING_AS_PLAYED: Final = SubmittedMatta(
    KING_OF_DIAMONDS,
    "7½ as the first card, ½ otherwise",
    "by its place: it is 7½ only as the first card of a hand",
)


class OpenCardSubmission:
    """Rules, the one wager, rows and tables of the games with an open dealer's card."""

    rule_ids: tuple[str, ...] = RULE_IDS
    wager_ids: tuple[str, ...] = rulebook.WAGER_IDS
    bankers: tuple[str, ...] = ("house", "player")
    tables: Mapping[str, TableForm] = MATTA_TABLE

    def read(self, rules: RuleReader) -> OpenCardRules:
        """Returns the rules of play."""
        return read_rules(rules)

    def check(self, game: Game, tables: Mapping[str, Any], problems: Problems) -> Game:
        """Returns the game with the values of its cards; records what is not played here."""
        return with_cards(game, FRENCH_SUITS, KING_AS_PLAYED, tables, problems)

    def required_wagers(self, game: Game) -> tuple[str, ...]:
        """Returns the ante."""
        return self.wager_ids

    def paid_rows(self, game: Game, wager: str) -> tuple[str, ...]:
        """Returns the rows of the ante that return something.

        Raises:
            InputError: The family has no such wager.
        """
        push = (rulebook.PUSH,) if self._rules(game, wager).tie is OpenCardTie.PUSH else ()
        return (rulebook.KING, rulebook.WIN, *push)

    def reachable_rows(self, game: Game, wager: str) -> tuple[str, ...]:
        """Returns every row that some hand falls in, winning rows first.

        Raises:
            InputError: The family has no such wager.
        """
        folding = (rulebook.FOLD,) if self._rules(game, wager).final_bets else ()
        losing = (rulebook.LOSE, rulebook.BUST, *folding, rulebook.DEALER_KING)
        return (rulebook.KING, rulebook.WIN, rulebook.PUSH, *losing)

    def row_of(self, outcome: str) -> str:
        """Returns the row of an outcome, its final bet left out.

        >>> OpenCardSubmission().row_of("win-final-2"), OpenCardSubmission().row_of("fold")
        ('win', 'fold')
        """
        return outcome.partition("-final-")[0]

    def _rules(self, game: Game, wager: str) -> OpenCardRules:
        if wager not in self.wager_ids:
            raise InputError(
                f"{FAMILY_ID} has no wager {wager!r}: expected one of {', '.join(self.wager_ids)}"
            )
        return rules_of(game)
