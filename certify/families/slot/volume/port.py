"""Play-through of slots behind the port of the families."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certify.errors import InputError
from certify.families.port import told_net
from certify.families.slot.purchases import NoDecisions, Purchase
from certify.families.slot.random_elements import BONUSES, LONGEST
from certify.families.slot.rows import NOTHING
from certify.families.slot.rules import SlotRules, rules_of
from certify.families.slot.volume.kernel import add_up, play_rows, play_words
from certify.families.slot.volume.layout import Room, StreamRow
from certify.families.slot.volume.tables import SlotTables, tables_of
from certify.families.slot.volume.window import OVERDRAWN
from certify.model import Axes, Game, JointCounts, Strategy
from rng.words import WordSource, serve


@dataclass(frozen=True, eq=False)
class SlotCounter:
    """Plays rounds of a slot.

    Args:
        rules: Rules of the slot.
        wager: Id of the wager.
        bought: The feature that every round buys; none where every round is a paid spin.
    """

    rules: SlotRules
    wager: str
    bought: Purchase | None = None

    @cached_property
    def tables(self) -> SlotTables:
        """The rules as arrays; made when rounds are played, for numba takes a moment to load."""
        return tables_of(self.rules, self.bought)

    @property
    def axes(self) -> Axes:
        """The wager with its outcomes."""
        return ((self.wager, self.tables.outcomes),)

    @property
    def varying(self) -> tuple[str, ...]:
        """The wager: its outcomes are classes of rounds."""
        return (self.wager,)

    def count(self, rows: NDArray[Any]) -> JointCounts:
        """Returns how many rows end in each outcome, and what they came to."""
        outcomes, units, room = self._rows(rows)
        return self._counted([(outcomes, units)], room)

    def outcomes(self, rows: NDArray[Any]) -> list[tuple[str, ...]]:
        """Returns the outcome of every row with its net result, by the compiled code."""
        outcomes, units, _ = self._rows(rows)
        return self._told(outcomes.tolist(), units.tolist())

    def count_rounds(self, words: WordSource, rounds: int) -> JointCounts:
        """Returns how many of the next rounds of a stream end in each outcome, and what they came to."""
        room = self.tables.room()
        return self._counted([(ended, units) for ended, units, _ in self._stream(words, rounds, room)], room)

    def play_rounds(self, words: WordSource, rounds: int) -> tuple[list[tuple[str, ...]], NDArray[np.int64]]:
        """Returns the outcomes of the next rounds by the compiled code, and the word with which each began."""
        told, starts = [], [np.empty(0, dtype=np.int64)]
        for outcomes, units, begun in self._stream(words, rounds, self.tables.room()):
            told += self._told(outcomes.tolist(), units.tolist())
            starts.append(begun)
        return told, np.concatenate(starts)

    def row(self, words: WordSource) -> Sequence[int]:
        """Returns the draws of the next round: those of the paid spin, and all others once one is looked at."""
        return StreamRow(words, self.tables.pieces, self.tables.draws.ahead)

    def _rows(self, rows: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64], Room]:

        made, room = self.tables, self.tables.room()
        outcomes, units = np.zeros(len(rows), dtype=np.int64), np.zeros(len(rows), dtype=np.int64)
        played = play_rows(rows, made.draws, made.program, room, outcomes, units)
        if played < len(rows):
            raise InputError(f"round {played} needs more draws than its row holds")
        return outcomes, units, room

    def _stream(
        self, words: WordSource, rounds: int, room: Room
    ) -> list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]]:
        """Plays rounds from words, exactly those that they use."""
        made, batches = self.tables, []

        def step(window: NDArray[np.uint64], done: int) -> tuple[int, int]:
            size = min(rounds - done, len(window))
            outcomes, units, starts = (np.zeros(size, dtype=np.int64) for _ in range(3))
            played, used = play_words(window, made.draws, made.program, room, outcomes, units, starts)
            if used == OVERDRAWN:
                raise InputError(
                    f"round {played} of a stream has more free games or bonuses than a row holds draws for: "
                    f"{LONGEST:,} games of a series and {BONUSES} bonuses of a kind at most; expected most_games, "
                    "most_again or fewer games that are granted again"
                )
            batches.append((outcomes[:played], units[:played], starts[:played] + words.drawn))
            return played, used

        serve(words, rounds, step, made.draws.sizes.size + 65)
        return batches

    def _counted(self, batches: list[tuple[NDArray[np.int64], NDArray[np.int64]]], room: Room) -> JointCounts:

        made = self.tables
        sums = np.zeros((len(made.outcomes), 5), dtype=np.int64)
        for outcomes, units in batches:
            add_up(outcomes, units, made.per_bet, sums)
        ended = tuple(one for one in enumerate(sums[:, 0].tolist()) if one[1])
        return JointCounts(self.axes, ended, (made.totals(self.wager, sums, room),))

    def _told(self, outcomes: list[int], units: list[int]) -> list[tuple[str, ...]]:
        made = self.tables
        return [
            (told_net(made.outcomes[outcome], Fraction(won, made.per_bet) - 1),)
            for outcome, won in zip(outcomes, units, strict=True)
        ]


@dataclass(frozen=True, slots=True)
class SlotVolume:
    """Play-through of slots."""

    @property
    def independent_code(self) -> tuple[str, ...]:
        """What the play-through does by itself."""
        return (
            "tables of symbols, counts and lines, made from the rules of the submission",
            "lines by what they show, row after row of the paytable, by compiled code",
            "scatters, ways, features and limits, by compiled code",
        )

    def counter(self, game: Game, strategy: Strategy) -> SlotCounter:
        """Returns what plays the rounds of a game."""
        bought = strategy.bought if isinstance(strategy, NoDecisions) else None
        return SlotCounter(rules_of(game), game.wagers[0].id, bought)

    def net(self, game: Game, wager: str, outcome: str) -> Fraction:
        """Returns the net result of an outcome that has one: the stake lost where nothing was won.

        Raises:
            InputError: The outcome is a class of rounds.
        """
        if outcome != NOTHING:
            raise InputError(f"{outcome!r} is a class of rounds: its net result varies")
        return Fraction(-1)
