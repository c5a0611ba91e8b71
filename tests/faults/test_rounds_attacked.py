"""Attacks on rounds that nobody had listed: by players, by whoever writes the ledger, by operators under test."""

import json
import os
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from cli_support import refuses
from click.testing import CliRunner
from msgspec import structs
from rounds_faulty import Faulty, faulty, shows
from rounds_game import KEY, Room, decks, game

from certify.cli.rounds import rounds
from certify.errors import InputError, TrustError
from certify.rounds import (
    LONGEST_TEXT,
    Command,
    HeadLog,
    HeadNotKeptError,
    Ledger,
    LedgerError,
    LedgerRequest,
    ReferenceSystem,
    SeatAction,
    SessionOpened,
    SqliteStore,
    StoredRecord,
    Vault,
    decode,
    edition_of,
    reference_system,
    summaries,
)
from certify.rounds.conformance.client import TargetError, _object
from certify.rounds.conformance.conform import conform
from certify.rounds.conformance.promise import PromiseId

EDITION = edition_of(game())
START = datetime(2026, 1, 1, 12, tzinfo=UTC)
PLACE = Command(SeatAction.PLACE, "main", 100)


@pytest.mark.parametrize("amount", [100.5, True, "100"], ids=["a fraction of a coin", "a truth", "a text"])
def test_a_player_bets_what_is_no_whole_number_of_coins(room, amount):
    assert not room.ledger.perform(LedgerRequest("a", replace(PLACE, amount=amount))).done
    assert room.ledger.journal.verify() == 2


@pytest.mark.parametrize("key", ["\ud800", "k" * (LONGEST_TEXT + 1)], ids=["half a character", "without end"])
def test_a_player_sends_a_key_that_no_record_can_hold(room, key):
    assert not room.ledger.perform(LedgerRequest("a", PLACE, key)).done
    # What others asked for in the same commit is done all the same.
    done = room.ledger.perform_all((LedgerRequest("a", PLACE, key), LedgerRequest("a", PLACE, "k")))
    assert [reply.done for reply in done] == [False, True]


def test_a_player_takes_a_name_that_no_record_can_hold(room):
    refuses(
        InputError,
        ("can be written down", lambda: room.ledger.open("b", SessionOpened("\udfff", "s", "IT", "EU"), 100)),
        ("can be written down", lambda: room.ledger.perform(LedgerRequest("\ud800", PLACE))),
    )


def test_a_malfunction_is_declared_for_a_reason_that_no_record_can_hold(room):
    room.play()
    assert not room.ledger.perform(LedgerRequest("a", Command(SeatAction.MALFUNCTION), reason="\ud800")).done
    assert room.ledger.seat("a").held == 1100


def test_a_clock_at_the_end_of_time_voids_nothing_and_breaks_nothing():
    system = reference_system(EDITION, 10_000, datetime(9999, 12, 31, 23, tzinfo=UTC))
    system.set_deck(decks(1)[0])
    asked = (PLACE, Command(SeatAction.DEAL), Command(SeatAction.EXPIRE), Command(SeatAction.MALFUNCTION))
    assert [system.perform(command).done for command in asked] == [True, True, False, True]


def written(raw):
    return json.dumps(raw, separators=(",", ":"))


def posting(account, amount):
    return {"account": account, "amount": amount}


EVENT = {
    "sequence": 1,
    "round": "",
    "at": "2026-01-01T00:00:00Z",
    "kind": "bet-placed",
    "body": {"wager": "main", "amount": 1},
    "postings": [],
    "clock_behind": False,
}


