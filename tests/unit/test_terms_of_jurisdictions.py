"""The terms of a jurisdiction are what a run exercises and recalls."""

from datetime import UTC, datetime

from cli_support import GAME
from computing_again import TINY, Silent

from certify.certification.evidence import regime_evidence
from certify.certification.recalled_rounds import recalled_rounds
from certify.certification.request import RunRequest
from certify.certification.run import exercise_terms
from certify.clauses.jurisdiction import regime_of
from certify.model.finding import Verdict
from certify.submission import read_game

SEED = bytes(range(32))


def test_the_terms_are_exercised_and_recalled_under_the_jurisdiction():
    game = read_game(GAME)
    ontario, moment = regime_of(["ontario"]), datetime(2026, 11, 21, tzinfo=UTC)
    exercised = exercise_terms(RunRequest(game, TINY, SEED, moment, regime=ontario), Silent())
    assert dict(exercised.policy)["after_settlement"] == "better-of"
    assert {item.verdict for item in exercised.situations if item.id.startswith("malfunction")} == {
        Verdict.SATISFIED
    }
    assert regime_evidence(ontario, game).policy == dict(exercised.policy)
    recalled = recalled_rounds(game, ontario, SEED, moment)
    assert {record.jurisdiction for record in recalled} == {"ontario"}
    assert recalled == recalled_rounds(game, ontario, SEED, moment)
