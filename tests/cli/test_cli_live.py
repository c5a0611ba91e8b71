"""Logs of played rounds: each planted fault is found and its row named, and faultless logs pass."""

import hashlib
import json
import pickle
import sqlite3
import subprocess
from dataclasses import replace
from fractions import Fraction

import duckdb
import jsonschema
import numpy as np
import pytest
from cli_support import ROOT
from played_logs import SEVEN, STRATEGY, WHEEL, as_csv, mapped, simulated
from seal_support import report

from certify import postgresql
from certify.errors import TrustError
from certify.evidence.encode import plain
from certify.evidence.played import Deviation, differing
from certify.executors import open_executor, parse_executor
from certify.live.audit import Asked, audit
from certify.live.law import laws_of, levels_of
from certify.mathematics import analysed_strategies
from certify.model import Verdict
from certify.rounds import Rounding
from certify.seal.audited import audit_of, reason_of, require_audit
from certify.seal.canonical import canonical_bytes
from certify.submission import read_game

MINES = ROOT / "fixtures/games/mines/game.toml"
BIG_SIX = ROOT / "fixtures/games/big-six/game.toml"
SLOT = ROOT / "fixtures/games/slot-both-ends"


ALL = (
    "number",
    "round",
    "time",
    "wager",
    "stake",
    "win",
    "currency",
    "status",
    "outcome",
    "draws",
    "decisions",
)


@pytest.fixture(scope="module")
def seven(tmp_path_factory):
    return simulated(tmp_path_factory.mktemp("log"))


@pytest.fixture
def audited(monkeypatch, printed):
    """Audits as ``printed`` does, with a report of one blank page that holds the numbers."""
    monkeypatch.setattr(
        "certify.report.audit.typeset",
        lambda markup, attached, finish, numbers: report({name: content for name, content, _ in numbers}),
    )
    return printed


@pytest.fixture
def printed(certify, tmp_path):
    """Audits rows, or a log, by a MAP; returns the exit code and what was found."""

    def call(log, columns, game=SEVEN, *options):
        path = as_csv(tmp_path / "log.csv", log) if isinstance(log, list) else log
        (named := tmp_path / "map.toml").write_text(columns, "utf-8")
        out = tmp_path / f"out-{len(list(tmp_path.iterdir()))}"
        read = ("audit", path, "--game", game, "--map", named, "--out", out)
        done = certify(*read, *options, "--format", "json")
        return done, {one["id"]: one for one in done.json.get("deviations", ())}, out

    return call


def tenth_more(rows):
    won = next(row for row in rows if row["outcome"] == "win")
    won["win"] = "2.20"


def settled_twice(rows):
    rows.insert(100, {**rows[99], "win": "0.50"})


def void_kept(rows):
    rows[30] |= {"status": "void", "win": "0.40"}


def other_level(rows):
    won = next(row for row in rows if row["outcome"] == "win")
    won |= {"stake": "4.00"}


def replaced(rows):
    row = next(row for row in rows if len(row["draws"].split()) > 3)
    first, *others = row["draws"].split()
    for one in rows:
        if one["round"] == row["round"]:
            one["draws"] = " ".join((first, first, *others[1:]))


def odd_rows(rows):
    rows[3]["stake"], rows[4]["wager"], rows[5]["time"], rows[6]["status"] = "1,50", "nope", "", "lost"
    rows[12]["status"] = rows[13]["wager"] = ""
    rows[9] |= {"stake": "0.50", "win": "0.00", "outcome": "lose"}


def stale(rows):
    rows[0] |= {"status": "open", "time": "2025-09-01T00:00:00Z"}
    del rows[300:303]
    rows[600]["time"] = "2026-01-01T00:00:00Z"
    rows[630]["number"] = rows[627]["number"]


def begun_and_ended(rows):
    begun = [{**row, "status": "open", "win": "0.00", "outcome": ""} for row in rows]
    rows[:] = [one for pair in zip(begun, rows, strict=True) for one in pair]
    rows.append({**rows[-1], "status": "void", "win": rows[-1]["stake"]})


