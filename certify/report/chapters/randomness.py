"""Randomness of the cards dealt: every test, one verdict, and the faults the tests did find."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from certify.report import figures
from certify.report.formats import grouped, p_value, prose, sentence, statistic
from certify.report.layout import (
    Cell,
    Fact,
    Figure,
    Table,
    Verdict,
    columns,
    digest,
    judged,
    mono,
    note,
    number,
    verdict,
)
from certify.report.node import Node

_ROWS = 60


@dataclass(frozen=True, slots=True)
class Randomness:
    """The chapter's parts in their order."""

    sentence: str
    verdict: Verdict
    facts: tuple[Fact, ...]
    tests: tuple[Table, ...]
    power: Table | None
    figure: Figure | None
    planted: Table | None


def randomness(evidence: Node) -> Randomness | None:
    """Returns the chapter, or nothing where no test was run."""
    node = evidence.at("randomness")
    if not node:
        return None
    tests = node.each("tests")
    values = [float(value.plain()) for test in tests for value in test.each("p_values")]
    alpha = node.number("alpha")
    facts = [
        Fact("Decks", Cell(grouped(node.integer("decks")))),
        Fact("Family-wise error", Cell(f"at most {statistic(100 * alpha, 0)} %")),
        Fact("Smallest adjusted p-value", Cell(p_value(node.number("smallest_adjusted_p")))),
    ]
    if node.has("bits"):
        facts.insert(1, Fact("Bits", Cell(grouped(node.integer("bits")))))
    plan = node.at("plan")
    if isinstance(plan.value, Mapping) and plan.has("sha256"):
        facts.append(Fact("Plan fixed beforehand (SHA-256)", digest(plan.text("sha256"))))
    return Randomness(
        sentence(node.text("sentence")),
        verdict(node.text("verdict")),
        tuple(facts),
        _tests(tests),
        _power(tests),
        figures.ordered_p_values(values, alpha) if len(values) > 4 else None,
        _planted(node),
    )


def _tests(tests: tuple[Node, ...]) -> tuple[Table, ...]:
    rows = tuple(
        (
            mono(test.text("suite")),
            Cell(test.text("test")),
            number(_count(test, "sample_size")),
            number(_statistic(test)),
            number(_plain(test, "degrees_of_freedom")),
            number(str(len(test.each("p_values")))),
            number(p_value(test.number("smallest_p")) if test.has("smallest_p") else "–"),
            number(p_value(test.number("adjusted_p")) if test.has("adjusted_p") else "–"),
            judged(test.text("verdict")),
        )
        for test in tests
    )
    head = columns(
        "Suite", "Test", "#n", "#Statistic", "#df", "#p-values", "#Smallest p", "#Adjusted p", "Verdict"
    )
    return tuple(
        Table(
            "Tests of randomness" + (" (continued)" if start else ""),
            head,
            rows[start : start + _ROWS],
            dense=True,
        )
        for start in range(0, len(rows), _ROWS)
    )


def _count(test: Node, key: str) -> str:
    return grouped(test.integer(key)) if test.has(key) else "–"


def _statistic(test: Node) -> str:
    value = test.at("statistic").value
    return statistic(float(value), 3) if isinstance(value, int | float) else "–"


def _plain(test: Node, key: str) -> str:
    value = test.at(key).value
    if isinstance(value, float) and not value.is_integer():
        return statistic(value, 1)
    return grouped(int(value)) if isinstance(value, int | float) else "–"


def _power(tests: tuple[Node, ...]) -> Table | None:
    rows = tuple(
        (
            Cell(test.text("test")),
            note(prose(test.text("null", "–"))),
            note(prose(test.text("detectable", "–"))),
        )
        for test in tests
        if test.text("detectable", "") or test.text("null", "")
    )
    head = columns("Test:24", "Null hypothesis:36", "What this volume of data would detect")
    return Table("What each test assumes and what it can see", head, rows, dense=True) if rows else None


def _planted(node: Node) -> Table | None:
    rows = tuple(
        (
            Cell(fault.text("fault")),
            Cell(fault.text("caught_by", "–")),
            number(_count(fault, "decks") if fault.has("decks") else prose(fault.text("sample", "–"))),
            number(p_value(fault.number("p")) if fault.has("p") else "–"),
            Cell("not found" if fault.flag("caught") is False else "found", "strong"),
        )
        for fault in node.each("planted")
    )
    head = columns("Planted fault", "Caught by", "#Sample", "#p", "Result")
    return Table("Faults planted on purpose, and what found them", head, rows, dense=True) if rows else None
