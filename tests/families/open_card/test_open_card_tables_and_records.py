"""Printed tables judged otherwise than they are, findings told twice, and rounds recorded otherwise than they were."""

from __future__ import annotations

import copy
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from certify.certification.findings import drafts_of, findings_of, numbered
from certify.clauses.catalogue import load_catalogue
from certify.clauses.jurisdiction import regime_of
from certify.clauses.registry import Answer, Results, checks
from certify.evidence.document import Sections
from certify.evidence.encode import plain
from certify.evidence.judged import JudgedTables
from certify.evidence.read import read
from certify.families.open_card.document import evidence_sections
from certify.mathematics import analyze
from certify.model.finding import Observation, Severity, Verdict
from certify.model.game import Game
from certify.rounds.money import Rounding, returned_on
from certify.submission import read_game

GAMES = Path(__file__).parents[3] / "fixtures/games"
SEED = bytes(range(32))


def the_game(name: str) -> Game:
    return read_game(GAMES / name / "game.toml")


@pytest.fixture(scope="module")
def casino() -> Game:
    return the_game("us5632489-casino")


@pytest.fixture(scope="module")
def judged(casino: Game) -> dict[str, Any]:
    tables: dict[str, Any] = plain(evidence_sections(casino, analyze(casino)).judged_tables)
    return tables


def results_of(game: Game, judged: dict[str, Any] | None = None) -> Results:
    """Just what the check of printed tables and the findings of the family look at."""
    tables = None if judged is None else read(JudgedTables, judged)
    assert not isinstance(tables, tuple)
    sections = Sections(judged_tables=tables)
    return cast(
        "Results",
        SimpleNamespace(
            game=game, sections=sections, analyses={}, strategy_of={}, identifications={}, regime=regime_of()
        ),
    )


def answers(game: Game, judged: dict[str, Any]) -> dict[str, Answer]:
    observations = checks()["printed.tables-hold"].observe(results_of(game, judged))
    return {one.subject: cast("Answer", one) for one in observations}


@pytest.mark.parametrize(
    ("table", "spoilt", "subject"),
    [
        ("rows", "as_probability", "rows of outcomes, read as probabilities"),
        ("rows", "under_implied_reading", "rows of outcomes, recomputed as they were"),
        ("counts", "verdict", "counts"),
    ],
)
def test_each_reading_of_a_row_is_judged_by_its_own_verdict(
    casino: Game, judged: dict[str, Any], table: str, spoilt: str, subject: str
) -> None:
    document = copy.deepcopy(judged)
    for row in document["rows"]:
        row.update(as_probability="holds", under_implied_reading="holds")
    document[table][4][spoilt] = "arithmetic slip"
    found = {name: answer.verdict for name, answer in answers(casino, document).items()}
    assert [name for name, verdict in found.items() if verdict is Verdict.NOT_SATISFIED] == [subject]
    assert len(found) == 3
    whole = len(document[table])
    assert f"{whole - 1} of {whole} hold; 1 arithmetic slip" in answers(casino, document)[subject].observed


@pytest.mark.parametrize("table", ["counts", "rows"])
@pytest.mark.parametrize("kept", [0, -1], ids=["none judged", "one missed"])
def test_a_table_of_which_something_was_not_judged_is_not_passed_over(
    casino: Game, judged: dict[str, Any], table: str, kept: int
) -> None:
    document = copy.deepcopy(judged)
    for row in document["rows"]:
        row.update(as_probability="holds", under_implied_reading="holds")
    assert {answer.verdict for answer in answers(casino, document).values()} == {Verdict.SATISFIED}
    document[table] = document[table][:kept]
    missed = [answer for name, answer in answers(casino, document).items() if name.startswith(table)]
    assert missed
    assert all(answer.verdict is Verdict.NOT_SATISFIED for answer in missed)


def failing(check: str) -> Observation:
    return Observation(check, check, Verdict.NOT_SATISFIED, "this", "that")


@pytest.mark.slow
def test_a_finding_stands_for_the_check_that_it_tells_and_for_no_other(casino: Game) -> None:
    above, tables, other = "returns.not-above-total", "printed.tables-hold", "exposure.stated"
    home = the_game("us5632489-home")
    assert {draft.check for draft in findings_of(results_of(home))} == {above}
    told = {draft.severity: draft.check for draft in findings_of(results_of(casino))}
    assert told == {Severity.CRITICAL: above, Severity.MAJOR: tables}
    for game, by_check in ((casino, {other}), (home, {tables, other})):
        seen = [failing(check) for check in (above, tables, other)]
        results = results_of(game)
        found = numbered(
            drafts_of(results, seen, set(checks())), results, "game.toml", "certify run game.toml"
        )
        titles = {one.title.removeprefix("Not satisfied: ") for one in found if "Not satisfied" in one.title}
        assert titles == by_check


def test_the_finding_on_printed_tables_is_about_the_clause_that_the_catalogue_gives_its_check(
    casino: Game,
) -> None:
    results = results_of(casino)
    found = {
        one.severity: one
        for one in numbered(findings_of(results), results, "game.toml", "certify run game.toml")
    }
    assert (found[Severity.CRITICAL].check, found[Severity.CRITICAL].clauses) == (
        "returns.not-above-total",
        (),
    )
    assert found[Severity.MAJOR].clauses == ("gli-19@3.0/4.4.1(a)-part-2",)
    catalogued = {clause.id: clause for clause in load_catalogue("gli-19").clauses}
    assert "printed.tables-hold" in catalogued["gli-19@3.0/4.4.1(a)-part-2"].checks


def test_half_a_coin_is_rounded_before_an_odd_final_bet_joins_it() -> None:
    # To the even coin, 2½ gives 2 and 3½ would give 4: a final bet of one coin must not decide that.
    assert returned_on(1, Fraction(3, 2), Rounding.HALF_EVEN) == 2
    assert returned_on(1, Fraction(3, 2), Rounding.HALF_EVEN, 1) == 3
    assert returned_on(1, Fraction(5, 2), Rounding.HALF_EVEN, 1) == 5
