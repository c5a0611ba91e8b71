"""A family in words: its rules with the values they take, its wagers and rows, its strategies."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from certify.exact import format_half_points
from certify.families.port import Family
from certify.kit.run import brought
from certify.mathematics.of_game import plan_of
from certify.model.game import Game


@dataclass(frozen=True, slots=True)
class RuleForm:
    """What one rule may be.

    Args:
        id: Id of the rule, as ``[[rules]]`` states it.
        values: The values it takes, in words.
        otherwise: What a game is played by whose submission is silent.
    """

    id: str
    values: str
    otherwise: str


@dataclass(slots=True)
class RuleForms:
    """Reads no rules but how they would be read; the port of the families."""

    found: dict[str, RuleForm] = field(default_factory=dict)

    def _add(self, name: str, values: str, otherwise: str) -> None:
        self.found[name] = RuleForm(name, values, otherwise)

    def flag(self, name: str, otherwise: bool) -> bool:
        """Returns a yes/no rule."""
        self._add(name, "true or false", str(otherwise).lower())
        return otherwise

    def points(self, name: str, otherwise: int) -> int:
        """Returns a rule that is a number of points, in half points."""
        self._add(name, "points, such as 5½", format_half_points(otherwise))
        return otherwise

    def whole(self, name: str, otherwise: int, low: int, high: int) -> int:
        """Returns a rule that is a whole number written as text, within bounds."""
        self._add(name, f"a whole number from {low} to {high}", str(otherwise))
        return otherwise

    def choice(self, name: str, otherwise: str, allowed: tuple[str, ...]) -> str:
        """Returns a rule that is one of several words."""
        self._add(name, " or ".join(f'"{word}"' for word in allowed), otherwise)
        return otherwise

    def text(self, name: str, otherwise: str) -> str:
        """Returns a rule that is text of the family's own form."""
        self._add(name, "text in the family's own form", otherwise)
        return otherwise

    def refuse(self, name: str, message: str) -> None:
        """Takes no notice: nothing was submitted."""


def rule_forms(family: Family) -> tuple[RuleForm, ...]:
    """Returns what each rule of a family may be, in the order of its ids."""
    forms = RuleForms()
    family.rules.read(forms)
    unread = RuleForm("", "text in the family's own form", "")
    return tuple(
        forms.found.get(name, dataclasses.replace(unread, id=name)) for name in family.rules.rule_ids
    )


def described(family: Family, games: Sequence[Game]) -> Mapping[str, Any]:
    """Returns a family as plain values: rules, wagers, tables of its own, and of each game rows and strategies.

    Args:
        family: The family.
        games: Submissions of it that are at hand: which rows are reached hangs on rules and equipment.
    """
    rules = family.rules
    return {
        "id": family.id,
        "version": family.version,
        "title": family.title,
        "from": family.package,
        "brings": list(brought(family)),
        "rules": [dataclasses.asdict(one) for one in rule_forms(family)],
        "wagers": list(rules.wager_ids),
        "bankers": list(rules.bankers),
        "tables": [
            {
                "table": name,
                "keys": [one.name for one in dataclasses.fields(table.form)],
                "many": table.many,
                "required": table.required,
            }
            for name, table in rules.tables.items()
        ],
        "games": [_game(family, game) for game in games],
    }


def _game(family: Family, game: Game) -> Mapping[str, Any]:
    plan = plan_of(game)
    return {
        "game": game.id,
        "file": game.path,
        "wagers": {
            wager.id: {
                "paid": list(family.rules.paid_rows(game, wager.id)),
                "reached": list(family.rules.reachable_rows(game, wager.id)),
            }
            for wager in game.wagers
        },
        "strategies": list(plan.names),
        "banks": list(plan.banks),
    }
