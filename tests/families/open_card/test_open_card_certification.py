"""The printed tables of US 5,632,489 and a run on its casino game: what holds, what slips, what is found."""

import copy
import csv
import io
import json
import lzma
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from computing_again import TINY, Silent, small_runs
from open_card_rules import CASINO, HOME
from representatives import firsts

from certify.certification import tables
from certify.certification.conclude import checks_for, conclude, observe
from certify.certification.findings import findings_of, numbered
from certify.certification.request import RunRequest
from certify.certification.run import run_certification
from certify.clauses import Answer, Results, load_catalogue, regime_of
from certify.clauses.registry import checks
from certify.evidence import JudgedTables, Sections, plain
from certify.evidence.read import evidence_of, read
from certify.exact import decimal_text
from certify.families.open_card.chances import deal_of
from certify.families.open_card.family import evidence_sections, open_card_json, printed_verdicts
from certify.families.open_card.printed import COLUMNS
from certify.families.open_card.readings import evaluated_readings
from certify.mathematics import analyze, exposure
from certify.model import Game, Overall, Paytable, Severity, Verdict
from certify.rounds import Rounding, returned_on
from certify.submission import parse_game

FIXTURES = Path(__file__).parents[3] / "fixtures"
KEPT = json.loads(lzma.decompress((FIXTURES / "reports/us5632489-casino.json.xz").read_bytes()))
"""The evidence of the kept report, which ``tests/faults`` computes again leaf by leaf."""
_, ROWS = printed_verdicts(CASINO)
BY_LABEL = {entry.label: entry for entry in ROWS}


PRINTED = {row.label: row for row in CASINO.printed_rows}


def test_what_is_said_of_tables_readings_and_edge_is_what_the_kept_report_says():
    found = json.loads(json.dumps(plain(evidence_sections(CASINO, analyze(CASINO)))))
    assert found
    assert {part: KEPT.get(part) for part in found} == found


def test_the_kinds_of_rows_are_told_apart_cell_by_cell():
    """Second way: each cell by its own arithmetic, with nothing of the judged module."""

    def hundredths(value: Fraction) -> Fraction:
        return Fraction(int(value * 10_000 + Fraction(1, 2)), 100)

    bust = hundredths(Fraction(216, 780))
    sums, miscounted, exact = set(), set(), set()
    for entry in ROWS[:-1]:
        row = PRINTED[entry.label]
        won, tied, lost = (Fraction(row.share(column).text.split()[0].rstrip("*")) for column in COLUMNS)
        ways = row.share("dealer_wins").ways
        terms = hundredths(Fraction(*(ways or (0, 1)))) + bust
        if won == terms and tied == hundredths(Fraction(*row.share("tie").ways)) and lost == 100 - won - tied:
            sums.add(row.label)
        counted = Fraction(entry.ways["below"], 820) + Fraction(216, 780)
        if ways not in (None, (entry.ways["below"], 820)):
            miscounted.add(row.label)
        shares = (
            counted,
            Fraction(entry.ways["equal"], 820),
            1 - counted - Fraction(entry.ways["equal"], 820),
        )
        if (won, tied, lost) == tuple(map(hundredths, shares)):
            exact.add(row.label)
    by_footing = {
        word: {entry.label for entry in ROWS if str(entry.footing) == word}
        for word in ("holds", "miscounted", "does not follow from its own terms")
    }
    king = {"KING OF DIAMONDS"}
    assert by_footing["miscounted"] == miscounted == {"ACE-THREE", "THREE-THREE", "ACE-SIX"}
    assert by_footing["holds"] == sums - miscounted | king
    assert set(by_footing["does not follow from its own terms"]) == set(BY_LABEL) - sums - king
    assert [len(labels) for labels in by_footing.values()] == [15, 3, 5]
    assert {entry.label for entry in ROWS if entry.exactly_rounded} == exact | king
    # The percentages of the misprinted 51/821 are those of 51/820: right figures in a row that does not hold.
    assert exact - by_footing["holds"] == {"SEVEN"}
    assert len((exact | king) & by_footing["holds"]) == 9


def test_a_row_planted_right_is_found_right():
    """Were the true conditional probabilities printed, the row would hold as a probability."""
    entry = BY_LABEL["TWO TWOS"]
    chances = entry.conditional["always-second-card"]
    printed = replace(
        CASINO.printed_rows[7],
        shares=tuple((column, share(chances[column].probability)) for column in COLUMNS),
    )
    changed = replace(CASINO, printed_rows=(printed,))
    assert CASINO.printed_rows[7].label == "TWO TWOS"
    assert str(printed_verdicts(changed)[1][0].as_probability) == "holds"


def share(value: Fraction):
    from certify.submission import printed_share

    return printed_share(decimal_text(value * 100, 2))


@pytest.mark.parametrize(("game", "bank"), firsts([(CASINO, "house"), (HOME, "bank")]))
def test_where_a_player_banks_no_house_has_an_edge(game, bank):
    edge = open_card_json(game, analyze(game, "time-out"))["edge"]
    assert (edge["side"], edge["bank"]) == (bank, bank)
    assert edge["sentence"].startswith("The bank has the edge")


