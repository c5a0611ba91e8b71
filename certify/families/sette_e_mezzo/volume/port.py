"""Play-through of 7 e Mezzo behind the port of the families."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from certify.families.port import Counter
from certify.families.sette_e_mezzo.rules import SetteEMezzoRules, rules_of
from certify.families.sette_e_mezzo.strategy import HitTable, hit_table
from certify.families.sette_e_mezzo.volume.outcomes import INDEPENDENT, OUTCOMES
from certify.families.sette_e_mezzo.volume.tables import Tables, compile_tables
from certify.model.game import Game
from certify.model.joint_counts import Axes, JointCounts
from certify.model.strategy import Strategy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from rng.words import WordSource


@dataclass(frozen=True, slots=True)
class SetteEMezzoCounter:
    """Plays decks of 7 e Mezzo under one strategy.

    Args:
        strategy: The player's strategy.
        rules: Rules of play.
        tables: Both, compiled.
    """

    strategy: HitTable
    rules: SetteEMezzoRules
    tables: Tables
    axes: Axes = OUTCOMES

    def count(self, rows: NDArray[np.uint8]) -> JointCounts:
        """Returns how many decks end in each joint outcome."""
        # Loading numba takes a moment that --help need not wait for; so everywhere below.
        from certify.families.sette_e_mezzo.volume import kernel

        return JointCounts.dense(self.axes, kernel.count(rows, self.tables))

    def outcomes(self, rows: NDArray[np.uint8]) -> list[tuple[str, ...]]:
        """Returns the outcome of every wager for every deck, by the kernel."""
        from certify.families.sette_e_mezzo.volume import kernel

        return _named(kernel.play(rows, self.tables))

    def twin(self, rows: NDArray[np.uint8]) -> list[tuple[str, ...]]:
        """Returns the same by the kernel's twin."""
        from certify.families.sette_e_mezzo.volume import twin

        return _named(twin.play(rows, self.strategy, self.rules))

    def count_rounds(self, words: WordSource, rounds: int) -> JointCounts:
        """Returns how many of the next rounds of a stream, dealt card by card, end in each joint outcome."""
        from certify.families.sette_e_mezzo.volume import kernel

        return JointCounts.dense(self.axes, kernel.count_rounds(words, rounds, self.tables))

    def play_rounds(self, words: WordSource, rounds: int) -> tuple[list[tuple[str, ...]], NDArray[np.int64]]:
        """Returns the outcomes of the next rounds by the kernel, and the word with which each began."""
        from certify.families.sette_e_mezzo.volume import kernel

        codes, starts = kernel.play_rounds(words, rounds, self.tables)
        return _named(codes), starts

    def twin_rounds(self, words: WordSource, rounds: int) -> list[tuple[str, ...]]:
        """Returns the outcomes of the next rounds by the kernel's twin."""
        from certify.families.sette_e_mezzo.volume import twin

        return _named(twin.play_rounds(words, rounds, self.strategy, self.rules))


def _named(codes: NDArray[np.uint8]) -> list[tuple[str, ...]]:
    ids = [outcomes for _, outcomes in OUTCOMES]
    return [tuple(ids[column][code] for column, code in enumerate(row)) for row in codes.tolist()]


class SetteEMezzoVolume:
    """Play-through by the kernel."""

    independent_code: tuple[str, ...] = INDEPENDENT

    def counter(self, game: Game, strategy: Strategy) -> Counter:
        """Returns what plays the decks of a game under a strategy."""
        rules, table = rules_of(game), hit_table(strategy)
        return SetteEMezzoCounter(table, rules, compile_tables(table, rules))

    def net(self, game: Game, wager: str, outcome: str) -> Fraction:
        """Returns the net result of an outcome; one that no row of the paytable names loses the stake."""
        paytable = game.wager(wager).paytable
        return paytable.pays(outcome) if outcome in paytable.ids else Fraction(-1)