@pytest.mark.parametrize(
    "change",
    [
        {"at": "2026-01-01T00:00:00"},
        {"sequence": 1.0},
        {"sequence": True},
        {"round": None},
        {"at": "2026-01-01T00:00:00+00:00"},
        {"kind": []},
        {"kind": "bet-made"},
        {"body": {"wager": "main", "amount": "1"}},
        {"body": {"wager": "main", "amount": 1, "more": 1}},
        {"body": {"wager": "main"}},
        {"body": {"amount": 1, "wager": "main"}},
        {"more": 1},
        {"postings": [posting("player", 1.5), posting("house", -1.5)]},
        {"postings": [posting("player", 1)]},
        {"postings": [posting("bank of nobody", 0)]},
        {"clock_behind": 0},
    ],
    ids=str,
)
def test_whoever_holds_the_key_writes_an_event_of_another_form(change):
    assert decode(written(EVENT)).sequence == 1
    with pytest.raises(TrustError, match="not an event"):
        decode(written(EVENT | change))


def test_an_event_is_written_with_spaces():
    with pytest.raises(TrustError, match="not an event"):
        decode(json.dumps(EVENT))


@pytest.mark.parametrize("text", ["[" * 100_000, '{"sequence":' + "9" * 5_000 + "}"], ids=["deep", "long"])
def test_an_event_is_written_that_costs_its_reader(text):
    with pytest.raises(TrustError, match="not an event"):
        decode(text)


@pytest.mark.parametrize(
    "event",
    [
        '{"at":"never","body":{"stakes":[]}}',
        '{"at":"2026-01-01","body":{"stakes":[[1]]}}',
        '{"at":1}',
        "[" * 99_999,
    ],
    ids=["no time", "no stakes", "a number", "deep"],
)
def test_a_list_is_made_of_a_ledger_that_somebody_else_wrote(event):
    record = StoredRecord(1, "a", "a-1", "cards-dealt", event, b"", "", "", bytes(32), bytes(32), b"", b"")
    record = structs.replace(record, digest=record.expected_digest())

    class Written:
        def records(self, **_):
            return iter((record,))

    with pytest.raises(TrustError, match="not written by this software"):
        list(summaries(Written()))


def test_names_of_rounds_and_players_do_not_steer_the_terminal(tmp_path):
    room = Room(tmp_path)
    room.ledger.open("\x1b[2Jb", SessionOpened("\x1b]0;x\x07p", "s", "IT", "EU"), 10_000)
    room.do("place", "main", 1000, seat="\x1b[2Jb")
    room.ledger.close()
    listed = CliRunner().invoke(rounds, ["list", str(room.path)], standalone_mode=False).output
    assert "\x1b" not in listed
    assert "\\x1b[2Jb-000001" in listed


def test_the_log_of_heads_is_torn_by_a_loss_of_power(tmp_path):
    log = HeadLog(tmp_path / "heads")
    log.keep(1, b"a" * 32)
    with open(log.path, "a") as file:
        file.write("\n2 6161")
    log.keep(3, b"c" * 32)
    assert log.read() == {1: b"a" * 32, 3: b"c" * 32}


def test_the_log_of_heads_is_a_pipe_that_nobody_reads(tmp_path):
    os.mkfifo(tmp_path / "heads")
    with pytest.raises(HeadNotKeptError, match="is in the ledger"):
        HeadLog(tmp_path / "heads").keep(1, bytes(32))


def test_a_head_that_cannot_be_kept_loses_nothing_and_is_not_acknowledged(tmp_path):
    room = Room(tmp_path)
    room.ledger.close()

    class Refuses:
        def keep(self, number, digest):
            raise HeadNotKeptError("not kept")

    refusing = Ledger(SqliteStore(room.path), room.machine, Vault(KEY), room.deck, Refuses())
    with pytest.raises(HeadNotKeptError):
        refusing.perform(LedgerRequest("a", PLACE, "k"))
    # The command is in the ledger once; sent again under its key it is done, not done again.
    assert refusing.perform(LedgerRequest("a", PLACE, "k")).done
    assert refusing.seat("a").round.chips == (("main", 100),)
    refusing.close()


def exchanged(path):
    shutil.copy(path, f"{path}-copy")
    os.replace(f"{path}-copy", path)


def turned(path):
    path.rename(f"{path}-real")
    exchanged(f"{path}-real")
    path.symlink_to(f"{path}-real")


