"""Caribbean stud as it is played, and its decisions in as few lines as tell hands apart that are decided otherwise."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from certify.analysis.hands.deals import Deals
from certify.analysis.hands.strength import (
    FIVE,
    HIGH,
    KINDS,
    PAIR,
    RANKS,
    ROWS,
    SHIFT,
    STRAIGHT_FLUSH,
    TITLES,
    CountedDeck,
    falling,
    ranks_that_decide,
)
from certify.analysis.strategy_file import StrategyFile, strategy_text
from certify.by_key import gathered
from certify.errors import InputError
from certify.families.caribbean_stud import rules as ids
from certify.families.caribbean_stud.rules import (
    HAND,
    LIKE,
    PRINTED,
    RaiseCondition,
    RaiseRule,
    cells_of,
    pattern_of,
    patterns,
    rules_of,
)
from certify.families.one_decision.exact import best_played, cell_of, counted, played, unit, values
from certify.families.one_decision.hand_vs_dealer import sums
from certify.families.one_decision.text import (
    BOTH,
    FOLDED,
    LOSE,
    LOST,
    TIE,
    UNQUALIFIED,
    WIN,
    DecisionTerms,
    OneDecision,
    highest,
)
from certify.model import FILE, MAIN_OPTIMAL, Decision, Game, Outcome, Strategy, Wager

_LEAST: Final = {ids.ANY: 0, ids.ACE: 1 << 12, ids.ACE_KING: 3 << 11, ids.PAIR: PAIR << SHIFT}
"""Strength from which a dealer qualifies."""

_ENDS: Final = (ids.UNQUALIFIED, ids.WIN, ids.TIE, ids.LOSE, ids.FOLD)


@dataclass(frozen=True)
class CaribbeanStud(OneDecision):
    """The rules of Caribbean stud."""

    cards = 5
    opened = 1
    shared = 1
    main = ids.ANTE
    options = ids.OPTIONS

    @property
    def least(self) -> int:
        """Strength from which the dealer qualifies."""
        return _LEAST[rules_of(self.game).lowest]

    @property
    def adds(self) -> Fraction:
        """What a raise adds to the ante."""
        return Fraction(rules_of(self.game).antes)

    @property
    def fold_loses_all(self) -> bool:
        """Whether a player who folds loses every other bet too."""
        return rules_of(self.game).fold_loses_all

    def outcome(self, wager: Wager, kind: int, end: int, together: int) -> str:
        """Returns how a wager ends; a raise that wins by the row that pays it."""
        if wager.id == ids.ANTE and end != WIN:
            return _ENDS[end]
        of = together if wager.id == ids.FIVE_PLUS_ONE else kind
        named = wager.paytable.ids
        paid = next((row for row in ROWS[of] if row in named), "")
        return paid or (ids.WIN if wager.id == ids.ANTE else LOST)

    def main_net(self, outcome: str) -> Fraction:
        """Returns the net result of an outcome of the ante with its raise, in antes.

        A winning ante is paid even money, the raise by the player's hand; a dealer who does not qualify pays the ante
        alone.
        """
        fixed = {ids.FOLD: Fraction(-1), ids.TIE: Fraction(0), ids.LOSE: -1 - self.adds}
        if outcome in fixed:
            return fixed[outcome]
        pays = self.game.wager(ids.ANTE).paytable.pays(outcome)
        return pays if outcome == ids.UNQUALIFIED else 1 + self.adds * pays

    def rows(self, wager: Wager) -> tuple[Outcome, ...]:
        """Returns every outcome of a wager, without probability."""
        named = wager.paytable.ids
        if wager.id != ids.ANTE:
            ended = (*(row for row in ids.HANDS if row in named), LOST)
            return tuple(Outcome(one, self.net(wager.id, one), Fraction(0)) for one in ended)
        paid = (row for row in ids.RAISE_ROWS if row in named)
        ended = (*paid, ids.UNQUALIFIED, ids.TIE, ids.LOSE, ids.FOLD)
        return tuple(
            Outcome(one, self.main_net(one), Fraction(0), self.staked(ids.ANTE, one), ids.row_of(one))
            for one in ended
        )

    def called(self, strength: int) -> str:
        """Returns what a hand is called."""
        kind, (often, _) = strength >> SHIFT, ranks_that_decide(strength)
        if kind == PAIR:
            return f"pair of {highest(often)}"
        # A royal flush is called the straight flush that it is.
        title = TITLES[min(kind, STRAIGHT_FLUSH)]
        return title if kind != HIGH else f"{highest(strength)} high"

    def cells(self) -> Iterator[tuple[int, int, int]]:
        """Yields kind, end and kind together; ends that do not hang on the player's hand come first."""
        for end in (UNQUALIFIED, TIE, LOSE, FOLDED, WIN):
            yield from ((kind, end, together) for kind, together in product(BOTH, BOTH))

    @classmethod
    def lines(cls, deck: CountedDeck, deals: Deals) -> NDArray[np.int64]:
        """Returns the pattern of every class of hands."""
        # A strength and a pattern of five cards are the same thing under two names.
        place = {pattern: number for number, pattern in enumerate(patterns(deck))}
        _, first, at = np.unique(deals.strengths[deals.numbers], return_index=True, return_inverse=True)
        shown = deals.hands[first].tolist()
        return np.array([place[pattern_of(deck.of(hand))] for hand in shown])[at]

    @classmethod
    def chart(
        cls, deck: CountedDeck, deals: Deals, strategy: Strategy, options: tuple[str, ...]
    ) -> NDArray[np.uint8]:
        """Returns the cells of a strategy's chart of patterns."""
        return np.frombuffer(cells_of(deck, strategy), dtype=np.uint8)


def text_of(game: Game) -> CaribbeanStud:
    """Returns the rules of a game, which are its reference round."""
    return CaribbeanStud(game)


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
    if (
        not isinstance(least, str | None)
        or not (isinstance(cases, list) and all(isinstance(case, dict) for case in cases))
        or (cases and least is None)
    ):
        raise InputError(f'{source}: expected least = "A-K" or the like, and [[raise]] for each case')
    lowest = None if least is None else falling(least, HAND, f"{source}: least {least}", LIKE)
    return RaiseRule(name, lowest, tuple(_condition(case, source) for case in cases))


def _reserved(name: str) -> bool:
    return name in {*PRINTED, MAIN_OPTIMAL} or name.startswith((FILE, "raise-from-", "always:"))


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
        titled = gathered((_title(line.ranks, kind, depth), line) for line in group)
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
