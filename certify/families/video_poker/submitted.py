"""What a submission of video poker states, and which rows its rounds can reach."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from certify.analysis.hands.deck import RANKS
from certify.families.stated import Stated
from certify.families.video_poker.rules import (
    BET,
    BONUS_ROWS,
    FAMILY_ID,
    RANKING,
    RULE_IDS,
    read_rules,
    rules_of,
)
from certify.model.equipment import FRENCH_SUITS, Kind
from certify.model.game import Game

LEAST_CARDS: Final = 10
"""A deck holds a hand and five more cards, for a player who draws all anew."""

MOST_JOKERS: Final = 2


def _possible(game: Game) -> tuple[str, ...]:
    rules = rules_of(game)
    bonus = BONUS_ROWS if rules.wild == "none" else ()
    return tuple(row for row in RANKING if row in (*rules.required_rows, *bonus))


def _rows(game: Game, wager: str) -> tuple[str, ...]:
    """Returns the rows that a paytable must name, and those that it splits off four of a kind, highest first."""
    required = rules_of(game).required_rows
    named = {row for one in game.wagers for row in one.paytable.ids}
    return tuple(row for row in _possible(game) if row in named or row in required)


def _unnamed(game: Game, wager: str) -> tuple[str, ...]:
    """Returns the rows that no round falls in, for the paytable does not name them."""
    named = game.wager(wager).paytable.ids
    return tuple(row for row in _possible(game) if row not in named)


def _shown(game: Game) -> Game:
    """Returns the game, its rules told the suits of the deck."""
    if not game.equipment:
        return game
    return replace(game, rules=replace(rules_of(game), suits=game.equipment[0].suits))


def _complaint(game: Game) -> str:
    """Returns what is wrong with the deck, nothing where it serves."""
    equipment, rules = game.equipment, rules_of(game)
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


STATED: Final = Stated(
    family=FAMILY_ID,
    rule_ids=RULE_IDS,
    wager_ids=(BET,),
    rules=read_rules,
    rows=_rows,
    complaint=_complaint,
    unreachable=_unnamed,
    required=(BET,),
    completed=_shown,
)
"""Rules, the one wager, rows and deck of video poker."""
