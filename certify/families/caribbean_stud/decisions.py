"""The decisions of Caribbean stud in as few lines as tell hands apart that are decided otherwise."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from certify.analysis.hands.strength import FIVE, HIGH, KINDS, RANKS, TITLES, falling
from certify.analysis.strategy_file import StrategyFile, strategy_text
from certify.errors import InputError
from certify.families.caribbean_stud import rules as ids
from certify.families.caribbean_stud.rules import HAND, LIKE, PRINTED, RaiseCondition, RaiseRule, patterns
from certify.families.caribbean_stud.text import text_of
from certify.families.one_decision.exact import best_played, cell_of, counted, played, unit, values
from certify.families.one_decision.hand_vs_dealer import sums
from certify.families.one_decision.text import DecisionTerms
from certify.model import FILE, MAIN_OPTIMAL, Decision, Game, Strategy

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
    r"""Returns the rule that a TOML text states: a pair or better is raised, and what ``[[raise]]`` names in addition.

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


_LOW: Final = 2
"""Ranks by which hands are named when the lowest of them are named as one."""

_NAMES: Final = tuple(title for kind, title in enumerate(TITLES) if kind != FIVE)

_PLACES: Final = 14**3
"""More rows than hands of one kind take up in a chart."""


@dataclass(frozen=True, slots=True)
class _Line:
    """Hands against one open rank that are decided in the same way.

    Args:
        ranks: Their ranks, those held most often first.
        best: Whether they are best raised.
        chosen: Whether they are raised.
        weight: Deals of six cards.
        value: Net result of raising them all against all hands of the dealer, in the unit of values.
    """

    ranks: tuple[int, ...]
    best: bool
    chosen: bool
    weight: int
    value: int


def decisions(game: Game, strategy: Strategy) -> tuple[Decision, ...]:
    """Returns the decisions by hand and open card, the highest hands first."""
    return _decisions(text_of(game).terms, strategy)


@lru_cache(maxsize=16)
def _decisions(terms: DecisionTerms, strategy: Strategy) -> tuple[Decision, ...]:
    groups = _summed(terms, strategy)
    total = sum(line.weight for group in groups.values() for line in group)
    write = _Writer(total, unit(terms))
    found: list[Decision] = []
    for (kind, up), group in sorted(groups.items(), key=lambda one: (-one[0][0], -one[0][1])):
        if len({(line.best, line.chosen) for line in group}) == 1:
            found.append(write.line(TITLES[kind], up, group))
        else:
            group.sort(key=lambda line: line.ranks, reverse=True)
            found += write.lines(group, kind, up, 1)
    return tuple(found)


