"""What a submission of a game of one draw states, every mistake with its line."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

from certify.errors import InputError
from certify.families.port import Problems, RuleReader, TableForm
from certify.families.single_draw.conditions import All, Condition
from certify.families.single_draw.language import (
    KEYWORDS,
    LARGEST,
    Vocabulary,
    faces_named,
    parse_condition,
)
from certify.families.single_draw.rules import (
    FIRST,
    LOSE,
    Ending,
    SingleDrawRules,
    Stage,
    WagerTerms,
    rules_of,
)
from certify.families.single_draw.sense import check_sense
from certify.families.single_draw.turns import supplied
from certify.families.single_draw.ways import table_of
from certify.model.equipment import Equipment
from certify.model.game import Game

MOST_GROUPS: Final = 200
MOST_SETTLED: Final = 5_000
"""Entries of ``[[face_groups]]`` and of ``[[settled_by]]``, at most; what reading them costs has a bound of its own."""

MOST_DRAWS: Final = 1_000
"""Draws of a piece in one turn, at most."""

MOST_ROWS: Final = 250
"""Rows of one wager that a play-through tells apart."""

_ID: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_PART: Final = re.compile(r"(\d{1,6})(?:/(\d{1,6}))?", re.ASCII)
_COUNT: Final = re.compile(r"-?\d{1,7}", re.ASCII)


@dataclass(frozen=True, slots=True)
class SubmittedDraws:
    """One ``[[each_draw]]``: how often a piece is drawn from in one turn."""

    piece: str
    count: int


@dataclass(frozen=True, slots=True)
class SubmittedGroup:
    """One ``[[face_groups]]``: faces, ranks, suits or spans of numbers under one name."""

    id: str
    piece: str
    faces: list[str]


@dataclass(frozen=True, slots=True)
class SubmittedWorth:
    """One ``[[face_worth]]``: what some faces count where faces are added up."""

    piece: str
    faces: list[str]
    counts: str


@dataclass(frozen=True, slots=True)
class SubmittedSettling:
    """One ``[[settled_by]]``: in which row a wager ends, or in which stage it goes on, when a condition holds."""

    wager: str
    when: str
    row: str = ""
    returns: str = ""
    after: str = ""
    then: str = ""


TABLES: Final[Mapping[str, TableForm]] = {
    "each_draw": TableForm(SubmittedDraws, many=True, required=True),
    "face_groups": TableForm(SubmittedGroup, many=True),
    "face_worth": TableForm(SubmittedWorth, many=True),
    "settled_by": TableForm(SubmittedSettling, many=True, required=True),
}


class SingleDrawSubmission:
    """Rules, wagers, rows and tables of games of one draw; wagers and rows are the submission's own."""

    rule_ids: tuple[str, ...] = ()
    wager_ids: tuple[str, ...] = ()
    bankers: tuple[str, ...] = ("house",)
    tables: Mapping[str, TableForm] = TABLES

    def read(self, rules: RuleReader) -> SingleDrawRules:
        """Returns rules without a wager: what settles them stands in tables of its own."""
        return SingleDrawRules()

    def check(self, game: Game, tables: Mapping[str, Any], problems: Problems) -> Game:
        """Returns the game with its conditions; records every mistake with its line."""
        reading = _Reading(game, tables, problems)
        draws = reading.draws()
        if not draws:
            return game
        vocabulary = reading.vocabulary(draws)
        terms = reading.terms(vocabulary)
        rules = SingleDrawRules(draws, terms)
        found = len(getattr(problems, "found", ()))
        if not reading.mistaken:
            check_sense(replace(game, rules=rules), tables["settled_by"], problems)
        if reading.mistaken or len(getattr(problems, "found", ())) > found:
            return replace(game, rules=rules)
        return replace(game, rules=rules, equipment=supplied(rules, game.equipment))

    def required_wagers(self, game: Game) -> tuple[str, ...]:
        """Returns none: what can be bet on is the submission's own."""
        return ()

    def paid_rows(self, game: Game, wager: str) -> tuple[str, ...]:
        """Returns the rows of a wager that conditions name and that return less than nothing by themselves."""
        terms = _terms(game, wager)
        back = dict(terms.returns) if terms else {}
        return tuple(row for row in (terms.rows if terms else ()) if row not in back)

    def reachable_rows(self, game: Game, wager: str) -> tuple[str, ...]:
        """Returns every row that some turn ends in, winning ones first."""
        terms = _terms(game, wager)
        return _reached(rules_of(game), game.equipment, wager) if terms else ()

    def row_of(self, outcome: str) -> str:
        """Returns the outcome: each is a row of its own."""
        return outcome


def _terms(game: Game, wager: str) -> WagerTerms | None:
    return next((terms for terms in rules_of(game).wagers if terms.wager == wager), None)


