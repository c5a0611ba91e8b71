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
    digest,
    fact,
    listed,
    verdict,
)
from certify.report.words import file_of

_ROWS = 60
_TESTS, _PLANTED = "data/tests.csv", "data/planted.csv"


@dataclass(frozen=True, slots=True)
class RandomnessView:
    """The chapter's parts in their order."""

    sentence: str
    verdict: VerdictMark
    facts: tuple[Fact, ...]
    tests: tuple[PageTable | None, ...]
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
        (_suites(tests),)
        if file_of(evidence, _TESTS)
        else tuple(
            listed(
                tell(f"randomness.tests-of-randomness{'-continued' if start else ''}"),
                "suite!mono test #n=sample_size:grouped #statistic:statistic-3 #df=degrees_of_freedom:grouped "
                "#p-values=p_values:len #smallest-p=smallest_p:p #adjusted-p=adjusted_p:p verdict!judged",
                tests[start : start + _ROWS],
                dense=True,
            )
            for start in range(0, len(tests), _ROWS)
        ),
        power(tests, tell("randomness.what-each-test-would-show")),
        figures.ordered_p_values(values, alpha) if len(values) > 4 else None,
        None
        if file_of(evidence, _PLANTED)
        else listed(
            tell("randomness.faults-planted-on-purpose-and"),
            "planted-fault=fault:translated caught-by=caught_by:translated #sample:prose #p:p "
            "result=caught:found!strong",
            node.planted,
            dense=True,
        ),
        _found(node.planted),
        file_of(evidence, _TESTS),
        file_of(evidence, _PLANTED),
    )


def _suites(tests: tuple[RandomTest, ...]) -> PageTable | None:
    """Tabulates the suites: how many tests each has, and the one that came nearest to a rejection."""
    named: dict[str, list[RandomTest]] = {}
    for test in tests:
        named.setdefault(test.suite, []).append(test)
    nearest = {
        suite: min(members, key=lambda test: (test.adjusted_p, test.smallest_p))
        for suite, members in named.items()
    }
    return listed(
        tell("randomness.suites"),
        "suite:18!mono #tests:9:len #p-values:12:grouped nearest:21 #smallest-p:12:p #adjusted-p:12:p "
        "verdict:16!judged",
        (
            (
                suite,
                members,
                sum(len(test.p_values) for test in members),
                nearest[suite].test,
                nearest[suite].smallest_p,
                nearest[suite].adjusted_p,
                worst([test.verdict for test in members]),
            )
            for suite, members in named.items()
        ),
    )


def _found(faults: tuple[TriedFault, ...]) -> str:
    """Returns how many planted faults were found, and which were not."""
    missed = [fault.fault for fault in faults if not fault.caught]
    if not faults:
        return ""
    told = tell("randomness.planted-found", found=len(faults) - len(missed), planted=len(faults))
    return f"{told} {tell('randomness.planted-missed', faults=', '.join(missed))}" if missed else told


def power(tests: Iterable[JudgedTest], caption: str) -> PageTable | None:
    """Tabulates what each test would show at its size, and how likely it is to pass that over."""
    return listed(
        caption,
        "test:26 #n:12:grouped what-this-volume-of-data:48!note #risk-of-wrong-acceptance:14",
        (
            (PageCell(test.test, detail=test.suite), test.sample_size, *_effect(test.detectable))
            for test in tests
            if test.detectable
        ),
        tell("randomness.risk-of-wrong-acceptance"),
        dense=True,
    )


def _effect(detectable: str) -> tuple[str, str]:
    """Returns the effect that a test would show, and the risk of passing it over where that is known."""
    effect, risk = effect_and_risk(detectable)
    shown = DASH if risk is None else percent(Fraction(0), 0)
    return prose(translated(effect)), tell("randomness.at-most", alpha=str(risk)) if risk else shown
