"""Live returns watched: planted changes are named with their day and size, and faultless years raise no alarm."""

import time
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from functools import partial

import numpy as np
import pytest
from cli_support import ROOT, refuses
from played_logs import SEVEN, STRATEGY, WHEEL, as_csv, mapped, simulated
from rounds_game import ended, forked

from certify.errors import InputError, NothingCheckedError
from certify.kit.starting import write_folder
from certify.live.event import event_files, verify_event
from certify.live.law import laws_of
from certify.live.process import changes_of, interval
from certify.live.state import MARK, CellKey, KnownDays, opened_state, state_in_memory, version_of
from certify.live.watching import IMPOSSIBLE, digest_of, look
from certify.rounds import Rounding
from certify.seal.signer import demonstration_signer
from certify.submission import read_game


@pytest.fixture(scope="module")
def seven(tmp_path_factory):
    return simulated(tmp_path_factory.mktemp("log"))


BEGUN = date(2026, 1, 1)


@pytest.fixture(scope="module")
def wheel():
    return laws_of(read_game(WHEEL), "")


def year(law, cells, days, rng, changed=None):
    """Day totals of cells of a wheel, 10,000 rounds a day; ``changed`` makes those of a cell and a day others."""
    totals = {}
    for number in range(cells):
        cell = CellKey("red", "EUR", 100 * (1 + number), "web")
        at = law.at(cell.stake, Rounding.DOWN)
        for day in range(days):
            p = at.p / at.p.sum()
            p = changed(number, day, p) if changed else p
            counts = dict(zip(at.wins, map(int, rng.multinomial(10_000, p)), strict=True))
            totals.setdefault(cell, {})[BEGUN + timedelta(day)] = counts
    return totals


def rarer(factor, begins, at=None):
    """Makes the win of a cell that many times as likely from a day on."""

    def changed(number, day, p):
        won = p[-1] * (factor if number == (at or number) and day >= begins else 1)
        return np.array([*(p[:-1] * (1 - won) / (1 - p[-1])), won])

    return changed


def looked(path, laws, totals=None, again=KnownDays.REFUSED, name="log", held=lambda: None):
    with opened_state(path, "game", digest_of(laws, Rounding.DOWN), None, 0.01) as (state, alpha):
        days = sorted({day for held in (totals or {}).values() for day in held})
        with state.alone():
            twice = state.taken_before(name, days, again) if days else ()
            held()
            if totals:
                state.add(name, name, 1, totals, {day: np.empty(0, MARK) for day in days}, again)
        return look(state, "roulette", laws, Rounding.DOWN, alpha).watch, twice


def test_a_faultless_year_of_cells_raises_no_alarm_where_the_customary_look_does(tmp_path, wheel):
    found, _ = looked(tmp_path / "state", wheel, year(wheel["red"], 40, 365, np.random.default_rng(3)))
    assert (len(found.cells), found.alarmed) == (40, ())
    assert all(abs(float(one.returned - one.expected)) < 0.01 for one in found.cells)
    assert all(one.rolling.low < one.expected < one.rolling.high for one in found.cells)
    assert all(one.low < one.expected < one.high < one.low + 0.01 for one in found.cells)
    power = found.cells[0].power
    assert (power.since, power.rows, power.seen, found.cells[20].power) == ("2027-01-01", 10_000, 40, None)
    assert 4 < power.half <= power.nine_tenths < 25


def test_an_interval_misses_the_return_as_rarely_as_stated_at_any_of_many_looks(wheel):
    at, rng, missed = wheel["red"].at(100, Rounding.DOWN), np.random.default_rng(7), 0
    wins, p = np.array(at.wins) / 100, at.p / at.p.sum()
    for _ in range(100):
        counts = np.zeros(len(p))
        bounds = []
        for rows in (1, 9, 90, 900, 9_000, 90_000):
            counts += rng.multinomial(rows, p)
            bounds.append(interval(wins, counts, wins[-1], 0.1))
        missed += not all(low <= wins @ p <= high for low, high in bounds)
        assert 0.01 < bounds[-1][1] - bounds[-1][0] < 0.03
    assert missed <= 10


