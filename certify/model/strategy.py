"""What a player does: a strategy is a noun that chooses by what the player sees, and by nothing else."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from certify.errors import InputError

MAIN_OPTIMAL: Final = "main-optimal"
"""The strategy that is best for the first wager, whatever else is bet; every family has it."""

JOINTLY_OPTIMAL: Final = "jointly-optimal"
"""The strategy that is best for all wagers at given stakes."""

FILE: Final = "file:"
"""What stands before the path of a strategy that is read from a file."""


class Strategy(Protocol):
    """A complete way of playing; a family may write it in a form of its own.

    A strategy is hashable and compares by value: figures that were counted under it are kept by it.
    """

    @property
    def name(self) -> str:
        """Name of the strategy, as on the command line."""
        ...

    @property
    def strategy_class(self) -> str:
        """What the strategy looks at, such as ``composition-dependent`` or ``printed card``."""
        ...

    def choose(self, sees: Hashable, options: Sequence[str]) -> str:
        """Returns the option that the strategy takes.

        Args:
            sees: What the player sees, as the family's reference round states it.
            options: Ids of the options that the rules allow.

        Raises:
            InputError: The strategy names no option for what is seen.
        """
        ...

    def table(self) -> object:
        """Returns everything that decides what the strategy does, as plain sorted values for a digest."""
        ...


CARD: Final = "card:"
"""How a printed strategy card of a submission is named, before its id."""


@dataclass(frozen=True, slots=True)
class StrategyCard:
    """A strategy card that a source prints.

    Args:
        id: Id of the card.
        title: What it is called.
        source: Id of the source.
        text: The card in the form of a strategy file.
        line: Line of the submission.
    """

    id: str
    title: str
    source: str
    text: str
    line: int = 0


@dataclass(frozen=True)
class ChoiceTable:
    """A strategy written out: one option for everything that can be seen.

    Args:
        name: Name of the strategy.
        strategy_class: What it looks at.
        choices: (What is seen, option taken).
    """

    name: str
    strategy_class: str
    choices: frozenset[tuple[Hashable, str]]
    _chosen: Mapping[Hashable, str] = field(init=False, repr=False, compare=False, hash=False)

    def __post_init__(self) -> None:
        """Builds the index by which choices are found."""
        object.__setattr__(self, "_chosen", dict(self.choices))

    def choose(self, sees: Hashable, options: Sequence[str]) -> str:
        """Returns the option for what is seen; where the rules leave one option, that one.

        Raises:
            InputError: The table names no option for what is seen.
        """
        if len(options) == 1:
            return options[0]
        if sees not in self._chosen:
            raise InputError(f"strategy {self.name!r} names no decision for {sees}: expected a complete one")
        return self._chosen[sees]

    def table(self) -> object:
        """Returns the choices, sorted by what is seen."""
        return sorted((repr(sees), option) for sees, option in self.choices)
