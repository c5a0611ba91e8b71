"""The play-through as the house asks for it."""

from collections import Counter as Tally
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np
from numpy.typing import NDArray

from certify.errors import InputError
from certify.families.free_bank.rules import BET, FreeBankRules, rules_of
from certify.families.free_bank.strategy import Pair
from certify.families.free_bank.volume import kernel, settlement, twin
from certify.families.free_bank.volume.settlement import BankTables, compiled
from certify.families.port import Counter
from certify.model import Axes, Game, JointCounts, Strategy

INDEPENDENT: Final = (
    "hand totals, the matta and the reale: volume.settlement",
    "settlement of the bet: volume.settlement",
    "play: volume.kernel and its twin volume.twin; rounds that may be split are played by the twin alone",
)
"""What the play-through does by itself, in modules of the family's folder; printed in the evidence."""


@dataclass(frozen=True)
class FreeBankCounter:
    """Plays decks of a game of one seat under one pair of strategies.

    Args:
        pair: How player and bank play.
        rules: Rules of play.
        tables: Both, compiled.
    """

    pair: Pair
    rules: FreeBankRules
    tables: BankTables

    @property
    def axes(self) -> Axes:
        """The bet with its outcomes."""
        return ((BET, settlement.outcomes(self.rules)),)

    def count(self, rows: NDArray[np.uint8]) -> JointCounts:
        """Returns how many decks end in each outcome."""
        ended, several = kernel.play(rows, self.tables)
        counts: Tally[tuple[str, ...]] = Tally()
        for end, times in enumerate(np.bincount(ended[~several], minlength=len(settlement.ENDS)).tolist()):
            counts[(settlement.ENDS[end],)] += times
        for row in rows[several].tolist():
            counts[(self._by_twin(row),)] += 1
        return JointCounts.of_named(self.axes, +counts)

    def outcomes(self, rows: NDArray[np.uint8]) -> list[tuple[str, ...]]:
        """Returns how every deck ends, by the kernel."""
        ended, several = kernel.play(rows, self.tables)
        return [
            (self._by_twin(row) if split else settlement.ENDS[end],)
            for row, end, split in zip(rows.tolist(), ended.tolist(), several.tolist(), strict=True)
        ]

    def twin(self, rows: NDArray[np.uint8]) -> list[tuple[str, ...]]:
        """Returns the same by the kernel's twin."""
        return [(self._by_twin(row),) for row in rows.tolist()]

    def _by_twin(self, row: list[int]) -> str:

        return twin.play_one(row, self.pair, self.rules)


class FreeBankVolume:
    """Play-through of one seat against the bank."""

    independent_code: tuple[str, ...] = INDEPENDENT

    def counter(self, game: Game, strategy: Strategy) -> Counter:
        """Returns what plays the decks of a game under a pair of strategies.

        Raises:
            InputError: The strategy is of another family, or the game has several seats.
        """
        if not isinstance(strategy, Pair):
            raise InputError(
                f"strategy {strategy.name!r} is of another family: expected a player's and a bank's"
            )
        rules = rules_of(game)
        if rules.seats != 1:
            raise InputError(f"{rules.seats} seats: campaigns of the house play one, expected seats = 1")
        return FreeBankCounter(strategy, rules, compiled(strategy, rules))

    def net(self, game: Game, wager: str, outcome: str) -> Fraction:
        """Returns the net result of an outcome, in stakes."""
        pays = {row.id: row.pays for row in game.wager(wager).paytable.rows}
        return settlement.net(outcome, pays, rules_of(game))
