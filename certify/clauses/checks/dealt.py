"""Checks of the dealt cards one by one, as some jurisdictions name them: position, runs, pairs, succession."""

from collections.abc import Iterable

from certify.clauses.checks.operator_items import (
    collective_of,
    counted,
    final_outputs,
    of_output,
    raw_outputs,
    whole_decks,
)
from certify.clauses.registry import Answer, Results, check, verdict_of
from certify.evidence import RandomTest
from certify.exact import percent_text
from certify.model import Kind, UnderTest, Verdict


@check(
    "deck.whole",
    "Everything drawn exists, and nothing drawn without replacement comes twice in a round",
    UnderTest.REFERENCE_GENERATOR,
)
def deck_whole(results: Results) -> Iterable[Answer]:
    """Each row looked at is one that the equipment can give; a dealt deck holds each of its cards once."""
    audit = results.deck_audit
    yield Answer(
        verdict_of(audit.broken == 0),
        f"0 of {audit.decks} rows with an item that is missing, foreign or doubled",
        f"{audit.broken} of {audit.decks}",
        evidence=("/deck_audit",),
        tried=audit.decks,
    )
    yield from whole_decks(results)


@check(
    "play.independent-of-stakes",
    "Cards and outcomes depend on nothing but the generator",
    UnderTest.REFERENCE_ROUNDS,
)
def independent_of_stakes(results: Results) -> Iterable[Answer]:
    """The same seed deals the same cards whatever is staked and whatever happened before."""
    audit = results.deck_audit
    yield Answer(
        verdict_of(audit.stake_differences == 0),
        "same seed, same cards and outcomes, with other stakes, wagers and history",
        f"{audit.stake_differences} differences in {audit.stake_runs} replayed rounds",
        evidence=("/deck_audit",),
        tried=audit.stake_runs,
    )


@check(
    "randomness.collective",
    "The dealt decks and the generator's bits pass the tests collectively at 99 %",
    UnderTest.REFERENCE_GENERATOR,
)
def collective(results: Results) -> Iterable[Answer]:
    """One verdict over all pre-registered tests, with the family-wise error controlled."""
    randomness = results.randomness
    yield Answer(
        Verdict(randomness.verdict),
        f"no p-value rejected at a family-wise error of {randomness.alpha:g}",
        f"{randomness.family_size} p-values, smallest adjusted {randomness.smallest_adjusted_p:.3g}, on "
        f"{randomness.decks} decks and {randomness.bits} bits",
        reason=randomness.sentence.removesuffix(".") if randomness.verdict != "satisfied" else "",
        evidence=("/randomness/tests",),
        tried=randomness.family_size,
    )
    yield from counted((output, collective_of(output)) for output in final_outputs(results))


@check(
    "randomness.as-handed-in",
    "Output of the operator's generator that is no evidence yet passes the tests collectively at 99 %",
    UnderTest.OPERATOR_OUTPUT,
    own="What nobody attests, or is less than laboratories test, satisfies no clause",
)
def as_handed_in(results: Results) -> Iterable[Answer]:
    """Decks or draws without a record of how they were taken, or too few."""
    brought = final_outputs(results)
    outputs = [output for output in brought if not output.is_evidence and not output.doubled]
    if not outputs:
        yield Answer(
            Verdict.NOT_APPLICABLE,
            "output of the operator's generator that is no evidence yet",
            "none",
            reason="all output submitted is evidence" if brought else "none was submitted",
        )
    yield from (collective_of(output) for output in outputs)


@check(
    "randomness.raw-output",
    "The raw bits of the operator's generator pass the tests collectively at 99 %",
    UnderTest.OPERATOR_OUTPUT,
    own="No clause read here requires the raw output by itself: the final outcome is what counts",
)
def raw_output(results: Results) -> Iterable[Answer]:
    """Bits that the operator submitted; they say nothing about the decks or draws made of them."""
    outputs = raw_outputs(results)
    if not outputs:
        yield Answer(
            Verdict.NOT_APPLICABLE,
            "raw output of the operator's generator",
            "none",
            reason="none was submitted",
        )
    yield from (collective_of(output) for output in outputs)


@check(
    "randomness.further-confidence",
    "The tests pass at the further confidence that the jurisdiction requires",
    UnderTest.REFERENCE_GENERATOR,
)
def further_confidence(results: Results) -> Iterable[Answer]:
    """The same p-values against a second threshold.

    Between the two thresholds the answer is inconclusive: at 95 % one faultless item in twenty ends there, and
    a run with another seed decides.
    """
    randomness, limits = results.randomness, results.regime.further_confidences
    if not limits:
        yield Answer(
            Verdict.NOT_APPLICABLE,
            "a further level of confidence",
            "none",
            reason="no jurisdiction of this report requires one other than 99 %",
        )
    for limit in limits:
        alpha = float(1 - limit.value)
        refuted = randomness.verdict == Verdict.NOT_SATISFIED
        verdict = Verdict(randomness.verdict)
        if verdict is Verdict.SATISFIED and not randomness.smallest_adjusted_p >= alpha:
            verdict = Verdict.INCONCLUSIVE
        yield Answer(
            verdict,
            f"no p-value below {alpha:g} after adjustment, {percent_text(limit.value, 0)} % confidence "
            f"({limit.reference})",
            f"smallest adjusted {randomness.smallest_adjusted_p:.3g} of {randomness.family_size} p-values",
            reason=""
            if verdict is Verdict.SATISFIED or refuted
            else f"one faultless item in {1 / alpha:.0f} ends so; a run with another seed decides",
            evidence=("/randomness/tests",),
            tried=randomness.family_size,
        )


@check(
    "randomness.planted-faults-found",
    "The tests find generators and shuffles known to be bad",
    UnderTest.TESTS,
)
def planted_faults(results: Results) -> Iterable[Answer]:
    """A battery that cannot fail proves nothing: every planted fault is found by name."""
    planted = results.randomness.planted
    missed = [fault.fault for fault in planted if not fault.caught]
    yield Answer(
        verdict_of(not missed),
        f"{len(planted)} of {len(planted)} planted faults found",
        f"{len(planted) - len(missed)} found" + (f"; missed: {', '.join(missed)}" if missed else ""),
        evidence=("/randomness/planted",),
        tried=len(planted),
    )


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
        tried=len(test.p_values),
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
    "Each position is independent of the same position in the next deck",
    UnderTest.REFERENCE_GENERATOR,
)
def serial(results: Results) -> Iterable[Answer]:
    """Dependence and correlation between successive decks."""
    return _tests(results, "lagged-places", "serial-correlation")
