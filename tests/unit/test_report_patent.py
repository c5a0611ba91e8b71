"""Reports on games with one wager and an open dealer's card: nothing skipped, nothing of another game."""

import re

import pytest
from evidence_filled import viewed
from report_patent import HOME, KEPT, page, patent_evidence, words

from certify.errors import RenderError
from certify.report.markup import render_markup
from certify.report.pdf import render_html

HOSTILE = '<script>alert(1)</script>{{ 7 * 7 }}" onload="x'
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


@pytest.mark.parametrize("name", ["casino", HOME])
def test_every_sentence_and_every_cell_is_what_is_kept(name):
    kept = (KEPT / f"report-{name}.txt").read_text("utf-8")
    assert page(name) == kept, "run: python tests/report_patent.py"


@pytest.mark.parametrize("name", ["casino", HOME])
def test_nothing_of_another_game_is_printed(name):
    shown = words(render_html(patent_evidence(name)).decode())
    assert [phrase for phrase in OTHER_GAME if phrase in shown] == []


def test_a_fair_game_asks_which_readings_return_more():
    evidence = patent_evidence("casino")
    for entry in evidence["evaluated_readings"]:
        entry["adopted"] = entry["reading"] == "the player must draw or fold"
    assert "only 6 would return more than is staked: as adopted" in viewed(evidence).summary.readings


def test_hands_whose_total_cannot_be_told_are_listed_and_counted():
    evidence = patent_evidence(HOME)
    for decision in evidence["analysis"]["main-optimal"]["decisions"]:
        decision["composition"][-1] = 1
    chart = viewed(evidence).mathematics.chart
    assert chart is not None
    assert chart.listed is None
    assert len(chart.chart.rows) == 60
    assert chart.chart.caption == "Best decision, the first 60 of 492; all are in the evidence"


def test_without_what_the_open_card_adds_the_rest_is_still_printed():
    evidence = patent_evidence("casino")
    for key in ("edge", "evaluated_readings", "reading_combinations", "judged_tables"):
        evidence.pop(key, None)
    report = viewed(evidence)
    assert (report.printed, report.mathematics.readings, report.summary.edge) == (None, None, "")
    shown = words(render_markup(report, "print"))
    assert "Readings evaluated" not in shown
    assert "END OF REPORT" in shown


def test_a_verdict_that_the_chapter_does_not_know_is_refused():
    evidence = patent_evidence("casino")
    evidence["judged_tables"]["rows"][3]["as_probability"] = "roughly right"
    with pytest.raises(RenderError, match="'roughly right'"):
        viewed(evidence)


def backwards(value):
    """The same JSON value with the keys of every object in the opposite order."""
    if isinstance(value, dict):
        return {key: backwards(value[key]) for key in reversed(list(value))}
    return [backwards(member) for member in value] if isinstance(value, list) else value


@pytest.mark.slow
def test_the_same_evidence_gives_the_same_bytes_whatever_the_order_of_its_keys():
    evidence = patent_evidence("casino")
    assert render_html(backwards(evidence)) == render_html(evidence)


@pytest.mark.slow
def test_hostile_words_of_a_source_stay_text():
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
