"""The view model: everything the templates print, formatted and frozen; templates only arrange it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast

from certify.errors import RenderError
from certify.evidence.document import SCHEMA
from certify.messages import ENGLISH, speaking, tell
from certify.model.equipment import Kind
from certify.report.annex import Annex, LongFraction
from certify.report.chapters import closing, front
from certify.report.chapters.asked import asked
from certify.report.chapters.brought import (
    OperatorGenerator,
    OperatorRounds,
    operator_generator,
    operator_rounds,
)
from certify.report.chapters.clauses import Clauses, clauses
from certify.report.chapters.conformity import Conformity, conformity
from certify.report.chapters.generator import GeneratorView, generator
from certify.report.chapters.item import ItemView, item
from certify.report.chapters.layout import kinds
from certify.report.chapters.mathematics import Mathematics, mathematics
from certify.report.chapters.printed import PrintedView, printed
from certify.report.chapters.randomness import RandomnessView, randomness
from certify.report.chapters.scope import Scope, scope
from certify.report.chapters.simulation import SimulationView, simulation
from certify.report.chapters.since import SinceView, since
from certify.report.chapters.terms import TermsView, terms
from certify.report.layout import PageTable
from certify.report.node import Node


@dataclass(frozen=True, slots=True)
class ReportSection:
    """A chapter's place: id, number and title."""

    id: str
    number: str
    title: str


@dataclass(frozen=True, slots=True)
class ReportView:
    """The whole report, ready to be set."""

    number: str
    revision: str
    issued: str
    game: str
    version: str
    issuer: str
    issuer_named: str
    classification: str
    demonstration: bool
    evidence_digest: str
    sections: tuple[ReportSection, ...]
    cover: front.Cover
    summary: front.Summary
    conformity: Conformity
    item: ItemView
    since: SinceView | None
    scope: Scope
    clauses: Clauses | None
    operator_generator: OperatorGenerator | None
    generator: GeneratorView | None
    mathematics: Mathematics
    asked: tuple[PageTable, ...]
    printed: PrintedView | None
    simulation: SimulationView | None
    randomness: RandomnessView | None
    operator_rounds: OperatorRounds | None
    terms: TermsView | None
    findings: tuple[closing.FindingView, ...]
    files: PageTable | None
    reproduction: closing.Reproduction
    glossary: PageTable
    authorisation: closing.Authorisation
    revisions: PageTable
    fractions: tuple[LongFraction, ...]

    def section(self, identifier: str) -> ReportSection:
        """Returns the place of a chapter."""
        return next(section for section in self.sections if section.id == identifier)


def _canonical(evidence: Mapping[str, object]) -> tuple[object, str]:
    """Returns the evidence as whoever reads the file sees it, the order of its keys telling nothing, and its SHA-256.

    Source: RFC 8785.
    """
    import rfc8785

    content = rfc8785.dumps(cast("Any", evidence))
    return json.loads(content), hashlib.sha256(content).hexdigest()


@contextmanager
def speaking_of(evidence: Mapping[str, object], language: str = ENGLISH) -> Iterator[None]:
    """Lets everything inside speak a language, with the names that the family of the game brings for it."""
    from certify.families import registry

    family = Node(evidence).at("item").text("family", "")
    if family in registry.known_families():
        registry.family(family)
    with speaking(language, family, drawn=_drawn(kinds(Node(evidence))), rows=_row_titles(Node(evidence))):
        yield


def _row_titles(evidence: Node) -> dict[str, str]:
    """Returns the title of each row by its id, where all wagers that have it, or a row like it, call it one thing.

    Rows are alike whose ids begin with the same word, such as ``catch-8`` and ``catch-9``.
    """
    titles: dict[str, set[str]] = {}
    for wager in evidence.each("wagers"):
        for row in wager.each("paytable"):
            titles.setdefault(row.text("id", ""), set()).add(row.text("title", ""))
    several = {row.partition("-")[0] for row, found in titles.items() if len(found) > 1}
    return {row: next(iter(found)) for row, found in titles.items() if row.partition("-")[0] not in several}


def _drawn(kinds: tuple[str, ...]) -> str:
    """Returns what is drawn from in a game without cards, in the words of the catalogues; empty for all others."""
    if not kinds or Kind.SHOE in kinds:
        return ""
    return kinds[0] if len(kinds) == 1 else "several"


def build_view(evidence: Mapping[str, object]) -> ReportView:
    """Turns the evidence into the view model, in the language in use.

    Args:
        evidence: The evidence object, of the present schema.

    Raises:
        RenderError: Something that the report must print is missing or malformed; the message names it.
    """
    value, digest = _canonical(evidence)
    root = Node(value)
    schema = root.text("schema", "absent")
    if schema != SCHEMA:
        raise RenderError(f"evidence: schema is {schema!r}: expected {SCHEMA!r}")
    annex = Annex()
    report = root.at("report")
    matrix, source, played = clauses(root), generator(root), simulation(root)
    cards, life = randomness(root), terms(root)
    numbers, tables, files = mathematics(root, annex), printed(root), closing.files(root)
    questions = asked(root)
    changed = since(root, annex)
    drawn_there, played_there = operator_generator(root), operator_rounds(root)
    fractions = annex.fractions()
    chapters = {
        "since": changed,
        "clauses": matrix,
        "operator-generator": drawn_there,
        "generator": source,
        "asked": questions,
        "printed": tables,
        "simulation": played,
        "randomness": cards,
        "operator-rounds": played_there,
        "terms": life,
        "files": files,
        "fractions": fractions,
    }
    return ReportView(
        number=report.text("number"),
        revision=report.text("revision"),
        issued=report.text("issued"),
        game=root.at("item").text("title"),
        version=root.at("item").text("version"),
        issuer=(issuer := front.issuer(report)),
        issuer_named=tell("report.issuer-unnamed", issuer=issuer) if not front.named(report) else issuer,
        classification=report.sentence("classification"),
        demonstration=bool(report.flag("demonstration_key")),
        evidence_digest=digest,
        sections=_sections({name for name, chapter in chapters.items() if not chapter}),
        cover=front.cover(root, digest),
        summary=front.summary(root),
        conformity=conformity(root),
        item=item(root),
        since=changed,
        scope=scope(root),
        clauses=matrix,
        operator_generator=drawn_there,
        generator=source,
        mathematics=numbers,
        asked=questions,
        printed=tables,
        simulation=played,
        randomness=cards,
        operator_rounds=played_there,
        terms=life,
        findings=closing.findings(root),
        files=files,
        reproduction=closing.reproduction(root),
        glossary=closing.glossary(),
        authorisation=closing.authorisation(root),
        revisions=closing.revisions(root),
        fractions=fractions,
    )


_CHAPTERS = (
    "summary",
    "conformity",
    "item",
    "since",
    "scope",
    "clauses",
    "operator-generator",
    "generator",
    "mathematics",
    "asked",
    "printed",
    "simulation",
    "randomness",
    "operator-rounds",
    "terms",
    "findings",
    "files",
    "reproduction",
    "glossary",
    "fractions",
    "authorisation",
)


def _sections(absent: set[str]) -> tuple[ReportSection, ...]:
    """Numbers the chapters that are there; the last is the one that is signed, which never fills a page alone."""
    present = [name for name in _CHAPTERS if name not in absent]
    return tuple(
        ReportSection(name, str(index), tell(f"chapter.{name}"))
        for index, name in enumerate(present, start=1)
    )
