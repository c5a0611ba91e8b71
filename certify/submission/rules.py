"""Rules of play as a submission states them: from text and flags to the parameters of its family."""

from __future__ import annotations

import re
from typing import Final

from certify.errors import KeyPath, Problems
from certify.exact import parse_half_points
from certify.families.port import RulesPort
from certify.model.game import Rules
from certify.submission.schema import Submitted

_WHOLE: Final = re.compile(r"\d{1,6}", re.ASCII)


def read_rules(raw: Submitted, family: RulesPort, problems: Problems) -> Rules:
    """Returns the rules of play of a submission as parameters of its family."""
    stated: dict[str, tuple[KeyPath, str | bool]] = {
        rule.id: (("rules", n, "value"), rule.value) for n, rule in enumerate(raw.rules)
    }
    for position, rule in enumerate(raw.rules):
        if rule.id not in family.rule_ids:
            known = ", ".join(family.rule_ids) or "none: this family has no rules to state"
            problems.add(("rules", position, "id"), f'unknown rule "{rule.id}": expected one of {known}')
    for name in family.rule_ids:
        if name not in stated:
            problems.add(("rules",), f'rule "{name}" is missing')
    return family.read(SubmittedRules(stated, problems))


class SubmittedRules:
    """The rules as a submission states them: reads typed values, recording what is wrong with them."""

    def __init__(self, stated: dict[str, tuple[KeyPath, str | bool]], problems: Problems) -> None:
        self.stated = stated
        self.problems = problems

    def flag(self, name: str, otherwise: bool) -> bool:
        """Returns a yes/no rule."""
        if name not in self.stated:
            return otherwise
        key, value = self.stated[name]
        if not isinstance(value, bool):
            self.problems.add(key, f'rule "{name}": expected true or false, got "{value}"')
            return otherwise
        return value

    def points(self, name: str, otherwise: int) -> int:
        """Returns a rule that is a number of points, in half points."""
        if name not in self.stated:
            return otherwise
        key, value = self.stated[name]
        if not isinstance(value, str):
            self.problems.add(key, f'rule "{name}": expected points such as "3" or "7½", got {value}')
            return otherwise
        return self.problems.attempt(key, lambda: parse_half_points(value), otherwise)

    def text(self, name: str, otherwise: str) -> str:
        """Returns a rule that is text of the family's own form."""
        if name not in self.stated:
            return otherwise
        key, value = self.stated[name]
        if not isinstance(value, str):
            self.problems.add(key, f'rule "{name}": expected text, got {"true" if value else "false"}')
            return otherwise
        return value

    def choice(self, name: str, otherwise: str, allowed: tuple[str, ...]) -> str:
        """Returns a rule that is one of several words.

        Raises:
            TypeError: A family's code gives no such words, or one that holds otherwise and is none of them.
        """
        if otherwise not in tuple(allowed):
            raise TypeError(
                f'choice("{name}", ...): expected the word that holds otherwise, then all words allowed'
            )
        if name not in self.stated:
            return otherwise
        key, value = self.stated[name]
        if value not in allowed:
            self.problems.add(key, f'rule "{name}": expected one of {", ".join(allowed)}, got "{value}"')
            return otherwise
        return str(value)

    def whole(self, name: str, otherwise: int, low: int, high: int) -> int:
        """Returns a rule that is a whole number written as text, within bounds."""
        if name not in self.stated:
            return otherwise
        key, value = self.stated[name]
        if not isinstance(value, str) or not _WHOLE.fullmatch(value) or not low <= int(value) <= high:
            self.problems.add(
                key, f'rule "{name}": expected a whole number from {low} to {high}, got "{value}"'
            )
            return otherwise
        return int(value)

    def refuse(self, name: str, message: str) -> None:
        """Records why the value of a rule is not supported."""
        key: KeyPath = self.stated[name][0] if name in self.stated else ("rules",)
        self.problems.add(key, f'rule "{name}": {message}')
