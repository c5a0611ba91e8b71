"""Stories at a table of several people: a sound system keeps every promise, and each lie is found and shortened."""

from __future__ import annotations

import io
import json
import random
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path

import lying_tables
import pytest
from free_bank_tables import game_of

import certify.rounds.conformance as package
from certify.model.finding import Verdict
from certify.rounds.conformance.conform import conform
from certify.rounds.conformance.extras import Extra, offered_by
from certify.rounds.conformance.fixed import Setting
from certify.rounds.conformance.promise import Promise
from certify.rounds.conformance.server import RoundServer, serving
from certify.rounds.conformance.tables import TablesReport, conform_tables
from certify.rounds.conformance.target import system_factory
from certify.rounds.play import edition_of
from certify.rounds.system import Action, SystemFactory, reference_system
from certify.rounds.table import TableAction, TableCommand, TableReply, TableView

START = datetime(2026, 1, 1, 12, tzinfo=UTC)


def decks(count: int) -> tuple[tuple[int, ...], ...]:
    drawn = random.Random(11)  # noqa: S311 - any rounds will do
    return tuple(tuple(drawn.sample(range(40), 40)) for _ in range(count))


def told(factory: SystemFactory, count: int = 100, name: str = "sept-et-demi") -> TablesReport:
    edition = edition_of(game_of(name))
    offers = offered_by(factory(edition, 1000, START))
    return conform_tables(Setting(edition, decks(6), START, 1000, offers, frozenset()), factory, count, 7)


def test_our_own_tables_keep_every_promise() -> None:
    report = told(reference_system, 20)
    assert report.breach is None
    assert report.stories == 5
    assert report.steps >= 5 * 20


def test_what_is_declared_unsupported_is_not_asked_for_at_a_table() -> None:
    edition, asked = edition_of(game_of("sept-et-demi")), set[str]()

    class Listens(lying_tables.ReferenceTable):
        def ask(self, command: TableCommand, key: str = "") -> TableReply:
            asked.add(str(command.action))
            return super().ask(command, key)

    offers = offered_by(reference_system(edition, 1000, START))
    without = frozenset({Action.MALFUNCTION, Action.EXPIRE})
    setting = Setting(edition, decks(6), START, 1000, offers, without)
    assert conform_tables(setting, lying_tables._made(Listens), 20, 7).breach is None
    assert {"deal", "decide", "away"} <= asked <= {"deal", "decide", "away", "leave", "return"}


@pytest.mark.parametrize(
    ("system", "promise", "longest"),
    [
        ("turns_the_banks_card", Promise.CARDS, 1),
        ("takes_anybodys_decision", Promise.REFUSED, 2),
        ("keeps_the_banks_cover", Promise.RETURNED, 2),
        ("voids_a_day_early", Promise.TERM, 3),
        ("forgets_the_latest_step", Promise.RESTART, 3),
        ("does_it_twice", Promise.DUPLICATES, 3),
        ("lets_the_bank_owe", Promise.REFUSED, 4),
    ],
)
def test_a_table_that_lies_is_found_and_its_story_shortened(
    system: str, promise: Promise, longest: int
) -> None:
    report = told(getattr(lying_tables, system), 1_000)
    assert report.breach is not None
    assert report.breach.promise is promise
    steps = [line for line in report.script if line.split(". ")[0].strip().isdigit()]
    assert 1 <= len(steps) <= longest, report.script
    assert "banks" in report.script[0]


class OnePlayerOnly:
    """A system that knows one player, as it was before tables."""

    def __init__(self, edition: object, balance: int, instant: datetime) -> None:
        system = reference_system(edition, balance, instant)  # type: ignore[arg-type]
        self.set_clock, self.set_deck = system.set_clock, system.set_deck
        self.perform, self.view = system.perform, system.view


def test_a_system_that_knows_one_player_is_told_that_tables_were_not_tested() -> None:
    report = conform(
        OnePlayerOnly, edition_of(game_of("sept-et-demi")), decks(2), START, count=2, fixed=False
    )
    assert report.verdict is Verdict.SATISFIED
    assert report.table_stories == 0
    assert f"{Extra.TABLE}: the system offers none" in report.not_tested


def test_stories_are_told_to_a_reference_system_of_one_player_and_of_several() -> None:
    report = conform(
        reference_system, edition_of(game_of("sept-et-demi")), decks(2), START, count=5, fixed=False
    )
    assert report.verdict is Verdict.SATISFIED
    assert (report.stories, report.table_stories) == (5, 2)
    assert not any(str(Extra.TABLE) in what for what in report.not_tested)


def test_a_table_is_reached_over_http_and_a_lie_shows_there_too() -> None:
    edition = edition_of(game_of("sept-et-demi"))
    for served, broken in ((reference_system, None), (lying_tables.turns_the_banks_card, Promise.CARDS)):
        with serving(served, edition) as url:
            report = told(system_factory(url), 8)
        assert report.stories
        assert (report.breach and report.breach.promise) == broken


def test_the_description_of_the_interface_of_tables_is_true() -> None:
    described = json.loads((Path(package.__file__).parent / "openapi.json").read_text())
    server = RoundServer(reference_system, edition_of(game_of("sept-et-demi")))
    opening = {
        "game": "sept-et-demi",
        "people": [["Ada", 9000], ["Bea", 5000]],
        "banker": "Ada",
        "instant": START.isoformat(),
        "cards": [1],
        "action": "deal",
    }

    def asked(method: str, path: str, body: object = opening) -> int:
        sent, seen = json.dumps(body).encode(), []
        environ = {"REQUEST_METHOD": method, "PATH_INFO": path.replace("{table}", "t1")}
        environ |= {"CONTENT_LENGTH": str(len(sent)), "wsgi.input": io.BytesIO(sent)}  # type: ignore[dict-item]
        tuple(server(environ, lambda status, headers: seen.append(status)))  # type: ignore[arg-type]
        return int(seen[0][:3])

    assert asked("POST", "/tables") == 201
    for path, item in described["paths"].items():
        if path.startswith("/tables"):
            assert {asked(method.upper(), path) for method in item} <= {200, 201}
            rest = {"get", "put", "post", "delete"} - set(item)
            assert {asked(method.upper(), path) for method in rest} <= {405}
    schemas = described["components"]["schemas"]
    names = {field.name for field in fields(TableView)}
    assert set(schemas["TableView"]["properties"]) == set(schemas["TableView"]["required"]) == names
    assert schemas["TableCommand"]["properties"]["action"]["enum"] == [str(action) for action in TableAction]
    for wrong in (
        {"people": [["Ada", 1]]},
        {"people": "Ada"},
        {"people": [["Ada", 9000], ["Bea", 0]]},
        {"banker": "Zoe"},
        {"game": "other"},
        {"instant": "noon"},
    ):
        assert asked("POST", "/tables", {**opening, **wrong}) == 400
    for wrong in ({"action": "peek"}, {"stakes": [["Bea"]]}, {"stakes": [["Bea", 1.5]]}, {"person": 7}):
        assert asked("POST", "/tables/t1/commands", {**opening, **wrong}) == 400
