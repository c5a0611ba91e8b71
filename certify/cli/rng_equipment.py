"""Rows that equipment gives - balls, reels, dice, shoes, as a game's file states them - read and tested."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import click

from certify.errors import InputError
from certify.executors import Executor
from certify.model.equipment import (
    FRENCH_RANKS,
    FRENCH_SUITS,
    Equipment,
    Kind,
    cage,
    described,
    shoe,
    strip,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from certify.model.game import Game
    from rng.battery.by_origin import DrawOrigin
    from rng.battery.result import NotRun, TestResult
    from rng.battery.suite import Tell
    from rng.given.decks import RecordLayout
    from rng.given.names import Language, Pack
    from rng.given.rows import Order, RecordPiece, RowForm

LARGEST_RANGE: Final = 1 << 64
LARGEST_OF_SEVERAL: Final = 1 << 16
"""The largest range of one of several columns; a single column of numbers may reach to 2^64."""

MOST_COLUMNS: Final = 1024
ROWS: Final = "rows"
"""The suite of tests of columns against each other."""


@dataclass(frozen=True, slots=True)
class Given:
    """What each row is drawn from, and how the cells of text name it.

    Args:
        pieces: The equipment, in the order of the places.
        faces: Numbers in text are what the equipment shows.
        order: Whether balls stand as they were drawn.
        language: Whose letters name cards.
        numbered: Numbers in text are those of the faces, such as of cards in their pack.
        cut: Lines may hold more than what is tested of a row.
        table: Whether a column names the table of each row.
        time: Whether a column says when each row was drawn.
    """

    pieces: tuple[Equipment, ...]
    faces: bool = False
    order: Order | None = None
    language: Language = "english"
    numbered: bool = False
    cut: bool = False
    table: bool = False
    time: bool = False

    @property
    def phrases(self) -> list[str]:
        """What each piece is, in words."""
        return [f"{piece.id}: {described(piece)}" for piece in self.pieces]


def given_equipment(
    kind: str,
    ranges: tuple[int, ...],
    equipment: str | None,
    balls: str | None,
    faces: bool,
    order: Literal["drawn", "any"] | None,
    names: Language | None,
) -> Given | None:
    """Returns what the rows are drawn from; None where numbers of one range or decks of a pack are given.

    Raises:
        UsageError: Two of the options say it, or one does not fit the kind.
        SubmissionError: The equipment is badly stated.
    """
    from certify.submission import equipment_named

    said = [
        name
        for name, value in (("--equipment", equipment), ("--balls", balls), ("--range", ranges or None))
        if value is not None
    ]
    if len(said) > 1:
        raise click.UsageError(f"{said[0]} and {said[1]} both say what is drawn from: expected one")
    pieces: tuple[Equipment, ...] = ()
    if equipment is not None:
        pieces = equipment_named(equipment, "--equipment")
    elif balls is not None:
        pieces = (_balls(balls),)
    elif len(ranges) > 1:
        pieces = tuple(_reel(number, below) for number, below in enumerate(ranges, 1))
    for option, value in (
        ("--equipment", equipment),
        ("--balls", balls),
        ("--faces", faces or None),
        ("--order", order),
    ):
        if value is not None and kind == "bits":
            raise click.UsageError(f"{option} goes with --draws or --decks only")
    if not pieces:
        if faces or order is not None:
            raise click.UsageError("--faces and --order go with --equipment or --balls only")
        return None
    if kind == "decks" and [piece.kind for piece in pieces] != [Kind.SHOE]:
        raise click.UsageError("--decks takes the equipment of one shoe; other rows are given by --draws")
    return Given(pieces, faces, order, names or "english")


def with_origin(
    given: Given | None,
    kind: str,
    below: int,
    pack: Pack | None,
    dealt: int | None,
    *,
    table: bool,
    time: bool,
) -> Given | None:
    """Returns what rows are drawn from where shoes are cut, or where their table or time is given.

    Args:
        given: What they are drawn from, where that is stated piece by piece.
        kind: Decks or draws.
        below: Range of the draws.
        pack: What decks are made of; forty cards if left out.
        dealt: Cards of each shoe that are tested, from the first on; all if left out.
        table: Whether a column names the table.
        time: Whether a column says the time.

    Raises:
        UsageError: There are not so many cards in a shoe, or the range is too large.
    """
    if dealt is None and not table and not time:
        return given
    if given is None and kind == "decks":
        given = Given(
            (shoe_of_packs(pack or _forty()),),
            faces=True,
            language=(pack or _forty()).language,
            numbered=True,
        )
    elif given is None:
        if below > LARGEST_OF_SEVERAL:
            raise click.UsageError(f"--table and --time: --range at most {LARGEST_OF_SEVERAL} expected")
        given = Given((_reel(1, below),))
    if dealt is not None:
        (piece,) = given.pieces
        if not 1 <= dealt <= piece.size:
            raise click.UsageError(f"--dealt {dealt}: 1 to {piece.size} cards of each shoe expected")
        given = replace(given, pieces=(replace(piece, supply=dealt),), cut=True)
    return replace(given, table=table, time=time)


def _forty() -> Pack:
    from rng.given.names import Pack

    return Pack()


def shoe_of_packs(pack: Pack) -> Equipment:
    """Returns the shoe of so many packs; its faces are numbered 4 × rank + suit, jokers last and alike."""
    ranks = FRENCH_RANKS if pack.size > 40 else (*FRENCH_RANKS[:7], *FRENCH_RANKS[10:])
    whole = shoe("shoe", ranks, FRENCH_SUITS, decks=pack.packs)
    if pack.size != 54:
        return whole
    shows = (*range(52), 52, 52) * pack.packs
    return replace(whole, faces=(*whole.faces, "joker"), shows=shows, supply=len(shows))


def read_ranges(text: str | None) -> tuple[int, ...]:
    """Returns the range of each column.

    >>> read_ranges("22,22,30"), read_ranges(None)
    ((22, 22, 30), ())
    """
    if text is None:
        return ()
    parts = [part.strip() for part in text.split(",")]
    most = LARGEST_RANGE if len(parts) == 1 else LARGEST_OF_SEVERAL
    if len(parts) > MOST_COLUMNS or not all(re.fullmatch("[0-9]{1,20}", part) for part in parts):
        raise click.BadParameter(
            f"{text[:40]}: N expected, or N,N,… for several columns", param_hint="--range"
        )
    for part in parts:
        if not 2 <= int(part) <= most:
            raise click.BadParameter(f"{part} is not in the range 2<=x<={most}", param_hint="--range")
    return tuple(map(int, parts))


def _balls(text: str) -> Equipment:
    found = re.fullmatch(r"([0-9]{1,5})/([0-9]{1,5})", text.strip())
    drawn, of = (int(found[1]), int(found[2])) if found else (0, 0)
    if not 1 <= drawn <= of or not 2 <= of <= LARGEST_OF_SEVERAL:
        raise click.BadParameter(
            f"{text[:40]}: K/N expected, K balls drawn from N without putting any back, such as 6/49",
            param_hint="--balls",
        )
    return cage("balls", [str(ball + 1) for ball in range(of)], drawn)


def _reel(number: int, below: int) -> Equipment:
    return strip(f"column-{number}", Kind.REEL, [str(stop) for stop in range(below)])


def row_form(given: Given, layout: RecordLayout | None, first: int, double_zero: int | None) -> RowForm:
    """Returns how a line becomes a row."""
    from rng.given.names import Glued
    from rng.given.records import RecordForm
    from rng.given.rows import RowForm

    return RowForm(
        tuple(_piece(piece, given, first) for piece in given.pieces),
        layout.form if layout else RecordForm(),
        first,
        given.faces,
        double_zero,
        given.order,
        given.cut,
        Glued(given.language, latin=given.pieces[0].size % 40 == 0) if given.pieces[0].suits else None,
    )


def _piece(piece: Equipment, given: Given, first: int = 0) -> RecordPiece:
    from certify.certification.randomness import recorded

    made = recorded(piece, given.language)
    if not given.numbered:
        return made
    return replace(
        made, names={**made.names, **{str(face + first): face for face in range(len(piece.faces))}}
    )


def pieces_as_read(given: Given, width: int) -> tuple[Equipment, ...]:
    """Returns the equipment with as many draws a row as the file has, where that was left to the file."""
    (piece, *others) = given.pieces
    return given.pieces if others or not piece.replaced else (replace(piece, supply=width),)


def suites_of(
    pieces: tuple[Equipment, ...], *, table: bool = False, time: bool = False
) -> dict[str, tuple[str, ...]]:
    """Returns the names of the tests of each suite that fits the equipment, and what is known of each row."""
    from certify.certification.randomness import planned_tests, suite_of

    # Enough rows for everything: which tests there are does not depend on the number.
    known = {suite_of(p, pieces): tuple(t.test for t in planned_tests(p, pieces, 1 << 40)) for p in pieces}
    from rng.battery import by_origin
    from rng.battery.rows import NAMES

    of_tables = (by_origin.TABLE, by_origin.COPIES) if table else ()
    of_time = (by_origin.HOUR, by_origin.WEEKDAY) if time else ()
    origin = {by_origin.SUITE: (*of_tables, *of_time)} if table or time else {}
    return {**known, ROWS: NAMES, **origin}


def run_on_rows(
    rows: NDArray[Any],
    pieces: tuple[Equipment, ...],
    tests: Mapping[str, tuple[str, ...] | None],
    step: Callable[[str], None],
    tell: Tell,
    executor: Executor | None,
    given: Given,
    origin: DrawOrigin | None,
) -> tuple[TestResult | NotRun, ...]:
    """Runs the tests of each piece, of the columns beside each other, and of what each table and time shows.

    Args:
        rows: Items, one row a row.
        pieces: What they are drawn from.
        tests: Names of tests by suite; None for all of a suite.
        step: Told the name of each suite.
        tell: Told how many of its tests are done.
        executor: Where work may run.
        given: How they were stated.
        origin: Table and time of each row, where given.
    """
    from certify.certification.randomness import RowSample, run_tests
    from rng.battery import by_origin
    from rng.battery.rows import beside, column_pairs

    known = suites_of(pieces, table=given.table, time=given.time)
    names = [
        f"{suite}/{test}"
        for suite, some in tests.items()
        for test in (known[suite] if some is None else some)
    ]
    general = (f"{ROWS}/", f"{by_origin.SUITE}/")
    of_pieces = [name for name in names if not name.startswith(general)]
    results = (
        run_tests(RowSample(rows, pieces, ()), of_pieces, step=step, tell=tell, executor=executor)
        if of_pieces
        else ()
    )
    if len(of_pieces) == len(names):
        return results
    step("rows: columns beside each other")
    # One piece is read like text by the tests of sequences already.
    draw = draw_of(pieces)
    if len(pieces) > 1:
        asked = {name.removeprefix(f"{ROWS}/") for name in names if name.startswith(f"{ROWS}/")}
        found = beside(draw, rows, map if executor is None else executor.map, asked)
    else:
        found = column_pairs(draw, rows)
    if origin is not None:
        step("rows: by table and time")
        found = (*found, *by_origin.run(rows, [_piece(piece, given) for piece in pieces], origin))
    return (*results, *(result for result in found if f"{result.suite}/{result.test}" in names))


def draw_of(pieces: tuple[Equipment, ...]) -> Any:
    """Returns the draw that gives one row."""
    from rng.draws import Integer, OrderedSample, Product, Repetition

    return Product(
        tuple(
            Repetition(Integer(piece.size), piece.supply)
            if piece.replaced
            else OrderedSample(piece.size, piece.supply)
            for piece in pieces
        )
    )


def game_of(path: Path, pieces: tuple[Equipment, ...] | None) -> Game:
    """Returns the game whose wagers are tested on the rows.

    Raises:
        InputError: It is drawn from something else.
    """
    from certify.submission import read_game

    game = read_game(path)
    if pieces is None and (len(game.equipment) != 1 or game.equipment[0].size != 40):
        raise InputError(f"--game {path}: not a game of one deck of 40 cards; say --equipment {path} too")
    if pieces is not None and game.equipment != pieces:
        raise InputError(
            f"--game {path}: it is drawn from other equipment than the rows: --equipment {path}?"
        )
    return game


def wagers_played(
    path: Path,
    pieces: tuple[Equipment, ...] | None,
    rows: NDArray[Any],
    origin: DrawOrigin | None,
    tell: Callable[[int, int], None],
) -> tuple[TestResult | NotRun, ...]:
    """Plays a game on the rows by the best strategy of its main wager and tests the outcomes of each wager."""
    from certify.certification.wagers_on_rows import wager_tests
    from certify.mathematics import analyze
    from certify.model.strategy import MAIN_OPTIMAL

    game = game_of(path, pieces)
    return tuple(
        wager_tests(
            game, analyze(game, MAIN_OPTIMAL), rows, None if origin is None else origin.groups(), tell
        )
    )
