"""Play-through of games of one decision: one compiled loop over rows of cards, tables from the rules of the game."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from certify.families.one_decision.text import OneDecision
from certify.model.game import Game
from certify.model.round_table import CodeCounter, Counter
from certify.model.strategy import Strategy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SHARES: Final = ("rules, strengths of hands and settlement: the text of the family and the toolkit of hands",)
"""What the compiled play-through shares with the exact figures and the reference round, as printed in the evidence."""


@dataclass(frozen=True)
class OneDecisionVolume:
    """Play-through of a family of games of one decision.

    Args:
        text: Returns the rules of a game.
    """

    text: Callable[[Game], OneDecision]

    independent_code: tuple[str, ...] = ()
    shares: tuple[str, ...] = SHARES

    def counter(self, game: Game, strategy: Strategy) -> Counter:
        """Returns what plays the decks of a game under a strategy."""
        import numpy as np

        text = self.text(game)
        cells = list(text.cells())
        ended = [text.outcomes(*cell) for cell in cells]
        axes = tuple(
            (wager.id, tuple(dict.fromkeys(outcomes[place] for outcomes in ended)))
            for place, wager in enumerate(game.wagers)
        )
        codes = np.zeros((*text.shape, len(axes)), dtype=np.uint8)
        for cell, outcomes in zip(cells, ended, strict=True):
            codes[cell] = [names.index(one) for (_, names), one in zip(axes, outcomes, strict=True)]
        by_cell = codes.reshape(-1, len(axes))

        def kernel(rows: NDArray[Any]) -> NDArray[np.uint8]:
            from certify.families.one_decision.kernel import cells_of  # Loading numba takes a moment.

            return np.asarray(by_cell[cells_of(text, strategy, rows)])

        return CodeCounter(axes, kernel)

    def net(self, game: Game, wager: str, outcome: str) -> Fraction:
        """Returns the net result of an outcome in units of the initial stake."""
        return self.text(game).net(wager, outcome)
