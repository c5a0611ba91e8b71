"""What a submission of 7 e Mezzo states, and which rows its rounds can reach."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from certify.errors import InputError
from certify.families.port import Problems, RuleReader, TableForm
from certify.families.sette_e_mezzo.rules import (
    BUST,
    COMBINATIONS,
    FAMILY_ID,
    KING_SEVEN_AND_A_HALF,
    LOSE,
    MAIN,
    MANO_DI_POKER,
    NO_SECOND_CARD,
    NOT_UNCOVERED,
    PAIR_ACE_TO_SIX,
    PAIR_OF_FACES,
    PAIR_OF_SEVENS,
    PARTITA_PERFETTA,
    PUSH,
    RULE_IDS,
    WAGER_IDS,
    WIN,
    PairCondition,
    SetteEMezzoRules,
    Tie,
    read_rules,
    rules_of,
)
from certify.families.seven_and_a_half.cards import SUITS
from certify.families.seven_and_a_half.submitted import MATTA_AS_PLAYED, MATTA_TABLE, with_cards
from certify.model.game import Game

_LOSING: Final = (LOSE, BUST, NOT_UNCOVERED, NO_SECOND_CARD)


class SetteEMezzoSubmission:
    """Rules, wagers, rows and tables of 7 e Mezzo."""

    rule_ids: tuple[str, ...] = RULE_IDS
    wager_ids: tuple[str, ...] = WAGER_IDS
    bankers: tuple[str, ...] = ("house",)
    tables: Mapping[str, TableForm] = MATTA_TABLE

    def read(self, rules: RuleReader) -> SetteEMezzoRules:
        """Returns the rules of play."""
        return read_rules(rules)

    def check(self, game: Game, tables: Mapping[str, Any], problems: Problems) -> Game:
        """Returns the game with the values of its cards; records what is not played here."""
        return with_cards(game, SUITS, MATTA_AS_PLAYED, tables, problems)

    def required_wagers(self, game: Game) -> tuple[str, ...]:
        """Returns all three wagers: joint figures are counted over them."""
        return self.wager_ids

    def paid_rows(self, game: Game, wager: str) -> tuple[str, ...]:
        """Returns the rows of a wager that return something, in printed order.

        Raises:
            InputError: The family has no such wager.
        """
        return tuple(row for row in self.reachable_rows(game, wager) if row not in _LOSING)

    def reachable_rows(self, game: Game, wager: str) -> tuple[str, ...]:
        """Returns every row that some hand falls in, winning rows first.

        Raises:
            InputError: The family has no such wager.
        """
        rules = rules_of(game)
        if wager == MAIN:
            push = (PUSH,) if rules.tie is Tie.PUSH else ()
            return (KING_SEVEN_AND_A_HALF, WIN, *push, LOSE, BUST)
        if wager == PARTITA_PERFETTA:
            forfeits = rules.pair_condition is PairCondition.DEALER_MUST_UNCOVER
            pairs = (PAIR_OF_SEVENS, PAIR_OF_FACES, PAIR_ACE_TO_SIX)
            return (*pairs, *((NOT_UNCOVERED,) if forfeits else ()), LOSE)
        if wager == MANO_DI_POKER:
            return (*COMBINATIONS, NO_SECOND_CARD, LOSE)
        raise InputError(f"{FAMILY_ID} has no wager {wager!r}: expected one of {', '.join(self.wager_ids)}")

    def row_of(self, outcome: str) -> str:
        """Returns the outcome itself: each row is one outcome."""
        return outcome