@lru_cache(maxsize=256)
def _reached(rules: SingleDrawRules, equipment: tuple[Equipment, ...], wager: str) -> tuple[str, ...]:
    table = table_of(rules, equipment)
    place = [terms.wager for terms in rules.wagers].index(wager)
    met: set[str] = set()
    waiting, asked = [FIRST], {FIRST}
    while waiting:
        column = table.stages.index((place, rules.wagers[place].stage(waiting.pop())))
        results = [table.result(column, decided.ends[column]) for decided in table.decided]
        met.update(row for row, _ in results if row)
        waiting += [then for _, then in dict.fromkeys(results) if then and then not in asked]
        asked.update(waiting)
    named = [row for row in rules.wagers[place].rows if row in met]
    return (*named, *((LOSE,) if LOSE in met and LOSE not in named else ()))


class _Reading:
    """Reads the tables of one submission."""

    def __init__(self, game: Game, tables: Mapping[str, Any], problems: Problems) -> None:
        self.game, self.problems, self.mistaken = game, problems, False
        self.tables: Mapping[str, Sequence[Any]] = {name: tables.get(name) or [] for name in TABLES}

    def refuse(self, key: tuple[str | int, ...], message: str) -> None:
        self.mistaken = True
        self.problems.add(key, message)

    def draws(self) -> tuple[tuple[int, int], ...]:
        """Returns what a turn draws; each piece once, no more than a round has before it."""
        ids = [piece.id for piece in self.game.equipment]
        found: dict[int, int] = {}
        for number, stated in enumerate(self.tables["each_draw"]):
            if stated.piece not in ids:
                self.refuse(("each_draw", number, "piece"), _no_piece(stated.piece, ids))
                continue
            piece = ids.index(stated.piece)
            if piece in found:
                self.refuse(("each_draw", number, "piece"), f'"{stated.piece}" is stated twice')
            taken = self.game.equipment[piece]
            # Where nothing is said of a piece that is put back, its draws are derived once the stages are known.
            supply = max(taken.supply, MOST_DRAWS) if taken.replaced and taken.supply == 1 else taken.supply
            if not 1 <= stated.count <= supply:
                self.refuse(
                    ("each_draw", number, "count"),
                    f"{stated.count} draws from {stated.piece} in a turn: expected 1 to {supply}, as a round has",
                )
            found[piece] = max(1, min(stated.count, supply))
        for piece, name in enumerate(ids):
            if piece not in found and self.tables["each_draw"]:
                self.refuse(("each_draw",), f'nothing is drawn from "{name}": expected an entry for it')
        return tuple(found.items())

    def vocabulary(self, draws: Sequence[tuple[int, int]]) -> Vocabulary:
        """Returns what conditions may speak of."""
        pieces = tuple((self.game.equipment[piece], count) for piece, count in draws)
        places = {piece.id: place for place, (piece, _) in enumerate(pieces)}
        return Vocabulary(pieces, self._groups(pieces, places), self._worth(pieces, places))

    def _groups(
        self, pieces: Sequence[tuple[Equipment, int]], places: Mapping[str, int]
    ) -> dict[str, tuple[int, frozenset[int]]]:
        found: dict[str, tuple[int, frozenset[int]]] = {}
        if len(self.tables["face_groups"]) > MOST_GROUPS:
            self.refuse(("face_groups",), f"more than {MOST_GROUPS} groups of faces")
        for number, group in enumerate(self.tables["face_groups"][:MOST_GROUPS]):
            key = ("face_groups", number)
            if not _ID.fullmatch(group.id) or group.id in KEYWORDS:
                self.refuse((*key, "id"), f'"{group.id}": expected an id "lower-case-with-hyphens" that is no word '
                            f"of the language ({', '.join(sorted(KEYWORDS))})")  # fmt: skip
            if group.id in found:
                self.refuse((*key, "id"), f'"{group.id}" is stated twice')
            place, faces = self._faces(key, group.piece, group.faces, pieces, places)
            found[group.id] = (place, faces)
        return found

    def _worth(
        self, pieces: Sequence[tuple[Equipment, int]], places: Mapping[str, int]
    ) -> tuple[tuple[int | None, ...], ...]:
        worth = [[_own_number(face) for face in piece.faces] for piece, _ in pieces]
        stated: set[tuple[int, int]] = set()
        for number, entry in enumerate(self.tables["face_worth"]):
            key = ("face_worth", number)
            if not _COUNT.fullmatch(entry.counts) or abs(int(entry.counts)) > LARGEST:
                self.refuse((*key, "counts"), f'"{entry.counts}": expected a whole number such as "10"')
                continue
            place, faces = self._faces(key, entry.piece, entry.faces, pieces, places)
            for face in sorted(faces):
                if (place, face) in stated:
                    name = pieces[place][0].faces[face]
                    self.refuse((*key, "faces"), f'what "{name}" counts is stated twice')
                stated.add((place, face))
                worth[place][face] = int(entry.counts)
        return tuple(map(tuple, worth))

    def _faces(
        self,
        key: tuple[str | int, ...],
        piece: str,
        names: Sequence[str],
        pieces: Sequence[tuple[Equipment, int]],
        places: Mapping[str, int],
    ) -> tuple[int, frozenset[int]]:
        if piece not in places:
            self.refuse((*key, "piece"), _no_piece(piece, list(places)))
            return -1, frozenset()
        place = places[piece]
        try:
            return place, faces_named(pieces[place][0], names)
        except InputError as error:
            self.refuse((*key, "faces"), str(error))
            return place, frozenset()

    def terms(self, vocabulary: Vocabulary) -> tuple[WagerTerms, ...]:
        """Returns how each wager is settled."""
        settled = self.tables["settled_by"]
        if len(settled) > MOST_SETTLED:
            self.refuse(("settled_by",), f"{len(settled)} conditions: expected at most {MOST_SETTLED:,}")
        builders = {wager.id: _Terms() for wager in self.game.wagers}
        for number, stated in enumerate(settled[:MOST_SETTLED]):
            if stated.wager not in builders:
                known = ", ".join(builders)
                self.refuse(
                    ("settled_by", number, "wager"), f'no wager "{stated.wager}": expected one of {known}'
                )
                continue
            self._ending(number, stated, builders[stated.wager], vocabulary)
        for number, wager in enumerate(self.game.wagers):
            rows = len(wager.paytable.rows) + len(builders[wager.id].returns)
            if rows > MOST_ROWS:
                self.refuse(
                    ("wagers", number, "paytable"), f"{rows} rows: expected at most {MOST_ROWS} of one wager"
                )
            if not builders[wager.id].stages:
                self.refuse(
                    ("wagers", number, "id"),
                    f'nothing settles "{wager.id}": expected a [[settled_by]] for it',
                )
        return tuple(builder.made(wager) for wager, builder in builders.items())

    def _ending(self, number: int, stated: SubmittedSettling, made: _Terms, vocabulary: Vocabulary) -> None:
        key = ("settled_by", number)
        for name, text in (("row", stated.row), ("after", stated.after), ("then", stated.then)):
            if text and not _ID.fullmatch(text):
                self.refuse((*key, name), f'"{text}" is not of the form "lower-case-with-hyphens"')
        if bool(stated.row) == bool(stated.then):
            self.refuse(
                key, "expected either a row in which the wager ends or a stage (then) in which it goes on"
            )
        self._returns(key, stated, made)
        before = len(getattr(self.problems, "found", ()))
        nothing: Condition = All(())
        condition = self.problems.attempt(
            (*key, "when"), lambda: parse_condition(stated.when, vocabulary), nothing
        )
        self.mistaken |= len(getattr(self.problems, "found", ())) > before
        made.stages.setdefault(stated.after, []).append(Ending(condition, stated.row, stated.then))

    def _returns(self, key: tuple[str | int, ...], stated: SubmittedSettling, made: _Terms) -> None:
        paid = stated.row in self.game.wager(stated.wager).paytable.ids
        if stated.returns and paid:
            self.refuse(
                (*key, "returns"), f'the row "{stated.row}" is paid by the paytable: nothing else returns'
            )
        if not stated.row or paid:
            return
        part = _PART.fullmatch(stated.returns)
        if stated.returns and (part is None or not 0 < _fraction(part) <= 1):
            self.refuse(
                (*key, "returns"), f'"{stated.returns}": expected a part of the stake such as "1/2" or "1"'
            )
        elif part is not None:
            known = made.returns.setdefault(stated.row, _fraction(part))
            if known != _fraction(part):
                self.refuse((*key, "returns"), f'the row "{stated.row}" returns {known} elsewhere')
        elif stated.row != LOSE:
            self.refuse(
                (*key, "row"),
                f'the row "{stated.row}" is not in the paytable of {stated.wager}: expected a row there, or what '
                'returns of the stake (returns = "1/2")',
            )


def _fraction(part: re.Match[str]) -> Fraction:
    below = int(part[2] or 1)
    return Fraction(int(part[1]), below) if below else Fraction(2)


def _own_number(face: str) -> int | None:
    return int(face) if _COUNT.fullmatch(face) else None


def _no_piece(name: str, known: Sequence[str]) -> str:
    if not known:
        return f'no piece "{name}" is drawn from: expected an [[each_draw]] of a piece of the equipment'
    return f'no piece "{name}" is drawn from: expected one of {", ".join(known)}'


@dataclass(slots=True)
class _Terms:
    """The terms of one wager while they are read."""

    stages: dict[str, list[Ending]] = field(default_factory=dict)
    returns: dict[str, Fraction] = field(default_factory=dict)

    def made(self, wager: str) -> WagerTerms:
        first = {FIRST: self.stages.get(FIRST, [])}
        stages = tuple(Stage(name, tuple(endings)) for name, endings in (first | self.stages).items())
        return WagerTerms(wager, stages, tuple(self.returns.items()))
