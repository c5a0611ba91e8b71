"""What an operator brought: their generator and their round system, each in a chapter of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from certify.evidence.document import Evidence
from certify.evidence.operator import BrokenPromise, Output, Sampling
from certify.evidence.sample import TestOfSample
from certify.messages import tell, translated
from certify.model.finding import Verdict
from certify.report.chapters.generator import power
from certify.report.formats import day, grouped, sentence, statistic
from certify.report.layout import Fact, PageCell, PageTable, VerdictMark, digest, fact, listed, verdict
from certify.report.words import file_of

_WORST = 5
"""Tests that are printed of each file, the nearest to a rejection or the furthest beyond it."""


@dataclass(frozen=True, slots=True)
class OutputView:
    """One file of the operator's generator.

    Args:
        name: Name of the file.
        verdict: How its tests ended.
        lead: The same in a sentence, with its numbers.
        worth: Whether it may answer clauses, and why not where it may not.
        facts: What it is, how much of it, and how it was taken.
        worst: The tests that came nearest to a rejection, or went furthest beyond it.
        power: What a sample of this size would have shown.
        left: How many tests were not run; empty where all were.
    """

    name: str
    verdict: VerdictMark
    lead: str
    worth: str
    facts: tuple[Fact, ...]
    worst: PageTable | None
    power: PageTable | None
    left: str


@dataclass(frozen=True, slots=True)
class OperatorGenerator:
    """The operator's generator, by the files that it gave."""

    outputs: tuple[OutputView, ...]
    tests_file: str
    p_values_file: str


@dataclass(frozen=True, slots=True)
class OperatorRounds:
    """The operator's round system.

    Args:
        verdict: How its stories ended.
        lead: The same in a sentence.
        broken: The promise that it broke, with what was expected and observed; none where it kept all of them.
        facts: What it is, who set it up, and what it was told.
        story: The shortest story that shows the broken promise.
        promises: Every promise, and whether it was kept.
        promises_file: The file with the same.
        story_file: The file with the story.
    """

    verdict: VerdictMark
    lead: str
    broken: tuple[Fact, ...]
    facts: tuple[Fact, ...]
    story: PageTable | None
    promises: PageTable | None
    promises_file: str
    story_file: str


def operator_generator(evidence: Evidence) -> OperatorGenerator | None:
    """Returns the chapter, or nothing where no output was brought."""
    outputs = evidence.brought.outputs
    if not outputs:
        return None
    tests_file = file_of(evidence, "data/operator-tests.csv")
    return OperatorGenerator(
        tuple(_output(output, tests_file) for output in outputs),
        tests_file,
        file_of(evidence, "data/operator-p-values.csv"),
    )


def _output(output: Output, tests_file: str) -> OutputView:
    run, rejected = output.run, output.rejected
    word = output.verdict
    amount = tell(f"brought.amount.{output.kind}", count=grouped(output.count))
    counts = {
        "tests": grouped(len(run)),
        "p_values": grouped(output.family_size),
        "amount": amount,
        "alpha": statistic(100 * output.alpha, 0),
    }
    left = len(output.tests) - len(run)
    return OutputView(
        output.name,
        verdict(word),
        tell("brought.output-doubled", row=grouped(output.doubled.row), face=translated(output.doubled.face))
        if output.doubled
        else tell("brought.output-rejected", rejected=grouped(rejected), **counts)
        if rejected
        else tell("brought.output-not-rejected", **counts),
        _worth(output),
        (
            fact("fact.file", output.name),
            fact("head.sha-256", digest(output.sha256)),
            fact("fact.sample", amount),
            fact("fact.asked-of-laboratories", _practice(output)),
            *_sampling(output.sampling),
            fact("fact.decided", sentence(translated(output.rule))),
        ),
        _worst(run),
        power(run, tell("brought.power"), tests_file),
        tell("brought.not-run", count=left) if left else "",
    )


def _practice(output: Output) -> str:
    """Says how much laboratories test, by whose account."""
    asked = tell(f"brought.amount.{output.kind}", count=grouped(output.asked))
    return tell("brought.asked", amount=asked, source=tell(f"brought.practice.{output.practice}"))


