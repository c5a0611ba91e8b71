"""Walks a reference round through everything that can happen, to find rounds of a kind."""

import hashlib
import struct
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from certify.errors import InputError
from certify.model.equipment import Equipment, Row
from certify.model.round import Chance, Choice, LongRound, Node, ReferenceRound
from certify.model.stages import Card, Choose, End, NextDraw, Node as Waiting, RoundText, opened

MOST_STATES: Final = 200_000
"""States that matter differently, at most, before a search is given up; a walk of these takes about 20 s."""


MOST_OF_LONG: Final = 500
"""The same for rounds that say of themselves that they are too long to be walked."""


class SearchGivenUpError(InputError):
    """More states were met than a search looks at: whether what was sought exists is not known."""


@dataclass(frozen=True, slots=True)
class Reached:
    """A point of a round, with a shortest way to it.

    Args:
        state: The round there.
        node: What it waits for.
        drawn: (Piece, face) of every draw, in order.
        decisions: Decisions, in order.
    """

    state: Any
    node: Node
    drawn: tuple[tuple[str, int], ...] = ()
    decisions: tuple[str, ...] = ()

    def row(self, equipment: Sequence[Equipment]) -> Row:
        """Returns a row of draws that leads there; what comes after follows in the order of the items."""
        return tuple(item for piece in equipment for item in _items(piece, self.drawn))


def walk(reference: ReferenceRound[Any], most: int = MOST_STATES) -> Iterator[Reached]:
    """Yields one way to every point of a round that matters differently, shortest first.

    Raises:
        SearchGivenUpError: There are more such points than looked at.
    """
    # Of a round that says that it is too long, a few points are as good as many.
    most = min(most, MOST_OF_LONG) if isinstance(reference, LongRound) else most
    start = reference.start()
    level = [Reached(start, reference.node(start))]
    met: set[Hashable] = {reference.matters(start)}
    while level:
        following = []
        for reached in level:
            yield reached
            for after in _after(reference, reached):
                key = reference.matters(after.state)
                if key not in met:
                    met.add(key)
                    following.append(after)
            if len(met) > most:
                raise SearchGivenUpError(
                    f"more than {most:,} different points of a round were met: search given up"
                )
        level = following


MOST_ALONG: Final = 2_000
"""Points of one round, with all its decisions, that are looked at."""


def along(reference: ReferenceRound[Any], most: int = MOST_ALONG) -> Iterator[Reached]:
    """Yields the points of one round to its ends: its draws in the order of the faces, every option of each choice.

    What a round asks for late is found so without looking at everything that may come before.
    """
    start = reference.start()
    ahead = [Reached(start, reference.node(start))]
    for _ in range(most):
        if not ahead:
            return
        reached = ahead.pop()
        yield reached
        if isinstance(reached.node, Chance):
            # One face is enough, so that nothing has to be known of those that are like it.
            piece = _piece(reference, reached.node)
            ahead += [
                _shown(reference, reached, piece, face) for face in islice(_left(piece, reached.drawn), 1)
            ]
        else:
            ahead += reversed(list(_after(reference, reached)))


def _after(reference: ReferenceRound[Any], reached: Reached) -> Iterator[Reached]:
    node = reached.node
    if isinstance(node, Choice):
        for option in node.ids:
            state = reference.decided(reached.state, option)
            yield Reached(state, reference.node(state), reached.drawn, (*reached.decisions, option))
    elif isinstance(node, Chance):
        piece = _piece(reference, node)
        told: set[Hashable] = set()
        for face in _left(piece, reached.drawn):
            alike = reference.alike(reached.state, face)
            if alike not in told:
                told.add(alike)
                yield _shown(reference, reached, piece, face)


def _piece(reference: ReferenceRound[Any], node: Chance) -> Equipment:
    return next(piece for piece in reference.equipment if piece.id == node.equipment)


def _shown(reference: ReferenceRound[Any], reached: Reached, piece: Equipment, face: int) -> Reached:
    state = reference.drawn(reached.state, face)
    return Reached(state, reference.node(state), (*reached.drawn, (piece.id, face)), reached.decisions)


def _left(piece: Equipment, drawn: Sequence[tuple[str, int]]) -> Iterator[int]:
    """Yields the faces that a piece can still show."""
    taken = [face for of, face in drawn if of == piece.id]
    if len(taken) >= piece.supply:
        return
    gone: Counter[int] = Counter() if piece.replaced else Counter(taken)
    yield from (face for face, copies in enumerate(piece.copies) if copies > gone[face])


def _items(piece: Equipment, drawn: Sequence[tuple[str, int]]) -> Iterator[int]:
    """Yields items that show the faces drawn, then what a row needs in addition."""
    used: set[int] = set()
    for of, face in drawn:
        if of == piece.id:
            item = next(i for i, shown in enumerate(piece.shows) if shown == face and i not in used)
            if not piece.replaced:
                used.add(item)
            yield item
    missing = piece.supply - sum(of == piece.id for of, _ in drawn)
    rest = (item for item in range(piece.size) if item not in used)
    yield from (next(rest) for _ in range(missing)) if not piece.replaced else (0,) * missing


def play_some(text: RoundText, steps: int) -> None:
    """Plays whole rounds, each draw and decision by numbers of a fixed text; what a stage raises is passed on.

    Args:
        text: The implementation.
        steps: Draws and decisions in all, at most.
    """
    cards = [[Card(text.face(piece, face)) for face in range(len(piece.faces))] for piece in text.equipment]
    left: list[list[int]] = []
    node: Waiting = End(())
    for (lot,) in struct.iter_unpack("<Q", hashlib.shake_256(b"rounds to look at").digest(8 * steps)):
        if not isinstance(node, NextDraw | Choose):
            left = [list(piece.shows) for piece in text.equipment]
            node = opened(text.start(text.table))[0]
            continue
        if isinstance(node, Choose):
            node = opened(node.then(text.table, *node.kept, node.options[lot % len(node.options)].id))[0]
            continue
        place = text.piece_of(node)
        face = left[place][lot % len(left[place])]
        if not text.equipment[place].replaced:
            left[place].remove(face)
        node = opened(node.then(text.table, *node.kept, cards[place][face]))[0]
