"""Play-through of blackjack behind the port of the families."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from certify.by_key import summed
from certify.errors import InputError
from certify.families.blackjack import rules as ids
from certify.families.blackjack.rulebook import pay
from certify.families.blackjack.side_bets import ROWS, VALUES, paid_rows
from certify.families.blackjack.volume import kernel
from certify.families.blackjack.volume.kernel import CardSource, Whole, source_of
from certify.families.blackjack.volume.tables import DEALER_ENDS, ENDS, SIDES, FilledTables, settlement_of
from certify.families.port import Counter as PlaysRows
from certify.model import Axes, Game, JointCounts, Strategy, cell_of, named_cell
from rng.lazy_kernels import LazyDeck
from rng.words import WordSource, serve

INDEPENDENT: Final = (
    "play: volume.kernel; its tables are made from the reference round, whose rulebook settles every end",
)
"""What the play-through does by itself, in modules of the family's folder; printed in the evidence."""

MOST_KNOWN: Final = 1 << 18
"""Keys that are kept by how rounds ended, at most."""

MOST_DENSE: Final = 1 << 18
"""Keys below this are counted in one array: rounds of one hand; others are sorted."""


@dataclass(frozen=True, slots=True)
class BlackjackCounter:
    """Plays rows of cards under one strategy.

    Args:
        game: The submission.
        strategy: The player's strategy.
        axes: Wagers with every outcome that they may have.
        tables: What the compiled loop reads, made when it is first needed and filled as rounds are played.
        cells: Cells of the joint outcomes, by the keys of rounds.
    """

    game: Game
    strategy: Strategy
    axes: Axes
    tables: list[FilledTables] = field(default_factory=list, compare=False)
    cells: dict[int, int] = field(default_factory=dict, compare=False)

    def count(self, rows: NDArray[Any]) -> JointCounts:
        """Returns how many rows end in each joint outcome."""
        return self._counted(self._keys(rows))

    def outcomes(self, rows: NDArray[Any]) -> list[tuple[str, ...]]:
        """Returns the outcome of every wager for every row, by the kernel."""
        return self._named(self._keys(rows))

    def _filled(self) -> FilledTables:
        if not self.tables:
            self.tables.append(FilledTables(self.game, self.strategy))
        return self.tables[0]

    def _play(self, source: CardSource, rounds: int) -> tuple[Whole, Whole, int]:
        """Plays rounds of a source; returns keys and first words of those that ended, the words used."""
        filled, keys, starts = self._filled(), np.empty(rounds, np.int64), np.empty(rounds, np.int64)
        source.at[:] = 0
        made, used, why = kernel.play(filled.tables, source, 0, 0, keys, starts)
        while why == kernel.MISSING:
            filled.fill(source.missing.tolist())
            made, used, why = kernel.play(filled.tables, source, made, used, keys, starts)
        if why == kernel.OVERDRAWN:
            raise InputError(
                f"round {made} needs more than the {self.game.equipment[0].supply} cards that it has"
            )
        return keys[:made], starts[:made], used

    def _keys(self, rows: NDArray[Any]) -> Whole:

        (piece,) = self.game.equipment
        if rows.ndim != 2 or rows.shape[1] != piece.supply or (rows.size and int(rows.max()) >= piece.size):
            raise InputError(f"rows of {rows.shape}: expected {piece.supply} cards below {piece.size} each")
        wide = np.ascontiguousarray(rows, dtype=np.int64)
        return self._play(source_of(wide, np.empty(0, np.uint64), 2), len(rows))[0]

    def _counted(self, keys: Whole) -> JointCounts:
        """Returns how often each joint outcome came among keys."""
        few = keys < MOST_DENSE
        dense = np.bincount(keys[few])
        others, times = np.unique(keys[~few], return_counts=True)
        distinct = np.concatenate([np.flatnonzero(dense), others])
        times = np.concatenate([dense[dense > 0], times])
        return JointCounts.of(self.axes, summed(zip(self._cells(distinct), times.tolist(), strict=True)))

    def _named(self, keys: Whole) -> list[tuple[str, ...]]:
        return [named_cell(self.axes, cell) for cell in self._cells(keys)]

    def _cells(self, keys: Whole) -> list[int]:
        """Returns the cells of keys, each found once."""
        if len(self.cells) > MOST_KNOWN:
            self.cells.clear()
        whole = keys.tolist()
        for key in dict.fromkeys(whole):
            if key not in self.cells:
                self.cells[key] = cell_of(self.axes, self._ended(key))
        return [self.cells[key] for key in whole]

    def _ended(self, key: int) -> tuple[str, ...]:
        """Returns the outcome of every wager by a key; of the main wager by the reference round's rulebook."""
        filled, hands, ends = self._filled(), [], {}
        rest, joint = divmod(key, int(filled.tables.numbers[SIDES]))
        for wager, outcomes in reversed(filled.sides):
            joint, place = divmod(joint, len(outcomes))
            ends[wager] = outcomes[place]
        rest, insured = divmod(rest, 2)
        rest, dealer = divmod(rest, DEALER_ENDS)
        rest, up = divmod(rest, VALUES)
        while rest:
            rest, code = divmod(rest, ENDS)
            hands.append(filled.settlement.ends[code - 1])
        end = filled.settlement.main_end(tuple(hands), up, dealer, insured=bool(insured))
        ends[ids.MAIN] = end.outcome
        return tuple(ends[wager.id] for wager in self.game.wagers)


