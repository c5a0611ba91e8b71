"""Randomness of the cards dealt: every test, one verdict, and the faults the tests did find."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from certify.evidence.randomness import effect_and_risk
from certify.messages import tell, translated
from certify.model.finding import worst
from certify.report import figures
from certify.report.formats import DASH, grouped, p_value, percent, prose, sentence, statistic
from certify.report.layout import (
    Fact,
    Figure,
    PageCell,
    PageTable,
    VerdictMark,
    columns,
    digest,
    judged,
    mono,
    note,
    number,
    verdict,
)
from certify.report.node import Node
from certify.report.order import file_of

_ROWS = 60
_TESTS, _PLANTED = "data/tests.csv", "data/planted.csv"


@dataclass(frozen=True, slots=True)
class RandomnessView:
    """The chapter's parts in their order."""

    sentence: str
    verdict: VerdictMark
    facts: tuple[Fact, ...]
    tests: tuple[PageTable, ...]
    power: PageTable | None
    figure: Figure | None
    planted: PageTable | None
    found: str
    tests_file: str
    planted_file: str


def randomness(evidence: Node) -> RandomnessView | None:
    """Returns the chapter, or nothing where no test was run."""
    node = evidence.at("randomness")
    if not node:
        return None
    tests = node.each("tests")
    values = [float(value.plain()) for test in tests for value in test.each("p_values")]
    alpha = node.number("alpha")
    facts = [
        Fact(tell("fact.decks"), PageCell(grouped(node.integer("decks")))),
        Fact(
            tell("fact.family-wise-error"),
            PageCell(tell("randomness.at-most", alpha=statistic(100 * alpha, 0))),
        ),
        Fact(tell("fact.smallest-adjusted-p-value"), PageCell(p_value(node.number("smallest_adjusted_p")))),
    ]
    if node.has("bits"):
        facts.insert(1, Fact(tell("fact.bits"), PageCell(grouped(node.integer("bits")))))
    plan = node.at("plan")
    if isinstance(plan.value, Mapping) and plan.has("sha256"):
        facts.append(Fact(tell("fact.plan-fixed-beforehand-sha-256"), digest(plan.text("sha256"))))
    return RandomnessView(
        sentence(node.sentence("sentence")),
        verdict(node.text("verdict")),
        tuple(facts),
        (_suites(tests),) if file_of(evidence, _TESTS) else _tests(tests),
        power(tests, tell("randomness.what-each-test-would-show")),
        figures.ordered_p_values(values, alpha) if len(values) > 4 else None,
        None if file_of(evidence, _PLANTED) else _planted(node),
        _found(node),
        file_of(evidence, _TESTS),
        file_of(evidence, _PLANTED),
    )


def _tests(tests: tuple[Node, ...]) -> tuple[PageTable, ...]:
    rows = tuple(
        (
            mono(test.text("suite")),
            PageCell(test.text("test")),
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
        PageTable(
            tell("randomness.tests-of-randomness-continued")
            if start
            else tell("randomness.tests-of-randomness"),
            head,
            rows[start : start + _ROWS],
            dense=True,
        )
        for start in range(0, len(rows), _ROWS)
    )


def _suites(tests: tuple[Node, ...]) -> PageTable:
    """Tabulates the suites: how many tests each has, and the one that came nearest to a rejection."""
    named: dict[str, list[Node]] = {}
    for test in tests:
        named.setdefault(test.text("suite"), []).append(test)
    rows = tuple(
        (
            mono(suite),
            number(grouped(len(members))),
            number(grouped(sum(len(test.each("p_values")) for test in members))),
            *_nearest(members),
            judged(worst([test.text("verdict") for test in members])),
        )
        for suite, members in named.items()
    )
    head = columns(
        "suite:18", "#tests:9", "#p-values:12", "nearest:21", "#smallest-p:12", "#adjusted-p:12", "verdict:16"
    )
    return PageTable(tell("randomness.suites"), head, rows)


def _nearest(members: list[Node]) -> tuple[PageCell, ...]:
    """Returns the test of a suite whose adjusted p-value is the smallest, with its p-values."""
    run = [test for test in members if test.has("adjusted_p")]
    if not run:
        return (PageCell("–"), number("–"), number("–"))
    least = min(run, key=lambda test: (test.number("adjusted_p"), test.number("smallest_p")))
    return (
        PageCell(least.text("test")),
        number(p_value(least.number("smallest_p"))),
        number(p_value(least.number("adjusted_p"))),
    )


def _found(node: Node) -> str:
    """Returns how many planted faults were found, and which were not."""
    faults = node.each("planted")
    missed = [fault.text("fault") for fault in faults if fault.flag("caught") is False]
    if not faults:
        return ""
    told = tell("randomness.planted-found", found=len(faults) - len(missed), planted=len(faults))
    return f"{told} {tell('randomness.planted-missed', faults=', '.join(missed))}" if missed else told


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


def power(tests: Iterable[Node], caption: str) -> PageTable | None:
    """Tabulates what each test would show at its size, and how likely it is to pass that over."""
    rows = tuple(
        (
            PageCell(test.text("test"), detail=test.text("suite")),
            number(_count(test, "sample_size")),
            *_effect(test.text("detectable", "")),
        )
        for test in tests
        if test.text("detectable", "")
    )
    head = columns("test:26", "#n:12", "what-this-volume-of-data:48", "#risk-of-wrong-acceptance:14")
    remark = tell("randomness.risk-of-wrong-acceptance")
    return PageTable(caption, head, rows, remark, dense=True) if rows else None


def _effect(said: str) -> tuple[PageCell, PageCell]:
    """Returns the effect that a test would show, and the risk of passing it over where that is known."""
    effect, risk = effect_and_risk(said)
    shown = DASH if risk is None else percent(Fraction(0), 0)
    shown = tell("randomness.at-most", alpha=str(risk)) if risk else shown
    return note(prose(translated(effect))), number(shown)


def _planted(node: Node) -> PageTable | None:
    rows = tuple(
        (
            PageCell(fault.sentence("fault")),
            PageCell(fault.sentence("caught_by", "–")),
            number(_count(fault, "decks") if fault.has("decks") else prose(fault.sentence("sample", "–"))),
            number(p_value(fault.number("p")) if fault.has("p") else "–"),
            PageCell(
                tell("randomness.not-found") if fault.flag("caught") is False else tell("randomness.found"),
                "strong",
            ),
        )
        for fault in node.each("planted")
    )
    head = columns("planted-fault", "caught-by", "#sample", "#p", "result")
    return (
        PageTable(tell("randomness.faults-planted-on-purpose-and"), head, rows, dense=True) if rows else None
    )
