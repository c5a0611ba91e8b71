"""Tables of rounds for tests: random ones, and small games written as a function of what was drawn."""

from collections.abc import Hashable

import numpy as np
from hypothesis import strategies as st

from certify.model import Kind, cage, shoe, strip
from certify.model.round_table import ENDED, RoundTable

Kept = Hashable
"""What a round remembers."""


def table_of(equipment, start, piece_of, step):
    """Returns the table of a round that is written as a function.

    Args:
        equipment: What it is drawn from.
        start: What is remembered at the start.
        piece_of: Returns the piece that is drawn from next, ENDED where the round is over.
        step: What a draw does.
    """
    index = {start: 0}
    order = [start]
    groups = {(): 0}
    pieces = []
    arrows = []
    for kept in order:
        place = piece_of(kept)
        pieces.append(place)
        row = []
        for face in range(len(equipment[place].faces)) if place != ENDED else ():
            after, settled = step(kept, face)
            if after not in index:
                index[after] = len(order)
                order.append(after)
            row.append((index[after], groups.setdefault(settled, len(groups))))
        arrows.append(row)
    return _table(equipment, pieces, arrows, [0] * len(order), list(groups))


def _table(
    equipment,
    pieces,
    arrows,
    ended,
    groups,
    begun=0,
):
    width = max(len(piece.faces) for piece in equipment)
    following = np.zeros((len(pieces), width), dtype=np.int32)
    settling = np.zeros((len(pieces), width), dtype=np.int32)
    for state, row in enumerate(arrows):
        for face, (after, code) in enumerate(row):
            following[state, face], settling[state, face] = after, code
    return RoundTable(
        tuple(equipment),
        np.array(pieces, dtype=np.int8),
        following,
        settling,
        np.array(ended, dtype=np.int32),
        tuple(groups),
        begun,
    )


def pieces():
    """Equipment of every kind: one shoe or several pieces; supplies that suffice for rounds without loops."""
    decks = st.sampled_from([1, 3, 30])
    one = decks.map(lambda number: (shoe("shoe", "23456789", ("x", "y"), decks=number),))
    part = st.sampled_from(
        [
            shoe("shoe", "2345", ("x", "y")),
            strip("die", Kind.DICE, "123456", 40),
            strip("reel", Kind.REEL, ("bar", "7", "bar", "cherry"), 40),
            strip("coin", Kind.WHEEL, "ab", 8),
            cage("cage", [str(ball) for ball in range(12)], 8),
        ]
    )
    several = st.lists(part, min_size=1, max_size=3, unique_by=lambda piece: piece.id).map(tuple)
    return st.one_of(one, several)


@st.composite
def tables(draw):
    """Random rounds: wagers are settled one by one or together, on other draws of other paths; some throws repeat."""
    equipment = draw(pieces())
    number = draw(st.sampled_from([1, 2, 5, 30, 44]))
    # Six cards of the largest shoe fill a word, so that some rounds go on beyond two.
    deepest = draw(st.sampled_from([1, 6, 14])) if len(equipment) == 1 and equipment[0].size > 14 else 6
    chooser = np.random.default_rng(draw(st.integers(0, 2**32)))
    wagers = [f"bet-{place}" for place in range(number)]
    groups = {(): 0}

    def settle(left, share):
        now = [wager for wager in wagers if wager in left and chooser.random() < share]
        group = tuple((wager, f"row-{chooser.integers(3)}") for wager in now)
        return left - set(now), groups.setdefault(group, len(groups))

    everything = frozenset(wagers)
    left, begun = settle(everything, 0.1 * (chooser.random() < 0.3))
    start = (0, left, 0)
    index = {start: 0}
    order = [start]
    pieces_drawn, arrows, ended = [], [], []
    for depth, left, _ in order:
        if depth == deepest or (depth and not left and chooser.random() < 0.5):
            pieces_drawn.append(ENDED)
            arrows.append([])
            ended.append(settle(left, 2.0)[1])
            continue
        place = int(chooser.integers(len(equipment)))
        pieces_drawn.append(place)
        ended.append(0)
        row = []
        for _ in equipment[place].faces:
            if equipment[place].replaced and equipment[place].supply == 40 and chooser.random() < 0.15:
                row.append((len(arrows), 0))
                continue
            rest, code = settle(left, 0.3)
            # Few different rests, so that paths meet again.
            after = (depth + 1, rest, int(chooser.integers(2)))
            if after not in index:
                index[after] = len(order)
                order.append(after)
            row.append((index[after], code))
        arrows.append(row)
        if len(order) > 400:
            break
    while len(arrows) < len(order):
        pieces_drawn.append(ENDED)
        arrows.append([])
        ended.append(settle(order[len(arrows) - 1][1], 2.0)[1])
    return _table(equipment, pieces_drawn, arrows, ended, list(groups), begun)


def walked_by_hand(table, row):
    """Follows a table on one row; none where the row does not suffice."""
    first, at = [], 0
    for piece in table.equipment:
        first.append(at)
        at += piece.supply
    drawn = [0] * len(first)
    state, found = 0, dict(table.settled[table.begun])
    while (place := int(table.piece[state])) != ENDED:
        piece = table.equipment[place]
        if drawn[place] == piece.supply:
            return None
        face = piece.shows[row[first[place] + drawn[place]]]
        drawn[place] += 1
        found.update(table.settled[table.settling[state, face]])
        state = int(table.following[state, face])
    found.update(table.settled[table.ended[state]])
    return found
