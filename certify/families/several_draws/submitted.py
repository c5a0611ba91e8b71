"""What a submission of a game of several draws states, every mistake with its line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

from certify.errors import InputError
from certify.families.described.program import Compiler, TooManyDealsError
from certify.families.described.reading import MOST_ENTRIES, Described, Reader, described_of
from certify.families.described.rules import (
    LOSE,
    Bonus,
    DescribedRules,
    Group,
    Lead,
    Offer,
    Ranking,
    Settling,
    Turn,
    Worth,
)
from certify.families.described.showdown import Scene, Showdown, scene_of
from certify.families.described.supply import supplied
from certify.families.described.text import price_of, row_of, text_of
from certify.families.port import Problems, RuleReader, TableForm
from certify.families.several_draws.rules import rules_of
from certify.model.game import Game, Wager
from certify.model.stages import RoundText

TABLES: Final[Mapping[str, TableForm]] = {
    "each_turn": TableForm(Turn, many=True, required=True),
    "turn_leads": TableForm(Lead, many=True),
    "may_decide": TableForm(Offer, many=True),
    "settled_by": TableForm(Settling, many=True, required=True),
    "paid_besides": TableForm(Bonus, many=True),
    "face_groups": TableForm(Group, many=True),
    "face_worth": TableForm(Worth, many=True),
    "hand_rankings": TableForm(Ranking, many=True),
}


class SeveralDrawsSubmission:
    """Rules, wagers, rows and tables of games of several draws; wagers and rows are the submission's own."""

    rule_ids: tuple[str, ...] = ()
    wager_ids: tuple[str, ...] = ()
    bankers: tuple[str, ...] = ("house",)
    tables: Mapping[str, TableForm] = TABLES

    def read(self, rules: RuleReader) -> DescribedRules:
        """Returns rules without a turn: what is played stands in tables of its own."""
        return DescribedRules()

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
        if reader.mistakes:
            return described
        try:
            Compiler(found, game.equipment, wagers).program()
            return replace(described, equipment=supplied(found, text_of(described, rules)))
        except TooManyDealsError as error:
            try:
                scene_of(described, rules)
            except InputError as other:
                problems.add(("each_turn",), f"{error}, or whole hands that meet: {other}")
        except InputError as error:
            problems.add(("each_turn",), str(error))
        return described

    def required_wagers(self, game: Game) -> tuple[str, ...]:
        """Returns none: what can be bet on is the submission's own."""
        return ()

    def paid_rows(self, game: Game, wager: str) -> tuple[str, ...]:
        """Returns the rows of a wager that something leads to and that the paytable must pay."""
        found = read(game)
        if found is None or wager not in found.wagers:
            return ()
        return tuple(row for row in found.rows_of(wager) if row != LOSE and (wager, row) not in found.returns)

    def reachable_rows(self, game: Game, wager: str) -> tuple[str, ...]:
        """Returns every row that a condition or an option names, winning ones first, and that of a lost stake."""
        found = read(game)
        if found is None or wager not in found.wagers:
            return ()
        return tuple(dict.fromkeys((*(row for row in found.rows_of(wager) if row != LOSE), LOSE)))

    def row_of(self, outcome: str) -> str:
        """Returns the row that an outcome falls in."""
        return row_of(outcome)


def text(game: Game) -> RoundText:
    """Returns the text that plays a game."""
    return _text(_Kept(game, game.wagers))


def read(game: Game) -> Described | None:
    """Returns a game as it was described; none where a mistake keeps it from being read."""
    try:
        return described_of(game, rules_of(game))
    except InputError:
        return None


def showdown(game: Game) -> Showdown | None:
    """Returns the rounds of a game in which whole hands meet; none of a game that is walked card by card."""
    scene = _scene(_Kept(game, ()))
    return None if scene is None else Showdown(game, scene, price_of(game, rules_of(game)))


class _Kept:
    """A game, compared by what is played: a text is made once for it."""

    def __init__(self, game: Game, wagers: tuple[Wager, ...]) -> None:
        self.game = game
        self.key = (rules_of(game), game.equipment, wagers)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Kept) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key[0])


@lru_cache(maxsize=32)
def _text(kept: _Kept) -> RoundText:
    return text_of(kept.game, rules_of(kept.game))


@lru_cache(maxsize=32)
def _scene(kept: _Kept) -> Scene | None:
    game, rules = kept.game, rules_of(kept.game)
    try:
        Compiler(described_of(game, rules), game.equipment, rules.wagers).program()
    except TooManyDealsError:
        return scene_of(game, rules)
    return None
