"""What evidence says of campaigns and statistical tests beside their counts: plan, rules, what follows from p-values.

Counts and p-values come again only with the whole run. All that is said about them follows from profile, submission,
code and the values themselves, and none of it is the issuer's to word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final

from certify.certification.evidence import shown_on_reference
from certify.certification.play_through import borderline_rule
from certify.certification.randomness import draw_plan, first_sample, rows_tested, run_tests, sentence_of
from certify.certification.request import RunRequest
from certify.evidence.document import Evidence
from certify.evidence.plain import plain
from certify.evidence.randomness import Randomness
from certify.issue.compare import compare, some
from certify.messages import worded
from certify.model.game import Game
from certify.simulation import independent_code, shared_code
from certify.simulation.inference import decision_rule
from rng.battery.planted.catalogue import FAULTS
from rng.battery.result import NotRun, TestResult
from rng.battery.verdict import conclude
from rng.errors import SampleError

_LONGEST: Final = 400
"""Characters of what a test says it would detect, and why one was not run."""

_BITS: Final = 1_000_000
"""Bits of a stream that every test of bits takes."""

_NUMBER: Final = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?(?:e[+-]?\d+)?", re.ASCII)


def judged_differences(request: RunRequest, claimed: Evidence) -> Iterator[str]:
    """Yields where the evidence words or judges campaigns and tests otherwise than follows.

    Args:
        request: What was asked of the run.
        claimed: The evidence.
    """
    yield from some(_simulation(request, claimed), "/simulation")
    yield from some(_randomness(request, claimed.randomness), "/randomness")


def _simulation(request: RunRequest, claimed: Evidence) -> Iterator[str]:
    simulation = claimed.simulation
    expected = {
        **worded(borderline_rule=borderline_rule()),
        "shared_code": shared_code(request.game),
        "independent_code": independent_code(request.game),
    }
    yield from _held(expected, simulation, "/simulation")
    for campaign in (*simulation.campaigns, *simulation.borderline_first):
        where = f"/simulation/{campaign.strategy}"
        yield from _held(worded(decision_rule=decision_rule()), campaign, where)


def _held(expected: Mapping[str, object], noun: object, where: str) -> Iterator[str]:
    told = {key: getattr(noun, key) for key in expected}
    yield from compare(plain(expected), plain(told), where)


def _randomness(request: RunRequest, claimed: Randomness) -> Iterator[str]:
    profile, equipment = request.profile, request.game.equipment
    plan = draw_plan(equipment, rows_tested(equipment, profile.decks), profile.streams, profile.stream_bits)
    told = {"sha256": claimed.plan.sha256, "rule": claimed.plan.rule, "alpha": claimed.alpha}
    yield from compare(
        {"sha256": plan.digest(), "rule": plan.rule(), "alpha": plan.alpha}, told, "/randomness"
    )
    planned = {(test.suite, test.test) for test in plan.tests}
    named = [(test.suite, test.test) for test in claimed.tests]
    named += [(test.suite, test.test) for test in claimed.not_run]
    if set(named) != planned:
        strays = sorted(f"{suite} {test}" for suite, test in set(named) ^ planned)
        yield f"/randomness/tests: not those of the plan: {', '.join(strays)}"
    faults = [fault.name for fault in FAULTS]
    yield from compare(faults, [fault.fault for fault in claimed.planted], "/randomness/planted")
    for test in claimed.tests:
        where = f"/randomness/tests/{test.suite}/{test.test}"
        yield from compare(plan.alpha, test.threshold, f"{where}/threshold")
        if max(map(len, (test.detectable, test.null, *test.labels))) > _LONGEST:
            yield f"{where}: a text is longer than {_LONGEST} characters"
    yield from _worded(request, claimed)
    if any(len(entry.reason) > _LONGEST for entry in claimed.not_run):
        yield f"/randomness/not_run: a reason is longer than {_LONGEST} characters"
    if claimed.plan.stages == 1:
        yield from _verdict(claimed)
    elif claimed.plan.stages not in (1, 2):
        yield f"/randomness/plan/stages: {claimed.plan.stages}, expected 1 or 2"


def _worded(request: RunRequest, claimed: Randomness) -> Iterator[str]:
    """Compares what the tests say of themselves with what they say of the smallest sample that all of them take.

    Numbers follow from the sample, and come again with the whole run; every word beside them is the test's own.
    """
    known = _smallest(request.game)
    for test in claimed.tests:
        own = known.get((test.suite, test.test))
        if own is None:
            continue
        told = {"null": test.null, "detectable": test.detectable}
        said = {"null": own.null, "detectable": own.detectable}
        where = f"/randomness/tests/{test.suite}/{test.test}"
        for name in (name for name in told if _without_numbers(told[name]) != _without_numbers(said[name])):
            yield f"{where}/{name}: {told[name]!r}, expected {said[name]!r} but for its numbers"


@lru_cache(maxsize=4)
def _smallest(game: Game) -> dict[tuple[str, str], TestResult]:
    """Returns the results of the tests on the smallest sample that all of them take, by suite and test."""
    sample = first_sample(game, bytes(32), rows_tested(game.equipment, 1), 1, _BITS)
    return {(one.suite, one.test): one for one in run_tests(sample) if isinstance(one, TestResult)}


def _without_numbers(text: str) -> str:
    return _NUMBER.sub("0", text)


def _verdict(claimed: Randomness) -> Iterator[str]:
    """Compares what follows from the p-values of one sample, where the published ones are those that decide."""
    size = sum(len(test.p_values) for test in claimed.tests)
    yield from compare(size, claimed.family_size, "/randomness/family_size")
    smallest = min((test.adjusted_p for test in claimed.tests), default=1.0)
    yield from compare(smallest, claimed.smallest_adjusted_p, "/randomness/smallest_adjusted_p")
    try:
        verdict = conclude(_results(claimed), alpha=claimed.alpha)
    except SampleError as error:
        yield f"/randomness/tests: {error}"
        return
    worst = verdict.worst
    expected = {"verdict": shown_on_reference(verdict.word), "sentence": sentence_of(verdict)}
    published = all(test.smallest_p == min(test.p_values) for test in claimed.tests)
    if not published and (verdict.word == "not satisfied" or smallest <= claimed.alpha):
        # Far out in their tails some tests decide by other values than those that they publish.
        return
    if claimed.not_run and verdict.word != "not satisfied":
        # Whether a test that was not run leaves the verdict open is said in its reason, in words.
        del expected["verdict"]
    yield from _held(expected, claimed, "/randomness")
    for test in claimed.tests if published else ():
        key = (test.suite, test.test)
        words = {"adjusted_p": worst[key].adjusted, "verdict": shown_on_reference(verdict.word_of(*key))}
        yield from _held(words, test, f"/randomness/tests/{test.suite}/{test.test}")


def _results(claimed: Randomness) -> tuple[TestResult | NotRun, ...]:
    return (
        *(
            # Of a test with one p-value the smallest of those that decide is the one that decides.
            TestResult(
                suite=test.suite,
                test=test.test,
                p_values=test.p_values,
                labels=test.labels,
                deciding=(test.smallest_p,) if len(test.p_values) == 1 else (),
            )
            for test in claimed.tests
        ),
        *(NotRun(entry.suite, entry.test, entry.reason) for entry in claimed.not_run),
    )
