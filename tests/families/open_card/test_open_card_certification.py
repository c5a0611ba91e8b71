"""A run on a game with an open dealer's card, and lies about its figures, tables and findings."""

from __future__ import annotations

import copy
import csv
import io
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from computing_again import TINY, Silent, computed_once

from certify.certification import tables
from certify.certification.conclude import checks_for, conclude, observe
from certify.certification.evidence import build_evidence, with_files
from certify.certification.request import RunRequest
from certify.certification.run import RunOutcome, run_certification
from certify.clauses.registry import checks
from certify.clauses.results import Results
from certify.evidence.encode import plain
from certify.evidence.judged import JudgedTables
from certify.evidence.read import evidence_of, read
from certify.gate.figure_inputs import basis_of
from certify.issue.make import concluded
from certify.issue.parties import Parties, issue_of
from certify.issue.rerun import differences
from certify.mathematics import exposure
from certify.model.finding import Overall, Severity, Verdict
from certify.model.game import Game, Paytable
from certify.submission import parse_game

CASINO = Path(__file__).parents[3] / "fixtures/games/us5632489-casino/game.toml"
AT = datetime(2026, 11, 21, tzinfo=UTC)


@pytest.fixture(scope="module")
def request_of() -> RunRequest:
    game = parse_game(CASINO.read_bytes(), "game.toml")
    return RunRequest(game, TINY, bytes(range(32)), AT)


@pytest.fixture(scope="module")
def outcome(request_of: RunRequest) -> RunOutcome:
    return run_certification(request_of, Silent())


@pytest.fixture(scope="module")
def results(outcome: RunOutcome) -> Results:
    return outcome.results


@pytest.fixture(scope="module")
def evidence(request_of: RunRequest, outcome: RunOutcome) -> dict[str, Any]:
    issue = issue_of(request_of, Parties("Issuer", "", "Client", ""), AT, demonstration=False)
    made = build_evidence(request_of, outcome, concluded(outcome, issue), issue, CASINO.read_bytes())
    return plain(with_files(made, tables.data_files(outcome, made, CASINO.read_bytes())))


def observed(results: Results, check: str) -> set[Verdict]:
    return {answer.verdict for answer in checks()[check].observe(results)}


def test_what_fails_is_what_the_source_gets_wrong_and_nothing_else(results: Results) -> None:
    observations = observe(checks(), results)
    failed = {o.check for o in observations if o.verdict is Verdict.NOT_SATISFIED}
    printed = {"terms.malfunction-printed", "terms.disconnection-printed", "terms.undecided-printed"}
    assert failed == {"returns.not-above-total", "printed.tables-hold", *printed}
    assert {o.check for o in observations if o.verdict is Verdict.INCONCLUSIVE} == set()


def test_the_gate_counts_the_strategies_that_a_run_analyses(results: Results) -> None:
    assert basis_of(results.game).strategies == tuple(results.analyses)


def test_a_return_above_what_is_staked_is_the_first_finding_and_critical(results: Results) -> None:
    observations = observe(checks_for(results), results)
    concluded_here = conclude(results, observations, "game.toml", demonstration=False)
    first = concluded_here.findings[0]
    assert first.severity is Severity.CRITICAL
    assert "146.6492 %" in first.title
    assert "201034/137085" in first.detail
    statement = concluded_here.statement
    assert statement.verdict is Overall.NOT_SATISFIED
    assert "1 open finding is critical, 4 open findings are major" in statement.sentence


