"""Printed rules in a file: which hands without a pair are raised, against which open cards."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from certify.analysis.hands.deck import RANKS, falling
from certify.analysis.strategy_file import StrategyFile, strategy_text
from certify.errors import InputError
from certify.families.caribbean_stud.strategy import HAND, LIKE, PRINTED, RaiseCondition, RaiseRule
from certify.model.strategy import FILE, MAIN_OPTIMAL

SCHEMA: Final = "certify-raise-rules/1"
SIZE_LIMIT: Final = 64 * 1024
"""Most bytes of a file of rules."""

_KEYS: Final = ("least", "name", "raise", "schema")
_CONDITION: Final = {"up": list, "matched": bool, "holds": list, "above": int}


def read_rules(path: Path) -> RaiseRule:
    """Returns the rule that a file states.

    Raises:
        InputError: The file cannot be read or is too large, or what :func:`parse_rules` refuses.
    """
    return parse_rules(strategy_text(path, SIZE_LIMIT), str(path))


def parse_rules(text: str, source: str) -> RaiseRule:
    r"""Returns the rule that a TOML text states: a pair or better is raised, and what ``[[raise]]`` names besides.

    ``least`` is the lowest hand without a pair that may be raised. Each ``[[raise]]`` is a case in which it is: ``up``
    lists ranks of the open card, ``matched`` says whether the player has a card of its rank, ``holds`` lists ranks of
    which the player has one, ``above`` is the place of the player's card, from the highest, that is above it.

    Raises:
        InputError: The text is no TOML or states no such rule.

    >>> head = 'schema = "certify-raise-rules/1"\nname = "card"\nleast = "A-K"\n'
    >>> parse_rules(head + '[[raise]]\nmatched = true', "card.toml").when[0].matched
    True
    """
    found = StrategyFile.parsed(text, source, _KEYS, SCHEMA)
    name = found.name(_reserved)
    found.check()
    least, cases = found.document.get("least"), found.document.get("raise", [])
    if not isinstance(least, str | None) or not _tables(cases) or (cases and least is None):
        raise InputError(f'{source}: expected least = "A-K" or the like, and [[raise]] for each case')
    lowest = None if least is None else falling(least, HAND, f"{source}: least {least}", LIKE)
    return RaiseRule(name, lowest, tuple(_condition(case, source) for case in cases))


def _reserved(name: str) -> bool:
    return name in {*PRINTED, MAIN_OPTIMAL} or name.startswith((FILE, "raise-from-", "always:"))


def _tables(cases: object) -> bool:
    return isinstance(cases, list) and all(isinstance(case, dict) for case in cases)


def _condition(case: Mapping[str, Any], source: str) -> RaiseCondition:
    wrong = [key for key, value in case.items() if type(value) is not _CONDITION.get(key)]
    if wrong:
        raise InputError(f"{source}: [[raise]] {wrong[0]}: expected {', '.join(_CONDITION)} in their forms")
    above = case.get("above", 0)
    if not 0 <= above <= HAND:
        raise InputError(f"{source}: [[raise]] above is {above}: expected a place from 1 to {HAND}")
    ranks = {key: _ranks(case[key], f"{source}: [[raise]] {key}") for key in ("up", "holds") if key in case}
    return RaiseCondition(matched=case.get("matched"), above=above, **ranks)


def _ranks(given: list[Any], source: str) -> frozenset[int]:
    if not given or any(rank not in RANKS for rank in given):
        raise InputError(f"{source}: expected ranks of {', '.join(RANKS)} in quotes")
    return frozenset(RANKS.index(rank) for rank in given)
