"""Identification of what was tested, and of the software that tested it."""

from __future__ import annotations

from dataclasses import dataclass

from certify.evidence.document import Evidence
from certify.evidence.tool import Tool
from certify.messages import tell
from certify.model.game import Source
from certify.report.chapters.layout import of_bets, of_reels, of_table
from certify.report.layout import Fact, Figure, PageCell, PageTable, digest, fact, listed, mono, note
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
        listed(
            tell("item.files-under-test"),
            "file=name!mono #bytes=bytes_:grouped sha-256=sha256!hash",
            subject.files,
            tell("item.the-report-relates-only-to"),
        ),
        listed(
            tell("item.source-texts-the-submission-rests"),
            "id:14!mono title:31 sha-256:55",
            ((source.id, source.title, _kept(source)) for source in subject.sources),
        ),
        _tool(evidence.tool),
        _packages(evidence.tool),
    )


def items(evidence: Evidence) -> PageTable | None:
    """Tabulates the items that checks were made on, with version and digest."""
    unstated = PageCell(tell("front.not-stated"))
    return listed(
        tell("item.items-under-test"),
        "item:31 version:15 sha-256:54!hash",
        ((said(one, "title"), one.version or unstated, one.sha256 or unstated) for one in evidence.items),
        tell("item.what-holds-on-a-reference"),
        sortable=False,
        dense=True,
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
    pairs += [("", "")] * (-len(pairs) % 3)
    rows = (sum(pairs[start : start + 3], ()) for start in range(0, len(pairs), 3))
    return listed(
        tell("item.libraries-the-computation-ran-on"), " ".join(["package!mono version!note"] * 3), rows
    )
