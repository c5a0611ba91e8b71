"""Reads conditions such as ``sum of dice is 4 to 10 and not most alike in dice is 3``: bounded text to nouns.

Grammar, lowest binding first::

    condition = part {"or" part}            part = one {"and" one}
    one = "not" one | "(" condition ")" | PIECE ["draw" N] "shows" SET | READING "is" RANGE
    READING = "sum of" PIECE | "count of" SET "in" PIECE
            | ("most alike" | "different") ["ranks" | "suits"] "in" PIECE
    SET = GROUP | "{" face {"," face} "}"   face = name | N "to" N
    RANGE = N ["to" N] | "at least" N | "at most" N
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from certify.errors import InputError
from certify.families.single_draw.conditions import (
    NO_BOUND,
    All,
    Condition,
    Measure,
    Not,
    Reading,
    Some,
    Test,
)
from certify.model.equipment import Equipment

LONGEST: Final = 2_000
"""Characters of one condition, at most."""
DEEPEST: Final = 20
"""Brackets and negations within each other, at most."""
MOST_WORDS: Final = 300
LARGEST: Final = 1_000_000
"""The largest whole number in a condition, and the largest number that a face counts."""

_WORD: Final = re.compile(r"\{[^{}]*\}|[()]|[^\s(){}]+")
_NUMBER: Final = re.compile(r"-?\d{1,7}", re.ASCII)
_SPAN: Final = re.compile(r"(\d{1,6}) to (\d{1,6})", re.ASCII)

KEYWORDS: Final = frozenset(
    (
        "or",
        "and",
        "not",
        "draw",
        "shows",
        "sum",
        "of",
        "count",
        "in",
        "most",
        "alike",
        "different",
        "ranks",
        "suits",
        "is",
        "at",
        "least",
        "to",
    )
)
"""Words of the language; no group of faces has one of them as its id."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What a condition may speak of.

    Args:
        pieces: What is drawn from in a turn, each with the number of draws.
        groups: Named sets of faces: place of the piece, and its faces.
        worth: For each piece what its faces count; none for a face that counts nothing.
    """

    pieces: tuple[tuple[Equipment, int], ...]
    groups: Mapping[str, tuple[int, frozenset[int]]]
    worth: tuple[tuple[int | None, ...], ...]


def faces_named(piece: Equipment, names: Sequence[str]) -> frozenset[int]:
    """Returns the faces that names stand for: a face, a rank or a suit of a shoe, or numbers such as ``1 to 18``.

    Raises:
        InputError: A name stands for no face of the piece.
    """
    found: set[int] = set()
    for name in names:
        span = _SPAN.fullmatch(name)
        if name in piece.faces:
            found.add(piece.faces.index(name))
        elif name in piece.ranks or name in piece.suits:
            found.update(face for face, card in enumerate(piece.faces) if name in card.split(" of "))
        elif span and int(span[1]) < int(span[2]):
            found.update(_span(piece, name, int(span[1]), int(span[2])))
        else:
            raise InputError(f'"{name}" is no face of {piece.id}: expected such as {_some(piece)}')
    return frozenset(found)


def _span(piece: Equipment, name: str, low: int, high: int) -> list[int]:
    if high - low >= len(piece.faces):
        raise InputError(f'"{name}": {piece.id} has only {len(piece.faces)} faces')
    missing = [number for number in range(low, high + 1) if str(number) not in piece.faces]
    if missing:
        raise InputError(f'"{name}": {piece.id} has no face {missing[0]}')
    return [piece.faces.index(str(number)) for number in range(low, high + 1)]


def _some(piece: Equipment) -> str:
    return ", ".join(piece.faces[:3]) + (", …" if len(piece.faces) > 3 else "")


def parse_condition(text: str, vocabulary: Vocabulary) -> Condition:
    """Returns a condition.

    Raises:
        InputError: The text is too long, breaks the grammar, or speaks of what the game does not have.
    """
    if len(text) > LONGEST:
        raise InputError(f"a condition of {len(text):,} characters: expected at most {LONGEST:,}")
    words = _WORD.findall(text)
    if len(words) > MOST_WORDS:
        raise InputError(f"a condition of {len(words)} words: expected at most {MOST_WORDS}")
    parser = _Parser(words, vocabulary)
    condition = parser.condition(0)
    if parser.place < len(words):
        raise parser.unexpected('"and", "or" or the end')
    return condition


class _Parser:
    """Reads one word after the other; each rule of the grammar is one method."""

    def __init__(self, words: Sequence[str], vocabulary: Vocabulary) -> None:
        self.words, self.vocabulary, self.place = words, vocabulary, 0

    def condition(self, depth: int) -> Condition:
        return self._joined(
            depth, "or", lambda: self._joined(depth, "and", lambda: self._one(depth), All), Some
        )

    def unexpected(self, expected: str) -> InputError:
        near = " ".join(self.words[max(0, self.place - 3) : self.place])
        found = f'"{self._next()}"' if self._next() else "the end"
        return InputError(
            f'{found} after "{near}": expected {expected}' if near else f"{found}: expected {expected}"
        )

    def _next(self) -> str:
        return self.words[self.place] if self.place < len(self.words) else ""

    def _take(self) -> str:
        self.place += 1
        return self.words[self.place - 1]

    def _met(self, *words: str) -> bool:
        """Takes some words if they are next."""
        if tuple(self.words[self.place : self.place + len(words)]) != words:
            return False
        self.place += len(words)
        return True

    def _need(self, *words: str) -> None:
        if not self._met(*words):
            raise self.unexpected(f'"{" ".join(words)}"')

    def _joined(
        self, depth: int, word: str, read: Callable[[], Condition], join: type[All] | type[Some]
    ) -> Condition:
        parts = [read()]
        while self._met(word):
            parts.append(read())
        return parts[0] if len(parts) == 1 else join(tuple(parts))

    def _one(self, depth: int) -> Condition:
        if depth > DEEPEST:
            raise InputError(f"brackets and negations are nested more than {DEEPEST} deep")
        if self._met("not"):
            return Not(self._one(depth + 1))
        if self._met("("):
            inner = self.condition(depth + 1)
            self._need(")")
            return inner
        return self._test()

    def _test(self) -> Condition:
        if self._met("sum", "of"):
            return self._within(Measure(Reading.TOTAL, piece := self._piece(), self._worth(piece)))
        if self._met("count", "of"):
            return self._count()
        if self._met("most", "alike"):
            return self._labelled(Reading.ALIKE)
        if self._met("different"):
            return self._labelled(Reading.DIFFERENT)
        return self._shows()

    def _shows(self) -> Condition:
        piece = self._piece()
        drawn = self.vocabulary.pieces[piece][1]
        place = 1
        if self._met("draw"):
            place = self._number()
        elif drawn > 1:
            raise self.unexpected(f'"draw" and a number from 1 to {drawn}, as {drawn} are drawn')
        if not 1 <= place <= drawn:
            raise InputError(f"draw {place}: expected 1 to {drawn}")
        self._need("shows")
        members = self._set(piece)
        return Test(Measure(Reading.TOTAL, piece, members, place if drawn > 1 else 0), 1, NO_BOUND)

    def _count(self) -> Condition:
        start, self.place = self.place, self.place + 1
        self._need("in")
        piece = self._piece()
        after, self.place = self.place, start
        members = self._set(piece)
        self.place = after
        return self._within(Measure(Reading.TOTAL, piece, members))

    def _labelled(self, reading: Reading) -> Condition:
        of = self._take() if self._next() in ("ranks", "suits") else ""
        self._need("in")
        piece = self._piece()
        equipment = self.vocabulary.pieces[piece][0]
        labels = tuple(range(len(equipment.faces)))
        if of:
            known = equipment.ranks if of == "ranks" else equipment.suits
            if not known or any(" of " not in face for face in equipment.faces):
                raise InputError(f"{of} of {equipment.id}: expected a shoe in which every card has one")
            labels = tuple(known.index(card.split(" of ")[of == "suits"]) for card in equipment.faces)
        return self._within(Measure(reading, piece, labels))

    def _within(self, measure: Measure) -> Test:
        self._need("is")
        if self._met("at", "least"):
            return Test(measure, self._number(), NO_BOUND)
        if self._met("at", "most"):
            return Test(measure, -NO_BOUND, self._number())
        low = self._number()
        high = self._number() if self._met("to") else low
        if high < low:
            raise InputError(f"{low} to {high}: expected the lower number first")
        return Test(measure, low, high)

    def _number(self) -> int:
        if not _NUMBER.fullmatch(self._next()):
            raise self.unexpected("a whole number")
        return int(self._take())

    def _piece(self) -> int:
        ids = [piece.id for piece, _ in self.vocabulary.pieces]
        if self._next() not in ids:
            raise self.unexpected(f"a reading, or a piece that is drawn from ({', '.join(ids)})")
        return ids.index(self._take())

    def _worth(self, piece: int) -> tuple[int, ...]:
        worth = self.vocabulary.worth[piece]
        equipment = self.vocabulary.pieces[piece][0]
        for face, counts in enumerate(worth):
            if counts is None:
                raise InputError(
                    f'what "{equipment.faces[face]}" of {equipment.id} counts is not stated: '
                    "expected it under [[face_worth]]"
                )
        return tuple(counts for counts in worth if counts is not None)

    def _set(self, piece: int) -> tuple[int, ...]:
        """Returns for each face of a piece whether it is in a set, as 1 or 0."""
        equipment = self.vocabulary.pieces[piece][0]
        word = self._next()
        if word.startswith("{"):
            self.place += 1
            names = [name.strip() for name in word[1:-1].split(",")]
            members = faces_named(equipment, names)
        else:
            known = [name for name, (of, _) in self.vocabulary.groups.items() if of == piece]
            if word not in known:
                raise self.unexpected(
                    f"faces in {{ }} or a group of {equipment.id} ({', '.join(known) or 'none is stated'})"
                )
            self.place += 1
            members = self.vocabulary.groups[word][1]
        return tuple(int(face in members) for face in range(len(equipment.faces)))
