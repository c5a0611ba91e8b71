"""Identification of what was tested, and of the software that tested it."""

from __future__ import annotations

from dataclasses import dataclass

from certify.messages import tell
from certify.report.chapters.layout import of_bets, of_reels, of_table
from certify.report.formats import grouped
from certify.report.layout import Cell, Fact, Figure, Table, columns, digest, mono, note, number
from certify.report.node import Node


@dataclass(frozen=True, slots=True)
class Item:
    """The item under test and the means of testing."""

    facts: tuple[Fact, ...]
    layout: Figure | None
    bets: tuple[Figure, ...]
    reels: tuple[Figure, ...]
    files: Table | None
    sources: Table | None
    tool: tuple[Fact, ...]
    packages: Table | None


def item(evidence: Node) -> Item:
    """Returns the chapter."""
    subject = evidence.at("item")
    facts = (
        Fact(tell("fact.game"), Cell(subject.text("title"))),
        Fact(tell("fact.identifier"), mono(subject.text("game"))),
        Fact(tell("fact.version"), Cell(subject.text("version"))),
        Fact(tell("fact.supplier"), Cell(subject.text("supplier", tell("front.not-stated")))),
        Fact(tell("fact.family-of-rules"), mono(subject.text("family"))),
    )
    return Item(
        facts,
        of_table(evidence),
        of_bets(evidence),
        of_reels(evidence),
        _files(subject),
        _sources(subject),
        _tool(evidence.at("tool")),
        _packages(evidence.at("tool")),
    )


def items(evidence: Node) -> Table | None:
    """Tabulates the items that checks were made on, with version and digest."""
    rows = tuple(
        (
            Cell(entry.sentence("title")),
            Cell(entry.text("version", "") or tell("front.not-stated")),
            digest(entry.text("sha256")) if entry.at("sha256").value else Cell(tell("front.not-stated")),
        )
        for entry in evidence.each("items")
    )
    head = columns("item:31", "version:15", "sha-256:54")
    remark = tell("item.what-holds-on-a-reference")
    return (
        Table(tell("item.items-under-test"), head, rows, remark, sortable=False, dense=True) if rows else None
    )


def _files(subject: Node) -> Table | None:
    rows = tuple(
        (mono(file.text("name")), number(grouped(file.integer("bytes"))), digest(file.text("sha256")))
        for file in subject.each("files")
    )
    remark = tell("item.the-report-relates-only-to")
    return (
        Table(tell("item.files-under-test"), columns("file", "#bytes", "sha-256"), rows, remark)
        if rows
        else None
    )


def _sources(subject: Node) -> Table | None:
    rows = tuple(
        (mono(source.text("id")), Cell(source.text("title")), _kept(source))
        for source in subject.each("sources")
    )
    return (
        Table(
            tell("item.source-texts-the-submission-rests"), columns("id:14", "title:31", "sha-256:55"), rows
        )
        if rows
        else None
    )


def _kept(source: Node) -> Cell:
    """Returns the digest of a source; of a page that nobody kept the submission gives noughts."""
    stated = source.text("sha256")
    return digest(stated) if set(stated) != {"0"} else note(tell("item.no-text-kept"))


def _tool(tool: Node) -> tuple[Fact, ...]:
    return (
        Fact(tell("fact.software"), Cell(f"{tool.text('name')} {tool.text('version')}")),
        Fact(tell("fact.source-digest-sha-256"), digest(tool.text("source_sha256"))),
        Fact(tell("fact.lock-digest-sha-256"), digest(tool.text("lock_sha256"))),
        Fact(tell("fact.python"), Cell(tool.text("python"))),
        Fact(tell("fact.platform"), Cell(tool.text("platform"))),
    )


def _packages(tool: Node) -> Table | None:
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
    return Table(tell("item.libraries-the-computation-ran-on"), head, rows)