PLANTED = [
    (begun_and_ended, {"paid-twice": 1}),
    (tenth_more, {"impossible-pay": 1, "other-pay": 1, "settled-otherwise": 1}),
    (settled_twice, {"paid-twice": 1, "impossible-pay": 1, "other-pay": 1, "settled-otherwise": 1}),
    (lambda rows: rows.insert(50, dict(rows[49])), {"repeated": 1}),
    (void_kept, {"void-kept": 1}),
    (other_level, {"impossible-pay": 1, "other-pay": 1, "settled-otherwise": 1}),
    (replaced, {"impossible-draws": 3}),
    (odd_rows, {"unreadable": 6, "stake": 1, "settled-otherwise": 1}),
    (stale, {"unresolved": 1, "number-gap": 1, "time-back": 1, "number-twice": 1}),
]


@pytest.mark.parametrize(("plant", "expected"), PLANTED)
def test_a_planted_fault_is_counted_and_its_row_named(plant, expected, seven, audited):
    rows = [dict(row) for row in seven[:900]]
    plant(rows)
    done, found, _ = audited(rows, mapped(*ALL, more=STRATEGY), SEVEN, "--settle", "900")
    assert (done.code, {name: one["count"] for name, one in found.items()}) == (1, expected)
    assert all(one["worst"][0]["row"] > 0 for one in found.values())


def test_a_faultless_log_passes_and_its_report_is_signed(certify, seven, printed):
    # The order of rows in a file is no evidence.
    by_wager = sorted(seven, key=lambda row: (row["wager"], row["win"]))
    done, found, out = printed(by_wager, mapped(*ALL, more=STRATEGY))
    assert (done.code, found, done.json["verdict"]) == (0, {}, "satisfied")
    assert done.json["settled_again"]["rounds"] == 1_000
    published = (ROOT / "docs/evidence/certify-audit-1.schema.json").read_text("utf-8")
    assert certify("schema", "audit").out == published
    jsonschema.validate(done.json, json.loads(published))
    # Best play was logged, and an error costs what the exact values say: no decision costs anything.
    (play,) = done.json["settled_again"]["play"]
    assert (play["of"], play["errors"], play["cost"], play["closest"]) == ("main", 0, "0", "main-optimal")
    assert (play["returned"], play["printed"], play["unknown"]) == (play["best"], "99.54 %", 0)
    assert 300 < play["rounds"] < 400 < play["decisions"]
    errors = [
        {**row, "decisions": row["decisions"].replace("hit", "stand", 1), "win": ""} for row in by_wager
    ]
    costly = [row for row in errors if row["wager"] == "main" and row["decisions"].split()[:1] == ["stand"]]
    worse, _, _ = printed([{**row, "win": "0.00"} for row in costly], mapped(*ALL))
    (play,) = worse.json["settled_again"]["play"]
    assert play["errors"] > 0
    assert Fraction(play["returned"]) == Fraction(play["best"]) - Fraction(play["cost"])
    subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=out, check=True)
    # Nothing fails; that the logs give these numbers nobody can tell without them.
    certify("verify", out, "--rerun").expect(4, out="satisfied', as follows from the numbers")
    certify("verify", out / "report.pdf").expect(0, out="9,000 rows of 7 e Mezzo")
    for name in ("audit.json", "report.html", "VERIFY.md"):
        whole = (out / name).read_bytes()
        (out / name).write_bytes(whole.replace(b"satisfied", b"satisfiea", 1) + b" " * (name == "VERIFY.md"))
        certify("verify", out).expect(1, out=f"{name} was altered")
        (out / name).write_bytes(whole)
    (out / "evidence.json").write_text("{}")
    certify("verify", out).expect(1, out="the pack of an audit has no such files: evidence.json")


