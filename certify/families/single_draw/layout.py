"""Which draws win each wager, laid out over what its conditions read: faces, totals, how many show."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Final

from certify.errors import InputError
from certify.families.single_draw.conditions import Measure, Reading, tests_of
from certify.families.single_draw.rulebook import Faces, measured, net_of, settled
from certify.families.single_draw.rules import SingleDrawRules, WagerTerms, rules_of
from certify.families.single_draw.ways import ways
from certify.model.equipment import Equipment
from certify.model.game import Game
from certify.model.layout import Coverage, Covered, ReadAs, Spot

MOST_COLUMNS: Final = 64
"""What can be read from a draw, where it is laid out: more columns would not be read by anybody."""

_READ: Final[Mapping[Reading, ReadAs]] = {
    Reading.ALIKE: ReadAs.ALIKE,
    Reading.DIFFERENT: ReadAs.DIFFERENT,
}
Read = dict[str, tuple[int, dict[Fraction | None, int]]]
"""For each column its rows of items, and of these the rows of each net result; none where the wager goes on."""


def coverage(game: Game) -> tuple[Coverage, ...]:
    """Returns the wagers of a game over what their conditions read; wagers that read too much are left out."""
    rules = rules_of(game)
    panels: dict[tuple[int, ReadAs], list[tuple[WagerTerms, Read]]] = {}
    for terms in rules.wagers:
        measure = _first(terms)
        axis = ReadAs.FACE if _one_face(terms, rules) else _axis(measure)
        read = _read(game, rules, terms, measure, axis)
        if read and len(read) <= MOST_COLUMNS:
            panels.setdefault((measure.piece, axis), []).append((terms, read))
    return tuple(
        _panel(game.equipment[rules.draws[place][0]], rules.draws[place][1], axis, wagers)
        for (place, axis), wagers in panels.items()
    )


def _first(terms: WagerTerms) -> Measure:
    """Returns what the first condition of a wager reads first."""
    return next(test.measure for ending in terms.stages[0].endings for test in tests_of(ending.when))


def _one_face(terms: WagerTerms, rules: SingleDrawRules) -> bool:
    """Tells whether one item decides a wager: then the layout tells its faces apart."""
    places = {test.measure.piece for ending in terms.stages[0].endings for test in tests_of(ending.when)}
    return len(places) == 1 and rules.draws[min(places)][1] == 1


def _axis(measure: Measure) -> ReadAs:
    counts = set(measure.numbers) <= {0, 1}
    return _READ.get(measure.reading, ReadAs.COUNT if counts else ReadAs.TOTAL)


def _read(game: Game, rules: SingleDrawRules, terms: WagerTerms, measure: Measure, axis: ReadAs) -> Read:
    """Returns how a wager ends, by what is read; nothing where the ways of a draw are too many to be counted."""
    paytable = game.wager(terms.wager).paytable
    read: Read = {}
    try:
        for name, weight, shown in _shown(game.equipment, rules, terms, measure, axis):
            row, _ = settled(terms.stages[0], shown)
            net = net_of(row, terms, paytable) if row else None
            rows, ends = read.get(name, (0, {}))
            read[name] = (rows + weight, {**ends, net: ends.get(net, 0) + weight})
    except InputError:
        return {}
    return read


def _shown(
    equipment: tuple[Equipment, ...],
    rules: SingleDrawRules,
    terms: WagerTerms,
    measure: Measure,
    axis: ReadAs,
) -> Iterator[tuple[str, int, Faces]]:
    """Yields the draws that a wager tells apart: what is read, rows of items, and the faces."""
    if axis is ReadAs.FACE:
        piece = equipment[rules.draws[measure.piece][0]]
        for face, copies in enumerate(piece.copies):
            yield piece.faces[face], copies, ((),) * measure.piece + ((face,),)
        return
    alone = replace(rules, wagers=(replace(terms, stages=terms.stages[:1]),))
    for way in ways(alone, equipment):
        faces = way.faces()
        yield str(measured(measure, faces)), way.weight, faces


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
