"""Other batteries beside ours: their logs are read as printed, and they are run on the same bytes."""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

import pytest

from rng.battery.external import find, programs, read_log, run
from rng.battery.external.reading import parse_log
from rng.errors import SampleError
from tests.cli_rng_support import VECTORS, Certify

LOGS = VECTORS / "batteries"


@pytest.fixture
def certify(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Certify:
    return Certify(capsys, monkeypatch)


def test_dieharder_is_read_and_tests_that_rewound_the_file_are_set_aside() -> None:
    found = read_log(LOGS / "dieharder.log")
    assert (found.program, found.version) == ("dieharder", "3.31.1")
    assert [row.test for row in found.rows] == [
        "sts_runs 2",
        "sts_monobit 1",
        "diehard_runs 0",
        "diehard_runs 0",
    ]
    assert found.rows[1].printed == "FAILED"  # good bytes, read twenty times over
    assert all("rewound" in row.set_aside for row in found.rows)
    assert found.word == "inconclusive"


def test_dieharder_counts_what_it_had_bytes_for() -> None:
    text = (LOGS / "dieharder.log").read_text()
    enough = "\n".join(line for line in text.splitlines() if "rewound" not in line)
    found = parse_log(enough)
    assert len(found.counted) == 4
    assert found.word == "not satisfied"
    assert any("standard error" in note for note in found.notes)
    tests = parse_log(enough.replace("sts_monobit", "diehard_sums"))
    assert [row.set_aside for row in tests.rows if row.test == "diehard_sums 1"] == [
        "dieharder's own list says not to use the test"
    ]


def test_dieharders_count_of_rewindings_is_a_running_total() -> None:
    rows = ["a|   0| 1| 1|0.5|  PASSED  ", "b|   0| 1| 1|0.5|  PASSED  ", "c|   0| 1| 1|0.0|  FAILED  "]
    note = "# The file file_input_raw was rewound {} times"
    text = "\n".join(
        ["# dieharder version 3.31.1", rows[0], note.format(1), rows[1], rows[1], note.format(1), rows[2]]
    )
    assert [bool(row.set_aside) for row in parse_log(text).rows] == [False, True, True, False]


def test_practrand_is_read_at_its_greatest_length() -> None:
    found = read_log(LOGS / "practrand.log")
    assert (found.program, found.version, found.word) == ("PractRand", "0.95", "not satisfied")
    assert [(row.test, row.judged) for row in found.rows] == [
        ("BRank(12):8K(1)", "failed"),
        ("[Low1/32]BRank(12):1536(1)", "failed"),
        ("FPF-14+6/16:(0,14-0)", "weak"),
    ]
    assert found.rows[2].p_value == 2.7e-10
    assert found.passed_unnamed == 226
    assert "512 megabytes" in found.notes[0]
    shorter = (LOGS / "practrand.log").read_text().split("rng=RNG_stdin32")
    clean = parse_log("rng=RNG_stdin32".join(shorter[:2]))
    assert (clean.word, clean.passed_unnamed, clean.rows) == ("satisfied", 196, ())
    # A failure at a shorter length stays one, an anomaly that went away does not.
    turned = parse_log("rng=RNG_stdin32".join([shorter[0], shorter[3], shorter[1]]))
    assert [row.judged for row in turned.rows] == ["failed", "failed"]


def test_testu01_is_read_with_its_own_words_for_small_numbers() -> None:
    found = read_log(LOGS / "testu01.log")
    assert (found.program, found.version, found.word) == ("TestU01 SmallCrush", "1.2.3", "not satisfied")
    assert [(row.test, row.judged) for row in found.rows] == [
        ("1 BirthdaySpacings", "failed"),
        ("2 Collision", "failed"),
        ("6 MaxOft", "failed"),
        ("8 MatrixRank", "weak"),
        ("10 RandomWalk1 H", "weak"),
    ]
    assert [row.p_value for row in found.rows] == pytest.approx([1e-300, 1.0, 5.6e-16, 0.9996, 6.8e-4])
    assert found.passed_unnamed == 10
    cut = (LOGS / "testu01.log").read_text().rpartition(" ---")[0]
    assert not parse_log(cut).complete


@pytest.mark.parametrize(
    ("text", "message"),
    [("ent: 7.99 bits", "no log of"), ("dieharder version 3.31.1", "without any result"), ("", "no log of")],
)
def test_what_is_no_log_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "log"
    path.write_text(text)
    with pytest.raises(SampleError, match=message):
        read_log(path)
    with pytest.raises(SampleError, match="not a readable file"):
        read_log(tmp_path / "absent")


def installed(folder: Path, name: str, body: str) -> None:
    """A stand-in for a battery: it prints a recorded log and does as its body says."""
    script = folder / name
    script.write_text(f"#!{sys.executable}\nimport sys, time, pathlib\n{body}\n")
    script.chmod(0o755)


@pytest.fixture
def only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def test_a_battery_is_run_on_the_bytes_and_named_with_version_and_command(only: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.write_bytes(bytes(range(256)) * 16)
    seen = tmp_path / "seen"
    log = LOGS / "practrand.log"
    installed(
        only,
        "RNG_test",
        f"pathlib.Path({str(seen)!r}).write_bytes(sys.stdin.buffer.read())\nprint(open({str(log)!r}).read())",
    )
    executable = find("practrand")
    assert executable is not None
    found = run("practrand", executable, data, 30)
    assert seen.read_bytes() == data.read_bytes()
    assert found.command == ("RNG_test", "stdin32", "-tlmax", "4KB", "-multithreaded", "< FILE")
    assert (found.version, found.word, found.complete) == ("0.95", "not satisfied", True)


def test_a_battery_that_takes_too_long_is_stopped_and_what_it_printed_is_read(
    only: Path, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    data.write_bytes(bytes(64))
    log = LOGS / "dieharder.log"
    text = f"text = ''.join(l for l in open({str(log)!r}) if 'rewound' not in l).replace('FAILED', 'PASSED')"
    text += ".replace('0.00000000', '0.50000000')"
    installed(only, "dieharder", f"{text}\nprint(text, flush=True)\ntime.sleep(600)")
    found = run("dieharder", str(only / "dieharder"), data, 3)
    assert len(found.rows) == 4
    assert (found.complete, found.word) == (False, "inconclusive")
    assert any("stopped after 3 seconds" in note for note in found.notes)
    assert "FILE" in found.command
    assert str(data) not in found.command


def test_a_battery_that_breaks_decides_nothing(only: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.write_bytes(bytes(64))
    installed(only, "dieharder", "sys.exit(70)")
    found = run("dieharder", str(only / "dieharder"), data, 30)
    assert (found.word, found.rows) == ("inconclusive", ())
    assert any("status 70" in note for note in found.notes)


def test_also_puts_a_line_of_evidence_beside_the_verdict(
    certify: Certify, only: Path, tmp_path: Path
) -> None:
    bits = VECTORS / "sp800-22" / "pi.bin"
    installed(only, "RNG_test", f"print(open({str(LOGS / 'practrand.log')!r}).read())")
    call = ("test", "--bits", bits, "--tests", "frequency", "--also", "dieharder,practrand")
    log = LOGS / "testu01.log"
    made = certify.json(*call, "--log", log)
    assert made["verdict"] == "satisfied"  # ours alone
    assert [one["from"] for one in made["others"]] == ["run", "log", "not installed"]
    ran, read, missing = made["others"]
    assert ran["sha256"] == hashlib.sha256(bits.read_bytes()).hexdigest()
    assert (ran["program"], ran["version"], ran["verdict"]) == ("PractRand", "0.95", "not satisfied")
    assert ran["failed"] == ["BRank(12):8K(1)", "[Low1/32]BRank(12):1536(1)"]
    assert ran["counted"] == 229
    assert read["sha256"] == hashlib.sha256(log.read_bytes()).hexdigest()
    assert missing["program"] == "dieharder"
    text = certify(*call).out
    assert "beside ours: PractRand 0.95" in text
    assert "dieharder is not installed" in text


def test_draws_are_given_as_the_bits_they_hold(certify: Certify, only: Path, tmp_path: Path) -> None:
    draws = tmp_path / "draws"
    draws.write_bytes(bytes(range(256)) * 40)
    installed(only, "RNG_test", f"print(open({str(LOGS / 'practrand.log')!r}).read())")
    made = certify.json(
        "test",
        "--draws",
        draws,
        "--dtype",
        "u8",
        "--range",
        256,
        "--tests",
        "runs",
        "--also",
        "practrand",
        code=1,
    )
    assert made["others"][0]["sha256"] == hashlib.sha256(draws.read_bytes()).hexdigest()


WRONG: list[tuple[tuple[object, ...], int, str]] = [
    (("--also", "ent"), 2, "unknown battery 'ent'"),
    (("--also", ","), 5, "names no battery"),
    (("--also", "practrand"), 3, "none of these is installed"),
    (("--log", __file__), 2, "no log of"),
]


@pytest.mark.parametrize(("options", "code", "message"), WRONG)
@pytest.mark.usefixtures("only")
def test_wrong_calls_are_refused_before_any_work(
    certify: Certify, options: tuple[object, ...], code: int, message: str
) -> None:
    bits = VECTORS / "sp800-22" / "pi.bin"
    if message == "no log of":
        options = ("--log", bits)
    assert message in certify.refused("test", "--bits", bits, "--tests", "runs", *options, code=code)
    refused = certify.refused("test", "--decks", bits, "--also", "practrand")
    assert "--also takes --bits" in refused


def test_the_report_has_a_row_for_each_battery() -> None:
    from certify.cli.rng_others import Others, told_of_others
    from certify.report.battery import _others
    from rng.battery.external import OtherBattery, OtherRow

    assert _others(()) is None
    ran = OtherBattery(
        "PractRand",
        "0.95",
        (OtherRow("BRank", 1e-30, "FAIL !!!!", "failed"), OtherRow("DC6", 1e-4, "unusual", "weak")),
        passed_unnamed=227,
        notes=("tested up to 512 megabytes",),
        command=("RNG_test", "stdin32"),
    )
    others = Others((ran,), (("old.log", "ab" * 32, ran),), (("dieharder", "from its page"),), "cd" * 32)
    table = _others(told_of_others(others))
    assert table is not None
    texts = [[cell.text for cell in row] for row in table.rows]
    assert [row[0] for row in texts] == ["PractRand 0.95", "PractRand 0.95", "dieharder"]
    assert texts[0][1] == "RNG_test stdin32"
    assert "old.log" in texts[1][1]
    assert texts[0][2:6] == texts[1][2:6] == ["229", "1", "1", "0"]
    assert "failed: BRank" in texts[0][6]
    assert texts[2][2:6] == ["–"] * 4
    assert "get it: from its page" in texts[2][6]


@pytest.mark.slow
@pytest.mark.skipif(
    find("dieharder") is None, reason="dieharder is not installed: its recorded log is tested"
)
def test_the_real_dieharder_is_run_and_read(tmp_path: Path) -> None:
    executable = find("dieharder")
    assert executable is not None
    data = tmp_path / "data"
    data.write_bytes(os.urandom(1 << 20))
    found = run("dieharder", executable, data, 20)
    assert found.program == "dieharder"
    assert found.version
    assert programs.PROGRAMS["dieharder"].reader is not None


HEAD = "#  dieharder version 3.31.1 Copyright 2003 Robert G. Brown  #\n"


@pytest.mark.parametrize(
    "row",
    [
        "diehard_operm5|   0|   1000000|     100|       nan|  FAILED",
        "diehard_operm5|   0|   1000000|     100|0.0.0|  FAILED",
        "diehard_operm5|   0|   1000000|     100|0.00000000|  GOOD",
        "diehard_operm5|   0|   1000000|     100|7.0|  PASSED",
    ],
)
def test_a_row_that_cannot_be_read_is_refused_not_passed_over(row: str) -> None:
    honest = "diehard_birthdays|   0|       100|     100|0.80517436|  PASSED\n"
    with pytest.raises(SampleError, match="log: the row of diehard_operm5 0"):
        parse_log(f"{HEAD}{honest}{row}\n")


def test_a_failure_that_is_called_passed_is_a_failure() -> None:
    (row,) = parse_log(f"{HEAD}diehard_operm5|   0|   1000000|     100|0.00000000|  PASSED\n").rows
    assert row.judged == "failed"


def test_every_summary_of_a_log_is_read() -> None:
    def summary(battery: str, rest: str) -> str:
        return (
            f"========= Summary results of {battery} =========\n\n Version:          TestU01 1.2.3\n"
            f" Number of statistics:  15\n{rest}"
        )

    failed = (
        "       Test                          p-value\n"
        "  2  Collision                        eps  \n All other tests were passed\n"
    )
    found = parse_log(summary("SmallCrush", " All tests were passed\n") + summary("Crush", failed))
    assert found.program == "TestU01 SmallCrush, Crush"
    assert [(row.test, row.judged) for row in found.rows] == [("Crush 2 Collision", "failed")]
    assert found.passed_unnamed == 15 + 14
