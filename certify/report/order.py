"""The order of reading: canonical JSON sorts its keys, a reader wants wagers and strategies as they matter."""

from __future__ import annotations

from collections.abc import Iterable

from certify.messages import tell, translated
from certify.model.strategy import HEADS
from certify.report.node import Node
from certify.report.words import clause_number

_FIRST_WAGER = "main"
"""Id of a first wager that has no name of its own."""


_SEVERITIES = ("critical", "major", "minor", "note")


def strategies(evidence: Node) -> tuple[tuple[str, Node], ...]:
    """Returns the analyses by strategy, the one that is best for the first wager at the head."""
    return tuple(sorted(evidence.at("analysis").items(), key=lambda entry: (entry[0] not in HEADS, entry[0])))


def by_wager(evidence: Node, node: Node) -> tuple[tuple[str, Node], ...]:
    """Returns what is held by wager, in the order in which the submission lists its wagers."""
    listed = [wager.text("id") for wager in evidence.each("wagers")]
    return _listed_first(node.items(), listed)


def by_row(paytable: tuple[Node, ...], node: Node) -> tuple[tuple[str, Node], ...]:
    """Returns what is held by row of a paytable, in the order of the paytable."""
    return _listed_first(node.items(), [row.text("id") for row in paytable])


def _listed_first(items: Iterable[tuple[str, Node]], listed: list[str]) -> tuple[tuple[str, Node], ...]:
    places = {name: place for place, name in enumerate(listed)}
    return tuple(sorted(items, key=lambda entry: (places.get(entry[0], len(places)), entry[0])))


def clause_names(evidence: Node) -> dict[str, str]:
    """Returns what the clauses are called by their id: the standard, and their number in it."""
    return {
        clause.text("id"): f"{clause.text('standard')} {clause_number(clause.text('number'))}"
        for clause in evidence.each("clauses")
        if clause.has("id")
    }


def file_of(evidence: Node, name: str) -> str:
    """Returns the name of a data file that belongs to the report; nothing where it does not."""
    return name if any(file.text("name") == name for file in evidence.each("files")) else ""


def wager_titles(evidence: Node) -> dict[str, str]:
    """Returns the names of the wagers by their id."""
    return {wager.text("id"): translated(wager.text("title")) for wager in evidence.each("wagers")}


def findings_in_order(evidence: Node) -> tuple[Node, ...]:
    """Returns the findings, the gravest first; those of one severity as they stand in the evidence."""
    places = {word: place for place, word in enumerate(_SEVERITIES)}
    return tuple(
        sorted(
            evidence.each("findings"),
            key=lambda finding: places.get(finding.text("severity"), len(places)),
        )
    )


def unit_of(evidence: Node) -> str:
    """Returns what a return is counted in: the one wager by its name, where there is one, otherwise the stake."""
    wagers = [wager.text("id") for wager in evidence.each("wagers")]
    named = len(wagers) == 1 and wagers[0] != _FIRST_WAGER
    return translated(wagers[0].replace("-", " ")) if named else tell("unit.stake")


def plural(unit: str) -> str:
    """Returns what a return is counted in, where there are several of it.

    >>> plural("stake"), plural("ante")
    ('stakes', 'antes')
    """
    return tell("unit.stakes") if unit == tell("unit.stake") else tell("unit.several", unit=unit)
