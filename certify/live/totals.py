"""What a watch takes of a log: day totals of its cells and of what was drawn, and rows that are wrong as such."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from itertools import takewhile
from pathlib import Path
from typing import Final

import numpy as np

from certify.databases import Place
from certify.errors import InputError, NothingCheckedError
from certify.evidence.played import Deviation
from certify.exact import many
from certify.executors import InTurn
from certify.live.audit import JudgedLog, take
from certify.live.judge import deviations
from certify.live.log import ROWS, opened, text_of
from certify.live.process import repeated
from certify.live.settle import settle_again
from certify.live.sources import copied
from certify.live.state import (
    MARK,
    CellKey,
    DayTotals,
    KnownDays,
    Marks,
    RowsAtFault,
    WatchState,
    drawn_cell,
    totals_of,
)
from certify.model import Equipment, Game

MOST_CELLS: Final = 10_000
"""Cells of one log, at most."""

AT_ONCE: Final = ("other-pay", "impossible-draws", "paid-twice", "void-kept", "void-paid")
"""Faults of rows that are an alarm the first time: no law of chance makes one."""

SETTLED: Final = 1_000
"""Rows of a log with draws that are settled again, at most."""

STUCK: Final = "stuck"
"""The fault of results that come again as they came before: chance makes it in one log of 10^12."""


_DAY: Final = "coalesce(time::DATE, (SELECT min(day) FROM marked))::VARCHAR"
"""The day of a row; the first one of its log where its time cannot be read."""


def take_log(
    state: WatchState,
    place: Place,
    map_: Path,
    game: Game,
    again: KnownDays = KnownDays.REFUSED,
    table: str = "",
) -> list[str]:
    """Takes a log into a state, and returns what is noted of it.

    Args:
        state: The state.
        place: The log.
        map_: The MAP.
        game: The game whose rounds they are.
        again: What becomes of a day that was taken before.
        table: Table of a database, or a query of it.

    Raises:
        InputError: The log or the MAP is wrong, or a day was taken before; nothing was read.
        NothingCheckedError: There are no rows.
    """
    with copied((place,), table) as (log,), opened((log,)) as rows:
        if again is not KnownDays.CORRECTED and (before := state.known(log.stated.sha256)):
            return [f"{log.name}: the same bytes were read before as {before}: nothing was read again"]
        taken = take(rows, map_, [game])
        found = deviations(rows, taken.judge, 1).values()
        with state.alone():
            twice = state.taken_before(log.name, _days_of(taken), again)
            totals, marks, known = _totals_of(taken, state.marks(twice if again is KnownDays.LATE else ()))
            state.add(log.name, log.stated.sha256, taken.rows, totals, marks, again, _faults_of(taken, found))
    notes = [f"{log.name}: {many(one.count, 'time')}: {one.words}" for one in found]
    if known:
        notes.append(
            f"{log.name}: left out: {many(known, 'row')} of rounds, wagers and players that were read before"
        )
    if twice:
        notes.append(
            f"{log.name}: {again}: {many(len(twice), 'day')} read before, from {twice[0]} to {twice[-1]}"
        )
    return notes


def _days_of(taken: JudgedLog) -> list[date]:
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


def _totals_of(taken: JudgedLog, known: Marks) -> tuple[DayTotals, dict[date, Marks], int]:
    """Returns how often each amount came back in a log, by cell and day, marks of rows, and how many were known.

    A row that is in the log again counts once, and so does one that was taken before. What deviates is known already.

    Args:
        taken: The log, of which its days were taken.
        known: Marks of rows that were read before.

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
            "column the wrong one? nothing was read"
        )
    settled = [
        (CellKey(keys[law], currency or "", stake, channel or ""), day, win, count)
        for law, currency, stake, channel, day, win, count in logs.all(
            "SELECT * EXCLUDE (mark, paid), count(*) FROM counted GROUP BY ALL ORDER BY ALL"
        )
    ]
    days = [row[0] for row in logs.all("SELECT DISTINCT day FROM marked ORDER BY day")]
    marks: dict[date, Marks] = {}
    for day in days:
        query = f"SELECT mark, paid FROM counted WHERE day = {text_of(day.isoformat())}::DATE"
        found = logs.engine.execute(query).fetchnumpy()
        marks[day] = np.empty(len(found["mark"]), dtype=MARK)
        for name in MARK.names or ():
            marks[day][name] = found[name]
    drawn = _drawn(taken) if taken.judge.map.columns.draws else ()
    (again,) = logs.all("SELECT count(*) FROM settled WHERE mark IN (SELECT mark FROM known)")[0]
    return totals_of((*settled, *drawn)), marks, int(again)


