"""Tables of the pack are declared, and written from the evidence alone."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest
from report_evidence import REPORTS, stored

from certify.certification.tables import tables_of
from certify.evidence.columns import columns_of, value_at
from certify.evidence.read import evidence_of
from certify.model.strategy import HEADS


def _rows(evidence: dict[str, Any], name: str) -> list[dict[str, str]]:
    read = evidence_of(evidence)
    written = {table.name: table.written(read) for table in tables_of(read)}
    return list(csv.DictReader(io.StringIO(written[f"data/{name}.csv"].decode("utf-8"))))


@pytest.mark.parametrize("path", sorted(REPORTS.glob("*.json.xz")), ids=lambda path: path.name.split(".")[0])
def test_outcomes_are_those_of_the_evidence_with_the_best_strategy_first(path: Any) -> None:
    evidence = stored(path)
    (best,) = evidence["analysis"].keys() & {*HEADS}
    others = sorted(evidence["analysis"].keys() - {best})
    expected = [
        (strategy, wager["id"], row["outcome"], row["net"], row["probability_percent"])
        for strategy in (best, *others)
        for wager in evidence["wagers"]
        for row in evidence["analysis"][strategy]["wagers"].get(wager["id"], {"outcomes": ()})["outcomes"]
    ]
    found = _rows(evidence, "outcomes")
    columns = ("strategy", "wager", "outcome", "net")
    assert [tuple(row[name] for name in columns) for row in found] == [row[:4] for row in expected]
    for row, (*_, percent) in zip(found, expected, strict=True):
        assert float(row["probability_percent"]) == pytest.approx(float(percent), abs=1e-6)


def test_what_the_evidence_leaves_open_is_an_empty_cell_and_a_missing_section_no_table() -> None:
    evidence = stored(REPORTS / "roulette-single-zero.json.xz")
    assert any(test["statistic"] is None for test in evidence["randomness"]["tests"])
    cells = {row["statistic"] for row in _rows(evidence, "tests")}
    assert "" in cells
    assert "None" not in cells
    names = {table.name for table in tables_of(evidence_of(evidence))}
    assert "data/observations.csv" in names
    assert not names & {"data/printed-tables.csv", "data/operator-tests.csv", "data/operator-story.csv"}


@pytest.mark.parametrize("column", ["", "=path", "head:20:30:form!kind!kind", "#"])
def test_what_declares_no_column_is_refused(column: str) -> None:
    with pytest.raises(ValueError, match="declares no column"):
        columns_of(f"strategy {column or ':'}")


def test_a_field_that_no_noun_has_fails_unless_it_may_be_missing() -> None:
    with pytest.raises(AttributeError):
        value_at(1, ("probability",))
    with pytest.raises(KeyError):
        value_at({}, ("hit",))
    assert value_at({"values": {}}, ("values", "hit?")) is None
