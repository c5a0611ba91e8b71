"""The view model: everything the templates print, formatted and frozen; templates only arrange it."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, cast

from certify.by_key import gathered
from certify.errors import Refusing, RenderError, TrustError
from certify.evidence import Evidence
from certify.evidence.read import evidence_of
from certify.messages import speaking, tell
from certify.model import Kind
from certify.report.chapters import closing, front
from certify.report.chapters.closing import since
from certify.report.chapters.conformity import catalogues, conformity
from certify.report.chapters.generator import generator, randomness
from certify.report.chapters.mathematics import mathematics
from certify.report.chapters.operator_items import operator_generator, operator_rounds, terms
from certify.report.chapters.printed import printed, supplementary_tables
from certify.report.chapters.scope import item, kinds, scope
from certify.report.chapters.simulation import simulation
from certify.report.layout import Annex, PageParts
from certify.report.words import said


def read_evidence(values: Mapping[str, object]) -> tuple[Evidence, str]:
    """Returns the evidence as whoever reads the file sees it, the order of its keys telling nothing, and its SHA-256.

    Args:
        values: The evidence as plain JSON values, of the present schema.

    Raises:
        RenderError: Something that the report must print is missing or malformed; the message names each place.

    Source: RFC 8785.
    """
    import rfc8785

    return _as_written(rfc8785.dumps(cast("Any", values)))


@lru_cache(maxsize=1)
def _as_written(content: bytes) -> tuple[Evidence, str]:
    """Returns evidence and its SHA-256: of one pack report, certificate and pages on the screen are made."""
    with Refusing(TrustError, RenderError):
        return evidence_of(json.loads(content)), hashlib.sha256(content).hexdigest()


@contextmanager
def evidence_in(language: str, values: Mapping[str, object]) -> Iterator[tuple[Evidence, str]]:
    """Lets everything inside speak a language, with the names that the family of the game brings for it.

    Args:
        language: Language of the report.
        values: The evidence as plain JSON values, of the present schema.

    Yields:
        The evidence, and SHA-256 of its canonical form.

    Raises:
        RenderError: Something that the report must print is missing or malformed; the message names it.
    """
    from certify.families import registry

    evidence, digest = read_evidence(values)
    family = evidence.item.family
    if family in registry.known_families():
        registry.family(family)
    with speaking(language, family, drawn=_drawn(kinds(evidence)), rows=_row_titles(evidence)):
        yield evidence, digest


@contextmanager
def report_in(language: str, values: Mapping[str, object]) -> Iterator[PageParts]:
    """Lets everything inside speak a language, as :func:`evidence_in` does, and yields the report in it."""
    with evidence_in(language, values) as (evidence, digest):
        yield build_view(evidence, digest)


def _row_titles(evidence: Evidence) -> dict[str, str]:
    """Returns the title of each row by its id, where all wagers that have it, or a row like it, call it one thing.

    Rows are equal whose ids begin with the same word, such as ``catch-8`` and ``catch-9``.
    """
    titles = gathered((row.id, row.title) for wager in evidence.wagers for row in wager.paytable)
    several = {row.partition("-")[0] for row, found in titles.items() if len(set(found)) > 1}
    return {row: found[0] for row, found in titles.items() if row.partition("-")[0] not in several}


def _drawn(kinds: tuple[Kind, ...]) -> str:
    """Returns what is drawn from in a game without cards, in the words of the catalogues; empty for all others."""
    if not kinds or Kind.SHOE in kinds:
        return ""
    return kinds[0] if len(kinds) == 1 else "several"


def build_view(evidence: Evidence, digest: str) -> PageParts:
    """Turns the evidence into the view model, in the language in use.

    Args:
        evidence: The evidence.
        digest: SHA-256 of its canonical form.

    Raises:
        RenderError: The evidence says what no report may print; the message names it.
    """
    annex = Annex()
    report, issuer = evidence.report, front.issuer(evidence.report)
    added, judged = evidence.supplementary_tables, evidence.judged_tables
    supplementary = supplementary_tables(added) if added else ()
    tables = printed(judged, evidence) if judged and (judged.counts or judged.rows) else None
    numbers = mathematics(evidence, annex)
    changed = since(evidence, annex)
    drawn_there, played_there = operator_generator(evidence), operator_rounds(evidence)
    some_have = {
        "since": changed,
        "operator-generator": drawn_there,
        "supplementary_tables": supplementary,
        "printed": tables,
        "operator-rounds": played_there,
    }
    return PageParts(
        number=report.number,
        revision=str(report.revision),
        issued=report.issued,
        game=evidence.item.title,
        version=evidence.item.version,
        issuer=issuer,
        issuer_named=issuer if front.named(report) else tell("report.issuer-unnamed", issuer=issuer),
        classification=said(report, "classification"),
        demonstration=report.demonstration_key,
        evidence_digest=digest,
        sections=_sections({name for name, chapter in some_have.items() if not chapter}),
        cover=front.cover(evidence, digest),
        summary=front.summary(evidence, tables.sentence if tables else ""),
        conformity=conformity(evidence),
        item=item(evidence),
        since=changed,
        scope=scope(evidence),
        operator_generator=drawn_there,
        generator=generator(evidence),
        mathematics=numbers,
        supplementary_tables=supplementary,
        printed=tables,
        simulation=simulation(evidence),
        randomness=randomness(evidence),
        operator_rounds=played_there,
        terms=terms(evidence),
        findings=closing.findings(evidence),
        run=evidence.run,
        profile=report.profile,
        catalogues=catalogues(evidence),
        files=closing.files(evidence),
        glossary=closing.glossary(),
        authorisation=closing.authorisation(evidence),
        revisions=closing.revisions(evidence),
        fractions=annex.fractions(),
    )


_CHAPTERS = (
    "summary",
    "conformity",
    "item",
    "since",
    "scope",
    "operator-generator",
    "generator",
    "mathematics",
    "supplementary_tables",
    "printed",
    "simulation",
    "randomness",
    "operator-rounds",
    "terms",
    "findings",
    "annex",
    "authorisation",
)


def _sections(absent: set[str]) -> tuple[PageParts, ...]:
    """Numbers the chapters that are there; the last is the one that is signed, which never fills a page alone."""
    present = [name for name in _CHAPTERS if name not in absent]
    return tuple(
        PageParts(id=name, number=str(index), title=tell(f"chapter.{name}"))
        for index, name in enumerate(present, start=1)
    )
