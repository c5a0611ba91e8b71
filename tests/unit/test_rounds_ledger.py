"""The ledger: durable, chained, append only, and nothing twice."""

import hashlib
import itertools
import sqlite3
from dataclasses import replace
from datetime import timedelta

import pytest
from cli_support import refuses
from msgspec import structs
from rounds_game import KEY, SESSION, WINS, Room, deck, decks, game

from certify.errors import InputError, OperationError, TrustError
from certify.model import Verdict
from certify.rounds import (
    _UNRESOLVED,
    DESK,
    GENESIS,
    Closing,
    Command,
    KnownResults,
    LedgerError,
    LedgerRequest,
    Machine,
    Phase,
    Policy,
    SeatAction,
    Vault,
    VoidStakes,
    check_recall,
    decode,
    edition_of,
    encode,
    ledger as ledger_module,
    record_of,
    verify_replay,
    verify_round,
    walk_chain,
)
from certify.rounds.recall import recall

SQUEEZED_IN = """INSERT INTO record SELECT 99, seat, round, kind, event, sealed, request, command, previous,
  round_previous, zeroblob(32), mark FROM record WHERE number = 1"""


# The next number, but a second deal of the round: REPLACE would delete the first one to make room for it.
DEALT_AGAIN = """INSERT OR REPLACE INTO record SELECT (SELECT max(number) + 1 FROM record), seat, round, kind,
  event, sealed, '', command, previous, round_previous, digest, mark FROM record
  WHERE kind = 'cards-dealt'"""


@pytest.fixture
def room(place):
    made = Room(place)
    yield made
    made.ledger.close()


in_a_file = pytest.mark.parametrize("place", ["file"], indirect=True)


@in_a_file
def test_the_pragmas_are_those_of_a_durable_file(room):
    connection = room.ledger.journal.store._connection
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert connection.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL
    assert "STRICT" in connection.execute("SELECT sql FROM sqlite_master WHERE name='record'").fetchone()[0]


@in_a_file
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE record SET event = '{}'",
        "DELETE FROM record",
        "INSERT OR REPLACE INTO record SELECT * FROM record WHERE number = 1",
        DEALT_AGAIN,
    ],
)
def test_records_are_neither_changed_nor_deleted_nor_replaced(room, statement):
    room.play("stand")
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        room.ledger.journal.store._connection.execute(statement)


@in_a_file
@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("UPDATE record SET event = replace(event, '1000', '9000') WHERE kind = 'bet-placed'", "altered"),
        ("UPDATE record SET command = 'hit' WHERE number = 6", "altered"),
        ("DELETE FROM record WHERE number = 4", "missing"),
        ("UPDATE record SET sealed = zeroblob(68) WHERE kind = 'cards-dealt'", "altered"),
        (SQUEEZED_IN, "record 99 was not written under this key"),
    ],
)
def test_what_was_done_around_the_triggers_breaks_the_chain(room, statement, message):
    room.play("stand")
    with pytest.raises(TrustError, match=message):  # noqa: PT012 - one of them is found where it is opened
        room.alter(statement)
        room.ledger.journal.verify()


def test_the_digest_of_a_record_is_what_the_documents_say(room):
    room.play("stand", "settle")
    for record in room.ledger.journal.store.records():
        texts = [record.seat, record.round, record.kind, record.event, record.request, record.command]
        lengths = [record.number, *map(len, texts), len(record.sealed)]
        text = " ".join(map(str, lengths)) + "\n" + "".join(texts)
        told = hashlib.sha256(record.previous + record.round_previous + text.encode() + record.sealed)
        assert record.digest == told.digest()
        # What is moved from one part to its neighbour is digested otherwise, though the texts run on as before.
        moved = structs.replace(record, kind=record.kind + record.event[0], event=record.event[1:])
        assert moved.expected_digest() != record.digest


def test_a_record_that_leaves_the_chain_of_its_round_is_found(room):
    # Whoever writes the whole ledger anew can make every digest fit; the chain of the round shows it.
    room.play("stand", "settle")
    records, previous = [], GENESIS
    for record in room.ledger.journal.store.records():
        apart = GENESIS if record.kind == "round-settled" else record.round_previous
        forged = structs.replace(record, previous=previous, round_previous=apart)
        records.append(structs.replace(forged, digest=forged.expected_digest()))
        previous = records[-1].digest
    with pytest.raises(TrustError, match="does not follow the record before it in round a-000001"):
        walk_chain(records)


