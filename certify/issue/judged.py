"""The words of statistical tests: what a test says beside its numbers is its own, and none of the issuer's to word."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from certify.certification.randomness import first_sample, rows_tested, run_tests
from certify.certification.request import RunRequest
from certify.evidence.randomness import Randomness
from certify.model.game import Game
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
