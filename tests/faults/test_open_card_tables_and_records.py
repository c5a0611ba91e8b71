"""Printed tables judged otherwise than they are, findings told twice, and rounds recorded otherwise than they were."""

from __future__ import annotations

import copy
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from certify.certification.open_card_findings import explained, open_card_findings

from certify.analysis import analyze
from certify.clauses.catalogue import load_catalogue
from certify.clauses.registry import Answer, checks
from certify.clauses.results import Results
from certify.families.open_card.exact.document import open_card_json
from certify.model.finding import Severity, Verdict
from certify.model.game import Game
from certify.rounds.money import Rounding, returned_on
from certify.submission import read_game

GAMES = Path(__file__).parents[2] / "fixtures/games"
SEED = bytes(range(32))


def the_game(name: str) -> Game:
    return read_game(GAMES / name / "game.toml")


@pytest.fixture(scope="module")
def casino() -> Game:
    return the_game("us5632489-casino")


@pytest.fixture(scope="module")
def judged(casino: Game) -> dict[str, Any]:
    return open_card_json(casino, analyze(casino))


def results_of(game: Game, open_card: dict[str, Any] | None) -> Results:
    """Just what the check of printed tables and its findings look at."""
    return cast("Results", SimpleNamespace(game=game, open_card=open_card))


def answers(game: Game, open_card: dict[str, Any]) -> dict[str, Answer]:
    observations = checks()["printed.tables-hold"].observe(results_of(game, open_card))
    return {one.subject: cast("Answer", one) for one in observations}


@pytest.mark.parametrize(
    ("spoilt", "subject"),
    [
        ("as_probability", "rows of outcomes, read as probabilities"),
        ("under_implied_reading", "rows of outcomes, recomputed as they were"),
    ],
)
def test_each_reading_of_a_row_is_judged_by_its_own_verdict(
    casino: Game, judged: dict[str, Any], spoilt: str, subject: str
) -> None:
    document = copy.deepcopy(judged)
    for row in document["printed"]["rows"]:
        row.update(as_probability="holds", under_implied_reading="holds")
    document["printed"]["rows"][4][spoilt] = "arithmetic slip"
    found = {name: answer.verdict for name, answer in answers(casino, document).items()}
    assert [name for name, verdict in found.items() if verdict is Verdict.NOT_SATISFIED] == [subject]
    assert len(found) == 3
    assert "22 of 23 hold; 1 arithmetic slip" in answers(casino, document)[subject].observed


@pytest.mark.parametrize("table", ["counts", "rows"])
def test_a_table_of_which_nothing_was_judged_is_not_passed_over(
    casino: Game, judged: dict[str, Any], table: str
) -> None:
    document = copy.deepcopy(judged)
    document["printed"][table] = []
    missed = [answer for name, answer in answers(casino, document).items() if name.startswith(table)]
    assert missed
    assert all(answer.verdict is Verdict.NOT_SATISFIED for answer in missed)
    assert all("0 of 0 hold" in answer.observed for answer in missed)


def test_a_finding_stands_for_the_check_that_it_tells_and_for_no_other(
    casino: Game, judged: dict[str, Any]
) -> None:
    home = the_game("us5632489-home")
    above, tables = "returns.not-above-total", "printed.tables-hold"
    assert explained(results_of(home, open_card_json(home, analyze(home)))) == {above}
    by_severity = {entry["severity"]: entry for entry in judged["findings"]}
    for severity, check in (("critical", above), ("major", tables)):
        alone = judged | {"findings": [by_severity[severity]]}
        assert explained(results_of(casino, alone)) == {check}
    assert explained(results_of(casino, None)) == frozenset()


def test_the_finding_on_printed_tables_names_a_clause_that_there_is(
    casino: Game, judged: dict[str, Any]
) -> None:
    drafts = {draft.severity: draft for draft in open_card_findings(results_of(casino, judged))}
    assert drafts[Severity.CRITICAL].clauses == ()
    assert drafts[Severity.MAJOR].clauses == ("gli-19@3.0/4.4.1(a)-part-2",)
    catalogued = {clause.id: clause for clause in load_catalogue("gli-19").clauses}
    assert "printed.tables-hold" in catalogued["gli-19@3.0/4.4.1(a)-part-2"].checks


def test_half_a_coin_is_rounded_before_an_odd_final_bet_joins_it() -> None:
    # To the even coin, 2½ gives 2 and 3½ would give 4: a final bet of one coin must not decide that.
    assert returned_on(1, Fraction(3, 2), Rounding.HALF_EVEN) == 2
    assert returned_on(1, Fraction(3, 2), Rounding.HALF_EVEN, 1) == 3
    assert returned_on(1, Fraction(5, 2), Rounding.HALF_EVEN, 1) == 5