def test_a_round_is_verified_by_itself(room):
    room.play("stand", "settle")
    records = tuple(room.ledger.journal.store.records(round_id="a-000001"))
    verify_round(records)
    refuses(
        TrustError,
        ("altered or out of order", lambda: verify_round(records[1:])),
        (
            "altered or out of order",
            lambda: verify_round((structs.replace(records[0], event="{}"), *records[1:])),
        ),
        ("missing", lambda: walk_chain(records)),
    )


def test_a_key_does_its_command_once(room):
    first = room.do("place", "main", 1000, key="k1")
    again = room.do("place", "main", 1000, key="k1")
    assert first.done
    assert again.done
    assert again.view == first.view
    assert room.do("place", "main", 2000, key="k1").refusal.startswith("key 'k1' was used for another")
    room.reopen()
    assert room.do("place", "main", 1000, key="k1").view == first.view
    assert room.ledger.seat("a").round.chips == (("main", 1000),)


def test_a_key_within_one_batch_does_its_command_once(room):
    request = LedgerRequest("a", Command(SeatAction.PLACE, "main", 1000), "k")
    assert all(reply.done for reply in room.ledger.perform_all((request, request)))
    assert room.ledger.seat("a").round.chips == (("main", 1000),)


def test_a_refused_deal_draws_no_deck(room):
    assert not room.do("deal").done
    assert room.drawn == 0
    room.play()
    assert room.drawn == 1


def test_a_refusal_records_nothing_and_spares_the_rest_of_the_batch(room):
    head = room.ledger.head
    assert not room.do("hit").done
    assert room.ledger.head == head
    replies = room.ledger.perform_all(
        LedgerRequest("a", command)
        for command in (
            Command(SeatAction.DECIDE, decision="hit"),
            Command(SeatAction.PLACE, "main", 100),
            Command(SeatAction.DEAL),
        )
    )
    assert [reply.done for reply in replies] == [False, True, True]


def test_the_game_is_unavailable_at_every_seat(room):
    room.ledger.open("b", SESSION, 1000)
    room.do("place", "main", 100, seat="b")
    room.do("suspend")
    assert not room.do("deal", seat="b").done
    assert not room.do("place", "main", 100).done
    room.reopen()
    assert not room.do("deal", seat="b").view.available
    room.do("restore")
    assert room.do("deal", seat="b").done


def test_a_seat_is_opened_once_and_never_the_desk(room):
    with pytest.raises(OperationError, match="opened before"):
        room.ledger.open("a", SESSION, 1)
    with pytest.raises(InputError, match="no seat can be named"):
        room.ledger.open(DESK, SESSION, 1)


def test_a_round_whose_rules_are_not_loaded_is_named_and_the_others_are_judged(tmp_path):
    room = Room(tmp_path)
    room.play()
    played = room.machine.editions
    (edition,) = played.values()
    other = edition_of(replace(edition.game, sha256="0" * 64), software="5f" * 32)
    room.machine = replace(room.machine, editions={other.sha256: other}, current=other.sha256)
    room.reopen()
    room.ledger.open("b", SESSION, 1000)
    room.do("place", "main", 100, seat="b")
    room.do("deal", seat="b")
    room.clock.advance(timedelta(days=90))
    closing = room.ledger.close_due()
    assert (closing.rounds, closing.refunded) == (("b-000001",), 100)
    assert [one[:39] for one in closing.not_judged] == ["round a-000001 was accepted under rules"]
    room.machine = replace(room.machine, editions={**played, **room.machine.editions})
    room.reopen()
    assert room.ledger.close_due().rounds == ("a-000001",)
    room.ledger.close()


@pytest.mark.parametrize("stakes", list(VoidStakes))
def test_expiry_reports_counts_and_money_once(tmp_path, stakes):
    room = Room(tmp_path, Policy(void_stakes=stakes))
    room.play()
    room.ledger.open("b", SESSION, 1000)
    room.clock.advance(timedelta(days=1))
    room.do("place", "main", 100, seat="b")
    room.do("deal", seat="b")
    room.clock.advance(timedelta(days=89) - timedelta(seconds=1))
    assert room.ledger.close_due().rounds == ()
    room.clock.advance(timedelta(seconds=1))
    closing = room.ledger.close_due()
    assert closing.rounds == ("a-000001",)
    expected = (1100, 0) if stakes is VoidStakes.RETURN else (0, 1100)
    assert (closing.refunded, closing.forfeited, closing.paid) == (*expected, 0)
    room.reopen()
    assert room.ledger.close_due().rounds == ()
    room.clock.advance(timedelta(days=-90))
    assert not room.do("stand").done
    room.ledger.close()


