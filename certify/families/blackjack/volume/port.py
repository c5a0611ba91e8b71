"""Play-through of blackjack behind the port of the families."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from certify.errors import InputError
from certify.families.blackjack import rules as ids
from certify.families.blackjack.rulebook import pay
from certify.families.blackjack.side_bets import ROWS, paid_rows
from certify.families.port import Counter
from certify.model.game import Game
from certify.model.joint_counts import Axes, JointCounts
from certify.model.strategy import Strategy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from certify.families.blackjack.volume.tables import Tables
    from rng.words import WordSource

INDEPENDENT: Final = (
    "play: volume.kernel; rules and settlement are tables made from the reference round, not from the exact figures",
)
"""What the play-through does by itself, in modules of the family's folder; printed in the evidence."""

MOST_KEPT: Final = 1 << 22
"""Keys of joint ends up to which they are counted in one array."""

_FEW_WORDS: Final = 64


@dataclass(frozen=True, slots=True)
class BlackjackCounter:
    """Plays rows of cards under one strategy.

    Args:
        game: The submission.
        strategy: The player's strategy.
        axes: Wagers with every outcome that they may have.
        tables: What the compiled loop reads, made when it is first needed.
    """

    game: Game
    strategy: Strategy
    axes: Axes
    tables: list[Tables] = field(default_factory=list, compare=False)

    def count(self, rows: NDArray[Any]) -> JointCounts:
        """Returns how many rows end in each joint outcome."""
        return self._counted(iter([self._keys(rows)]))

    def outcomes(self, rows: NDArray[Any]) -> list[tuple[str, ...]]:
        """Returns the outcome of every wager for every row, by the kernel."""
        return self._named(self._keys(rows))

    def _tables(self) -> Tables:
        # Loading numba takes a moment that --help need not wait for; so everywhere below.
        from certify.families.blackjack.volume.tables import compiled

        if not self.tables:
            self.tables.append(compiled(self.game, self.strategy))
        return self.tables[0]

    def _keys(self, rows: NDArray[Any]) -> NDArray[np.int64]:
        import numpy as np

        from certify.families.blackjack.volume import kernel

        (piece,) = self.game.equipment
        if rows.ndim != 2 or rows.shape[1] != piece.supply or (rows.size and int(rows.max()) >= piece.size):
            raise InputError(f"rows of {rows.shape}: expected {piece.supply} cards below {piece.size} each")
        keys = np.empty(len(rows), dtype=np.int64)
        if not len(rows):
            return keys
        wide, none = np.ascontiguousarray(rows, dtype=np.int64), np.empty(0, np.uint64)
        played, _, _ = kernel.play(self._tables(), wide, kernel.dealing(2), none, keys, np.empty_like(keys))
        if played < len(rows):
            raise InputError(f"round {played} asks for more cards than its row holds")
        return keys

    def _counted(self, parts: Iterator[NDArray[np.int64]]) -> JointCounts:
        """Returns how often each joint outcome came among keys."""
        import numpy as np

        from certify.families.blackjack.volume import kernel
        from certify.families.blackjack.volume.tables import keys_of, settlement_of

        possible = keys_of(self._tables().numbers, len(settlement_of(self.game).rows))
        if possible > MOST_KEPT:
            keys, times = np.unique(np.concatenate(list(parts)), return_counts=True)
        else:
            counts = np.zeros(possible, dtype=np.int64)
            for part in parts:
                kernel.tally(part, counts)
            keys = np.flatnonzero(counts)
            times = counts[keys]
        named = zip(self._named(keys), times.tolist(), strict=True)
        return JointCounts.of_named(self.axes, dict(named))

    def _named(self, keys: NDArray[np.int64]) -> list[tuple[str, ...]]:
        from certify.families.blackjack.volume.tables import (
            LOW,
            SIDES,
            STAKES,
            WIDTH,
            settlement_of,
            side_axes,
        )

        numbers, settlement = self._tables().numbers.tolist(), settlement_of(self.game)
        sides = side_axes(self.game)
        known: dict[int, tuple[str, ...]] = {}
        for key in dict.fromkeys(keys.tolist()):
            rest, joint = divmod(key, numbers[SIDES])
            rest, net = divmod(rest, numbers[WIDTH])
            row, staked = divmod(rest, STAKES)
            ends = {}
            for wager, outcomes in reversed(sides):
                joint, place = divmod(joint, len(outcomes))
                ends[wager] = outcomes[place]
            ends[ids.MAIN] = settlement.outcome(row, net + numbers[LOW], staked)
            known[key] = tuple(ends[wager.id] for wager in self.game.wagers)
        return [known[key] for key in keys.tolist()]


