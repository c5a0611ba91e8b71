"""Play-through of games of one draw behind the port of the families."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from certify.families.code_counter import CodeCounter
from certify.families.port import Counter
from certify.families.single_draw.rules import rules_of
from certify.families.single_draw.volume import program
from certify.model.game import Game
from certify.model.strategy import Strategy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

INDEPENDENT: Final = (
    "what conditions mean: volume.program and volume.kernel, and again in the twin volume.twin",
    "turns, stages and settlement: volume.kernel and its twin volume.twin",
    "net results of rows: volume.port",
)
"""What the play-through does by itself, in modules of the family's folder; printed in the evidence."""


class SingleDrawVolume:
    """Play-through by the kernel."""

    independent_code: tuple[str, ...] = INDEPENDENT

    def counter(self, game: Game, strategy: Strategy) -> Counter:
        """Returns what plays the rows of a game; nothing is decided in it."""
        rules, equipment = rules_of(game), game.equipment
        compiled = program.compiled(rules, equipment)

        def kernel(rows: NDArray[Any]) -> NDArray[np.uint8]:
            from certify.families.single_draw.volume.kernel import play  # Loading numba takes a moment.

            return play(rows, compiled)

        def readable(rows: NDArray[Any]) -> NDArray[np.uint8]:
            from certify.families.single_draw.volume.twin import play

            return play(rows, rules, equipment)

        return CodeCounter(program.outcomes_of(rules), kernel, readable)

    def net(self, game: Game, wager: str, outcome: str) -> Fraction:
        """Returns the net result of a row: as the paytable pays it, else what comes back less the stake."""
        for row in game.wager(wager).paytable.rows:
            if row.id == outcome:
                return row.pays
        for name, part in rules_of(game).terms(wager).returns:
            if name == outcome:
                return part - Fraction(1)
        return Fraction(-1)
