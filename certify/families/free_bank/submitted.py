"""What a submission of a game with a free bank states, and which rows its rounds can reach."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from certify.families.declared_rules import Stated
from certify.families.free_bank import rulebook
from certify.families.free_bank.rules import BET, FAMILY_ID, RULE_IDS, FreeBankRules, read_rules, rules_of
from certify.families.port import Problems, TableForm
from certify.families.seven_and_a_half.cards import FRENCH_SUITS, SUITS
from certify.families.seven_and_a_half.submitted import MATTA_AS_PLAYED, SubmittedMatta, with_cards
from certify.model import Game

SPANISH_SUITS: Final = ("Oros", "Copas", "Espadas", "Bastos")
"""Suits of the Spanish deck, in the order of the ids."""


def _checked(game: Game, tables: Mapping[str, Any], problems: Problems) -> Game:
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
    if any(deck.shows != game.equipment[0].shows or deck.faces != game.equipment[0].faces for deck in decks):
        problems.add(
            ("equipment",), "further decks give the order of the same forty cards: expected equal ones"
        )
    dealt = replace(game, equipment=game.equipment[:1])
    read = with_cards(dealt, _suits(game, rules), MATTA_AS_PLAYED, tables, problems)
    return replace(read, equipment=game.equipment)


def _rows(game: Game, wager: str) -> tuple[str, ...]:
    return rulebook.PAID if rules_of(game).reale else rulebook.PAID[1:]


def _losing(game: Game, wager: str) -> tuple[str, ...]:
    rules = rules_of(game)
    return (
        rulebook.LOSE,
        rulebook.BUST,
        rulebook.BANK_SEVEN_AND_A_HALF,
        rulebook.BOTH_SEVEN_AND_A_HALF,
        *((rulebook.BOTH_REALE,) if rules.reale else ()),
        *((rulebook.SPLIT,) if rules.hands > 1 else ()),
    )


def _row(outcome: str) -> str:
    """Returns the outcome itself; of several hands, the row of rounds that were split."""
    return rulebook.SPLIT if rulebook.AND in outcome else outcome


def _suits(game: Game, rules: FreeBankRules) -> tuple[str, ...]:
    """Returns the suits that the deck is held to: those it has, where the game is played with them."""
    stated = game.equipment[0].suits if game.equipment else SUITS
    known = (SUITS,) if rules.matta else (SUITS, SPANISH_SUITS, FRENCH_SUITS)
    return stated if stated in known else known[0]


SUBMITTED: Final = Stated(
    family=FAMILY_ID,
    rule_ids=RULE_IDS,
    wager_ids=(BET,),
    rules=read_rules,
    rows=_rows,
    required=(BET,),
    losing=_losing,
    row=_row,
    bankers=("player",),
    tables={"matta": TableForm(SubmittedMatta)},
    checked=_checked,
)
"""Rules, the bet, its rows and tables of a game with a free bank."""
