"""The watch: what each cell's rounds say of the exact law, day by day, and which cells are an alarm."""

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from fractions import Fraction
from itertools import chain
from typing import Final

import numpy as np
from numpy.typing import NDArray

from certify.errors import InputError, NothingCheckedError
from certify.exact import units
from certify.live.law import StakeLaw, WagerLaw
from certify.live.process import (
    MOST_DAYS,
    RUNS,
    Changes,
    Power,
    Watched,
    changes_of,
    days_until_seen,
    interval,
    rejected,
    watched,
)
from certify.live.state import CellKey, RowsAtFault, WatchState, drawn_cell
from certify.live.totals import first_draws
from certify.model import Equipment
from certify.rounds import Rounding

ROLLING: Final = 30
"""Days of the customary look back."""

OUTSIDE: Final = 0.0027
"""Share of faultless totals that lie outside of the customary limits: that of three standard deviations."""

SHOWN: Final = 20
"""Cells that are printed, and for which it is simulated how long a lower return takes to be seen: the first ones."""

POINTS: Final = 40
"""Days of a cell that are drawn, at most."""

LOWER: Final = 0.02
"""How much lower that return is, in stakes, where nothing else is named."""

IMPOSSIBLE: Final = "an amount that cannot come back"
EVIDENCE: Final = "evidence against the exact distribution"
RETURN_OUT: Final = "the return"


@dataclass(frozen=True, slots=True)
class Rolled:
    """The customary look at the last days.

    Args:
        days: How many.
        rows: Rounds in them.
        returned: What came back for each unit staked.
        low: The least that it comes to in all but the share stated, by the exact law of so many rounds.
        high: The most, likewise; both none where that law is too long to be laid out.
        outside: Whether the return lies outside.
    """

    days: int
    rows: int
    returned: Fraction
    low: Fraction | None
    high: Fraction | None
    outside: bool


@dataclass(frozen=True, slots=True)
class Alarm:
    """An alarm of a cell.

    Args:
        cause: ``an amount that cannot come back`` or ``evidence against the exact distribution``.
        first: First day whose totals, with those before it, are an alarm.
        since: Day on which the change most likely began.
        since_from: First day on which it may have begun.
        since_to: Last day on which it may have begun.
        what: What is out: the amounts that come back for the stake, the return, or what is drawn.
        size: How large the change is: how many times as often, or by how many stakes; how many rows that cannot be.
        seen: How often it came since then, or what came back for each unit staked.
        expected: The same by the exact law.
    """

    cause: str
    first: str
    since: str
    since_from: str
    since_to: str
    what: str
    size: float
    seen: float
    expected: float


