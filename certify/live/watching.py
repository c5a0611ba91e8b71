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
from certify.live.audit import JudgedLog
from certify.live.law import StakeLaw, WagerLaw
from certify.live.log import text_of
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
from certify.live.state import MARK, CellKey, DayTotals, Marks, RowsAtFault, WatchState
from certify.rounds import Rounding

ROLLING: Final = 30
"""Days of the customary look back."""

OUTSIDE: Final = 0.0027
"""Share of faultless totals that lie outside of the customary limits: that of three standard deviations."""

SHOWN: Final = 20
"""Cells that are printed, and for which it is simulated how long a lower return takes to be seen: the first ones."""

MOST_CELLS: Final = 10_000
"""Cells of one log, at most."""

POINTS: Final = 40
"""Days of a cell that are drawn, at most."""

LOWER: Final = 0.02
"""How much lower that return is, in stakes, where nothing else is named."""

IMPOSSIBLE: Final = "an amount that cannot come back"
EVIDENCE: Final = "evidence against the exact law"
RETURN_OUT: Final = "the return"

AT_ONCE: Final = ("other-pay", "paid-twice", "void-kept", "void-paid")
"""Faults of rows that are an alarm the first time: no law of chance makes one."""


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
        cause: ``an amount that cannot come back`` or ``evidence against the exact law``.
        first: Day on which it was first given.
        since: Day on which the change most likely began.
        since_from: First day on which it may have begun.
        since_to: Last day on which it may have begun.
        what: What is out: the amounts that come back for the stake, or the return.
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
class WatchedCell:
    """A cell that is watched.

    Args:
        cell: What it is.
        rows: Rounds in all.
        returned: What came back for each unit staked.
        expected: The exact return at that stake.
        log10_e: Logarithm of the evidence, to base ten.
        low: The least return that all rounds so far leave open; none where no interval holds.
        high: The greatest one, likewise. The true return is ever outside with a probability of at most alpha.
        rolling: The customary look at the last days.
        power: How long a lower return takes to be seen; none of cells that are not among the first, or where never.
        alarms: Its alarms.
    """

    cell: CellKey
    rows: int
    returned: Fraction
    expected: Fraction
    log10_e: float
    low: float | None
    high: float | None
    rolling: Rolled | None
    power: Power | None
    alarms: tuple[Alarm, ...]


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
        faults: Rows that are wrong whatever was played, each an alarm.
        notes: What was recognised of the logs taken now.
    """

    game: str
    alpha: float
    begun: str
    last: str
    cells: tuple[WatchedCell, ...]
    faults: tuple[RowsAtFault, ...]
    notes: tuple[str, ...] = ()

    @property
    def alarmed(self) -> tuple[WatchedCell, ...]:
        """The cells with an alarm."""
        return tuple(one for one in self.cells if one.alarms)


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
        raise InputError(f"a watch needs the exact law: {'; '.join(unknown)}")
    return hashlib.sha256(repr((told, rounding.value)).encode()).hexdigest()


def days_of(taken: JudgedLog) -> list[date]:
    """Returns the days of the settled and void rounds of a log whose law is known.

    Raises:
        NothingCheckedError: It holds none.
    """
    known = [str(place) for place, law in enumerate(taken.judge.laws.values()) if law.chances is not None]
    taken.logs.engine.execute(
        "CREATE VIEW marked AS SELECT *, time::DATE AS day, "
        "md5_number_lower(concat_ws(chr(31), round, coalesce(wager, ''), coalesce(player, ''))) AS mark, "
        "(md5_number_lower(concat_ws(chr(31), round, stake, win)) % 65536)::USMALLINT AS paid FROM seen "
        f"WHERE state IN (0, 1) AND law IN ({', '.join(known)}) AND stake > 0 AND win IS NOT NULL "
        "AND time IS NOT NULL; "
        "CREATE VIEW settled AS SELECT * FROM marked WHERE state = 0"
    )
    days = [row[0] for row in taken.logs.all("SELECT DISTINCT day FROM marked ORDER BY day")]
    if not days:
        raise NothingCheckedError("no settled or void rounds in the log")
    return days


def totals_of(taken: JudgedLog, known: Marks) -> tuple[DayTotals, dict[date, Marks], int]:
    """Returns how often each amount came back in a log, by cell and day, marks of rows, and how many were known.

    A row that is in the log again counts once, and so does one that was taken before. What deviates is known already.

    Args:
        taken: The log, of which its days were taken.
        known: Marks of rows that were taken before.

    Raises:
        InputError: It has more cells than anybody watches.
    """
    logs, keys = taken.logs, list(taken.judge.laws)
    logs.engine.register("known", {name: np.ascontiguousarray(known[name]) for name in MARK.names or ()})
    logs.engine.execute(
        "CREATE TABLE counted AS SELECT law, currency, stake, channel, day, win, mark, paid FROM settled s "
        "WHERE NOT EXISTS (SELECT 1 FROM again a WHERE NOT a.differ AND a.row <> s.row AND a.round = s.round "
        "AND a.wager IS NOT DISTINCT FROM s.wager AND a.player IS NOT DISTINCT FROM s.player) "
        "AND mark NOT IN (SELECT mark FROM known)"
    )
    cells = logs.all("SELECT count(*) FROM (SELECT DISTINCT law, currency, stake, channel FROM counted)")[0][
        0
    ]
    if cells > MOST_CELLS:
        raise InputError(
            f"{cells:,} different wagers, stakes, currencies and channels, expected at most {MOST_CELLS:,}: is a "
            "column another one? nothing was taken"
        )
    totals = DayTotals()
    for law, currency, stake, channel, day, win, count in logs.all(
        "SELECT * EXCLUDE (mark, paid), count(*) FROM counted GROUP BY ALL ORDER BY ALL"
    ):
        cell = CellKey(keys[law], currency or "", stake, channel or "")
        totals.setdefault(cell, {}).setdefault(day, {})[win] = count
    days = [row[0] for row in logs.all("SELECT DISTINCT day FROM marked ORDER BY day")]
    marks: dict[date, Marks] = {}
    for day in days:
        query = f"SELECT mark, paid FROM counted WHERE day = {text_of(day.isoformat())}::DATE"
        found = logs.engine.execute(query).fetchnumpy()
        marks[day] = np.empty(len(found["mark"]), dtype=MARK)
        for name in MARK.names or ():
            marks[day][name] = found[name]
    (repeated,) = logs.all("SELECT count(*) FROM settled WHERE mark IN (SELECT mark FROM known)")[0]
    return totals, marks, int(repeated)


def faults_of(taken: JudgedLog) -> list[RowsAtFault]:
    """Returns the rows of a log that are an alarm at once, by day; those without a time count for its first day.

    A row that was taken before with another stake or win is a second settlement, and so is its refund.

    Args:
        taken: The log, of which deviations, days and totals were taken.
    """
    found = taken.logs.all(
        "WITH found AS (SELECT fault, row, time, 1 AS rows FROM seen JOIN faults USING (kind) "
        "UNION ALL SELECT 'paid-twice', row, time, more FROM again JOIN seen USING (row) WHERE differ "
        "UNION ALL SELECT 'paid-twice', row, time, 1 FROM marked m WHERE mark IN (SELECT mark FROM known) "
        "AND NOT EXISTS (SELECT 1 FROM known k WHERE state = 0 AND k.mark = m.mark AND k.paid = m.paid)) "
        "SELECT coalesce(time::DATE, (SELECT min(day) FROM marked))::VARCHAR, fault, sum(rows)::BIGINT, min(row) "
        f"FROM found WHERE fault IN {AT_ONCE} GROUP BY ALL ORDER BY ALL"
    )
    return [
        RowsAtFault(day, taken.logs.files[0].source.name, fault, rows, row + 1)
        for day, fault, rows, row in found
    ]


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
    """Returns what a state says, worked out from its day totals, and notes its alarms in it.

    Args:
        state: The state.
        game: Id of the game.
        laws: The law of every wager, by variant and wager.
        rounding: What happens to a fraction of the smallest coin in a payout.
        alpha: Share of the cells out at a look that may be faultless.
        lower: How much lower a return is whose time to be seen is simulated, in stakes.

    Raises:
        NothingCheckedError: Nothing was taken yet.
    """
    totals = state.totals()
    days = sorted({day for held in totals.values() for day in held})
    if not days:
        raise NothingCheckedError("nothing was taken yet: expected --take LOG and --map MAP.toml")
    span = (days[-1] - days[0]).days + 1
    if span > MOST_DAYS:
        raise InputError(f"{days[0]} to {days[-1]} are watched, expected at most {MOST_DAYS:,} days")
    cells = [_Cell.of(cell, held, laws[cell.law], rounding, days[0], span) for cell, held in totals.items()]
    seen = [one.watched for one in cells]
    fell: dict[int, int] = {}
    for day in range(span):
        for place in rejected([float(one.log_e[day]) for one in seen], alpha):
            fell.setdefault(place, day)
    told = [_told(one, state, days[0], alpha, fell.get(place)) for place, one in enumerate(cells)]
    told.sort(key=lambda one: (not one.alarms, -one.log10_e, one.cell))
    of, reach = {one.key: one for one in cells}, math.log(len(cells) / alpha)
    shown = [replace(one, power=_power(of[one.cell], one, days[0], lower, reach)) for one in told[:SHOWN]]
    every = (*shown, *told[SHOWN:])
    watch = Watch(game, alpha, days[0].isoformat(), days[-1].isoformat(), every, state.faults())
    return Fleet(watch, of, days[0])


@dataclass(frozen=True)
class _Cell:
    """A cell with its counts by day and pay, and what lies outside of its law."""

    key: CellKey
    law: StakeLaw
    changes: Changes
    counts: NDArray[np.int64]
    unlisted: Mapping[int, Mapping[int, int]]
    payable: frozenset[int]
    whole: bool
    watched: Watched

    @classmethod
    def of(
        cls,
        key: CellKey,
        held: Mapping[date, Mapping[int, int]],
        law: WagerLaw,
        rounding: Rounding,
        begun: date,
        span: int,
    ) -> "_Cell":
        at = law.at(key.stake, rounding)
        if at is None:
            raise InputError(f"{key.law}: {law.unjudged}")
        places = {win: place for place, win in enumerate(at.wins)}
        counts = np.zeros((span, len(at.wins)), dtype=np.int64)
        unlisted: dict[int, dict[int, int]] = {}
        for day, wins in held.items():
            for win, count in wins.items():
                if win in places:
                    counts[(day - begun).days, places[win]] += count
                else:
                    unlisted.setdefault((day - begun).days, {})[win] = count
        changes = changes_of(at, key.stake)
        payable = frozenset(law.payable(key.stake, rounding))
        return cls(key, at, changes, counts, unlisted, payable, law.whole, watched(counts, changes))

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
        span, found = len(one.counts), []
        ends = sorted({round((n + 1) * span / POINTS) for n in range(POINTS)} - {0} | {span})
        for days in ends:
            rows, total = one.total(0, days)
            if rows:
                low, high = one.interval(self.watch.alpha, days) or (None, None)
                log10_e = round(float(one.watched.log_e[days - 1]) / math.log(10), 4)
                returned = Fraction(total, rows * key.stake)
                found.append(CellDay(_day(self._begun, days - 1), rows, returned, low, high, log10_e))
        return tuple(found)


def _told(one: _Cell, state: WatchState, begun: date, alpha: float, alarmed: int | None) -> WatchedCell:
    """Returns what a cell says; ``alarmed`` is the day on which its evidence first was an alarm."""
    span, stake = len(one.counts), one.key.stake
    low, high = one.interval(alpha, span) or (None, None)
    rows, total = one.total(0, span)
    alarms = [*_impossible(one, state, begun)]
    if alarmed is not None:
        alarms.append(_evidence(one, state, begun, alarmed))
    return WatchedCell(
        one.key,
        rows,
        Fraction(total, rows * stake),
        one.law.mean / stake,
        round(float(one.watched.log_e[-1]) / np.log(10), 4),
        low,
        high,
        _rolled(one, max(0, span - ROLLING), span),
        None,
        tuple(alarms),
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


def _impossible(one: _Cell, state: WatchState, begun: date) -> Iterator[Alarm]:
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
    noted = state.note(one.key, begun + timedelta(days[0]), IMPOSSIBLE)
    yield Alarm(IMPOSSIBLE, noted, first, first, last, what, float(count), float(count), 0.0)


def _evidence(one: _Cell, state: WatchState, begun: date, alarmed: int) -> Alarm:
    change, (since, earliest, latest) = one.watched.change, one.watched.since
    pays, span = one.changes.pays[change], len(one.counts)
    rows, total = one.total(since, span)
    if pays:
        what = f"how often {_listed([one.law.wins[pay] for pay in pays], one.key.currency)} comes back"
        seen = float(one.counts[since:, list(pays)].sum())
        expected = float(rows * sum(one.law.chances[pay] for pay in pays))
    else:
        what = RETURN_OUT
        seen, expected = total / (rows * one.key.stake), float(one.law.mean / one.key.stake)
    noted = state.note(one.key, begun + timedelta(alarmed), EVIDENCE)
    began, from_day, to_day = (_day(begun, day) for day in (since, earliest, latest))
    return Alarm(EVIDENCE, noted, began, from_day, to_day, what, one.changes.sizes[change], seen, expected)


def _day(begun: date, number: int) -> str:
    return (begun + timedelta(number)).isoformat()


def _listed(wins: Sequence[int], currency: str) -> str:
    shown = ", ".join(units(win, currency) for win in wins[:5])
    return shown if len(wins) <= 5 else f"{shown} and {len(wins) - 5} more"
