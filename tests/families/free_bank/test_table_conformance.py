"""Stories at a table of several people: a sound system keeps every promise, and each lie is found and shortened."""

from __future__ import annotations

import io
import json
import random
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path

import lying_tables
import pytest
from free_bank_tables import game_of
from rounds_faulty import Bare

import certify.rounds.conformance as package
from certify.errors import InputError
from certify.families.registry import family_of
from certify.model.finding import Verdict
from certify.rounds.conformance.conform import StorySearch, at_tables, conform, explore
from certify.rounds.conformance.extras import AT_TABLE, Extra, offered_by
from certify.rounds.conformance.fixed import Setting
from certify.rounds.conformance.judge import tell
from certify.rounds.conformance.promise import PromiseId
from certify.rounds.conformance.server import RoundServer, serving
from certify.rounds.conformance.story import Ask, Recall, SeatsTogether, Story
from certify.rounds.conformance.target import system_factory
from certify.rounds.conformance.wire import (
    FORMS_OF_SEVERAL,
    asked_from_json,
    asked_to_json,
    from_json,
    rounds_from_json,
    rounds_to_json,
    to_json,
)
from certify.rounds.play import edition_of
from certify.rounds.system import ReferenceSystem, reference_system
from certify.rounds.table import (
    OF_SEVERAL,
    Command,
    PastRound,
    Reply,
    SeatAction,
    SystemFactory,
    View,
    command_for,
)

START = datetime(2026, 1, 1, 12, tzinfo=UTC)


def decks(count: int) -> tuple[tuple[int, ...], ...]:
    drawn = random.Random(11)  # noqa: S311 - any rounds will do
    return tuple(tuple(drawn.sample(range(40), 40)) for _ in range(count))


