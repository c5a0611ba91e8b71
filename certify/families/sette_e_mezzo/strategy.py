"""Strategies of 7 e Mezzo, as tables of the hands on which the player draws."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Final

from certify.errors import InputError
from certify.model.strategy import Strategy

HIT: Final = "hit"
STAND: Final = "stand"

Seen = tuple[int, int, tuple[int, ...]]
"""What the player sees: rank of the first card, further cards of that rank in the hand, hand by class."""


@dataclass(frozen=True, slots=True)
class HitTable:
    """A complete strategy: for every hand that can occur, whether to draw.

    Args:
        name: Name of the strategy, as on the command line.
        strategy_class: What the strategy looks at, such as ``composition-dependent``, ``total-dependent`` or
            ``printed card``, and what it always does where it leaves nothing to choose.
        draws: Hands (cards counted by class) on which the player draws; on all others the player stands.
            Forced draws on a first face and the end of the hand on 7½ or a bust belong to the rules.
        looks_at_first_card: Whether the strategy needs to know which card came first; where it does,
            ``draws_by_first`` holds it and ``draws`` only the hands drawn on whatever came first.
        draws_by_first: (Rank of the first card, further cards of that rank in the hand, hand) on which the
            player draws.
    """

    name: str
    strategy_class: str
    draws: frozenset[tuple[int, ...]]
    looks_at_first_card: bool = False
    draws_by_first: frozenset[Seen] = frozenset()

    def choose(self, sees: Hashable, options: Sequence[str]) -> str:
        """Returns ``hit`` or ``stand`` for what the player sees; where the rules leave one option, that one.

        Raises:
            InputError: What is seen is not what a player of this family sees.
        """
        if len(options) == 1:
            return options[0]
        if not (isinstance(sees, tuple) and len(sees) == 3):
            raise InputError(
                f"strategy {self.name!r} was asked about {sees!r}, expected first rank, further ones, hand"
            )
        drawn = sees in self.draws_by_first if self.looks_at_first_card else sees[2] in self.draws
        return HIT if drawn else STAND

    def table(self) -> object:
        """Returns the hands drawn on, sorted."""
        by_first = sorted(self.draws_by_first) if self.looks_at_first_card else None
        return {"draws": sorted(self.draws), "draws_by_first": by_first}


def hit_table(strategy: Strategy) -> HitTable:
    """Returns a strategy as a table of this family.

    Raises:
        InputError: It is a strategy of another family.
    """
    if isinstance(strategy, HitTable):
        return strategy
    raise InputError(f"strategy {strategy.name!r} is of another family: expected a table of hands drawn on")
