"""What a submission of the line bets states, and which rows its rounds can reach."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from certify.errors import InputError
from certify.families.craps.rules import (
    DONT,
    FAMILY_ID,
    LAID,
    LOSE,
    LOST,
    PAIRS,
    PASS,
    PUSH,
    RULE_IDS,
    TAKEN,
    WAGER_IDS,
    WIN,
    CrapsRules,
    odds_of,
    rules_of,
)
from certify.families.port import Problems, RuleReader, TableForm
from certify.model.equipment import Kind
from certify.model.game import Game

LEAST_THROWS: Final = 100
"""Throws of a die that a row must hold: about one round in eight million needs more than fifty rolls."""


class CrapsSubmission:
    """Rules, wagers and rows of the line bets."""

    rule_ids: tuple[str, ...] = RULE_IDS
    wager_ids: tuple[str, ...] = WAGER_IDS
    bankers: tuple[str, ...] = ("house",)
    tables: Mapping[str, TableForm] = {}

    def read(self, rules: RuleReader) -> CrapsRules:
        """Returns the rules of play."""
        odds = rules.text("odds", "none")
        try:
            multiples = odds_of(odds)
        except InputError as error:
            rules.refuse("odds", str(error))
            multiples = odds_of("none")
        return CrapsRules(multiples, int(rules.choice("barred", ("12", "2"), "12")))

    def check(self, game: Game, tables: Mapping[str, Any], problems: Problems) -> Game:
        """Returns the game; records equipment that is not one die thrown often enough."""
        if game.equipment and [(piece.kind, piece.size) for piece in game.equipment] != [(Kind.DICE, 6)]:
            problems.add(("equipment",), "this family is played with dice of six sides, stated as one piece")
        elif game.equipment and (game.equipment[0].supply % 2 or game.equipment[0].supply < LEAST_THROWS):
            problems.add(
                ("equipment", 0, "draws"),
                f"{game.equipment[0].supply} throws: expected an even number of at least {LEAST_THROWS}, as a round "
                "may take many rolls of two dice",
            )
        against = any(wager.id == DONT for wager in game.wagers)
        return replace(game, rules=replace(rules_of(game), against=against))

    def required_wagers(self, game: Game) -> tuple[str, ...]:
        """Returns the bet on the line."""
        return (PASS,)

    def paid_rows(self, game: Game, wager: str) -> tuple[str, ...]:
        """Returns the rows of a bet that return something.

        Raises:
            InputError: The family has no such wager.
        """
        if wager not in WAGER_IDS:
            raise InputError(f"{FAMILY_ID} has no wager {wager!r}: expected one of {', '.join(WAGER_IDS)}")
        first = TAKEN if wager == PASS else LAID
        odds = tuple(f"{first}-{pair}" for pair in dict.fromkeys(PAIRS.values()))
        return (WIN, *(odds if rules_of(game).offers_odds else ()), *((PUSH,) if wager == DONT else ()))

    def reachable_rows(self, game: Game, wager: str) -> tuple[str, ...]:
        """Returns every row that some round falls in, winning rows first."""
        return (*self.paid_rows(game, wager), LOSE)

    def row_of(self, outcome: str) -> str:
        """Returns the row of an outcome: a bet lost with odds is lost.

        >>> CrapsSubmission().row_of("lost-4-10"), CrapsSubmission().row_of("odds-4-10")
        ('lose', 'odds-4-10')
        """
        return LOSE if outcome.startswith(f"{LOST}-") else outcome
