"""Every row of a log by itself: is its stake allowed, can its wager pay that, was it settled once."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from certify.evidence.played import Deviation, ListedRow
from certify.exact import units
from certify.live.columns import LogMap, RowState
from certify.live.law import WagerLaw, law_key
from certify.live.log import ROWS, Logs, text_of
from certify.model import Game
from certify.rounds import rounded

FAULTS: Final[Mapping[str, str]] = {
    "impossible-pay": "paid what its wager cannot pay at that stake",
    "other-pay": "paid something else than its outcome pays",
    "settled-otherwise": "settled again from its draws, it has another result",
    "impossible-draws": "what was drawn or decided is not possible",
    "paid-twice": "one wager of one round has several rows that differ",
    "repeated": "one wager of one round has the same row again",
    "void-kept": "a void row did not return its stake whole",
    "void-paid": "a void row returned more than its stake",
    "unknown-outcome": "an outcome that the wager does not have",
    "stake": "a stake that the limits do not allow",
    "unresolved": "open for longer than the term",
    "unreadable": "a row whose id, number, time, amounts, wager, variant, currency or status cannot be read",
    "meter-kept": "what a meter pays rises from win to win, as if it never began again",
    "number-twice": "several rounds have one number",
    "number-gap": "numbers of rounds are missing",
    "time-back": "the time steps back while the number rises",
    "stuck": "results come again as they came before, more of them in turn than chance makes",
}
"""Deviations of rows, the worst first, each in words."""


RISING: Final = 15
"""Wins of a meter that rise in turn where it is taken for one that never resets: of meters that do, one in 15!."""

MOST: Final = 2**53 - 1
"""The largest number that is stated."""

LONGEST: Final = 200
"""Characters of what a log holds that are stated."""


@dataclass(frozen=True, slots=True)
class Judge:
    """Judges rows by what the game allows.

    Args:
        games: The editions of the game, the first one first.
        map: What the columns mean.
        laws: The law of every wager, by edition, variant, bet level and wager.
    """

    games: Sequence[Game]
    map: LogMap
    laws: Mapping[str, WagerLaw]

    def law_of(self, row: "RowKind") -> str:
        """Returns the law that a row is under; empty where it names no time, wager or variant of the game."""
        columns = self.map.columns
        unnamed = (row.wager is None and columns.wager) or (row.variant is None and columns.variant)
        if unnamed or row.edition is None or row.edition < 0:
            return ""
        variant = "" if row.variant is None else self.map.variants.get(row.variant, row.variant)
        level = "" if row.level is None else self.map.levels.get(row.level, row.level)
        game = self.games[row.edition]
        key = law_key(game if len(self.games) > 1 else None, variant, level, self.map.wager(row.wager, game))
        return key if key in self.laws else ""

    def allowed(self, key: str) -> str:
        """Returns in words which stakes the limits of a wager allow."""
        limits = self.laws[key].limits
        least, most, step = (
            units(one, limits.currency) for one in (limits.minimum, limits.maximum, limits.step)
        )
        return f"{least} to {most} {limits.currency} in steps of {step}"

    def faults(self, key: str, row: "RowKind") -> Iterator[tuple[str, int]]:
        """Yields the deviations that rows of one kind have, each with how much too much came back."""
        state = self.map.state(row.status)
        if not key or row.stake is None or row.win is None or state is None:
            yield "unreadable", 0
            return
        if row.stake <= 0:
            yield "stake", 0
            return
        limits = self.laws[key].limits
        if row.currency == limits.currency and row.stake not in limits.stakes:
            yield "stake", 0
        if state is RowState.VOID and row.win != row.stake:
            yield ("void-kept" if row.win < row.stake else "void-paid"), row.win - row.stake
        if state is RowState.SETTLED:
            yield from self._settled(self.laws[key], row, row.stake, row.win)

    def _settled(self, law: WagerLaw, row: "RowKind", stake: int, win: int) -> Iterator[tuple[str, int]]:
        rule = self.map.log.rounding
        payable = law.payable(stake, rule)
        if law.whole and win not in payable:
            yield "impossible-pay", _off(win, payable)
        if row.outcome is None:
            return
        outcome = self.map.outcomes.get(row.outcome, row.outcome)
        pays = law.outcomes.get(outcome, frozenset())
        if outcome not in law.outcomes:
            if law.whole:
                yield "unknown-outcome", 0
        elif pays is not None:
            due = tuple(rounded(stake * pay, rule) for pay in pays)
            if win not in due:
                yield "other-pay", _off(win, due)

    def pay_of(self, law: WagerLaw, stake: int, win: int) -> int:
        """Returns which of its pays a row has; -1 where it has none, or rounding at its stake makes two equal."""
        paid = law.paid(stake, self.map.log.rounding)
        return paid.index(win) if paid.count(win) == 1 else -1


def _off(win: int, possible: tuple[int, ...]) -> int:
    return win - min(possible, key=lambda pay: (abs(win - pay), pay)) if possible else win


@dataclass(frozen=True, slots=True)
class RowKind:
    """Rows that agree in all that a judgement of one row rests on."""

    edition: int | None
    variant: str | None
    wager: str | None
    currency: str | None
    stake: int | None
    win: int | None
    outcome: str | None
    status: str | None
    level: str | None


_KIND: Final = "edition, variant, wager, currency, stake, win, outcome, status, level"
_AT_A_TIME: Final = 100_000


def judge_rows(logs: Logs, judge: Judge) -> None:
    """Judges every kind of row, and leaves the tables ``kinds``, ``faults`` and the view ``seen`` behind.

    ``seen`` has each row with its law (a place among the laws in order), its pay (a place among those of the law) and
    its state; -1 stands for none.
    """
    with logs.once("judging") as due:
        if due:
            _judge_kinds(logs, judge)


def _judge_kinds(logs: Logs, judge: Judge) -> None:
    keys = list(judge.laws)
    run = logs.engine.execute
    run(f"CREATE TABLE kinds AS SELECT row_number() OVER () AS kind, {_KIND} FROM {ROWS} GROUP BY {_KIND}")
    run("CREATE TABLE judged (kind BIGINT, law INTEGER, pay INTEGER, state INTEGER)")
    run("CREATE TABLE faults (kind BIGINT, fault VARCHAR, off HUGEINT, why VARCHAR)")
    states = list(RowState)
    (last,) = logs.all("SELECT count(*) FROM kinds")[0]
    for first in range(0, last, _AT_A_TIME):
        part = logs.all(
            f"SELECT kind, {_KIND} FROM kinds WHERE kind > {first} AND kind <= {first + _AT_A_TIME}"
        )
        judged: list[tuple[int, int, int, int]] = []
        faults: list[tuple[int, str, int, str]] = []
        for kind, *values in part:
            row = RowKind(*values)
            key, state = judge.law_of(row), judge.map.state(row.status)
            for fault, off in judge.faults(key, row):
                faults.append((kind, fault, off, judge.allowed(key) if fault == "stake" else ""))
            pay = -1
            if key and row.stake is not None and row.stake > 0 and row.win is not None:
                pay = judge.pay_of(judge.laws[key], row.stake, row.win)
            judged.append((kind, keys.index(key) if key else -1, pay, states.index(state) if state else -1))
        _insert(logs, "judged", judged, ("kind", "law", "pay", "state"))
        if faults:
            _insert(logs, "faults", faults, ("kind", "fault", "off", "why"))
    same = " AND ".join(f"r.{one} IS NOT DISTINCT FROM k.{one}" for one in _KIND.split(", "))
    run(
        f"CREATE VIEW seen AS SELECT r.rowid AS row, r.*, j.* FROM {ROWS} r "
        f"JOIN kinds k ON {same} JOIN judged j ON j.kind = k.kind"
    )


def _insert(logs: Logs, table: str, rows: list[Any], columns: tuple[str, ...]) -> None:
    """Puts rows into a table, column by column."""
    parts = {
        name: np.array(part, dtype=object if isinstance(part[0], str) else np.int64)
        for name, part in zip(columns, zip(*rows, strict=True), strict=True)
    }
    logs.engine.register("fresh", parts)
    logs.engine.execute(f"INSERT INTO {table} SELECT * FROM fresh")
    logs.engine.unregister("fresh")


def deviations(logs: Logs, judge: Judge, most: int) -> dict[str, Deviation]:
    """Returns what deviates from row to row, each kind counted whole and listed up to a bound.

    Args:
        logs: The logs, whose rows are judged by their kind.
        judge: Who judged them.
        most: Rows of each deviation that are listed.
    """
    key, listed = "round, wager, player", "row, round, wager, stake, win, "
    again = f"hash({key}) IN (SELECT hash({key}) AS h FROM {ROWS} GROUP BY h HAVING count(*) > 1)"
    # A bet that is logged when it is made, and again with the same stake when it ends, is one round.
    words = [
        word
        for (word,) in logs.all(f"SELECT DISTINCT status FROM {ROWS}")
        if judge.map.state(word) is RowState.OPEN
    ]
    begun = f"coalesce(status IN ({', '.join(map(text_of, words))}), false)" if words else "false"
    of_round = f"OVER (PARTITION BY {key})"
    ends = f"NOT {begun} OR bool_and({begun}) {of_round} OR min(stake) {of_round} <> max(stake) {of_round}"
    logs.engine.execute(
        f"CREATE TABLE IF NOT EXISTS again AS SELECT {key}, min(row) AS row, count(*) - 1 AS more, "
        "sum(win) - min(win) AS off, count(DISTINCT (stake, win, status, outcome, time)) > 1 AS differ, "
        "any_value(stake) AS stake, max(win) AS win "
        f"FROM (SELECT rowid AS row, * FROM {ROWS} WHERE round IS NOT NULL AND {again} QUALIFY {ends}) "
        f"GROUP BY {key} HAVING count(*) > 1"
    )
    logs.engine.execute(
        f"CREATE OR REPLACE VIEW ended AS SELECT {key} FROM {ROWS} WHERE NOT {begun} AND {again if words else 'false'}"
    )
    rows = f"(SELECT rowid AS row, * FROM {ROWS})"
    if words:
        # A number is given when the bet is made: it is held to that time.
        rows = (
            f"(SELECT rowid AS row, * FROM {ROWS} "
            "QUALIFY row_number() OVER (PARTITION BY number, round, wager, player ORDER BY time, row) = 1)"
        )
    # The order of rows in a file says nothing: rounds follow each other by their number alone.
    # What is sorted is of fixed width: texts of so many rows would be spilled to disk. Ids are compared themselves.
    several = (
        f"SELECT number FROM (SELECT DISTINCT number, round FROM {ROWS} "
        f"WHERE number IN (SELECT number FROM {ROWS} GROUP BY number HAVING count(*) > 1)) "
        "GROUP BY number HAVING count(round) > 1"
    )
    logs.engine.execute(
        "CREATE TABLE IF NOT EXISTS steps AS WITH followed AS (SELECT *, "
        "lag((number, time, id, row)) OVER (ORDER BY number, time, id) AS before FROM (SELECT row, number, time, "
        f"CASE WHEN round IS NOT NULL THEN hash(round) END AS id FROM {rows} "
        "WHERE number IS NOT NULL AND time IS NOT NULL)) "
        "SELECT s.*, r.round, r.wager, r.stake, r.win, b.round AS other FROM (SELECT * FROM followed "
        "WHERE number > before[1] + 1 OR time < before[2] "
        f"OR (number = before[1] AND number IN ({several}))) s "
        f"JOIN {ROWS} r ON r.rowid = s.row JOIN {ROWS} b ON b.rowid = s.before[4]"
    )
    opened, days = list(RowState).index(RowState.OPEN), judge.games[0].terms.unresolved_void_after_days
    blank = "round IS NULL OR time IS NULL" + " OR number IS NULL" * bool(judge.map.columns.number)
    sources = {
        fault: f"SELECT {listed} f.off AS off, f.why AS why, 1 AS n FROM seen JOIN faults f USING (kind) "
        f"WHERE f.fault = {text_of(fault)}"
        for (fault,) in logs.all("SELECT DISTINCT fault FROM faults UNION SELECT 'unreadable'")
    }
    sources["unreadable"] += f" UNION SELECT {listed} 0, '', 1 FROM seen WHERE {blank}"
    sources |= {
        "paid-twice": f"SELECT {listed} off, '' AS why, more AS n FROM again WHERE differ",
        "repeated": f"SELECT {listed} off, '' AS why, more AS n FROM again WHERE NOT differ",
        "unresolved": f"SELECT {listed} 0 AS off, 'since ' || time AS why, 1 AS n FROM seen WHERE state = {opened} "
        f"AND time < (SELECT max(time) FROM {ROWS}) - INTERVAL {days} DAY "
        "AND NOT EXISTS (SELECT 1 FROM ended e WHERE e.round = seen.round AND e.wager IS NOT DISTINCT FROM seen.wager "
        "AND e.player IS NOT DISTINCT FROM seen.player)",
    }
    if judge.map.columns.number:
        after = "'after ' || before[1] || ', ' || before[2] || ', ' || coalesce(other, '')"
        found = f"SELECT {listed} 0 AS off, {after} AS why"
        sources |= {
            "number-gap": f"{found}, number - before[1] - 1 AS n FROM steps WHERE number > before[1] + 1",
            "number-twice": f"{found}, 1 AS n FROM steps WHERE number = before[1] AND round <> other",
            "time-back": f"{found}, 1 AS n FROM steps WHERE time < before[2]",
        }
    if judge.map.columns.jackpot:
        cell, turn = "PARTITION BY law, currency", "ORDER BY number, time, row"
        sources["meter-kept"] = (
            f"WITH wins AS (SELECT *, meter <= lag(meter) OVER ({cell} {turn}) AS fell FROM seen "
            f"WHERE state = {list(RowState).index(RowState.SETTLED)} AND meter > 0), "
            f"runs AS (SELECT *, count(*) FILTER (fell) OVER ({cell} {turn}) AS run FROM wins) "
            f"SELECT {listed} 0 AS off, n || ' wins in turn' AS why, n FROM ("
            f"SELECT *, count(*) OVER ({cell}, run) AS n FROM runs "
            f"QUALIFY row_number() OVER ({cell}, run {turn}) = 1) WHERE n >= {RISING}"
        )
    return {
        fault: one
        for fault in FAULTS
        if fault in sources and (one := _deviation(logs, fault, sources[fault], most)).count
    }


def _deviation(logs: Logs, fault: str, source: str, most: int) -> Deviation:
    """Returns one deviation from the rows that have it: one pass counts them and keeps the worst."""
    logs.engine.execute(f"CREATE OR REPLACE TEMP TABLE found AS {source}")
    # Numbers of a log may be as large as they like; those that are stated are of a form that every reader has.
    count = min(int(logs.all("SELECT coalesce(sum(n), 0) FROM found")[0][0]), MOST)
    rows = logs.all(
        f"SELECT row, left(round, {LONGEST}), left(wager, {LONGEST}), stake, win, "
        f"greatest(least(off, {MOST}), -{MOST})::BIGINT, left(why, {LONGEST}) FROM found ORDER BY abs(off) DESC, row "
        f"LIMIT {int(most)}"
    )
    worst = tuple(ListedRow(*logs.place(row), *values) for row, *values in rows)
    return Deviation(fault, FAULTS[fault], count, worst)