def test_rounds_without_open_decisions_are_settled_after_a_restart(room):
    room.play("stand")
    room.reopen()
    closing = room.ledger.close_due()
    assert (closing.settled, closing.rounds) == (("a-000001",), ())
    assert closing.paid == 2000
    assert room.ledger.close_due() == Closing()


@pytest.mark.parametrize(
    ("policy", "came_to"),
    [
        (Policy(), (("a-000001",), (), 2000, 0)),
        (Policy(known_results=KnownResults.VOID), ((), ("a-000001",), 0, 1100)),
    ],
)
def test_a_known_result_is_settled_before_anything_expires_or_void_with_the_term(tmp_path, policy, came_to):
    room = Room(tmp_path, policy)
    room.play("stand")
    room.clock.advance(timedelta(days=91))
    closing = room.ledger.close_due()
    assert (closing.settled, closing.rounds, closing.paid, closing.refunded) == came_to
    room.ledger.close()


@in_a_file
def test_the_deck_is_not_in_the_file_in_clear(room):
    room.play()
    room.ledger.close()
    stored = b"".join(path.read_bytes() for path in room.path.parent.iterdir())
    assert bytes(WINS) not in stored
    assert str(list(WINS))[1:60] not in stored.decode("latin-1")
    room.ledger = room.open()
    record = next(
        one
        for one in tuple(room.ledger.journal.store.records(round_id="a-000001"))
        if one.kind == "cards-dealt"
    )
    assert '"deck":[]' in record.event
    assert Vault(KEY).open("a-000001", record.sealed) == WINS


def test_another_key_opens_no_deck_and_adds_no_record(room):
    """Before, it wrote at a fresh seat, and the ledger could be verified under neither key."""
    with pytest.raises(TrustError, match="record 2 was not written under this key"):
        room.open(key=bytes(32))
    assert room.ledger.journal.verify() == 2


def test_the_vault_binds_a_deck_to_its_round():
    vault = Vault(KEY)
    sealed = vault.seal("r-1", WINS)
    assert vault.open("r-1", sealed) == WINS
    assert sealed == vault.seal("r-1", WINS)
    assert sealed[:12] != vault.seal("r-2", WINS)[:12]
    assert sealed[:12] != vault.seal("r-1", deck(3))[:12]
    for other, altered in (("r-2", sealed), ("r-1", sealed[:-1] + b"\0"), ("r-1", b"")):
        with pytest.raises(TrustError):
            vault.open(other, altered)
    with pytest.raises(InputError, match="expected 32"):
        Vault(b"short")
    assert "\\x" not in repr(vault)


@in_a_file
def test_a_full_disk_acknowledges_nothing_and_keeps_what_was(room):
    room.play()
    seat, head = room.ledger.seat("a"), room.ledger.head
    connection = room.ledger.journal.store._connection
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count={pages}")
    with pytest.raises(LedgerError, match="full"):
        room.ledger.perform_all(
            LedgerRequest("a", Command(SeatAction.DISCONNECT if i % 2 == 0 else SeatAction.RESUME))
            for i in range(400)
        )
    assert room.ledger.seat("a") == seat
    assert room.ledger.head == head
    connection.execute("PRAGMA max_page_count=100000")
    assert room.do("stand").done
    assert room.ledger.journal.verify(head) == 6


@in_a_file
def test_an_index_that_does_not_fit_its_records_is_refused(room):
    # Every page is whole by itself, but a lookup by seat would find nothing.
    room.play("stand")
    room.ledger.close()
    change_index(room.path, "command, kind")
    with pytest.raises(LedgerError, match=r"damaged: .*record_seat"):
        room.open()
    change_index(room.path, "seat, round")
    room.ledger = room.open()
    assert room.ledger.journal.verify() == 6


def change_index(path, column):
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA writable_schema=ON")
        connection.execute(
            "UPDATE sqlite_master SET sql = ? WHERE name = 'record_seat'",
            (f"CREATE INDEX record_seat ON record ({column})",),
        )
    connection.close()


def test_a_second_writer_is_refused(room):
    other = room.open()
    room.do("place", "main", 100)
    with pytest.raises(LedgerError, match="another writer"):
        other.perform(LedgerRequest("a", Command(SeatAction.PLACE, "main", 500)))
    # It has read the ledger anew, so it may go on from the truth.
    assert other.seat("a").round.chips == (("main", 100),)
    other.close()


