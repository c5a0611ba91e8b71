"""What a sample was drawn from, piece by piece, for tables of its counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from certify.cli.rng_equipment import shoe_of_packs
from certify.cli.rng_input import SubmittedOutput

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_TABLED: Final = 1 << 24
"""Draws of a sample that are tabled, from the first on."""
LARGEST_TABLED: Final = 1 << 16
"""Largest range whose numbers are tabled."""


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """What was drawn from one piece.

    Args:
        name: Name of the piece.
        drawn: Items[n, width], one row a row.
        shows: Face of each item.
        faces: Names of the faces.
        by_place: Whether places of a row mean something.
    """

    name: str
    drawn: NDArray[Any]
    shows: Sequence[int]
    faces: Sequence[str]
    by_place: bool


def parts_of(submitted: SubmittedOutput) -> tuple[Part, ...]:
    """Returns what was drawn from each piece; bits are taken as octets."""
    source, rows = submitted.source, submitted.rows
    if rows is None:
        bits = submitted.bits
        octets = None if bits is None else bits.octets()[: min(bits.length // 8, MOST_TABLED)]
        return () if octets is None else (_numbers("octets", octets, 256, 0),)
    if submitted.pieces is not None:
        found, column = [], 0
        for piece in submitted.pieces:
            drawn = rows[: MOST_TABLED // piece.supply, column : column + piece.supply]
            flat = len(submitted.pieces) == 1 and piece.replaced
            found.append(Part(piece.id, drawn, piece.shows, piece.faces, not flat))
            column += piece.supply
        return tuple(found)
    if source.kind == "decks":
        from rng.battery.card_names import Pack

        pack = source.layout.pack if source.layout else Pack()
        piece = shoe_of_packs(pack)
        return (Part("deck", rows[: MOST_TABLED // pack.cards], piece.shows, piece.faces, by_place=True),)
    if source.below > LARGEST_TABLED:
        return ()
    return (_numbers("numbers", rows[:MOST_TABLED], source.below, source.first),)


def _numbers(name: str, drawn: NDArray[Any], below: int, first: int) -> Part:
    faces = tuple(str(first + number) for number in range(below))
    return Part(name, drawn.reshape(-1, 1), range(below), faces, by_place=False)
