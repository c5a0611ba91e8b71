"""Files and answers made to hurt: one message and exit code 2, never a hang, never an internal error."""

from __future__ import annotations

import io
import json
import os
import sys
import threading
from pathlib import Path

import pytest
from cli_support import GAME

from certify.cli.main import run
from certify.cli.terminal import PlainStream, plain
from certify.untrusted_input import DEEPEST, TomlError, bounded_toml

TEXT = GAME.read_text("utf-8")
STRATEGY = 'schema = "certify-strategy/1"\nname = "mine"\n'

DEEP = {
    "a hexadecimal number of 20,000 digits": "x = 0x" + "f" * 20_000,
    "a number of 999 digits": "x = " + "9" * 999,
    "a key of 499 dots": ".".join("a" * 500) + " = 1",
    "a header of 499 dots": "[" + ".".join("a" * 500) + "]",
    "tables within tables": "x = " + "{a = " * 30 + "1" + "}" * 30,
    "arrays within arrays": "x = " + "[" * 400 + "]" * 400,
}


@pytest.mark.parametrize("name", DEEP)
@pytest.mark.parametrize("which", ["submission", "strategy"])
def test_what_is_deep_or_huge_is_one_message(certify, tmp_path: Path, name: str, which: str) -> None:
    file = tmp_path / "file.toml"
    file.write_text((STRATEGY if which == "strategy" else "") + DEEP[name] + "\n")
    call = ("analyze", GAME, "--strategy", f"file:{file}") if which == "strategy" else ("analyze", file)
    called = certify(*call)
    assert called.code == 2
    assert str(file) in called.err
    assert len(called.err) < 1000


def test_what_is_within_bounds_is_read() -> None:
    deep = "x = " + "[" * (DEEPEST - 2) + "1" + "]" * (DEEPEST - 2)
    assert bounded_toml(deep)
    with pytest.raises(TomlError, match="nested too deeply"):
        bounded_toml("x = " + "[" * DEEPEST + "1" + "]" * DEEPEST)
    assert bounded_toml(f"x = {2**63 - 1}") == {"x": 2**63 - 1}
    with pytest.raises(TomlError, match="line 2: a whole number of more than 64 bits"):
        bounded_toml(f"\nx = {2**63}")


def within(seconds: float, call) -> int:
    """Returns what a call returns; a call that hangs is a failure and not a test that never ends."""
    codes: list[int] = []
    thread = threading.Thread(target=lambda: codes.append(call()), daemon=True)
    thread.start()
    thread.join(seconds)
    assert codes, f"no end after {seconds} s"
    return codes[0]


@pytest.fixture
def fifo(tmp_path: Path) -> Path:
    path = tmp_path / "pipe.toml"
    os.mkfifo(path)
    return path


CALLS = {
    "analyze": lambda path: ["analyze", path],
    "strategy": lambda path: ["analyze", str(GAME), "--strategy", f"file:{path}"],
    "run": lambda path: ["run", path, "--out", path + ".pack", "--profile", "quick"],
    "kat": lambda path: ["rng", "kat", path],
    "deck key": lambda path: [
        *("rounds", "play", str(GAME), "--ledger", path + ".db"),
        *("--deck-key", path, "--seed", "00" * 32),
    ],
}


@pytest.mark.parametrize("name", CALLS)
def test_a_pipe_is_not_waited_for(fifo: Path, name: str) -> None:
    assert within(20, lambda: run(CALLS[name](str(fifo)))) == 2
    assert {path.name for path in fifo.parent.iterdir()} == {fifo.name}


def test_a_pipe_in_a_linted_folder_is_not_waited_for(fifo: Path) -> None:
    assert within(20, lambda: run(["lint", str(fifo.parent)])) in (2, 5)
    named = fifo.with_name("game.toml")
    fifo.rename(named)
    assert within(20, lambda: run(["lint", str(named)])) in (2, 5)
    assert within(20, lambda: run(["lint", str(named.parent)])) in (2, 5)


@pytest.mark.parametrize("name", sorted(set(CALLS) - {"run", "deck key"}))
def test_a_device_without_end_is_not_read(name: str) -> None:
    assert within(20, lambda: run(CALLS[name]("/dev/zero"))) == 2


def test_a_vector_file_of_huge_numbers_is_malformed(certify, tmp_path: Path) -> None:
    vectors = tmp_path / "vectors.json"
    vectors.write_text('{"algorithm": ' + "9" * 5000 + "}")
    assert certify("rng", "kat", vectors).code == 2


HOSTILE = "\x1b]0;owned\x07\x1b[31mRETURN 105 %\x1b[0m\r\u202e\u2066\x9b2J\ud800\u2028"


def test_what_a_terminal_obeys_is_spelled_out_at_one_point(capsys: pytest.CaptureFixture[str]) -> None:
    spelled = plain(HOSTILE + "7½ – 99.54\u202f% 大\n\t")
    assert spelled.endswith("7½ – 99.54\u202f% 大\n\t")
    assert json.loads(f'"{plain(HOSTILE)}"') == HOSTILE
    assert not set(spelled) & set(HOSTILE) - set(" ;0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ[]%mowned")
    stream = PlainStream(sys.stdout)
    stream.write(HOSTILE)
    assert capsys.readouterr().out == plain(HOSTILE)


def test_a_library_that_resets_the_terminal_at_the_end_finds_a_closed_stream_closed() -> None:
    given = io.TextIOWrapper(io.BytesIO())
    stream = PlainStream(given)
    assert not stream.closed
    given.close()
    assert stream.closed
    assert not stream.isatty()


def test_escapes_in_a_submission_reach_neither_output_nor_error(certify, tmp_path: Path) -> None:
    game = tmp_path / "game.toml"
    game.write_text(TEXT.replace('id = "playtech-7-e-mezzo"', 'id = "\\u001b[31m\\u202e"'), "utf-8")
    for form in ("text", "json"):
        called = certify("analyze", game, "--format", form)
        assert called.code == 2
        assert "\x1b" not in called.out + called.err
        assert "\u202e" not in called.out + called.err


def test_a_name_that_is_no_text_is_shown(certify, tmp_path: Path) -> None:
    missing = os.fsdecode(os.fsencode(tmp_path) + b"/\xff\x1b[2J.toml")
    called = certify("analyze", missing)
    assert called.code == 2
    assert "\x1b" not in called.err