def test_what_is_no_event_is_refused(room):
    for text in ("", "[]", '{"kind":"nonsense"}', encode(next(iter(room.ledger.journal.events("a"))))[:-9]):
        with pytest.raises(TrustError, match="not an event"):
            decode(text)


@pytest.mark.parametrize(
    ("actions", "status"),
    [
        ((), "in progress"),
        (("disconnect",), "interrupted"),
        (("malfunction",), "void"),
        (("stand",), "in progress"),
    ],
)
def test_recall_knows_rounds_that_are_not_complete(room, actions, status):
    room.play(*actions)
    record = recall(room.ledger, "a-000001")
    assert record.status == status
    assert check_recall((record,)).verdict is Verdict.SATISFIED


def test_a_missing_field_is_a_failed_check(room):
    room.play("stand", "settle")
    events = [event for event in room.ledger.journal.events("a") if event.kind != "session-opened"]
    record = record_of("a", events, "a-000001", room.machine.edition.play)
    check = check_recall((record,))
    assert check.verdict is Verdict.NOT_SATISFIED
    assert "player_id (GLI-19 2.8.2, 68 IAC 25-9-2)" in check.observed
    unnamed = check_recall((replace(recall(room.ledger, "a-000001"), software_sha256=""),))
    assert unnamed.verdict is Verdict.NOT_SATISFIED
    assert "software_sha256 (GLI-19 A.5.1(e))" in unnamed.observed
    assert check_recall(()).verdict is Verdict.INCONCLUSIVE


def test_a_round_that_does_not_replay_is_found(room):
    room.play("stand", "settle")
    events = list(room.ledger.journal.events("a"))
    verify_replay(room.machine, "a", events, "a-000001")
    settled = events[-1]
    events[-1] = replace(settled, body=replace(settled.body, returned=2001))
    with pytest.raises(TrustError, match="does not replay"):
        verify_replay(room.machine, "a", events, "a-000001")
    del events[-2]
    with pytest.raises(TrustError, match="cannot be played again: cannot settle"):
        verify_replay(room.machine, "a", events, "a-000001")
    with pytest.raises(InputError, match="no round 'nowhere'"):
        recall(room.ledger, "nowhere")


def test_later_software_replays_a_round_and_shows_the_one_that_dealt_it(room):
    room.play("stand", "settle")
    edition = edition_of(game(), software="6a" * 32)
    room.machine = Machine({edition.sha256: edition}, edition.sha256, room.clock)
    room.reopen()
    assert recall(room.ledger, "a-000001").software_sha256 == "5f" * 32


def test_every_round_of_a_long_session_replays(tmp_path):
    room = Room(tmp_path, given=decks(20))
    for _ in range(20):
        room.do("place", "main", 100)
        view = room.do("deal").view
        while view.phase == "decision":
            view = room.do("stand" if len(dict(view.hands)["player"]) > 1 else "hit").view
        assert room.do("settle").done
    rounds = [f"a-{number:06d}" for number in range(1, 21)]
    records = [recall(room.ledger, round_id) for round_id in rounds]
    assert check_recall(records).verdict is Verdict.SATISFIED
    assert all(one.funds_after == other.funds_before for one, other in itertools.pairwise(records))
    assert room.ledger.seat("a").round.phase is Phase.SETTLED
    room.ledger.close()


@in_a_file
def test_open_rounds_are_looked_up_and_not_searched_for(room):
    # Without an index, every deal made the whole ledger be read: 81 s for 10,000 rounds.
    plan = room.ledger.journal.store._connection.execute(f"EXPLAIN QUERY PLAN {_UNRESOLVED}").fetchall()
    steps = [row[3] for row in plan]
    assert [step for step in steps if "AS done" in step or "done" in step.split()] == [
        "SEARCH done USING INDEX record_seat (seat=? AND round=?)"
    ]


def test_a_ledger_holds_no_more_seats_in_memory_than_are_kept(room, monkeypatch):
    monkeypatch.setattr(ledger_module, "KEPT_PLACES", 2)
    for number in range(6):
        room.ledger.open(f"s{number}", SESSION, 1000)
        assert room.do("place", "main", 100, key="k", seat=f"s{number}").done
    assert len(room.ledger._places) <= 2
    # Whoever comes back is made again from the store, and so are the keys.
    before = room.ledger.journal.store.head()
    assert room.do("place", "main", 100, key="k", seat="s0").done
    assert room.do("clear", key="k", seat="s0").refusal.startswith("key 'k' was used for another command")
    assert room.ledger.seat("s0").round.chips == (("main", 100),)
    assert room.ledger.journal.store.head() == before
