"""What an operator brought: their generator and their round system, each in a chapter of its own."""

from __future__ import annotations

from dataclasses import dataclass

from certify.messages import tell
from certify.report.chapters.randomness import power
from certify.report.formats import day, grouped, p_value, sentence, statistic
from certify.report.layout import (
    Fact,
    PageCell,
    PageTable,
    VerdictMark,
    columns,
    digest,
    judged,
    mono,
    note,
    number,
    verdict,
)
from certify.report.node import Node
from certify.report.order import file_of

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
    promises: PageTable
    promises_file: str
    story_file: str


def operator_generator(evidence: Node) -> OperatorGenerator | None:
    """Returns the chapter, or nothing where no output was brought."""
    outputs = evidence.at("brought").each("outputs")
    if not outputs:
        return None
    return OperatorGenerator(
        tuple(_output(output) for output in outputs),
        file_of(evidence, "data/operator-tests.csv"),
        file_of(evidence, "data/operator-p-values.csv"),
    )


def _output(output: Node) -> OutputView:
    run = [test for test in output.each("tests") if test.each("p_values")]
    rejected = sum(test.integer("rejected") for test in run)
    word = output.text("verdict")
    amount = tell(f"brought.amount.{output.text('kind')}", count=grouped(output.integer("count")))
    counts = {
        "tests": grouped(len(run)),
        "p_values": grouped(output.integer("family_size")),
        "amount": amount,
        "alpha": statistic(100 * output.number("alpha"), 0),
    }
    left = len(output.each("tests")) - len(run)
    return OutputView(
        output.text("name"),
        verdict(word),
        tell("brought.output-rejected", rejected=grouped(rejected), **counts)
        if rejected
        else tell("brought.output-not-rejected", **counts),
        _worth(output),
        (
            Fact(tell("fact.file"), PageCell(output.text("name"))),
            Fact(tell("head.sha-256"), digest(output.text("sha256"))),
            Fact(tell("fact.sample"), PageCell(amount)),
            Fact(tell("fact.asked-of-laboratories"), PageCell(_practice(output))),
            *_sampling(output.at("sampling")),
            Fact(tell("fact.decided"), PageCell(sentence(output.sentence("rule")))),
        ),
        _worst(run),
        power(run, tell("brought.power")),
        tell("brought.not-run", count=left) if left else "",
    )


def _practice(output: Node) -> str:
    """Says how much laboratories test, by whose account."""
    asked = tell(f"brought.amount.{output.text('kind')}", count=grouped(output.integer("asked")))
    return tell("brought.asked", amount=asked, source=tell(f"brought.practice.{output.text('practice')}"))


def _worth(output: Node) -> str:
    """Says whether a file may answer clauses."""
    if output.text("kind") == "bits":
        return tell("brought.raw")
    reasons = (
        *((tell("brought.unattested"),) if not output.at("sampling") else ()),
        *((tell("brought.too-little"),) if output.integer("count") < output.integer("asked") else ()),
    )
    return tell("brought.no-evidence", reasons=", ".join(reasons)) if reasons else tell("brought.evidence")


def _sampling(record: Node) -> tuple[Fact, ...]:
    """Returns how an item came to be tested: as somebody attests it, or as handed in."""
    if not record:
        return (Fact(tell("fact.sampling"), PageCell(tell("brought.as-handed-in"))),)
    taken = tell("brought.taken", by=record.text("taken_by"), on=day(f"{record.text('taken_on')}T00:00:00Z"))
    place = record.text("place")
    return (
        Fact(
            tell("fact.taken-from"),
            PageCell(
                record.text("item"),
                detail=record.text("item_sha256") if record.at("item_sha256").value else "",
            ),
        ),
        Fact(tell("fact.taken"), PageCell(f"{taken}, {place}" if place else taken)),
        Fact(tell("fact.how"), PageCell(record.text("how"))),
        Fact(tell("fact.attested-by"), PageCell(record.text("attested_by"))),
    )


