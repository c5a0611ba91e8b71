"""What a line wins, as an automaton over its cells from the left: what every row of the paytable has come to so far.

Each row that a line can show is followed by a small tracker. States are what all trackers know; two lines that come to
the same are one state from there on. Nothing of the exact figures or of the reference round is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from certify.errors import InputError
from certify.families.slot.rules import (
    BonusPrizes,
    Direction,
    FreeGames,
    LineWins,
    SlotRules,
    SpinKind,
    Wild,
    WildProduct,
)

Kind = tuple[str, int]
"""What a cell shows: a symbol, and the factor of a wild."""

Known = tuple[int, int, int]
"""What a tracker knows of a run: cells counted, those of its own symbols, and the wilds' factor (0 for none yet)."""

State = tuple[Any, ...]
"""What all trackers know: of each a run, none where it is over, or two where it keeps the best so far."""

NONE: Final[Known] = (0, 0, 0)
MOST_STATES: Final = 60_000


@dataclass(frozen=True, slots=True)
class Tracker:
    """Follows one row along a line.

    Args:
        row: Id of the row, completed by the count; or of the feature that the line starts.
        symbols: Symbols of the row.
        pays: Coins by count; of a feature, how often it is started.
        how: ``left``, ``right``, ``anywhere``, ``adjacent`` or ``pattern``.
        cells: Of a pattern, the symbols that fit on each reel.
        starts: Whether it is a feature.
        wilds: Whether wilds count for it.
    """

    row: str
    symbols: tuple[str, ...]
    pays: tuple[int, ...]
    how: str
    cells: tuple[tuple[str, ...], ...] = ()
    starts: bool = False
    wilds: bool = True


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """A run from the left that has ended, and that pays."""

    run: Known


@dataclass(frozen=True, slots=True)
class LineResult:
    """What one line comes to.

    Args:
        won: (Row, coins) of each row that is paid.
        starts: (Feature, times) of each that it starts.
    """

    won: tuple[tuple[str, int], ...] = ()
    starts: tuple[tuple[str, int], ...] = ()

    @property
    def coins(self) -> int:
        """Coins of all rows together."""
        return sum(coins for _, coins in self.won)

    @property
    def reach(self) -> int:
        """Reels from the left on which it wins, where lines are counted from there and each symbol once."""
        return max((int(row.rpartition("-")[2]) for row, _ in self.won), default=0)


@dataclass(frozen=True, slots=True)
class PaylineAutomaton:
    """A line cell by cell.

    Args:
        steps: For each reel the next state by (state, kind); after the last reel the place of a result.
        results: What a line can come to, the first being nothing.
    """

    steps: tuple[tuple[tuple[int, ...], ...], ...]
    results: tuple[LineResult, ...]


def automaton(rules: SlotRules, stage: SpinKind, kinds: Sequence[Sequence[Kind]]) -> PaylineAutomaton:
    """Returns what lines of a stage come to.

    Args:
        rules: Rules of the slot.
        stage: The stage.
        kinds: What a cell of each reel can show.

    Raises:
        InputError: There are too many states.
    """
    line = _Line(rules, stage, len(kinds))
    states: dict[State, int] = {line.start: 0}
    steps: list[tuple[tuple[int, ...], ...]] = []
    results: dict[LineResult, int] = {LineResult(): 0}
    for reel, shown in enumerate(kinds):
        last = reel == len(kinds) - 1
        after: dict[State, int] = {}
        rows = []
        for state in states:
            row = []
            for kind in shown:
                then = line.step(state, reel, kind)
                if last:
                    row.append(results.setdefault(line.result(then), len(results)))
                else:
                    row.append(after.setdefault(then, len(after)))
            rows.append(tuple(row))
        if len(after) > MOST_STATES:
            raise InputError(
                f"lines of {stage.id!r} come to more than {MOST_STATES:,} states: too many to play"
            )
        steps.append(tuple(rows))
        states = after
    return PaylineAutomaton(tuple(steps), tuple(results))


def wilds_of(rules: SlotRules, stage: SpinKind) -> dict[str, Wild]:
    """Returns the wilds of a stage by their symbols."""
    return {one.symbol: one for one in rules.wilds if stage.id in one.stages or not one.stages}


def grants(feature: FreeGames | BonusPrizes, stage: SpinKind) -> tuple[int, ...]:
    """Returns how often a feature is started by one, two, three … in a stage."""
    if stage.id not in feature.begins_in:
        return ()
    own = isinstance(feature, FreeGames) and stage.id in [name for name, _ in feature.stages]
    return (
        (feature.again or feature.trigger.starts)
        if own and isinstance(feature, FreeGames)
        else feature.trigger.starts
    )


