"""Play-through of baccarat behind the port of the families."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from certify.families.baccarat.rules import BaccaratRules, rules_of
from certify.families.baccarat.volume.settlement import (
    ENDS,
    INDEPENDENT,
    net_of,
    outcomes_of,
    settled,
    tables_of,
)
from certify.families.port import Counter
from certify.model.equipment import Equipment
from certify.model.game import Game
from certify.model.strategy import Strategy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rng.words import WordSource

Axes = tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class BaccaratCounter:
    """Plays rounds of baccarat from whole shoes or card by card.

    Args:
        shoe: The shoe.
        rules: Rules of play.
        axes: Wagers with their outcomes.
    """

    shoe: Equipment
    rules: BaccaratRules
    axes: Axes

    def count(self, rows: NDArray[Any]) -> NDArray[np.int64]:
        """Returns how many shoes end in each joint outcome, flattened in the order of the axes."""
        # Loading numba takes a moment that --help need not wait for; so everywhere below.
        from certify.families.baccarat.volume import kernel

        return self._joint(kernel.count(rows, tables_of(self.shoe)))

    def outcomes(self, rows: NDArray[Any]) -> list[tuple[str, ...]]:
        """Returns the outcome of every wager for every shoe, by the kernel."""
        from certify.families.baccarat.volume import kernel

        return self._named(kernel.play(rows, tables_of(self.shoe)).tolist())

    def twin(self, rows: NDArray[Any]) -> list[tuple[str, ...]]:
        """Returns the same by the kernel's twin."""
        from certify.families.baccarat.volume import twin

        return self._named(twin.play(rows, self.shoe))

    def count_rounds(self, words: WordSource, rounds: int) -> NDArray[np.int64]:
        """Returns how many of the next rounds of a stream, dealt card by card, end in each joint outcome."""
        from certify.families.baccarat.volume import kernel

        return self._joint(kernel.count_rounds(words, rounds, tables_of(self.shoe)))

    def play_rounds(self, words: WordSource, rounds: int) -> tuple[list[tuple[str, ...]], NDArray[np.int64]]:
        """Returns the outcomes of the next rounds by the kernel, and the word with which each began."""
        from certify.families.baccarat.volume import kernel

        codes, starts = kernel.play_rounds(words, rounds, tables_of(self.shoe))
        return self._named(codes.tolist()), starts

    def twin_rounds(self, words: WordSource, rounds: int) -> list[tuple[str, ...]]:
        """Returns the outcomes of the next rounds by the kernel's twin."""
        from certify.families.baccarat.volume import twin

        return self._named(twin.play_rounds(words, rounds, self.shoe))

    def _named(self, codes: Iterable[int]) -> list[tuple[str, ...]]:
        wagers = tuple(wager for wager, _ in self.axes)
        return [_outcomes(code, wagers, self.rules) for code in codes]

    def _joint(self, ends: NDArray[np.int64]) -> NDArray[np.int64]:
        """Returns counts of ends as counts of joint outcomes."""
        wagers = tuple(wager for wager, _ in self.axes)
        joint = np.zeros(prod(len(outcomes) for _, outcomes in self.axes), dtype=np.int64)
        for code in np.flatnonzero(ends).tolist():
            cell = 0
            for (_, known), outcome in zip(self.axes, _outcomes(code, wagers, self.rules), strict=True):
                cell = cell * len(known) + known.index(outcome)
            joint[cell] += ends[code]
        return joint


@lru_cache(maxsize=4 * ENDS)
def _outcomes(code: int, wagers: tuple[str, ...], rules: BaccaratRules) -> tuple[str, ...]:
    return tuple(settled(code, wager, rules) for wager in wagers)


class BaccaratVolume:
    """Play-through by the kernel."""

    independent_code: tuple[str, ...] = INDEPENDENT

    def counter(self, game: Game, strategy: Strategy) -> Counter:
        """Returns what plays the rounds of a game; nothing is decided."""
        rules = rules_of(game)
        axes = tuple((wager.id, outcomes_of(wager.id, rules)) for wager in game.wagers)
        return BaccaratCounter(game.equipment[0], rules, axes)

    def net(self, game: Game, wager: str, outcome: str) -> Fraction:
        """Returns the net result of an outcome in units of the stake."""
        return net_of(outcome, game.wager(wager).paytable)
