"""Identification of what was tested, and of the software that tested it."""

from __future__ import annotations

from dataclasses import dataclass

from certify.messages import tell
from certify.report.chapters.layout import of_bets, of_reels, of_table
from certify.report.formats import grouped
from certify.report.layout import Fact, Figure, PageCell, PageTable, columns, digest, mono, note, number
from certify.report.node import Node


@dataclass(frozen=True, slots=True)
class ItemView:
    """The item under test and the means of testing."""

    facts: tuple[Fact, ...]
    layout: Figure | None
    bets: tuple[Figure, ...]
    reels: tuple[Figure, ...]
    files: PageTable | None
    sources: PageTable | None
    tool: tuple[Fact, ...]
    packages: PageTable | None


def item(evidence: Node) -> ItemView:
    """Returns the chapter."""
    subject = evidence.at("item")
    facts = (
        Fact(tell("fact.game"), PageCell(subject.text("title"))),
        Fact(tell("fact.identifier"), mono(subject.text("game"))),
        Fact(tell("fact.version"), PageCell(subject.text("version"))),
        Fact(tell("fact.supplier"), PageCell(subject.text("supplier", tell("front.not-stated")))),
        Fact(tell("fact.family-of-rules"), mono(subject.text("family"))),
    )
    return ItemView(
        facts,
        of_table(evidence),
        of_bets(evidence),
        of_reels(evidence),
        _files(subject),
        _sources(subject),
        _tool(evidence.at("tool")),
        _packages(evidence.at("tool")),
    )


def items(evidence: Node) -> PageTable | None:
    """Tabulates the items that checks were made on, with version and digest."""
    rows = tuple(
        (
            PageCell(entry.sentence("title")),
            PageCell(entry.text("version", "") or tell("front.not-stated")),
            digest(entry.text("sha256")) if entry.at("sha256").value else PageCell(tell("front.not-stated")),
        )
        for entry in evidence.each("items")
    )
    head = columns("item:31", "version:15", "sha-256:54")
    remark = tell("item.what-holds-on-a-reference")
    return (
        PageTable(tell("item.items-under-test"), head, rows, remark, sortable=False, dense=True)
        if rows
        else None
    )


def _files(subject: Node) -> PageTable | None:
    rows = tuple(
        (mono(file.text("name")), number(grouped(file.integer("bytes"))), digest(file.text("sha256")))
        for file in subject.each("files")
    )
    remark = tell("item.the-report-relates-only-to")
    return (
        PageTable(tell("item.files-under-test"), columns("file", "#bytes", "sha-256"), rows, remark)
        if rows
        else None
    )


def _sources(subject: Node) -> PageTable | None:
    rows = tuple(
        (mono(source.text("id")), PageCell(source.text("title")), _kept(source))
        for source in subject.each("sources")
    )
    return (
        PageTable(
            tell("item.source-texts-the-submission-rests"), columns("id:14", "title:31", "sha-256:55"), rows
        )
        if rows
        else None
    )


def _kept(source: Node) -> PageCell:
    """Returns the digest of a source; of a page that nobody kept the submission gives noughts."""
    stated = source.text("sha256")
    return digest(stated) if set(stated) != {"0"} else note(tell("item.no-text-kept"))


def _tool(tool: Node) -> tuple[Fact, ...]:
    return (
        Fact(tell("fact.software"), PageCell(f"{tool.text('name')} {tool.text('version')}")),
        Fact(tell("fact.source-digest-sha-256"), digest(tool.text("source_sha256"))),
        Fact(tell("fact.lock-digest-sha-256"), digest(tool.text("lock_sha256"))),
        Fact(tell("fact.python"), PageCell(tool.text("python"))),
        Fact(tell("fact.platform"), PageCell(tool.text("platform"))),
    )


def _packages(tool: Node) -> PageTable | None:
    """Tabulates the libraries, three pairs to a row."""
    pairs = [(name, version.plain()) for name, version in tool.at("packages").items()]
    if not pairs:
        return None
    pairs += [("", "")] * (-len(pairs) % 3)
    rows = tuple(
        tuple(cell for name, version in pairs[start : start + 3] for cell in (mono(name), note(version)))
        for start in range(0, len(pairs), 3)
    )
    head = columns("package", "version", "package", "version", "package", "version")
    return PageTable(tell("item.libraries-the-computation-ran-on"), head, rows)
