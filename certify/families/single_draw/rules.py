"""What a game of one draw is, and the ways in which its turn can come out, each with its weight.

One turn of a described game is drawn again until every wager is settled. Ways are distinguished only as far as the
conditions can: faces of which every condition reads the same form one class. Where no condition asks for one draw by
its place, a way is how many draws show each class: its weight is a multinomial coefficient times powers (what is put
back) or a product of binomials (what is not). Otherwise a way is the row of classes in order, of the places alone that
conditions ask for where nothing else is read: what comes in the others is any item.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, product
from math import comb, factorial, perm, prod
from typing import Final, TypeAlias

from certify.by_key import gathered
from certify.errors import InputError
from certify.families.declared_rules import own_rules
from certify.families.described.compiled_game import AGAINST, WITHIN, Program, Register
from certify.families.described.rules import (
    LOSE,
    UNSTATED,
    Asked,
    Condition,
    DescribedRules,
    Ending,
    Measure,
)
from certify.families.described.stages import Values, holds, nothing_drawn, taken_up
from certify.families.described.submitted import text_of
from certify.model import Card, Equipment, Game, RoundText

FAMILY_ID: Final = "single-draw"
"""Id of the family, as submissions name it."""

FIRST: Final = ""
"""The stage in which every wager begins."""

TURN: Final = "draw"
"""Id of the one turn."""

rules_of: Final = own_rules(DescribedRules, FAMILY_ID)
"""Returns the rules as submitted, whichever wagers are bet on; a game of another family is refused."""


def text(game: Game) -> RoundText:
    """Returns the implementation that plays a game."""
    return text_of(game, rules_of(game))


@dataclass(frozen=True, slots=True)
class Stage:
    """What a wager waits for; conditions exclude each other, and where none holds the stake is lost.

    Args:
        id: Id of the stage.
        endings: What may happen, in submitted order.
    """

    id: str
    endings: tuple[Ending, ...]


@dataclass(frozen=True, slots=True)
class WagerTerms:
    """How one wager is settled.

    Args:
        wager: Id of the wager.
        stages: Its stages, the first one first; none leads back to an earlier one.
    """

    wager: str
    stages: tuple[Stage, ...]

    def stage(self, stage_id: str) -> Stage:
        """Returns a stage by its id."""
        return next(stage for stage in self.stages if stage.id == stage_id)


@lru_cache(maxsize=64)
def terms_of(program: Program) -> tuple[WagerTerms, ...]:
    """Returns how each wager that is bet on is settled, in the order of the submission."""
    found: dict[int, dict[str, list[Ending]]] = {wager: {FIRST: []} for wager in program.offered}
    for ending in program.steps[0].endings:
        if ending.wager in found and ending.number != UNSTATED:
            found[ending.wager].setdefault(ending.after, []).append(ending)
    return tuple(
        WagerTerms(
            program.wagers[wager], tuple(Stage(name, tuple(endings)) for name, endings in stages.items())
        )
        for wager, stages in found.items()
    )


MOST_WAYS: Final = 50_000
"""Ways of one turn that are distinguished, at most; counting so many takes a few seconds."""


MOST_READ: Final = 20_000_000
"""Conditions that are read on ways of one turn, at most: about half a minute."""

MOST_CELLS: Final = 50_000
"""Classes of faces times draws of one piece, at most: whatever is larger is refused before it is looked at."""

ORDERED: Final = frozenset((Measure.NTH, Measure.LAST))
"""Readings that ask for one draw by its place."""


@dataclass(frozen=True, slots=True)
class CountedFaces:
    """Faces of one piece that no condition tells apart.

    Args:
        face: One of them.
        copies: Items that show one of them.
    """

    face: int
    copies: int


@dataclass(frozen=True, slots=True)
class PieceWay:
    """How one piece comes out in a turn.

    Args:
        counts: (Face that represents its class, draws that show the class), in order where the order matters.
        weight: Number of rows of items that come out so.
    """

    counts: tuple[tuple[int, int], ...]
    weight: int


@dataclass(frozen=True, slots=True)
class Way:
    """How a turn comes out: one entry for each piece."""

    pieces: tuple[PieceWay, ...]

    @property
    def weight(self) -> int:
        """Number of rows of items that come out so."""
        return prod(piece.weight for piece in self.pieces)

    def faces(self) -> tuple[tuple[int, ...], ...]:
        """Returns a row of faces that comes out so, for each piece."""
        return tuple(
            tuple(face for face, count in piece.counts for _ in range(count)) for piece in self.pieces
        )


def drawn_in(text: RoundText) -> tuple[tuple[Equipment, int], ...]:
    """Returns the pieces of a game with how often a turn draws from each, in the order drawn."""
    counts = Counter(drawn.piece for drawn in text.table.steps[0].draws)
    pieces = {piece.id: piece for piece in text.equipment}
    return tuple((pieces[name], count) for name, count in counts.items())


def read_by(conditions: Iterable[Condition | Asked]) -> tuple[int, ...]:
    """Returns the readings that conditions ask for, in the order written."""
    found: dict[int, None] = {}
    for one in conditions:
        if not isinstance(one, tuple):
            raise TypeError("expected conditions as stages use them")
        if one[0] == WITHIN:
            found[one[1]] = None
        elif one[0] == AGAINST:
            found |= {one[1]: None, one[3]: None}
        else:
            found |= dict.fromkeys(read_by([part for part in one[1:] if isinstance(part, tuple)]))
    return tuple(found)


def shown_values(text: RoundText, cards: Sequence[Sequence[Card]], faces: Sequence[Sequence[int]]) -> Values:
    """Returns what the readings of a game come to where its pieces, of which these are the cards, show some faces."""
    program: Program = text.table
    values = nothing_drawn(program)
    drawn = (own[face] for own, shown in zip(cards, faces, strict=True) for face in shown)
    for place, card in enumerate(drawn):
        values = taken_up(program, 0, place, values, card)
    return values


def cards_of(text: RoundText) -> tuple[tuple[Card, ...], ...]:
    """Returns the cards, as stages see them, of every piece that is drawn."""
    return tuple(
        tuple(Card(text.face(piece, face)) for face in range(len(piece.faces))) for piece, _ in drawn_in(text)
    )


def ways(text: RoundText, readings: Collection[int], conditions: int) -> Iterator[Way]:
    """Yields every way of a turn.

    Args:
        text: The game.
        readings: Readings that tell ways apart.
        conditions: Conditions that are read on each.

    Raises:
        InputError: There are more ways than are counted.
    """
    by_piece = [_PieceWays(text, piece, count, frozenset(readings)) for piece, count in drawn_in(text)]
    number = prod(piece.number for piece in by_piece)
    if number > MOST_WAYS:
        raise InputError(
            f"the conditions distinguish {number:,} ways of a turn: expected at most {MOST_WAYS:,}, as are counted; "
            "put some wagers into a submission of their own, or state the game in the family several-draws: cards one "
            "by one, and a place of its own for each draw whose place a condition names, without the other draws"
        )
    if number * conditions > MOST_READ:
        raise InputError(
            f"{conditions:,} conditions are read on {number:,} ways of a turn: expected at most {MOST_READ:,} "
            "readings; put some wagers into a submission of their own"
        )
    for pieces in product(*(tuple(piece.all()) for piece in by_piece)):
        yield Way(pieces)


@dataclass(frozen=True, slots=True)
class _PieceWays:
    """The ways of one piece.

    Args:
        text: The game.
        piece: The piece.
        drawn: Draws of one turn.
        readings: Readings that tell ways apart.
    """

    text: RoundText
    piece: Equipment
    drawn: int
    readings: frozenset[int]

    @property
    def _own(self) -> list[Register]:
        program: Program = self.text.table
        drawn = (one for one in program.steps[0].draws if one.piece == self.piece.id)
        own = {number for one in drawn for number in (*one.adds, *one.matched)} & self.readings
        return [program.registers[number] for number in own]

    @property
    def _kinds(self) -> frozenset[Measure]:
        return frozenset(one.kind for one in self._own)

    @property
    def _asked(self) -> list[int]:
        """Draws that a condition asks for by their place; all of them where anything else is read."""
        if self._kinds <= ORDERED:
            return sorted({(one.number or self.drawn) - 1 for one in self._own})
        return list(range(self.drawn))

    @property
    def classes(self) -> tuple[CountedFaces, ...]:
        """Faces that read the same."""
        names = {f"m{number}" for number in self.readings} | (
            {"suit"} if Measure.HAND in self._kinds else set()
        )
        read = (self.text.face(self.piece, face) for face in range(len(self.piece.faces)))
        found = gathered(
            (tuple(one.get(name) for name in sorted(names)), face) for face, one in enumerate(read)
        )
        copies = self.piece.copies
        return tuple(CountedFaces(faces[0], sum(copies[face] for face in faces)) for faces in found.values())

    @property
    def ordered(self) -> bool:
        """Whether ways are counted draw by draw: a condition asks for one by its place, or there is one alone."""
        return self.drawn == 1 or bool(self._kinds & ORDERED)

    @property
    def number(self) -> int:
        """Number of ways; where there are too many to be worth counting, any number that is too large.

        Rows of named places are kept through the draws between and after them, and count once more for each.
        """
        kinds = len(self.classes)
        if kinds * self.drawn > MOST_CELLS:
            return MOST_WAYS + 1
        if self.ordered:
            asked = len(self._asked)
            return int(kinds ** min(asked, 64)) * (1 + self.drawn - asked)
        split: list[int] = [1] + [0] * self.drawn
        for most in self._most:
            sums = [0, *accumulate(split)]
            split = [sums[total + 1] - sums[max(0, total - most)] for total in range(self.drawn + 1)]
        return split[self.drawn]

    @property
    def _most(self) -> tuple[int, ...]:
        """Draws that can show each class, at most."""
        held = (self.drawn if self.piece.replaced else kind.copies for kind in self.classes)
        return tuple(min(self.drawn, most) for most in held)

    def all(self) -> Iterator[PieceWay]:
        """Yields the ways that have a weight."""
        classes = self.classes
        if self.ordered:
            # Whatever comes in the other places is any item: rows in another order have the same weight.
            asked, copies = self._asked, self.piece.copies
            for row in product(classes, repeat=len(asked)):
                weight = self._of_row(row)
                if weight:
                    shown = dict(zip(asked, (kind.face for kind in row), strict=True))
                    taken = Counter(shown.values())
                    left = (face for face, held in enumerate(copies) for _ in range(held - taken[face]))
                    faces = (shown[at] if at in shown else next(left, 0) for at in range(self.drawn))
                    yield PieceWay(tuple((face, 1) for face in faces), weight)
            return
        for counts in _splits(self.drawn, self._most):
            weight = self._of_counts([kind.copies for kind in classes], counts)
            if weight:
                held = zip(classes, counts, strict=True)
                yield PieceWay(tuple((kind.face, count) for kind, count in held if count), weight)

    def _of_counts(self, copies: Sequence[int], counts: Sequence[int]) -> int:
        pairs = list(zip(copies, counts, strict=True))
        if not self.piece.replaced:
            return factorial(self.drawn) * prod(comb(held, count) for held, count in pairs)
        orders = factorial(self.drawn) // prod(factorial(count) for count in counts)
        return orders * prod(int(held**count) for held, count in pairs)

    def _of_row(self, row: Sequence[CountedFaces]) -> int:
        rest, items = self.drawn - len(row), self.piece.size
        if self.piece.replaced:
            return prod(kind.copies for kind in row) * int(items**rest)
        left = (kind.copies - row[:place].count(kind) for place, kind in enumerate(row))
        return prod(max(0, one) for one in left) * perm(items - len(row), rest)


def _splits(total: int, most: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yields every way to write a number as a sum of numbers from 0 to given bounds."""
    if not most:
        if not total:
            yield ()
        return
    for first in range(max(0, total - sum(most[1:])), min(total, most[0]) + 1):
        for rest in _splits(total - first, most[1:]):
            yield (first, *rest)


