"""What a submission of a game with a free bank states, and which rows its rounds can reach."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from certify.errors import InputError
from certify.families.free_bank import rulebook
from certify.families.free_bank.rules import BET, FAMILY_ID, RULE_IDS, FreeBankRules, read_rules, rules_of
from certify.families.port import Problems, RuleReader, TableForm
from certify.families.seven_and_a_half.cards import FRENCH_SUITS, SUITS
from certify.families.seven_and_a_half.submitted import MATTA_AS_PLAYED, SubmittedMatta, with_cards
from certify.model.game import Game

SPANISH_SUITS: Final = ("Oros", "Copas", "Espadas", "Bastos")
"""Suits of the Spanish deck, in the order of the ids."""


class FreeBankSubmission:
    """Rules, the bet, its rows and tables of a game with a free bank."""

    rule_ids: tuple[str, ...] = RULE_IDS
    wager_ids: tuple[str, ...] = (BET,)
    bankers: tuple[str, ...] = ("player",)
    tables: Mapping[str, TableForm] = {"matta": TableForm(SubmittedMatta)}

    def read(self, rules: RuleReader) -> FreeBankRules:
        """Returns the rules of play."""
        return read_rules(rules)

    def check(self, game: Game, tables: Mapping[str, Any], problems: Problems) -> Game:
        """Returns the game with the values of its cards; records what is not played here."""
        rules = rules_of(game)
        if rules.matta and tables.get("matta") is None:
            problems.add(("matta",), "the rules know a matta: expected a table that names it")
        if not rules.matta and tables.get("matta") is not None:
            problems.add(
                ("matta",), 'the rules know no matta: expected rule "matta" to be true, or no such table'
            )
        decks = game.equipment[1:]
        if rules.seats == 1 and decks:
            problems.add(("equipment",), "one seat never empties a deck: expected one deck")
        if any(
            deck.shows != game.equipment[0].shows or deck.faces != game.equipment[0].faces for deck in decks
        ):
            problems.add(
                ("equipment",), "further decks give the order of the same forty cards: expected equal ones"
            )
        read = with_cards(
            replace(game, equipment=game.equipment[:1]),
            _suits(game, rules),
            MATTA_AS_PLAYED,
            tables,
            problems,
        )
        return replace(read, equipment=game.equipment)

    def required_wagers(self, game: Game) -> tuple[str, ...]:
        """Returns the bet."""
        return self.wager_ids

    def paid_rows(self, game: Game, wager: str) -> tuple[str, ...]:
        """Returns the rows that the bank pays, the best hand first.

        Raises:
            InputError: The family has no such wager.
        """
        if wager != BET:
            raise InputError(f"{FAMILY_ID} has no wager {wager!r}: expected {BET}")
        return rulebook.PAID if rules_of(game).reale else rulebook.PAID[1:]

    def reachable_rows(self, game: Game, wager: str) -> tuple[str, ...]:
        """Returns every row that some hand falls in, winning rows first.

        Raises:
            InputError: The family has no such wager.
        """
        rules = rules_of(game)
        return (
            *self.paid_rows(game, wager),
            rulebook.LOSE,
            rulebook.BUST,
            rulebook.BANK_SEVEN_AND_A_HALF,
            rulebook.BOTH_SEVEN_AND_A_HALF,
            *((rulebook.BOTH_REALE,) if rules.reale else ()),
            *((rulebook.SPLIT,) if rules.hands > 1 else ()),
        )

    def row_of(self, outcome: str) -> str:
        """Returns the outcome itself; of several hands, the row of rounds that were split."""
        return rulebook.SPLIT if rulebook.AND in outcome else outcome


def _suits(game: Game, rules: FreeBankRules) -> tuple[str, ...]:
    """Returns the suits that the deck is held to: those it has, where the game is played with them."""
    stated = game.equipment[0].suits if game.equipment else SUITS
    known = (SUITS,) if rules.matta else (SUITS, SPANISH_SUITS, FRENCH_SUITS)
    return stated if stated in known else known[0]
