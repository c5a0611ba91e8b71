"""Randomness of the cards dealt: every test, one verdict, and the faults the tests did find."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from certify.messages import tell
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
        Fact(tell("fact.decks"), Cell(grouped(node.integer("decks")))),
        Fact(
            tell("fact.family-wise-error"), Cell(tell("randomness.at-most", alpha=statistic(100 * alpha, 0)))
        ),
        Fact(tell("fact.smallest-adjusted-p-value"), Cell(p_value(node.number("smallest_adjusted_p")))),
    ]
    if node.has("bits"):
        facts.insert(1, Fact(tell("fact.bits"), Cell(grouped(node.integer("bits")))))
    plan = node.at("plan")
    if isinstance(plan.value, Mapping) and plan.has("sha256"):
        facts.append(Fact(tell("fact.plan-fixed-beforehand-sha-256"), digest(plan.text("sha256"))))
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
        "suite", "test", "#n", "#statistic", "#df", "#p-values", "#smallest-p", "#adjusted-p", "verdict"
    )
    return tuple(
        Table(
            tell("randomness.tests-of-randomness-continued")
            if start
            else tell("randomness.tests-of-randomness"),
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
    head = columns("test:24", "null-hypothesis:36", "what-this-volume-of-data")
    return Table(tell("randomness.what-each-test-assumes-and"), head, rows, dense=True) if rows else None


def _planted(node: Node) -> Table | None:
    rows = tuple(
        (
            Cell(fault.text("fault")),
            Cell(fault.text("caught_by", "–")),
            number(_count(fault, "decks") if fault.has("decks") else prose(fault.text("sample", "–"))),
            number(p_value(fault.number("p")) if fault.has("p") else "–"),
            Cell(
                tell("randomness.not-found") if fault.flag("caught") is False else tell("randomness.found"),
                "strong",
            ),
        )
        for fault in node.each("planted")
    )
    head = columns("planted-fault", "caught-by", "#sample", "#p", "result")
    return Table(tell("randomness.faults-planted-on-purpose-and"), head, rows, dense=True) if rows else None
