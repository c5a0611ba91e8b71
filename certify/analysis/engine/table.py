"""The table by which rounds of a text are played in volume: its least automaton under one strategy."""

from collections.abc import Callable, Container, Mapping
from typing import Final

import numpy as np

from certify.analysis.engine.automaton import Automaton
from certify.analysis.engine.stage_points import IMPOSSIBLE, SHIFT, TARGET, Failed
from certify.analysis.engine.walk import NumberedValues
from certify.errors import InputError
from certify.model import ENDED, Choose, NextDraw, RoundTable, Strategy, Won

STATES_LIMIT: Final = 2_000_000
"""Most states of a table."""


def round_table(
    automaton: Automaton,
    strategies: Mapping[str, Strategy] | Strategy,
    possible: Callable[[], Container[int]] | None = None,
) -> RoundTable:
    """Returns the least table that plays a text under a strategy.

    Args:
        automaton: The least automaton of the text.
        strategies: The strategy of the one seat that decides, or one for each seat.
        possible: Gives the states that some round really comes to; called only where a strategy decides nothing, as
            on a hand of five aces, which the automaton follows and no deck holds.

    Raises:
        InputError: A strategy names no option that is offered, or a stage failed on a draw that is possible.
    """
    playing = _Played(automaton, strategies, possible)
    following, settling = playing.rows()
    return _merged(automaton, playing, following, settling)


class _Played:
    """The states of an automaton that draw, with every decision taken on the way."""

    def __init__(
        self,
        automaton: Automaton,
        strategies: Mapping[str, Strategy] | Strategy,
        possible: Callable[[], Container[int]] | None,
    ) -> None:
        self.automaton = automaton
        self.strategies = strategies
        self.possible = possible
        self.numbers: dict[int, int] = {}
        self.states: list[int] = []
        self.settled: NumberedValues[tuple[Won, ...]] = NumberedValues()
        self.settled[()]
        self.taken: dict[int, tuple[int, tuple[Won, ...]]] = {}
        self.begun = self.through(automaton.walked.begun << SHIFT)[1]

    def rows(self) -> tuple[list[list[int]], list[list[int]]]:
        """Returns for every state the next state, and what is settled, by face."""
        automaton = self.automaton
        following: list[list[int]] = []
        settling: list[list[int]] = []
        done = 0
        while done < len(self.states):
            row = automaton.rows[self.states[done]]
            done += 1
            arrows = {arrow: self.through(arrow) for arrow in set(row) if arrow != IMPOSSIBLE}
            arrows[IMPOSSIBLE] = (0, 0)
            following.append([arrows[arrow][0] for arrow in row])
            settling.append([arrows[arrow][1] for arrow in row])
        return following, settling

    def through(self, arrow: int) -> tuple[int, int]:
        """Returns the next state that draws or ends, and the place of what is settled until there."""
        labels = self.automaton.walked.labels
        state, won = arrow & TARGET, labels[arrow >> SHIFT].won
        while isinstance(waiting := self.automaton.waiting[state], Choose):
            taken = self.decided(state, waiting)
            if taken is None:
                return 0, 0
            state, won = taken[0], won + taken[1]
        if isinstance(waiting, Failed):
            # The exact graph refuses a text that fails on a draw that is possible: no round comes here.
            return 0, 0
        number = self.numbers.get(state)
        if number is None:
            number = self.numbers[state] = len(self.states)
            if number >= STATES_LIMIT:
                raise InputError(f"the table of a round has more than {STATES_LIMIT:,} states")
            self.states.append(state)
        return number, self.settled[tuple(sorted(won))]

    def decided(self, state: int, waiting: Choose) -> tuple[int, tuple[Won, ...]] | None:
        """Returns what follows the option taken and what is settled by it, none where no round comes here."""
        known = self.taken.get(state)
        if known is None:
            ids = tuple(option.id for option in waiting.options)
            strategy = (
                self.strategies[waiting.seat] if isinstance(self.strategies, Mapping) else self.strategies
            )
            try:
                option = strategy.choose(waiting.sees, ids)
            except InputError:
                if self.possible is None or state in self.possible():
                    raise
                return None
            if option not in ids:
                raise InputError(f"{option!r} was decided, expected one of {', '.join(ids)}")
            arrow = self.automaton.rows[state][ids.index(option)]
            known = self.taken[state] = (arrow & TARGET, self.automaton.walked.labels[arrow >> SHIFT].won)
        return known


def _merged(
    automaton: Automaton, playing: _Played, following: list[list[int]], settling: list[list[int]]
) -> RoundTable:
    """Returns the table with equal states merged: decisions that were taken tell states apart no longer."""
    text = automaton.text
    faces = max(len(piece.faces) for piece in text.equipment)
    count = len(playing.states)
    pieces = np.full(count, ENDED, np.int8)
    nexts, labels = np.zeros((count, faces), np.int32), np.zeros((count, faces), np.int32)
    for number, state in enumerate(playing.states):
        waiting = automaton.waiting[state]
        if isinstance(waiting, NextDraw):
            pieces[number] = text.piece_of(waiting)
            nexts[number, : len(following[number])] = following[number]
            labels[number, : len(settling[number])] = settling[number]
    kept = _least(pieces, nexts, labels)
    first = np.zeros(int(kept.max()) + 1, np.int64)
    first[kept[::-1]] = np.arange(count)[::-1]
    return RoundTable(
        text.equipment,
        pieces[first],
        kept[nexts[first]].astype(np.int32),
        labels[first],
        np.zeros(len(first), np.int32),
        tuple(playing.settled.listed),
        playing.begun,
    )


def _least(pieces: np.ndarray, nexts: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Returns the number of the merged state of each state, the start's being 0 (Moore's refinement)."""
    fixed = np.ascontiguousarray(np.column_stack([pieces.astype(np.int32), labels]))
    classes = _numbered(fixed)
    while True:
        refined = _numbered(np.ascontiguousarray(np.column_stack([classes.astype(np.int32), classes[nexts]])))
        if int(refined.max()) == int(classes.max()):
            return refined
        classes = refined


def _numbered(rows: np.ndarray) -> np.ndarray:
    """Returns the number of each row among the different ones, in the order in which they first come."""
    numbers: dict[bytes, int] = {}
    return np.fromiter((numbers.setdefault(row.tobytes(), len(numbers)) for row in rows), np.int64, len(rows))