def test_the_same_return_is_a_finding_where_the_family_tells_none(
    results: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("certify.certification.findings.findings_of", lambda results: ())
    seen = observe(checks_for(results), results)
    found = conclude(results, seen, "game.toml", demonstration=False).findings
    assert found[0].severity is Severity.CRITICAL
    assert any("the source prints" in one.title and one.severity is Severity.MAJOR for one in found)


def with_judged(results: Results, judged: dict[str, Any]) -> Results:
    tables = read(JudgedTables, judged)
    assert isinstance(tables, JudgedTables)
    return replace(results, sections=replace(results.sections, judged_tables=tables))


def without_judged(results: Results) -> Results:
    return replace(results, sections=replace(results.sections, judged_tables=None))


def test_a_printed_row_that_nobody_judged_is_missed(results: Results) -> None:
    judged = plain(results.sections.judged_tables)
    for entry in judged["counts"]:
        entry.update(verdict="holds")
    for entry in judged["rows"]:
        entry.update(as_probability="holds", under_implied_reading="holds")
    assert observed(with_judged(results, judged), "printed.tables-hold") == {Verdict.SATISFIED}
    fewer = copy.deepcopy(judged)
    fewer["rows"].pop()
    assert Verdict.NOT_SATISFIED in observed(with_judged(results, fewer), "printed.tables-hold")
    wrong = copy.deepcopy(judged)
    wrong["counts"][3]["verdict"] = "arithmetic slip"
    assert Verdict.NOT_SATISFIED in observed(with_judged(results, wrong), "printed.tables-hold")


def test_tables_that_cannot_be_judged_are_not_taken_as_true(results: Results) -> None:
    assert observed(without_judged(results), "printed.tables-hold") == {Verdict.INCONCLUSIVE}
    bare = replace(without_judged(results), game=replace(results.game, printed_counts=(), printed_rows=()))
    assert observed(bare, "printed.tables-hold") == {Verdict.NOT_APPLICABLE}


def test_a_second_way_that_counts_otherwise_is_found(results: Results) -> None:
    counted = {name: {"ante": Fraction(1)} for name in results.counted}
    assert observed(replace(results, counted=counted), "returns.two-ways") == {Verdict.NOT_SATISFIED}
    assert set(results.counted) == {"main-optimal", "always-second-card"}


def test_a_highest_win_that_its_deal_does_not_pay_is_found(results: Results) -> None:
    assert observed(results, "exposure.stated") == {Verdict.SATISFIED}
    more = replace(results.exposure, amount=results.exposure.amount + 1)
    assert observed(replace(results, exposure=more), "exposure.stated") == {Verdict.NOT_SATISFIED}
    assert dict(results.exposure.stakes) == {"ante": 2500}


def test_a_final_bet_is_part_of_the_highest_win_and_paid_once(results: Results) -> None:
    game = results.game
    rows = (replace(row, pays=Fraction(1)) for row in game.wagers[0].paytable.rows)
    even = replace(game, wagers=(replace(game.wagers[0], paytable=Paytable(tuple(rows))),))
    highest = exposure(even)
    assert (highest.amount, dict(highest.stakes)) == (7500, {"ante": 2500 + 5000})
    changed = replace(results, game=even, exposure=highest)
    assert observed(changed, "exposure.stated") == {Verdict.SATISFIED}


def test_a_row_whose_witness_is_another_round_is_found(results: Results) -> None:
    swapped = tuple(replace(one, row="push") if one.row == "win" else one for one in results.witnesses)
    assert observed(replace(results, witnesses=swapped), "awards.reachable") == {Verdict.NOT_SATISFIED}


@pytest.mark.slow
def test_the_evidence_computes_again(evidence: dict[str, Any]) -> None:
    assert differences(evidence) == []


PARTS = (
    "rules",
    "readings",
    "terms",
    "wagers",
    "claims",
    "recovery",
    "analysis",
    "strategy_of",
    "counted",
    "exposure",
    "par",
    "strategy_classes",
    "edge",
    "evaluated_readings",
    "reading_combinations",
    "judged_tables",
    "witnesses",
)


OWN_PARTS = ("edge", "evaluated_readings", "reading_combinations", "judged_tables")
"""Parts that other families have none of, so that evidence can be read without them."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("parts", "told"),
    [
        (OWN_PARTS, "the evidence leaves out what this software computes"),
        (tuple(part for part in PARTS if part not in OWN_PARTS), "is missing"),
    ],
    ids=["of the family", "of every game"],
)
def test_parts_that_are_left_out_are_each_missed(
    evidence: dict[str, Any], parts: tuple[str, ...], told: str
) -> None:
    found = "; ".join(differences({key: value for key, value in evidence.items() if key not in parts}))
    assert [part for part in parts if f"/{part}: {told}" not in found] == []


@pytest.fixture(scope="module", autouse=True)
def _computed_once() -> Iterator[None]:
    with computed_once(with_the_run=True):
        yield


def _other_return(document: dict[str, Any]) -> None:
    document["analysis"]["main-optimal"]["wagers"]["ante"] |= {
        "return": "99/100",
        "return_percent": "99.000000",
    }


def _fewer_strategies(document: dict[str, Any]) -> None:
    del document["analysis"]["always-second-card"]


def _kinder_verdict(document: dict[str, Any]) -> None:
    document["judged_tables"]["rows"][5]["as_probability"] = "holds"


def _no_finding(document: dict[str, Any]) -> None:
    told = "printed rows of outcomes"
    document["findings"] = [one for one in document["findings"] if told not in one["title"]]


def _another_edge(document: dict[str, Any]) -> None:
    document["edge"]["side"] = "house"


def _another_pay(document: dict[str, Any]) -> None:
    document["wagers"][0]["paytable"][0]["pays"] = "2 to 1"


def _another_round(document: dict[str, Any]) -> None:
    document["played_rounds"][0]["decisions"] = ["fold"]


def _another_result(document: dict[str, Any]) -> None:
    document["played_rounds"][3]["net"] = {"ante": "3"}


def _another_trace(document: dict[str, Any]) -> None:
    document["played_rounds"][3]["trace"][0] += " "


def _another_digest(document: dict[str, Any]) -> None:
    document["played_rounds"][3]["trace_sha256"] = "00" * 32


def _one_round(document: dict[str, Any]) -> None:
    del document["played_rounds"][1:]


def _a_deck_far_away(document: dict[str, Any]) -> None:
    document["played_rounds"][0]["deck"] = 10**12


def _no_critical_finding(document: dict[str, Any]) -> None:
    document["findings"] = [one for one in document["findings"] if one["severity"] != "critical"]


def _another_observation(document: dict[str, Any]) -> None:
    for one in document["observations"]:
        if one["check"] == "returns.not-above-total":
            one.update(verdict="satisfied", observed="64 %")


def _no_observation(document: dict[str, Any]) -> None:
    document["observations"] = [
        one for one in document["observations"] if one["check"] != "returns.not-above-total"
    ]


def _a_kinder_statement(document: dict[str, Any]) -> None:
    document["report"]["statement"]["verdict"] = "satisfied"


def _no_duty(document: dict[str, Any]) -> None:
    document["obligations"].pop()


def _nothing_left_open(document: dict[str, Any]) -> None:
    document["not_established"] = []


def _another_title(document: dict[str, Any]) -> None:
    document["item"]["title"] = "Another game"


def _more_rounds(document: dict[str, Any]) -> None:
    document["run"]["profile"]["rounds"] = 10**10


def _a_milder_rule(document: dict[str, Any]) -> None:
    document["run"]["alpha"] = "1/2"


def _no_number(document: dict[str, Any]) -> None:
    document["analysis"]["main-optimal"]["wagers"]["ante"]["standard_deviation"] = float("nan")


def _a_foreign_key(document: dict[str, Any]) -> None:
    document["house_edge"] = "5 %"


def _a_part_of_another_game(document: dict[str, Any]) -> None:
    document["frontier"] = {}


LIES: tuple[tuple[Callable[[dict[str, Any]], None], str], ...] = (
    (_other_return, "/analysis/main-optimal/wagers/ante/return"),
    (_fewer_strategies, "/analysis/always-second-card"),
    (_kinder_verdict, "/judged_tables/rows/5/as_probability"),
    (_no_finding, "/findings"),
    (_another_edge, "/edge/side"),
    (_another_pay, "/wagers/0/paytable/0/pays"),
    (_another_round, "/played_rounds/0"),
    (_another_result, "/played_rounds/3/net"),
    (_another_trace, "/played_rounds/3/trace/0"),
    (_another_digest, "/played_rounds/3/trace_sha256"),
    (_one_round, "/played_rounds: computed 25 entries, claimed 1"),
    (_a_deck_far_away, "/played_rounds/0/deck"),
    (_no_critical_finding, "/findings"),
    (_another_observation, "/observations/4/verdict"),
    (_no_observation, "/observations: computed 71 entries, claimed 70"),
    (_a_kinder_statement, "/report/statement/verdict"),
    (_no_duty, "/obligations"),
    (_nothing_left_open, "/not_established"),
    (_another_title, "/item/title"),
    (_more_rounds, "/run/profile/rounds"),
    (_a_milder_rule, "/run/alpha"),
    (_no_number, "/analysis/main-optimal/wagers/ante/standard_deviation"),
    (_a_foreign_key, "/house_edge"),
    (_a_part_of_another_game, "/frontier"),
)


def missed(
    evidence: dict[str, Any], lies: Iterable[tuple[Callable[[dict[str, Any]], None], str]]
) -> list[str]:
    """Returns where lies stand that are told together and named by nothing."""
    changed = copy.deepcopy(evidence)
    for lie, _ in lies:
        lie(changed)
    told = differences(changed)
    return [
        where for _, where in lies if not any(one.startswith(where) or f" {where}: " in one for one in told)
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("lie", "where"), LIES)
def test_a_lie_in_the_evidence_is_named(
    evidence: dict[str, Any], lie: Callable[[dict[str, Any]], None], where: str
) -> None:
    assert missed(evidence, [(lie, where)]) == []


UNREADABLE = (_no_number, _a_foreign_key)
APART = (_one_round, _a_deck_far_away, _no_critical_finding, _no_observation)
"""Lies about what another lie is about too."""


def test_lies_told_together_are_each_named(evidence: dict[str, Any]) -> None:
    groups: dict[int, list[tuple[Callable[[dict[str, Any]], None], str]]] = {}
    for lie, where in LIES:
        groups.setdefault(2 * (lie in UNREADABLE) + (lie in APART), []).append((lie, where))
    assert [missed(evidence, lies) for lies in groups.values()] == [[], [], []]


def test_cards_are_named_by_the_suits_of_the_game(evidence: dict[str, Any]) -> None:
    witness = next(one for one in evidence["witnesses"] if one["row"] == "king-of-diamonds")
    assert witness["deck_names"][0] == "K of diamonds"
    assert not any("Denari" in line for played in evidence["played_rounds"] for line in played["trace"])


def test_every_printed_figure_and_combination_is_in_the_files(
    request_of: RunRequest, evidence: dict[str, Any]
) -> None:
    made = evidence_of(evidence)
    written = {table.name: table.written(made) for table in tables.tables_of(made)}
    judged = list(csv.DictReader(io.StringIO(written["data/printed-tables.csv"].decode())))
    game = request_of.game
    assert len(judged) == len(game.printed_counts) + len(game.printed_rows)
    assert all(row["verdict"] for row in judged)
    readings = list(csv.DictReader(io.StringIO(written["data/readings.csv"].decode())))
    # Standing or not, four ways to bet, two to tie, two to pay the King of diamonds.
    evaluated = [row for row in readings if row["what_if"] == "no"]
    assert (len(evaluated), len(readings)) == (2 * 4 * 2 * 2, 2 * 4 * 2 * 2 + 1)
    assert [row["return"] for row in readings if row["adopted"] == "yes"] == ["201034/137085"]
    best = written["data/decisions-main-optimal.csv"]
    assert best != written["data/decisions-always-second-card.csv"]


def test_lower_pays_bring_no_critical_finding(request_of: RunRequest, results: Results) -> None:
    from certify.families.open_card.document import evidence_sections
    from certify.mathematics import analyze

    game = request_of.game
    lower = replace(
        game,
        wagers=tuple(
            replace(wager, paytable=Paytable(tuple(_halved(row) for row in wager.paytable.rows)))
            for wager in game.wagers
        ),
    )
    analyses = {name: analyze(lower, name) for name in results.analyses}
    assert analyses["main-optimal"].wager("ante").return_to_player < 1
    changed = replace(
        results,
        game=lower,
        analyses=analyses,
        sections=evidence_sections(lower, analyses["main-optimal"]),
    )
    assert observed(changed, "returns.not-above-total") == {Verdict.SATISFIED}


def _halved(row: Any) -> Any:
    return replace(row, pays=row.pays / 20)


def test_a_family_without_a_run_is_refused(request_of: RunRequest) -> None:
    from certify.errors import InputError

    game: Game = replace(request_of.game, family="unknown")
    with pytest.raises(InputError, match="unknown family of games 'unknown'"):
        run_certification(replace(request_of, game=game), Silent())