def told(
    factory: SystemFactory, count: int = 100, without: frozenset[SeatAction] = frozenset()
) -> StorySearch:
    edition = edition_of(game_of("sept-et-demi"))
    offers = offered_by(factory(edition, 1000, START))
    search = at_tables(Setting(edition, decks(6), START, 1000, offers, without), factory)
    assert search is not None
    explore(search, count // 4, 7)
    return search


def test_our_own_tables_keep_every_promise() -> None:
    report = told(reference_system, 20)
    assert report.found is None
    assert report.told == 5
    assert report.steps >= 5 * 20


def test_what_is_declared_unsupported_is_not_asked_for_at_a_table() -> None:
    asked = set[str]()

    class Listens(lying_tables.ReferenceSystem):
        def perform(self, command: Command, key: str = "") -> Reply:
            asked.add(str(command.action))
            return super().perform(command, key)

    without = frozenset({SeatAction.MALFUNCTION, SeatAction.EXPIRE})
    assert told(lying_tables._made(Listens), 20, without).found is None  # type: ignore[arg-type]
    assert {"deal", "decide", "away"} <= asked <= {"deal", "decide", "away", "leave", "return"}


@pytest.mark.parametrize(
    ("system", "promise", "longest"),
    [
        ("turns_the_banks_card", PromiseId.CARDS, 1),
        ("takes_anybodys_decision", PromiseId.REFUSED, 2),
        ("keeps_the_banks_cover", PromiseId.RETURNED, 2),
        ("voids_a_day_early", PromiseId.TERM, 3),
        ("forgets_the_latest_step", PromiseId.RESTART, 3),
        ("does_it_twice", PromiseId.DUPLICATES, 3),
        ("lets_the_bank_owe", PromiseId.REFUSED, 4),
        ("takes_both_at_once", PromiseId.TOGETHER, 2),
        ("takes_neither_at_once", PromiseId.TOGETHER, 2),
        ("drops_void_rounds", PromiseId.HISTORY, 4),
        ("alters_a_round", PromiseId.HISTORY, 5),
        ("shows_anothers_history", PromiseId.HISTORY, 4),
        ("tells_a_round_twice", PromiseId.HISTORY, 3),
        ("names_every_round_alike", PromiseId.HISTORY, 5),
        ("answers_in_decimals", PromiseId.ANSWERED, 1),
    ],
)
def test_a_table_that_lies_is_found_and_its_story_shortened(
    system: str, promise: PromiseId, longest: int
) -> None:
    breach, script, repeats = told(getattr(lying_tables, system), 1_000).shortest()
    assert breach is not None
    assert breach.promise is promise
    assert repeats
    steps = [line for line in script if line.split(". ")[0].strip().isdigit()]
    assert 1 <= len(steps) <= longest, steps
    assert "banks" in script[0]


def test_what_a_table_does_not_offer_is_named_as_not_tested() -> None:
    search = told(lying_tables.knows_no_more, 4)  # type: ignore[arg-type]
    assert search.found is None
    assert not search.setting.offers
    assert told(reference_system, 4).setting.offers == AT_TABLE.keys()
    edition = edition_of(game_of("sept-et-demi"))
    report = conform(lying_tables.knows_no_more, edition, decks(2), START, count=1, fixed=False)  # type: ignore[arg-type]
    missing = [f"{what}: the system offers none" for what in AT_TABLE.values()]
    assert list(report.not_tested[-3:]) == missing


def test_a_round_stands_in_the_history_of_each_person_as_the_table_showed_it() -> None:
    edition = edition_of(game_of("sept-et-demi"))
    table = ReferenceSystem.of(edition, (("Ada", 9_000), ("Bea", 9_000)), START)
    (row,) = family_of(edition.game).player_banked.rows(decks(1), 1)  # type: ignore[union-attr]
    shown: dict[str, View] = {}
    for end in ("stand", "malfunction", "expire"):
        table.set_deck(row)
        assert table.perform(Command(SeatAction.DEAL, stakes=(("Bea", 100),))).done
        if end == "stand":
            while turn := table.view().people.turn:
                assert table.perform(command_for("stand", turn)).done
        else:
            table.set_clock(table.clock.now() + timedelta(days=90) * (end == "expire"))
            assert table.perform(Command(SeatAction(end))).done
        shown[table.view().round] = table.view()
    for person in ("Ada", "Bea"):
        told = table.history(person)
        assert [one.phase for one in told] == ["settled", "void", "expired"]
        for one, view in zip(told, shown.values(), strict=True):
            assert (one.round, one.phase, one.stakes) == (view.round, view.phase, (("Bea", 100),))
            assert one.share
            assert one.share.banker == "Ada"
            assert dict(one.hands) == dict(view.hands)
            assert one.share.net == dict(view.people.nets).get(person, 0)
        shares = [one.share for one in told if one.share]
        assert shares[1].returned == shares[2].returned > 0
        assert sum(one.net for one in shares) == dict(table.view().people.balances)[person] - 9_000
    with pytest.raises(InputError, match="'Zoe' does not sit at the table"):
        table.history("Zoe")


class Unlocked(RoundServer):
    """Answers requests of one table side by side."""

    def turn(self, player: str) -> AbstractContextManager[object]:
        return nullcontext()


def test_a_served_table_that_takes_both_of_two_concurrent_commands_or_shows_anothers_history_is_found() -> (
    None
):
    edition = edition_of(game_of("sept-et-demi"))
    deal = Command(SeatAction.DEAL, stakes=(("Bea", 100), ("Cora", 100)))
    people = (("Ada", 9_000), ("Bea", 9_000), ("Cora", 9_000))
    rows = tuple(family_of(edition.game).player_banked.rows(decks(1), 1))  # type: ignore[union-attr]
    offers = frozenset({Extra.HISTORY, Extra.RESTART, Extra.TOGETHER})
    story = Story((SeatsTogether((deal, deal)), Ask(Command(SeatAction.MALFUNCTION)), Recall()))
    for server, system, broken, expected in (
        (RoundServer, reference_system, None, ""),
        (Unlocked, lying_tables.looks_before_it_acts, PromiseId.TOGETHER, "done and refused"),
        (
            RoundServer,
            lying_tables.shows_anothers_history,
            PromiseId.HISTORY,
            "rounds of Bea: void, Ada banks",
        ),
    ):
        with serving(system, edition, application=server(system, edition)) as url:
            found = tell(story, system_factory(url), edition, rows, START, people, offers)
        assert (found and found.promise) == broken
        assert found is None or found.expected.startswith(expected)


def test_a_system_that_knows_one_player_is_told_that_tables_were_not_tested() -> None:
    report = conform(Bare, edition_of(game_of("sept-et-demi")), decks(2), START, count=2, fixed=False)
    assert report.verdict is Verdict.SATISFIED
    assert report.table_stories == 0
    assert f"{Extra.TABLE}: the system offers none" in report.not_tested


def test_stories_are_told_to_a_reference_system_of_one_player_and_of_several() -> None:
    report = conform(
        reference_system, edition_of(game_of("sept-et-demi")), decks(2), START, count=5, fixed=False
    )
    assert report.verdict is Verdict.SATISFIED
    assert (report.stories, report.table_stories) == (5, 2)
    assert not any("table" in what for what in report.not_tested)


def test_a_table_is_reached_over_http_and_a_lie_shows_there_too() -> None:
    edition = edition_of(game_of("sept-et-demi"))
    for served, broken in ((reference_system, None), (lying_tables.turns_the_banks_card, PromiseId.CARDS)):
        with serving(served, edition) as url:
            search = told(system_factory(url), 8)
            breach, _, _ = search.shortest()
        assert search.told
        assert (breach and breach.promise) == broken


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
        environ = {
            "REQUEST_METHOD": method,
            "PATH_INFO": path.replace("{table}", "t1").replace("{person}", "Bea"),
        }
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
    for kind, name in ((View, "TableView"), (PastRound, "TableRound")):
        described_as = schemas[name]
        names = set(FORMS_OF_SEVERAL[kind].fields.split())
        assert set(described_as["properties"]) == set(described_as["required"]) == names
    asked_for = schemas["TableCommand"]["properties"]
    assert set(asked_for["action"]["enum"]) == set(OF_SEVERAL)
    assert set(asked_for) == {*FORMS_OF_SEVERAL[Command].fields.split(), "key"}
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
    assert asked("GET", "/tables/t1/history/Zoe") == 400
    without = RoundServer(lying_tables.knows_no_more, edition_of(game_of("sept-et-demi")))
    server = without
    assert asked("POST", "/tables") == 201
    assert asked("GET", "/tables/t1/history/Bea") == 404


def test_what_travels_to_and_from_a_table_is_read_back_and_nothing_else_is() -> None:
    table = ReferenceSystem.of(edition_of(game_of("sept-et-demi")), (("Ada", 9_000), ("Bea", 9_000)), START)
    table.set_deck(family_of(table.machine.edition.game).player_banked.rows(decks(1), 1)[0])  # type: ignore[union-attr]
    command = Command(SeatAction.DEAL, stakes=(("Bea", 100),))
    sent = json.loads(json.dumps(asked_to_json(command, "k", several=True)))
    assert asked_from_json(sent, several=True) == (command, "k")
    assert asked_from_json({"action": "away"}, several=True) == (Command(SeatAction.AWAY), "")
    reply = table.perform(command)
    told = json.loads(json.dumps(to_json(reply)))
    assert from_json(Reply, told, several=True) == reply
    (past,) = table.history("Bea")
    listed = json.loads(json.dumps(rounds_to_json((past,))))
    assert rounds_from_json(PastRound, listed, several=True) == (past,)
    for kind, whole in ((View, told["view"]), (PastRound, listed["rounds"][0])):
        for name, value in whole.items():
            with pytest.raises(InputError, match="not a "):
                from_json(kind, {one: other for one, other in whole.items() if one != name}, several=True)
            with pytest.raises(InputError, match="not a "):
                from_json(
                    kind, {**whole, name: [value] if isinstance(value, (str, int)) else 7}, several=True
                )
