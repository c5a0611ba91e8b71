"""The windows that win most, by what they start: from the complete cycle, or sought where states were merged."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from math import prod
from typing import Final

from certify.families.slot.exact.scatters import Counts, added, at, scatter_coins, scatters_in, seen, tally_of
from certify.families.slot.exact.spin import Starts, spin_law, starts_in
from certify.families.slot.exact.ways import Shows, shown_to, ways_rows
from certify.families.slot.exact.windows import Window, windows_of
from certify.families.slot.rules import ScatterPay, SlotRules, Trigger

MOST_KEPT: Final = 200_000
"""States between two reels that are kept in the search, at most; above it no window is named."""

State = tuple[tuple[tuple[int, int, int], ...], int, Counts]
"""Rows that may still be won with their ways and those of wilds alone, coins won, what was counted over the window."""


@lru_cache(maxsize=64)
def top_windows(rules: SlotRules, stage_id: str) -> Mapping[Starts, tuple[Window, ...]]:
    """Returns windows that win most for each way of starting features; nothing for those that were not found."""
    law = spin_law(rules, stage_id)
    return (
        law.tops if law.tops or not rules.ways or rules.respin(stage_id) else _Search(rules, stage_id).found()
    )


class _Search:
    """Goes reel by reel, keeping what can still come to the highest win, which the count has found."""

    def __init__(self, rules: SlotRules, stage_id: str) -> None:
        self.rules, self.stage = rules, rules.stage(stage_id)
        self.scatters = scatters_in(rules, self.stage)
        self.starts = [starts_in(one, self.stage) for one in rules.features]
        self.triggers = [n for n, starts in enumerate(self.starts) if starts]
        counted: list[tuple[ScatterPay | Trigger, int]] = [
            *((one, len(one.pays)) for one in self.scatters),
            *((rules.features[n].trigger, len(self.starts[n])) for n in self.triggers),
        ]
        self.tallies = [tally_of(rules, self.stage, one, most) for one, most in counted]
        self.targets = {starts: max(wins) for starts, wins in spin_law(rules, stage_id).wins.items()}
        self.rows = ways_rows(rules, self.stage)
        # One window for all that show every row and every tally the same.
        self.classes: list[dict[tuple[Shows, Counts], Window]] = [
            {
                (
                    shown_to(rules, self.stage, self.rows, window.cells),
                    tuple(seen(one, window) for one in self.tallies),
                ): window
                for window in reel.windows
            }
            for reel in windows_of(rules, self.stage)
        ]
        self.ahead = [self._most_ahead(row) for row in range(len(self.rows.rows))]

    def _most_ahead(self, row: int) -> list[int]:
        """Returns for each number of reels the most coins for one way that stands after them, wherever it ends."""
        many = [max(shows[row][0] for shows, _ in reel) for reel in self.classes]
        size = len(many)
        pays = [*self.rows.pays[row], *[0] * size]
        return [
            max(pays[end] * prod(many[done:end]) for end in range(done, size + 1)) for done in range(size + 1)
        ]

    def _ahead_of(self) -> list[dict[Counts, dict[Starts, int]]]:
        """Returns for each number of reels and counts what may still start, with the most coins of scatters then."""
        layers: list[set[Counts]] = [{(0,) * len(self.tallies)}]
        for place, reel in enumerate(self.classes):
            more = {counts for _, counts in reel}
            layers.append({added(self.tallies, now, one, place) for now in layers[-1] for one in more})
        ends = {counts: {self._begun(counts): self._scattered(counts)} for counts in layers[-1]}
        found = [ends]
        for place in reversed(range(len(self.classes))):
            more = {counts for _, counts in self.classes[place]}
            before: dict[Counts, dict[Starts, int]] = {}
            for now in layers[place]:
                best = before.setdefault(now, {})
                for one in more:
                    for starts, coins in found[0][added(self.tallies, now, one, place)].items():
                        best[starts] = max(best.get(starts, 0), coins)
            found.insert(0, before)
        return found

    def _begun(self, counts: Counts) -> Starts:
        starts = [0] * len(self.rules.features)
        scatters = len(self.scatters)
        for n, count in zip(self.triggers, counts[scatters:], strict=True):
            starts[n] = at(self.starts[n], count)
        return tuple(starts)

    def _scattered(self, counts: Counts) -> int:
        pairs = zip(self.scatters, counts, strict=False)
        return sum(scatter_coins(self.rules, self.stage, one, count) for one, count in pairs)

    def found(self) -> Mapping[Starts, tuple[Window, ...]]:
        """Returns the windows by what they start."""
        ahead, size = self._ahead_of(), len(self.classes)
        everything = tuple((row, 1, 1) for row in range(len(self.rows.rows)))
        start: State = (everything, 0, (0,) * len(self.tallies))
        states: dict[State, tuple[Window, ...]] = {start: ()}
        for place in range(size):
            after: dict[State, tuple[Window, ...]] = {}
            for state, windows in states.items():
                for (shows, more), window in self.classes[place].items():
                    then = self._after(state, shows, more, place)
                    if then not in after and self._may_reach(then, ahead[place + 1][then[2]], place + 1):
                        after[then] = (*windows, window)
                if len(after) > MOST_KEPT:
                    return {}
            states = after
        # At the end a bound is the win itself.
        return {self._begun(counts): windows for (_, _, counts), windows in states.items()}

    def _after(self, state: State, shows: Shows, more: Counts, place: int) -> State:
        alive, won, counts = state
        kept = []
        for row, ways, wild in alive:
            count, stands = shows[row]
            if count:
                kept.append((row, ways * count, wild * stands))
            elif place:
                won += self._pay(row, place) * (ways if self.rows.alone else ways - wild)
        return tuple(kept), won, added(self.tallies, counts, more, place)

    def _pay(self, row: int, length: int) -> int:
        pays = self.rows.pays[row]
        return pays[length] if length < len(pays) else 0

    def _may_reach(self, state: State, starts: Mapping[Starts, int], done: int) -> bool:
        """Tells whether a state may still come to the highest win of one way of starting features."""
        alive, won, _ = state
        if done == len(self.classes):
            won += sum(
                self._pay(row, done) * (ways if self.rows.alone else ways - wild) for row, ways, wild in alive
            )
        else:
            won += sum(ways * self.ahead[row][done] for row, ways, _ in alive)
        return any(won + coins >= self.targets[one] for one, coins in starts.items())
