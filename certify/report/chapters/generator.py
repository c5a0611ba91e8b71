"""The random number generator: construction, known answers, bias, purposes."""

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Final

from certify.by_key import gathered
from certify.evidence import (
    BiasLimit,
    Evidence,
    JudgedTest,
    Profile,
    RandomTest,
    StatedGenerator,
    TriedFault,
)
from certify.messages import said_of, statements, tell, translated
from certify.model import Certainty, worst
from certify.report import figures
from certify.report.formats import DASH, grouped, p_value, percent, prose, sentence, statistic, tiny
from certify.report.layout import (
    PageCell,
    PageParts,
    PageTable,
    digest,
    fact,
    listed,
    verdict,
)
from certify.report.words import file_of, said

_ROWS = 60
_SHOWN = 5
_TESTS, _PLANTED = "data/tests.csv", "data/planted.csv"


def randomness(evidence: Evidence) -> PageParts:
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
    return PageParts(
        sentence=sentence(translated(node.sentence)),
        verdict=verdict(node.verdict),
        facts=facts,
        suites=_suites(tests),
        power=power(tests, tell("randomness.what-each-test-would-show"), file_of(evidence, _TESTS)),
        figure=figures.ordered_p_values(values, alpha) if len(values) > 4 else None,
        found=_found(node.planted, evidence.run.profile),
        tests_file=file_of(evidence, _TESTS),
        planted_file=file_of(evidence, _PLANTED),
    )


