"""Play-through of video poker behind the port of the families: the compiled loop."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from certify.analysis.hands.deck import CountedDeck
from certify.errors import InputError
from certify.families.port import Counter
from certify.families.video_poker.rules import BET, LOSE
from certify.families.video_poker.strategy import HoldTable, hold_table
from certify.families.video_poker.text import deck_of
from certify.model.game import Game
from certify.model.joint_counts import Axes, JointCounts
from certify.model.strategy import Strategy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from certify.families.video_poker.kernel import HoldTables
    from rng.words import WordSource

SHARES: Final = ("rows of hands and their strengths: the text of the family and the toolkit of hands",)
"""What the compiled play-through shares with the exact figures and the reference round, as printed in the evidence."""


@dataclass(frozen=True, slots=True)
class VideoPokerCounter:
    """Plays rounds of video poker under one strategy.

    Args:
        game: The submission.
        strategy: What is held.
        deck: The deck.
        axes: The bet with its outcomes.
        tables: What the compiled loop reads, made when it is first needed.
    """

    game: Game
    strategy: HoldTable
    deck: CountedDeck
    axes: Axes
    tables: list[HoldTables] = field(default_factory=list, compare=False)

    def _tables(self) -> HoldTables:
        # Loading numba takes a moment that --help need not wait for; so everywhere below.
        import numpy as np

        from certify.families.video_poker import figures, kernel

        if not self.tables:
            counted, ((_, outcomes),) = figures.enumerated(self.game), self.axes
            rows = [figures.row_of_kind(self.game, kind) for kind in range(counted.within.shape[1])]
            codes = np.array([outcomes.index(row) for row in rows], dtype=np.uint8)[counted.kinds]
            self.tables.append(kernel.compiled(self.deck, counted.deals, self.strategy.holds, codes))
        return self.tables[0]

    def count(self, rows: NDArray[Any]) -> JointCounts:
        """Returns how many decks end in each outcome."""
        from certify.families.video_poker import kernel

        return self._counted(kernel.play(rows, self._tables()))

    def outcomes(self, rows: NDArray[Any]) -> list[tuple[str, ...]]:
        """Returns the outcome of every deck, by the kernel."""
        from certify.families.video_poker import kernel

        return self._named(kernel.play(rows, self._tables()).tolist())

    def count_rounds(self, words: WordSource, rounds: int) -> JointCounts:
        """Returns how many of the next rounds of a stream, dealt card by card, end in each outcome."""
        from certify.families.video_poker import kernel

        return self._counted(kernel.play_rounds(words, rounds, self._tables())[0])

    def play_rounds(self, words: WordSource, rounds: int) -> tuple[list[tuple[str, ...]], NDArray[np.int64]]:
        """Returns the outcomes of the next rounds by the kernel, and the word with which each began."""
        from certify.families.video_poker import kernel

        ended, starts = kernel.play_rounds(words, rounds, self._tables())
        return self._named(ended.tolist()), starts

    def row(self, words: WordSource) -> Sequence[int]:
        """Returns the cards of the next round, drawn as they are looked at."""
        from rng.lazy import LazyDeck

        return LazyDeck(words, self.deck.size)

    def _named(self, codes: Iterable[int]) -> list[tuple[str, ...]]:
        ((_, outcomes),) = self.axes
        return [(outcomes[code],) for code in codes]

    def _counted(self, codes: NDArray[np.uint8]) -> JointCounts:
        import numpy as np

        return JointCounts.dense(self.axes, np.bincount(codes))


class VideoPokerVolume:
    """Play-through by the kernel."""

    independent_code: tuple[str, ...] = ()
    shares: tuple[str, ...] = SHARES

    def counter(self, game: Game, strategy: Strategy) -> Counter:
        """Returns what plays the rounds of a game under a strategy.

        Raises:
            InputError: The strategy is of another family, or written for another deck.
        """
        table, deck = hold_table(strategy), deck_of(game)
        if table.deck != deck:
            raise InputError(f"strategy {table.name!r} is written for another deck than that of {game.id}")
        return VideoPokerCounter(game, table, deck, ((BET, (*game.wager(BET).paytable.ids, LOSE)),))

    def net(self, game: Game, wager: str, outcome: str) -> Fraction:
        """Returns the net result of an outcome in units of the stake."""
        return Fraction(-1) if outcome == LOSE else game.wager(wager).paytable.pays(outcome)