def _drawn(taken: JudgedLog) -> Iterator[tuple[CellKey, date, int, int]]:
    """Yields how often faces came at the places of a round that are drawn whatever is decided, by day.

    The wagers of a round, and its players, share what is drawn. A row of several pieces is taken where it is whole.
    """
    logs = taken.logs
    # For each law the first one of its game, variant and bet level.
    first: dict[str, int] = {}
    heads = [first.setdefault(key.rpartition("/")[0], place) for place, key in enumerate(taken.judge.laws)]
    logs.engine.execute(
        f"CREATE TEMP TABLE dealt AS SELECT {heads}[law + 1] AS head, day, any_value(draws) AS draws FROM settled "
        "WHERE draws IS NOT NULL AND mark NOT IN (SELECT mark FROM known) GROUP BY head, day, hash(round)"
    )
    for head, least in logs.all(
        "SELECT head, min(len(string_split(draws, ' '))) FROM dealt GROUP BY head ORDER BY head"
    ):
        key = list(taken.judge.laws)[head]
        pieces = taken.judge.laws[key].game.equipment
        if len(pieces) > 1 and least < sum(piece.supply for piece in pieces):
            continue
        for place, piece in enumerate(first_draws(pieces), start=1):
            item = f"try_cast(split_part(draws, ' ', {place}) AS INTEGER)"
            query = f"SELECT day, {item} AS item, count(*) FROM dealt WHERE head = {head} GROUP BY ALL"
            for day, number, count in logs.all(query):
                if number in range(piece.size):
                    yield drawn_cell(key, place), day, piece.face_of(number), count


def first_draws(pieces: Sequence[Equipment]) -> list[Equipment]:
    """Returns what the draws are from that every round begins with: one of each piece, up to one that gives several."""
    found = list(takewhile(lambda piece: piece.supply == 1 and piece.kind is pieces[0].kind, pieces))
    return found or [pieces[0]]


def _faults_of(taken: JudgedLog, deviating: Iterable[Deviation]) -> list[RowsAtFault]:
    """Returns the rows of a log that are an alarm at once, by day; those without a time count for its first day.

    A row that was taken before with another stake or win is a second settlement, and so is its refund.

    Args:
        taken: The log, of which deviations, days and totals were taken.
        deviating: The deviations.
    """
    laws = [(str(place), law.game.equipment) for place, law in enumerate(taken.judge.laws.values())]
    once = [place for place, pieces in laws if len(pieces) == 1 and not pieces[0].replaced]
    items = "string_split(draws, ' ')"
    found = taken.logs.all(
        "WITH found AS (SELECT fault, row, time, 1 AS rows FROM seen JOIN faults USING (kind) "
        "UNION ALL SELECT 'paid-twice', row, time, more FROM again JOIN seen USING (row) WHERE differ "
        "UNION ALL SELECT 'paid-twice', row, time, 1 FROM marked m WHERE mark IN (SELECT mark FROM known) "
        "AND NOT EXISTS (SELECT 1 FROM known k WHERE state = 0 AND k.mark = m.mark AND k.paid = m.paid) "
        f"UNION ALL SELECT 'impossible-draws', row, time, 1 FROM settled WHERE law IN ({', '.join(once) or -1}) "
        f"AND len(list_distinct({items})) < len({items})) "
        f"SELECT {_DAY}, fault, sum(rows)::BIGINT, min(row) "
        f"FROM found WHERE fault IN {AT_ONCE} GROUP BY ALL ORDER BY ALL"
    )
    return [
        RowsAtFault(day, taken.logs.files[0].source.name, fault, rows, row + 1)
        for day, fault, rows, row in (*found, *_other(taken, deviating), *_stuck(taken))
    ]


def _other(taken: JudgedLog, deviating: Iterable[Deviation]) -> Iterator[tuple[str, str, int, int]]:
    """Yields what else is an alarm at once: also rounds of a share of those with draws that are settled again."""
    again: tuple[Deviation, ...] = ()
    if taken.judge.map.columns.draws:
        again = settle_again(taken.logs, taken.judge, SETTLED, SETTLED, InTurn()).deviations
    for one in (*deviating, *again):
        if one.id in ("settled-otherwise", "meter-kept"):
            row = min(row.row for row in one.worst) - 1
            ((day,),) = taken.logs.all(f"SELECT {_DAY} FROM {ROWS} WHERE rowid = {row}")
            yield day, one.id, one.count, row


def _stuck(taken: JudgedLog) -> Iterator[tuple[str, str, int, int]]:
    """Yields by wager where results come again as they came before.

    One row of each round counts, in the order of numbers and times; what shares both has an order that no result has a
    part in.
    """
    found = taken.logs.engine.execute(
        "SELECT law, pay, row, hash(round) AS id FROM settled ORDER BY law, number, time, id, row"
    ).fetchnumpy()
    first = np.append(True, (np.diff(found["law"]) != 0) | (found["id"][1:] != found["id"][:-1]))
    law, pay, row = (found[name][first] for name in ("law", "pay", "row"))
    days: dict[str, tuple[str, str, int, int]] = {}
    for place, known in enumerate(taken.judge.laws.values()):
        of = slice(*law.searchsorted((place, place + 1)))
        if known.chances is not None and len(law[of]):
            again = repeated(pay[of].astype(np.int64), np.array([float(one) for one in known.chances]))
            if again is not None:
                ((day,),) = taken.logs.all(
                    f"SELECT day::VARCHAR FROM settled WHERE row = {row[of][again[0]]}"
                )
                days.setdefault(day, (day, STUCK, again[1], int(row[of][again[0]])))
    yield from days.values()
