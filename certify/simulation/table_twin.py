"""The readable twin of the play-through of a table: it follows the table itself, draw by draw, in plain Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from certify.errors import InputError
from certify.model.equipment import Equipment
from certify.model.round_table import ENDED, RoundTable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rng.words import WordSource

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


def play_rows(table: RoundTable, rows: NDArray[Any]) -> Iterator[Ended]:
    """Plays rows of draws.

    Args:
        table: The round under one strategy.
        rows: Unsigned integers[rounds, width], the draws of each piece, the pieces one after the other.

    Raises:
        InputError: A round asks for more draws than its row holds.
    """
    for number, row in enumerate(rows.tolist()):
        yield play_one(table, _from_row(table.equipment, row, number))


def play_dealt(table: RoundTable, words: WordSource, rounds: int) -> Iterator[Ended]:
    """Plays rounds on one shoe, each dealt card by card from the next word of a stream.

    Source: docs/byte-consumption-rule.md, version 1, rule 6.
    """
    from rng.lazy import LazyDeck  # Only play-through on rng's words needs rng.

    (shoe,) = table.equipment
    for number in range(rounds):
        deck, dealt = LazyDeck(words, shoe.size), iter(range(shoe.supply))

        def draw(
            piece: int, deck: LazyDeck = deck, dealt: Iterator[int] = dealt, number: int = number
        ) -> int:
            return deck[_next(dealt, shoe, number)]

        yield play_one(table, draw)


def play_drawn(table: RoundTable, words: WordSource, rounds: int) -> Iterator[Ended]:
    """Plays rounds that each have the words of a whole row.

    Source: docs/byte-consumption-rule.md, version 1, rule 5.
    """
    from certify.simulation.decks import draw_of
    from rng.draws import draw_one  # As above.

    for number in range(rounds):
        row = draw_one(words, draw_of(table.equipment))
        yield play_one(table, _from_row(table.equipment, row, number))


def _from_row(equipment: Sequence[Equipment], row: Sequence[int], number: int) -> Callable[[int], int]:
    parts, start = [], 0
    for piece in equipment:
        parts.append(iter(row[start : start + piece.supply]))
        start += piece.supply
    return lambda piece: _next(parts[piece], equipment[piece], number)


def _next(items: Iterator[int], piece: Equipment, number: int) -> int:
    for item in items:
        return item
    raise InputError(
        f"round {number} asks {piece.id} for more than the {piece.supply} draws that a row holds of it"
    )
