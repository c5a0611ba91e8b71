"""The printed tables of US 5,632,489: what holds, what slips, and over what it was counted."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from open_card_rules import counted, dealer_draws, end_of
from representatives import firsts

from certify.evidence.encode import plain
from certify.exact import decimal_text, parse_fraction
from certify.families.open_card.chances import deal_of, true_chances
from certify.families.open_card.document import open_card_json, printed_verdicts
from certify.families.open_card.printed import COLUMNS
from certify.families.open_card.readings import evaluated_readings
from certify.families.open_card.rules import rules_of
from certify.families.seven_and_a_half.cards import MATTA
from certify.mathematics import analyze
from certify.mathematics.figures_evidence import analysis_evidence
from certify.submission import read_game

GAMES = Path(__file__).parents[3] / "fixtures/games"
CASINO = read_game(GAMES / "us5632489-casino/game.toml")
HOME = read_game(GAMES / "us5632489-home/game.toml")
COUNTS, ROWS = printed_verdicts(CASINO)
BY_LABEL = {entry.label: entry for entry in ROWS}


@cache
def of_casino() -> dict[str, Any]:
    """What evidence says of the casino version; do not alter it."""
    return open_card_json(CASINO, analyze(CASINO))


PRINTED = {row.label: row for row in CASINO.printed_rows}


def test_every_printed_row_is_judged():
    assert len(CASINO.printed_counts) == len(COUNTS) == 21 + 3 + 2
    assert len(CASINO.printed_rows) == len(ROWS) == 23
    assert all(entry.reason for entry in ROWS)


def test_all_counts_and_bust_shares_hold():
    assert {entry.verdict for entry in COUNTS} == {"holds"}
    two_card = [row.ways for row in CASINO.printed_counts if row.of == "two-card-hands" and row.totals]
    assert sum(ways for ways in two_card if ways) == 780


def test_the_rows_that_slip_are_named_with_their_numbers():
    slipped = {label: entry.slips for label, entry in BY_LABEL.items() if entry.slips}
    assert set(slipped) == {
        "ACE-FACE CARD",
        "ACE-TWO",
        "ACE-THREE",
        "TWO-FOUR",
        "THREE-THREE",
        "ACE-SIX",
        "SEVEN",
        "SEVEN-FACE CARD",
    }
    assert slipped["ACE-THREE"] == ("win: printed 212/820, counted 211/820: +1 ways",)
    assert slipped["THREE-THREE"] == ("win: printed 359/820, counted 360/820: -1 ways",)
    assert slipped["ACE-SIX"] == ("win: printed 455/820, counted 447/820: +8 ways",)
    assert "the denominator is misprinted" in slipped["SEVEN"][0]
    assert "cut off, not rounded" in slipped["ACE-TWO"][0]
    assert "96.29 %" in slipped["SEVEN-FACE CARD"][0]


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


def test_rows_that_hold_by_rounding_their_terms_say_so():
    rounded = {label for label, entry in BY_LABEL.items() if any("rounded first" in r for r in entry.remarks)}
    assert rounded == {
        "TWO-FACED CARD",
        "THREE-FACE CARD",
        "FOUR-FACE CARD",
        "ACE-FIVE",
        "SIX",
        "SIX-FACE CARD",
    }
    assert "win printed 49.15, exactly 49.1557 %" in BY_LABEL["THREE-FACE CARD"].remarks[0]
    document = of_casino()
    rows = {row["label"]: row for row in document["printed"]["rows"]}
    assert "each term rounded first: " in rows["SIX"]["detail"]
    assert "loss: printed 2.5, the remainder" in rows["SEVEN-FACE CARD"]["detail"]
    assert "2.5 % is 1/40" in rows["SEVEN-FACE CARD"]["detail"]


def test_the_finding_names_the_rows_of_each_kind_and_every_wrong_count():
    finding = of_casino()["findings"][1]
    assert finding["title"].endswith("3 are miscounted, and 5 do not follow from their own terms")
    assert "fractions: ACE-THREE, THREE-THREE, ACE-SIX." in finding["detail"]
    assert "terms: ACE-FACE CARD, ACE-TWO, TWO-FOUR, SEVEN, SEVEN-FACE CARD." in finding["detail"]
    assert finding["detail"].startswith("26 of 26 printed counts hold. 15 of 23 rows")
    planted = tuple(replace(row, ways=7) if row.id == "two-card-14" else row for row in CASINO.printed_counts)
    changed = replace(CASINO, printed_counts=planted)
    detail = open_card_json(changed, analyze(changed))["findings"][1]["detail"]
    assert detail.startswith("25 of 26 printed counts hold; wrong: two-card-14.")


def test_no_row_but_the_king_is_a_probability():
    worth = {label: str(entry.as_probability) for label, entry in BY_LABEL.items()}
    assert worth.pop("KING OF DIAMONDS") == "holds"
    assert worth.pop("SEVEN-FACE CARD") == "not a probability"
    assert set(worth.values()) == {"wrong denominator"}


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
    from certify.submission.printed import printed_share

    return printed_share(decimal_text(value * 100, 2))


@pytest.mark.parametrize("label", firsts(["TWO TWOS", "ACE-FACE CARD", "SIX", "SEVEN-FACE CARD"], 2))
def test_conditional_probabilities_equal_every_ordered_deal(label):
    """Second way: all ordered deals of first, open, second card of both, by the rules of the reference engine."""
    row = PRINTED[label]
    table = analyze(CASINO).strategy
    chosen = dict(table.choices)
    rules = rules_of(CASINO)
    ends = {"dealer": 0, "tie": 0, "player": 0, "fold": 0}
    dealers = [
        cards
        for size in (1, 2)
        for cards in permutations(range(40), size)
        if sorted(min(card >> 2, 7) for card in cards) == sorted(row.hand)
        and cards[0] != MATTA
        and all(dealer_draws(cards[:n], rules) for n in range(1, size))
        and not dealer_draws(cards, rules)
    ]
    for dealer in dealers:
        left = [card for card in range(40) if card not in dealer]
        for first in (card for card in left if card != MATTA):
            decision = chosen[min(dealer[0] >> 2, 7), counted([first])]
            draws = [card for card in left if card != first]
            # The same number of deals each, whether the player takes the card or not.
            weight = 1 if decision.startswith("hit") else len(draws)
            for second in draws if weight == 1 else draws[:1]:
                player = (first, second) if weight == 1 else (first,)
                outcome = end_of(player, dealer)
                end = {"win": "player", "push": "tie"}.get(outcome, "dealer")
                ends["fold" if decision == "fold" else end] += weight
    total = sum(ends.values())
    chances = true_chances(deal_of(CASINO), table, row.hand)
    assert chances.dealer_wins == Fraction(ends["dealer"], total)
    assert chances.tie == Fraction(ends["tie"], total)
    assert chances.player_wins == Fraction(ends["player"], total)
    assert chances.player_folds == Fraction(ends["fold"], total)


def test_the_casino_version_gives_the_player_the_edge_and_says_so():
    analysis = analyze(CASINO)
    document = plain(analysis_evidence(analysis, CASINO)) | open_card_json(CASINO, analysis)
    ante = document["wagers"]["ante"]
    assert ante["return"] == "201034/137085"
    assert parse_fraction(ante["return_on_total_wagered"]) == 1 + Fraction(63949, 137085) / parse_fraction(
        ante["total_wagered"]
    )
    assert document["edge"]["side"] == "player"
    assert [(entry["check"], entry["severity"]) for entry in document["findings"]] == [
        ("returns.not-above-total", "critical"),
        ("printed.tables-hold", "major"),
    ]
    assert "146.6492 %" in document["findings"][0]["title"]
    assert len(document["decisions"]) == 64
    assert {decision["dealer"] for decision in document["decisions"]} == {*"A234567", "face"}


def test_what_is_staked_rests_on_a_rule_for_equal_bets_and_the_interval_is_stated():
    """Second way: the decisions whose two bets are worth the same, looked up in their values."""
    edge = of_casino()["edge"]
    equal = edge["equal_final_bets"]
    decisions = {(entry.hand, entry.dealer): entry for entry in analyze(CASINO).decisions}
    tied = {}
    for pair, entry in decisions.items():
        best = [move for move, value in entry.values.items() if value == max(entry.values.values())]
        if len(best) > 1:
            tied[pair] = best
    assert {(pair["hand"], pair["dealer"]) for pair in equal["pairs"]} == set(tied)
    assert len(tied) == 5
    assert all(decisions[pair].chosen == best[0] for pair, best in tied.items())
    assert all(best[0].endswith("-1") and best[-1].endswith("-2") for best in tied.values())
    more = sum((decisions[pair].probability for pair in tied), Fraction(0))
    net = analyze(CASINO).wager("ante").expectation
    staked = parse_fraction(equal["smaller"]["total_wagered"])
    assert parse_fraction(equal["larger"]["total_wagered"]) == staked + more
    assert equal["interval"] == [str(1 + net / (staked + more)), str(1 + net / staked)]
    assert decimal_text(100 * (1 + net / (staked + more)), 4) == "119.5626"
    assert equal["sentence"].endswith("the variance per initial stake is 5.38 or 5.88.")


@pytest.mark.slow
def test_what_is_told_of_the_casino_version_alone_is_not_told_of_the_home_version():
    document = open_card_json(HOME, analyze(HOME))
    assert "equal_final_bets" not in document["edge"]
    # No floor is asked of a game that the players bank in turn.
    assert "floor" not in document["findings"][0]["detail"]


@pytest.mark.parametrize(("game", "bank"), firsts([(CASINO, "house"), (HOME, "bank")]))
def test_where_a_player_banks_no_house_has_an_edge(game, bank):
    edge = open_card_json(game, analyze(game, "time-out"))["edge"]
    assert (edge["side"], edge["bank"]) == (bank, bank)
    assert edge["sentence"].startswith("The bank has the edge")


def test_every_reading_is_evaluated():
    casino = {entry.reading: entry for entry in evaluated_readings(CASINO)}
    assert [entry.reading for entry in casino.values() if entry.what_if] == ["what if a tie lost all bets"]
    returns = {reading: entry.return_ for reading, entry in casino.items()}
    assert len(returns) == 7 + 1
    assert returns["the player must draw or fold"] == Fraction(67293, 91390)
    assert [reading for reading, value in returns.items() if value <= 1] == ["the player must draw or fold"]


@pytest.mark.slow
def test_every_reading_of_the_home_version_is_evaluated():
    home = {entry.reading: entry.return_ for entry in evaluated_readings(HOME)}
    assert len(home) == 8 + 1
    assert min(home.values()) > 1
    dealers = [reading for reading in home if reading.startswith("the dealer stands")]
    assert len(dealers) == 3, "with the adopted one, every combination of the two contradictory sentences"


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


def test_the_floor_of_a_house_banked_game_is_told_of_the_readings_below_it():
    together = of_casino()
    low = [e for e in together["combinations"]["all"] if parse_fraction(e["return"]) < Fraction(3, 4)]
    detail = together["findings"][0]["detail"]
    assert detail.endswith(
        f"lie: the player must draw or fold: 73.6328 %; and {len(low)} of the 32 combinations."
    )
    assert low
    assert all("must draw or fold" in entry["reading"] for entry in low)


def test_one_decision_worked_out_by_hand():
    """A 3 against a 4, as in docs/methods/open-card.md: 23 of 38 cards beat a standing 3, 15 bust the dealer."""
    decisions = {(entry.hand, entry.dealer): entry for entry in analyze(CASINO).decisions}
    decision = decisions["3", "4"]
    assert decision.values["stand-1"] == 2 * Fraction(15 - 23, 38) == Fraction(-8, 19)
    assert decision.values["hit-1"] == Fraction(-283, 703)
    assert decision.values["fold"] == -1
    assert decision.best == decision.chosen == "hit-1"


@pytest.mark.parametrize(
    ("game", "count", "above"), firsts([(CASINO, 32, 16), (HOME, 48, 47)]), ids=["casino", "home"]
)
def test_the_readings_are_evaluated_together_too(game, count, above):
    """The tree of a combination is solved anew; the lowest of all and the highest are named in the finding."""
    document = open_card_json(game, analyze(game))
    together = document["combinations"]
    returns = [parse_fraction(entry["return"]) for entry in together["all"]]
    assert (together["count"], together["above_100_percent"]) == (len(returns), sum(r > 1 for r in returns))
    assert (len(returns), together["above_100_percent"]) == (count, above)
    assert parse_fraction(together["lowest"]["return"]) == min(returns)
    assert parse_fraction(together["highest"]["return"]) == max(returns)
    assert together["sentence"] in document["findings"][0]["detail"]
    assert [entry["adopted"] for entry in together["all"]] == [True] + [False] * (count - 1)


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


@pytest.mark.parametrize("game", firsts([CASINO, HOME]), ids=["casino", "home"])
def test_a_lost_tie_is_no_reading_and_in_no_combination(game):
    document = open_card_json(game, analyze(game))
    asked = [entry for entry in document["readings"] if entry["what_if"]]
    assert [entry["reading"] for entry in asked] == ["what if a tie lost all bets"]
    assert not any("tie los" in entry["reading"] for entry in document["combinations"]["all"])
    assert "tie lo" not in document["findings"][0]["detail"]
