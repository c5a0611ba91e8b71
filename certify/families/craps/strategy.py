"""The strategies of the line bets that have a name of their own."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Final

from certify.model.game import Game
from certify.model.strategy import Strategy

FULL_ODDS: Final = "full-odds"


@dataclass(frozen=True, slots=True)
class FullOdds:
    """Full odds behind every bet, on every point.

    Args:
        name: Name of the strategy, as on the command line.
        strategy_class: What it looks at: nothing.
    """

    name: str = FULL_ODDS
    strategy_class: str = "constant choice"

    def choose(self, sees: Hashable, options: Sequence[str]) -> str:
        """Returns full odds, the last of the options."""
        return options[-1]

    def table(self) -> object:
        """Returns everything that decides what the strategy does."""
        return ["full odds on every point"]


def named(game: Game, name: str) -> Strategy | None:
    """Returns a strategy of the family by its name, none where it has no such one."""
    return FullOdds() if name == FULL_ODDS else None
