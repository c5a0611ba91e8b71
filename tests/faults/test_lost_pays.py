"""Pays that a submission leaves out are recovered from what is printed; what is not said or empty is told plainly."""

import hashlib
import re
from fractions import Fraction
from pathlib import Path

import pytest

from certify.certification.exact import exact_results
from certify.clauses.jurisdiction import regime_of
from certify.cli.main import run
from certify.errors import SubmissionError
from certify.mathematics import analyze
from certify.model.finding import CONDITION
from certify.model.game import Provenance
from certify.submission import parse_game

ROOT = Path(__file__).parents[2]
SEVEN = (ROOT / "fixtures/games/playtech-7-e-mezzo/game.toml").read_text("utf-8")
ROULETTE = (ROOT / "fixtures/games/roulette-single-zero/game.toml").read_text("utf-8")
BACCARAT = (ROOT / "fixtures/games/baccarat-punto-banco/game.toml").read_text("utf-8")
_PAGE = (ROOT / "docs/single-draw.md").read_text("utf-8")
THREE_DICE = _PAGE[_PAGE.index('schema = "certify-game/1"') : _PAGE.index("```", _PAGE.index('schema = "'))]


def read(text):
    return parse_game(text.encode(), "game.toml")


def without_pays(text):
    """The submission without the pays that its source lost."""
    return re.sub(r'pays = "[^"]*"\nprovenance = "recovered"\nby = "[^"]*"\n(unique = false\n)?', "", text)


def test_the_lost_pays_of_the_published_game_are_filled_in_from_its_printed_returns():
    text = without_pays(SEVEN)
    # The readings of two rules were recovered besides.
    assert (SEVEN.count('provenance = "recovered"'), text.count('provenance = "recovered"')) == (11, 2)
    game = read(text)
    king = game.wager("main").paytable.rows[0]
    # The only one of 28 candidates that fits, as the fixture found it.
    assert (king.pays, king.origin.unique) == (Fraction(2), True)
    assert king.origin.by == "main/99.54 %: the only one of 28 candidates that fits"
    for wager in game.wagers[1:]:
        assert all(row.origin.provenance is Provenance.RECOVERED for row in wager.paytable.rows)
        assert not any(row.origin.unique for row in wager.paytable.rows)
        assert "whole-number paytables that fit" in wager.paytable.rows[0].origin.by
    # Of what fits, pays are taken under which no better way of playing returns more than is printed.
    analyses = [analyze(game, name) for name in ("main-optimal", "always-second-card")]
    assert max(one.wager("mano-di-poker").return_to_player for one in analyses) == Fraction(183, 190)


def test_a_pay_is_recovered_from_a_house_edge_too():
    game = read(THREE_DICE.replace('pays = "3 to 1"\n', ""))
    row = game.wager("six").paytable.rows[0]
    assert (row.pays, row.origin.by) == (
        Fraction(3),
        "six/a house edge of 7.87 %: the only one of 500 candidates that fits",
    )


@pytest.mark.slow
def test_a_lost_pay_that_is_no_whole_number_is_looked_for_among_the_odds_that_layouts_print():
    game = read(BACCARAT.replace('pays = "19 to 20"\n', "", 1))
    win, push = game.wager("banker").paytable.rows
    assert (win.pays, win.origin.unique) == (Fraction(19, 20), True)
    assert win.origin.by == "banker/98.9421 %: the only one of 524 candidates that fits"
    assert push.pays == 0


@pytest.mark.slow
def test_a_lost_pay_that_no_layout_prints_is_said_to_be_no_answer():
    # A commission of six per cent is no odds that a layout prints: the nearest is taken, and said to be no answer.
    other = read(BACCARAT.replace('pays = "19 to 20"\n', "", 1).replace("98.9421 %", "98.4836 %"))
    row = other.wager("banker").paytable.rows[0]
    assert (row.pays, row.origin.unique) == (Fraction(19, 20), False)
    assert row.origin.by.endswith("none of 524 candidates fits, the nearest is taken")


