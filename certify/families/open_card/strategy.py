"""Strategies of the games with an open dealer's card, as tables of decisions."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from certify.errors import InputError
from certify.model.strategy import Strategy


@dataclass(frozen=True)
class OpenCardTable:
    """A complete strategy: a decision for every hand that it comes to, against every open card.

    Args:
        name: Name of the strategy, as on the command line.
        strategy_class: What the strategy looks at, and what it always does where it leaves nothing to choose.
        by_open_card: (Class of the dealer's open card, hand counted by class, decision) for every hand that the
            strategy comes to; the King of diamonds drawn later is one of the faces.
    """

    name: str
    strategy_class: str
    by_open_card: frozenset[tuple[int, tuple[int, ...], str]]
    _chosen: Mapping[Hashable, str] = field(init=False, repr=False, compare=False, hash=False)

    def __post_init__(self) -> None:
        """Builds the index by which decisions are found."""
        chosen = {(shown, hand): decision for shown, hand, decision in self.by_open_card}
        object.__setattr__(self, "_chosen", chosen)

    def choose(self, sees: Hashable, options: Sequence[str]) -> str:
        """Returns the decision for an open card and a hand; where the rules leave one option, that one.

        Raises:
            InputError: The table names no decision for what is seen.
        """
        if len(options) == 1:
            return options[0]
        if sees not in self._chosen:
            raise InputError(f"strategy {self.name!r} names no decision for {sees}: expected a complete one")
        return self._chosen[sees]

    def table(self) -> object:
        """Returns the decisions, sorted."""
        return {"by_open_card": sorted(self.by_open_card)}


def open_card_table(strategy: Strategy) -> OpenCardTable:
    """Returns a strategy as a table of this family.

    Raises:
        InputError: It is a strategy of another family.
    """
    if isinstance(strategy, OpenCardTable):
        return strategy
    raise InputError(f"strategy {strategy.name!r} is of another family: expected decisions by open card")
