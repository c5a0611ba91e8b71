"""Rounds with an open dealer's card and a final bet, and rounds over HTTP."""

import io
import json
import sqlite3
from dataclasses import fields, replace
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

import pytest
from cli_support import refuses
from representatives import firsts
from rounds_faulty import Bare
from rounds_game import START, Room, deck, deck_from, game
from rounds_open_card_game import CASINO, HOME, WINS

import certify.rounds.conformance as package
from certify.certification.round_narratives import recalled_rounds
from certify.clauses import regime_of
from certify.errors import InputError, TrustError
from certify.families.open_card.text import rules_of
from certify.families.sette_e_mezzo.rules import PairCondition
from certify.model import Verdict
from certify.rounds import (
    Command,
    Machine,
    PastRound,
    Play,
    Reply,
    Rounding,
    SeatAction,
    View,
    calmest,
    check_recall,
    command_for,
    edition_of,
    funds_for,
    missing_fields,
    reference_system,
    returned_on,
    verify_replay,
)
from certify.rounds.conformance.fixed import PHASES, arrive, reach
from certify.rounds.conformance.server import RoundServer
from certify.rounds.conformance.setting import Setting
from certify.rounds.conformance.wire import command_from_json, command_to_json, from_json, to_json
from certify.rounds.recall import recall

OPTIONS = ("fold", "stand-1", "hit-1", "stand-2", "hit-2")


def test_what_a_round_can_cost():
    plays = [edition_of(played).play for played in (CASINO, HOME, game())]
    stakes = ((("ante", 300),), (("ante", 100),), (("main", 300), ("mano-di-poker", 100)))
    assert [funds_for(*each) for each in zip(plays, stakes, strict=True)] == [900, 100, 400]
    assert [calmest(play) for play in plays] == ["stand-1", "stand", "stand"]
    drawing = replace(CASINO, rules=replace(rules_of(CASINO), player_may_stand_on_first_card=False))
    assert calmest(edition_of(drawing).play) == "hit-1"


def test_a_final_bet_is_whole_coins_and_is_not_rounded():
    for rule, returned in ((Rounding.DOWN, 6), (Rounding.UP, 7), (Rounding.HALF_EVEN, 6)):
        # An ante of 1 with a final bet of 1 at 3 to 2 on both: 1 + 1 + 3, and half a coin where pays are odd.
        assert returned_on(1, Fraction(7, 2), rule, 2) == returned
    with pytest.raises(ValueError, match="and what was added: expected -3 or more"):
        returned_on(100, Fraction(-4), Rounding.DOWN, 200)


def test_commands_by_name_travel_over_the_wire():
    for option in (*OPTIONS, "hit", "stand"):
        command = command_for(option)
        assert command_from_json(command_to_json(command, "k")) == (command, "k")
    assert "decision" not in command_to_json(Command(SeatAction.DEAL), "")
    assert command_to_json(command_for("hit-2"), "")["decision"] == "hit-2"
    refuses(
        InputError,
        (
            "Expected `str`, got `int` - at `..decision`",
            lambda: command_from_json({"action": "decide", "decision": 2}),
        ),
        ("deal takes no decision", lambda: command_from_json({"action": "deal", "decision": "hit-2"})),
    )


class AnteRoom(Room):
    """A ledger of one of the two games, in which the ante alone is placed."""

    def __init__(self, folder, played=CASINO, play=None):
        edition = edition_of(played, software="5f" * 32)
        super().__init__(folder, None, (WINS,), edition if play is None else replace(edition, play=play))

    def play(self, *actions, bets=(("ante", 300),)):
        return super().play(*actions, bets=bets)


@pytest.fixture
def room(tmp_path):
    made = AnteRoom(tmp_path)
    yield made
    made.ledger.close()


