"""Tables of the pack are declared, and written from the evidence alone."""

import csv
import io

import pytest
from report_evidence import REPORTS, stored

from certify.certification.tables import tables_of
from certify.evidence.columns import columns_of, value_at
from certify.evidence.read import evidence_of
from certify.model.strategy import HEADS


def _tables(evidence):
    read = evidence_of(evidence)
    written = {table.name: table.written(read).decode("utf-8") for table in tables_of(read)}
    return {name: list(csv.DictReader(io.StringIO(text))) for name, text in written.items()}


@pytest.mark.parametrize("path", sorted(REPORTS.glob("*.json.xz")), ids=lambda path: path.name.split(".")[0])
def test_outcomes_are_those_of_the_evidence_with_the_best_strategy_first(path):
    evidence = stored(path)
    (best,) = evidence["analysis"].keys() & {*HEADS}
    expected = [
        [strategy, wager["id"], row["outcome"], row["net"]]
        for strategy in (best, *sorted(evidence["analysis"].keys() - {best}))
        for wager in evidence["wagers"]
        for row in evidence["analysis"][strategy]["wagers"].get(wager["id"], {"outcomes": ()})["outcomes"]
    ]
    found = _tables(evidence)["data/outcomes.csv"]
    assert [[row[name] for name in ("strategy", "wager", "outcome", "net")] for row in found] == expected


def _turned(noun):
    """Evidence whose every mapping is in the opposite order: a run holds them in another than canonical JSON."""
    if isinstance(noun, dict):
        return {key: _turned(noun[key]) for key in reversed(noun)}
    return [_turned(one) for one in noun] if isinstance(noun, list) else noun


@pytest.mark.parametrize("name", ["slot-lines", "us5632489-casino", "craps"])
def test_tables_do_not_depend_on_the_order_in_which_a_run_holds_what_has_names(name):
    evidence = stored(REPORTS / f"{name}.json.xz")
    assert _tables(_turned(evidence)) == _tables(evidence)


def test_what_the_evidence_leaves_open_is_an_empty_cell_and_a_missing_section_no_table():
    found = _tables(stored(REPORTS / "roulette-single-zero.json.xz"))
    assert {"", "None"} & {row["statistic"] for row in found["data/tests.csv"]} == {""}
    assert not found.keys() & {
        "data/printed-tables.csv",
        "data/operator-tests.csv",
        "data/operator-story.csv",
    }


def test_what_declares_no_column_and_a_field_that_no_noun_has_are_refused():
    with pytest.raises(ValueError, match="declares no column"):
        columns_of("strategy head:20:30:form!kind!kind")
    with pytest.raises(AttributeError):
        value_at(1, ("probability",))
    with pytest.raises(KeyError):
        value_at({}, ("hit",))
