"""``certify rounds`` as a caller sees it."""

import json
import sqlite3
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec import structs
from rounds_open_card_game import CASINO_FILE, HOME_FILE

from certify.children import source_digest
from certify.cli.main import run
from certify.cli.rounds import rounds
from certify.errors import InputError, NothingCheckedError, TrustError
from certify.rounds.journal import HeadLog, HeadNotKeptError
from certify.rounds.sqlite_store import SqliteStore

GAME = str(Path(__file__).parents[2] / "fixtures/games/playtech-7-e-mezzo/game.toml")
CASINO = str(CASINO_FILE)
SEED = ("--seed", "5a" * 32)


def call(*arguments):
    return CliRunner().invoke(rounds, arguments, standalone_mode=False)


FILES = pytest.mark.parametrize(
    "file",
    [GAME, CASINO, pytest.param(str(HOME_FILE), marks=pytest.mark.slow)],
    ids=["7-e-mezzo", "casino", "home"],
)


@FILES
def test_exercise_reports_every_situation(file):
    result = call("exercise", file, "--decks", "2", *SEED, "--format", "json")
    document = json.loads(result.stdout)
    assert (result.return_value, document["verdict"]) == (0, "satisfied")
    assert document["decks"] >= 2
    assert len(document["situations"]) > 20
    ids = {entry["id"] for entry in document["situations"]}
    assert ("open-faces-shown" in ids, "bets-added-accepted" in ids) == (file != GAME, file == CASINO)
    text = call("exercise", file, "--decks", "2", *SEED, "--format", "text").stdout
    assert text.splitlines()[-1].endswith(f"{document['decks']} decks: satisfied")


def test_conform_passes_the_reference_and_prints_the_story_of_a_faulty_system():
    passed = call(
        "conform",
        GAME,
        "--target",
        "certify.rounds.system:reference_system",
        "--stories",
        "5",
        "--decks",
        "2",
        *SEED,
    )
    assert passed.return_value == 0
    assert "every promise was kept" in passed.stdout
    target = ("--target", "rounds_faulty:faulty_eighty_nine_days", "--decks", "2", *SEED)
    failed = call("conform", GAME, *target)
    assert failed.return_value == 1
    assert "broken in the fixed part: a bet is void at its term and not a moment before" in failed.stdout
    assert "clock forward 89 d" in failed.stdout
    document = json.loads(call("conform", GAME, *target, "--format", "json").stdout)
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
    key.chmod(0o600)
    return ("--ledger", str(tmp_path / "rounds.db"), "--deck-key", str(key))


@FILES
def test_rounds_are_played_and_shown(file, files):
    played = call("play", file, "--rounds", "5", *files, *SEED, "--format", "json")
    assert played.return_value == 0, played.exception
    assert json.loads(played.stdout)["rounds"] == 5
    shown = call("show", "seat-000003", file, *files)
    assert shown.return_value == 0
    assert shown.stdout.startswith("replay: REPLAY")
    assert "none is missing" in shown.stdout
    for number in range(1, 6):
        record = json.loads(call("show", f"seat-{number:06d}", file, *files, "--format", "json").stdout)[0]
        assert (record["status"], record["software_sha256"]) == ("complete", source_digest())
        assert (f"; {record['shown_at_deal']}" in record["hands"]) is (file != GAME)
        raised = file == CASINO and "stand-1" in record["player_choices"]
        assert ("ante 900" in record["stakes_added"], record["total_wagered"] == "1800") == (raised, raised)
    assert call("show", "seat-000003", file, *files, "--format", "csv").stdout.startswith("replay,round_id")
    assert json.loads(call("expire", file, *files, "--format", "json").stdout)["count"] == 0


def test_what_is_not_there_is_named(files, tmp_path):
    missing = call("show", "seat-000001", GAME, *files)
    assert isinstance(missing.exception, InputError)
    assert "no ledger" in str(missing.exception)
    call("play", GAME, *files, *SEED)
    assert "no round 'nowhere'" in str(call("show", "nowhere", GAME, *files).exception)
    (tmp_path / "key.hex").write_text("not hex")
    assert "expected 64 hexadecimal digits" in str(call("show", "seat-000001", GAME, *files).exception)
    (tmp_path / "key.hex").chmod(0o644)
    assert "others may read this private key" in str(call("show", "seat-000001", GAME, *files).exception)


def test_the_command_line_is_described():
    for command in rounds.commands.values():
        assert command.epilog.startswith("Example: certify rounds ")
    assert "certify.cli.rounds" in sys.modules


def test_a_damaged_ledger_is_a_finding_and_a_target_that_does_not_answer_a_wrong_call(tmp_path, capsys):
    ledger, key = tmp_path / "rounds.db", tmp_path / "key.hex"
    key.write_text("07" * 32)
    key.chmod(0o600)
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


@pytest.fixture
def ledger(files):
    played = call("play", GAME, "--rounds", "3", *files, *SEED, "--format", "json")
    return files[1], json.loads(played.stdout)["head"], files[3]


def verified(*arguments):
    result = call("verify", *arguments, "--format", "json")
    assert result.exception is None, result.exception
    return result.return_value, json.loads(result.stdout)


def test_a_ledger_is_verified_up_to_where_it_was_last_seen_to_end(ledger, files):
    path, head, key = ledger
    code, document = verified(path, "--head", head)
    assert (code, document["verdict"], document["not_shown"]) == (0, "satisfied", [])
    assert (document["records"], document["rounds"], document["noted_head_at"]) == (20, 3, 20)
    assert call("play", GAME, "--seat", "other", *files, *SEED).return_value == 0
    # The attack: an older head is kept by a ledger whose end was cut off behind it, key or no key.
    code, document = verified(path, "--head", head, "--deck-key", key)
    assert (code, document["noted_head_at"], len(document["not_shown"])) == (4, 20, 1)
    assert "cut off after record 20" in document["not_shown"][0]
    code, document = verified(path, "--head", head)
    assert (code, document["noted_head_at"]) == (4, 20)
    assert "who wrote what follows" in document["not_shown"][1]
    assert verified(path, "--head", document["head"])[0] == 0