def test_every_change_is_a_law_and_a_planted_one_is_named_with_its_day_and_size(tmp_path, wheel):
    at = wheel["red"].at(100, Rounding.DOWN)
    assert np.allclose(np.exp(changes_of(at, 100).ratios) @ at.p, 1, atol=1e-12)

    found, _ = looked(
        tmp_path / "state", wheel, year(wheel["red"], 20, 90, np.random.default_rng(4), rarer(0.95, 60, at=7))
    )
    (cell,) = found.alarmed
    (alarm,) = cell.alarms
    assert (cell.cell.stake, alarm.size, "often 16.00 comes back" in alarm.what) == (800, 0.95, True)
    assert alarm.since_from <= "2026-03-02" <= alarm.since_to
    assert "2026-03-02" <= alarm.first <= "2026-03-08"
    again, _ = looked(tmp_path / "state", wheel)
    assert again == found


def test_who_signs_an_event_cannot_record_another_alarm_than_the_totals_have(tmp_path, wheel):
    path, now = tmp_path / "state", datetime.now(UTC)
    seen, _ = looked(path, wheel, year(wheel["red"], 1, 60, np.random.default_rng(6), rarer(0.9, 30)))
    seen = replace(seen, game="roulette-single-zero")
    (cell,), law = seen.alarmed, digest_of(wheel, Rounding.DOWN)
    signer, columns = demonstration_signer(now), mapped("round", "time", "stake", "win").encode()
    others = replace(cell, alarms=(replace(cell.alarms[0], size=0.98),))
    for said, held in (
        (seen, True),
        (replace(seen, cells=(others,)), False),
        (replace(seen, cells=(replace(cell, rows=1),)), False),
        (replace(seen, last="2026-03-09"), False),
    ):
        with opened_state(path, "game", law, None, 0.01) as (state, _):
            files = event_files(state, said, law, 0.02, WHEEL.read_bytes(), columns, signer, now)
        write_folder(files, out := tmp_path / f"event-{len(list(tmp_path.iterdir()))}")
        report = verify_event(out, None, now)
        assert (report.holds, report.level) == (held, "whole run" if held else None), report.failures
        assert held or "not those that follow from the day totals" in report.failures[0].detail
    with opened_state(path, "game", law, None, 0.01) as (state, _), pytest.raises(NothingCheckedError):
        event_files(state, replace(seen, cells=()), law, 0.02, b"", b"", signer, now)


def test_what_cannot_come_back_is_an_alarm_and_late_and_corrected_days_count_again(place, wheel):
    state, totals = place, year(wheel["red"], 2, 3, np.random.default_rng(5))
    first, _ = looked(state, wheel, totals)
    cell, day = CellKey("red", "EUR", 100, "web"), BEGUN + timedelta(2)
    wrong = {cell: {day: {220: 3}}}
    far, early = ({cell: {other: {200: 1}}} for other in (date(2926, 1, 1), BEGUN - timedelta(1)))
    refuses(
        InputError,
        ("2026-01-03 was read before", lambda: looked(state, wheel, wrong, name="b")),
        ("2026-01-01 to 2926-01-01 would be watched", lambda: looked(state, wheel, far, name="b")),
        ("before 2026-01-01, the first day", lambda: looked(state, wheel, early, name="b")),
    )
    late, twice = looked(state, wheel, wrong, KnownDays.LATE, "b")
    (alarm,) = late.cells[0].alarms
    assert (twice, alarm.cause, alarm.seen, alarm.what) == (
        (day,),
        IMPOSSIBLE,
        3,
        "2.20 EUR for a stake of 1.00",
    )
    assert late.cells[0].rows == 30_003
    right = {one: {day: days[day]} for one, days in totals.items()}
    assert looked(state, wheel, right, KnownDays.CORRECTED, "c")[0].cells == first.cells


