"""Tables of rounds made by walking the reference round of a game, face by face, for measurements."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable
from typing import Any

import numpy as np

from certify.families import Choice, ReferenceRound, Settled
from certify.model.round_table import ENDED, RoundTable, Settling
from certify.model.strategy import Strategy


def walked(reference: ReferenceRound[Any], strategy: Strategy) -> RoundTable:
    """Returns the least table of a round under a strategy; everything is settled at its ends."""
    places = {piece.id: place for place, piece in enumerate(reference.equipment)}
    index: dict[Hashable, int] = {}
    todo: deque[tuple[Any, Any, tuple[Hashable, ...], tuple[int, ...]]] = deque()
    groups: dict[Settling, int] = {(): 0}

    def reach(state: Any, drawn: tuple[int, ...]) -> int:
        while isinstance(node := reference.node(state), Choice):
            state = reference.decided(state, strategy.choose(node.sees, node.ids))
        alike: tuple[Hashable, ...] = ()
        if isinstance(node, Settled):
            key: Hashable = node.results
        else:
            faces = len(reference.equipment[places[node.equipment]].faces)
            alike = tuple(reference.alike(state, face) for face in range(faces))
            key = (reference.matters(state), alike)
        if key not in index:
            index[key] = len(index)
            todo.append((state, node, alike, drawn))
        return index[key]

    reach(reference.start(), ())
    rows, pieces, ends = [], [], []
    while todo:
        state, node, alike, drawn = todo.popleft()
        if isinstance(node, Settled):
            group = tuple(sorted((result.wager, result.outcome) for result in node.results))
            pieces.append(ENDED)
            rows.append([])
            ends.append(groups.setdefault(group, len(groups)))
            continue
        place = places[node.equipment]
        piece, copies = reference.equipment[place], reference.equipment[place].copies
        came = {
            face: reach(reference.drawn(state, face), (*drawn, face))
            for face in range(len(piece.faces))
            if piece.replaced or drawn.count(face) < copies[face]
        }
        # A face that is gone here may come in another state that matters alike: it leads where one alike leads.
        led = {alike[face]: after for face, after in came.items()}
        row = [came.get(face, led.get(one, 0)) for face, one in enumerate(alike)]
        pieces.append(place)
        rows.append(row)
        ends.append(0)
    following = np.zeros((len(rows), max(map(len, rows))), dtype=np.int32)
    for state, row in enumerate(rows):
        following[state, : len(row)] = row
    return minimised(
        RoundTable(
            reference.equipment,
            np.array(pieces, dtype=np.int8),
            following,
            np.zeros_like(following),
            np.array(ends, dtype=np.int32),
            tuple(groups),
        )
    )


def minimised(table: RoundTable) -> RoundTable:
    """Returns the least table that plays the same, by Moore's algorithm."""
    label = np.unique(np.stack([table.piece, table.ended], axis=1), axis=0, return_inverse=True)[1].ravel()
    while True:
        told = np.column_stack([label, label[table.following], table.settling])
        told[table.piece == ENDED, 1:] = 0
        finer = np.unique(told, axis=0, return_inverse=True)[1].ravel()
        if finer.max() == label.max():
            break
        label = finer
    _, first = np.unique(label, return_index=True)
    # The start first, the others as they were met.
    first = np.array(sorted(first.tolist(), key=lambda state: (label[state] != label[0], state)))
    number = np.zeros(len(first), dtype=np.int32)
    number[label[first]] = np.arange(len(first))
    following = number[label[table.following[first]]].astype(np.int32)
    cannot = (table.following[first] == 0) & (table.settling[first] == 0)
    following[cannot] = 0
    return RoundTable(
        table.equipment,
        table.piece[first],
        following,
        table.settling[first],
        table.ended[first],
        table.settled,
        table.begun,
    )