def test_ever_smaller_final_bets_reach_the_limit_that_is_stated():
    """A weak hand is worth its value with one ante at risk when next to nothing is bet beside the ante."""
    (entry,) = (entry for entry in evaluated_readings(CASINO) if "as small as wanted" in entry.reading)
    tree = deal_of(CASINO)
    deals = tree.deck.size * (tree.deck.size - 1)
    worth = Fraction(3, 40) - Fraction(1, 40)
    values = {(entry.hand, entry.dealer): entry.values for entry in analyze(CASINO).decisions}
    names = (*"A234567", "face")
    for first, shown, ways in tree.first_deals():
        per_bet = {
            move: value for move, value in values[names[first], names[shown]].items() if move != "fold"
        }
        # With one ante of final bet everything staked is two antes; a half of that is the ante alone.
        one = max(value for move, value in per_bet.items() if move.endswith("-1")) / 2
        worth += Fraction(ways, deals) * max(Fraction(-1), one, 3 * one)
    assert entry.return_ == 1 + worth
    assert decimal_text(100 * entry.return_, 3) == "151.556"


def test_one_decision_worked_out_by_hand():
    """A 3 against a 4, as in docs/methods/open-card.md: 23 of 38 cards beat a standing 3, 15 bust the dealer."""
    decisions = {(entry.hand, entry.dealer): entry for entry in analyze(CASINO).decisions}
    decision = decisions["3", "4"]
    assert decision.values["stand-1"] == 2 * Fraction(15 - 23, 38) == Fraction(-8, 19)
    assert decision.values["hit-1"] == Fraction(-283, 703)
    assert decision.values["fold"] == -1
    assert decision.best == decision.chosen == "hit-1"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "percent"),
    [
        ("the player is dealt no more than two cards", "105.81"),
        ("a drawn 7½ is lost at once", "105.43"),
        ("a drawn 7½ beats no total of the dealer", "106.54"),
    ],
)
def test_the_passages_of_the_home_version_return_what_brute_force_counts(words, percent):
    """Percentages counted beside this project, card by card."""
    home = {entry.reading: entry.return_ for entry in evaluated_readings(HOME)}
    assert decimal_text(100 * home[words], 2) == percent


# A run on a game with an open dealer's card: what fails, its tables and findings.


SUBMITTED = FIXTURES / "games/us5632489-casino/game.toml"
AT = datetime(2026, 11, 21, tzinfo=UTC)


@pytest.fixture(scope="module")
def results() -> Results:
    request = RunRequest(parse_game(SUBMITTED.read_bytes(), "game.toml"), TINY, bytes(range(32)), AT)
    with small_runs():
        return run_certification(request, Silent()).results


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
    assert any("is not what counting gives" in one.title and one.severity is Severity.MAJOR for one in found)


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


def test_cards_are_named_by_the_suits_of_the_game() -> None:
    witness = next(one for one in KEPT["witnesses"] if one["row"] == "king-of-diamonds")
    assert witness["deck_names"][0] == "K of diamonds"
    assert not any("Denari" in line for played in KEPT["played_rounds"] for line in played["trace"])


def test_every_printed_figure_and_combination_is_in_the_files() -> None:
    made = evidence_of(KEPT)
    written = {table.name: table.written(made) for table in tables.tables_of(made)}
    judged = list(csv.DictReader(io.StringIO(written["data/printed-tables.csv"].decode())))
    assert len(judged) == len(CASINO.printed_counts) + len(CASINO.printed_rows)
    assert all(row["verdict"] for row in judged)
    readings = list(csv.DictReader(io.StringIO(written["data/readings.csv"].decode())))
    # Standing or not, four ways to bet, two to tie, two to pay the King of diamonds.
    evaluated = [row for row in readings if row["what_if"] == "no"]
    assert (len(evaluated), len(readings)) == (2 * 4 * 2 * 2, 2 * 4 * 2 * 2 + 1)
    assert [row["return"] for row in readings if row["adopted"] == "yes"] == ["201034/137085"]
    best = written["data/decisions-main-optimal.csv"]
    assert best != written["data/decisions-always-second-card.csv"]


# Printed tables judged otherwise than they are, findings told twice, and rounds recorded otherwise than they were.


@pytest.fixture(scope="module")
def judged() -> dict[str, Any]:
    tables: dict[str, Any] = plain(evidence_sections(CASINO, analyze(CASINO)).judged_tables)
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
    judged: dict[str, Any], table: str, spoilt: str, subject: str
) -> None:
    document = copy.deepcopy(judged)
    for row in document["rows"]:
        row.update(as_probability="holds", under_implied_reading="holds")
    document[table][4][spoilt] = "arithmetic slip"
    found = {name: answer.verdict for name, answer in answers(CASINO, document).items()}
    assert [name for name, verdict in found.items() if verdict is Verdict.NOT_SATISFIED] == [subject]
    assert len(found) == 3
    whole = len(document[table])
    assert f"{whole - 1} of {whole} hold; 1 arithmetic slip" in answers(CASINO, document)[subject].observed


@pytest.mark.parametrize("table", ["counts", "rows"])
@pytest.mark.parametrize("kept", [0, -1], ids=["none judged", "one missed"])
def test_a_table_of_which_something_was_not_judged_is_not_passed_over(
    judged: dict[str, Any], table: str, kept: int
) -> None:
    document = copy.deepcopy(judged)
    for row in document["rows"]:
        row.update(as_probability="holds", under_implied_reading="holds")
    assert {answer.verdict for answer in answers(CASINO, document).values()} == {Verdict.SATISFIED}
    document[table] = document[table][:kept]
    missed = [answer for name, answer in answers(CASINO, document).items() if name.startswith(table)]
    assert missed
    assert all(answer.verdict is Verdict.NOT_SATISFIED for answer in missed)


def test_the_finding_on_printed_tables_is_about_the_clause_that_the_catalogue_gives_its_check() -> None:
    results = results_of(CASINO)
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