def test_a_pay_left_out_where_nothing_is_printed_is_a_mistake_with_its_line():
    text = THREE_DICE.replace('pays = "3 to 1"\n', "").replace(
        'metric = "house-edge"', 'metric = "hit-frequency"'
    )
    line = text.splitlines().index('id = "three"') + 1
    with pytest.raises(
        SubmissionError, match=rf'game.toml:{line}: the row "three" has no pays, and no return'
    ):
        read(text)


def test_a_pay_that_is_left_out_states_no_provenance():
    text = THREE_DICE.replace('pays = "3 to 1"\n', 'provenance = "adopted"\nby = "guess"\n')
    with pytest.raises(SubmissionError, match="provenance of a pay that is left out"):
        read(text)


def findings(text):
    results = exact_results(read(text), regime_of([]), thorough=False)
    from certify.certification.conclude import checks_for, conclude, observe

    exact = {name: one for name, one in checks_for(results).items() if name.startswith("returns.claim")}
    found = conclude(results, observe(exact, results), "game.toml", demonstration=False).findings  # type: ignore[arg-type]
    return {one.title: (one.severity.name, one.status) for one in found}


def test_a_false_claim_behind_a_lost_pay_is_recovered_by_the_nearest_and_does_not_hold():
    text = THREE_DICE.replace('pays = "3 to 1"\n', "").replace("7.87 %", "90.00 %")
    row = read(text).wager("six").paytable.rows[0]
    assert row.origin.by.endswith("none of 524 candidates fits, the nearest is taken")
    said = findings(text)
    assert said["The pays of Six are lost, and none of 524 candidates returns the printed figure"] == (
        "MAJOR",
        CONDITION,
    )
    assert any(title.startswith("Not satisfied: Each printed return is the exact return") for title in said)


def test_a_source_that_prints_no_return_and_one_without_text_are_findings():
    left_out = re.sub(r"\[\[claims\]\]\n(?:.+\n)+", "", THREE_DICE)
    empty_list = left_out.replace("rules = []", "rules = []\nclaims = []")
    assert read(left_out).claims == read(empty_list).claims == ()
    said = findings(left_out)
    assert said["No return and no house edge is printed for 1 of 1 wager"][0] == "NOTE"
    assert not any("is empty" in title for title in findings(THREE_DICE))
    empty = re.sub(r'sha256 = "\w+"', f'sha256 = "{hashlib.sha256(b"").hexdigest()}"', THREE_DICE)
    assert (
        findings(empty)["The text “Chuck-a-luck as printed” on which the submission rests is empty"][0]
        == "MAJOR"
    )


def test_lint_remarks_on_a_text_without_a_byte(tmp_path, capsys):
    path = tmp_path / "game.toml"
    path.write_text(re.sub(r'sha256 = "\w+"', f'sha256 = "{hashlib.sha256(b"").hexdigest()}"', THREE_DICE))
    assert run(["lint", str(path)]) == 0
    assert 'remark: the text of the source "rules" is empty' in capsys.readouterr().out


def test_a_lost_pay_of_a_game_whose_best_play_is_found_anew_is_filled_in():
    text = (ROOT / "fixtures/games/red-dog/game.toml").read_text("utf-8")
    lost = text.replace(', title = "One rank between", pays = "5 to 1" }', ', title = "One rank between" }')
    assert lost != text
    (row,) = (row for row in read(lost).wager("bet").paytable.rows if row.id == "spread-1")
    assert (row.pays, row.origin.provenance) == (5, Provenance.RECOVERED)


def test_a_pay_that_only_one_candidate_fits_is_a_condition_too():
    """GLI-19 v3.0 4.4.1(d): the rules state what each winning outcome pays, and these do not."""
    said = findings(re.sub(r'pays = "(8|35) to 1"\n', "", ROULETTE))
    unique = {title: word for title, word in said.items() if "one of 500 candidates fits, unique" in title}
    assert len(unique) == 3, said
    assert set(unique.values()) == {("MAJOR", CONDITION)}
