"""A bound refuses and never cuts; what a stranger damaged, blew up or left endless is refused with what was wrong."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from gate_desk import Certify, Desk, desk_in
from gate_support import published
from hypothesis import given
from hypothesis import strategies as st

from certify.errors import CertifyError, InputError
from certify.gate.lint import lint_paths
from certify.issue.parties import read_parties
from certify.rounds import journal
from certify.rounds.journal import HeadLog, line_of
from certify.untrusted_input import (
    MAXIMUM_BYTES,
    SizeLimit,
    TomlError,
    bounded_toml,
    json_of,
    parsing,
    read_bounded,
)


def test_a_file_is_read_whole_or_refused(tmp_path: Path) -> None:
    path = tmp_path / "file"
    for size in (0, 99, 100):
        path.write_bytes(b"#" * size)
        assert len(read_bounded(path, SizeLimit("a file", 100))) == size
    path.write_bytes(b"#" * 101)
    with pytest.raises(InputError, match="file: larger than 100 bytes: expected a file"):
        read_bounded(path, SizeLimit("a file", 100))


def test_a_log_of_heads_behind_torn_lines_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Torn lines up to the bound hid the heads behind them, and a ledger cut from record 38 to 9 was satisfied.
    monkeypatch.setattr(journal, "HEADS", SizeLimit("a log of heads", 4_000), raising=False)
    log = HeadLog(tmp_path / "heads.log")
    for number in range(1, 10):
        log.keep(number, bytes(32))
    with log.path.open("a") as file:
        file.write("1\n" * 2_000 + "".join(line_of(number, bytes(32)) for number in range(10, 39)))
    with pytest.raises(InputError, match="larger than 4000 bytes"):
        log.read()


def test_a_parties_file_loses_no_deviation(tmp_path: Path) -> None:
    path = tmp_path / "parties.toml"
    path.write_text("#" * (64 << 10) + '\ndeviations = ["the wheel was not weighed"]\n')
    with pytest.raises(InputError, match=r"parties\.toml: larger than 65536 bytes"):
        read_parties(path)
    path.write_text("laboratory = ")
    with pytest.raises(InputError, match=r"parties\.toml:1: not valid TOML"):
        read_parties(path)


@pytest.fixture
def desk(certify: Certify, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    return desk_in(tmp_path / "games", certify, monkeypatch)


HIDDEN = "#" * (MAXIMUM_BYTES + 1) + "\n"


def test_a_game_behind_a_megabyte_of_remarks_is_seen_by_the_gate(desk: Desk) -> None:
    desk.repository.commit("games", mezzo__game=published())
    desk.branch(mezzo__other=HIDDEN + published())
    document = desk.gate()
    assert (document["code"], "other.toml: larger than" in document["error"]) == (2, True)
    document = desk.gate(base="none", head=".")
    assert (document["code"], "other.toml: larger than" in document["error"]) == (2, True)


def test_a_game_behind_a_megabyte_of_remarks_is_seen_by_lint(tmp_path: Path) -> None:
    (tmp_path / "other.toml").write_text(HIDDEN + published())
    with pytest.raises(InputError, match=r"other\.toml: larger than"):
        lint_paths([tmp_path])


@pytest.mark.parametrize("number", ["nan", "inf", "-inf", "1e999", "[1.0, nan]", "{ x = 1e400 }"])
def test_a_number_that_is_not_finite_is_refused_in_toml(number: str) -> None:
    with pytest.raises(TomlError, match=r"line 2: -?(nan|inf) is not a finite number"):
        bounded_toml(f"a = 1\nb = {number}\n")


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", '{"a": -Infinity}', "1e999", "-1e400"])
def test_a_number_that_is_not_finite_is_refused_in_json(text: str) -> None:
    with pytest.raises(ValueError, match="not finite"):
        json_of(text)


def test_json_that_says_two_things_is_refused() -> None:
    with pytest.raises(ValueError, match="the key 'a' is repeated"):
        json_of('{"b": 1, "a": 1, "a": 2}')
    with pytest.raises(ValueError, match="nested too deeply"):
        json_of("[" * 100_000)


OF_JSON = st.text(alphabet='{}[]":,0123456789eE+-.nulltrueNaNfs\\ud8', max_size=80).map(str.encode)


@given(st.binary(max_size=200) | OF_JSON)
def test_any_bytes_are_json_or_refused(data: bytes) -> None:
    try:
        json_of(data)
    except ValueError:
        return


@given(st.text(alphabet="ab=.[]{}\"\n'#0123456789_-+xeinfTZ:,\\ \t", max_size=120))
def test_any_text_is_toml_or_refused(text: str) -> None:
    try:
        bounded_toml(text)
    except TomlError:
        return


def test_a_parser_that_takes_too_long_is_stopped() -> None:
    def never_ends() -> None:
        with parsing(SizeLimit("a file", 100, values=10**9, seconds=0.01), InputError) as meter:
            while True:
                meter.take(1, "row 7")

    begun = time.monotonic()
    with pytest.raises(InputError, match=r"not read within 0\.01 seconds, row 7: expected a file"):
        never_ends()
    assert time.monotonic() - begun < 5


def test_a_parser_lets_our_own_errors_pass_and_no_other() -> None:
    limit = SizeLimit("a file", 100)

    def raised(error: Exception) -> Callable[[], None]:
        with parsing(limit, InputError):
            raise error

    for error in (CertifyError("ours"), InputError("ours")):
        with pytest.raises(CertifyError, match=r"^ours$"):
            raised(error)
    for other in (KeyError("x"), RecursionError(), MemoryError(), AssertionError("no")):
        with pytest.raises(InputError, match=rf"^damaged .{type(other).__name__}"):
            raised(other)
