"""Identification of what was tested, and of the software that tested it."""

from __future__ import annotations

from dataclasses import dataclass

from certify.evidence.document import Evidence
from certify.evidence.item import Item
from certify.evidence.tool import Tool
from certify.messages import tell
from certify.model.game import Source
from certify.report.chapters.layout import of_bets, of_reels, of_table
from certify.report.formats import grouped
from certify.report.layout import (
    Fact,
    Figure,
    PageCell,
    PageTable,
    columns,
    digest,
    fact,
    mono,
    note,
    number,
    tabled,
)
from certify.report.words import said


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


def item(evidence: Evidence) -> ItemView:
    """Returns the chapter."""
    subject = evidence.item
    facts = (
        fact("fact.game", subject.title),
        fact("fact.identifier", mono(subject.game)),
        fact("fact.version", subject.version),
        fact("fact.supplier", subject.supplier),
        fact("fact.family-of-rules", mono(subject.family)),
    )
    return ItemView(
        facts,
        of_table(evidence),
        of_bets(evidence),
        of_reels(evidence.layout),
        _files(subject),
        _sources(subject),
        _tool(evidence.tool),
        _packages(evidence.tool),
    )


def items(evidence: Evidence) -> PageTable | None:
    """Tabulates the items that checks were made on, with version and digest."""
    rows = tuple(
        (
            PageCell(said(entry, "title")),
            PageCell(entry.version or tell("front.not-stated")),
            digest(entry.sha256) if entry.sha256 else PageCell(tell("front.not-stated")),
        )
        for entry in evidence.items
    )
    head = columns("item:31", "version:15", "sha-256:54")
    remark = tell("item.what-holds-on-a-reference")
    return tabled(tell("item.items-under-test"), head, rows, remark, sortable=False, dense=True)


def _files(subject: Item) -> PageTable | None:
    rows = tuple(
        (mono(file.name), number(grouped(file.bytes_)), digest(file.sha256)) for file in subject.files
    )
    remark = tell("item.the-report-relates-only-to")
    return tabled(tell("item.files-under-test"), columns("file", "#bytes", "sha-256"), rows, remark)


def _sources(subject: Item) -> PageTable | None:
    rows = tuple((mono(source.id), PageCell(source.title), _kept(source)) for source in subject.sources)
    return tabled(
        tell("item.source-texts-the-submission-rests"), columns("id:14", "title:31", "sha-256:55"), rows
    )


def _kept(source: Source) -> PageCell:
    """Returns the digest of a source; of a page that nobody kept the submission gives noughts."""
    stated = source.sha256
    return digest(stated) if set(stated) != {"0"} else note(tell("item.no-text-kept"))


def _tool(tool: Tool) -> tuple[Fact, ...]:
    return (
        fact("fact.software", f"{tool.name} {tool.version}"),
        fact("fact.source-digest-sha-256", digest(tool.source_sha256)),
        fact("fact.lock-digest-sha-256", digest(tool.lock_sha256)),
        fact("fact.python", tool.python),
        fact("fact.platform", tool.platform),
    )


def _packages(tool: Tool) -> PageTable | None:
    """Tabulates the libraries, three pairs to a row."""
    pairs = list(tool.packages.items())
    if not pairs:
        return None
    pairs += [("", "")] * (-len(pairs) % 3)
    rows = tuple(
        tuple(cell for name, version in pairs[start : start + 3] for cell in (mono(name), note(version)))
        for start in range(0, len(pairs), 3)
    )
    head = columns("package", "version", "package", "version", "package", "version")
    return PageTable(tell("item.libraries-the-computation-ran-on"), head, rows)
