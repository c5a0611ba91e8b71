"""Answers about what an operator brought: their generator's output and their system of rounds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from certify.clauses.registry import Answer
from certify.clauses.results import Results
from certify.evidence.operator import Output, OutputTest, RoundSystem
from certify.model.finding import Verdict
from certify.model.item import UnderTest
from certify.rounds.conformance.extras import Extra, TableExtra
from certify.rounds.conformance.promise import Promise
from certify.rounds.system import Action

WAGERS: Final = "combinations-"
"""How the tests of what a game's wagers make of decks are named."""

_NEEDS: Final[Mapping[Promise, tuple[str, ...]]] = {
    Promise.HISTORY: (Extra.HISTORY, TableExtra.HISTORY),
    Promise.RESTART: (Extra.RESTART, TableExtra.RESTART),
    Promise.TOGETHER: (Extra.TOGETHER, TableExtra.TOGETHER),
    Promise.RETURNED: (Action.MALFUNCTION,),
    Promise.RETURNED_ONCE: (Action.MALFUNCTION,),
    Promise.VOID_PAYS_NOTHING: (Action.MALFUNCTION,),
    Promise.TERM: (Action.EXPIRE,),
    Promise.RESUMED: (Action.DISCONNECT, Action.RESUME),
    Promise.UNAVAILABLE: (Action.SUSPEND,),
    Promise.PAID: ("pays of",),
}
"""What a promise needs to be tried, as the list of what was not tested calls it."""


def final_outputs(results: Results) -> tuple[Output, ...]:
    """Returns the files that hold what rounds are made of: decks or draws."""
    return tuple(output for output in results.brought.outputs if output.is_final)


def raw_outputs(results: Results) -> tuple[Output, ...]:
    """Returns the files that hold the bits behind it."""
    return tuple(output for output in results.brought.outputs if not output.is_final)


def collective_of(output: Output) -> Answer:
    """Returns the collective verdict on one file."""
    return Answer(
        output.verdict,
        f"no p-value rejected at a family-wise error of {output.alpha:g}",
        f"{output.family_size} p-values on {output.count} {output.kind}",
        subject=output.name,
        reason="" if output.verdict is Verdict.SATISFIED else "; ".join(output.reasons),
        evidence=("/brought/outputs",),
        item=UnderTest.OPERATOR_OUTPUT,
    )


def of_output(output: Output, *names: str) -> Iterator[Answer]:
    """Yields what some tests of cards showed of the decks of one file."""
    for name in names:
        found = [test for test in output.tests if test.test == name]
        yield from (_of_test(output, test) for test in found)


def played_outputs(results: Results) -> Iterator[Answer]:
    """Yields what the game made of the decks that were brought: the outcomes of every wager, by chi-square."""
    for output in final_outputs(results):
        yield from (_of_test(output, test) for test in output.tests if test.test.startswith(WAGERS))


def _of_test(output: Output, test: OutputTest) -> Answer:
    adjusted = "not run" if test.adjusted_p is None else f"{test.adjusted_p:.3g}"
    return Answer(
        test.verdict,
        f"adjusted p-value of at least {output.alpha:g}",
        f"{adjusted}, smallest of {len(test.p_values)} p-values on {test.sample_size} {output.kind}",
        subject=f"{output.name}, {test.test}",
        reason=test.reason or ("" if test.verdict is Verdict.SATISFIED else "; ".join(output.reasons)),
        evidence=("/brought/outputs",),
        item=UnderTest.OPERATOR_OUTPUT,
    )


def whole_decks(results: Results) -> Iterator[Answer]:
    """Yields that the decks of each file are whole: a file with any other deck is refused before the run."""
    for output in final_outputs(results):
        if output.kind == "decks":
            yield Answer(
                Verdict.SATISFIED,
                f"0 of {output.count} decks with a card that is missing, foreign or doubled",
                f"0 of {output.count}",
                subject=output.name,
                evidence=("/brought/outputs",),
                item=UnderTest.OPERATOR_OUTPUT,
            )


def kept(results: Results, *promises: Promise) -> Iterator[Answer]:
    """Yields whether the operator's system kept some promises; nothing where none could be tried on it.

    Stories end at the first breach, so that after one nothing is known of the other promises.
    """
    system = results.brought.system
    if system is None:
        return
    tried = [promise for promise in promises if _tried(promise, system)]
    if not tried:
        return
    broken = system.broken
    verdict, reason = Verdict.SATISFIED, ""
    if broken is not None and broken.promise in tried:
        verdict = Verdict.NOT_SATISFIED
    elif broken is not None:
        verdict = Verdict.INCONCLUSIVE
        reason = f"the stories ended where another promise was broken: {broken.promise}"
    yield Answer(
        verdict,
        "; ".join(map(str, tried)),
        _told(system) if broken is None else f"expected {broken.expected}; observed {broken.observed}",
        subject=system.target,
        reason=reason,
        evidence=("/brought/system",),
        item=UnderTest.OPERATOR_ROUNDS,
    )


def _tried(promise: Promise, system: RoundSystem) -> bool:
    return not any(
        text.startswith((f"{needed}:", f"{needed} "))
        for needed in _NEEDS.get(promise, ())
        for text in system.not_tested
    )


def _told(system: RoundSystem) -> str:
    return (
        f"kept in {system.fixed_told} stories of the fixed part ({system.combinations} combinations of action and "
        f"phase) and {system.stories} random ones of {system.steps} steps"
    )