def _worst(run: list[Node]) -> PageTable | None:
    """Tabulates the tests that came nearest to a rejection, or went furthest beyond it."""
    least = sorted(run, key=lambda test: (test.number("adjusted_p"), _smallest(test)))[:_WORST]
    rows = tuple(
        (
            mono(test.text("suite")),
            PageCell(test.text("test")),
            number(grouped(test.integer("sample_size"))),
            number(
                tell(
                    "number.of",
                    part=grouped(test.integer("rejected")),
                    whole=grouped(len(test.each("p_values"))),
                )
            ),
            number(p_value(_smallest(test))),
            number(p_value(test.number("adjusted_p"))),
            judged(test.text("verdict")),
        )
        for test in least
    )
    head = columns("suite", "test", "#n", "#p-values-rejected", "#smallest-p", "#adjusted-p", "verdict")
    return PageTable(tell("brought.worst"), head, rows, dense=True) if rows else None


def _smallest(test: Node) -> float:
    return min(float(value.plain()) for value in test.each("p_values"))


def operator_rounds(evidence: Node) -> OperatorRounds | None:
    """Returns the chapter, or nothing where no round system was brought."""
    system = evidence.at("brought").at("system")
    if not system:
        return None
    broken = system.at("broken")
    kept = sum(promise.text("verdict") == "satisfied" for promise in system.each("promises"))
    stated = tell("front.not-stated")
    facts = (
        Fact(tell("fact.reached-at"), PageCell(system.text("target"))),
        Fact(tell("fact.version"), PageCell(system.text("version") or stated)),
        Fact(
            tell("head.sha-256"),
            digest(system.text("sha256")) if system.at("sha256").value else PageCell(stated),
        ),
        *_sampling(system.at("sampling")),
        Fact(tell("fact.told"), PageCell(_told(system))),
        Fact(
            tell("fact.not-supported"),
            PageCell(", ".join(one.plain() for one in system.each("unsupported")) or tell("brought.nothing")),
        ),
    )
    return OperatorRounds(
        verdict(system.text("verdict")),
        _lead(broken, kept, len(system.each("promises"))),
        (
            Fact(tell("fact.promise"), PageCell(sentence(broken.sentence("promise")), "strong")),
            Fact(tell("head.expected"), PageCell(broken.sentence("expected"))),
            Fact(tell("head.observed"), PageCell(broken.sentence("observed"))),
        )
        if broken
        else (),
        facts,
        _story(broken),
        _promises(system),
        file_of(evidence, "data/operator-promises.csv"),
        file_of(evidence, "data/operator-story.csv"),
    )


def _lead(broken: Node, kept: int, whole: int) -> str:
    """Says in a sentence whether the system kept its promises."""
    if broken:
        return tell("brought.promise-broken")
    if kept == whole:
        return tell("brought.every-promise-kept", whole=grouped(whole))
    return tell("brought.promises-kept", kept=grouped(kept), whole=grouped(whole))


def _told(system: Node) -> str:
    return tell(
        "brought.told",
        fixed=grouped(system.integer("fixed_told")),
        planned=grouped(system.integer("fixed_planned")),
        combinations=grouped(system.integer("combinations")),
        stories=grouped(system.integer("stories")),
        steps=grouped(system.integer("steps")),
    )


def _story(broken: Node) -> PageTable | None:
    rows = tuple((PageCell(line.plain()),) for line in broken.each("script"))
    return (
        PageTable(tell("brought.story"), columns("step"), rows, sortable=False, dense=True) if rows else None
    )


def _promises(system: Node) -> PageTable:
    """Tabulates every promise with whether it was kept, and why it was not tried where it was not."""
    rows = tuple(
        (
            PageCell(sentence(promise.sentence("promise"))),
            judged(promise.text("verdict")),
            note(promise.sentence("reason", "")),
        )
        for promise in system.each("promises")
    )
    head = columns("promise:52", "verdict:18", "why")
    return PageTable(tell("brought.promises"), head, rows, dense=True)
