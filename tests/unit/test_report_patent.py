"""Reports on games with one wager and an open dealer's card: nothing skipped, nothing of another game."""

from __future__ import annotations

import html
import re
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest
from evidence_filled import viewed
from report_patent import patent_evidence

from certify.errors import RenderError
from certify.messages import NARROW, speaking
from certify.report.formats import MINUS, decimal, percent, prose
from certify.report.layout import PageTable
from certify.report.markup import render_markup
from certify.report.pdf import render_html
from certify.report.view import ReportView
from certify.report.words import decision_mark

HOSTILE = '<script>alert(1)</script>{{ 7 * 7 }}" onload="x'
HOME = "home-player-maximum-cards"
"""The game at home, of whose rules one passage alone is read otherwise."""
OTHER_GAME = (
    "Partita Perfetta",
    "Mano di Poker",
    "7 e Mezzo",
    "Denari",
    "main wager",
    "first wager",
    "side stake",
    "All wagers together",
    "over all wagers",
    "Recovery of lost pays",
    "Returns as printed",
    "Recovered:",
)


@pytest.fixture(scope="module")
def casino() -> ReportView:
    evidence = patent_evidence("casino")
    with speaking("en", evidence["item"]["family"]):
        return viewed(evidence)


@pytest.fixture(scope="module")
def home() -> ReportView:
    return viewed(patent_evidence(HOME))


def words(markup: str) -> str:
    """The text of a page without its tags, its style and its script, spaces in ones."""
    body = re.sub(r"<(style|script)>.*?</\1>", "", markup, flags=re.DOTALL)
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", " ", body)))


def column(table: PageTable | None, place: int) -> list[str]:
    assert table is not None
    return [row[place].text for row in table.rows]


def test_every_printed_count_appears_with_its_exact_value_and_verdict(casino: ReportView) -> None:
    counts = patent_evidence("casino")["judged_tables"]["counts"]
    assert casino.printed is not None
    table = casino.printed.counts
    assert len(counts) == 26
    assert column(table, 2) == [entry["printed"] for entry in counts]
    assert column(table, 3) == [entry["exact"] for entry in counts]
    assert column(table, 6) == [entry["verdict"] for entry in counts]
    assert len(set(column(table, 0))) == 26


def test_every_printed_row_appears_sign_by_sign_with_both_verdicts_and_their_numbers(
    casino: ReportView,
) -> None:
    rows = patent_evidence("casino")["judged_tables"]["rows"]
    part = casino.printed
    assert part is not None
    assert part.implied is not None
    assert part.worth is not None
    assert len(rows) == len(part.implied.rows) == len(part.worth.rows) == 23
    for row, implied, worth in zip(rows, part.implied.rows, part.worth.rows, strict=True):
        columns = ("dealer_wins", "tie", "player_wins")
        assert [cell.text for cell in implied[:4]] == [
            row["label"],
            *(row["printed"][key] for key in columns),
        ]
        exact = [Fraction(row["implied"][key]) for key in columns]
        assert [cell.text for cell in implied[4:7]] == [decimal(100 * share, 2) for share in exact]
        assert implied[7].text == row["under_implied_reading"]
        assert implied[7].lines == tuple(map(prose, (*row["slips"], *row["remarks"])))
        assert worth[7].text == row["as_probability"]
        assert worth[7].lines == (prose(row["reason"]),)


def test_true_probabilities_stand_for_every_row_and_every_way_of_playing(casino: ReportView) -> None:
    rows = patent_evidence("casino")["judged_tables"]["rows"]
    assert casino.printed is not None
    table = casino.printed.chances
    assert table is not None
    assert [title.title for title in table.columns[2:6]] == [
        f"main-optimal: {what}" for what in ("dealer wins", "tie", "player wins", "folds")
    ]
    six = next(place for place, row in enumerate(rows) if row["label"] == "SIX")
    assert [cell.text for cell in table.rows[six][2:6]] == ["0.00", "7.89", "10.53", "81.58"]
    assert [cell.text for cell in table.rows[-1]] == ["KING OF DIAMONDS", "100", *["100.00", "0.00", "0.00"],
                                                     "0.00", "100.00", "0.00", "0.00"]  # fmt: skip


