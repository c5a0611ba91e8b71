"""The layout of a game: what is drawn from, and which draws win each wager, as facts that a report can draw."""

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Final

from certify.model.equipment import Equipment, Kind
from certify.model.form import origins


class ReadAs(StrEnum):
    """What is read from one draw, so that wagers can be laid out next to each other."""

    FACE = "face"
    """What the only item of the draw shows."""
    TOTAL = "total"
    """The numbers that show, added up."""
    COUNT = "count"
    """How many of the items show what the wager names."""
    ALIKE = "alike"
    """How many of the items show the same, at most."""
    DIFFERENT = "different"
    """How many different faces show."""


@origins()
@dataclass(frozen=True, slots=True)
class Spot:
    """One way in which a wager ends otherwise than lost, where the draw reads so.

    Args:
        column: Place of what is read among the columns.
        share: Share of the draws that read so, of which this is true.
        net: Net result in units of the stake; none where the wager waits for another draw.
    """

    column: int
    share: Fraction
    net: Fraction | None


@origins()
@dataclass(frozen=True, slots=True)
class Covered:
    """What of a draw wins one wager.

    Args:
        wager: Id of the wager.
        chances: Probability of each column.
        spots: Where it does not simply lose, in the order of the columns.
    """

    wager: str
    chances: tuple[Fraction, ...]
    spots: tuple[Spot, ...]


@origins()
@dataclass(frozen=True, slots=True)
class Coverage:
    """Wagers that one draw decides, laid out over what is read from it.

    Args:
        piece: Id of the piece of equipment.
        drawn: Items that one draw shows.
        reading: What is read.
        columns: Everything that can be read, in order.
        wagers: The wagers, in submitted order.
    """

    piece: str
    drawn: int
    reading: ReadAs
    columns: tuple[str, ...]
    wagers: tuple[Covered, ...]


@origins()
@dataclass(frozen=True, slots=True)
class LaidPiece:
    """A piece of equipment as a report draws it.

    Args:
        id: Id of the piece.
        kind: What it is.
        size: Number of items: cards, stops, faces of a die, balls.
        drawn: Items of one draw; 0 where that differs from draw to draw.
        decks: Decks of a shoe.
        stops: What the items show, in their order; none where they are too many to be drawn.
    """

    id: str
    kind: Kind
    size: int
    drawn: int
    decks: int
    stops: tuple[str, ...]


@origins()
@dataclass(frozen=True, slots=True)
class Reels:
    """Reels that spin together, as a report draws them.

    Args:
        name: Name of the set.
        stops: What each reel shows, stop after stop; the first follows the last.
        weights: How often each stop comes next to the others; empty where all of a reel come in the same way.
        rows: How many rows of each reel are seen, at most.
        lines: The row of each line on every reel, from the top, the first being 1; none where ways pay, or none.
    """

    name: str
    stops: tuple[tuple[str, ...], ...]
    weights: tuple[tuple[int, ...], ...]
    rows: tuple[int, ...]
    lines: tuple[tuple[int, ...], ...] = ()


@origins()
@dataclass(frozen=True, slots=True)
class TableLayout:
    """The layout of a game.

    Args:
        pieces: What is drawn from.
        coverage: Which draws win each wager; none where the family does not tell.
        reels: Reels with their stops, windows and lines; none where the game has no such.
    """

    pieces: tuple[LaidPiece, ...]
    coverage: tuple[Coverage, ...]
    reels: tuple[Reels, ...] | None = None


MOST_STOPS: Final = 80
"""Items of a piece that are drawn one by one, at most."""


def laid_out(piece: Equipment, drawn: int) -> LaidPiece:
    """Returns a piece of equipment as a report draws it.

    >>> from certify.model.equipment import strip
    >>> laid_out(strip("wheel", Kind.WHEEL, ("7", "bar", "7")), 1).stops
    ('7', 'bar', '7')
    """
    few = piece.size <= MOST_STOPS and piece.kind is not Kind.SHOE
    stops = tuple(piece.faces[face] for face in piece.shows) if few else ()
    return LaidPiece(piece.id, piece.kind, piece.size, drawn, piece.decks, stops)
