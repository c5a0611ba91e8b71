"""A printed row that no round reaches is a finding, with its claim: the file is read, counted and judged."""

from pathlib import Path

import pytest
from representatives import firsts

from certify.certification.exact import exact_evidence, exact_results
from certify.clauses.jurisdiction import regime_of
from certify.clauses.registry import checks
from certify.cli.main import run
from certify.errors import SubmissionError
from certify.evidence.encode import plain
from certify.submission import read_game

SIC_BO = (Path(__file__).parents[2] / "fixtures/games/sic-bo/game.toml").read_text("utf-8")
ROW = '[[wagers.paytable]]\nid = "four-alike"\ntitle = "Four alike"\npays = "500 to 1"\n\n'
CLAIM = (
    '[[claims]]\nwager = "any-triple"\nmetric = "odds-of-row"\nprinted = "1 in 1,296"\nsource = "figures"\n'
    'row = "four-alike"\n\n'
)
SETTLED = '\n[[settled_by]]\nwager = "any-triple"\nwhen = "sum of dice is 24"\nrow = "four-alike"\n'


def spoilt(folder, settled=""):
    path = folder / "game.toml"
    before, after = SIC_BO.split('id = "any-triple"', 1)
    after = after.replace("[[wagers.paytable]]", f"{ROW}[[wagers.paytable]]", 1)
    path.write_text(
        f'{before}id = "any-triple"{after}'.replace("[terms]", f"{CLAIM}[terms]", 1) + settled, "utf-8"
    )
    return path


def failed(results, check):
    return [
        (answer.subject, answer.observed)
        for answer in checks()[check].observe(results)
        if answer.verdict.value == "not satisfied"
    ]


@pytest.mark.parametrize("settled", firsts(["", SETTLED]))
def test_the_row_and_its_claim_are_findings_and_nothing_else_of_the_game_is_lost(tmp_path, capsys, settled):
    path = spoilt(tmp_path, settled)
    results = exact_results(read_game(path), regime_of([]), thorough=False)
    assert failed(results, "awards.reachable") == [("any-triple", "missing: four-alike")]
    assert failed(results, "submission.complete") == [
        ("any-triple", "rows: 2; uncovered: none; without a hand: four-alike")
    ]
    assert failed(results, "returns.claim-holds") == [
        ("any-triple", "never under main-optimal; impossible: no round reaches the row")
    ]
    (odds,) = (
        claim for claim in plain(exact_evidence(results, sensitivity=False))["claims"] if claim.get("row")
    )
    assert (odds["holds"], odds["impossible"], odds["exact"]) == (False, True, "0")
    assert run(["analyze", str(path)]) == 0
    said = capsys.readouterr().out
    assert (
        "printed 1 in 1,296 (odds-of-row four-alike): DOES NOT HOLD, IMPOSSIBLE: no round reaches the row"
        in said
    )


def test_lint_remarks_on_the_row_at_its_line(tmp_path, capsys):
    path = spoilt(tmp_path)
    line = path.read_text("utf-8").splitlines().index('id = "four-alike"') + 1
    assert run(["lint", str(path)]) == 0
    assert run(["lint", "--strict", str(path)]) == 1
    said = f'{path}:{line}: remark: no round reaches the printed row "four-alike" of "any-triple"'
    assert said in capsys.readouterr().out


def test_a_round_that_no_row_covers_still_refuses_the_file(tmp_path):
    path = spoilt(tmp_path)
    path.write_text(path.read_text("utf-8").replace('id = "three"', 'id = "thrice"'), "utf-8")
    with pytest.raises(SubmissionError, match='the row "three" is not in the paytable of single'):
        read_game(path)