def test_a_signer_cannot_state_another_verdict_than_the_numbers_have(seven, audited):
    _, _, out = audited(seven[:300], mapped(*ALL, more=STRATEGY))
    made = audit_of((out / "audit.json").read_bytes())
    assert list(differing(made)) == []
    row = Deviation("void-kept", "a void row", 0, ())
    for lie in (
        replace(made, verdict=Verdict.NOT_SATISFIED),
        replace(made, rejected=1),
        replace(made, deviations=(row,)),
        replace(made, schema="certify-audit/0"),
        replace(made, returns=(replace(made.returns[0], total=Fraction(1)),)),
    ):
        assert list(differing(lie))
    for reason, demonstration in (("Audit", True), (reason_of(canonical_bytes(plain(made))), False)):
        with pytest.raises(TrustError):
            require_audit(canonical_bytes(plain(made)), reason, demonstration=demonstration, pack=None)


def test_an_outcome_that_never_comes_and_unknown_play(seven, audited, certify, tmp_path):
    rows = [row for row in seven if row["outcome"] != "king-of-denari-seven-and-a-half"]
    done, _, _ = audited(rows, mapped("round", "time", "wager", "stake", "win", "outcome", more=STRATEGY))
    assert done.code == 1
    assert done.json["worst"][0]["of"] == "main"
    # A card that never comes first, where results stay what they were; and one seat that wins too often.
    missing = [row for row in seven if row["draws"].split()[0] != "39"]
    done, _, _ = audited(missing, mapped("round", "time", "wager", "stake", "win", "draws", more=STRATEGY))
    assert done.json["worst"][0]["part"] == "item of draw 1"
    seated = [
        {**row, "player": "lucky" if row["outcome"] == "win" and n < 500 else "b"}
        for n, row in enumerate(seven)
    ]
    done, _, _ = audited(seated, mapped("round", "time", "wager", "stake", "win", "player", more=STRATEGY))
    assert (done.json["worst"][0]["part"], done.json["worst"][0]["test"]) == ("player lucky", "worst pay")
    done, _, _ = audited(seven, mapped("round", "time", "wager", "stake", "win"))
    assert (done.code, done.json["verdict"], done.json["tests"]) == (4, "inconclusive", 0)
    assert any("how players decided is not stated" in line for line in done.json["not_judged"])
    copies = ("[24, 15, 7, 4, 2, 1, 1]", str([count * 100_000 for count in (24, 15, 7, 4, 2, 1, 1)]))
    (pool := tmp_path / "game.toml").write_text(BIG_SIX.read_text("utf-8").replace(*copies), "utf-8")
    certify("simulate", pool, "--rounds", "1100", "--seed", "07" * 32, "--log", tmp_path / "pool.csv")
    columns = mapped("round", "time", "wager", "stake", "win", "draws")
    done, _, _ = audited(tmp_path / "pool.csv", columns, pool)
    # Of millions of tickets nearly all never come: what they show is counted.
    assert [one["part"] for one in done.json["worst"] if one["test"] == "draws"] == ["face of draw 1"]
    game = read_game(MINES)
    for law in (laws_of(game, "")["mines"], laws_of(game, analysed_strategies(game)[0])["mines"]):
        # Whoever states how rounds were played may err.
        assert (law.whole, {Fraction(113, 100), Fraction(5)} - {*law.possible}) == (True, set())