def _worth(output: Output) -> str:
    """Says whether a file may answer clauses."""
    if not output.is_final:
        return tell("brought.raw")
    reasons = (
        *((tell("brought.unattested"),) if output.sampling is None else ()),
        *((tell("brought.too-little"),) if output.count < output.asked else ()),
    )
    return tell("brought.no-evidence", reasons=", ".join(reasons)) if reasons else tell("brought.evidence")


def _sampling(record: Sampling | None) -> tuple[Fact, ...]:
    """Returns how an item came to be tested: as somebody attests it, or as handed in."""
    if record is None:
        return (fact("fact.sampling", tell("brought.as-handed-in")),)
    taken = tell("brought.taken", by=record.taken_by, on=day(f"{record.taken_on}T00:00:00Z"))
    place = record.place
    return (
        fact(
            "fact.taken-from",
            PageCell(
                record.item,
                detail=record.item_sha256 or "",
            ),
        ),
        fact("fact.taken", f"{taken}, {place}" if place else taken),
        fact("fact.how", record.how),
        fact("fact.attested-by", record.attested_by),
    )


def _worst(run: Sequence[TestOfSample]) -> PageTable | None:
    """Tabulates the tests that came nearest to a rejection, or went furthest beyond it."""
    least = sorted(((test.adjusted_p, min(test.deciding), place) for place, test in enumerate(run)))[:_WORST]
    return listed(
        tell("brought.worst"),
        "suite=of.suite!mono test=of.test #n=of.sample_size:grouped #p-values=of.p_values:len #smallest-p=least:p "
        "#adjusted-p=of.adjusted_p:p verdict=of.verdict!judged",
        ({"of": run[place], "least": smallest} for _, smallest, place in least),
        dense=True,
    )


def operator_rounds(evidence: Evidence) -> OperatorRounds | None:
    """Returns the chapter, or nothing where no round system was brought."""
    system = evidence.brought.system
    if system is None:
        return None
    broken = system.broken
    kept = sum(promise.verdict is Verdict.SATISFIED for promise in system.promises)
    stated = tell("front.not-stated")
    facts = (
        fact("fact.reached-at", system.target),
        fact("fact.version", system.version or stated),
        fact("head.sha-256", digest(system.sha256) if system.sha256 else PageCell(stated)),
        *_sampling(system.sampling),
        fact(
            "fact.told",
            tell(
                "brought.told",
                fixed=grouped(system.fixed_told),
                planned=grouped(system.fixed_planned),
                combinations=grouped(system.combinations),
                stories=grouped(system.stories),
                steps=grouped(system.steps),
            ),
        ),
        fact("fact.not-supported", ", ".join(system.unsupported) or tell("brought.nothing")),
    )
    return OperatorRounds(
        verdict(system.verdict),
        _lead(broken, kept, len(system.promises)),
        (
            fact("fact.promise", PageCell(sentence(translated(broken.promise)), "strong")),
            fact("head.expected", translated(broken.expected)),
            fact("head.observed", translated(broken.observed)),
        )
        if broken
        else (),
        facts,
        listed(
            tell("brought.story"),
            "step",
            ((line,) for line in (broken.script if broken else ())),
            sortable=False,
            dense=True,
        ),
        listed(
            tell("brought.promises"),
            "promise:48:sentence #times-tried=tried:10 verdict:16!judged why=reason:translated!note",
            system.promises,
            dense=True,
        ),
        file_of(evidence, "data/operator-promises.csv"),
        file_of(evidence, "data/operator-story.csv"),
    )


def _lead(broken: BrokenPromise | None, kept: int, whole: int) -> str:
    """Says in a sentence whether the system kept its promises."""
    if broken:
        return tell("brought.promise-broken")
    if kept == whole:
        return tell("brought.every-promise-kept", whole=grouped(whole))
    return tell("brought.promises-kept", kept=grouped(kept), whole=grouped(whole))