# --- what a way decides -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TurnOutcome:
    """What a turn does to every stage of every wager, for all the ways that do the same.

    Args:
        ends: For each (wager, stage) the number of the ending that holds, -1 where none does and the stake is lost.
        weight: Rows of items.
    """

    ends: tuple[int, ...]
    weight: int


@dataclass(frozen=True, slots=True)
class TurnOutcomes:
    """Every turn, distinguished only by what it decides.

    Args:
        stages: (Place of the wager, stage), in the order of ``ends``.
        decided: The turns.
        overlaps: (Place of the wager, stage, two endings that hold at once, a way), the first found of each pair.
        total: Rows of items of a turn.
    """

    stages: tuple[tuple[int, Stage], ...]
    decided: tuple[TurnOutcome, ...]
    overlaps: tuple[tuple[int, Stage, tuple[int, int], Way], ...]
    total: int

    def result(self, column: int, end: int) -> tuple[str, str]:
        """Returns the row in which a wager ends or the stage in which it goes on."""
        if end < 0:
            return LOSE, ""
        ending = self.stages[column][1].endings[end]
        return ending.row, ending.then


@lru_cache(maxsize=32)
def table_of(text: RoundText) -> TurnOutcomes:
    """Returns what every turn of a game decides.

    Raises:
        InputError: The conditions tell more ways apart than are counted.
    """
    program: Program = text.table
    terms = terms_of(program)
    stages = tuple((place, stage) for place, own in enumerate(terms) for stage in own.stages)
    asked = [ending.when for _, stage in stages for ending in stage.endings]
    found = Counter[tuple[int, ...]]()
    overlaps: dict[tuple[int, str, int, int], tuple[int, Stage, tuple[int, int], Way]] = {}
    cards = cards_of(text)
    for way in ways(text, read_by(asked), len(asked)):
        values = shown_values(text, cards, way.faces())
        ends = []
        for place, stage in stages:
            held = [
                number for number, ending in enumerate(stage.endings) if holds(program, ending.when, values)
            ]
            ends.append(held[0] if held else -1)
            for other in held[1:]:
                key = (place, stage.id, held[0], other)
                overlaps.setdefault(key, (place, stage, (held[0], other), way))
        found[tuple(ends)] += way.weight
    decided = tuple(TurnOutcome(ends, weight) for ends, weight in found.items())
    possible = prod(
        int(piece.size**count) if piece.replaced else perm(piece.size, count)
        for piece, count in drawn_in(text)
    )
    return TurnOutcomes(stages, decided, tuple(overlaps.values()), possible)


