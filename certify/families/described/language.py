"""Reads conditions such as ``hand of player is above hand of dealer``: bounded text to nouns.

Grammar, lowest binding first::

    condition = part {"or" part}            part = one {"and" one}
    one = "not" one | "(" condition ")" | "decided" OPTION | PLACE ["draw" N | "last"] "shows" SET
        | VALUE "is" RANGE | VALUE "is" ("above" | "below") VALUE | VALUE "equals" VALUE | HAND "is" HANDS
    VALUE = "sum of" PLACES ["modulo" N] | "count of" SET "in" PLACES | "draws in" PLACES | "draw" N "of" PLACE
          | "last of" PLACE | ("highest" | "lowest" | "spread") "of" PLACES | "stakes on" STAKE | HAND
          | ("most alike" | "different") ["ranks" | "suits"] "in" PLACES          (each but "stakes" with
          ["by" TABLE]) | "matches of" ("ranks" | "suits" | "faces") "of" PLACE "in" PLACES
    HAND = "hand of" PLACES ["by" RANKING]
    HANDS = ["at least" | "at most"] KIND ["of" RANK ["to" RANK]] | RANK+ "high"
    PLACES = PLACE {"with" PLACE}             RANGE = N ["to" N] | "at least" N | "at most" N
    SET = GROUP | "{" face {"," face} "}"     face = name | N "to" N
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from certify.analysis.hands.strength import HIGH_CARD, RANKS, WILD, HandKinds
from certify.errors import InputError
from certify.families.described.rules import (
    NO_BOUND,
    Against,
    All,
    Condition,
    Decided,
    Measure,
    Measurement,
    Not,
    Numbers,
    Some,
    Staked,
    Within,
)
from certify.families.described.strengths import bounds
from certify.model import Equipment

LONGEST: Final = 2_000
"""Characters of one condition, at most."""
DEEPEST: Final = 20
"""Brackets and negations within each other, at most."""
MOST_WORDS: Final = 300
LARGEST: Final = 1_000_000
"""The largest whole number in a condition, and the largest number that a face counts."""

_WORD: Final = re.compile(r"\{[^{}]*\}|[(){}]|[^\s(){}]+")
_NUMBER: Final = re.compile(r"-?\d{1,7}", re.ASCII)
_SPAN: Final = re.compile(r"(\d{1,6}) to (\d{1,6})", re.ASCII)
_BUILT_IN: Final = {"aces-high": "2 3 4 5 6 7 8 9 10 J Q K A", "aces-low": "A 2 3 4 5 6 7 8 9 10 J Q K"}
"""Tables of what ranks count that need not be stated: 2 to 14, and 1 to 13."""
_ENDS: Final = {Measure.HIGHEST: "highest", Measure.LOWEST: "lowest", Measure.SPREAD: "spread"}

_WORDS: Final = (
    "or and not draw draws last shows sum of count in most alike different ranks suits faces is at least to above "
    "below equals decided hand by highest lowest spread stakes on matches modulo with high end always"
)
KEYWORDS: Final = frozenset(_WORDS.split())
"""Words of the language; nothing that a submission names is called so, but groups of faces may be."""

_GROUP_WORDS: Final = "or and not draw shows sum of count in most alike different ranks suits is at least to"
GROUP_WORDS: Final = frozenset(_GROUP_WORDS.split())
"""Words that no group of faces has as its id."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What a condition may speak of.

    Args:
        places: Places with the pieces that are dealt there.
        pieces: Pieces by id.
        groups: Named sets of faces: id of the piece, and its faces.
        worth: For each table and piece what its faces count; none for a face that counts nothing.
        orders: Rankings of hands by name.
        stakes: Names of further stakes.
        options: Ids of options.
        drawn: In a game of one turn how many draws each place shows, so that one of several is named by its number;
            none elsewhere.
    """

    places: Mapping[str, tuple[str, ...]]
    pieces: Mapping[str, Equipment]
    groups: Mapping[str, tuple[str, frozenset[int]]]
    worth: Mapping[tuple[str, str], tuple[int | None, ...]]
    orders: Mapping[str, HandKinds]
    stakes: Sequence[str]
    options: Sequence[str]
    drawn: Mapping[str, int] | None = None


def faces_named(piece: Equipment, names: Sequence[str]) -> frozenset[int]:
    """Returns the faces that names mean: a face, a rank or a suit of a shoe, or a span such as ``1 to 18``.

    Raises:
        InputError: A name means no face of the piece.
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


def _span(piece: Equipment, name: str, low: int, high: int) -> frozenset[int]:
    if high - low >= len(piece.faces):
        raise InputError(f'"{name}": {piece.id} has only {len(piece.faces)} faces')
    return faces_named(piece, [str(number) for number in range(low, high + 1)])


