"""How much of its equipment one round can look at: derived from the walk of the reference round, stated by nobody."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import count
from typing import Final

from certify.analysis.engine.order import CountingOrder
from certify.analysis.engine.walk import CHANCE, RoundGraph
from certify.errors import InputError
from certify.families.port import BoundedRound, Chance, SteppedRound
from certify.families.registry import family_of
from certify.mathematics.of_game import engine_of
from certify.model.equipment import Equipment, possible_rows, possible_words
from certify.model.game import Game
from certify.model.points import along

ENDLESS: Final = 256
"""Bits of first draws that a state must tell apart where a round may go on without end."""


@dataclass(frozen=True, slots=True)
class LookedAt:
    """The equipment of a game as far as one round can look at it.

    Args:
        equipment: Each piece with the most draws that a round makes of it as its supply.
        unwalked: Why the draws of a round could not be counted; the pieces are then whole. Empty where they were, or
            where nothing hangs on it.
        most: More rows of faces than one round looks at, where its text bounds them; 0 where they are counted.
    """

    equipment: tuple[Equipment, ...]
    unwalked: str = ""
    most: int = 0

    @property
    def bits(self) -> float:
        """Bits that tell all rows of these draws apart: the binary logarithm of their number."""
        return math.log2(self.most or possible_rows(self.equipment))

    @property
    def rows(self) -> str:
        """The number of rows as a formula, a bound of it in powers of ten."""
        if not self.most:
            return possible_words(self.equipment)
        power = len(str(self.most)) - 1
        return f"{-(-self.most // 10 ** (power - 2)) / 100:.2f} × 10^{power}"


@lru_cache(maxsize=64)
def looked_at(game: Game, enough: int) -> LookedAt:
    """Returns the equipment of a game as far as one round can look at it.

    Where even the whole equipment needs no more than the bits at hand, or one round needs more, nothing is walked. No
    state tells all rounds apart that may go on without end: of these, the first draws that hold 256 bits are looked at.
    Nor need it tell apart a whole row of events such as spins, each finding everything put back: one of each kind
    is looked at, and as many more as hold 256 bits.

    Args:
        game: The submission.
        enough: Bits at hand.
    """
    whole = LookedAt(game.equipment)
    if whole.bits <= enough:
        return whole
    try:
        reference = family_of(game).reference(game)
        if isinstance(reference, SteppedRound):
            return some_events(reference.events, game.equipment)
        one = _one_round(game)
        if one.bits > enough:
            return one
        if isinstance(reference, BoundedRound):
            return LookedAt(game.equipment, most=reference.most_rows)
        counted = engine_of(family_of(game)).counted(game)
    except InputError as error:
        return LookedAt(game.equipment, str(error))
    longest = most_draws(counted.graph, counted.order)
    return LookedAt(
        tuple(
            replace(piece, supply=max(1, min(piece.supply, drawn, _told_apart(piece))))
            for piece, drawn in zip(game.equipment, longest, strict=True)
        )
    )


def some_events(events: Sequence[Sequence[Equipment]], row: Sequence[Equipment]) -> LookedAt:
    """Returns one event of every kind, and as many more of each as hold 256 bits or the row has.

    What must be available is every outcome of each draw, that is of one event. Events draw from what is put back, so
    that the next one finds everything again; that a long round of them repeats none of its beginning is asked beside.
    """
    each: Counter[str] = Counter()
    for event in events:
        for piece in event:
            each[piece.id] = max(each[piece.id], piece.supply)
    untold = next((piece.id for piece in row if not each[piece.id]), None)
    if untold is not None:
        raise InputError(f"no event of the round draws {untold!r}, and rows hold it")
    for many in count(1):
        some = tuple(replace(piece, supply=min(piece.supply, many * each[piece.id])) for piece in row)
        seen = LookedAt(some)
        if seen.bits >= ENDLESS or all(piece.supply <= many * each[piece.id] for piece in row):
            break
    return seen


def _one_round(game: Game) -> LookedAt:
    """Returns the draws of the deepest of some rounds: no round needs less state than what one of them looks at."""
    deepest = max(along(family_of(game).reference(game)), key=lambda reached: len(reached.drawn))
    drawn = Counter(piece for piece, _ in deepest.drawn)
    return LookedAt(
        tuple(
            replace(piece, supply=max(1, min(drawn[piece.id], _told_apart(piece))))
            for piece in game.equipment
        )
    )


def _told_apart(piece: Equipment) -> int:
    """Returns the draws of a piece that hold as many bits as a round must tell apart; all where none is put back."""
    return piece.supply if not piece.replaced else math.ceil(ENDLESS / math.log2(piece.size))


def most_draws(graph: RoundGraph, order: CountingOrder) -> Sequence[int]:
    """Returns the most draws of each piece on any way from the start to an end.

    Args:
        graph: The merged states of the round.
        order: The order in which they can be counted; what a round can come back to draws as often as the piece
            allows.
    """
    pieces = {piece.id: place for place, piece in enumerate(graph.reference.equipment)}
    supply = [piece.supply for piece in graph.reference.equipment]
    asks = _asks(graph)
    most = [[0] * len(pieces)] * graph.size
    for group, loops in order.backward():
        drawn = [0] * len(pieces)
        for state in group:
            for edge in graph.edges(state):
                drawn = [max(pair) for pair in zip(drawn, most[graph.targets[edge]], strict=True)]
        for state in group:
            if asks[state]:
                place = pieces[asks[state]]
                drawn[place] = supply[place] if loops else drawn[place] + 1
        for state in group:
            most[state] = drawn
    return most[0]


def _asks(graph: RoundGraph) -> Sequence[str]:
    """Returns the piece that each state draws from, nothing for a choice and an end."""
    states = [graph.reference.start(), *(None,) * (graph.size - 1)]
    asks = [""] * graph.size
    for state in range(graph.size):
        node = graph.reference.node(states[state])
        if isinstance(node, Chance):
            asks[state] = node.equipment
        for edge in graph.edges(state):
            target = graph.targets[edge]
            if graph.parents[target] == edge and target:
                move = graph.moves[edge]
                states[target] = (
                    graph.reference.drawn(states[state], move)
                    if graph.kinds[state] == CHANCE
                    else graph.reference.decided(states[state], graph.choice(state).ids[move])
                )
        states[state] = None
    return asks
