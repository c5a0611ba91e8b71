"""What a source does not say: no figure that could be judged, or no text at all."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Final

from certify.analysis.identification import printed_wagers
from certify.clauses.results import ExactResults
from certify.messages import say
from certify.model.finding import FindingDraft, Severity, Who
from certify.model.game import Source

NOTHING_WRITTEN: Final = hashlib.sha256(b"").hexdigest()
"""Digest of a file without a byte."""


def is_empty(source: Source) -> bool:
    """Tells whether the text that a submission names holds nothing, by the digest that it states."""
    return source.sha256 == NOTHING_WRITTEN


def silences(results: ExactResults) -> Iterator[FindingDraft]:
    """Yields the texts that hold nothing, and the wagers of which no return is printed."""
    game = results.game
    for source in filter(is_empty, game.sources):
        yield FindingDraft(
            Severity.MAJOR,
            say("finding.empty-text.title", source=source.title),
            say("finding.empty-text.detail", file=source.file, claims=str(_resting(results, source))),
            (),
            "certify lint {game}",
            action=say("finding.empty-text.action"),
            who=Who.SUPPLIER,
        )
    printed = printed_wagers(game)
    silent = [wager.title for wager in game.wagers if wager.id not in printed]
    if silent:
        yield FindingDraft(
            Severity.NOTE,
            say("finding.nothing-printed.title", silent=str(len(silent)), wagers=str(len(game.wagers))),
            say("finding.nothing-printed.detail", wagers=tuple(silent)),
            (),
            "certify analyze {game}",
            "information",
            action=say("finding.nothing-printed.action"),
            who=Who.SUPPLIER,
        )


def _resting(results: ExactResults, source: Source) -> int:
    """Returns how many printed figures are said to stand in a text."""
    return sum(claim.source == source.id for claim in results.game.claims)