def _some(piece: Equipment) -> str:
    return ", ".join(piece.faces[:3]) + (", …" if len(piece.faces) > 3 else "")


def parse_condition(text: str, vocabulary: Vocabulary) -> Condition:
    """Returns a condition; ``always`` always holds.

    Raises:
        InputError: The text is too long, breaks the grammar, or speaks of what the game does not have.
    """
    if len(text) > LONGEST:
        raise InputError(f"a condition of {len(text):,} characters: expected at most {LONGEST:,}")
    words = _WORD.findall(text)
    if len(words) > MOST_WORDS:
        raise InputError(f"a condition of {len(words)} words: expected at most {MOST_WORDS}")
    if words == ["always"]:
        return All(())
    parser = _Parser(words, vocabulary)
    condition = parser.condition(0)
    if parser.place < len(words):
        raise parser.unexpected('"and", "or" or the end')
    return condition


class _Parser:
    """Reads one word after the other; each rule of the grammar is one method."""

    def __init__(self, words: Sequence[str], vocabulary: Vocabulary) -> None:
        self.words, self.vocabulary, self.place = words, vocabulary, 0

    # --- words ---

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

    def _one_of(self, known: Sequence[str], what: str) -> str:
        if self._next() not in known:
            raise self.unexpected(f"{what} ({', '.join(known) or 'none is stated'})")
        return self._take()

    def _number(self, least: int = -LARGEST) -> int:
        if not _NUMBER.fullmatch(self._next()) or int(self._next()) < least:
            raise self.unexpected(f"a whole number {f'from {least}' if least > 0 else f'up to {LARGEST:,}'}")
        return int(self._take())

    # --- conditions ---

    def condition(self, depth: int) -> Condition:
        return self._joined("or", lambda: self._joined("and", lambda: self._one(depth), All), Some)

    def _joined(self, word: str, read: Callable[[], Condition], join: type[All] | type[Some]) -> Condition:
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
        if self._met("decided"):
            return Decided(self._one_of(self.vocabulary.options, "an option"))
        return self._test()

    def _test(self) -> Condition:
        if self._met("stakes", "on"):
            return self._within(Staked(self._one_of(self.vocabulary.stakes, "a further stake")))
        reading = self._value()
        if reading is None:
            return self._shows()
        if self._met("equals"):
            return Against(reading, 0, self._other())
        self._need("is")
        for sign, word in ((1, "above"), (-1, "below")):
            if self._met(word):
                return Against(reading, sign, self._other())
        if reading.order:
            return self._hands(reading, reading.order)
        self.place -= 1
        return self._within(reading)

    def _other(self) -> Measurement:
        reading = self._value()
        if reading is None:
            raise self.unexpected('a value such as "sum of", "hand of", "highest of"')
        return reading

    def _shows(self) -> Condition:
        place = self._place()
        number = self._draw_number(place)
        last = not number and self._met("last")
        self._need("shows")
        kind = Measure.LAST if last else Measure.NTH if number else Measure.SUM
        pieces = self.vocabulary.places[place]
        words = f"draw {number} of {place}" if number else f"{kind} of {place}"
        return Within(
            Measurement(kind, words, self._numbers([place]), self._set(pieces), number), 1, NO_BOUND
        )

    def _draw_number(self, place: str) -> int:
        """Returns which draw of a place is meant; 0 for any of them."""
        drawn = (self.vocabulary.drawn or {}).get(place, 0)
        if not self._met("draw"):
            if drawn > 1 and self._next() != "last":
                raise self.unexpected(
                    f'"draw" and a number from 1 to {drawn}, as {drawn} are drawn, or "count of {{ … }} in {place} is '
                    'at least 1" for any of them'
                )
            return 0
        number = self._number(1)
        if drawn and number > drawn:
            raise InputError(f"draw {number}: expected 1 to {drawn}")
        return number if drawn != 1 else 0

    def _within(self, reading: Measurement | Staked) -> Within:
        self._need("is")
        if self._met("at", "least"):
            return Within(reading, self._number(), NO_BOUND)
        if self._met("at", "most"):
            return Within(reading, -NO_BOUND, self._number())
        low = self._number()
        high = self._number() if self._met("to") else low
        if high < low:
            raise InputError(f"{low} to {high}: expected the lower number first")
        return Within(reading, low, high)

    # --- values ---

    def _value(self) -> Measurement | None:
        """Returns the number that is read; none where the words name a place that shows something."""
        if self._met("sum", "of"):
            places = self._places()
            modulo = self._number(2) if self._met("modulo") else 0
            return self._worthy(Measure.SUM, "sum", places, modulo)
        if self._met("count", "of"):
            return self._count()
        if self._met("draws", "in"):
            places = self._places()
            return Measurement(Measure.NUMBER, f"draws in {_joined(places)}", self._numbers(places))
        if self._met("most", "alike"):
            return self._labelled(Measure.ALIKE)
        if self._met("different"):
            return self._labelled(Measure.DIFFERENT)
        if self._met("matches", "of"):
            return self._matches()
        if self._met("hand", "of"):
            return self._hand()
        if self._met("last", "of"):
            return self._worthy(Measure.LAST, "last", [self._place()], 0)
        for kind, word in _ENDS.items():
            if self._met(word, "of"):
                return self._worthy(kind, word, self._places(), 0)
        if self._next() == "draw" and self._next() not in self.vocabulary.places:
            self._need("draw")
            number = self._number(1)
            self._need("of")
            return self._worthy(Measure.NTH, f"draw {number}", [self._place()], number)
        return None

    def _place(self) -> str:
        called = "a place" if self.vocabulary.drawn is None else "a piece that is drawn from"
        return self._one_of(sorted(self.vocabulary.places), f"a reading, or {called}")

    def _places(self) -> list[str]:
        places = [self._place()]
        while self._met("with"):
            if self._next() in places:
                raise self.unexpected("another place")
            places.append(self._place())
        return sorted(places)

    def _numbers(self, places: Sequence[str]) -> tuple[int, ...]:
        order = list(self.vocabulary.places)
        return tuple(sorted(order.index(place) for place in places))

    def _pieces(self, places: Sequence[str]) -> tuple[str, ...]:
        return tuple(sorted({piece for place in places for piece in self.vocabulary.places[place]}))

    def _worthy(self, kind: Measure, word: str, places: Sequence[str], number: int) -> Measurement:
        by = self._met("by")
        if by and not self._next():
            raise self.unexpected("a table of what faces count")
        table = self._take() if by else ""
        words = f"{word} of {_joined(places)}" + (f" by {table}" if table else "")
        worth = tuple((piece, self._worth(table, piece)) for piece in self._pieces(places))
        return Measurement(kind, words, self._numbers(places), worth, number)

    def _worth(self, table: str, piece: str) -> tuple[int, ...]:
        equipment = self.vocabulary.pieces[piece]
        if table in _BUILT_IN:
            order = _BUILT_IN[table].split()
            low = 2 if table == "aces-high" else 1
            worth: Sequence[int | None] = [
                order.index(rank) + low if (rank := face.partition(" of ")[0]) in order else None
                for face in equipment.faces
            ]
        elif (table, piece) in self.vocabulary.worth:
            worth = self.vocabulary.worth[table, piece]
        else:
            known = ", ".join(sorted({name for name, _ in self.vocabulary.worth if name} | set(_BUILT_IN)))
            raise InputError(f'no table "{table}" of what faces count: expected one of {known}')
        for face, counts in enumerate(worth):
            if counts is None:
                raise InputError(
                    f'what "{equipment.faces[face]}" of {equipment.id} counts is not stated: '
                    "expected it under [[face_worth]]"
                )
        return tuple(counts for counts in worth if counts is not None)

    def _count(self) -> Measurement:
        start, self.place = self.place, self.place + 1
        self._need("in")
        places = self._places()
        after, self.place = self.place, start
        words = f"count of {self._next()} in {_joined(places)}"
        members = self._set(self._pieces(places))
        self.place = after
        return Measurement(Measure.SUM, words, self._numbers(places), members)

    def _set(self, pieces: Sequence[str]) -> Numbers:
        """Returns for each face of some pieces whether it is in a set, as 1 or 0."""
        word = self._next()
        members: dict[str, frozenset[int]] = {}
        if word.startswith("{"):
            self.place += 1
            names = [name.strip() for name in word[1:-1].split(",")]
            for name in names:
                if names.count(name) > 1:
                    raise InputError(f'"{name}" is named twice in {word}')
                found = {
                    piece: faces
                    for piece in pieces
                    if (faces := _named_or_none(self.vocabulary.pieces[piece], name))
                }
                if not found:
                    faces_named(self.vocabulary.pieces[pieces[0]], [name])
                for piece, faces in found.items():
                    members[piece] = members.get(piece, frozenset()) | faces
        else:
            known = [name for name, (of, _) in self.vocabulary.groups.items() if of in pieces]
            of, faces = self.vocabulary.groups[
                self._one_of(known, f"faces in {{ }} or a group of {' or '.join(pieces)}")
            ]
            members[of] = faces
        return tuple(
            (
                piece,
                tuple(
                    int(face in members.get(piece, ()))
                    for face in range(len(self.vocabulary.pieces[piece].faces))
                ),
            )
            for piece in sorted(pieces)
        )

    def _labels(self, of: str, places: Sequence[str]) -> Numbers:
        found = []
        for piece in self._pieces(places):
            equipment = self.vocabulary.pieces[piece]
            labels = tuple(range(len(equipment.faces)))
            if of in ("ranks", "suits"):
                named = {
                    f"{rank} of {suit}": (place, number)
                    for place, rank in enumerate(equipment.ranks)
                    for number, suit in enumerate(equipment.suits)
                }
                if any(face not in named for face in equipment.faces):
                    raise InputError(
                        f"{of} of {piece}: expected a shoe in which every card has one; "
                        "for dice that show the same write: spread of PLACE is 0"
                    )
                labels = tuple(named[face][of == "suits"] for face in equipment.faces)
            found.append((piece, labels))
        return tuple(found)

    def _labelled(self, kind: Measure) -> Measurement:
        of = self._take() if self._next() in ("ranks", "suits") else ""
        self._need("in")
        places = self._places()
        words = f"{kind}{f' {of}' if of else ''} in {_joined(places)}"
        return Measurement(kind, words, self._numbers(places), self._labels(of, places))

    def _matches(self) -> Measurement:
        of = self._one_of(("ranks", "suits", "faces"), "what is matched")
        self._need("of")
        beside = [self._place()]
        self._need("in")
        places = self._places()
        if set(beside) & set(places):
            raise InputError(f"matches of {of} of {beside[0]}: expected them in other places")
        words = f"matches of {of} of {beside[0]} in {_joined(places)}"
        labels = self._labels(of, [*beside, *places])
        return Measurement(Measure.MATCHES, words, self._numbers(places), labels, 0, self._numbers(beside))

    # --- hands ---

    def _hand(self) -> Measurement:
        places = self._places()
        orders = self.vocabulary.orders
        name = self._one_of(sorted(orders), "a ranking") if self._met("by") else "five-card"
        for piece in self._pieces(places):
            equipment = self.vocabulary.pieces[piece]
            cards = [face for face in equipment.faces if " of " in face]
            if not cards or any(face.partition(" of ")[0] not in RANKS for face in cards):
                raise InputError(
                    f"a hand of {piece}: expected a shoe of cards with ranks of {', '.join(RANKS)}, and jokers"
                )
            if orders[name].cards > 4 and (
                len(self._pieces(places)) > 1 or equipment.decks > 1 or equipment.replaced
            ):
                raise InputError(
                    f"a hand of {orders[name].cards} cards of {piece}: expected one deck of which none is put back, as "
                    "five of a kind rank nowhere"
                )
        words = f"hand of {_joined(places)} by {name}"
        ranks = tuple(
            (
                piece,
                tuple(_rank_of(face, orders[name].wild) for face in self.vocabulary.pieces[piece].faces),
            )
            for piece in self._pieces(places)
        )
        alone = all(self.vocabulary.pieces[piece].decks == 1 for piece in self._pieces(places))
        alone = alone and len(self._pieces(places)) == 1
        return Measurement(Measure.HAND, words, self._numbers(places), ranks, int(alone), (), orders[name])

    def _hands(self, reading: Measurement, order: HandKinds) -> Within:
        least, most = self._met("at", "least"), self._met("at", "most")
        kind, low_ranks, high_ranks = self._named_hand(order)
        low, high = bounds(order, kind, low_ranks)[0], bounds(order, kind, high_ranks)[1]
        return Within(reading, -NO_BOUND if most else low, NO_BOUND if least else high)

    def _named_hand(self, order: HandKinds) -> tuple[str, list[int], list[int]]:
        ranks = []
        while self._next() in RANKS:
            ranks.append(RANKS.index(self._take()))
        if ranks:
            self._need("high")
            if sorted(set(ranks), reverse=True) != ranks or len(ranks) > order.cards:
                raise InputError('expected different ranks from the highest down before "high"')
            return HIGH_CARD, ranks, ranks
        kind = self._one_of(order.kinds, "a kind of hands")
        if not self._met("of"):
            return kind, [], []
        low = high = self._rank()
        if self._met("to"):
            high = self._rank()
        if high < low:
            raise InputError(f"{RANKS[low]} to {RANKS[high]}: expected the lower rank first")
        return kind, [low], [high]

    def _rank(self) -> int:
        return RANKS.index(self._one_of(RANKS, "a rank"))


def _joined(places: Sequence[str]) -> str:
    return " with ".join(places)


def _rank_of(face: str, wild: tuple[str, ...]) -> int:
    """Returns the place of a card's rank; jokers have none, and ranks that are wild."""
    rank, _, suit = face.partition(" of ")
    return RANKS.index(rank) if suit and rank not in wild else WILD


def _named_or_none(piece: Equipment, name: str) -> frozenset[int]:
    try:
        return faces_named(piece, [name])
    except InputError:
        return frozenset()