def joint_points(table: TurnOutcomes, most: int) -> int:
    """Returns the number of joint outcomes and of points between turns that some round comes to.

    Args:
        table: What each turn decides.
        most: Number beyond which they are counted no further.
    """
    # Wagers that go the same way at every turn are one.
    courses = tuple(dict.fromkeys(_course(table, place) for place in {place for place, _ in table.stages}))
    start = (0,) * len(courses)
    met, ahead = {start}, [start]
    while ahead and len(met) <= most:
        waiting = ahead.pop()
        after = zip(*(course[at][1] for course, at in zip(courses, waiting, strict=True)), strict=True)
        fresh = set(after) - met
        met |= fresh
        ahead += [one for one in fresh if any(course[at][0] for course, at in zip(courses, one, strict=True))]
    return len(met) - 1


Course: TypeAlias = tuple[tuple[bool, tuple[int, ...]], ...]
"""For each point that a wager comes to whether it waits there, and the point after each turn; the first comes first."""


def _course(table: TurnOutcomes, place: int) -> Course:
    """Returns the points of a wager, numbered in the order in which turns lead there."""
    columns = {stage.id: column for column, (of, stage) in enumerate(table.stages) if of == place}
    numbers: dict[tuple[str, str], int] = {("", FIRST): 0}
    points = []
    for row, stage in (known := list(numbers)):
        # A stage that settles nothing is a mistake of its own.
        waits = not row and stage in columns
        ends = [
            table.result(columns[stage], decided.ends[columns[stage]]) if waits else (row, stage)
            for decided in table.decided
        ]
        known += [end for end in dict.fromkeys(ends) if end not in numbers]
        for end in known[len(numbers) :]:
            numbers[end] = len(numbers)
        points.append((waits, tuple(numbers[end] for end in ends)))
    return tuple(points)
