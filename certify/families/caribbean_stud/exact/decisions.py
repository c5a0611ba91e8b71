"""The decisions of Caribbean stud in as few lines as tell hands apart that are decided otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final

from certify.families.caribbean_stud import rules as ids
from certify.families.caribbean_stud.cards import Pattern, deck_of, patterns
from certify.families.caribbean_stud.exact import figures
from certify.families.caribbean_stud.exact.counting import HIGH, strength_of
from certify.families.caribbean_stud.exact.figures import Line
from certify.families.french_deck.deck import RANKS, Deck
from certify.model.figures import Decision
from certify.model.game import Game
from certify.model.strategy import Strategy

_NAMES: Final = (
    *("high card", "pair", "two pair", "three of a kind", "straight", "flush"),
    *("full house", "four of a kind", "straight flush", "royal flush"),
)


_PLACES: Final = 14**3
"""More rows than hands of one kind take up in a chart."""


@dataclass(frozen=True, slots=True)
class _Named:
    """A line with what it is called by, more closely with every step."""

    line: Line
    kind: int
    ranks: tuple[int, ...]

    def title(self, depth: int) -> str:
        """Returns what the hand is called: its ranks one by one, with the kind but for two ranks of no kind."""
        ranks = "-".join(RANKS[rank] for rank in self.ranks[:depth])
        if self.kind == HIGH and depth > 1:
            return ranks
        return f"{_NAMES[self.kind]} {ranks}"


@lru_cache(maxsize=8)
def _ranked(deck: Deck) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """Returns kind and ranks, those held most often first, of every pattern of a deck."""
    return tuple((_kind(pattern), _order(pattern[0])) for pattern in patterns(deck))


def _kind(pattern: Pattern) -> int:
    ranks, suited = pattern
    # Cards of one rank are of different suits; ranks without a pair need two suits for no flush.
    suits = (0,) * 5 if suited else tuple(ranks[:place].count(rank) for place, rank in enumerate(ranks))
    if not suited and len(set(ranks)) == 5:
        suits = (0, 0, 0, 0, 1)
    return strength_of(tuple(zip(ranks, suits, strict=True))) >> 26


def _order(ranks: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sorted(set(ranks), key=lambda rank: (-ranks.count(rank), -rank)))


def decisions(game: Game, strategy: Strategy) -> tuple[Decision, ...]:
    """Returns the decisions by hand and open card, the highest hands first."""
    ranked = _ranked(deck_of(game))
    groups: dict[tuple[int, int], list[Line]] = {}
    for line in figures.lines(game, strategy):
        groups.setdefault((-ranked[line.cell // len(RANKS)][0], line.cell % len(RANKS)), []).append(line)
    total = sum(line.weight for group in groups.values() for line in group)
    unit = figures.unit(game)
    found: list[Decision] = []
    for (kind, _), group in sorted(groups.items(), key=lambda one: (one[0][0], -one[0][1])):
        if len({(line.best, line.chosen) for line in group}) == 1:
            found.append(_line(_NAMES[-kind], group, total, unit))
        else:
            named = [_Named(line, *ranked[line.cell // len(RANKS)]) for line in group]
            named.sort(key=lambda one: [-rank for rank in one.ranks])
            found += _lines(named, 1, total, unit)
    return tuple(found)


def _lines(group: list[_Named], depth: int, total: int, unit: int) -> Iterator[Decision]:
    """Yields one line for hands that are decided alike, else those of each next rank."""
    titled: dict[str, list[_Named]] = {}
    for one in group:
        titled.setdefault(one.title(depth), []).append(one)
    for title, members in titled.items():
        alike = {(one.line.best, one.line.chosen) for one in members}
        if len(alike) == 1:
            yield _line(title, [one.line for one in members], total, unit)
        elif depth < 5:
            yield from _lines(members, depth + 1, total, unit)
        else:
            # The same ranks against the same open rank: suits decide.
            for best, chosen in sorted(alike, reverse=True):
                some = [one.line for one in members if (one.line.best, one.line.chosen) == (best, chosen)]
                which = ids.RAISE if best else ids.FOLD
                yield _line(f"{title}, suits to {which}", some, total, unit)


def _line(title: str, members: list[Line], total: int, unit: int) -> Decision:
    weight = sum(one.weight for one in members)
    first = members[0]
    return Decision(
        hand=title,
        composition=(),
        dealer=RANKS[first.cell % len(RANKS)],
        best=ids.RAISE if first.best else ids.FOLD,
        values={
            ids.FOLD: Fraction(-1),
            ids.RAISE: Fraction(sum(one.value for one in members), weight * unit),
        },
        chosen=ids.RAISE if first.chosen else ids.FOLD,
        probability=Fraction(weight, total),
    )


def row_of_hand(title: str) -> tuple[int, str]:
    """Returns place and name of the row of a chart in which a hand stands: its kind, or its three highest ranks."""
    kind = next((place for place, name in enumerate(_NAMES) if title.startswith(name)), HIGH)
    if title.startswith("straight flush"):
        kind = _NAMES.index("straight flush")
    ranks = title.partition(",")[0].removeprefix(_NAMES[kind]).strip().split("-")[:3]
    if kind != HIGH or not ranks[0]:
        return kind * _PLACES, _NAMES[kind]
    places = [RANKS.index(rank) for rank in ranks]
    number = sum((rank + 1) * 14 ** (2 - place) for place, rank in enumerate(places))
    return number, "-".join(ranks)
