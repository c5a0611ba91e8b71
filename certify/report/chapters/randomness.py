"""Randomness of the cards dealt: every test, one verdict, and the faults the tests did find."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from certify.evidence.document import Evidence
from certify.evidence.randomness import JudgedTest, RandomTest, TriedFault, effect_and_risk
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
    fact,
    judged,
    mono,
    note,
    number,
    tabled,
    verdict,
)
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


def randomness(evidence: Evidence) -> RandomnessView:
    """Returns the chapter."""
    node = evidence.randomness
    tests = node.tests
    values = [value for test in tests for value in test.p_values]
    alpha = node.alpha
    facts = (
        fact("fact.decks", grouped(node.decks)),
        fact("fact.bits", grouped(node.bits)),
        fact("fact.family-wise-error", tell("randomness.at-most", alpha=statistic(100 * alpha, 0))),
        fact("fact.smallest-adjusted-p-value", p_value(node.smallest_adjusted_p)),
        fact("fact.plan-fixed-beforehand-sha-256", digest(node.plan.sha256)),
    )
    return RandomnessView(
        sentence(translated(node.sentence)),
        verdict(node.verdict),
        facts,
        (_suites(tests),) if file_of(evidence, _TESTS) else _tests(tests),
        power(tests, tell("randomness.what-each-test-would-show")),
        figures.ordered_p_values(values, alpha) if len(values) > 4 else None,
        None if file_of(evidence, _PLANTED) else _planted(node.planted),
        _found(node.planted),
        file_of(evidence, _TESTS),
        file_of(evidence, _PLANTED),
    )


def _tests(tests: tuple[RandomTest, ...]) -> tuple[PageTable, ...]:
    rows = tuple(
        (
            mono(test.suite),
            PageCell(test.test),
            number(grouped(test.sample_size)),
            number(figure(test.statistic, 3)),
            number(figure(test.degrees_of_freedom)),
            number(str(len(test.p_values))),
            number(p_value(test.smallest_p)),
            number(p_value(test.adjusted_p)),
            judged(test.verdict),
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


def _suites(tests: tuple[RandomTest, ...]) -> PageTable:
    """Tabulates the suites: how many tests each has, and the one that came nearest to a rejection."""
    named: dict[str, list[RandomTest]] = {}
    for test in tests:
        named.setdefault(test.suite, []).append(test)
    rows = tuple(
        (
            mono(suite),
            number(grouped(len(members))),
            number(grouped(sum(len(test.p_values) for test in members))),
            *_nearest(members),
            judged(worst([test.verdict for test in members])),
        )
        for suite, members in named.items()
    )
    head = columns(
        "suite:18", "#tests:9", "#p-values:12", "nearest:21", "#smallest-p:12", "#adjusted-p:12", "verdict:16"
    )
    return PageTable(tell("randomness.suites"), head, rows)


def _nearest(members: list[RandomTest]) -> tuple[PageCell, ...]:
    """Returns the test of a suite whose adjusted p-value is the smallest, with its p-values."""
    least = min(members, key=lambda test: (test.adjusted_p, test.smallest_p))
    return (
        PageCell(least.test),
        number(p_value(least.smallest_p)),
        number(p_value(least.adjusted_p)),
    )


def _found(faults: tuple[TriedFault, ...]) -> str:
    """Returns how many planted faults were found, and which were not."""
    missed = [fault.fault for fault in faults if not fault.caught]
    if not faults:
        return ""
    told = tell("randomness.planted-found", found=len(faults) - len(missed), planted=len(faults))
    return f"{told} {tell('randomness.planted-missed', faults=', '.join(missed))}" if missed else told


def figure(value: float | None, places: int = 0) -> str:
    """Returns a figure of a test with so many places, or a dash where it has none."""
    if value is None:
        return "–"
    return statistic(value, places) if places else grouped(int(value))


def power(tests: Iterable[JudgedTest], caption: str) -> PageTable | None:
    """Tabulates what each test would show at its size, and how likely it is to pass that over."""
    rows = tuple(
        (
            PageCell(test.test, detail=test.suite),
            number(grouped(test.sample_size)),
            *_effect(test.detectable),
        )
        for test in tests
        if test.detectable
    )
    head = columns("test:26", "#n:12", "what-this-volume-of-data:48", "#risk-of-wrong-acceptance:14")
    remark = tell("randomness.risk-of-wrong-acceptance")
    return tabled(caption, head, rows, remark, dense=True)


def _effect(said: str) -> tuple[PageCell, PageCell]:
    """Returns the effect that a test would show, and the risk of passing it over where that is known."""
    effect, risk = effect_and_risk(said)
    shown = DASH if risk is None else percent(Fraction(0), 0)
    shown = tell("randomness.at-most", alpha=str(risk)) if risk else shown
    return note(prose(translated(effect))), number(shown)


def _planted(faults: tuple[TriedFault, ...]) -> PageTable | None:
    rows = tuple(
        (
            PageCell(translated(fault.fault)),
            PageCell(translated(fault.caught_by)),
            number(prose(translated(fault.sample))),
            number(p_value(fault.p)),
            PageCell(tell("randomness.found" if fault.caught else "randomness.not-found"), "strong"),
        )
        for fault in faults
    )
    head = columns("planted-fault", "caught-by", "#sample", "#p", "result")
    return tabled(tell("randomness.faults-planted-on-purpose-and"), head, rows, dense=True)