def test_the_verdicts_are_counted_before_they_are_listed(casino: ReportView) -> None:
    printed = patent_evidence("casino")["judged_tables"]
    assert casino.printed is not None
    across = [title.title.lower() for title in casino.printed.totals.columns[1:-1]]
    for row, entries, key in zip(
        casino.printed.totals.rows,
        (printed["counts"], printed["rows"], printed["rows"]),
        ("verdict", "under_implied_reading", "as_probability"),
        strict=True,
    ):
        found = Counter(entry[key] for entry in entries)
        assert {word: int(cell.text) for word, cell in zip(across, row[1:-1], strict=True)} == {
            word: found[word] for word in across
        }
        assert row[-1].text == str(len(entries))
    shown = words(render_markup(casino, "screen"))
    chapter = shown[shown.rindex("Verdicts in total") :]
    assert chapter.index("What the two readings mean") < chapter.index("Printed counts of hands")


def test_a_critical_finding_stands_first_wherever_findings_stand(casino: ReportView) -> None:
    title = f"The game returns 146.6492{NARROW}% of the ante"
    assert casino.findings[0].severity.word == "critical"
    assert casino.findings[0].title.startswith(title)
    assert casino.summary.headlines[0].id == casino.findings[0].id
    assert [finding.severity.word for finding in casino.findings] == ["critical", "major", "note"]
    shown = words(render_markup(casino, "screen"))
    first = shown.index(f"Critical finding {casino.findings[0].id}")
    assert first < shown.index("About this report")
    summary = shown[shown.index("Skip to the summary") :]
    assert summary.index(f"{casino.findings[0].id}: The game") < summary.index("Returns to the player")


def test_who_has_the_edge_is_said_on_the_second_page(casino: ReportView) -> None:
    assert casino.summary.edge.startswith(f"The player has the edge: 46.6492{NARROW}% of the ante")
    assert f"only 1 would bring the return to 100{NARROW}% or below: the player must draw or fold" in (
        casino.summary.readings
    )
    table = casino.summary.returns
    assert (
        [title.title for title in table.columns]
        if table
        else []
        == [
            "Way of playing",
            "Return per ante",
            "Return per unit of everything staked",
            "Who has the edge",
        ]
    )
    assert column(table, 1) == [f"146.6492{NARROW}%", f"62.2725{NARROW}%"]
    assert column(table, 2) == [f"120.6389{NARROW}%", f"80.6526{NARROW}%"]
    assert column(table, 3) == [f"player, 46.6492{NARROW}%", f"house, 37.7275{NARROW}%"]


@pytest.mark.parametrize("name", ["casino", pytest.param("home", marks=pytest.mark.slow)])
def test_every_reading_stands_with_its_return_and_one_is_adopted(name: str) -> None:
    entries = patent_evidence(name)["evaluated_readings"]
    part = viewed(patent_evidence(name)).mathematics.readings
    assert part is not None
    assert [text.lower() for text in column(part.table, 0)] == [entry["reading"].lower() for entry in entries]
    assert column(part.table, 1) == [percent(Fraction(entry["return"]), 4) for entry in entries]
    assert [row[-1].text for row in part.table.rows].count("✓") == 1
    assert part.table.rows[0][-1].text == "✓"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "readings", "combinations", "above"),
    [(HOME, 2, 2, "all"), pytest.param("home", 8, 48, "47", marks=pytest.mark.slow)],
)
def test_where_no_reading_takes_the_edge_away_it_is_said(
    name: str, readings: int, combinations: int, above: str
) -> None:
    assert viewed(patent_evidence(name)).summary.readings == (
        f"{readings} readings of the rules were evaluated; none would bring the return to 100{NARROW}% or below. "
        f"Of {combinations} combinations of the readings evaluated {above} return more than is staked."
    )