def test_recall_of_folded_undealt_and_voided_rounds(room):
    room.play("fold", "settle")
    room.play("stand-1", "malfunction")
    room.do("place", "ante", 300)
    folded, voided, undealt = (recall(room.ledger, f"a-00000{number}") for number in (1, 2, 3))
    assert (folded.stakes_added, folded.total_wagered, folded.total_won) == ("none", "300", "0")
    assert (voided.stakes_added, voided.total_wagered, voided.refunded) == ("ante 300", "600", "600")
    assert (undealt.shown_at_deal, undealt.stakes_added) == ("nothing was dealt",) * 2
    assert check_recall((folded, voided, undealt)).verdict is Verdict.SATISFIED


class HiddenCardPlay(Play):
    """Deals as the rules say, and keeps the dealer's open card to itself."""

    def position(self, row, decisions):
        position = super().position(row, decisions)
        return replace(position, hands=(position.hands[0], ("dealer", ())))


def test_a_ledger_that_hides_the_open_card_is_found(tmp_path):
    hiding = HiddenCardPlay(CASINO, edition_of(CASINO).play.reference)
    made = AnteRoom(tmp_path, CASINO, hiding)
    made.play("stand-1", "settle")
    # By its own rules the record replays, and lacks the card; by those of the submission it does not replay.
    record = recall(made.ledger, "a-000001")
    assert missing_fields(record) == ("shown_at_deal (GLI-19 4.14.2)",)
    honest = edition_of(CASINO)
    machine = Machine({honest.sha256: honest}, honest.sha256, made.clock)
    with pytest.raises(TrustError, match="event 4 of round a-000001 does not replay"):
        verify_replay(machine, "a", tuple(made.ledger.journal.events("a")), "a-000001")
    made.ledger.close()


def test_the_ledger_takes_no_second_final_bet_for_a_round(room):
    room.play("stand-1")
    again = """INSERT INTO record SELECT (SELECT max(number) + 1 FROM record), seat, round, kind, event, sealed,
      '', command, previous, round_previous, digest, mark FROM record WHERE kind = 'stake-added'"""
    with pytest.raises(sqlite3.IntegrityError, match="UNIQUE"):
        room.ledger.journal.store._connection.execute(again)


@pytest.mark.parametrize("played", [CASINO, HOME], ids=["casino", "home"])
def test_rounds_of_a_run_are_recalled_with_every_decision(played):
    records = recalled_rounds(played, regime_of(), bytes(32), START)
    assert check_recall(records).verdict is Verdict.SATISFIED
    assert {record.status for record in records} == {"complete", "void"}
    assert records == recalled_rounds(played, regime_of(), bytes(32), START)
    taken = {
        choice.split()[1]
        for record in records
        for choice in record.player_choices.split("; ")
        if " " in choice
    }
    assert taken == set(edition_of(played).play.decisions)
    voided = [record for record in records if record.status == "void"]
    assert all(record.refunded == record.total_wagered for record in voided)
    assert ("ante-added" in "".join(record.stakes for record in voided)) is (played is CASINO)


OPENAPI = json.loads((Path(package.__file__).parent / "openapi.json").read_text())
OPENING = {"game": "playtech-7-e-mezzo", "balance": 1000, "instant": "2026-01-01T00:00:00+00:00"}


class Wire:
    def __init__(self):
        self.server = RoundServer(reference_system, edition_of(game()))

    def __call__(self, method, path, body=None, raw=None):
        sent = raw if raw is not None else json.dumps(body or {}).encode()
        seen = []
        environ = {
            "REQUEST_METHOD": method,
            "PATH_INFO": path,
            "CONTENT_LENGTH": str(len(sent)),
            "wsgi.input": io.BytesIO(sent),
        }
        answer = b"".join(self.server(environ, lambda status, headers: seen.append((status, dict(headers)))))
        status, headers = seen[0]
        assert headers["Content-Length"] == str(len(answer))
        return int(status[:3]), json.loads(answer)