def test_a_meter_pays_on_top_and_the_rest_is_judged(tmp_path, audited, certify):
    meter = '[[jackpots]]\nid = "grand"\nseed = "10"\nincrement = "1/100"\nmust_hit_by = "500"\n'
    for name, more in (("game.toml", meter), ("sources.md", "")):
        (tmp_path / name).write_text((SLOT / name).read_text("utf-8") + more, "utf-8")
    rows = [
        {"round": f"r{n}", "time": "2026-01-01", "stake": "0.10", "win": win, "jackpot": won}
        for n, (win, won) in enumerate([("0.00", ""), ("3.33", "3.33"), ("0.01", "")])
    ]
    columns = mapped("round", "time", "stake", "win")
    done, found, _ = audited(rows, columns, tmp_path / "game.toml")
    assert (done.code, found) == (4, {})
    assert any("2 rows paid what no analysis lists" in line for line in done.json["not_judged"])
    level = '[[bet_levels]]\nid = "two"\nlines = 1\ncoins = 2\ncost = 2\n'
    (tmp_path / "level.toml").write_text((SLOT / "game.toml").read_text("utf-8") + level, "utf-8")
    other, off, _ = audited(rows, columns, tmp_path / "level.toml")
    assert (other.code, off) == (4, {}), other.err
    assert any("bet levels and purchases pay differently" in line for line in other.json["not_judged"])
    # What only the submitted bet can win is impossible at the level that a row names.
    laws = laws_of(read_game(tmp_path / "level.toml"), "", levels=True)
    # Who plays its rounds can be sent to another machine.
    assert pickle.loads(pickle.dumps(levels_of(read_game(tmp_path / "level.toml"))))  # noqa: S301 (its own)
    wins, others = ({*laws[key].at(10, Rounding.DOWN).wins} for key in ("main", "two/main"))
    won = f"{min(wins - others) / 100:.2f}"
    levels = [{**rows[n], "win": won, "level": word} for n, word in enumerate(("", "B2"))]
    named = f'{columns}level = "level"\n[levels]\nB2 = "two"\n'
    other, off, _ = audited(levels, named, tmp_path / "level.toml")
    assert {name: [row["row"] for row in one["worst"]] for name, one in off.items()} == {
        "impossible-pay": [2]
    }
    assert audited(levels, named, tmp_path / "game.toml")[0].code == 2
    done, found, _ = audited(rows, f'{columns}jackpot = "jackpot"\n', tmp_path / "game.toml")
    assert {name: one["worst"][0]["round"] for name, one in found.items()} == {"impossible-pay": "r2"}
    # Fifteen wins of a meter that rise in turn are of one that never resets, fourteen are not.
    for falls, expected in ((15, {"meter-kept": (15, 1)}), (14, {})):
        paid = [f"{10 + n % falls / 100:.2f}" for n in range(15)]
        rows = [
            {"round": f"r{n}", "time": "2026-01-01", "stake": "0.10", "win": won, "jackpot": won}
            for n, won in enumerate(paid)
        ]
        _, found, _ = audited(rows, f'{columns}jackpot = "jackpot"\n', tmp_path / "game.toml")
        assert {name: (one["count"], one["worst"][0]["row"]) for name, one in found.items()} == expected
        named = (
            "--game",
            tmp_path / "game.toml",
            "--map",
            tmp_path / "map.toml",
            "--take",
            tmp_path / "log.csv",
        )
        watched = certify("watch", tmp_path / f"{falls}.db", *named, "--format", "json").expect(len(expected))
        assert {one["fault"]: (one["rows"], one["row"]) for one in watched.json["faults"]} == expected


def test_stakes_and_wins_alone_in_every_form_of_a_log(tmp_path, audited):
    rng = np.random.default_rng(1)
    law = laws_of(read_game(WHEEL), "")["red"].at(500, Rounding.DOWN)
    wins = np.array(law.wins)[rng.choice(len(law.wins), size=20_000, p=law.p)]
    rows = [(n, f"2026-01-0{1 + n // 4_000} 10:00:00", 500, int(win)) for n, win in enumerate(wins)]
    lines = "round,time,stake,win\n" + "".join(f"{n},{day},{stake},{win}\n" for n, day, stake, win in rows)
    # The name of a folder is no column.
    (folder := tmp_path / "win=700").mkdir()
    (folder / "plain.csv").write_text(lines)
    with sqlite3.connect(folder / "rounds.sqlite") as database:
        database.execute("CREATE TABLE rounds (round, time, stake, win)")
        database.executemany("INSERT INTO rounds VALUES (?, ?, ?, ?)", rows)
    plain = duckdb.read_csv(str(folder / "plain.csv"), hive_partitioning=False)
    plain.write_parquet(str(folder / "a.parquet"))
    plain.write_csv(str(folder / "b.csv.gz"), compression="gzip")
    rowed = (
        json.dumps({"round": n, "time": day, "paid": {"stake": stake, "win": win}})
        for n, day, stake, win in rows
    )
    (folder / "c.jsonl").write_text("\n".join(rowed))
    seen = set()
    for name in ("plain.csv", "rounds.sqlite", "a.parquet", "b.csv.gz", "c.jsonl"):
        columns = mapped("round", "time", "stake", "win", more='[log]\namounts = "minor"\n')
        if name == "c.jsonl":
            columns = columns.replace('= "stake"', '= "paid.stake"').replace('= "win"', '= "paid.win"')
        done, found, _ = audited(folder / name, columns, WHEEL)
        assert (done.code, found, done.json["rows"]) == (0, {}, 20_000), name
        seen.add(json.dumps([done.json["worst"], done.json["returns"]]))
    assert len(seen) == 1