@pytest.mark.parametrize("name", ["casino", pytest.param("home", marks=pytest.mark.slow)])
def test_every_combination_of_readings_stands_the_lowest_first(name: str) -> None:
    found = patent_evidence(name)["reading_combinations"]
    part = viewed(patent_evidence(name)).mathematics.readings
    assert part is not None
    ordered = sorted(found["all"], key=lambda entry: Fraction(entry["return"]))
    assert column(part.combinations, 1) == [percent(Fraction(entry["return"]), 4) for entry in ordered]
    assert {text.lower() for text in column(part.combinations, 0)} == {
        entry["reading"].lower() for entry in found["all"]
    }
    assert part.combined == prose(found["sentence"])
    assert part.figure is not None
    assert part.figure.drawing.count("<circle") == found["count"] + 1
    assert f"{found['above_100_percent']} of them lie above 100 %" in part.figure.alternative


def test_a_fair_game_asks_which_readings_return_more() -> None:
    evidence = patent_evidence("casino")
    for entry in evidence["evaluated_readings"]:
        entry["adopted"] = entry["reading"] == "the player must draw or fold"
    assert "only 6 would return more than is staked: as adopted" in viewed(evidence).summary.readings


def test_the_chart_has_every_hand_against_every_open_card(casino: ReportView) -> None:
    decisions = patent_evidence("casino")["analysis"]["main-optimal"]["decisions"]
    chart = casino.mathematics.chart
    assert chart is not None
    dealers = [title.title for title in chart.chart.columns[1:]]
    assert dealers == ["A", "2", "3", "4", "5", "6", "7", "face"]
    shown = {
        (row[0].text, dealer): cell.text
        for row in chart.chart.rows
        for dealer, cell in zip(dealers, row[1:], strict=True)
    }
    assert shown == {(entry["hand"], entry["dealer"]): decision_mark(entry["best"]) for entry in decisions}
    assert "Draw 1: draw, final bet of 1" in chart.chart.remark
    assert "King of Diamonds as a first card ends the round" in chart.chart.remark


def test_every_decision_stands_with_exact_values_and_the_cost_of_the_next_best(casino: ReportView) -> None:
    decisions = patent_evidence("casino")["analysis"]["main-optimal"]["decisions"]
    chart = casino.mathematics.chart
    assert chart is not None
    assert chart.listed is not None
    rows = {(row[0].text, row[1].text): row for row in chart.listed.rows}
    assert len(rows) == len(decisions) == 64
    for entry in decisions:
        row = rows[entry["hand"], entry["dealer"]]
        values = sorted(map(Fraction, entry["values"].values()), reverse=True)
        exact = [Fraction(row[place].text.replace(MINUS, "-")) for place in (4, 6)]
        assert exact == values[:2]
        assert row[7].text == decimal(values[0] - values[1], 5)


def test_a_chart_by_total_is_true_of_every_hand_but_those_listed(home: ReportView) -> None:
    points = {"face": Fraction(1, 2), "A": Fraction(1)} | {str(n): Fraction(n) for n in range(2, 8)}
    decisions = patent_evidence(HOME)["analysis"]["main-optimal"]["decisions"]
    chart = home.mathematics.chart
    assert chart is not None
    assert chart.listed is not None
    dealers = [title.title for title in chart.chart.columns[1:]]
    charted = {
        (row[0].text, dealer): cell.text
        for row in chart.chart.rows
        for dealer, cell in zip(dealers, row[1:], strict=True)
    }
    listed = {(row[0].text, row[2].text): row[3].text for row in chart.listed.rows}
    departing = {}
    for entry in decisions:
        total = sum((points[card] for card in entry["hand"].split("+")), Fraction(0))
        name = f"{int(total) or ''}{'½' if total.denominator == 2 else ''}"
        cell = charted[name, entry["dealer"]]
        if entry["best"] != cell.removesuffix(" *"):
            assert cell.endswith(" *")
            departing[entry["hand"].replace("+", " "), entry["dealer"]] = entry["best"]
    assert departing == listed == {("face face", "face"): "stand"}
    assert "492 decisions can be met" in chart.chart.remark


def test_hands_whose_total_cannot_be_told_are_listed_and_counted() -> None:
    evidence = patent_evidence(HOME)
    for decision in evidence["analysis"]["main-optimal"]["decisions"]:
        decision["composition"][-1] = 1
    chart = viewed(evidence).mathematics.chart
    assert chart is not None
    assert chart.listed is None
    assert len(chart.chart.rows) == 60
    assert chart.chart.caption == "Best decision, the first 60 of 492; all are in the evidence"