def _summed(terms: DecisionTerms, strategy: Strategy) -> dict[tuple[int, int], list[_Line]]:
    """Returns hands by kind and open rank, those of one pattern that are decided in the same way added up."""
    hands, situations, cell = patterns(terms.deck), counted(terms), cell_of(terms)
    decided = cell * np.int32(4) + (best_played(terms) * np.uint8(2) + played(terms, strategy))
    weight, value = np.zeros((2, len(hands) * len(RANKS) * 4), dtype=np.int64)
    sums(decided, situations.weights, values(terms), weight, value)
    kinds = np.zeros(len(hands), dtype=np.int64)
    first = np.searchsorted(situations.hand, np.arange(len(situations.hands)))
    kinds[cell[first] // len(RANKS)] = situations.kinds[first]
    # Hands of one kind against one open rank are listed one by one only where they are decided otherwise.
    shape = (len(hands), len(RANKS), 4)
    by_kind = np.zeros((2, KINDS, *shape[1:]), dtype=np.int64)
    for whole, parts in zip(by_kind, (weight, value), strict=True):
        np.add.at(whole, kinds, parts.reshape(shape))
    alike = (by_kind[0] > 0).sum(axis=2) == 1
    groups: dict[tuple[int, int], list[_Line]] = {
        (kind, up): [_Line((), one > 1, one % 2 > 0, *(int(part[kind, up, one]) for part in by_kind))]
        for kind, up, one in np.argwhere(by_kind[0] * alike[:, :, None]).tolist()
    }
    for place, up, one in np.argwhere(weight.reshape(shape) * ~alike[kinds][:, :, None]).tolist():
        at = (place * len(RANKS) + up) * 4 + one
        line = _Line(_order(hands[place][0]), one > 1, one % 2 > 0, int(weight[at]), int(value[at]))
        groups.setdefault((int(kinds[place]), up), []).append(line)
    return groups


@lru_cache(maxsize=8192)
def _order(ranks: tuple[int, ...]) -> tuple[int, ...]:
    """Returns the ranks of a hand, those held most often first."""
    return tuple(sorted(set(ranks), key=lambda rank: (-ranks.count(rank), -rank)))


def _title(ranks: tuple[int, ...], kind: int, depth: int) -> str:
    """Returns what a hand is called: its ranks one by one, with the kind where it is one."""
    named = "-".join(RANKS[rank] for rank in ranks[:depth])
    if kind != HIGH:
        return f"{TITLES[kind]} {named}"
    return named if depth > 1 else f"{named} high"


@dataclass(frozen=True, slots=True)
class _Writer:
    """Writes lines as decisions.

    Args:
        total: Deals of six cards in all.
        unit: What one ante against every hand of the dealer is.
    """

    total: int
    unit: int

    def lines(self, group: list[_Line], kind: int, up: int, depth: int) -> Iterator[Decision]:
        """Yields one decision for hands that are decided in the same way, else those of each next rank."""
        titled: dict[str, list[_Line]] = {}
        for line in group:
            titled.setdefault(_title(line.ranks, kind, depth), []).append(line)
        for title, members in _tail_joined(titled, depth).items():
            decided = {(line.best, line.chosen) for line in members}
            if len(decided) == 1:
                yield self.line(title, up, members)
            elif depth < HAND:
                yield from self.lines(members, kind, up, depth + 1)
            else:
                # The same ranks against the same open rank: suits decide.
                for best, chosen in sorted(decided, reverse=True):
                    some = [line for line in members if (line.best, line.chosen) == (best, chosen)]
                    yield self.line(f"{title}, suits to {ids.RAISE if best else ids.FOLD}", up, some)

    def line(self, title: str, up: int, members: list[_Line]) -> Decision:
        """Returns one decision."""
        weight, first = sum(one.weight for one in members), members[0]
        raised = Fraction(sum(one.value for one in members), weight * self.unit)
        return Decision(
            hand=title,
            composition=(),
            dealer=RANKS[up],
            best=ids.RAISE if first.best else ids.FOLD,
            values={ids.FOLD: Fraction(-1), ids.RAISE: raised},
            chosen=ids.RAISE if first.chosen else ids.FOLD,
            probability=Fraction(weight, self.total),
        )


def _tail_joined(titled: dict[str, list[_Line]], depth: int) -> dict[str, list[_Line]]:
    """Returns the hands by title, the lowest titles as one where all of them are decided in the same way."""
    titles = list(titled)
    decided = {title: {(line.best, line.chosen) for line in titled[title]} for title in titles}
    last, start = decided[titles[-1]], len(titles)
    while start and len(last) == 1 and decided[titles[start - 1]] == last:
        start -= 1
    if depth > _LOW or len(titles) - start < 2:
        return titled
    joined = {title: titled[title] for title in titles[:start]}
    return {**joined, f"{titles[start]} or less": [one for title in titles[start:] for one in titled[title]]}


def charted(decision: Decision) -> tuple[int, str]:
    """Returns place and name of the row of a chart: kind of the hand, or its three highest ranks.

    >>> charted(Decision("A-K-Q-8", (), "8", "raise", {}))[1], charted(Decision("two pair", (), "8", "raise", {}))[1]
    ('A-K-Q', 'two pair')
    """
    title = decision.hand
    kind = max((place for place, name in enumerate(_NAMES) if title.startswith(name)), default=HIGH)
    if kind != HIGH:
        return kind * _PLACES, _NAMES[kind]
    whole = title.partition(",")[0]
    named = whole.removesuffix(" or less").removesuffix(" high")
    ranks = named.split("-")[:3]
    number = sum((RANKS.index(rank) + 1) * 14 ** (2 - place) for place, rank in enumerate(ranks))
    return number, "-".join(ranks) + whole.removeprefix(named)