def test_an_audit_that_is_broken_off_goes_on_where_it_was(tmp_path, seven, monkeypatch):
    log, columns, kept = as_csv(tmp_path / "log.csv", seven[:900]), tmp_path / "map.toml", tmp_path / "kept"
    columns.write_text(mapped(*ALL, more=STRATEGY), "utf-8")
    asked = Asked((log, log), columns, "", 0.01, 9, 9, demonstration_key=True)
    whole = audit([read_game(SEVEN)], asked, lambda _: None)
    steps = iter(range(3))
    with pytest.raises(StopIteration):
        # It is broken off when it would begin to compare.
        audit([read_game(SEVEN)], replace(asked, resume=kept), lambda _: next(steps))
    assert len([*kept.iterdir()]) == 1
    # What was judged is not judged again, and nothing is left at the end.
    with monkeypatch.context() as patched:
        patched.setattr("certify.live.judge._judge_kinds", None)
        again = audit([read_game(SEVEN)], replace(asked, resume=kept), lambda _: None)
    assert (again, [*kept.iterdir()]) == (whole, [])


def test_rounds_settled_elsewhere_come_to_the_same(tmp_path, seven):
    log, columns = (
        as_csv(tmp_path / "log.csv", [*seven[:900], {**seven[0], "win": "9.00"}]),
        tmp_path / "map.toml",
    )
    columns.write_text(mapped(*ALL, more=STRATEGY), "utf-8")
    asked = Asked((log,), columns, "", 0.01, 9, 900, demonstration_key=True)
    whole = audit([read_game(SEVEN)], asked, lambda _: None)
    assert whole.settled_again.told
    assert whole.settled_again.play[0].decisions > 300
    for where in ("threads:2", "processes:2"):
        with open_executor(parse_executor(where)) as running:
            assert audit([read_game(SEVEN)], asked, lambda _: None, running) == whole
    assert running.execution().chunks == 4


