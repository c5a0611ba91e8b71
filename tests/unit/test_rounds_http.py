"""The HTTP binding: what it serves, what it refuses, and that its description is true."""

import io
import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from cli_support import refuses
from representatives import firsts
from rounds_faulty import Bare
from rounds_game import deck, deck_from, game

import certify.rounds.conformance as package
from certify.errors import InputError
from certify.families.sette_e_mezzo.rules import PairCondition
from certify.rounds.conformance.fixed import PHASES, arrive, reach
from certify.rounds.conformance.server import RoundServer
from certify.rounds.conformance.setting import Setting
from certify.rounds.conformance.wire import FORMS, from_json, to_json
from certify.rounds.play import edition_of
from certify.rounds.system import reference_system
from certify.rounds.table import Command, PastRound, Reply, SeatAction, View, command_for

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


def test_a_round_over_the_wire(wire):
    status, opened = wire("POST", "/players", OPENING)
    assert status == 201
    player = f"/players/{opened['player']}"
    assert wire("PUT", f"{player}/deck", {"cards": list(deck(1))}) == (200, {})
    assert wire("PUT", f"{player}/clock", {"instant": "2026-01-02T00:00:00+00:00"}) == (200, {})
    placed = wire(
        "POST", f"{player}/commands", {"action": "place", "wager": "main", "amount": 100, "key": "1"}
    )
    assert placed[1]["done"]
    dealt = wire("POST", f"{player}/commands", {"action": "deal"})[1]
    assert dealt["view"]["held"] == 100
    refused = wire("POST", f"{player}/commands", {"action": "expire"})[1]
    assert not refused["done"]
    assert "expected 90 days" in refused["refusal"]
    assert wire("GET", player)[1] == dealt["view"]
    assert dict(from_json(View, dealt["view"]).hands)["player"] == (
        deck(1)[0],
        *dealt["view"]["hands"]["player"][1:],
    )


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


@pytest.mark.parametrize("raw", [b"{", b"[]", b"\xff", b'"text"', b" " * 70_000])
def test_bodies_that_are_no_objects_are_refused(wire, raw):
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
    names = set(FORMS[View].fields.split())
    assert set(schemas["View"]["properties"]) == set(schemas["View"]["required"]) == names
    assert set(schemas["Command"]["properties"]["action"]["enum"]) == set(SeatAction)


def test_a_view_survives_the_wire():
    view = reference_system(edition_of(game()), 1000, datetime(2026, 1, 1, tzinfo=UTC)).view()
    assert from_json(View, json.loads(json.dumps(to_json(view)))) == view


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
    names = set(FORMS[PastRound].fields.split())
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
    there = arrive(reached.steps, setting, reached.first_deck)
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


@pytest.mark.parametrize("raw", [b"[" * 50_000, b'{"a":' * 10_000, b"9" * 6_000])
def test_bodies_that_nest_without_end_are_refused(wire, raw):
    assert wire("POST", "/players", raw=raw)[0] == 400