class _Line:
    """All trackers of a line."""

    def __init__(self, rules: SlotRules, stage: SpinKind, reels: int) -> None:
        self.rules, self.stage, self.reels = rules, stage, reels
        self.wilds = wilds_of(rules, stage)
        factors = [one for one in self.wilds.values() if one.multiplies != ((1, Fraction(1)),)]
        self.together = factors[0].together if factors else WildProduct.ONCE
        self.alone = all(one.alone for one in self.wilds.values())
        self.trackers = tuple(self._trackers())
        self.start = tuple((NONE, NONE) if one.how == "adjacent" else NONE for one in self.trackers)

    def _trackers(self) -> list[Tracker]:
        made = []
        for pay in self.rules.line_pays:
            if pay.stages and self.stage.id not in pay.stages:
                continue
            unit = self.rules.line_bet * (self.stage.multiplier if pay.multiplied else 1)
            coins = tuple(unit * one for one in pay.pays)
            for how in ("anywhere",) if pay.anywhere else self._ends():
                made.append(Tracker(pay.id, pay.symbols, coins, how))
        for pattern in self.rules.patterns:
            if not pattern.stages or self.stage.id in pattern.stages:
                unit = self.rules.line_bet * (self.stage.multiplier if pattern.multiplied else 1)
                made.append(Tracker(pattern.id, (), (pattern.pays * unit,), "pattern", pattern.cells))
        feature: FreeGames | BonusPrizes
        for feature in self.rules.features:
            times = grants(feature, self.stage)
            if feature.trigger.on_line and times:
                for how in self._ends():
                    if how != "adjacent":
                        start = feature.trigger
                        made.append(Tracker(feature.id, start.symbols, times, how, (), True, start.wilds))
        return made

    def _ends(self) -> tuple[str, ...]:
        return {
            Direction.LEFT: ("left",),
            Direction.RIGHT: ("right",),
            Direction.BOTH: ("left", "right"),
            Direction.ADJACENT: ("adjacent",),
        }[self.rules.direction]

    def step(self, state: State, reel: int, kind: Kind) -> State:
        """Returns what the trackers know after one more cell."""
        return tuple(
            self._follow(one, known, reel, kind) for one, known in zip(self.trackers, state, strict=True)
        )

    def _follow(self, one: Tracker, known: Any, reel: int, kind: Kind) -> object:
        if known is None or isinstance(known, FinishedRun):
            return known
        symbols = one.cells[reel] if one.how == "pattern" else one.symbols
        if one.how == "pattern" and not symbols:
            return known
        if one.how == "adjacent":
            best, before = known
            run = self._added(one, before, symbols, kind) or NONE
            return (max(best, run, key=lambda seen: self._coins(one, seen)), run)
        after = self._added(one, known, symbols, kind)
        if after is not None:
            return after
        if one.how == "left" and ((one.starts and known[0]) or self._coins(one, known)):
            return FinishedRun(known)
        return {"right": NONE, "anywhere": known}.get(one.how)

    def _added(self, one: Tracker, known: Known, symbols: Sequence[str], kind: Kind) -> Known | None:
        """Returns what is known of a run with one more cell; none where the cell does not belong to it."""
        symbol, factor = kind
        count, own, times = known
        if symbol in symbols:
            return count + 1, 1, times
        for doubled in self.rules.doubled:
            if doubled.symbol == symbol and doubled.stands_for in symbols:
                return count + doubled.times, 1, times
        wild = self.wilds.get(symbol)
        if wild is None or not one.wilds or not set(wild.replaces) & set(symbols):
            return None
        if factor > 1 and not one.starts:
            times = {
                WildProduct.ONCE: max(times, factor),
                WildProduct.MULTIPLY: max(times, 1) * factor,
                WildProduct.ADD: times + factor,
            }[self.together]
        return count + 1, own, times

    def _coins(self, one: Tracker, known: Known) -> int:
        count, own, times = known
        if one.how == "pattern":
            return one.pays[0] * max(times, 1) if own or self.alone else 0
        if not 1 <= count <= len(one.pays) or not (own or self.alone):
            return 0
        return one.pays[count - 1] * max(times, 1)

    def result(self, state: State) -> LineResult:
        """Returns what a line comes to."""
        wins: list[tuple[bool, str, int]] = []
        started: dict[str, int] = {}
        for one, known in zip(self.trackers, state, strict=True):
            if known is None:
                continue
            seen: Known = (
                known[0] if one.how == "adjacent" else known.run if isinstance(known, FinishedRun) else known
            )
            whole = one.how == "right" and self.rules.direction is Direction.BOTH and seen[0] >= self.reels
            if whole:
                continue
            if one.starts:
                times = one.pays[min(seen[0], len(one.pays)) - 1] if seen[0] else 0
                started[one.row] = started.get(one.row, 0) + times
                continue
            row = one.row if one.how == "pattern" else f"{one.row}-{seen[0]}"
            coins = self._coins(one, seen)
            if coins:
                wins.append((one.how == "right", row, coins))
        return LineResult(
            tuple(self._paid(wins)), tuple((name, times) for name, times in started.items() if times)
        )

    def _paid(self, wins: Sequence[tuple[bool, str, int]]) -> list[tuple[str, int]]:
        if self.rules.line_wins is LineWins.ALL:
            return [win[1:] for win in wins]
        groups = [list(wins)]
        if self.rules.line_wins is LineWins.EACH_END:
            groups = [[win for win in wins if win[0] is side] for side in (False, True)]
        return [max(group, key=lambda win: win[2])[1:] for group in groups if group]