def test_heads_that_are_kept_outside_show_the_end(files, tmp_path):
    path, key, log = files[1], files[3], tmp_path / "heads.log"
    kept = (*files, "--heads", str(log))
    assert call("play", GAME, "--rounds", "2", *kept, *SEED).return_value == 0
    older = Path(path).read_bytes()
    assert call("play", GAME, "--seat", "other", *kept, *SEED).return_value == 0
    assert call("expire", GAME, *kept).return_value == 0
    assert len(log.read_text().splitlines()) >= 3
    assert verified(path, "--heads", str(log))[0] == 0
    tampered(path, "DELETE FROM record WHERE number = (SELECT max(number) FROM record)")
    assert "whose head was noted" in str(call("verify", path, "--heads", str(log)).exception)
    # An older copy of the whole ledger: without the log nothing would show it, and nothing is written on it.
    for suffix in ("-wal", "-shm"):
        Path(path + suffix).unlink(missing_ok=True)
    Path(path).write_bytes(older)
    assert verified(path, "--deck-key", key)[0] == 4
    assert "whose head was noted" in str(call("play", GAME, "--seat", "third", *kept, *SEED).exception)
    assert Path(path).read_bytes() == older
    log.write_text("no head\n")
    assert isinstance(call("verify", path, "--heads", str(log)).exception, InputError)


def test_a_ledger_that_went_on_from_an_older_copy_shows_in_its_heads(tmp_path):
    log = HeadLog(tmp_path / "heads.log")
    # A process that is held up between commit and note notes its head after those of others.
    for number, digest in ((1, b"a"), (4, b"c"), (3, b"b"), (3, b"b")):
        log.keep(number, digest * 32)
    assert log.read() == {1: b"a" * 32, 3: b"b" * 32, 4: b"c" * 32}
    log.keep(4, b"e" * 32)
    with pytest.raises(TrustError, match="record 4 noted with another digest before"):
        log.read()


def test_a_head_can_be_given_to_a_command(files, tmp_path):
    kept = tmp_path / "sent"
    program = f"{sys.executable} -c \"import sys; open('{kept}', 'a').write(sys.stdin.read())\""
    played = call("play", GAME, *files, *SEED, "--heads-command", program, "--format", "json")
    assert kept.read_text().split()[-1] == json.loads(played.stdout)["head"]
    failed = call("play", GAME, "--seat", "b", *files, *SEED, "--heads-command", "false")
    assert isinstance(failed.exception, HeadNotKeptError)
    assert "is in the ledger" in str(failed.exception)


def test_what_cannot_be_decoded_is_damage(ledger, capsys):
    path, _, key = ledger
    tampered(path, "UPDATE record SET event = CAST(x'7bff' AS TEXT) WHERE number = 3")
    for command in (("verify", path), ("list", path), ("verify", path, "--deck-key", key)):
        assert run(["rounds", *command]) == 1
    assert run(["rounds", "show", "seat-000001", GAME, "--ledger", path, "--deck-key", key]) == 1
    assert "is no UTF-8" in capsys.readouterr().err


def test_without_a_noted_head_a_cut_is_not_ruled_out_and_that_is_said(ledger):
    path, _, key = ledger
    code, document = verified(path)
    assert (code, document["verdict"], len(document["not_shown"])) == (4, "inconclusive", 2)
    code, document = verified(path, "--deck-key", key)
    assert (code, document["keyed"], len(document["not_shown"])) == (4, True, 1)
    assert "cut off at the end" in document["not_shown"][0]
    text = call("verify", path).stdout
    assert "verdict: inconclusive" in text


def tampered(path, *statements):
    connection = sqlite3.connect(path)
    for name in ("record_is_never_changed", "record_is_never_deleted"):
        connection.execute(f"DROP TRIGGER {name}")
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


def test_a_ledger_that_was_cut_off_or_written_anew_is_a_finding(ledger, tmp_path, capsys):
    path, head, key = ledger
    whole = Path(path).read_bytes()
    tampered(path, "DELETE FROM record WHERE number = 20")
    assert run(["rounds", "verify", path, "--head", head]) == 1
    assert "noted head" in capsys.readouterr().err
    Path(path).write_bytes(whole)
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


@pytest.mark.parametrize("head", ["12", "zz" * 32, "00" * 31])
def test_a_head_that_is_none_is_a_wrong_call(ledger, head):
    result = call("verify", ledger[0], "--head", head)
    assert "expected 64 hexadecimal digits" in str(result.exception)


def test_a_head_of_zeros_is_no_head_that_a_record_has(ledger):
    assert "zeros" in str(call("verify", ledger[0], "--head", "00" * 32).exception)


def test_rounds_are_listed(ledger):
    document = json.loads(call("list", ledger[0], "--last", "2", "--format", "json").stdout)
    assert [one["round"] for one in document["rounds"]] == ["seat-000002", "seat-000003"]
    assert (document["count"], document["left_out"], document["head"]) == (3, 1, ledger[1])
    assert {one["status"] for one in document["rounds"]} == {"settled"}
    assert json.loads(call("list", ledger[0], "--status", "open", "--format", "json").stdout)["rounds"] == []
    assert "3 of 3 rounds, 20 records" in call("list", ledger[0]).stdout


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