@pytest.fixture
def wire():
    return Wire()


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "/", None, 404),
        ("GET", "/players/p9", None, 404),
        ("GET", "/players/../etc", None, 404),
        ("GET", "/players", None, 405),
        ("POST", "/players/p1", None, 405),
        ("POST", "/players", {**OPENING, "game": "other"}, 400),
        ("POST", "/players", {**OPENING, "balance": -1}, 400),
        ("POST", "/players", {**OPENING, "balance": True}, 400),
        ("POST", "/players", {**OPENING, "instant": "2026-01-01T00:00:00"}, 400),
        ("POST", "/players", {**OPENING, "instant": "soon"}, 400),
        ("PUT", "/players/p1/deck", {"cards": [1, 2, 3]}, 400),
        ("PUT", "/players/p1/deck", {"cards": ["a"] * 40}, 400),
        ("POST", "/players/p1/commands", {"action": "cheat"}, 400),
        ("POST", "/players/p1/commands", {"action": "place", "wager": "main", "amount": 1.5}, 400),
        ("POST", "/players/p1/commands", {"action": "place", "wager": 3}, 400),
    ],
)
def test_what_is_outside_the_interface_is_refused(wire, method, path, body, status):
    assert wire("POST", "/players", OPENING)[0] == 201
    answered, answer = wire(method, path, body)
    assert answered == status
    assert answer["error"]


@pytest.mark.parametrize(
    "raw",
    [b"{", b"[]", b"\xff", b'"text"', b" " * 70_000, b"[" * 50_000, b'{"a":' * 10_000, b"9" * 6_000],
)
def test_bodies_that_are_no_objects_or_nest_without_end_are_refused(wire, raw):
    assert wire("POST", "/players", raw=raw)[0] == 400


def test_the_description_is_true(wire):
    wire("POST", "/players", OPENING)
    for path, item in OPENAPI["paths"].items():
        for method in item:
            status, _ = wire(method.upper(), path.replace("{player}", "p1"), OPENING)
            assert status in (200, 201, 400), (method, path)
        for method in {"get", "put", "post", "delete"} - set(item):
            assert wire(method.upper(), path.replace("{player}", "p1"), OPENING)[0] == 405
    schemas = OPENAPI["components"]["schemas"]
    names = {one.name for one in fields(View)}
    assert set(schemas["View"]["properties"]) == set(schemas["View"]["required"]) == names
    assert set(schemas["Command"]["properties"]["action"]["enum"]) == set(SeatAction)


@pytest.mark.parametrize(
    "change",
    [
        {"balance": "12"},
        {"balance": True},
        {"phase": None},
        {"hands": {"player": 3}},
        {"hands": 3},
        {"stakes": [[1]]},
    ],
)
def test_answers_that_are_no_views_are_refused(change):
    view = to_json(reference_system(edition_of(game()), 1000, datetime(2026, 1, 1, tzinfo=UTC)).view())
    refuses(
        InputError,
        ("not a view", lambda: from_json(View, {**view, **change})),
        ("not a reply", lambda: from_json(Reply, {"done": 1, "view": view})),
    )


def test_the_description_names_every_past_round_and_optional_path(wire):
    schemas = OPENAPI["components"]["schemas"]
    names = {one.name for one in fields(PastRound)}
    assert set(schemas["PastRound"]["properties"]) == set(schemas["PastRound"]["required"]) == names
    wire("POST", "/players", OPENING)
    for path in ("/players/{player}/history", "/restart"):
        (method,) = OPENAPI["paths"][path]
        assert OPENAPI["paths"][path][method]["summary"].startswith("Optional")
        assert wire(method.upper(), path.replace("{player}", "p1"))[0] == 200


TABLE = {action: row for action, row in OPENAPI["x-actions-by-phase"].items() if action != "description"}
COLUMNS = {
    "no round": "none",
    "chips on the layout": "betting",
    "a decision open": "decision",
    "hand done": "resolved",
    "settled": "settled",
    "void by a malfunction": "void",
    "void by its term": "expired",
    "a decision open, term passed": "term-passed",
    "hand done, term passed": "resolved",
}


