"""The words of statistical tests: what a test says beside its numbers is its own, and none of the issuer's to word."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from certify.certification.bit_sequences import IN_ONE, OVER
from certify.certification.outputs import KINDS, PRACTICE, practice_of
from certify.certification.play_through import ALPHA
from certify.certification.randomness import first_sample, rows_tested, run_tests
from certify.certification.request import RunRequest
from certify.evidence.operator import Brought, Output, RoundSystem
from certify.evidence.plain import stated_in
from certify.evidence.randomness import Randomness
from certify.model.finding import Verdict
from certify.model.game import Game
from certify.rounds.conformance.promise import PromiseId
from certify.seal.tested import results_of, tests_differing
from rng.battery.result import TestResult
from rng.battery.verdict import BatteryVerdict, conclude
from rng.errors import SampleError

_LONGEST: Final = 400
"""Characters of a text of a test, and of why one was not run."""

_BITS: Final = 1_000_000
"""Bits of a stream that every test of bits takes."""

_NUMBER: Final = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?(?:e[+-]?\d+)?", re.ASCII)


def worded_differences(request: RunRequest, claimed: Randomness) -> Iterator[str]:
    """Yields where tests say otherwise of themselves than on the smallest sample that all of them take.

    Numbers follow from the sample, and come again with the whole run; every word beside them is the test's own.

    Args:
        request: What was asked of the run.
        claimed: The tests, as the evidence states them.
    """
    known = _smallest(request.game)
    for test in claimed.tests:
        where = f"/randomness/tests/{test.suite}/{test.test}"
        # A label names the place that a test found, of any number of places: its length alone is bounded here.
        if max(map(len, (test.detectable, test.null, *test.labels))) > _LONGEST:
            yield f"{where}: a text is longer than {_LONGEST} characters"
        own = known.get((test.suite, test.test))
        if own is None:
            continue
        words = {"null": (test.null, own.null), "detectable": (test.detectable, own.detectable)}
        for name, (told, said) in words.items():
            if _without_numbers(told) != _without_numbers(said):
                yield f"{where}/{name}: {told!r}, expected {said!r} but for its numbers"
    for left in claimed.not_run:
        if len(left.reason) > _LONGEST:
            yield f"/randomness/not_run: a reason is longer than {_LONGEST} characters"


@lru_cache(maxsize=4)
def _smallest(game: Game) -> dict[tuple[str, str], TestResult]:
    """Returns the results of the tests on the smallest sample that all of them take, by suite and test."""
    sample = first_sample(game, bytes(32), rows_tested(game.equipment, 1), 1, _BITS)
    return {(one.suite, one.test): one for one in run_tests(sample) if isinstance(one, TestResult)}


def _without_numbers(text: str) -> str:
    return _NUMBER.sub("0", text)


def brought_differences(game: Game, brought: Brought) -> Iterator[str]:
    """Yields where what an operator brought is said to have come to what does not follow from its own numbers.

    Output and system are not in the pack: their numbers are the issuer's word. What they come to is not, nor are the
    words of tests, rules and promises.

    Args:
        game: The submission.
        brought: What the operator brought, as the evidence states it.
    """
    for place, output in enumerate(brought.outputs):
        where = f"/brought/outputs/{place}"
        try:
            verdict = conclude(results_of(output.tests), alpha=float(ALPHA))
        except SampleError as error:
            yield f"{where}/tests: {error}"
            continue
        for name, told, expected in _of_output(game, output, verdict):
            if told != expected:
                yield f"{where}/{name}: {told!r}, expected {expected!r}"
        yield from (f"{where}/tests: {one}" for one in tests_differing(output.tests, verdict))
    if brought.system is not None:
        for name, told, expected in _of_system(brought.system):
            if told != expected:
                yield f"/brought/system/{name}: {told!r}, expected {expected!r}"
    for where, value in stated_in(brought, "/brought", word=True):
        if len(str(value)) > _LONGEST_TOLD:
            yield f"{where}: a text is longer than {_LONGEST_TOLD} characters"


def _of_output(game: Game, output: Output, verdict: BatteryVerdict) -> Iterator[tuple[str, object, object]]:
    """Yields what is said of a file, beside what follows."""
    kind = next((kind for kind in KINDS if kind == output.kind), KINDS[0])
    practice = practice_of(kind, game)
    yield "kind", output.kind, kind
    yield "alpha", output.alpha, verdict.alpha
    yield "practice", output.practice, practice
    yield "asked", output.asked, PRACTICE[practice]
    yield "rule", output.rule, verdict.rule
    yield "family_size", output.family_size, verdict.family_size
    yield "rejected", output.rejected, sum(one.rejected for one in verdict.decisions)
    yield "verdict", output.verdict, Verdict(verdict.word)
    yield "reasons", output.reasons, verdict.reasons
    known = _smallest(game)
    for test in output.run:
        # Those that decide were looked at by the verdict.
        yield f"{test.suite} {test.test} p-values", all(0 <= p <= 1 for p in test.p_values), True
        own = known.get((test.suite, test.test))
        if own is not None:
            many = test.over_sequences is not None
            null, shown = (
                (f"{own.null}; {OVER}", f"{IN_ONE}{own.detectable}") if many else (own.null, own.detectable)
            )
            for text, expected in ((test.null, null), (test.detectable, shown)):
                yield f"{test.suite} {test.test} words", _without_numbers(text), _without_numbers(expected)


def _of_system(system: RoundSystem) -> Iterator[tuple[str, object, object]]:
    """Yields what is said of a system of rounds, beside what follows."""
    broken, kept = system.broken, {one.promise: one.verdict for one in system.promises}
    yield "promises", [one.promise for one in system.promises], [str(promise) for promise in PromiseId]
    yield "verdict", system.verdict, Verdict.SATISFIED if broken is None else Verdict.NOT_SATISFIED
    failed = [promise for promise, verdict in kept.items() if verdict is Verdict.NOT_SATISFIED]
    yield "broken", failed, [] if broken is None else [broken.promise]


_LONGEST_TOLD: Final = 1_000
"""Characters of a text about what was brought."""
