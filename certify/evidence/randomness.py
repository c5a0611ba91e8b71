"""Statistical tests of what was dealt, and their collective verdict."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from certify.model.form import Label, Sha256, origins

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


@origins()
@dataclass(frozen=True, slots=True)
class PlanOfTests:
    """The plan of the tests, fixed beforehand.

    Args:
        sha256: Digest of the plan.
        rule: How the p-values are judged together, in words.
        stages: Samples that it took to decide.
    """

    sha256: Sha256
    rule: str
    stages: int


@origins(counted=("p_values", "labels", "statistic", "degrees_of_freedom", "null", "detectable"))
@dataclass(frozen=True, slots=True)
class JudgedTest:
    """One statistical test with its verdict within the family of all tests.

    Args:
        suite: Suite that it belongs to.
        test: Its name.
        p_values: Its p-values.
        labels: What each p-value is of; empty where they are numbered.
        verdict: How it ended.
        adjusted_p: The smallest p-value, adjusted for the whole family.
        threshold: What that is compared with.
        sample_size: Size of the sample.
        statistic: The statistic; none where there are several.
        degrees_of_freedom: Its degrees of freedom; none where it has none.
        null: The distribution that p-values are taken from, in words.
        detectable: What departure it would detect, in words.
    """

    suite: str
    test: str
    p_values: tuple[float, ...]
    labels: tuple[Label, ...]
    verdict: str
    adjusted_p: float
    threshold: float
    sample_size: int
    statistic: float | None
    degrees_of_freedom: int | None
    null: str
    detectable: str


@origins(counted=("deciding",))
@dataclass(frozen=True, slots=True)
class RandomTest(JudgedTest):
    """One statistical test of what was dealt.

    Args:
        smallest_p: The smallest of the p-values that decide.
        deciding: P-values that the verdict rests on, where they are others than those published.
    """

    smallest_p: float
    deciding: tuple[float, ...] | None = None


@origins(counted=("reason",))
@dataclass(frozen=True, slots=True)
class TestNotRun:
    """A test that was not run.

    Args:
        suite: Suite that it belongs to.
        test: Its name.
        reason: Why it was not run, in words.
    """

    suite: str
    test: str
    reason: str


@origins(counted=("p", "caught"))
@dataclass(frozen=True, slots=True)
class TriedFault:
    """A generator or shuffle known to be bad.

    Args:
        fault: Name of the fault.
        caught_by: Test that finds it.
        sample: On what sample.
        p: The greatest p-value of that test.
        caught: Whether it was found.
    """

    fault: str
    caught_by: str
    sample: str
    p: float
    caught: bool


@origins()
@dataclass(frozen=True, slots=True)
class Randomness:
    """The collective verdict with every test behind it.

    Args:
        plan: The plan, fixed beforehand.
        decks: Decks tested.
        bits: Bits tested.
        alpha: Error that is allowed over the family.
        family_size: Number of p-values.
        tests: The tests.
        not_run: Tests that were not run.
        verdict: How it ended.
        sentence: Why, in one sentence.
        smallest_adjusted_p: The smallest adjusted p-value.
        planted: Faults planted to see the tests find them.
    """

    plan: PlanOfTests
    decks: int
    bits: int
    alpha: float
    family_size: int
    tests: tuple[RandomTest, ...]
    not_run: tuple[TestNotRun, ...]
    verdict: str
    sentence: str
    smallest_adjusted_p: float
    planted: tuple[TriedFault, ...]
