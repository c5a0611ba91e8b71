"""Reels full of one symbol, which multiply what the lines of their window win."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

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
