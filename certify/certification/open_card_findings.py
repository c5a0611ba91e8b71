"""Findings about games with an open dealer's card: who has the edge, and what the printed tables are worth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from certify.clauses.results import ExactResults
from certify.model.finding import FindingDraft, Severity

_CLAUSES: Final[Mapping[str, tuple[str, ...]]] = {
    "returns.not-above-total": (),
    "printed.tables-hold": ("gli-19@3.0/4.4.1(a)-part-2",),
}


def explained(results: ExactResults) -> frozenset[str]:
    """Returns the checks whose failure the findings of this module tell with more than the check knows."""
    return frozenset(check for check, _ in _told(results))


def open_card_findings(results: ExactResults) -> Iterator[FindingDraft]:
    """Yields what the analysis finds about edge and printed tables."""
    for check, draft in _told(results):
        yield FindingDraft(
            draft.severity,
            draft.title,
            draft.detail,
            _CLAUSES.get(check, ()),
            "certify analyze {game} --format json",
        )


def _told(results: ExactResults) -> Iterator[tuple[str, FindingDraft]]:
    for entry in (results.open_card or {}).get("findings", ()):
        severity = Severity[entry["severity"].upper()]
        yield entry["check"], FindingDraft(severity, entry["title"], entry["detail"])
