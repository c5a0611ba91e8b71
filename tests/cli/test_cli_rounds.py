"""``certify rounds`` as a caller sees it."""

import json
import sqlite3
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec import structs

from certify.cli.main import run
from certify.cli.rounds import rounds
from certify.errors import InputError, NothingCheckedError, TrustError
from certify.rounds import HeadLog, SqliteStore

GAME = str(Path(__file__).parents[2] / "fixtures/games/playtech-7-e-mezzo/game.toml")
SEED = ("--seed", "5a" * 32)


def call(*arguments):
    return CliRunner().invoke(rounds, arguments, standalone_mode=False)


@pytest.fixture
def files(tmp_path):
    key = tmp_path / "key.hex"
    key.write_text("0f" * 32 + "\n")
    key.chmod(0o600)
    return ("--ledger", str(tmp_path / "rounds.db"), "--deck-key", str(key))


def test_the_command_line_is_described():
    for command in rounds.commands.values():
        assert command.epilog.startswith("Example: certify rounds ")
    assert "certify.cli.rounds" in sys.modules


@pytest.fixture
def ledger(files):
    played = call("play", GAME, "--rounds", "3", *files, *SEED, "--format", "json")
    return files[1], json.loads(played.stdout)["head"], files[3]


def test_a_ledger_that_went_on_from_an_older_copy_shows_in_its_heads(tmp_path):
    log = HeadLog(tmp_path / "heads.log")
    # A process that is held up between commit and note notes its head after those of others.
    for number, digest in ((1, b"a"), (4, b"c"), (3, b"b"), (3, b"b")):
        log.keep(number, digest * 32)
    assert log.read() == {1: b"a" * 32, 3: b"b" * 32, 4: b"c" * 32}
    log.keep(4, b"e" * 32)
    with pytest.raises(TrustError, match="record 4 noted with another digest before"):
        log.read()


def tampered(path, *statements):
    connection = sqlite3.connect(path)
    for name in ("record_is_never_changed", "record_is_never_deleted"):
        connection.execute(f"DROP TRIGGER {name}")
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


def test_a_ledger_that_was_cut_off_or_written_anew_is_a_finding(ledger):
    path, head, key = ledger
    tampered(path, 'UPDATE record SET event = replace(event, \'"at":"20\', \'"at":"19\')')
    assert run(["rounds", "verify", path, "--head", head]) == 1
    # Every digest is computed again: without head and key nobody can tell, and it is not called satisfied.
    store = SqliteStore(Path(path))
    records = list(store.records())
    store.close()
    previous, rounds = bytes(32), {}
    connection = sqlite3.connect(path)
    connection.execute("DROP TRIGGER record_is_never_changed")
    for record in records:
        apart = rounds.get(record.round, bytes(32))
        anew = structs.replace(record, previous=previous, round_previous=apart)
        previous = anew.expected_digest()
        if record.round:
            rounds[record.round] = previous
        connection.execute(
            "UPDATE record SET previous = ?, round_previous = ?, digest = ? WHERE number = ?",
            (anew.previous, apart, previous, record.number),
        )
    connection.commit()
    connection.close()
    assert run(["rounds", "verify", path]) == 4
    assert run(["rounds", "verify", path, "--head", head]) == 1
    assert run(["rounds", "verify", path, "--deck-key", key]) == 1
    assert run(["rounds", "show", "seat-000001", GAME, "--ledger", path, "--deck-key", key]) == 1


def test_an_empty_ledger_is_nothing_checked(tmp_path):
    SqliteStore(tmp_path / "empty.db").close()
    assert isinstance(call("verify", str(tmp_path / "empty.db")).exception, NothingCheckedError)


@pytest.mark.usefixtures("briefly")
def test_operations_that_are_not_supported_and_calendar_days_are_options():
    passed = call(
        *("conform", GAME, "--target", "certify.rounds.system:reference_system", "--stories", "1"),
        *("--decks", "2", "--without", "undo", "--without", "rebet", "--days", "calendar"),
        *("--zone", "Europe/Rome", *SEED),
    )
    assert passed.return_value == 0, passed.exception
    assert "not tested: undo: declared unsupported" in passed.stdout
    assert "combinations" in passed.stdout
    for wrong in (("--without", "deal"), ("--zone", "Mars/Base", "--days", "calendar")):
        failed = call("conform", GAME, "--target", "certify.rounds.system:reference_system", *wrong, *SEED)
        assert isinstance(failed.exception, InputError)
