"""Checks of the dealt cards one by one, as some jurisdictions name them: position, runs, pairs, succession."""

from __future__ import annotations

from collections.abc import Iterable

from certify.clauses.checks.brought import final_outputs, of_output
from certify.clauses.registry import Answer, check
from certify.clauses.results import Results
from certify.evidence.randomness import RandomTest
from certify.model.equipment import Kind
from certify.model.finding import Verdict
from certify.model.item import UnderTest


def _tests(results: Results, *names: str) -> Iterable[Answer]:
    """Yields what the collective verdict says of some tests of cards; one that was not run decides nothing."""
    if not any(piece.kind is Kind.SHOE for piece in results.game.equipment):
        yield Answer(
            Verdict.NOT_APPLICABLE,
            "cards",
            "none",
            reason="the game is not dealt from a shoe of cards: its draws are tested by the suite that fits them",
        )
        return
    for name in names:
        found = [
            test
            for test in results.randomness.tests
            if (test.suite, test.test) == ("cards", name) and test.verdict in set(Verdict)
        ]
        if found:
            yield _answer(found[-1], results.randomness.alpha)
        else:
            yield Answer(
                Verdict.INCONCLUSIVE,
                f"the test {name} on the dealt decks",
                "it was not run",
                subject=name,
                reason="the sample is too small for this test",
            )
    for output in final_outputs(results):
        if output.kind == "decks":
            yield from of_output(output, *names)


def _answer(test: RandomTest, alpha: float) -> Answer:
    """Returns what one test of the family showed."""
    return Answer(
        Verdict(test.verdict),
        f"adjusted p-value of at least {alpha:g}",
        f"{test.adjusted_p:.3g}, smallest of {len(test.p_values)} p-values on {test.sample_size} decks",
        subject=test.test,
        reason="" if test.verdict != Verdict.INCONCLUSIVE else "borderline in the collective verdict",
        evidence=("/randomness/tests",),
    )


@check(
    "cards.each-position",
    "Every card is equally frequent at each position, by chi-square",
    UnderTest.REFERENCE_GENERATOR,
)
def each_position(results: Results) -> Iterable[Answer]:
    """Chi-square for every position by itself and for all of them together."""
    return _tests(results, "each-position", "card-position")


@check(
    "cards.runs",
    "Runs at each position are as chance makes them",
    UnderTest.REFERENCE_GENERATOR,
)
def runs(results: Results) -> Iterable[Answer]:
    """Runs of each position over successive decks."""
    return _tests(results, "runs")


@check(
    "cards.pairs",
    "Pairs of positions depend on each other only as dealing without replacement makes them",
    UnderTest.REFERENCE_GENERATOR,
)
def pairs(results: Results) -> Iterable[Answer]:
    """Joint frequencies of pairs of positions."""
    return _tests(results, "position-pairs")


@check(
    "cards.serial",
    "Each position tells nothing of the same position in the next deck",
    UnderTest.REFERENCE_GENERATOR,
)
def serial(results: Results) -> Iterable[Answer]:
    """Dependence and correlation between successive decks."""
    return _tests(results, "lagged-places", "serial-correlation")
