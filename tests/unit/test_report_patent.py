"""Pages of other games: those with an open dealer's card and those without cards."""

import re
from copy import deepcopy

import pytest
from evidence_filled import filled, viewed
from report_patent import HOME, KEPT, page, patent_evidence
from report_sample import sample_evidence

from certify.errors import RenderError
from certify.evidence import JointFigures
from certify.evidence.read import read
from certify.messages import LANGUAGES, catalogue, speaking, tell, translated
from certify.messages.catalogue import FOLDER, read_sentences
from certify.report.chapters.joint_play import MANY, MOST_ACROSS, STRONGEST, correlations
from certify.report.pdf import render_html


@pytest.mark.parametrize("name", ["casino", HOME])
def test_every_sentence_and_every_cell_is_what_is_kept(name):
    kept = (KEPT / f"report-{name}.txt").read_text("utf-8")
    assert page(name) == kept, "run: python tests/report_patent.py"


def test_a_fair_game_asks_which_readings_return_more():
    evidence = patent_evidence("casino")
    for entry in evidence["evaluated_readings"]:
        entry["adopted"] = entry["reading"] == "the player must draw or fold"
    assert "only 6 would return more than is staked: as assumed" in viewed(evidence).summary.readings


def test_hands_whose_total_cannot_be_told_are_listed_and_counted():
    evidence = patent_evidence(HOME)
    for decision in evidence["analysis"]["main-optimal"]["decisions"]:
        decision["composition"][-1] = 1
    chart = viewed(evidence).mathematics.chart
    assert chart.listed is None
    assert len(chart.chart.rows) == 20
    assert chart.chart.caption == "Best decision, the first 20 of 492; all are in the evidence"


def test_a_verdict_that_the_chapter_does_not_know_is_refused():
    evidence = patent_evidence("casino")
    evidence["judged_tables"]["rows"][3]["as_probability"] = "roughly right"
    with pytest.raises(RenderError, match="'roughly right'"):
        viewed(evidence)


@pytest.mark.parametrize("language", ["en", "it"])
def test_every_sentence_without_cards_takes_what_the_sentence_with_cards_takes(language):
    said = catalogue(language).sentences
    varied = [message for message in said if message.endswith("@draws")]
    assert varied
    for message in varied:
        plain, other = message.removesuffix("@draws"), catalogue(language, "wheel")
        assert other.places(plain) == catalogue(language).places(plain), message


def test_the_words_end_with_the_report():
    with speaking("en", drawn="dice"):
        assert tell("terms.step.deal") == "Throw requested"
    assert tell("terms.step.deal") == "Cards requested"


def many(number):
    """The sample with its first wager so many times, under names of their own."""
    evidence = deepcopy(sample_evidence())
    first = evidence["wagers"][0]
    evidence["wagers"] = [{**first, "id": f"w{n}", "title": f"Wager {n}"} for n in range(number)]
    for analysis in evidence["analysis"].values():
        found = next(iter(analysis["wagers"].values()))
        analysis["wagers"] = {f"w{n}": found for n in range(number)}
    evidence["files"].append({**evidence["files"][0], "name": "data/outcomes.csv"})
    return evidence


@pytest.mark.slow
def test_several_wagers_share_their_tables():
    html = render_html(many(MANY)).decode()
    assert html.count("Wagers with their limits and paytables") >= 1
    assert "Every outcome of every wager" in html
    assert "Paytable of Wager" not in html
    assert all(f"Wager {n}" in html for n in range(MANY))
    one = render_html(many(1)).decode()
    assert "Paytable of Wager 0" in one
    assert "Wagers with their limits" not in one


def joint_of(number):
    names = [f"w{n}" for n in range(number)]
    pairs = [
        {"wagers": [one, other], "covariance": "1/2", "correlation": 1.0 if one == other else (i - j) / 100}
        for i, one in enumerate(names)
        for j, other in enumerate(names[: i + 1])
    ]
    found = read(
        JointFigures,
        filled({"stakes": {"w0": "1"}, "strategy": "main-optimal", "covariance": pairs}, JointFigures),
    )
    assert isinstance(found, JointFigures)
    return found


def test_correlations_stand_across_as_long_as_they_fit_and_the_strongest_alone_beyond():
    square = correlations(joint_of(MOST_ACROSS), {})
    assert (len(square.rows), len(square.columns)) == (MOST_ACROSS, MOST_ACROSS + 1)
    assert square.rows[0][2].text == square.rows[1][1].text
    listed = correlations(joint_of(MOST_ACROSS + 1), {})
    assert len(listed.rows) == STRONGEST
    assert listed.rows[0][1].text == "0.1200"


def test_texts_of_the_evidence_about_cards_are_told_in_the_words_of_the_equipment_in_both_languages():
    told = {}
    for language in ("en", "it"):
        with speaking(language, drawn="dice"):
            told[language] = [
                translated(
                    "Reference implementation, kernel and its readable version settle the same decks in the same way"
                ),
                translated("no difference on 500 decks between reference engine, kernel"),
                translated(
                    "Shuffled decks for the play-through of a game; the index is the number of the batch."
                ),
                translated("Somebody's own words about a deck"),
            ]
    assert told["en"] == [
        "Reference implementation, kernel and its readable version settle the same throws in the same way",
        "no difference on 500 rounds between reference engine, kernel",
        "Throws for the play-through of a game; the index is the number of the batch.",
        "Somebody's own words about a deck",
    ]
    assert told["it"][0].endswith("gli stessi lanci")
    assert told["it"][2].startswith("Lanci per le partite giocate")
    with speaking("en"):
        assert translated("Every paytable row is produced by a deck that is printed and replayed").endswith(
            "replayed"
        )


def test_every_text_without_cards_has_its_counterparts_with_cards_and_in_every_language():
    folder = FOLDER / "texts"
    english = read_sentences(folder / "en@draws.toml")
    for language in LANGUAGES:
        if language == "en":
            continue
        assert read_sentences(folder / f"{language}@draws.toml").keys() == english.keys()
        assert english.keys() <= read_sentences(folder / f"{language}.toml").keys()
    assert not [told for told in english.values() if re.search(r"\b(cards?|decks?|dealt)\b(?!})", told)]
