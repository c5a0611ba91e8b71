"""Rows that equipment gives - balls, reels, dice, shoes, as a game's file states them - read and tested."""

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

import click

from certify.certification.given_output import Given, shoe_of_packs
from certify.errors import InputError
from certify.model import Equipment, Game, Kind, cage, strip
from certify.submission import equipment_named, read_game

if TYPE_CHECKING:
    from rng.given.names import Language, Pack

LARGEST_RANGE: Final = 1 << 64
LARGEST_OF_SEVERAL: Final = 1 << 16
"""The largest range of one of several columns; a single column of numbers may reach to 2^64."""

MOST_COLUMNS: Final = 1024
ROWS: Final = "rows"
"""The suite of tests of columns against each other."""


def given_equipment(
    kind: str,
    ranges: tuple[int, ...],
    equipment: str | None,
    balls: str | None,
    faces: bool,
    order: Literal["drawn", "any"] | None,
    names: "Language | None",
) -> Given | None:
    """Returns what the rows are drawn from; None where numbers of one range or decks of a pack are given.

    Raises:
        UsageError: Two of the options say it, or one does not fit the kind.
        SubmissionError: The equipment is badly stated.
    """
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
    pack: "Pack | None",
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


def _forty() -> "Pack":
    from rng.given.names import Pack

    return Pack()


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


def game_of(path: Path, pieces: tuple[Equipment, ...] | None) -> Game:
    """Returns the game whose wagers are tested on the rows.

    Raises:
        InputError: It is drawn from something else.
    """
    game = read_game(path)
    if pieces is None and [(piece.kind, piece.size) for piece in game.equipment] != [(Kind.SHOE, 40)]:
        raise InputError(
            f"--game {path}: not a game of one deck of 40 cards; say --equipment {path} too, and --draws for rows of "
            "anything but the cards of one shoe"
        )
    if pieces is not None and game.equipment != pieces:
        raise InputError(
            f"--game {path}: it is drawn from other equipment than the rows: --equipment {path}?"
        )
    return game
