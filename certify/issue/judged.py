"""The words of statistical tests: what a test says beside its numbers is its own, and none of the issuer's to word."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from certify.certification.outputs import KINDS, PRACTICE, practice_of
from certify.certification.play_through import ALPHA, HARD
from certify.certification.randomness import draw_plan, first_sample, rows_tested, run_tests
from certify.certification.request import RunRequest
from certify.evidence.operator import Brought, Output, RoundSystem
from certify.evidence.plain import stated_in
from certify.evidence.randomness import Randomness
from certify.model.finding import Verdict
from certify.model.game import Game
from certify.rounds.conformance.promise import PromiseId
from rng.battery.result import TestResult

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
        for name, told, expected in _of_output(game, output):
            if told != expected:
                yield f"/brought/outputs/{place}/{name}: {told!r}, expected {expected!r}"
    if brought.system is not None:
        for name, told, expected in _of_system(brought.system):
            if told != expected:
                yield f"/brought/system/{name}: {told!r}, expected {expected!r}"
    for where, value in stated_in(brought, "/brought", word=True):
        if len(str(value)) > _LONGEST_TOLD:
            yield f"{where}: a text is longer than {_LONGEST_TOLD} characters"


def _of_output(game: Game, output: Output) -> Iterator[tuple[str, object, object]]:
    """Yields what is said of a file, beside what follows."""
    kind = next((kind for kind in KINDS if kind == output.kind), KINDS[0])
    practice, run = practice_of(kind, game), [test for test in output.tests if test.adjusted_p is not None]
    rejected = [test.adjusted_p for test in run if test.adjusted_p is not None and test.adjusted_p <= ALPHA]
    left_open = any(test.verdict is Verdict.INCONCLUSIVE for test in output.tests)
    decided = Verdict.NOT_SATISFIED if any(p <= HARD for p in rejected) else Verdict.INCONCLUSIVE
    yield "kind", output.kind, kind
    yield "alpha", output.alpha, float(ALPHA)
    yield "practice", output.practice, practice
    yield "asked", output.asked, PRACTICE[practice]
    yield "rule", output.rule, draw_plan(game.equipment, 1, 1, _BITS).rule()
    yield "family_size", output.family_size, sum(len(test.p_values) for test in run)
    yield "verdict", output.verdict, decided if rejected or left_open else Verdict.SATISFIED
    known = _smallest(game)
    for test in output.tests:
        name, own = f"{test.suite} {test.test}", known.get((test.suite, test.test))
        if test.adjusted_p is None:
            fits = {Verdict.INCONCLUSIVE, Verdict.NOT_APPLICABLE}
            yield f"{name} verdict", test.verdict in fits and not test.p_values and test.reason != "", True
            continue
        fails = test.adjusted_p <= ALPHA
        word = Verdict.NOT_SATISFIED if fails else Verdict.SATISFIED
        yield f"{name} verdict", test.verdict, word
        yield f"{name} rejected", 0 < test.rejected <= len(test.p_values), fails
        yield f"{name} p-values", all(0 <= p <= 1 for p in (*test.p_values, test.adjusted_p)), True
        if own is not None:
            for text, said in ((test.null, own.null), (test.detectable, own.detectable)):
                yield f"{name} words", _without_numbers(text), _without_numbers(said)
    names = "|".join(re.escape(f"{test.suite} {test.test}") for test in output.tests)
    form = re.compile(_REASON.format(names=names or "-"))
    yield "reasons", [reason for reason in output.reasons if not form.fullmatch(reason)], []


def _of_system(system: RoundSystem) -> Iterator[tuple[str, object, object]]:
    """Yields what is said of a system of rounds, beside what follows."""
    broken, kept = system.broken, {one.promise: one.verdict for one in system.promises}
    yield "promises", [one.promise for one in system.promises], [str(promise) for promise in PromiseId]
    yield "verdict", system.verdict, Verdict.SATISFIED if broken is None else Verdict.NOT_SATISFIED
    failed = [promise for promise, verdict in kept.items() if verdict is Verdict.NOT_SATISFIED]
    yield "broken", failed, [] if broken is None else [broken.promise]


_LONGEST_TOLD: Final = 1_000
"""Characters of a text about what was brought."""

_REASON: Final = (
    r"(?:{names})(?: [^:]{{1,100}})?: p = [0-9.e+-]+, adjusted [0-9.e+-]+|(?:{names}) was not run: .{{1,400}}"
    r"|in all [0-9]+ (?:of [0-9]+ p-values, in [0-9]+ tests?|tests were not run)"
    r"|none of [0-9]+ p-values is rejected at a family-wise error of [0-9.e-]+"
    r"|borderline in [a-z0-9 ,/-]+: a fresh sample [0-9]+ times as large decides"
)
"""How a verdict on what was brought gives its reasons."""
