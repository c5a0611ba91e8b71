"""Play-through of Caribbean stud behind the port of the families."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from certify.families.caribbean_stud.rules import rules_of
from certify.families.code_counter import CodeCounter
from certify.families.port import Counter
from certify.model.game import Game
from certify.model.strategy import Strategy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

INDEPENDENT: Final = (
    "ranking of hands, comparison and settlement: volume.kernel and its twin volume.twin",
    "net results with the raise: volume.port",
)
"""What the play-through does by itself, in modules of the family's folder; printed in the evidence."""


class StudVolume:
    """Play-through by the kernel."""

    independent_code: tuple[str, ...] = INDEPENDENT

    def counter(self, game: Game, strategy: Strategy) -> Counter:
        """Returns what plays the decks of a game under a strategy."""
        from certify.families.caribbean_stud.volume import tables as compiling

        tables = compiling.compiled(game, strategy)

        def kernel(rows: NDArray[Any]) -> NDArray[np.uint8]:
            from certify.families.caribbean_stud.volume.kernel import play  # Loading numba takes a moment.

            return play(rows, tables)

        def readable(rows: NDArray[Any]) -> NDArray[np.uint8]:
            from certify.families.caribbean_stud.volume.twin import play

            return play(rows, game, strategy, tables.axes)

        return CodeCounter(tables.axes, kernel, readable)

    def net(self, game: Game, wager: str, outcome: str) -> Fraction:
        """Returns the net result of an outcome: of the ante with the raise, or the row's pay."""
        pays = {row.id: row.pays for row in game.wager(wager).paytable.rows}
        if wager != game.wagers[0].id:
            return pays.get(outcome, Fraction(-1))
        raised = rules_of(game).antes
        if outcome in ("fold", "lose"):
            return Fraction(-1 if outcome == "fold" else -1 - raised)
        if outcome in ("push", "unqualified"):
            return Fraction(0) if outcome == "push" else pays[outcome]
        return pays[outcome] * raised + 1