def _suites(tests: tuple[RandomTest, ...]) -> PageTable | None:
    """Tabulates the suites: how many tests each has, and the one that came nearest to a rejection."""
    named = gathered((test.suite, test) for test in tests)
    nearest = {
        suite: min(members, key=lambda test: (test.adjusted_p, test.smallest_p))
        for suite, members in named.items()
    }
    return listed(
        tell("randomness.suites"),
        "suite:24!mono #tests:7:len #p-values:10:grouped nearest:19 #smallest-p:12:p #adjusted-p:12:p "
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


def _found(faults: tuple[TriedFault, ...], profile: Profile) -> str:
    """Returns how many planted faults were found, which were not, and where not all were planted that a part was."""
    if not faults:
        return ""
    missed = [fault.fault for fault in faults if not fault.caught]
    told = [
        tell("randomness.planted-found", found=len(faults) - len(missed), planted=len(faults)),
        *([tell("randomness.planted-missed", faults=", ".join(missed))] if missed else []),
        *([] if profile.thorough else [tell("randomness.planted-drawn")]),
    ]
    return " ".join(told)


def power(tests: Iterable[JudgedTest], caption: str, file: str = "") -> PageTable | None:
    """Tabulates what each test would show at its size, and how likely it is to pass that over.

    Args:
        tests: The tests; those that state nothing of it have no row.
        caption: Caption of the table.
        file: Data file that lists all of them, where there is one: the page then shows the tests of the greatest risk.
    """
    stated = [test for test in tests if test.detectable]
    shown = _riskiest(stated) if file else stated
    remark = tell("randomness.risk-of-wrong-acceptance")
    if len(shown) < len(stated):
        cut = tell("randomness.riskiest", shown=len(shown), tests=grouped(len(stated)), file=file)
        remark = f"{cut} {remark}"
    return listed(
        caption,
        "test:26 #n:12:grouped what-this-volume-of-data:48!note #risk-of-wrong-acceptance:14",
        (
            (PageCell(test.test, detail=test.suite), test.sample_size, *_effect(test.detectable))
            for test in shown
        ),
        remark,
        dense=True,
    )


def _riskiest(tests: Sequence[JudgedTest]) -> list[JudgedTest]:
    """Returns the tests most likely to pass over what they look for, one of each suite; an unknown risk comes last."""
    ordered = sorted(tests, key=lambda test: -(effect_and_risk(test.detectable)[1] or 0))
    by_suite = gathered((test.suite, test) for test in ordered)
    return [first for first, *_ in by_suite.values()][:_SHOWN]


_FOUND: Final = re.compile(
    r" \((?:(?P<percent>\d+) ?% (?:power at p < [^)]*|chance of a repeat)|found whenever it is there)\)"
)
"""How a test says with what probability it finds an effect."""


def effect_and_risk(detectable: str) -> tuple[str, int | None]:
    """Returns the effect that a test would show, and how likely it passes that over, in per cent; none if not known.

    >>> effect_and_risk("a shift of 0.1 (95% power at p < 2e-06) between the halves")
    ('a shift of 0.1 between the halves', 5)
    >>> effect_and_risk("one deck (found whenever it is there)"), effect_and_risk("any generator of a list")
    (('one deck', 0), ('any generator of a list', None))
    """
    found = _FOUND.search(detectable)
    effect = _FOUND.sub("", detectable)
    return effect, None if found is None else 100 - int(found["percent"] or 100)


def _effect(detectable: str) -> tuple[str, str]:
    """Returns the effect that a test would show, and the risk of passing it over where that is known."""
    effect, risk = effect_and_risk(detectable)
    shown = DASH if risk is None else percent(Fraction(0), 0)
    return prose(translated(effect)), tell("randomness.at-most", alpha=str(risk)) if risk else shown


_BIAS = "data/bias.csv"


def generator(evidence: Evidence) -> PageParts:
    """Returns the chapter."""
    rng = evidence.rng
    facts = (
        fact("fact.algorithm", translated(rng.algorithm)),
        fact("fact.standard", translated(rng.standard)),
        fact("fact.security-strength", tell("generator.bits", bits=str(rng.security_strength))),
        fact(
            "fact.internal-state",
            tell(
                "generator.bits-every-order-of-the",
                state_bits=str(rng.state_bits),
                needed_bits=rng.needed_bits,
            ),
        ),
        fact("fact.seeding", said(rng, "seeding")),
        fact("fact.reseeding", said(rng, "reseeding")),
    )
    return PageParts(
        facts=facts,
        known_answers=tuple(
            (one.file, tell("generator.reproduced", passed=one.passed, tests=one.tests))
            for one in rng.known_answers
        ),
        bias_summary=_bias_summary(rng),
        orders=statements(said_of(grouped(one.cards), grouped(one.draws)) for one in rng.orders),
        every_order=verdict(
            "shown on the reference" if all(one.equal for one in rng.orders) else "not satisfied"
        ),
        purposes=tuple(
            (one.purpose, f"{translated(one.description).replace('`', '')} ({translated(one.where)})")
            for one in rng.purposes
        ),
        byte_rule=said(rng, "byte_rule"),
        bias_file=file_of(evidence, _BIAS),
    )


_METHODS = ("ours", "modulo_16", "modulo_32")


def _bias_summary(rng: StatedGenerator) -> PageTable | None:
    """Tabulates the greatest bias of each way to scale, and against what is allowed."""
    rows = []
    for key in _METHODS if rng.bias else ():
        found = [(getattr(entry, key), entry.n) for entry in rng.bias]
        worst, at = max(found, key=lambda pair: pair[0])
        biased, above = (sum(bias > least for bias, _ in found) for least in (0, rng.bias_limit.value))
        rows.append(
            (
                PageCell(tell(f"scaling.{key}"), "strong" if key == "ours" else "text"),
                worst,
                tiny(worst),
                at if worst else None,
                tell("number.of", part=biased, whole=len(found)),
                tell("number.of", part=above, whole=len(found)),
            )
        )
    return listed(
        tell("generator.exact-bias-of-scaling-over"),
        "numbers-below-n-from greatest-bias!mono #about #at-n #ranges-biased #above-what-is-allowed",
        rows,
        _allowed(rng.bias_limit),
        sortable=False,
    )


def _allowed(limit: BiasLimit) -> str:
    """Says what is allowed, by whom, and how sure the reference is."""
    said = tell("generator.bias-the-greatest-difference-between")
    odds, source = grouped(int(1 / limit.value)), limit.source
    if limit.certainty == Certainty.VERBATIM:
        return tell("generator.allows-1-in", said=said, source=source, odds=odds)
    return tell("generator.allows-1-in-secondary-reference", said=said, source=source, odds=odds)
