"""Parts of the evidence that games with a free bank have beside the common ones."""

from __future__ import annotations

from collections.abc import Mapping

from certify.evidence.document import Sections
from certify.evidence.plain import plain
from certify.families.free_bank.exact.asked import asked
from certify.families.free_bank.exact.names import split_name
from certify.families.free_bank.several_seats import several_seats
from certify.model.figures import Analysis
from certify.model.game import Game
from certify.model.strategy import EQUILIBRIUM


class FreeBankSections:
    """What players ask, table by table."""

    def figures(self, game: Game, analysis: Analysis) -> Mapping[str, object]:
        """Returns what players ask, beside the figures of the equilibrium; nothing beside those of another pair."""
        if split_name(analysis.strategy.name) != (EQUILIBRIUM, EQUILIBRIUM):
            return {}
        return {"asked": plain(tuple(asked(game)))}

    def evidence(self, game: Game, analyses: Mapping[str, Analysis]) -> Sections:
        """Returns what players ask, of one seat exactly and of several as it was played."""
        return Sections(asked=(*asked(game), *several_seats(game)))