class DrawingCounter(BlackjackCounter):
    """Plays rounds on a shoe that is drawn from card by card."""

    __slots__ = ()

    def count_rounds(self, words: WordSource, rounds: int) -> JointCounts:
        """Returns how many of the next rounds of a stream end in each joint outcome."""
        return self._counted(keys for keys, _ in self._drawn(words, rounds))

    def play_rounds(self, words: WordSource, rounds: int) -> tuple[list[tuple[str, ...]], NDArray[np.int64]]:
        """Returns the outcomes of the next rounds by the kernel, and the word with which each began."""
        import numpy as np

        played = list(self._drawn(words, rounds))
        ends = [end for keys, _ in played for end in self._named(keys)]
        return ends, np.concatenate([np.empty(0, np.int64), *(starts for _, starts in played)])

    def row(self, words: WordSource) -> Sequence[int]:
        """Returns the cards of the next round, drawn as they are looked at."""
        from rng.lazy_kernels import LazyDeck

        return LazyDeck(words, self.game.equipment[0].size)

    def _drawn(self, words: WordSource, rounds: int) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Yields the keys of rounds, and the words with which they began."""
        import numpy as np

        from certify.families.blackjack.volume import kernel

        deck, waiting = kernel.dealing(self.game.equipment[0].size), 1
        none = np.empty((0, 0), dtype=np.int64)
        while rounds:
            window = words.window(waiting)
            before, most = words.drawn, min(rounds, len(window))
            keys, starts = np.empty(most, np.int64), np.empty(most, np.int64)
            made, used, why = kernel.play(self._tables(), none, deck, window, keys, starts)
            if why == kernel.OVERDRAWN:
                raise InputError(f"a round asks for more than the {len(deck.products)} cards of the shoe")
            # A round that the window broke off is begun again once more words are waiting.
            waiting = min(len(window) - used + 1, len(window) + 1 if not made else _FEW_WORDS)
            words.skip(used)
            rounds -= made
            yield keys[:made], starts[:made] + before


class BlackjackVolume:
    """Play-through by the kernel."""

    independent_code: tuple[str, ...] = INDEPENDENT

    def counter(self, game: Game, strategy: Strategy) -> Counter:
        """Returns what plays the rounds of a game under a strategy."""
        replaced = game.equipment[0].replaced
        return (BlackjackCounter if replaced else DrawingCounter)(game, strategy, axes_of(game))

    def net(self, game: Game, wager: str, outcome: str) -> Fraction:
        """Returns the net result of an outcome in units of the initial stake."""
        row, *figures = outcome.split(":")
        if figures:
            return Fraction(figures[0])
        if wager == ids.MAIN:
            fixed = {ids.LOSE: Fraction(-1), ids.SURRENDERED: Fraction(-1, 2)}
            return fixed[row] if row in fixed else pay(game.wager(wager).paytable, row, int(row != ids.PUSH))
        return game.wager(wager).paytable.pays(row) if row in paid_rows(game, wager) else Fraction(-1)


def axes_of(game: Game) -> Axes:
    """Returns the wagers of a game with every outcome that they may have."""
    from certify.families.blackjack.volume.tables import settlement_of

    main = settlement_of(game).outcomes()
    return tuple(
        (wager.id, (*paid_rows(game, wager.id), ids.LOSE) if wager.id in ROWS else main)
        for wager in game.wagers
    )