TAKEN_AWAY = {
    "exchanged for a copy": exchanged,
    "removed": os.remove,
    "renamed": lambda path: path.rename(f"{path}-old"),
    "behind a link to a copy": turned,
    "given a second name": lambda path: os.link(path, f"{path}-2"),
    "without its log": lambda path: os.remove(f"{path}-wal"),
    "its log given a second name": lambda path: os.link(f"{path}-wal", f"{path}-2"),
    "without the index of its log": lambda path: os.remove(f"{path}-shm"),
}
"""What somebody does to the files of a ledger that is open: what is written then, nobody finds under its name."""


@pytest.mark.parametrize("name", TAKEN_AWAY)
def test_nothing_is_acknowledged_into_a_file_that_was_taken_away(tmp_path, name):
    room = Room(tmp_path)
    TAKEN_AWAY[name](room.path)
    for _ in range(2):
        with pytest.raises(LedgerError, match="removed, exchanged or given a second name"):
            room.ledger.perform(LedgerRequest("a", PLACE, "k"))


def test_no_ledger_is_made_where_the_log_of_one_is_left(tmp_path):
    """Before, SQLite removed the log with all that was acknowledged in it, and began an empty ledger."""
    room = Room(tmp_path)
    room.path.rename(tmp_path / "moved")
    with pytest.raises(LedgerError, match="its log is there without it"):
        SqliteStore(room.path)
    (tmp_path / "moved").rename(room.path)
    assert room.open().journal.verify() == 2


def test_a_ledger_of_two_names_is_not_opened(tmp_path):
    room = Room(tmp_path)
    room.ledger.close()
    os.link(room.path, tmp_path / "second.db")
    for path in (room.path, tmp_path / "second.db"):
        with pytest.raises(LedgerError, match="second name"):
            SqliteStore(path)


def test_a_ledger_is_opened_behind_a_link_and_stays_one(tmp_path):
    room = Room(tmp_path)
    room.ledger.close()
    (tmp_path / "link.db").symlink_to(room.path)
    behind = Ledger(SqliteStore(tmp_path / "link.db"), room.machine, Vault(KEY), room.deck)
    assert behind.perform(LedgerRequest("a", PLACE, "k")).done
    # Both names lead to one log: what is done behind the one is known behind the other.
    assert room.open().perform(LedgerRequest("a", PLACE, "k")).done
    assert behind.journal.verify() == 3


def test_rounds_of_two_seats_are_given_one_id(room):
    room.play("stand", "settle")
    room.ledger.open("b", SessionOpened("p", "s", "IT", "EU"), 10_000)
    with (
        closing(sqlite3.connect(room.path)) as connection,
        pytest.raises(sqlite3.IntegrityError, match="UNIQUE"),
    ):
        connection.execute(
            """INSERT INTO record SELECT (SELECT max(number) + 1 FROM record), 'b', round, kind, event, sealed, '',
            command, previous, round_previous, digest, mark FROM record WHERE kind = 'cards-dealt'"""
        )


class EqualsEverything(int):
    def __eq__(self, other):
        return True

    def __hash__(self):
        return 1


class NamesRoundsOtherwiseAfterwards(Faulty):
    def history(self):
        return tuple(replace(one, round=f"x{one.round}") for one in ReferenceSystem.history(self))


@pytest.mark.parametrize(
    ("kind", "promise"),
    [
        (shows(lambda view: {"balance": EqualsEverything(0)}), PromiseId.ANSWERED),
        (shows(lambda view: {"balance": float(view.balance), "held": float(view.held)}), PromiseId.ANSWERED),
        (NamesRoundsOtherwiseAfterwards, PromiseId.HISTORY),
        (shows(lambda view: {"round": "round"}), PromiseId.HISTORY),
    ],
)
def test_an_operator_shows_what_only_looks_like_an_answer(kind, promise):
    report = conform(faulty(kind), EDITION, decks(3), START, count=1)
    assert report.breach.promise is promise


def test_a_target_names_a_field_twice():
    with pytest.raises(TargetError, match="no JSON"):
        _object("GET", "/players/p1", 200, b'{"balance":1,"balance":2}')