class DrawingCounter(BlackjackCounter):
    """Plays rounds on a shoe that is drawn from card by card."""

    __slots__ = ()

    def count_rounds(self, words: WordSource, rounds: int) -> JointCounts:
        """Returns how many of the next rounds of a stream end in each joint outcome."""
        return self._counted(self._drawn(words, rounds)[0])

    def play_rounds(self, words: WordSource, rounds: int) -> tuple[list[tuple[str, ...]], NDArray[np.int64]]:
        """Returns the outcomes of the next rounds by the kernel, and the word with which each began."""
        keys, starts = self._drawn(words, rounds)
        return self._named(keys), starts

    def row(self, words: WordSource) -> Sequence[int]:
        """Returns the cards of the next round, drawn as they are looked at."""
        return LazyDeck(words, self.game.equipment[0].size)

    def _drawn(self, words: WordSource, rounds: int) -> tuple[Whole, Whole]:
        """Returns the keys of the next rounds, and the words with which they began."""
        source = source_of(np.empty((0, 0), np.int64), np.empty(0, np.uint64), self.game.equipment[0].size)
        keys, starts = [np.empty(0, np.int64)], [np.empty(0, np.int64)]

        def step(window: NDArray[np.uint64], done: int) -> tuple[int, int]:
            most = min(rounds - done, len(window))
            ended, begun, used = self._play(source._replace(words=window), most)
            keys.append(ended)
            starts.append(begun + words.drawn)
            return len(ended), used

        serve(words, rounds, step)
        return np.concatenate(keys), np.concatenate(starts)


class BlackjackVolume:
    """Play-through by the kernel."""

    independent_code: tuple[str, ...] = INDEPENDENT

    def counter(self, game: Game, strategy: Strategy) -> PlaysRows:
        """Returns what plays the rounds of a game under a strategy."""
        replaced = game.equipment[0].replaced
        return (BlackjackCounter if replaced else DrawingCounter)(game, strategy, axes_of(game))

    def net(self, game: Game, wager: str, outcome: str) -> Fraction:
        """Returns the net result of an outcome in units of the initial stake.

        Raises:
            InputError: No round ends so.
        """
        if outcome not in dict(axes_of(game))[wager]:
            raise InputError(f'no round of {game.id} ends {wager} in "{outcome}"')
        row, *figures = outcome.split(":")
        if figures:
            return Fraction(figures[0])
        if wager == ids.MAIN:
            fixed = {ids.LOSE: Fraction(-1), ids.SURRENDERED: Fraction(-1, 2)}
            return fixed[row] if row in fixed else pay(game.wager(wager).paytable, row, int(row != ids.PUSH))
        return game.wager(wager).paytable.pays(row) if row in paid_rows(game, wager) else Fraction(-1)


@lru_cache(maxsize=16)
def axes_of(game: Game) -> Axes:
    """Returns the wagers of a game with every outcome that they may have."""
    return tuple(
        (
            wager.id,
            (*paid_rows(game, wager.id), ids.LOSE) if wager.id in ROWS else settlement_of(game).outcomes(),
        )
        for wager in game.wagers
    )
