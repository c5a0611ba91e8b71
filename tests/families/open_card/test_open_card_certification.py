"""A run on a game with an open dealer's card, and lies about its figures, tables and findings."""

from __future__ import annotations

import copy
import csv
import io
from collections.abc import Iterator
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
from certify.clauses.registry import Results, checks
from certify.evidence.encode import plain
from certify.evidence.judged import JudgedTables
from certify.evidence.read import evidence_of, read
from certify.issue.make import concluded
from certify.issue.parties import Parties, issue_of
from certify.issue.verification import differences
from certify.mathematics import exposure
from certify.model.finding import Overall, Severity, Verdict
from certify.model.game import Paytable
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


def test_a_final_bet_is_part_of_the_highest_win_and_paid_once(results: Results) -> None:
    game = results.game
    rows = (replace(row, pays=Fraction(1)) for row in game.wagers[0].paytable.rows)
    even = replace(game, wagers=(replace(game.wagers[0], paytable=Paytable(tuple(rows))),))
    highest = exposure(even)
    assert (highest.amount, dict(highest.stakes)) == (7500, {"ante": 2500 + 5000})
    changed = replace(results, game=even, exposure=highest)
    assert observed(changed, "exposure.stated") == {Verdict.SATISFIED}


@pytest.fixture(scope="module", autouse=True)
def _computed_once() -> Iterator[None]:
    with computed_once(with_the_run=True):
        yield


GONE = object()
"""In place of a value: the key or the entry is taken out."""

Place = tuple[str | int, ...]

LIES: tuple[tuple[Place, Any, str], ...] = (
    (("analysis", "main-optimal", "wagers", "ante", "return"), "99/100", ""),
    (
        ("analysis", "main-optimal", "wagers", "ante", "return_percent"),
        "99.000000",
        "/analysis/main-optimal/wagers/ante/return",
    ),
    (("analysis", "always-second-card"), GONE, ""),
    (("judged_tables", "rows", 5, "as_probability"), "holds", ""),
    (("findings", 1), GONE, "/findings"),
    (("edge", "side"), "house", ""),
    (("wagers", 0, "paytable", 0, "pays"), "2 to 1", ""),
    (("played_rounds", 0, "decisions"), ["fold"], "/played_rounds/0"),
    (("played_rounds", 3, "net"), {"ante": "3"}, ""),
    (("played_rounds", 3, "trace", 0), "another trace", ""),
    (("played_rounds", 3, "trace_sha256"), "00" * 32, "/played_rounds/3/trace"),
    (("observations", 4, "verdict"), "satisfied", ""),
    (("report", "statement", "verdict"), "satisfied", ""),
    (("obligations", -1), GONE, "/obligations"),
    (("not_established",), [], ""),
    (("item", "title"), "Another game", ""),
    (("run", "profile", "rounds"), 10**10, ""),
    (("run", "alpha"), "1/2", ""),
    (("frontier",), {}, ""),
)
"""Values in place of those that are there, and where that is said, if not at the very place."""

APART: tuple[tuple[Place, Any, str], ...] = (
    (("played_rounds", slice(1, None)), GONE, "/played_rounds: computed 25 entries, claimed 1"),  # type: ignore[arg-type]
    (("played_rounds", 0, "deck"), 10**12, ""),
    (("findings", 0), GONE, "/findings"),
    (("observations", 4), GONE, "/observations: computed "),
)
"""Lies about what another lie is about too."""

UNREADABLE: tuple[tuple[Place, Any, str], ...] = (
    (("analysis", "main-optimal", "wagers", "ante", "standard_deviation"), float("nan"), ""),
    (("house_edge",), "5 %", ""),
)


@pytest.mark.parametrize("lies", [LIES, APART, UNREADABLE], ids=["together", "apart", "unreadable"])
def test_lies_in_the_evidence_are_each_named(
    evidence: dict[str, Any], lies: tuple[tuple[Place, Any, str], ...]
) -> None:
    changed: Any = copy.deepcopy(evidence)
    for place, value, _ in lies:
        *above, last = place
        table = changed
        for part in above:
            table = table[part]
        if value is GONE:
            del table[last]
        else:
            table[last] = value
    found = differences(changed)
    for place, _, told in lies:
        where = told or "/" + "/".join(map(str, place))
        assert any(one.startswith(where) or f" {where}: " in one for one in found), (where, found)


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
