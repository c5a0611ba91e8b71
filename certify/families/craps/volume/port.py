"""Play-through of the line bets behind the port of the families."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from certify.families.code_counter import CodeCounter
from certify.families.craps.rules import DONT, PASS, laid, rules_of
from certify.families.craps.volume.tables import AGAINST_OUTCOMES, LINE_OUTCOMES, compiled
from certify.families.port import Counter
from certify.model.game import Game
from certify.model.strategy import Strategy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

INDEPENDENT: Final = (
    "rolls, points and settlement: volume.kernel and its twin volume.twin",
    "net results with odds: volume.port",
)
"""What the play-through does by itself, in modules of the family's folder; printed in the evidence."""


class CrapsVolume:
    """Play-through by the kernel."""

    independent_code: tuple[str, ...] = INDEPENDENT

    def counter(self, game: Game, strategy: Strategy) -> Counter:
        """Returns what plays the rows of a game under a strategy."""
        rules, against = rules_of(game), DONT in {wager.id for wager in game.wagers}
        tables = compiled(strategy, rules, against=against)

        def kernel(rows: NDArray[Any]) -> NDArray[np.uint8]:
            from certify.families.craps.volume.kernel import play  # Loading numba takes a moment.

            return play(rows, tables)

        def readable(rows: NDArray[Any]) -> NDArray[np.uint8]:
            from certify.families.craps.volume.twin import play

            return play(rows, strategy, rules, against=against)

        axes = ((PASS, LINE_OUTCOMES), (DONT, AGAINST_OUTCOMES))
        return CodeCounter(axes[: 1 + against], kernel, readable)

    def net(self, game: Game, wager: str, outcome: str) -> Fraction:
        """Returns the net result of an outcome: the line bet, and what was staked on odds."""
        paytable = game.wager(wager).paytable
        kind, _, pair = outcome.partition("-")
        if not pair:
            return paytable.pays("win") if kind == "win" else Fraction({"lose": -1, "push": 0}[kind])
        point = int(pair.partition("-")[0])
        most = rules_of(game).most(point)
        stake = laid(point, most) if wager == DONT else Fraction(most)
        if kind == "lost":
            return -(stake + 1)
        return paytable.pays("win") + stake * paytable.pays(outcome)
