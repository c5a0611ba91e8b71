"""Identification of what was tested, and of the software that tested it."""

from __future__ import annotations

from dataclasses import dataclass

from certify.report.formats import grouped
from certify.report.layout import Cell, Fact, Table, columns, digest, mono, note, number
from certify.report.node import Node


@dataclass(frozen=True, slots=True)
class Item:
    """The item under test and the means of testing."""

    facts: tuple[Fact, ...]
    files: Table | None
    sources: Table | None
    tool: tuple[Fact, ...]
    packages: Table | None


def item(evidence: Node) -> Item:
    """Returns the chapter."""
    subject = evidence.at("item")
    facts = (
        Fact("Game", Cell(subject.text("title"))),
        Fact("Identifier", mono(subject.text("game"))),
        Fact("Version", Cell(subject.text("version"))),
        Fact("Supplier", Cell(subject.text("supplier", "not stated"))),
        Fact("Family of rules", mono(subject.text("family"))),
    )
    return Item(
        facts, _files(subject), _sources(subject), _tool(evidence.at("tool")), _packages(evidence.at("tool"))
    )


def _files(subject: Node) -> Table | None:
    rows = tuple(
        (mono(file.text("name")), number(grouped(file.integer("bytes"))), digest(file.text("sha256")))
        for file in subject.each("files")
    )
    remark = "The report relates only to files with these digests."
    return Table("Files under test", columns("File", "#Bytes", "SHA-256"), rows, remark) if rows else None


def _sources(subject: Node) -> Table | None:
    rows = tuple(
        (mono(source.text("id")), Cell(source.text("title")), digest(source.text("sha256")))
        for source in subject.each("sources")
    )
    return (
        Table("Source texts the submission rests on", columns("Id:14", "Title:31", "SHA-256:55"), rows)
        if rows
        else None
    )


def _tool(tool: Node) -> tuple[Fact, ...]:
    return (
        Fact("Software", Cell(f"{tool.text('name')} {tool.text('version')}")),
        Fact("Source digest (SHA-256)", digest(tool.text("source_sha256"))),
        Fact("Lock digest (SHA-256)", digest(tool.text("lock_sha256"))),
        Fact("Python", Cell(tool.text("python"))),
        Fact("Platform", Cell(tool.text("platform"))),
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
    head = columns("Library", "Version", "Library", "Version", "Library", "Version")
    return Table("Libraries the computation ran on", head, rows)
