"""Answers about what an operator submitted: their generator's output and their system of rounds."""

from collections.abc import Iterable, Iterator
from typing import Final

from certify.clauses.registry import Answer, Results, verdict_of
from certify.evidence import Output, RoundSystem, TestLeftOut, TestOfSample
from certify.model import UnderTest, Verdict
from certify.rounds.conformance.promise import PromiseId

WAGERS: Final = "combinations-"
"""How the tests of how often a game's wagers come to each outcome are named."""

OF_ROUNDS: Final = "wagers"
"""The suite of the tests of their order, and of when and where they were dealt."""

_WORST_FIRST: Final = (Verdict.NOT_SATISFIED, Verdict.INCONCLUSIVE, Verdict.SATISFIED)


def final_outputs(results: Results) -> tuple[Output, ...]:
    """Returns the files that hold what rounds are made of: decks or draws."""
    return tuple(output for output in results.brought.outputs if output.is_final)


def raw_outputs(results: Results) -> tuple[Output, ...]:
    """Returns the files that hold the bits behind it."""
    return tuple(output for output in results.brought.outputs if not output.is_final)


def counted(answers: Iterable[tuple[Output, Answer]]) -> Iterator[Answer]:
    """Yields the answers about output that may answer clauses.

    A failure counts wherever it is seen. What holds counts where the output is evidence: taken as somebody attests, and
    as much as laboratories test.
    """
    for output, answer in answers:
        if output.doubled is None and (output.is_evidence or answer.verdict is Verdict.NOT_SATISFIED):
            yield answer


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
        tried=output.family_size,
    )


def of_output(output: Output, *names: str) -> Iterator[Answer]:
    """Yields what some tests of cards showed of the decks of one file."""
    found = [test for name in names for test in output.tests if test.test == name]
    yield from counted((output, _of_test(output, test)) for test in found)


def played_outputs(results: Results) -> Iterator[Answer]:
    """Yields what the game made of the rows submitted: outcomes of every wager, how often and in what order."""
    for output in final_outputs(results):
        found = [one for one in output.tests if one.suite == OF_ROUNDS or one.test.startswith(WAGERS)]
        yield from counted((output, _of_test(output, test)) for test in found)


def _of_test(output: Output, test: TestOfSample | TestLeftOut) -> Answer:
    seen, reason, tried = "not run", "", 0
    if isinstance(test, TestLeftOut):
        reason = test.reason
    else:
        tried = len(test.p_values)
        seen = f"{test.adjusted_p:.3g}, smallest of {len(test.p_values)} p-values on {test.sample_size} {output.kind}"
    return Answer(
        Verdict(test.verdict),
        f"adjusted p-value of at least {output.alpha:g}",
        seen,
        subject=f"{output.name}, {test.test}",
        reason=reason,
        evidence=("/brought/outputs",),
        item=UnderTest.OPERATOR_OUTPUT,
        tried=tried,
    )


def whole_decks(results: Results) -> Iterator[Answer]:
    """Yields whether the rows of each file are whole: one with an item twice fails, whoever attests the file."""
    for output in final_outputs(results):
        doubled = output.doubled
        if doubled is not None or (output.kind == "decks" and output.is_evidence):
            yield Answer(
                verdict_of(doubled is None),
                f"0 of {output.count} {output.kind} with an item that is missing, foreign or doubled",
                f"0 of {output.count}"
                if doubled is None
                else f"row {doubled.row} holds {doubled.face} twice, but the game draws without replacement",
                subject=output.name,
                evidence=("/brought/outputs",),
                item=UnderTest.OPERATOR_OUTPUT,
                tried=output.count,
            )


def kept(results: Results, *promises: PromiseId) -> Iterator[Answer]:
    """Yields whether the operator's system kept some promises; nothing where none could be tried on it."""
    system = results.brought.system
    if system is None:
        return
    named = set(map(str, promises))
    tried = [
        one for one in system.promises if one.promise in named and one.verdict is not Verdict.NOT_APPLICABLE
    ]
    if not tried:
        return
    broken = system.broken
    worst = min(tried, key=lambda one: _WORST_FIRST.index(one.verdict))
    yield Answer(
        worst.verdict,
        "; ".join(one.promise for one in tried),
        _told(system) if broken is None else f"expected {broken.expected}; observed {broken.observed}",
        subject=system.target,
        reason=worst.reason,
        evidence=("/brought/system",),
        item=UnderTest.OPERATOR_ROUNDS,
        tried=sum(one.tried or 0 for one in tried),
    )


def _told(system: RoundSystem) -> str:
    return (
        f"kept in {system.fixed_told} stories of the fixed part ({system.combinations} combinations of action and "
        f"phase) and {system.stories} random ones of {system.steps} steps"
    )
