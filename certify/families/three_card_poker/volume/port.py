"""Play-through of three card poker behind the port of the families."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from certify.families.code_counter import CodeCounter
from certify.families.port import Counter
from certify.model.game import Game
from certify.model.strategy import Strategy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

INDEPENDENT: Final = (
    "ranking of hands, comparison and settlement: volume.kernel and its twin volume.twin",
    "net results with the play bet and bonuses: volume.port",
)
"""What the play-through does by itself, in modules of the family's folder; printed in the evidence."""

_ANTE_NETS: Final = {"unqualified": (1, 0), "win": (1, 1), "push": (0, 0), "lose": (-1, -1)}
"""Units won on the ante and on the play bet; wins and returns are multiplied by what the row pays."""


class ThreeCardVolume:
    """Play-through by the kernel."""

    independent_code: tuple[str, ...] = INDEPENDENT

    def counter(self, game: Game, strategy: Strategy) -> Counter:
        """Returns what plays the decks of a game under a strategy."""
        from certify.families.three_card_poker.volume import tables as compiling

        tables = compiling.compiled(game, strategy)

        def kernel(rows: NDArray[Any]) -> NDArray[np.uint8]:
            from certify.families.three_card_poker.volume.kernel import play  # Loading numba takes a moment.

            return play(rows, tables)

        def readable(rows: NDArray[Any]) -> NDArray[np.uint8]:
            from certify.families.three_card_poker.volume.twin import play

            return play(rows, game, strategy, tables.axes)

        return CodeCounter(tables.axes, kernel, readable)

    def net(self, game: Game, wager: str, outcome: str) -> Fraction:
        """Returns the net result of an outcome: the ante, the play bet and the bonus, or the row's pay."""
        paytable = game.wager(wager).paytable
        pays = {row.id: row.pays for row in paytable.rows}
        if wager != game.wagers[0].id:
            return pays.get(outcome, Fraction(-1))
        if outcome == "fold":
            return Fraction(-1)
        bonus, _, end = outcome.rpartition("-")
        ante, play = _ANTE_NETS[end]
        paid = pays.get(end, Fraction(1))
        return (ante + play) * paid + pays.get(bonus, Fraction(0))