def test_watches_at_once_take_turns_and_lose_nothing(place, tmp_path, wheel):
    totals = year(wheel["red"], 2, 4, np.random.default_rng(8))
    of_day = [
        {cell: {BEGUN + timedelta(day): days[BEGUN + timedelta(day)]} for cell, days in totals.items()}
        for day in range(4)
    ]

    def takes(day, name, again=KnownDays.REFUSED, to=place):
        try:
            looked(to, wheel, of_day[day], again, name, partial(time.sleep, 0.3))
        except InputError as error:
            return 1 + ("was read before" in str(error)) + 2 * ("the same bytes meanwhile" in str(error))
        return 0

    # Two that begin a state at once; then two of one day, and three of the same bytes.
    assert ended(
        [forked(partial(takes, 0, "a", KnownDays.LATE)), forked(partial(takes, 0, "b", KnownDays.LATE))]
    ) == [0, 0]
    assert sorted(ended([forked(partial(takes, 1, name)) for name in "cd"])) == [0, 2]
    assert sorted(ended([forked(partial(takes, 2, "e", KnownDays.LATE)) for _ in range(3)])) == [0, 3, 3]
    alone, version = tmp_path / "alone", version_of(place)
    for day, name in ((0, "a"), (0, "b"), (1, "c"), (2, "e")):
        assert takes(day, name, KnownDays.LATE, alone) == 0
    assert looked(place, wheel) == looked(alone, wheel)
    with state_in_memory(place) as copy:
        assert look(copy, "roulette", wheel, Rounding.DOWN, 0.01).watch == looked(alone, wheel)[0]
    assert version_of(place) == version
    assert takes(3, "f") == 0
    assert version_of(place) != version


def test_a_watch_takes_logs_by_command_recognises_them_and_fixes_its_alpha(certify, tmp_path, place, seven):
    columns, state = tmp_path / "map.toml", getattr(place, "url", place)
    columns.write_text(mapped("round", "time", "wager", "stake", "win", "status", more=STRATEGY))
    call = ("watch", state, "--game", SEVEN, "--map", columns)
    certify(*call).expect(5, err="no log was read yet")
    log = as_csv(tmp_path / "log.csv", seven)
    taken = certify(*call, "--take", log, "--format", "json").expect(0)
    assert [one["rows"] for one in taken.json["cells"]] == [3_000] * 3
    certify(*call, "--take", log).expect(0, out="the same bytes were read before as log.csv")
    won = [{**row, "win": "2.20"} for row in seven if row["outcome"] == "win"]
    lost = next(row for row in seven if row["outcome"] != "win")
    odd = as_csv(tmp_path / "odd.csv", [*won, {**lost, "status": "void", "win": lost["stake"]}])
    certify(*call, "--take", odd).expect(2, err="2026-01-01 was read before")
    known = f"odd.csv: left out: {len(won):,} rows of rounds, wagers and players that were read before"
    twice = f"one wager of one round has several rows that differ: {len(won) + 1:,} rows, the first in odd.csv, row 1"
    certify(*call, "--take", odd, "--late").expect(1, out=(known, twice))
    # The same rows as before are no second settlement.
    certify(*call, "--take", as_csv(odd, seven[::-1]), "--take", log, "--corrected").expect(
        0, out="log.csv: c"
    )
    same = as_csv(tmp_path / "same.csv", seven[:9])
    certify(*call, "--take", same, "--late").expect(0, out="same.csv: left out: 9 rows of rounds")
    # A further row, that is in the log twice.
    further = as_csv(tmp_path / "further.csv", [*won, *[{**won[0], "round": "another"}] * 2])
    done = certify(*call, "--take", further, "--late", "--format", "json").expect(1)
    assert [one["rows"] for one in done.json["cells"]] == [3_001, 3_000, 3_000]
    assert done.json["cells"][0]["alarms"][0]["what"] == "2.20 EUR for a stake of 1.00"
    certify(*call, "--html", tmp_path / "pages").expect(1)
    pages = {path.name for path in (tmp_path / "pages").iterdir()}
    assert pages == {f"{name}.html" for name in ["index", "event", "cell-1", "cell-2", "cell-3", "alarm-1-1"]}
    # The alarm as a signed record: it is replayed, and nothing of it can be exchanged.
    event = tmp_path / "event"
    certify(*call, "--event", event).expect(1)
    certify(*call, "--event", event).expect(2, err="is there already")
    assert (
        "IDENTITY NOT ESTABLISHED" in certify("verify", event).expect(0, out="1 of 3 cells with an alarm").out
    )
    certify("verify", event, "--trust", ROOT / "fixtures/none.pem").expect(2)
    for name, old, new in (
        ("totals.csv", "main,EUR,100,,2026-01-01,0,", "main,EUR,100,,2026-01-01,0,1"),
        ("event.json", "impossible", "impossiblf"),
        ("map.toml", "main-optimal", "main-optimam"),
        ("event.dsse", '"sig":"A', '"sig":"B'),
    ):
        whole = (event / name).read_text("utf-8")
        (event / name).write_text(whole.replace(old, new, 1) + " " * (old not in whole), "utf-8")
        certify("verify", event).expect(1, out="FAIL")
        (event / name).write_text(whole, "utf-8")
    (event / "more").touch()
    certify("verify", event).expect(1, out="expected just the files")
    # A kept void and a second settlement are alarms until their day is corrected.
    as_csv(odd, [{**seven[0], "status": "void", "win": "0.00"}, *seven[1:], {**seven[3], "win": "9.00"}])
    alarms = (
        "void row did not return its stake whole: 1 row, the first in odd.csv, row 1",
        "differ: 1 row, the first in odd.csv, row 4",
    )
    certify(*call, "--take", odd, "--corrected").expect(1, out=alarms)
    certify(*call, "--take", as_csv(odd, seven[3:]), "--corrected").expect(0)
    certify(*call, "--alpha", "0.05").expect(2, err="its alpha is 0.01")
    certify(*call, "--alpha", "nan").expect(2, err="--alpha")
    columns.write_text(mapped("round", "time", "wager", "stake", "win"))
    certify(*call).expect(2, err="how players decided is not stated")
    certify("watch", log, "--game", SEVEN, "--map", columns).expect(2)


