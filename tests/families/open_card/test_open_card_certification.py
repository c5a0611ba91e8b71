"""A run on a game with an open dealer's card: what fails, its tables and findings."""

from __future__ import annotations

import csv
import io
import json
import lzma
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from computing_again import TINY, Silent

from certify.certification import tables
from certify.certification.conclude import checks_for, conclude, observe
from certify.certification.request import RunRequest
from certify.certification.run import RunOutcome, run_certification
from certify.clauses.registry import Results, checks
from certify.evidence.read import evidence_of
from certify.mathematics import exposure
from certify.model.finding import Overall, Severity, Verdict
from certify.model.game import Paytable
from certify.submission import parse_game

FIXTURES = Path(__file__).parents[3] / "fixtures"
CASINO = FIXTURES / "games/us5632489-casino/game.toml"
REPORT = FIXTURES / "reports/us5632489-casino.json.xz"
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
def evidence() -> dict[str, Any]:
    """The evidence of the kept report, which ``tests/faults`` computes again leaf by leaf."""
    kept: dict[str, Any] = json.loads(lzma.decompress(REPORT.read_bytes()))
    return kept


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


def without_judged(results: Results) -> Results:
    return replace(results, sections=replace(results.sections, judged_tables=None))


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
