"""The decisions of Caribbean stud in as few lines as tell hands apart that are decided otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from typing import Final

from certify.families.caribbean_stud import rules as ids
from certify.families.caribbean_stud.cards import HAND, patterns
from certify.families.caribbean_stud.exact import figures
from certify.families.caribbean_stud.exact.counting import HIGH
from certify.families.caribbean_stud.exact.raising import Line, Terms, lines
from certify.families.french_deck.deck import RANKS
from certify.model.figures import Decision
from certify.model.game import Game
from certify.model.strategy import Strategy

_Ranked = tuple[tuple[int, ...], Line]
"""Ranks of hands, those held most often first, and how they are decided."""

_NAMES: Final = (
    *("high card", "pair", "two pair", "three of a kind", "straight", "flush"),
    *("full house", "four of a kind", "straight flush", "royal flush"),
)


_LOW: Final = 2
"""Ranks by which hands are told when the lowest of them are named as one."""

_PLACES: Final = 14**3
"""More rows than hands of one kind take up in a chart."""


def decisions(game: Game, strategy: Strategy) -> tuple[Decision, ...]:
    """Returns the decisions by hand and open card, the highest hands first."""
    return _decisions(figures.terms_of(game), strategy)


@lru_cache(maxsize=16)
def _decisions(terms: Terms, strategy: Strategy) -> tuple[Decision, ...]:
    hands = patterns(terms.deck)
    groups: dict[tuple[int, int], list[Line]] = {}
    for line in lines(terms, strategy):
        groups.setdefault((line.kind, line.up), []).append(line)
    total = sum(line.weight for group in groups.values() for line in group)
    found: list[Decision] = []
    for (kind, _), group in sorted(groups.items(), reverse=True):
        if group[0].place < 0:
            found.append(_line(_NAMES[kind], group, total, terms.unit))
            continue
        ranked = [(_order(hands[line.place][0]), line) for line in group]
        ranked.sort(key=lambda one: one[0], reverse=True)
        found += _lines(ranked, 1, total, terms.unit)
    return tuple(found)


def _order(ranks: tuple[int, ...]) -> tuple[int, ...]:
    """Returns the ranks of a hand, those held most often first."""
    return tuple(sorted(set(ranks), key=lambda rank: (-ranks.count(rank), -rank)))


def _title(ranks: tuple[int, ...], kind: int, depth: int) -> str:
    """Returns what a hand is called: its ranks one by one, with the kind where it is one."""
    named = "-".join(RANKS[rank] for rank in ranks[:depth])
    if kind != HIGH:
        return f"{_NAMES[kind]} {named}"
    return named if depth > 1 else f"{named} high"


def _lines(group: list[_Ranked], depth: int, total: int, unit: int) -> Iterator[Decision]:
    """Yields one line for hands that are decided alike, else those of each next rank."""
    titled: dict[str, list[_Ranked]] = {}
    for ranks, line in group:
        titled.setdefault(_title(ranks, line.kind, depth), []).append((ranks, line))
    for title, members in _tail_joined(titled, depth).items():
        decided = {(line.best, line.chosen) for _, line in members}
        if len(decided) == 1:
            yield _line(title, [line for _, line in members], total, unit)
        elif depth < HAND:
            yield from _lines(members, depth + 1, total, unit)
        else:
            # The same ranks against the same open rank: suits decide.
            for best, chosen in sorted(decided, reverse=True):
                some = [line for _, line in members if (line.best, line.chosen) == (best, chosen)]
                yield _line(f"{title}, suits to {ids.RAISE if best else ids.FOLD}", some, total, unit)


def _tail_joined(titled: dict[str, list[_Ranked]], depth: int) -> dict[str, list[_Ranked]]:
    """Returns the hands by title, the lowest titles as one where all of them are decided alike."""
    titles = list(titled)
    last = {(line.best, line.chosen) for _, line in titled[titles[-1]]}
    start = len(titles)
    while (
        start
        and len(last) == 1
        and {(line.best, line.chosen) for _, line in titled[titles[start - 1]]} == last
    ):
        start -= 1
    if depth > _LOW or len(titles) - start < 2:
        return titled
    joined = {title: titled[title] for title in titles[:start]}
    return {**joined, f"{titles[start]} or less": [one for title in titles[start:] for one in titled[title]]}


def _line(title: str, members: list[Line], total: int, unit: int) -> Decision:
    weight = sum(one.weight for one in members)
    first = members[0]
    return Decision(
        hand=title,
        composition=(),
        dealer=RANKS[first.up],
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
    if kind != HIGH:
        return kind * _PLACES, _NAMES[kind]
    whole = title.partition(",")[0]
    named = whole.removesuffix(" or less").removesuffix(" high")
    ranks = named.split("-")[:3]
    number = sum((RANKS.index(rank) + 1) * 14 ** (2 - place) for place, rank in enumerate(ranks))
    return number, "-".join(ranks) + whole.removeprefix(named)
