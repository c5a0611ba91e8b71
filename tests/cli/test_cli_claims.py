"""Claims beyond the return, from the reader to the gate: house edge, frequencies, odds of a row, maximum award."""

import pytest
from cli_support import ROOT, written

from certify.families import forget_families
from certify.kit.code import _on_path

INSTALLED = ROOT / "tests/installed"
WHEEL = (INSTALLED / "games/wheel.toml").read_text("utf-8")


@pytest.fixture(scope="module", autouse=True)
def _installed():
    """Makes the stranger's wheel known."""
    with _on_path([str(INSTALLED)]):
        yield
    forget_families()


CLAIMS = """
[[claims]]
wager = "straight-up"
metric = "odds-of-row"
printed = "1 in 37"
source = "rules"
row = "win"

[[claims]]
wager = "straight-up"
metric = "maximum-award"
printed = "50 to 1"
source = "rules"

[[claims]]
wager = "red"
metric = "hit-frequency"
printed = "60.00 %"
source = "rules"

[terms]
"""


def test_a_run_judges_every_claim_in_evidence_findings_and_report(certify, tmp_path):

    from certify.certification.exact import exact_evidence, exact_results
    from certify.clauses import regime_of
    from certify.clauses.registry import checks
    from certify.evidence import plain
    from certify.report.chapters.returns import further_claims
    from certify.submission import read_game

    path = written(tmp_path / "game.toml", WHEEL.replace("[terms]\n", CLAIMS.lstrip(), 1))
    results = exact_results(read_game(path), regime_of([]))
    exact = exact_evidence(results, sensitivity=False)
    _, odds, award, hits = plain(exact)["claims"]
    assert (odds["holds"], odds["row"], odds["exact"]) == (True, "win", "1/37")
    assert (award["holds"], award["impossible"], award["highest"], award["exact"]) == (
        False,
        True,
        "35",
        "35",
    )
    assert (hits["impossible"], hits["highest"]) == (True, "18/37")
    answers = checks()["returns.claim-holds"].observe(results)
    failed = [one for one in answers if one.verdict.value == "not satisfied"]
    assert [one.expected for one in failed] == ["maximum award: 50 to 1", "hit frequency: 60.00 %"]
    said = [one.observed.partition("impossible under any play: ")[2] for one in failed]
    assert said == ["at most 35 to 1", "always 48.648649 % = 18/37"]
    table = further_claims(exact.claims, {})
    assert len(table.rows) == 3
    words = [" ".join(str(getattr(cell, "text", cell)) for cell in row) for row in table.rows]
    assert "Impossible: at least" in words[1]
    assert "Impossible: always 48.648649" in words[2]
