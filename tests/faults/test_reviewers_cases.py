"""Small submissions of which something false was once said: what is said of them now."""

from fractions import Fraction
from pathlib import Path

import pytest

from certify.analysis.par_sheet import par_sheet_evidence
from certify.certification.exact import exact_results
from certify.certification.findings import drafts_of
from certify.clauses import ExactResults, regime_of
from certify.clauses.registry import checks
from certify.clauses.status import applicabilities, clause_statuses
from certify.cli.main import run
from certify.evidence import Brought
from certify.gate.lint import unfound
from certify.mathematics import staked_of
from certify.model import CONDITION, Applicability, Verdict
from certify.submission import read_game

CASES = Path(__file__).parents[2] / "fixtures/cases"
BELOW, EVERYTHING, LOST = "slot-bought-below-floor", "slot-everything", "roulette-lost-pays"
REFUSED = {
    BELOW: {("returns.floor", "buy"), ("returns.floor", "one-line")},
    EVERYTHING: {
        ("returns.claim-holds", "main"),
        ("returns.not-above-total", "buy"),
        ("returns.not-above-total", "grand"),
    },
    LOST: set(),
}
"""What the exact figures of each case refuse."""


def told(case):
    """The submission, its exact results, and what the checks see of them."""
    game = read_game(CASES / case / "game.toml")
    results = exact_results(game, regime_of(), thorough=False)
    exact = [one for one in checks().values() if one.function.__annotations__["results"] is ExactResults]
    return game, results, [seen for one in exact for seen in one.observe(results)]


def test_every_case_has_its_row():
    assert {path.name for path in CASES.iterdir()} == set(REFUSED)


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_wrong_in_a_case_is_refused_by_name_and_no_sentence_is_quoted_from_nowhere(case):
    game, _, observed = told(case)
    assert {(one.check, one.subject) for one in observed if one.verdict is Verdict.NOT_SATISFIED} == REFUSED[
        case
    ]
    assert len(unfound(game, str(CASES / case / "game.toml"))) == 8


def test_lost_pays_are_a_condition_even_where_one_number_alone_fits():
    _, results, observed = told(LOST)
    found = drafts_of(results, observed, {one.check for one in observed}, Brought())
    assert [one.status for one in found] == [CONDITION, CONDITION]


def test_of_a_game_that_never_waits_nothing_is_said_of_wagers_left_undecided():
    game, _, _ = told(LOST)
    decided = clause_statuses(regime_of().catalogues, (), applicabilities(game))
    assert {one.status for one in decided if one.number in ("4.16.3(b)", "A.5.2(e)")} == {"not applicable"}


def test_the_figures_of_the_slot_that_has_everything():
    game, results, _ = told(EVERYTHING)
    (figures,) = results.analyses["main-optimal"].wagers
    assert figures.return_to_player == Fraction(1297, 2408)
    sheet = par_sheet_evidence(figures, "main-optimal", staked=staked_of(game))
    assert [one.longest for one in sheet.losing_runs if one.rounds == 1000] == [66]
    assert results.sections.edge.side == "player"
    assert {Applicability.JACKPOTS, Applicability.GAMBLES, Applicability.WAITING} <= applicabilities(game)


@pytest.mark.slow
@pytest.mark.parametrize(("case", "code"), [(BELOW, 1), (EVERYTHING, 1), (LOST, 1)])
def test_a_run_over_a_case_ends_in_its_exit_code(case, code, tmp_path, capsys):
    assert (
        run(["run", str(CASES / case / "game.toml"), "--profile", "quick", "--out", str(tmp_path / "pack")])
        == code
    )
