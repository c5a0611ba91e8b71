"""Verification speaks of the rows that a run dealt, not of those that a profile asks for."""

from datetime import UTC, datetime
from pathlib import Path

from computing_again import TINY

from certify.certification.exact import exact_results
from certify.certification.randomness import rows_tested
from certify.certification.request import RunRequest
from certify.clauses.jurisdiction import regime_of
from certify.clauses.registry import checks
from certify.issue.data import outcome_without_campaigns
from certify.submission import read_game

WHEEL = Path(__file__).parents[2] / "fixtures/games/big-six/game.toml"


def test_the_rows_that_every_test_needs_are_those_of_the_audit_when_it_is_computed_again():
    game = read_game(WHEEL)
    request = RunRequest(game, TINY, bytes(33), datetime(2026, 11, 22, tzinfo=UTC))
    again = outcome_without_campaigns(exact_results(game, regime_of(()), thorough=False), request, "0" * 64)
    rows = rows_tested(game.equipment, TINY.decks)
    assert rows > TINY.decks
    assert again.results.deck_audit.decks == rows
    (answer,) = checks()["deck.whole"].observe(again.results)
    assert answer.observed == f"0 of {rows}"