@pytest.mark.parametrize("name", ["casino", HOME])
def test_nothing_of_another_game_is_printed(name: str) -> None:
    shown = words(render_html(patent_evidence(name)).decode())
    assert [phrase for phrase in OTHER_GAME if phrase in shown] == []


def test_outcomes_tell_their_net_result_where_a_round_can_cost_more_than_the_ante(casino: ReportView) -> None:
    (wager,) = casino.mathematics.strategies[0].outcomes
    found = {row[0].text: row[1].text for row in wager.outcomes.rows}
    assert found["Lose, final bet of 2"] == f"{MINUS}3"
    assert found["Win, final bet of 1"] == "+2"
    assert found["Dealer King of Diamonds"] == f"{MINUS}1"
    assert casino.simulation is not None
    counted = column(casino.simulation.campaigns[0].outcomes[0], 0)
    assert set(counted) == set(found)


def test_what_moves_the_return_is_tabulated_for_one_wager_alone(casino: ReportView) -> None:
    entries = patent_evidence("casino")["sensitivity"]
    together = casino.mathematics.together
    assert together.rules is not None
    assert together.classes is not None
    assert column(together.rules, 1) == [entry["change"] for entry in entries if not entry["same_strategy"]]
    assert column(together.pays, 0) == ["Ante with final bet"] * 3
    assert [title.title for title in together.rules.columns] == ["Rule", "If it were", "Ante with final bet"]
    assert together.classes.caption == "Simpler ways to play, and what they cost"
    assert (together.whole, together.covariance, together.frontiers) == (None, None, ())


def test_ruin_is_told_for_both_sides_and_bounds_stay_bounds(casino: ReportView) -> None:
    sheet = patent_evidence("casino")["par"]["ante"]
    part = casino.mathematics.par
    assert part is not None
    assert part.sentences == (sheet["long_run"]["sentence"],)
    player, house = part.ruin
    assert "a player’s bankroll" in player.caption
    assert "the house’s bankroll" in house.caption
    assert (player.remark, house.remark != "") == ("", True)
    assert column(house, 2)[1] == "> 0.999"
    assert part.long_run is not None
    entries = [entry for holder in ("player", "house") for entry in sheet["long_run"][holder]]
    for row, entry in zip(part.long_run.rows, entries, strict=True):
        if entry["at_least"] == 1:
            assert [cell.text for cell in row[2:]] == ["certain", "certain"]
        else:
            low, high = (float(cell.text.replace(MINUS, "-")) for cell in row[2:])
            assert low <= entry["at_least"] <= entry["at_most"] <= high


def test_a_push_is_no_net_win(casino: ReportView) -> None:
    table = casino.mathematics.volatility
    assert table is not None
    assert [title.title for title in table.columns[1:3]] == ["Hit frequency", "Net wins"]
    assert [cell.text for cell in table.rows[0][1:3]] == [f"53.8658{NARROW}%", f"48.3232{NARROW}%"]


def test_a_game_without_printed_tables_has_no_chapter_of_them(home: ReportView) -> None:
    assert home.printed is None
    assert "printed" not in [section.id for section in home.sections]
    assert home.summary.printed == ""
    assert "Printed tables" not in words(render_markup(home, "screen"))


def test_without_what_the_open_card_adds_the_rest_is_still_printed() -> None:
    evidence = patent_evidence("casino")
    for key in ("edge", "evaluated_readings", "reading_combinations", "judged_tables"):
        evidence.pop(key, None)
    report = viewed(evidence)
    assert (report.printed, report.mathematics.readings, report.summary.edge) == (None, None, "")
    shown = words(render_markup(report, "print"))
    assert "Readings evaluated" not in shown
    assert "END OF REPORT" in shown


def test_a_verdict_that_the_chapter_does_not_know_is_refused() -> None:
    evidence = patent_evidence("casino")
    evidence["judged_tables"]["rows"][3]["as_probability"] = "roughly right"
    with pytest.raises(RenderError, match="'roughly right'"):
        viewed(evidence)


