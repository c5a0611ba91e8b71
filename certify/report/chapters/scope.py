"""Scope: rules with their provenance, readings adopted, what stays open, what falls to the operator."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from certify.clauses.catalogue import NOT_KNOWN, references
from certify.evidence.document import Evidence
from certify.evidence.encode import stated_in, texts_in
from certify.evidence.report import NOTHING_STATED
from certify.evidence.submitted import Rule, StatedRow
from certify.messages import said_of, tell, translated
from certify.model.game import Provenance, Reading
from certify.report.layout import PageCell, PageTable, listed, note
from certify.report.words import clause_names, said

_PROVENANCES = ("printed", "adopted", "recovered")


@dataclass(frozen=True, slots=True)
class Scope:
    """What the report rests on and what it leaves open."""

    readings: tuple[Reading, ...]
    not_established: tuple[str, ...]
    stated: tuple[str, ...]
    obligations: PageTable | None
    references: PageTable | None
    declarations: tuple[str, ...]
    source_review: str
    deviations: tuple[str, ...]
    recommendation: str


def scope(evidence: Evidence) -> Scope:
    """Returns the chapter."""
    cited = clause_names(evidence)
    readings = tuple(
        replace(
            entry,
            question=said(entry, "question"),
            adopted=said(entry, "adopted"),
            because=said(entry, "because"),
            alternatives=tuple(translated(other) for other in entry.alternatives),
            clauses=tuple(cited.get(clause, clause) for clause in entry.clauses),
        )
        for entry in evidence.readings
    )
    open_points = tuple(said(entry, "text") for entry in evidence.not_established)
    noted = {clause.note for clause in evidence.clauses}
    engagement = evidence.report.engagement or NOTHING_STATED
    return Scope(
        readings,
        open_points,
        tuple(dict.fromkeys("/".join(where.split("/")[:3]) for where, _ in stated_in(evidence))),
        listed(
            tell("scope.obligations-passed-to-the-operator"),
            "clause:27!mono what-the-operator-must-do=text:translated",
            (one for one in evidence.obligations if one.text not in noted),
            dense=True,
        ),
        _references(evidence),
        engagement.declarations,
        engagement.source_review,
        engagement.deviations,
        engagement.recommendation,
    )


def _references(evidence: Evidence) -> PageTable | None:
    """Tabulates what the report cites: title, edition and date, and how many clauses of each are answered."""
    told = "\n".join(texts_in(evidence))
    clauses = Counter(clause.standard for clause in evidence.clauses)
    editions = {clause.standard: clause.edition for clause in evidence.clauses}
    cited = [
        one for one in references() if one.short in clauses or not one.catalogue or one.is_cited_in(told)
    ]
    return listed(
        tell("scope.normative-references"),
        "standard:18!strong title:42 edition:17 date:12 #clauses-cited:11:grouped",
        (
            (
                one.short,
                one.title,
                translated(editions.get(one.short, "")) or _known(one.edition),
                _known(one.published),
                clauses.get(one.short),
            )
            for one in sorted(cited, key=lambda one: (one.short not in clauses, not one.catalogue))
        ),
        tell("scope.what-is-cited"),
        dense=True,
    )


def _known(text: str) -> str:
    return tell("scope.not-known") if text == NOT_KNOWN else text


def origin(stated: Rule | StatedRow) -> PageCell:
    """Returns where a value comes from, with the warning that a recovered value need not be the only one."""
    word = tell(f"provenance.{stated.provenance}")
    text = said_of(word, translated(stated.by)) if stated.by else word
    if stated.provenance is Provenance.RECOVERED:
        text += f" · {tell('scope.unique' if stated.unique else 'scope.not-unique')}"
    return note(text)


def _value(value: str | bool) -> str:
    if isinstance(value, bool):
        return tell("value.yes" if value else "value.no")
    return translated(value)


def rules(evidence: Evidence) -> PageTable | None:
    """Tabulates the rules of play with their provenance."""
    kinds = {rule.provenance for rule in evidence.rules}
    return listed(
        tell("scope.rules-of-play"),
        "rule:38:translated value:24 provenance",
        ((rule.title, _value(rule.value), origin(rule)) for rule in evidence.rules),
        " ".join(tell(f"provenance.{kind}-is") for kind in _PROVENANCES if kind in kinds),
    )
