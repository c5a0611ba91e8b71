"""Parts of the evidence and findings that the games with an open dealer's card have beside the common ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from certify.evidence.document import Sections
from certify.families.open_card.exact.document import evidence_sections, findings, open_card_json
from certify.families.port import FindingBasis
from certify.model.figures import Analysis
from certify.model.finding import FindingDraft
from certify.model.game import Game
from certify.model.strategy import MAIN_OPTIMAL


class OpenCardSections:
    """Edge, readings in every combination, judged tables."""

    def figures(self, game: Game, analysis: Analysis) -> Mapping[str, object]:
        """Returns edge, findings, readings and printed tables."""
        return open_card_json(game, analysis)

    def evidence(self, game: Game, analyses: Mapping[str, Analysis], *, thorough: bool) -> Sections:
        """Returns edge, readings and judged tables under the best play."""
        return evidence_sections(game, analyses[MAIN_OPTIMAL])


def family_findings(results: FindingBasis) -> Iterator[FindingDraft]:
    """Yields who has the edge, and what the printed tables are worth."""
    yield from findings(results.game)