def test_a_torn_line_is_refused_with_its_line_and_what_is_no_amount_is_counted(tmp_path, audited):
    log, columns = tmp_path / "torn.csv", mapped("round", "time", "stake", "win")
    log.write_text("round;time;stake;win\n1;2026-01-01;5.00;0\n2;2026-01-01;5.00\n")
    done, _, out = audited(log, columns, WHEEL)
    assert (done.code, out.exists()) == (2, False)
    assert "torn.csv: Invalid Input Error: CSV Error on Line: 3" in done.err
    amounts = ("NaN", "inf", "1e30", "999999999999999999", "0.005", "5.0000001", "5.00.", "abc", "")
    log.write_text(
        "round,time,stake,win\n" + "".join(f"{n},2026-01-01,{one},0\n" for n, one in enumerate(amounts))
    )
    done, found, out = audited(log, columns, WHEEL)
    assert (done.code, "stake: nothing in the column" in done.err, out.exists()) == (2, True, False)
    log.write_text(f"{log.read_text()}8,2026-01-01,5.00,0\n9,infinity,5.00,0\n")
    done, found, out = audited(log, columns, WHEEL)
    assert (done.code, found["unreadable"]["count"]) == (1, len(amounts) + 1)
    log.write_text("round;time;stake;win\n" + "".join(f"{n};2026-01-01;1.00{n},50;0\n" for n in range(9)))
    times = {"seconds": "1767225600.5", "milliseconds": "1767225600500", "day-first": "01.01.2026 00:00:00.5"}
    times["month-first"] = "1/1/2026 12:00:00 AM"
    for form, written in times.items():
        rows = [{"round": "r", "time": written, "stake": "5.00", "win": "0"}]
        done, found, _ = audited(rows, f'{columns}[log]\ntime = "{form}"\n', WHEEL)
        assert (found, done.json["returns"][1]["day"]) == ({}, "2026-01-01")
    comma = f'{columns}[log]\ndecimal = ","\nthousands = "."\n'
    done, found, out = audited(log, comma, WHEEL)
    assert (found["stake"]["worst"][8]["stake"], "unreadable" in found) == (100_850, False)
    log.write_text("round,time,stake,win,x,X\n")
    assert "each another one and none empty" in audited(log, columns, WHEEL)[0].err
    log.write_text('round,time,stake,win\n"|<b>\x1b[1m",2026-01-01,5.00,7\n')
    _, _, out = audited(log, columns, WHEEL)
    assert "|&lt;b&gt;\\x1b[1m" in (out / "report.html").read_text().replace("<wbr>", "")


def test_mistakes_of_a_map_come_at_once_with_their_lines_and_nothing_is_written(certify, tmp_path, seven):
    log, out = as_csv(tmp_path / "log.csv", seven[:9]), tmp_path / "out"
    wrong = mapped("time", "win", more='round = "roundd"\nstake = "win"\n')
    wrong += '[log]\namounts = "cents"\ncurrency = "EURO"\n[wagers]\na = "b"\n'
    (tmp_path / "map.toml").write_text(wrong)
    done = certify("audit", log, "--game", SEVEN, "--map", tmp_path / "map.toml", "--out", out)
    done.expect(
        2,
        err=(
            'map.toml:4:9: round: no column "roundd"',
            "map.toml:3:",
            "map.toml:7:",
            "map.toml:8:",
            "map.toml:10:",
        ),
    )
    assert not out.exists()
    for alpha in ("0", "1", "nan", "inf"):
        certify("audit", log, "--game", SEVEN, "--suggest", "--alpha", alpha).expect(2, err="--alpha")
    as_csv(log, [{**row, "wager": row["wager"].upper()} for row in seven[:9]])
    guessed = ('wager = "wager"', '"MAIN" = "main"', '"PARTITA-PERFETTA" = "partita-perfetta"')
    suggested = certify("audit", log, "--game", SEVEN, "--suggest").expect(0, out=guessed).out
    (tmp_path / "map.toml").write_text(suggested)
    certify("audit", log, "--game", SEVEN, "--map", tmp_path / "map.toml", "--out", out).expect(
        4, out="inconclusive"
    )


