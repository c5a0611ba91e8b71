"""The printed tables of US 5,632,489: what holds, what slips, and over what it was counted."""

from __future__ import annotations

import json
import lzma
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from representatives import firsts

from certify.evidence.encode import plain
from certify.exact import decimal_text, parse_fraction
from certify.families.open_card.chances import deal_of
from certify.families.open_card.document import evidence_sections, open_card_json, printed_verdicts
from certify.families.open_card.printed import COLUMNS
from certify.families.open_card.readings import evaluated_readings
from certify.mathematics import analyze
from certify.submission import read_game

FIXTURES = Path(__file__).parents[3] / "fixtures"
GAMES, REPORTS = FIXTURES / "games", FIXTURES / "reports"
CASINO = read_game(GAMES / "us5632489-casino/game.toml")
HOME = read_game(GAMES / "us5632489-home/game.toml")
_, ROWS = printed_verdicts(CASINO)
BY_LABEL = {entry.label: entry for entry in ROWS}


PRINTED = {row.label: row for row in CASINO.printed_rows}


def test_what_is_said_of_tables_readings_and_edge_is_what_the_kept_report_says():
    kept = json.loads(lzma.decompress((REPORTS / f"{CASINO.id}.json.xz").read_bytes()))
    found = json.loads(json.dumps(plain(evidence_sections(CASINO, analyze(CASINO)))))
    assert found
    assert {part: kept.get(part) for part in found} == found


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
    from certify.submission.build import printed_share

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


@pytest.mark.slow
def test_no_single_reading_of_the_home_version_gives_the_bank_an_edge_but_three_together_do():
    document = open_card_json(HOME, analyze(HOME))
    together = document["combinations"]
    (bank,) = (entry for entry in together["all"] if parse_fraction(entry["return"]) <= 1)
    assert bank == together["lowest"]
    assert bank["reading"] == (
        "the player is dealt no more than two cards; a drawn 7½ is lost at once; the King of diamonds pays 1 to 1, "
        "the stake being part of it"
    )
    assert "the dealer stands on 6½ or more and always takes" in together["highest"]["reading"]
    assert "48 combinations of the readings evaluated 47 return more than 100 %" in together["sentence"]
    assert "None of the 8 readings evaluated changes that by itself" in document["findings"][0]["detail"]
