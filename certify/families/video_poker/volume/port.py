"""Play-through of video poker behind the port of the families."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from certify.errors import InputError
from certify.families.port import Counter
from certify.families.video_poker.cards import Deck, deck_of
from certify.families.video_poker.rules import BET, rules_of
from certify.families.video_poker.strategy import HoldTable, hold_table
from certify.families.video_poker.volume.settlement import INDEPENDENT, LOSES, net_of, rows_by_code
from certify.model.game import Game
from certify.model.strategy import Strategy

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray

    from certify.families.video_poker.volume.kernel import Tables
    from rng.words import WordSource


@dataclass(frozen=True, slots=True)
class VideoPokerCounter:
    """Plays rounds of video poker under one strategy.

    Args:
        strategy: What is held.
        deck: The deck.
        deuces: Whether four wild cards are four deuces.
        rows: The row by which the hands of each code are paid.
        axes: The bet with its outcomes.
    """

    strategy: HoldTable
    deck: Deck
    deuces: bool
    rows: tuple[str, ...]
    axes: tuple[tuple[str, tuple[str, ...]], ...]

    def _tables(self) -> Tables:
        # Loading numba takes a moment that --help need not wait for; so everywhere below.
        from certify.families.video_poker.volume import kernel

        return kernel.compiled(self.deck, self.strategy.holds, self.deuces)

    def count(self, rows: NDArray[Any]) -> NDArray[np.int64]:
        """Returns how many decks end in each outcome."""
        from certify.families.video_poker.volume import kernel

        return self._by_outcome(kernel.count(rows, self._tables()))

    def outcomes(self, rows: NDArray[Any]) -> list[tuple[str, ...]]:
        """Returns the outcome of every deck, by the kernel."""
        from certify.families.video_poker.volume import kernel

        return self._named(kernel.play(rows, self._tables()).tolist())

    def twin(self, rows: NDArray[Any]) -> list[tuple[str, ...]]:
        """Returns the same by the kernel's twin."""
        from certify.families.video_poker.volume import twin

        return self._named(twin.play(rows, self.strategy, self.deck, self.deuces))

    def count_rounds(self, words: WordSource, rounds: int) -> NDArray[np.int64]:
        """Returns how many of the next rounds of a stream, dealt card by card, end in each outcome."""
        from certify.families.video_poker.volume import kernel

        return self._by_outcome(kernel.count_rounds(words, rounds, self._tables()))

    def play_rounds(self, words: WordSource, rounds: int) -> tuple[list[tuple[str, ...]], NDArray[np.int64]]:
        """Returns the outcomes of the next rounds by the kernel, and the word with which each began."""
        from certify.families.video_poker.volume import kernel

        codes, starts = kernel.play_rounds(words, rounds, self._tables())
        return self._named(codes.tolist()), starts

    def twin_rounds(self, words: WordSource, rounds: int) -> list[tuple[str, ...]]:
        """Returns the outcomes of the next rounds by the kernel's twin."""
        from certify.families.video_poker.volume import twin

        return self._named(twin.play_rounds(words, rounds, self.strategy, self.deck, self.deuces))

    def _named(self, codes: Iterable[int]) -> list[tuple[str, ...]]:
        return [(self.rows[code],) for code in codes]

    def _by_outcome(self, codes: NDArray[np.int64]) -> NDArray[np.int64]:
        import numpy as np

        ((_, outcomes),) = self.axes
        counts = np.zeros(len(outcomes), dtype=np.int64)
        for row, rounds in zip(self.rows, codes, strict=True):
            if rounds:
                counts[outcomes.index(row)] += rounds
        return counts


class VideoPokerVolume:
    """Play-through by the kernel."""

    independent_code: tuple[str, ...] = INDEPENDENT

    def counter(self, game: Game, strategy: Strategy) -> Counter:
        """Returns what plays the rounds of a game under a strategy.

        Raises:
            InputError: The strategy is of another family, or written for another deck.
        """
        table, deck, rules = hold_table(strategy), deck_of(game), rules_of(game)
        if table.deck != deck:
            raise InputError(f"strategy {table.name!r} is written for another deck than that of {game.id}")
        paytable = game.wager(BET).paytable
        axes = ((BET, (*paytable.ids, LOSES)),)
        return VideoPokerCounter(table, deck, rules.deuces_wild, rows_by_code(rules, paytable), axes)

    def net(self, game: Game, wager: str, outcome: str) -> Fraction:
        """Returns the net result of an outcome in units of the stake."""
        return net_of(outcome, game.wager(wager).paytable)
