"""The table by which rounds of a text are played in volume: its least automaton under one strategy."""

from collections.abc import Callable, Container, Mapping
from typing import Final

import numpy as np

from certify.analysis.engine.automaton import Automaton, Flat, refined
from certify.analysis.engine.stage_points import IMPOSSIBLE, SHIFT, TARGET, Failed, Row
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
    return _merged(automaton, _Played(automaton, strategies, possible))


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
        self.begun = self.through(automaton.walked.begun << SHIFT) >> SHIFT

    def rows(self) -> list[Row]:
        """Returns for every state an arrow by face: the next state, above it the place of what is settled."""
        rows: list[Row] = []
        while len(rows) < len(self.states):
            row = self.automaton.rows[self.states[len(rows)]]
            arrows = {arrow: self.through(arrow) for arrow in set(row) if arrow != IMPOSSIBLE}
            rows.append(tuple(arrows.get(arrow, 0) for arrow in row))
        return rows

    def through(self, arrow: int) -> int:
        """Returns the arrow to the next state that draws or ends, with what is settled until there."""
        labels = self.automaton.walked.labels
        state, won = arrow & TARGET, labels[arrow >> SHIFT].won
        while isinstance(waiting := self.automaton.waiting[state], Choose):
            taken = self.decided(state, waiting)
            if taken is None:
                return 0
            state, won = taken[0], won + taken[1]
        if isinstance(waiting, Failed):
            # The exact graph refuses a text that fails on a draw that is possible: no round comes here.
            return 0
        number = self.numbers.get(state)
        if number is None:
            number = self.numbers[state] = len(self.states)
            if number >= STATES_LIMIT:
                raise InputError(f"the table of a round has more than {STATES_LIMIT:,} states")
            self.states.append(state)
        return number | self.settled[tuple(sorted(won))] << SHIFT

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


def _merged(automaton: Automaton, playing: _Played) -> RoundTable:
    """Returns the table with equal states merged: decisions that were taken tell states apart no longer."""
    text, rows = automaton.text, playing.rows()
    waiting = [automaton.waiting[state] for state in playing.states]
    pieces = [text.piece_of(here) if isinstance(here, NextDraw) else ENDED for here in waiting]
    _, first, kept = np.unique(
        refined([piece - ENDED for piece in pieces], Flat.of(rows)), return_index=True, return_inverse=True
    )
    arrows = np.zeros((len(first), max(len(piece.faces) for piece in text.equipment)), np.int64)
    for number, state in enumerate(first.tolist()):
        arrows[number, : len(rows[state])] = rows[state]
    return RoundTable(
        text.equipment,
        np.array(pieces, np.int8)[first],
        kept[arrows & TARGET].astype(np.int32),
        (arrows >> SHIFT).astype(np.int32),
        np.zeros(len(first), np.int32),
        tuple(playing.settled.listed),
        playing.begun,
    )
