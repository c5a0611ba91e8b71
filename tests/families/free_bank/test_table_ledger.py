"""An evening of several people on the ledger: durable, told person by person, and played again bit for bit."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from cli_support import Called
from free_bank_tables import path_of
from rounds_game import balances
from table_room import PEOPLE, SITTING, START, TableRoom

from certify.errors import InputError, OperationError, TrustError
from certify.rounds.codec import decode, encode
from certify.rounds.events import SessionOpened
from certify.rounds.ledger import DESK, LedgerRequest, id_of
from certify.rounds.listing import summaries
from certify.rounds.money import Account
from certify.rounds.player_banked.people import ADOPTED
from certify.rounds.recall import missing_fields, recall_people
from certify.rounds.table import Command, SeatAction

ROUND = "@table/friends-000001"


@pytest.fixture
def room(tmp_path: Path) -> Iterator[TableRoom]:
    made = TableRoom(tmp_path / "ledger.db")
    made.sit_down()
    yield made
    made.ledger.close()


def money(room: TableRoom) -> dict[str, int]:
    return dict(room.ledger.table("friends").people.balances)


def test_a_round_is_settled_seat_by_seat_and_the_reale_takes_the_bank(room: TableRoom) -> None:
    # Bea: 7 and a face, a reale. Cora stands on 5. The bank has 6.
    view = room.play("hit", "stand", "stand").view
    assert (view.phase, view.people.banker) == ("settled", "Bea")
    assert dict(view.people.balances) == {"Ada": 10_100, "Bea": 10_200, "Cora": 9_700}
    assert dict(view.people.nets) == {"Ada": 100, "Bea": 200, "Cora": -300}


def test_what_was_acknowledged_is_there_after_a_restart_at_every_point(room: TableRoom) -> None:
    room.ask("deal", Bea=100, Cora=300)
    for decision in ("hit", "stand", "stand"):
        before = room.ledger.table("friends")
        room.reopen()
        assert room.ledger.table("friends") == before
        assert room.ask("decide", before.people.turn, decision).done
    room.reopen()
    assert money(room) == {"Ada": 10_100, "Bea": 10_200, "Cora": 9_700}


def test_recall_tells_a_round_to_each_person_with_every_required_field(room: TableRoom) -> None:
    room.play("hit", "stand", "stand")
    room.reopen()
    told = {record.player_id: record for record in recall_people(room.ledger, ROUND)}
    assert list(told) == list(PEOPLE)
    assert not any(missing_fields(record) for record in told.values())
    assert told["Bea"].stakes == "stake 100, put up 200 with its cover"
    assert told["Bea"].results == "reale, net 2, returned 400"
    assert told["Cora"].player_choices.endswith("stand of stand/hit")
    assert (told["Cora"].funds_before, told["Cora"].funds_after) == ("10000", "9700")
    assert told["Ada"].stakes == "holds the bank, put up 800 for the worst round"
    assert told["Ada"].results == "bank, net 1/8, returned 900"
    assert told["Ada"].hands == "Bea 7 of Denari, J of Denari; Cora 5 of Denari; Ada 6 of Denari"
    assert {record.status for record in told.values()} == {f"complete (terms {ADOPTED})"}


def test_all_money_of_an_evening_is_accounted_for_and_nothing_stays_held(room: TableRoom) -> None:
    room.play("hit", "stand", "stand")
    room.play("stand", "stand", Ada=50, Cora=60)
    events = tuple(room.ledger.events(id_of("friends")))
    assert room.ask("malfunction").done
    accounts = balances(tuple(room.ledger.events(id_of("friends"))))
    assert accounts == {Account.CASHIER: -30_000, Account.PLAYER: 30_000, Account.HELD: 0}
    assert balances(events)[Account.HELD] > 0


def test_covered_cards_are_neither_shown_nor_written_in_clear(room: TableRoom) -> None:
    view = room.ask("deal", Bea=100, Cora=300).view
    assert all(not faces for _, faces in view.hands)
    with sqlite3.connect(room.path) as file:
        texts = " ".join(row[0] for row in file.execute("SELECT event FROM record"))
    file.close()
    assert '"deck":[]' in texts


def test_a_command_is_done_once_under_its_key_also_after_a_restart(room: TableRoom) -> None:
    assert room.ask("deal", key="k1", Bea=100, Cora=300).done
    room.reopen()
    again = room.ask("deal", key="k1", Bea=100, Cora=300)
    assert again.done
    assert again.view.round == ROUND
    assert not room.ask("malfunction", key="k1").done
    assert len(room.ledger.journal.store.head()) == 2
    assert [one.kind for one in tuple(room.ledger.events(id_of("friends")))] == [
        "people-seated", "cover-held", "cards-dealt",
    ]  # fmt: skip


def test_what_is_not_allowed_is_refused_and_leaves_no_record(room: TableRoom) -> None:
    head = room.ledger.head
    for refused in (
        room.ask("deal", Bea=100),
        room.ask("deal", Bea=100, Cora=0),
        room.ask("deal", Bea=6_000, Cora=100),
        room.ask("decide", "Bea", "hit"),
        room.ask("malfunction"),
        room.ask("away"),
        room.ask("leave", "Zoe"),
        room.ask("return", "Bea"),
    ):
        assert not refused.done
        assert refused.refusal
    assert room.ledger.head == head
    with pytest.raises(OperationError, match="people did before"):
        room.sit_down()
    with pytest.raises(InputError, match="no table can be named"):
        room.ledger.gather("@desk", PEOPLE, "Ada", SITTING)
    with pytest.raises(InputError, match="nobody sat down at table 'strangers'"):
        room.ledger.table("strangers")


def test_a_game_that_is_unavailable_deals_at_no_table_and_ends_what_is_open(room: TableRoom) -> None:
    room.ask("deal", Bea=100, Cora=300)
    room.ledger.perform(
        LedgerRequest(DESK, Command(SeatAction.SUSPEND), reason="generator failed", decided_by="desk")
    )
    room.reopen()
    for turn in ("Bea", "Cora", "Ada"):
        assert room.ask("decide", turn, "stand").done
    assert "the game is unavailable (generator failed)" in room.ask("deal", Bea=100, Cora=300).refusal
    room.ledger.perform(LedgerRequest(DESK, Command(SeatAction.RESTORE), reason="mended", decided_by="desk"))
    assert room.ask("deal", Bea=100, Cora=300).done


def test_who_left_does_not_decide_and_the_least_is_taken_at_the_adopted_term(room: TableRoom) -> None:
    room.play("hit", "stand")
    assert room.ask("leave", "Ada").done
    assert "left the table" in room.ask("decide", "Ada", "stand").refusal
    assert "may decide until" in room.ask("away").refusal
    room.clock.instant = START + timedelta(minutes=2)
    room.reopen()
    assert room.ask("away").view.phase == "settled"
    ada = recall_people(room.ledger, ROUND)[0]
    assert "*stand of stand/hit" in ada.player_choices
    assert room.ask("return", "Ada").done


def test_a_round_is_void_after_ninety_days_and_everybody_has_back_what_was_held(room: TableRoom) -> None:
    room.ask("deal", Bea=100, Cora=300)
    room.clock.instant = START + timedelta(days=90) - timedelta(seconds=1)
    assert not room.ledger.close_due().rounds
    room.clock.instant = START + timedelta(days=90)
    closing = room.ledger.close_due()
    assert (closing.rounds, closing.refunded) == ((ROUND,), 1_600)
    assert not room.ledger.close_due().rounds
    assert money(room) == PEOPLE
    (listed,) = summaries(room.ledger.journal.store)
    assert (listed.status, listed.staked, listed.seat) == ("expired", 400, "@table/friends")
    assert {record.refunded for record in recall_people(room.ledger, ROUND)} == {"800", "200", "600"}


def two_open_tables(path: Path) -> TableRoom:
    """Leaves an open round of friends in a ledger, whose rules are then not loaded, and one of strangers."""
    first = TableRoom(path)
    first.sit_down()
    assert first.ask("deal", Bea=100, Cora=300).done
    first.ledger.close()
    room = TableRoom(path, name="sept-et-demi")
    room.ledger.gather("strangers", PEOPLE, "Ada", SITTING)
    deal = Command(SeatAction.DEAL, stakes=(("Bea", 100), ("Cora", 300)))
    assert room.ledger.perform(LedgerRequest(id_of("strangers"), deal)).done
    return room


def test_a_table_whose_rules_are_not_loaded_is_named_and_the_others_are_judged(tmp_path: Path) -> None:
    room = two_open_tables(tmp_path / "ledger.db")
    room.clock.instant = START + timedelta(days=90)
    closing = room.ledger.close_due()
    assert closing.rounds == ("@table/strangers-000001",)
    assert closing.refunded > 0
    (named,) = closing.not_judged
    assert named.startswith(f"round {ROUND}: table friends plays under rules ")
    assert named.endswith("which are not loaded")
    assert not closing.not_replayed
    again = room.ledger.close_due()
    assert (again.rounds, again.not_judged) == ((), closing.not_judged)
    room.ledger.close()


def test_the_command_that_expires_rounds_ends_otherwise_where_it_could_not_judge_one(
    tmp_path: Path, certify: Callable[..., Called]
) -> None:
    path, key = tmp_path / "ledger.db", tmp_path / "key.hex"
    key.write_text(bytes(range(32)).hex())
    two_open_tables(path).ledger.close()
    files = ("--ledger", path, "--deck-key", key)
    sept, sette = (path_of(name) for name in ("sept-et-demi", "sette-e-mezzo"))
    left = certify("rounds", "expire", sept, *files)
    assert left.code == 4, left.err
    assert left.out.startswith("0 rounds void")
    assert f"\nnot judged: round {ROUND}: table friends plays under rules" in left.out
    told = json.loads(certify("rounds", "expire", sept, *files, "--format", "json").out)
    assert len(told["not_judged"]) == 1
    assert certify("rounds", "expire", sept, sette, *files).code == 0


def test_a_table_that_does_not_replay_is_named_and_keeps_no_other_from_being_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = TableRoom(tmp_path / "ledger.db")
    for name in ("friends", "strangers"):
        room.ledger.gather(name, PEOPLE, "Ada", SITTING)
        deal = Command(SeatAction.DEAL, stakes=(("Bea", 100), ("Cora", 300)))
        assert room.ledger.perform(LedgerRequest(id_of(name), deal)).done
    room.reopen()
    room.clock.instant = START + timedelta(days=90)
    events = room.ledger.journal.events

    def altered(seat: str) -> Iterator[object]:
        for event in events(seat):
            deck = getattr(event.body, "deck", ())
            lies = seat == "@table/friends" and event.kind == "cover-held"
            yield decode(encode(event).replace('["Ada",800]', '["Ada",700]'), deck) if lies else event

    monkeypatch.setattr(type(room.ledger.journal), "events", lambda self, seat: altered(seat))
    closing = room.ledger.close_due()
    assert closing.rounds == ("@table/strangers-000001",)
    assert [one.startswith(f"round {ROUND}: event ") for one in closing.not_replayed] == [True]
    room.ledger.close()


def test_single_players_and_a_table_share_one_chain(room: TableRoom) -> None:
    room.ledger.open("a", SessionOpened("p", "s", "IT", "EU"), 5_000)
    room.play("hit", "stand", "stand")
    room.ledger.open("b", SessionOpened("p", "s", "IT", "EU"), 5_000)
    assert room.ledger.verify(room.ledger.head) == 11
    for seat, action in (("@table/friends", SeatAction.PLACE), ("a", SeatAction.AWAY)):
        refused = room.ledger.perform(LedgerRequest(seat, Command(action, "bet", 100)))
        assert not refused.done
        assert "expected one of" in refused.refusal
    with pytest.raises(InputError, match="is a table of several people"):
        room.ledger.seat("@table/friends")
    assert room.ledger.verify(room.ledger.head) == 11
    with pytest.raises(InputError, match="no seat can be named"):
        room.ledger.open("@table/friends", SessionOpened("p", "s", "IT", "EU"), 5_000)


@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [
        ("person-decided", '"decision":"hit"', '"decision":"stand"'),
        ("cover-held", '["Ada",800]', '["Ada",700]'),
        ("round-settled", '"returned":400', '"returned":500'),
    ],
)
def test_a_record_that_was_altered_by_somebody_with_the_key_does_not_replay(
    room: TableRoom, kind: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    room.play("hit", "stand", "stand")
    room.reopen()
    events = room.ledger.journal.events

    def altered(seat: str) -> Iterator[object]:
        for event in events(seat):
            text = encode(event)
            lies = event.kind == kind and old in text
            deck = getattr(event.body, "deck", ())
            yield decode(text.replace(old, new) if lies else text, deck)

    monkeypatch.setattr(type(room.ledger.journal), "events", lambda self, seat: altered(seat))
    with pytest.raises(TrustError, match=r"does not replay|cannot be played again"):
        room.ledger.table("friends")


STEPS = (
    ("deal", "", "", {"Bea": 100, "Cora": 300}),
    ("decide", "Bea", "hit", {}),
    ("decide", "Cora", "stand", {}),
    ("decide", "Ada", "stand", {}),
)


def killed(path: Path, kill_at: int) -> tuple[bool, int]:
    """Plays a round in a child killed at a step of a write; returns whether it was, and how much it acknowledged."""
    read_end, write_end = os.pipe()
    pid = os.fork()
    if pid == 0:
        seen = [0]

        def mark(step: str) -> None:
            seen[0] += 1
            if seen[0] == kill_at:
                os.kill(os.getpid(), signal.SIGKILL)

        child = TableRoom(path, mark=mark)
        for number, (action, person, decision, stakes) in enumerate(STEPS):
            if child.ask(action, person, decision, key=f"key-{number}", **stakes).done:
                os.write(write_end, b".")
        os._exit(0)
    os.close(write_end)
    with os.fdopen(read_end) as stream:
        acknowledged = len(stream.read())
    _, status = os.waitpid(pid, 0)
    return os.WIFSIGNALED(status), acknowledged


def test_a_table_killed_at_any_step_of_a_write_loses_nothing_acknowledged_and_does_nothing_twice(
    tmp_path: Path,
) -> None:
    deaths = 0
    for kill_at in range(1, 40):
        path = tmp_path / f"{kill_at}.db"
        first = TableRoom(path)
        first.sit_down()
        first.ledger.close()
        died, acknowledged = killed(path, kill_at)
        deaths += died
        room = TableRoom(path)
        done = [event.kind for event in tuple(room.ledger.events(id_of("friends")))]
        assert done.count("cards-dealt") + done.count("person-decided") in (acknowledged, acknowledged + 1)
        assert done.count("round-settled") == (done.count("person-decided") == 3)
        # Everything is sent once more under its old key.
        for number, (action, person, decision, stakes) in enumerate(STEPS):
            assert room.ask(action, person, decision, key=f"key-{number}", **stakes).done
        assert money(room) == {"Ada": 10_100, "Bea": 10_200, "Cora": 9_700}
        assert room.ledger.verify() == 7
        room.ledger.close()
        if not died:
            break
    assert deaths > 15
