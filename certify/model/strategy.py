"""What a player does: a strategy is a noun that chooses by what the player sees, and by nothing else."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final, Protocol, runtime_checkable

from certify.errors import InputError

MAIN: Final = "main"
"""What the first wager is called where it has no name of its own."""

MAIN_OPTIMAL: Final = f"{MAIN}-optimal"
"""The strategy that is best for the first wager, whatever else is bet; every family has it."""

JOINTLY_OPTIMAL: Final = "jointly-optimal"
"""The strategy that is best for all wagers at given stakes."""

FILE: Final = "file:"
"""The prefix of the path of a strategy that is read from a file."""


Chances = tuple[tuple[str, Fraction], ...]
"""Options by id, each with the probability with which it is taken."""


class Strategy(Protocol):
    """A complete way of playing; a family may write it in a form of its own.

    A strategy is hashable and compares by value: figures that were counted under it are kept by it.
    """

    @property
    def name(self) -> str:
        """Name of the strategy, as on the command line."""

    @property
    def strategy_class(self) -> str:
        """What the strategy looks at, such as ``composition-dependent`` or ``printed card``."""

    def choose(self, sees: Hashable, options: Sequence[str]) -> str:
        """Returns the option that the strategy takes.

        Args:
            sees: What the player sees, as the family's reference round states it.
            options: Ids of the options that the rules allow.

        Raises:
            InputError: The strategy names no option for what is seen.
        """

    def table(self) -> object:
        """Returns everything that decides what the strategy does, as plain sorted values for a digest."""

    def __hash__(self) -> int:
        """Returns a number that equal strategies share."""


@runtime_checkable
class ByLot(Strategy, Protocol):
    """A strategy that may decide by lot: given what chance gives a round, it is a strategy like others.

    The lot must have nothing to do with anything that the round comes to, such as the order of cards never dealt.
    """

    def chances(self, sees: Hashable, options: Sequence[str]) -> Chances:
        """Returns the options that the strategy may take, each with its probability; they sum to one."""

    def cast(self, row: Sequence[int]) -> Strategy:
        """Returns how the strategy plays the round of a row of draws."""


AGAINST: Final = " against "
"""The words between the names of two strategies where a second party decides too, such as a bank held by a player."""


def pair_name(strategy: str, bank: str) -> str:
    """Returns the name of a pair of strategies.

    >>> pair_name("stand-on:5", "best-response")
    'stand-on:5 against best-response'
    """
    return f"{strategy}{AGAINST}{bank}"


def file_stem(name: str) -> str:
    """Returns the name of a strategy as names of files hold it: letters, digits, ``.``, ``_`` and ``-``.

    >>> file_stem("stand-on:5 against best-response")
    'stand-on-5-against-best-response'
    """
    return "".join(letter if letter.isalnum() or letter in "._-" else "-" for letter in name)


EQUILIBRIUM: Final = "equilibrium"
"""The strategies by which both parties secure as much as they can; what is analysed first where two decide."""

HEADS: Final = (MAIN_OPTIMAL, "optimal", pair_name(EQUILIBRIUM, EQUILIBRIUM))
"""Names that a reader finds first."""

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