def test_each_row_is_held_to_the_edition_of_its_day_and_a_ledger_is_a_log(certify, tmp_path, audited, server):
    later = tmp_path / "later"
    later.mkdir()
    text = (WHEEL.parent / "game.toml").read_text("utf-8").replace('version = "1.0.0"', 'version = "2.0.0"')
    (later / "game.toml").write_text(text.replace('maximum = "1000.00"', 'maximum = "5.00"'), "utf-8")
    (later / "sources.md").write_text((WHEEL.parent / "sources.md").read_text("utf-8"), "utf-8")
    days = ("2026-03-01T23:59:59+00:00", "2026-03-02T00:30:00+01:00", "2026-03-02T00:00:00Z")
    rows = [{"round": f"r{n}", "time": day, "stake": "10.00", "win": "0"} for n, day in enumerate(days)]
    columns = mapped("round", "time", "stake", "win")
    done, _, _ = audited(rows, columns, WHEEL, "--game", later / "game.toml")
    assert (done.code, "versions that differ, each but the first with a day" in done.err) == (2, True)
    dated = columns + '[editions]\n"2.0.0" = "2026-03-02"\n'
    done, found, _ = audited(rows, dated, later, "--game", WHEEL)
    assert [(one["round"]) for one in found["stake"]["worst"]] == ["r2"]
    assert [one["of"] for one in done.json["laws"]][:1] == ["v1.0.0/red"]
    _, found, _ = audited(rows, f'{dated}"1.0.0" = "2026-03-01"\n', later, "--game", WHEEL)
    assert (found["stake"]["count"], "unreadable" in found) == (1, False)
    _, found, _ = audited(rows, columns + '[editions]\n"1.0.0" = "2026-03-02"\n', WHEEL)
    assert found["unreadable"]["count"] == 2
    key, ledger, columns = tmp_path / "key.hex", tmp_path / "rounds.db", tmp_path / "ledger.toml"
    key.touch(mode=0o600)
    key.write_text("ab" * 32)
    for place in (server.fresh().url, ledger):
        certify("rounds", "play", SEVEN, "--ledger", place, "--deck-key", key, "--rounds", 20).expect(0)
        columns.write_text(certify("audit", place, "--game", SEVEN, "--suggest").expect(0).out)
        done, found, _ = audited(place, columns.read_text(), SEVEN)
        assert (done.json["rows"], found, done.json["verdict"]) == (60, {}, "inconclusive")
    query = "SELECT round, seat AS time, 1 AS stake, 0 AS win FROM record; DROP TABLE record"
    for wrong, told in ((query, "one statement"), ("SELECT load_extension('x')", "not authorized")):
        audited(ledger, columns.read_text(), SEVEN, "--table", wrong)[0].expect(2, err=told)
    certify("audit", "postgresql:/a/b", "--game", SEVEN, "--suggest").expect(2, err="expected postgresql://")


def test_a_query_of_a_server_is_a_log_that_others_can_query_again(server, audited, monkeypatch):
    columns, place = mapped("round", "time", "stake", "win"), server.place()
    query = "SELECT * FROM played ORDER BY round"
    server.does(
        "CREATE TABLE played AS SELECT g AS round, timestamptz '2026-01-01 00:00+02' + g * interval '1 s' AS time, "
        "5::numeric(20, 8) AS stake, 0::numeric(20, 8) AS win FROM generate_series(1, 9) g"
    )
    done, found, _ = audited(place.url, columns, WHEEL, "--table", query)
    assert (done.json["rows"], found, done.json["returns"][1]["day"]) == (9, {}, "2025-12-31")
    lines = (f"{n},2025-12-31 22:00:0{n}+00,5.00000000,0.00000000\n" for n in range(1, 10))
    answer = hashlib.sha256(f"round,time,stake,win\n{''.join(lines)}".encode()).hexdigest()
    assert done.json["files"][-1] == {"name": f"{place}: {query}", "sha256": answer}
    monkeypatch.setattr(postgresql, "PATIENCE", 0.1)
    for url, table, code, told in (
        (place.url, "played; DROP TABLE played", 2, "multiple commands"),
        (place.url, "SELECT 1) TO STDOUT; COMMIT; DROP TABLE played; COPY (SELECT 1", 2, "syntax error"),
        (place.url, "WITH w AS (DELETE FROM played RETURNING *) SELECT * FROM w", 2, "read-only"),
        (place.url, "SELECT * INTO taken FROM played", 2, "not supported"),
        (place.url, "SELECT pg_sleep(30)", 3, f"{place}: it has not answered for 1 seconds"),
        ("postgresql://u:secret@127.0.0.1:1/d", "", 3, "refused"),
    ):
        refused = audited(url, columns, WHEEL, "--table", table)[0].expect(code, err=told)
        assert "secret" not in refused.out + refused.err
