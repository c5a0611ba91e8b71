"""Play-through of games with an open dealer's card behind the port of the families."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from certify.families.open_card.rules import OpenCardRules, rules_of
from certify.families.open_card.strategy import OpenCardTable, open_card_table
from certify.families.open_card.volume.outcomes import ANTE, INDEPENDENT, OPEN_CARD_OUTCOMES
from certify.families.open_card.volume.settlement import net_antes
from certify.families.open_card.volume.tables import OpenCardTables, compile_open_card
from certify.families.port import Counter
from certify.model.game import Game
from certify.model.joint_counts import Axes, JointCounts
from certify.model.strategy import Strategy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from rng.words import WordSource


@dataclass(frozen=True, slots=True)
class OpenCardCounter:
    """Plays decks of a game with an open dealer's card under one strategy.

    Args:
        strategy: The player's strategy.
        rules: Rules of play.
        tables: Both, compiled.
    """

    strategy: OpenCardTable
    rules: OpenCardRules
    tables: OpenCardTables
    axes: Axes = ((ANTE, OPEN_CARD_OUTCOMES),)

    def count(self, rows: NDArray[np.uint8]) -> JointCounts:
        """Returns how many decks end in each outcome of the ante."""
        # Loading numba takes a moment that --help need not wait for; so everywhere below.
        from certify.families.open_card.volume import kernel

        return JointCounts.dense(self.axes, kernel.count(rows, self.tables))

    def outcomes(self, rows: NDArray[np.uint8]) -> list[tuple[str, ...]]:
        """Returns the outcome of the ante for every deck, by the kernel."""
        from certify.families.open_card.volume import kernel

        return _named(kernel.play(rows, self.tables))

    def twin(self, rows: NDArray[np.uint8]) -> list[tuple[str, ...]]:
        """Returns the same by the kernel's twin."""
        from certify.families.open_card.volume import twin

        return _named(twin.play(rows, self.strategy, self.rules))

    def count_rounds(self, words: WordSource, rounds: int) -> JointCounts:
        """Returns how many of the next rounds of a stream, dealt card by card, end in each joint outcome."""
        from certify.families.open_card.volume import kernel

        return JointCounts.dense(self.axes, kernel.count_rounds(words, rounds, self.tables))

    def play_rounds(self, words: WordSource, rounds: int) -> tuple[list[tuple[str, ...]], NDArray[np.int64]]:
        """Returns the outcomes of the next rounds by the kernel, and the word with which each began."""
        from certify.families.open_card.volume import kernel

        codes, starts = kernel.play_rounds(words, rounds, self.tables)
        return _named(codes), starts

    def twin_rounds(self, words: WordSource, rounds: int) -> list[tuple[str, ...]]:
        """Returns the outcomes of the next rounds by the kernel's twin."""
        from certify.families.open_card.volume import twin

        return _named(twin.play_rounds(words, rounds, self.strategy, self.rules))


def _named(codes: NDArray[np.uint8]) -> list[tuple[str, ...]]:
    return [(OPEN_CARD_OUTCOMES[code],) for code in codes.tolist()]


class OpenCardVolume:
    """Play-through by the kernel."""

    independent_code: tuple[str, ...] = INDEPENDENT

    def counter(self, game: Game, strategy: Strategy) -> Counter:
        """Returns what plays the decks of a game under a strategy."""
        rules, table = rules_of(game), open_card_table(strategy)
        return OpenCardCounter(table, rules, compile_open_card(table, rules))

    def net(self, game: Game, wager: str, outcome: str) -> Fraction:
        """Returns the net result of an outcome in antes."""
        return net_antes(outcome, rules_of(game), game.wager(wager).paytable)
