"""Printed returns that name their strategy are read and judged under it, by the run and by the gate alike."""

from fractions import Fraction
from types import SimpleNamespace
from typing import cast

import pytest
from gate_support import change, compared, edited, ids, published

from certify.certification.request import strategy_of
from certify.certification.submitted import claims_evidence
from certify.clauses.registry import checks
from certify.clauses.results import Results
from certify.errors import SubmissionError
from certify.exact import fraction_text
from certify.gate.figure_inputs import basis_of
from certify.mathematics import analysed_strategies, analyze, plan_of
from certify.model.finding import Verdict
from certify.submission import parse_game

MIMICKED = Fraction(23850049708843, 26397882693000)
"""Return of the main wager to a player who mimics the dealer."""

PRINTED = '[[claims]]\nwager = "main"\nmetric = "return-to-player"\nprinted = "99.54 %"\n'
NAMED = PRINTED + 'strategy = "mimic-dealer"\n'
TRUE = NAMED.replace("99.54", "90.35")
BOTH = f'{TRUE}source = "rules-screen"\n\n{PRINTED}strategy = "main-optimal"\n'


def stated(claim):
    return edited((PRINTED, claim))


def read(claim):
    return parse_game(stated(claim).encode(), "game.toml")


def judged(game):
    """What the check says of the claims on the main wager, and what the evidence says of them."""
    analyses = {name: analyze(game, name) for name in analysed_strategies(game)}
    best = strategy_of(game, analyses)
    results = cast("Results", SimpleNamespace(game=game, analyses=analyses, strategy_of=best))
    answers = list(checks()["returns.claim-holds"].observe(results))
    evidence = claims_evidence(game, analyses, best, {})
    return [
        (claim.printed, claim.strategy, answer.verdict, fraction_text(claim.exact))
        for claim, answer in zip(evidence, answers, strict=True)
        if claim.wager == "main"
        and answer.observed.endswith(f"= {fraction_text(claim.exact)} under {claim.strategy}")
    ]


def test_the_strategy_that_a_claim_names_is_analysed_besides_those_of_the_plan():
    game = read(NAMED)
    assert game.claims[0].strategy == "mimic-dealer"
    assert analysed_strategies(game) == (*plan_of(game).analysed, "mimic-dealer")
    assert basis_of(game).strategies == analysed_strategies(game)
    assert basis_of(read(PRINTED)).strategies == plan_of(game).analysed


def test_a_printed_return_is_judged_under_the_strategy_that_it_names():
    exact = fraction_text(MIMICKED)
    assert judged(read(NAMED)) == [("99.54 %", "mimic-dealer", Verdict.NOT_SATISFIED, exact)]
    # A pay of the main wager was recovered from the figure for best play: what agrees is fitted, and confirms nothing.
    assert judged(read(TRUE)) == [("90.35 %", "mimic-dealer", Verdict.FITTED, exact)]


def test_two_printed_returns_of_one_wager_are_each_judged_under_their_own_strategy():
    found = judged(read(BOTH))
    assert [(printed, strategy) for printed, strategy, _, _ in found] == [
        ("90.35 %", "mimic-dealer"),
        ("99.54 %", "main-optimal"),
    ]
    assert {verdict for _, _, verdict, _ in found} == {Verdict.FITTED}


def test_the_gate_judges_a_printed_return_under_the_strategy_that_it_names():
    said = change(compared(published(), stated(NAMED)), "claim-stale")
    assert "99.54 % is printed for main, which returns 90.348343 % under mimic-dealer" in said.message
    assert not {"claim-stale", "claim-false-before"} & set(ids(compared(published(), stated(TRUE)).changes))


@pytest.mark.parametrize("name", ["file:/etc/passwd", "file:strategy.toml"])
def test_a_claim_that_names_a_file_as_its_strategy_is_refused_with_its_line(name):
    text = stated(NAMED).replace("mimic-dealer", name)
    line = text.splitlines().index(f'strategy = "{name}"') + 1
    with pytest.raises(SubmissionError) as caught:
        parse_game(text.encode(), "game.toml")
    (problem,) = caught.value.problems
    assert str(problem).startswith(f"game.toml:{line}: ")
    assert "expected a strategy by its name, not a file" in str(problem)


def test_two_printed_figures_of_one_kind_are_two_changes_for_those_who_approve():
    """They bore one fingerprint: who approved one had approved both."""
    wrong = (
        PRINTED.replace("99.54", "99.11") + 'source = "rules-screen"\n\n' + PRINTED.replace("99.54", "99.12")
    )
    odds = '[[claims]]\nwager = "mano-di-poker"\nmetric = "odds-of-row"\nprinted = "1 in 7"\nsource = "rules-screen"\n'
    rows = "".join(f'{odds}row = "{row}"\n\n' for row in ("royal-flush", "flush"))
    changes = compared(published(), stated(rows + wrong)).changes
    stale = [one.fingerprint for one in changes if one.kind.id == "claim-stale"]
    assert len(stale) == len(set(stale)) == 4
