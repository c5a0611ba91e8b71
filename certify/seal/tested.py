"""A signed page of tests of randomness: the numbers that it carries, and what its signature is made for."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from certify.errors import Refusing, TrustError, listed
from certify.evidence import TestedSample, TestLeftOut, TestOfSample
from certify.evidence.read import noun_of
from certify.seal.canonical import parse_json
from rng.battery import (
    BatteryVerdict,
    NotRun,
    TestResult,
    borderline,
    conclude,
    conclude_plan,
    family_of_column,
    plan_of,
    suspects,
)
from rng.errors import SampleError

NUMBERS: Final = "battery.json"
"""The one attachment of such a page."""


def reason_of(digest: str) -> str:
    """Returns the reason that the signature states.

    Args:
        digest: SHA-256 of the sample, in hexadecimal digits.
    """
    return f"Tests of randomness of SHA-256 {digest[:16]}"


def numbers_of(content: bytes) -> TestedSample:
    """Returns what was found of a sample, as its numbers say.

    Raises:
        TrustError: They are of another form.
    """
    return noun_of(
        TestedSample, parse_json(content, NUMBERS), TrustError, f"{NUMBERS} does not say what was tested"
    )


def require_numbers(content: bytes, reason: str) -> str:
    """Returns what was tested and with what verdict, where the signature was made for that sample.

    Args:
        content: The numbers as they are attached.
        reason: The reason that the signature states.

    Raises:
        TrustError: They are no numbers of a tested sample, or of another than the signature names, or the verdicts
            are not those that follow from the p-values next to them.
    """
    made = numbers_of(content)
    digest, said = made.input.sha256, f"{made.input.count:,} {made.input.kind}"
    if reason != reason_of(digest):
        raise TrustError(
            f"the signature was expected to be made for {reason_of(digest)!r}, not for {reason!r}"
        )
    with Refusing(
        (SampleError, ValueError), TrustError, f"{NUMBERS}: nothing can be concluded from its tests"
    ):
        differing = list(_differing(made))
    if differing:
        raise TrustError(f"not what follows from the p-values: {listed(differing, _MOST_LISTED)}")
    return f"{said} with SHA-256 {digest}, verdict {made.verdict!r}, as follows from its p-values"


_MOST_LISTED: Final = 5
_SECOND: Final = 0.05
"""The second threshold, where the first is not above it."""

_Tests = Sequence[TestOfSample | TestLeftOut]


def _differing(made: TestedSample) -> Iterator[str]:
    """Yields what is stated otherwise than the rule makes of the p-values: no word of it is the issuer's."""
    results, second_alpha = results_of(made.tests), max(made.alpha, _SECOND)
    first = verdict = conclude(results, alpha=made.alpha, second_alpha=second_alpha)
    named = borderline(first)
    if made.plan_sha256 is not None:
        plan = plan_of(results, made.alpha, second_alpha)
        named = suspects(plan, results)
        verdict = conclude_plan(plan, results, None if made.fresh is None else results_of(made.fresh.tests))
    elif made.fresh is not None:
        raise SampleError("a fresh sample decides nothing where no plan was fixed")
    expected = {
        "verdict": verdict.word,
        "second_alpha": verdict.second_alpha,
        "second_verdict": verdict.second_word,
        "family_size": verdict.family_size,
        "rule": verdict.rule,
        "reasons": verdict.reasons,
        "borderline": named,
        "plan_sha256": verdict.plan_digest or None,
        "stages": verdict.stages if verdict.plan_digest else None,
    }
    yield from _held("", made, expected)
    yield from tests_differing(made.tests, first)
    yield from tests_differing(made.fresh.tests if made.fresh else (), verdict)


def tests_differing(tests: _Tests, verdict: BatteryVerdict) -> Iterator[str]:
    """Yields what is stated of tests otherwise than a verdict on them has it."""
    worst = verdict.worst
    for test in tests:
        key, where = (test.suite, test.test), f"{test.suite} {test.test} "
        if isinstance(test, TestLeftOut):
            word = "inconclusive" if _left_out(test).undecided else "not applicable"
            yield from _held(where, test, {"verdict": word, "p_values": ()})
        else:
            told = {"adjusted_p": worst[key].adjusted, "threshold": worst[key].threshold}
            yield from _held(where, test, {"verdict": verdict.word_of(*key), **told})


def _held(where: str, noun: object, expected: Mapping[str, object]) -> Iterator[str]:
    for name, value in expected.items():
        told = getattr(noun, name)
        if told != value:
            yield f"{where}{name} {told!r}, expected {value!r}"


def results_of(tests: _Tests) -> tuple[TestResult | NotRun, ...]:
    """Returns tests as a verdict on them takes them.

    Raises:
        SampleError: One of them has no p-value.
    """
    return tuple(_left_out(one) if isinstance(one, TestLeftOut) else _result(one) for one in tests)


def _left_out(test: TestLeftOut) -> NotRun:
    failed = test.verdict == "inconclusive" and test.minimum_sample is None
    return NotRun(test.suite, test.test, test.reason, test.minimum_sample, failed)


def _result(test: TestOfSample) -> TestResult:
    """Returns a test with the p-values that a verdict rests on, and the labels by which reasons name them."""
    p_values, deciding, labels = test.uniform, test.deciding, test.labels
    if test.over_sequences is not None:
        # Never one entry for two columns of one label: the second would mean the first.
        family = [
            entry
            for one in test.over_sequences
            for entry in family_of_column(
                one.label, one.of, one.smallest_deciding, one.proportion_p, one.uniformity_p
            ).items()
        ]
        labels, p_values = tuple(label for label, _ in family), tuple(value for _, value in family)
        deciding = p_values
    if not deciding:
        raise SampleError(f"{test.suite} {test.test} has no p-value")
    return TestResult(p_values, labels, deciding=deciding).run_as(test.suite, test.test, test.sample_size)
