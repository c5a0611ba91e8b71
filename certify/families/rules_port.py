"""What a family says of its rules as parameters, and how it reads them from a submission."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from certify.errors import Problems
from certify.model import Game, Rules


class RuleReader(Protocol):
    """Reads typed values of ``[[rules]]``; every mistake is recorded with its line."""

    def flag(self, name: str, otherwise: bool) -> bool:
        """Returns a yes/no rule."""

    def points(self, name: str, otherwise: int) -> int:
        """Returns a rule that is a number of points, in half points."""

    def whole(self, name: str, otherwise: int, low: int, high: int) -> int:
        """Returns a rule that is a whole number written as text, within bounds."""

    def text(self, name: str, otherwise: str) -> str:
        """Returns a rule that is text of the family's own form, which the family checks."""

    def choice(self, name: str, otherwise: str, allowed: tuple[str, ...]) -> str:
        """Returns a rule that is one of several words."""

    def refuse(self, name: str, message: str) -> None:
        """Records why the value of a rule is not supported."""

    def refuse_where(self, wrong: object, name: str, message: str) -> None:
        """Records why the value of a rule is not supported, where it is not."""
        if wrong:
            self.refuse(name, message)


@dataclass(frozen=True, slots=True)
class TableForm:
    """A table of ``game.toml`` that belongs to a family.

    Args:
        form: Frozen dataclass of text, yes/no and lists that states its keys.
        many: Whether it is an array of tables.
        required: Whether a submission must have it.
    """

    form: type
    many: bool = False
    required: bool = False

    @property
    def needed(self) -> frozenset[str]:
        """Keys that an entry cannot leave out."""
        missing = dataclasses.MISSING
        fields = dataclasses.fields(self.form)
        return frozenset(one.name for one in fields if one.default is one.default_factory is missing)


class RulesPort(Protocol):
    """The rules of a family as parameters, and what a submission of it must state."""

    @property
    def rule_ids(self) -> tuple[str, ...]:
        """Ids of the rules that a submission states, those that it may leave out among them."""

    @property
    def optional_rules(self) -> tuple[str, ...]:
        """Ids of the rules that a submission may leave out."""

    @property
    def wager_ids(self) -> tuple[str, ...]:
        """Ids of the wagers that the family can settle, the main wager first; empty where the file names its own."""

    @property
    def bankers(self) -> tuple[str, ...]:
        """Who may bank the games: ``house``, ``player``."""

    @property
    def tables(self) -> Mapping[str, TableForm]:
        """Further tables of ``game.toml`` that belong to the family, by name."""

    def read(self, rules: RuleReader) -> Rules:
        """Returns the rules of play as a frozen dataclass."""

    def check(self, game: Game, tables: Mapping[str, Any], problems: Problems) -> Game:
        """Returns the game with what the family's own tables add; records where equipment and tables do not fit.

        Args:
            game: The submission as read so far, wagers and equipment included.
            tables: The family's own tables by name, in their forms; none where one was left out.
            problems: Takes the mistakes.
        """

    def required_wagers(self, game: Game) -> tuple[str, ...]:
        """Returns the wagers without which the game cannot be played."""

    def paid_rows(self, game: Game, wager: str) -> tuple[str, ...]:
        """Returns the rows that a paytable must name, or else winning rounds would lose in silence."""

    def reachable_rows(self, game: Game, wager: str) -> tuple[str, ...]:
        """Returns every row that some round falls in, losing ones included, winning ones first."""

    def row_of(self, outcome: str) -> str:
        """Returns the row that an outcome is named after; outcomes of one row may differ in what was staked."""