@dataclass(frozen=True, slots=True)
class WatchedDraw:
    """What comes at one place of a round, whatever is staked or decided.

    Args:
        cell: The place.
        rows: Rounds in all.
        log10_e: Logarithm of the evidence, to base ten.
        alarms: Its alarms.
    """

    cell: CellKey
    rows: int
    log10_e: float
    alarms: tuple[Alarm, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchedCell(WatchedDraw):
    """A cell that is watched.

    Args:
        returned: What came back for each unit staked.
        expected: The exact return at that stake.
        low: The least return that all rounds so far leave open; none where no interval holds.
        high: The greatest one, likewise. The true return is ever outside with a probability of at most alpha.
        rolling: The customary look at the last days.
        power: How long a lower return takes to be seen; none of cells that are not among the first, or where never.
    """

    returned: Fraction
    expected: Fraction
    low: float | None
    high: float | None
    rolling: Rolled | None
    power: Power | None


@dataclass(frozen=True, slots=True)
class Watch:
    """What a watch says.

    Args:
        game: Id of the game.
        alpha: Share expected, at most, of the cells out at a look that is faultless; and the probability of any alarm
            ever where nothing is wrong and no cell is added.
        begun: First day.
        last: Last day.
        cells: Every cell, those with an alarm first.
        draws: What is drawn, likewise, where a log holds that.
        faults: Rows that are wrong whatever was played, each an alarm.
        notes: What was recognised of the logs taken now.
    """

    game: str
    alpha: float
    begun: str
    last: str
    cells: tuple[WatchedCell, ...]
    draws: tuple[WatchedDraw, ...]
    faults: tuple[RowsAtFault, ...]
    notes: tuple[str, ...] = ()

    @property
    def alarmed(self) -> tuple[WatchedCell | WatchedDraw, ...]:
        """The cells and places with an alarm."""
        every: tuple[WatchedCell | WatchedDraw, ...] = (*self.cells, *self.draws)
        return tuple(one for one in every if one.alarms)

    @property
    def wrong(self) -> bool:
        """Whether there is any alarm."""
        return bool(self.alarmed or self.faults)

    @property
    def of(self) -> int:
        """How many cells and places are watched together."""
        return len(self.cells) + len(self.draws)

    @property
    def out(self) -> "Watch":
        """The same, of what has an alarm alone."""
        cells = tuple(one for one in self.cells if one.alarms)
        return replace(self, cells=cells, draws=tuple(one for one in self.draws if one.alarms), notes=())


def digest_of(laws: Mapping[str, WagerLaw], rounding: Rounding) -> str:
    """Returns a digest of laws, by which a state knows that they are the same.

    Raises:
        InputError: Of no wager a law is known.
    """
    told = [
        (key, [*map(str, law.pays)], [*map(str, law.chances)])
        for key, law in laws.items()
        if law.chances is not None
    ]
    if not told:
        unknown = [f"{key}: {law.unjudged}" for key, law in laws.items()]
        raise InputError(f"a watch needs the exact distribution: {'; '.join(unknown)}")
    return hashlib.sha256(repr((told, rounding.value)).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class CellDay:
    """What a cell had come to at the end of a day.

    Args:
        day: The day, in UTC.
        rows: Rounds until then.
        returned: What came back of them for each unit staked.
        low: The least return that they leave open; none where no interval holds.
        high: The greatest one, likewise.
        log10_e: Logarithm of the evidence, to base ten.
    """

    day: str
    rows: int
    returned: Fraction
    low: float | None
    high: float | None
    log10_e: float


def look(
    state: WatchState,
    game: str,
    laws: Mapping[str, WagerLaw],
    rounding: Rounding,
    alpha: float,
    lower: float = LOWER,
) -> "Fleet":
    """Returns what a state says, worked out from its day totals.

    Args:
        state: The state.
        game: Id of the game.
        laws: The law of every wager, by variant and wager.
        rounding: What happens to a fraction of the smallest coin in a payout.
        alpha: Share of the cells out at a look that may be faultless.
        lower: How much lower a return is whose time to be seen is simulated, in stakes.

    Raises:
        InputError: A cell is none of these laws.
        NothingCheckedError: Nothing was taken yet.
    """
    totals = state.totals()
    days = sorted({day for held in totals.values() for day in held})
    if not days:
        raise NothingCheckedError("no log was read yet: expected --take LOG and --map MAP.toml")
    span = (days[-1] - days[0]).days + 1
    if span > MOST_DAYS:
        raise InputError(f"{days[0]} to {days[-1]} are watched, expected at most {MOST_DAYS:,} days")
    pieces = {
        drawn_cell(key, number): piece
        for key, law in laws.items()
        for number, piece in enumerate(first_draws(law.game.equipment), start=1)
    }
    cells, begun = [], []
    for key, held in totals.items():
        by_day = {(day - days[0]).days: wins for day, wins in held.items()}
        if not key.stake and key not in pieces:
            raise InputError(f"{key}: the game draws nothing there")
        cells.append(_Cell.of(key, by_day, laws[key.law], rounding, span, pieces.get(key)))
        begun.append(min(by_day))
    fell: dict[int, int] = {}
    for day in range(span):
        # A cell counts from its first day on: one that comes later changes no alarm of before.
        among = [place for place, first in enumerate(begun) if first <= day]
        for rank in rejected([float(cells[place].watched.log_e[day]) for place in among], alpha):
            fell.setdefault(among[rank], day)
    told: list[WatchedCell] = []
    draws: list[WatchedDraw] = []
    for place, one in enumerate(cells):
        alarms = () if place not in fell else (_evidence(one, days[0], fell[place]),)
        if one.piece is None:
            told.append(_told(one, days[0], alpha, alarms))
        else:
            draws.append(WatchedDraw(one.key, one.total(0, span)[0], _log10(one, span), alarms))
    for part in (told, draws):
        part.sort(key=lambda one: (not one.alarms, -one.log10_e, one.cell))
    of, reach = {one.key: one for one in cells}, math.log(len(cells) / alpha)
    shown = [replace(one, power=_power(of[one.cell], one, days[0], lower, reach)) for one in told[:SHOWN]]
    first, last = (days[place].isoformat() for place in (0, -1))
    seen = (*shown, *told[SHOWN:])
    return Fleet(Watch(game, alpha, first, last, seen, tuple(draws), state.faults()), of, days[0])


def _faces(piece: Equipment) -> StakeLaw:
    """Returns the law of what a piece gives, by the numbers of its faces."""
    return StakeLaw(
        tuple(range(len(piece.faces))), tuple(Fraction(copies, piece.size) for copies in piece.copies)
    )


def _log10(one: "_Cell", days: int) -> float:
    return round(float(one.watched.log_e[days - 1]) / math.log(10), 4)


@dataclass(frozen=True)
class _Cell:
    """A cell with its counts by day and pay, or face, and what lies outside of its law."""

    key: CellKey
    law: StakeLaw
    payable: frozenset[int]
    whole: bool
    changes: Changes
    counts: NDArray[np.int64]
    unlisted: Mapping[int, Mapping[int, int]]
    watched: Watched
    piece: Equipment | None

    @classmethod
    def of(
        cls,
        key: CellKey,
        held: Mapping[int, Mapping[int, int]],
        law: WagerLaw,
        rounding: Rounding,
        span: int,
        piece: Equipment | None,
    ) -> "_Cell":
        at = law.at(key.stake, rounding) if piece is None else _faces(piece)
        if at is None:
            raise InputError(f"{key.law}: {law.unjudged}")
        places = {win: place for place, win in enumerate(at.wins)}
        counts = np.zeros((span, len(at.wins)), dtype=np.int64)
        unlisted: dict[int, dict[int, int]] = {}
        for day, wins in held.items():
            for win, count in wins.items():
                if win in places:
                    counts[day, places[win]] += count
                else:
                    unlisted.setdefault(day, {})[win] = count
        changes = changes_of(at, key.stake)
        payable = frozenset(law.payable(key.stake, rounding))
        seen = watched(counts, changes)
        return cls(key, at, payable, law.whole, changes, counts, unlisted, seen, piece)

    @property
    def impossible(self) -> dict[int, dict[int, int]]:
        """What cannot come back under any play, by day and amount."""
        held = {
            day: {win: count for win, count in wins.items() if win not in self.payable}
            for day, wins in self.unlisted.items()
        }
        return {day: wins for day, wins in held.items() if wins}

    def interval(self, alpha: float, days: int) -> tuple[float, float] | None:
        """Returns the confidence sequence of the return; none where more came back, or may, than is known."""
        came = dict(zip(self.law.wins, self.counts[:days].sum(axis=0).tolist(), strict=True))
        others = (held.items() for day, held in self.unlisted.items() if day < days)
        for win, count in chain.from_iterable(others):
            came[win] = came.get(win, 0) + count
        stake, most = self.key.stake, max(self.payable)
        if not self.whole or not 0 <= min(came) <= max(came) <= most:
            return None
        wins, counts = (np.array([float(one) for one in part]) for part in (came, came.values()))
        low, high = interval(wins / stake, counts, most / stake, alpha)
        return math.floor(low * 1e6) / 1e6, math.ceil(high * 1e6) / 1e6

    def total(self, first: int, last: int) -> tuple[int, int]:
        """Returns rounds and what came back on some days, what cannot come back included."""
        wins = np.array(self.law.wins, dtype=object)
        part = self.counts[first:last].sum(axis=0)
        others = [pair for day, held in self.unlisted.items() if first <= day < last for pair in held.items()]
        rows = int(part.sum()) + sum(count for _, count in others)
        return rows, int(part.astype(object) @ wins) + sum(win * count for win, count in others)


@dataclass(frozen=True, slots=True)
class Fleet:
    """What a watch says, and how each cell came to it.

    Args:
        watch: What it says.
    """

    watch: Watch
    _cells: Mapping[CellKey, _Cell]
    _begun: date

    def course(self, key: CellKey) -> tuple[CellDay, ...]:
        """Returns what a cell had come to on some days, evenly spread, the last one among them."""
        one = self._cells[key]
        span = len(one.counts)
        ends = sorted({round((n + 1) * span / POINTS) for n in range(POINTS)} - {0} | {span})
        return tuple(
            _until(one, self._begun, self.watch.alpha, days) for days in ends if one.total(0, days)[0]
        )


def _until(one: _Cell, begun: date, alpha: float, days: int) -> CellDay:
    """Returns what a cell had come to after some days."""
    rows, total = one.total(0, days)
    low, high = one.interval(alpha, days) or (None, None)
    returned = Fraction(total, rows * one.key.stake)
    return CellDay(_day(begun, days - 1), rows, returned, low, high, _log10(one, days))


def _told(one: _Cell, begun: date, alpha: float, alarms: tuple[Alarm, ...]) -> WatchedCell:
    """Returns what a cell says; ``alarms`` holds that of its evidence where there is one."""
    span = len(one.counts)
    now = _until(one, begun, alpha, span)
    return WatchedCell(
        cell=one.key,
        rows=now.rows,
        returned=now.returned,
        expected=one.law.mean / one.key.stake,
        log10_e=now.log10_e,
        low=now.low,
        high=now.high,
        rolling=_rolled(one, max(0, span - ROLLING), span),
        power=None,
        alarms=(*_impossible(one, begun), *alarms),
    )


def _rolled(one: _Cell, first: int, last: int) -> Rolled | None:
    rows, total = one.total(first, last)
    if not rows:
        return None
    staked = rows * one.key.stake
    limits = one.law.limits(rows, OUTSIDE)
    low, high = (None, None) if limits is None else (Fraction(limits[0], staked), Fraction(limits[1], staked))
    outside = limits is not None and not limits[0] <= total <= limits[1]
    return Rolled(last - first, rows, Fraction(total, staked), low, high, outside)


def _power(one: _Cell, told: WatchedCell, begun: date, lower: float, reach: float) -> Power | None:
    """Returns how long a lower return takes to be seen: from the day of the alarm's change on, or from the next day."""
    rows, after = told.rows // len(one.counts), len(one.counts)
    if any(alarm.cause == EVIDENCE for alarm in told.alarms):
        after = one.watched.since[0]
    # The same cell is simulated from the same beginning each time.
    seed = hashlib.sha256(repr((one.key, lower)).encode()).digest()
    seen = days_until_seen(one.law, one.key.stake, lower, rows, after, reach, seed)
    if seen is None:
        return None
    half, most = (seen[needed - 1] if len(seen) >= needed else None for needed in (RUNS // 2, RUNS * 9 // 10))
    return Power(lower, _day(begun, after), rows, RUNS, len(seen), half, most)


def _impossible(one: _Cell, begun: date) -> Iterator[Alarm]:
    """Yields the alarm of amounts that the law gives a probability of 0: no logarithm is needed for them."""
    impossible = one.impossible
    if not impossible:
        return
    days = sorted(impossible)
    first, last = (_day(begun, day) for day in (days[0], days[-1]))
    count = sum(sum(held.values()) for held in impossible.values())
    wins = sorted({*chain.from_iterable(impossible.values())})
    money = one.key.currency
    what = f"{_listed(wins, money)} {money} for a stake of {units(one.key.stake, money)}"
    yield Alarm(IMPOSSIBLE, first, first, first, last, what, float(count), float(count), 0.0)


def _evidence(one: _Cell, begun: date, alarmed: int) -> Alarm:
    """Returns the alarm of a cell whose evidence first was one on a day."""
    change = one.watched.change
    pays, since = one.changes.pays[change], one.watched.since[0]
    rows, total = one.total(since, len(one.counts))
    if pays:
        if one.piece is None:
            named = f"{_listed([one.law.wins[pay] for pay in pays], one.key.currency)} comes back"
        else:
            named = f"{', '.join(one.piece.faces[pay] for pay in pays[:5])} is drawn"
        what = f"how often {named}"
        seen = float(one.counts[since:, list(pays)].sum())
        expected = float(rows * sum(one.law.chances[pay] for pay in pays))
    else:
        what = RETURN_OUT
        seen, expected = total / (rows * one.key.stake), float(one.law.mean / one.key.stake)
    first, began, from_day, to_day = (_day(begun, day) for day in (alarmed, *one.watched.since))
    return Alarm(EVIDENCE, first, began, from_day, to_day, what, one.changes.sizes[change], seen, expected)


def _day(begun: date, number: int) -> str:
    return (begun + timedelta(number)).isoformat()


def _listed(wins: Sequence[int], currency: str) -> str:
    shown = ", ".join(units(win, currency) for win in wins[:5])
    return shown if len(wins) <= 5 else f"{shown} and {len(wins) - 5} more"
