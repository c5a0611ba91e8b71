"""The family of games of one draw."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final

from certify.errors import InputError
from certify.families.described.rules import LOSE, Measure
from certify.families.described.second import settle
from certify.families.described.stages import holds, number_of
from certify.families.port import Family, FamilyPages
from certify.families.single_draw.rules import (
    FAMILY_ID,
    PieceWay,
    WagerTerms,
    Way,
    cards_of,
    drawn_in,
    read_by,
    shown_values,
    terms_of,
    text,
    ways,
)
from certify.families.single_draw.submitted import SingleDrawSubmission
from certify.model import Coverage, Covered, Equipment, Game, ReadAs, RoundText, Spot

MOST_COLUMNS: Final = 64
"""What can be read from a draw, where it is laid out: more columns would not be read by anybody."""

_READ: Final[Mapping[Measure, ReadAs]] = {Measure.ALIKE: ReadAs.ALIKE, Measure.DIFFERENT: ReadAs.DIFFERENT}
Read = dict[str, tuple[int, dict[Fraction | None, int]]]
"""For each column its rows of items, and of these the rows of each net result; none where the wager goes on."""


def coverage(game: Game) -> tuple[Coverage, ...]:
    """Returns the wagers of a game over what their conditions read; wagers that read too much are left out."""
    played = text(game)
    pieces = drawn_in(played)
    panels: dict[tuple[int, ReadAs], list[tuple[WagerTerms, Read]]] = {}
    for terms in terms_of(played.table):
        readings = read_by([ending.when for ending in terms.stages[0].endings])
        places = [_place(played, number) for number in readings]
        if not places or len(places[0]) != 1:
            continue
        (place,) = places[0]
        alone = set(places) == {(place,)} and pieces[place][1] == 1
        axis = ReadAs.FACE if alone else _axis(played, pieces[place][0], readings[0])
        read = _read(played, terms, readings, place, axis) if axis else {}
        if read and axis and len(read) <= MOST_COLUMNS:
            panels.setdefault((place, axis), []).append((terms, read))
    return tuple(_panel(*pieces[place], axis, wagers) for (place, axis), wagers in panels.items())


def _place(played: RoundText, reading: int) -> tuple[int, ...]:
    """Returns the pieces that a reading reads from, by place."""
    draws = played.table.steps[0].draws
    own = {drawn.piece for drawn in draws if reading in (*drawn.adds, *drawn.matched)}
    return tuple(place for place, (piece, _) in enumerate(drawn_in(played)) if piece.id in own)


def _axis(played: RoundText, piece: Equipment, reading: int) -> ReadAs | None:
    """Returns what a wager is laid out over; none where its reading has no such form."""
    register = played.table.registers[reading]
    if register.kind is not Measure.SUM:
        return _READ.get(register.kind)
    counts = {played.face(piece, face)[register.attribute] for face in range(len(piece.faces))}
    return ReadAs.COUNT if counts <= {0, 1} else ReadAs.TOTAL


def _read(played: RoundText, terms: WagerTerms, readings: Sequence[int], place: int, axis: ReadAs) -> Read:
    """Returns how a wager ends, by what is read; nothing where the ways of a draw are too many to be counted."""
    read: Read = {}
    piece, endings, cards = drawn_in(played)[place][0], terms.stages[0].endings, cards_of(played)
    told = _faces(played, place) if axis is ReadAs.FACE else ways(played, readings, len(endings))
    try:
        for way in told:
            faces = way.faces()
            values = shown_values(played, cards, faces)
            row = next((one.row for one in endings if holds(played.table, one.when, values)), LOSE)
            number = str(number_of(played.table, readings[0], values))
            name = piece.faces[faces[place][0]] if axis is ReadAs.FACE else number
            net = played.price(terms.wager, row).net if row else None
            rows, ends = read.get(name, (0, {}))
            read[name] = (rows + way.weight, {**ends, net: ends.get(net, 0) + way.weight})
    except InputError:
        return {}
    return read


def _faces(played: RoundText, place: int) -> Iterator[Way]:
    """Yields the faces of the one draw of a piece, each by itself; what other pieces show matters nothing then."""
    pieces = drawn_in(played)
    for face, copies in enumerate(pieces[place][0].copies):
        shown = PieceWay(((face, 1),), copies)
        yield Way(
            tuple(
                shown if own == place else PieceWay(((0, count),), 1) for own, (_, count) in enumerate(pieces)
            )
        )


def _panel(piece: Equipment, drawn: int, axis: ReadAs, wagers: list[tuple[WagerTerms, Read]]) -> Coverage:
    columns = sorted({name for _, read in wagers for name in read}, key=_order(piece, axis))
    return Coverage(
        piece.id, drawn, axis, tuple(columns), tuple(_covered(terms, read, columns) for terms, read in wagers)
    )


def _order(piece: Equipment, axis: ReadAs) -> Callable[[str], tuple[int, str]]:
    """Returns the order of columns: by number where all are numbers, else as the equipment names them."""
    if axis is not ReadAs.FACE or all(face.isdecimal() for face in piece.faces):
        return lambda name: (int(name), name)
    return lambda name: (piece.faces.index(name), name)


def _covered(terms: WagerTerms, read: Read, columns: list[str]) -> Covered:
    total = sum(rows for rows, _ in read.values())
    chances = tuple(Fraction(read[name][0] if name in read else 0, total) for name in columns)
    spots = tuple(
        Spot(column, Fraction(rows, read[name][0]), net)
        for column, name in enumerate(columns)
        if name in read
        for net, rows in read[name][1].items()
        if net != -1
    )
    return Covered(terms.wager, chances, spots)


FAMILY: Final = Family(
    id=FAMILY_ID,
    version="2.0.0",
    title="Wagers decided by one draw of wheel, dice, balls, tickets or cards, described in the submission alone",
    rules=SingleDrawSubmission(),
    text=text,
    second=settle,
    pages=FamilyPages(coverage=coverage),
)