def backwards(value: Any) -> Any:
    """The same JSON value with the keys of every object in the opposite order."""
    if isinstance(value, dict):
        return {key: backwards(value[key]) for key in reversed(list(value))}
    return [backwards(member) for member in value] if isinstance(value, list) else value


@pytest.mark.slow
def test_the_same_evidence_gives_the_same_bytes_whatever_the_order_of_its_keys() -> None:
    evidence = patent_evidence("casino")
    assert render_html(backwards(evidence)) == render_html(evidence)


@pytest.mark.slow
def test_hostile_words_of_a_source_stay_text() -> None:
    evidence = patent_evidence("casino")
    printed = evidence["judged_tables"]
    printed["rows"][0]["label"] = HOSTILE
    printed["rows"][1]["printed"]["tie"] = HOSTILE
    printed["rows"][2]["reason"] = HOSTILE
    printed["counts"][0]["printed"] = HOSTILE
    evidence["evaluated_readings"][1]["reading"] = HOSTILE
    evidence["edge"]["sentence"] = HOSTILE
    for decision in evidence["analysis"]["main-optimal"]["decisions"]:
        if decision["dealer"] == "face":
            decision["dealer"] = HOSTILE
        if decision["hand"] == "face":
            decision["best"], decision["values"] = HOSTILE, {HOSTILE: "1", "fold": "-1"}
            decision["costs"], decision["cost_of_deviation"] = {HOSTILE: "0", "fold": "2"}, "2"
    markup = render_html(evidence).decode()
    assert markup.count("<script>") == 1
    assert markup.count("{{ 7 * 7 }}") >= 8
    assert not re.search(r"<[^>]* onload=", markup)


def test_the_kinds_of_printed_rows_are_told_apart(casino: ReportView) -> None:
    assert casino.printed is not None
    assert casino.printed.sentence == (
        "Of 26 printed counts 26 hold. Of 23 printed rows 15 hold under the reading that their fractions imply, 3 are "
        "miscounted and 5 do not follow from their own terms; 1 can be read as a probability. Of the 15 that hold 9 "
        "print the exact shares; in the others each term was rounded before it was added."
    )
    assert casino.printed.implied is not None
    lines = {row[0].text: row[-1].lines for row in casino.printed.implied.rows}
    (told,) = lines["SIX"]
    assert told == (
        f"each term rounded first: win printed 76.71, exactly 76.7167{NARROW}%, loss printed 18.29, "
        f"exactly 18.2833{NARROW}%"
    )


def test_what_rests_on_equal_bets_is_said_beside_the_figure(casino: ReportView) -> None:
    staked = casino.mathematics.staked
    assert staked is not None
    assert f"119.5626{NARROW}% with the larger ones" in staked.remark
    assert (
        f"119.5626{NARROW}%" not in casino.summary.edge
    )  # The summary stays short: one figure, told in full once.


def test_a_strategy_that_never_folds_says_so_where_it_is_named(casino: ReportView, home: ReportView) -> None:
    habit = "always-second-card: always the lowest final bet, never a fold."
    assert casino.printed is not None
    tables = (
        casino.summary.returns,
        casino.mathematics.returns,
        casino.mathematics.staked,
        casino.printed.chances,
    )
    assert all(table is not None and habit in table.remark for table in tables)
    assert home.summary.returns is not None
    assert "never a fold" not in home.summary.returns.remark


def test_where_a_player_banks_the_report_names_no_house(home: ReportView, casino: ReportView) -> None:
    text = words(render_markup(home, "screen")).lower()
    # The glossary is the same in every report; nothing else names a house.
    assert "bank, house who stands against the player" in text
    assert text.count("house") == 1
    assert "the house" in words(render_markup(casino, "screen")).lower()
    assert home.mathematics.returns is not None
    assert casino.mathematics.returns is not None
    titles = [[title.title for title in report.mathematics.returns.columns] for report in (home, casino)]
    assert "Bank edge" in titles[0]
    assert "House edge" in titles[1]