@pytest.mark.parametrize("name", COLUMNS)
def test_the_table_of_actions_by_phase_is_what_the_reference_does(name):
    edition, start = edition_of(game()), datetime(2026, 1, 1, 12, tzinfo=UTC)
    given = tuple(deck(number) for number in range(6))
    phase = next(phase for phase in PHASES if phase.name == name)
    setting = Setting(edition, given, start, 100_000)
    reached = reach(phase, setting)
    there = arrive(reached, setting)
    assert set(TABLE) == set(SeatAction)
    for action in SeatAction:
        row = TABLE[str(action)]
        assert set(row) == set(COLUMNS.values())
        said = row[COLUMNS[name]]
        if action is SeatAction.PLACE:
            does = there.does(Command(action, "main", 100))
        elif action is SeatAction.DECIDE:
            does = there.does(Command(action, decision="stand"))
        else:
            does = there.does(Command(action))
        if said.startswith("refused"):
            assert not does, (action, name)
        elif said == "done" or said.startswith("done:") or "option" in said:
            assert does, (action, name)
        elif said == "done if connected":
            assert does
        elif said == "done if disconnected":
            assert not does


@pytest.mark.parametrize(
    ("condition", "shown"), firsts([("unconditional", (0,)), ("dealer-must-uncover", ())])
)
def test_the_dealers_card_after_a_bust_is_as_the_description_says(condition, shown):
    rules = replace(game().rules, pair_condition=PairCondition(condition))
    edition = edition_of(replace(game(), rules=rules))
    system = reference_system(edition, 1000, datetime(2026, 1, 1, tzinfo=UTC))
    system.set_deck(deck_from(24, 0, 25))  # a seven that draws another
    for command in (Command(SeatAction.PLACE, "main", 100), Command(SeatAction.DEAL), command_for("hit")):
        view = system.perform(command).view
    assert (view.phase, dict(view.hands).get("dealer", ())) == ("resolved", shown)
    said = OPENAPI["components"]["schemas"]["Hands"]["description"]
    assert "where the player is bust, the first card alone, and none where" in said


def test_a_server_of_a_system_without_extras_says_not_offered():
    wire = Wire()
    wire.server = RoundServer(Bare, edition_of(game()))
    assert wire("POST", "/players", OPENING)[0] == 201
    assert wire("GET", "/players/p1/history")[0] == 404
    assert wire("POST", "/restart")[0] == 404


@pytest.mark.parametrize(
    "change",
    [
        {"balance": 2**53},
        {"round": "\ud800"},
        {"round": "x" * 2000},
        {"hands": {"player": list(range(20_000))}},
        {"hands": {str(holder): [] for holder in range(20_000)}},
        {"hands": {"x" * 2000: []}},
        {"stakes": [["main", 1, 2]]},
        {"connected": "yes"},
        {"options": [[]]},
    ],
)
def test_answers_that_are_huge_or_cannot_be_written_down_are_refused_in_few_words(change):
    view = to_json(reference_system(edition_of(game()), 1000, datetime(2026, 1, 1, tzinfo=UTC)).view())
    with pytest.raises(InputError, match="not a view") as caught:
        from_json(View, {**view, **change})
    assert len(str(caught.value)) < 1000


def test_what_a_record_does_not_know_is_passed_over_at_any_depth():
    reply = Reply(True, View("", "none", (), (), (), 0, 100, 0, (), True, True))
    plain, deep = to_json(reply), {}
    for _ in range(500):
        deep = {"view": deep}
    for more in ({"hands": [1]}, {"view": plain["view"] | {"view": {"hands": 5}}}, {"more": deep}):
        assert from_json(Reply, plain | more) == reply