def test_what_is_stuck_missing_or_dealt_twice_is_an_alarm_that_the_logs_give_again(certify, tmp_path, seven):
    columns, log = tmp_path / "map.toml", tmp_path / "log.csv"
    held = ("number", "round", "time", "wager", "stake", "win", "draws")
    stuck = [{**row, "win": same["win"]} for row, same in zip(seven[3000:4500], seven[:3] * 500, strict=True)]
    twice, undated = {**seven[0], "draws": "4 4"}, {**seven[0], "time": "never", "win": "9.00"}
    spaced = [{**row, "draws": row["draws"].replace(" ", " \t ")} for row in seven]
    for name, rows, faults, drawn in (
        ("whole", spaced, {}, ""),
        ("undated", [undated, *seven[1:]], {"settled-otherwise": True}, ""),
        ("stuck", [*seven[:3000], *stuck, *seven[4500:]], {"stuck": True}, ""),
        ("missing", [row for row in seven if "7" not in row["draws"].split()], {}, "2 of Bastoni is drawn"),
        ("twice", [twice, *seven[1:]], {"impossible-draws": True}, ""),
    ):
        # Where no decisions are logged, no round is settled again.
        columns.write_text(mapped(*held, *["decisions"] * (name == "undated"), more=STRATEGY))
        call = ("watch", tmp_path / name, "--game", SEVEN, "--map", columns, "--take", as_csv(log, rows))
        event = ("--event", tmp_path / f"{name}-event") if faults or drawn else ()
        found = certify(*call, *event, "--format", "json").expect(int(bool(event))).json
        assert {one["fault"]: one["rows"] in (1, 499, 500) for one in found["faults"] if one["day"]} == faults
        assert [drawn in one["what"] for one in found["draws"][0]["alarms"]] == [True] * bool(drawn)
        if event:
            certify("verify", event[1], "--log", log).expect(0, out="The logs are read again")
            certify("verify", event[1], "--log", columns).expect(1, out="this one is missing")
