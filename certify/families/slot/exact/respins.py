"""A spin that holds reels and spins the others again: one law of all its windows together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import lcm

from certify.families.slot.exact.windows import ReelWindows, Window, wilds_in
from certify.families.slot.rules import Adjacency, FullReels, SlotRules, SpinKind

Full = frozenset[str]
"""Symbols that a reel is full of: several where it shows wilds alone."""


def full_of(rules: SlotRules, stage: SpinKind, full: FullReels, window: Window) -> Full:
    """Returns the symbols that a window of a reel is full of."""
    standing = {one.symbol: set(one.replaces) for one in wilds_in(rules, stage) if full.wilds}
    fits = [{cell.symbol} | standing.get(cell.symbol, set()) for cell in window.cells]
    return frozenset(full.symbols).intersection(*fits)


def multiplier(full: FullReels, reels: Sequence[Full]) -> int:
    """Returns what line wins are multiplied by, by the symbols that each reel is full of.

    >>> kings = FullReels(("king",), (1, 1, 3))
    >>> multiplier(kings, [frozenset({"king"})] * 3), multiplier(kings, [frozenset({"king"}), *[frozenset()] * 2])
    (3, 1)
    """
    count = max(_count(full, [symbol in one for one in reels]) for symbol in full.symbols)
    return full.times[min(count, len(full.times)) - 1] if count else 1


def _count(full: FullReels, reels: Sequence[bool]) -> int:
    if full.counted is Adjacency.ANYWHERE:
        return sum(reels)
    if full.counted is Adjacency.LEFT:
        return [*reels, False].index(False)
    middle = len(reels) // 2
    right, left = reels[middle:], reels[middle::-1]
    return max(0, [*right, False].index(False) + [*left, False].index(False) - 1)


def multiplied(
    rules: SlotRules, stage: SpinKind, full: FullReels, reels: Sequence[ReelWindows]
) -> Iterator[tuple[int, tuple[tuple[int, ...], ...]]]:
    """Yields sets of windows whose line wins are multiplied: by what, and the windows of each reel by their places.

    The sets share no combination; whatever lies in none of them is multiplied by one.
    """
    groups: list[dict[Full, list[int]]] = []
    for reel in reels:
        found: dict[Full, list[int]] = {}
        for place, window in enumerate(reel.windows):
            found.setdefault(full_of(rules, stage, full, window), []).append(place)
        groups.append(found)
    for some in product(*groups):
        times = multiplier(full, some)
        if times > 1:
            yield times, tuple(tuple(group[one]) for group, one in zip(groups, some, strict=True))


Key = tuple[int, ...]
"""Starts of each feature, then for each reel that may be held whether it is held anew."""

Wins = dict[Key, dict[int, int]]

Shares = dict[str, tuple[Fraction, Fraction]]
"""Expected times and coins of each row."""


@dataclass(frozen=True, slots=True)
class Windows:
    """The law of the windows that a spin comes to.

    Args:
        total: Number of combinations, weights counted.
        wins: Weight of every win, by what it starts and holds.
        shares: What each row contributes.
    """

    total: int
    wins: Mapping[Key, Mapping[int, int]]
    shares: Shares


def with_respins(reels: int, law: Callable[[frozenset[int]], Windows]) -> Windows:
    """Returns the law of a spin with all that follow it.

    Args:
        reels: Reels that may be held.
        law: The law of one window where some of them, counted from 0, are held.
    """
    known: dict[frozenset[int], Windows] = {}

    def whole(held: frozenset[int]) -> Windows:
        if held not in known:
            known[held] = _joined(reels, held, law(held), whole)
        return known[held]

    return whole(frozenset())


def _joined(
    reels: int, held: frozenset[int], first: Windows, whole: Callable[[frozenset[int]], Windows]
) -> Windows:
    after: dict[Key, Windows | None] = {}
    for key in first.wins:
        new = frozenset(n for n in range(reels) if key[len(key) - reels + n])
        after[key] = whole(held | new) if new else None
    common = lcm(*(one.total for one in after.values() if one))
    wins: Wins = {}
    shares = dict(first.shares)
    for key, group in first.wins.items():
        then, starts = after[key], key[: len(key) - reels]
        scale = common // then.total if then else common
        for more, others in then.wins.items() if then else [((0,) * len(starts), {0: 1})]:
            into = wins.setdefault(tuple(a + b for a, b in zip(starts, more, strict=True)), {})
            for win, weight in group.items():
                for other, much in others.items():
                    into[win + other] = into.get(win + other, 0) + weight * much * scale
        chance = Fraction(sum(group.values()), first.total)
        for row, (times, coins) in then.shares.items() if then else ():
            before = shares.get(row, (Fraction(0), Fraction(0)))
            shares[row] = (before[0] + chance * times, before[1] + chance * coins)
    return Windows(first.total * common, wins, shares)
