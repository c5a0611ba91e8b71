"""What a submission of a game of several draws states, every mistake with its line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

from certify.analysis.hands.strength import not_whole
from certify.errors import InputError
from certify.families.described.compiler import Compiler, TooManyDealsError
from certify.families.described.open_cards import misread
from certify.families.described.reading import MOST_ENTRIES, Reader, described_of
from certify.families.described.rules import Bonus, DescribedRules, Lead, Offer, SettledBy, Turn
from certify.families.described.showdown import WHAT, Scene, Showdown, scene_of
from certify.families.described.submitted import NAMES, DescribedSubmission
from certify.families.described.supply import supplied
from certify.families.described.text import Kept, price_of, text_of
from certify.families.port import Problems, TableForm
from certify.families.several_draws.rules import rules_of
from certify.model.game import Game
from certify.model.stages import RoundText

TABLES: Final[Mapping[str, TableForm]] = {
    "each_turn": TableForm(Turn, many=True, required=True),
    "turn_leads": TableForm(Lead, many=True),
    "may_decide": TableForm(Offer, many=True),
    "settled_by": TableForm(SettledBy, many=True, required=True),
    "paid_besides": TableForm(Bonus, many=True),
    **NAMES,
}


class SeveralDrawsSubmission(DescribedSubmission):
    """Rules and tables of games of several draws; wagers and rows are the submission's own."""

    tables: Mapping[str, TableForm] = TABLES

    def check(self, game: Game, tables: Mapping[str, Any], problems: Problems) -> Game:
        """Returns the game with what it describes; records every mistake with its line."""
        stated = [tuple(tables.get(name) or ()) for name in TABLES]
        for name, entries in zip(TABLES, stated, strict=True):
            if len(entries) > MOST_ENTRIES:
                problems.add((name,), f"{len(entries)} entries: expected at most {MOST_ENTRIES:,}")
                return game
        turns, leads, offers, settlings, bonuses, groups, worths, rankings = stated
        wagers = tuple(wager.id for wager in game.wagers)
        rules = DescribedRules(turns, leads, offers, settlings, bonuses, groups, worths, rankings, wagers)
        described = replace(game, rules=rules)
        if not game.equipment or not turns or not wagers:
            return described
        reader = Reader(described, rules, problems.add)
        found = reader.described()
        reader.check_references()
        for key, message in () if reader.mistakes else misread(found, rules, game.equipment):
            reader.refuse(key, message)
        if reader.mistakes:
            return described
        try:
            Compiler(found, game.equipment, wagers).program()
            return replace(described, equipment=supplied(found, text_of(described, rules)))
        except TooManyDealsError as error:
            try:
                if not_whole(game.equipment):
                    raise InputError(WHAT)
                _scene(Kept(described, rules))
            except InputError as other:
                shaped = str(other) != WHAT
                problems.add(
                    ("each_turn",), str(other) if shaped else f"{error}, or whole hands that meet: {other}"
                )
        except InputError as error:
            problems.add(("each_turn",), str(error))
        return described


def text(game: Game) -> RoundText:
    """Returns the text that plays a game."""
    return text_of(game, rules_of(game))


def showdown(game: Game) -> Showdown | None:
    """Returns the rounds of a game in which whole hands meet; none of a game that is walked card by card."""
    return _showdown(Kept(game, rules_of(game), paid=True))


@lru_cache(maxsize=32)
def _showdown(kept: Kept) -> Showdown | None:
    scene = _scene(Kept(kept.game, kept.rules))
    return None if scene is None else Showdown(kept.game, scene, price_of(kept.game, kept.rules))


@lru_cache(maxsize=32)
def _scene(kept: Kept) -> Scene | None:
    try:
        Compiler(described_of(kept.game, kept.rules), kept.game.equipment, kept.rules.wagers).program()
    except TooManyDealsError:
        return scene_of(kept.game, kept.rules)
    return None
