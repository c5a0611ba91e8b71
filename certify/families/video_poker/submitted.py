"""What a submission of video poker states, and which rows its rounds can reach."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from certify.analysis.hands.deck import RANKS
from certify.errors import InputError
from certify.families.port import Problems, RuleReader, TableForm
from certify.families.video_poker.rules import (
    BET,
    BONUS_ROWS,
    FAMILY_ID,
    LOSE,
    RANKING,
    RULE_IDS,
    VideoPokerRules,
    read_rules,
    rules_of,
)
from certify.model.equipment import FRENCH_SUITS, Equipment, Kind
from certify.model.game import Game

LEAST_CARDS: Final = 10
"""A deck holds a hand and five more cards, for a player who draws all anew."""

MOST_JOKERS: Final = 2


class VideoPokerSubmission:
    """Rules, the one wager, rows and deck of video poker."""

    rule_ids: tuple[str, ...] = RULE_IDS
    wager_ids: tuple[str, ...] = (BET,)
    bankers: tuple[str, ...] = ("house",)
    tables: Mapping[str, TableForm] = {}

    def read(self, rules: RuleReader) -> VideoPokerRules:
        """Returns the rules of play."""
        return read_rules(rules)

    def check(self, game: Game, tables: Mapping[str, Any], problems: Problems) -> Game:
        """Returns the game, its rules told the suits of the deck; records where the deck does not fit them."""
        if not game.equipment:
            return game
        rules = rules_of(game)
        complaint = _complaint(game.equipment, rules)
        if complaint:
            problems.add(("equipment",), complaint)
        return replace(game, rules=replace(rules, suits=game.equipment[0].suits))

    def required_wagers(self, game: Game) -> tuple[str, ...]:
        """Returns the one wager."""
        return self.wager_ids

    def paid_rows(self, game: Game, wager: str) -> tuple[str, ...]:
        """Returns the rows that a paytable must name, and those that it splits off four of a kind, highest first.

        Raises:
            InputError: The family has no such wager.
        """
        required = self._rules(game, wager).required_rows
        named = {row for one in game.wagers for row in one.paytable.ids}
        return tuple(row for row in self._possible(game) if row in named or row in required)

    def reachable_rows(self, game: Game, wager: str) -> tuple[str, ...]:
        """Returns the rows of the paytable that some hand is, and the losing one.

        Raises:
            InputError: The family has no such wager.
        """
        self._rules(game, wager)
        named = game.wager(wager).paytable.ids
        return (*(row for row in self._possible(game) if row in named), LOSE)

    def row_of(self, outcome: str) -> str:
        """Returns the row of an outcome: itself."""
        return outcome

    def _rules(self, game: Game, wager: str) -> VideoPokerRules:
        if wager != BET:
            raise InputError(f"{FAMILY_ID} has no wager {wager!r}: expected {BET}")
        return rules_of(game)

    def _possible(self, game: Game) -> tuple[str, ...]:
        rules = rules_of(game)
        bonus = BONUS_ROWS if rules.wild == "none" else ()
        return tuple(row for row in RANKING if row in (*rules.required_rows, *bonus))


def _complaint(equipment: tuple[Equipment, ...], rules: VideoPokerRules) -> str:
    """Returns what is wrong with the deck, nothing where it serves."""
    if [piece.kind for piece in equipment] != [Kind.SHOE] or equipment[0].decks != 1:
        return "video poker is dealt from one deck: expected one piece of the kind shoe with one deck"
    (deck,) = equipment
    if any(rank not in RANKS for rank in deck.ranks) or any(suit not in FRENCH_SUITS for suit in deck.suits):
        return f"expected ranks of {', '.join(RANKS)} and suits of {', '.join(FRENCH_SUITS)}"
    jokers = [face for face in deck.faces if " of " not in face]
    if len(deck.faces) - len(jokers) != len(deck.ranks) * len(deck.suits):
        return "a deck with cards removed is not supported: suits would not be alike any more"
    if bool(jokers) != rules.jokers_wild or len(jokers) > MOST_JOKERS:
        return f'{len(jokers)} jokers, and wild cards "{rules.wild}": expected 1 or 2 jokers where jokers are wild'
    if rules.deuces_wild and "2" not in deck.ranks:
        return "deuces are wild in a deck without any"
    if deck.size < LEAST_CARDS:
        return f"a deck of {deck.size} cards: expected at least {LEAST_CARDS}, a hand and five to draw"
    return ""
