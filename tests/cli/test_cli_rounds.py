"""``certify rounds`` as a caller sees it."""

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from certify.certification.tool import source_digest
from certify.cli.rounds import rounds
from certify.errors import InputError

GAME = str(Path(__file__).parents[2] / "fixtures/games/playtech-7-e-mezzo/game.toml")
SEED = ("--seed", "5a" * 32)


def call(*arguments):
    return CliRunner().invoke(rounds, arguments, standalone_mode=False)


def test_exercise_reports_every_situation():
    result = call("exercise", GAME, "--decks", "3", *SEED, "--format", "json")
    document = json.loads(result.stdout)
    assert result.return_value == 0
    assert document["verdict"] == "satisfied"
    assert document["decks"] >= 3
    assert len(document["situations"]) > 20
    text = call("exercise", GAME, "--decks", "3", *SEED, "--format", "text").stdout
    assert text.splitlines()[-1].endswith("3 decks: satisfied")


def test_conform_passes_the_reference_and_prints_the_story_of_a_faulty_system():
    passed = call(
        "conform", GAME, "--target", "certify.rounds.system:reference_system", "--stories", "30", *SEED
    )
    assert passed.return_value == 0
    assert "every promise was kept" in passed.stdout
    failed = call("conform", GAME, "--target", "rounds_faulty:faulty_eighty_nine_days", *SEED)
    assert failed.return_value == 1
    assert "a bet is void at its term and not a moment before" in failed.stdout
    assert "clock forward 89 d" in failed.stdout
    document = json.loads(
        call(
            "conform", GAME, "--target", "rounds_faulty:faulty_eighty_nine_days", *SEED, "--format", "json"
        ).stdout
    )
    assert document["verdict"] == "not satisfied"


def test_exercise_finds_the_same_in_a_system_of_an_operator():
    failed = call(
        "exercise", GAME, "--decks", "2", "--target", "rounds_faulty:faulty_eighty_nine_days", *SEED
    )
    assert failed.return_value == 1
    assert "not satisfied   An unresolved bet one second before its term" in failed.stdout


def test_a_jurisdiction_changes_what_is_demanded():
    document = json.loads(
        call("exercise", GAME, "--decks", "2", "--jurisdiction", "ontario", *SEED, "--format", "json").stdout
    )
    assert document["policy"]["after_settlement"] == "better-of"
    assert document["verdict"] == "satisfied"
    assert "unknown jurisdiction" in str(call("exercise", GAME, "--jurisdiction", "x", *SEED).exception)


@pytest.fixture
def files(tmp_path):
    key = tmp_path / "key.hex"
    key.write_text("0f" * 32 + "\n")
    return ("--ledger", str(tmp_path / "rounds.db"), "--deck-key", str(key))


def test_rounds_are_played_and_shown(files):
    played = call("play", GAME, "--rounds", "5", *files, *SEED, "--format", "json")
    assert played.return_value == 0, played.exception
    assert json.loads(played.stdout)["rounds"] == 5
    shown = call("show", "seat-000003", GAME, *files)
    assert shown.return_value == 0
    assert shown.stdout.startswith("replay: REPLAY")
    assert "none is missing" in shown.stdout
    record = json.loads(call("show", "seat-000003", GAME, *files, "--format", "json").stdout)[0]
    assert record["status"] == "complete"
    assert record["software_sha256"] == source_digest()
    assert call("show", "seat-000003", GAME, *files, "--format", "csv").stdout.startswith("replay,round_id")
    assert json.loads(call("expire", GAME, *files, "--format", "json").stdout)["count"] == 0


def test_what_is_not_there_is_named(files, tmp_path):
    missing = call("show", "seat-000001", GAME, *files)
    assert isinstance(missing.exception, InputError)
    assert "no ledger" in str(missing.exception)
    call("play", GAME, *files, *SEED)
    assert "no round 'nowhere'" in str(call("show", "nowhere", GAME, *files).exception)
    (tmp_path / "key.hex").write_text("not hex")
    assert "expected 64 hexadecimal digits" in str(call("show", "seat-000001", GAME, *files).exception)


def test_the_command_line_is_described():
    for command in rounds.commands.values():
        assert command.epilog.startswith("Example: certify rounds ")
    assert "certify.cli.rounds" in sys.modules


def test_a_damaged_ledger_is_a_finding_and_a_target_that_does_not_answer_a_wrong_call(tmp_path, capsys):
    from certify.cli.main import run

    ledger, key = tmp_path / "rounds.db", tmp_path / "key.hex"
    key.write_text("07" * 32)
    options = ("--ledger", str(ledger), "--deck-key", str(key))
    assert run(["rounds", "play", GAME, "--rounds", "40", *options, *SEED]) == 0
    content = bytearray(ledger.read_bytes())
    content[4096:8192] = bytes(4096)
    ledger.write_bytes(content)
    assert run(["rounds", "expire", GAME, *options]) == 1
    ledger.write_bytes(b"not a ledger" * 400)
    assert run(["rounds", "expire", GAME, *options]) == 1
    assert "not a database" in capsys.readouterr().err
    assert run(["rounds", "expire", GAME, "--ledger", str(tmp_path / "none.db"), "--deck-key", str(key)]) == 2
    # Port 9 of this machine: nothing listens there.
    assert run(["rounds", "conform", GAME, "--target", "http://127.0.0.1:9", "--stories", "1", *SEED]) == 2
    assert "no answer" in capsys.readouterr().err
