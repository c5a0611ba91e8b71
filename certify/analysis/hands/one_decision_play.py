"""Play-through of games of one decision: one compiled loop over rows of cards, tables from the rules of the game.

The twin is the game's second text, which shares nothing with those rules: it plays the same rows in plain Python.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from certify.analysis.hands.deck import label
from certify.analysis.hands.kinds import ENDS, KINDS
from certify.analysis.hands.one_decision import OneDecision
from certify.families.code_counter import CodeCounter
from certify.families.port import Counter
from certify.model.game import Game
from certify.model.strategy import Strategy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Settle = Callable[[Mapping[str, Any], Sequence[str], Sequence[str]], Mapping[str, str]]
"""A second text: what is printed, the faces in the order drawn and the decisions in, the outcome of each wager out."""

SHARES: Final = ("rules, strengths of hands and settlement: the text of the family and the toolkit of hands",)
"""What the compiled play-through shares with the exact figures and the reference round, as printed in the evidence."""

INDEPENDENT: Final = (
    "the twin settles by the second text of the family, which shares nothing with its rules: second",
)
"""What the play-through does by itself, in modules of the family's folder; printed in the evidence."""


@dataclass(frozen=True, slots=True)
class TextCounter(CodeCounter):
    """Plays rows by a compiled function, and settles them by a second text, which may name any outcome.

    Args:
        apart: Returns the outcomes of rows by the second text.
    """

    apart: Callable[[NDArray[Any]], list[tuple[str, ...]]]

    def twin(self, rows: NDArray[Any]) -> list[tuple[str, ...]]:
        """Returns the outcome of every wager for every row, by the second text."""
        return self.apart(rows)


@dataclass(frozen=True)
class OneDecisionVolume:
    """Play-through of a family of games of one decision.

    Args:
        text: Returns the rules of a game.
        printed: Returns what is printed of a game, as its second text reads it.
        settle: The second text.
    """

    text: Callable[[Game], OneDecision]
    printed: Callable[[Game], Mapping[str, Any]]
    settle: Settle

    independent_code: tuple[str, ...] = INDEPENDENT
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
        codes = np.zeros((KINDS, ENDS, KINDS, len(axes)), dtype=np.uint8)
        for cell, outcomes in zip(cells, ended, strict=True):
            codes[cell] = [names.index(one) for (_, names), one in zip(axes, outcomes, strict=True)]
        by_cell = codes.reshape(-1, len(axes))

        def kernel(rows: NDArray[Any]) -> NDArray[np.uint8]:
            from certify.analysis.hands.one_decision_kernel import cells_of  # Loading numba takes a moment.

            return np.asarray(by_cell[cells_of(text, strategy, rows)])

        def apart(rows: NDArray[Any]) -> list[tuple[str, ...]]:
            printed = self.printed(game)
            settled = [self._settled(text, strategy, printed, row) for row in rows.tolist()]
            return [tuple(one[wager] for wager, _ in axes) for one in settled]

        return TextCounter(axes, kernel, kernel, apart)

    def _settled(
        self, text: OneDecision, strategy: Strategy, printed: Mapping[str, Any], row: Sequence[int]
    ) -> Mapping[str, str]:
        own, dealer = row[: text.cards], row[text.cards : 2 * text.cards]
        sees = label(text.deck.of(own), text.deck.of(dealer[: text.opened]))
        faces = text.game.equipment[0].faces
        decision = strategy.choose(sees, text.options)
        return self.settle(printed, [faces[face] for face in (*own, *dealer)], (decision,))

    def net(self, game: Game, wager: str, outcome: str) -> Fraction:
        """Returns the net result of an outcome in units of the initial stake."""
        return self.text(game).net(wager, outcome)
