"""The readable twin of the play-through of a table: it follows the table itself, draw by draw, in plain Python."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from certify.errors import InputError
from certify.model.equipment import Equipment
from certify.model.round_table import ENDED, RoundTable

Ended = dict[str, str]
"""The outcome of each wager."""


def play_one(table: RoundTable, draw: Callable[[int], int]) -> Ended:
    """Plays one round.

    Args:
        table: The round under one strategy.
        draw: Returns the next item of a piece, by the place of the piece.
    """
    state, settled = 0, list(table.settled[table.begun])
    while table.piece[state] != ENDED:
        piece = int(table.piece[state])
        face = table.equipment[piece].shows[draw(piece)]
        settled += table.settled[table.settling[state, face]]
        state = int(table.following[state, face])
    return dict(settled + list(table.settled[table.ended[state]]))


def play_rows(table: RoundTable, rows: Iterable[Sequence[int]]) -> Iterator[Ended]:
    """Plays rows of draws.

    Args:
        table: The round under one strategy.
        rows: The draws of each round, piece after piece; no more of them are looked at than the round asks for.

    Raises:
        InputError: A round asks for more draws than its row holds.
    """
    for number, row in enumerate(rows):
        yield play_one(table, _from_row(table.equipment, row, number))


def _from_row(equipment: Sequence[Equipment], row: Sequence[int], number: int) -> Callable[[int], int]:
    parts, start = [], 0
    for piece in equipment:
        parts.append(map(row.__getitem__, range(start, start + piece.supply)))
        start += piece.supply
    return lambda piece: _next(parts[piece], equipment[piece], number)


def _next(items: Iterator[int], piece: Equipment, number: int) -> int:
    for item in items:
        return item
    raise InputError(
        f"round {number} asks {piece.id} for more than the {piece.supply} draws that a row holds of it"
    )
