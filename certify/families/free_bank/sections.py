"""Parts of the evidence that games with a free bank have beside the common ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from certify.analysis.edge import edge_evidence
from certify.evidence.document import Sections
from certify.evidence.edge import Edge
from certify.evidence.plain import plain
from certify.families.free_bank.exact.asked import asked
from certify.families.free_bank.exact.names import split_name
from certify.families.free_bank.rules import FAMILY_ID, rules_of
from certify.families.free_bank.several_seats import several_seats
from certify.families.free_bank.splits_played import splits_played
from certify.messages import say, worded
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

    def evidence(self, game: Game, analyses: Mapping[str, Analysis], *, thorough: bool) -> Sections:
        """Returns what players ask, of one seat exactly and of several as it was played."""
        splits = (splits_played(game),) if thorough and rules_of(game).hands > 1 else ()
        tables = (*asked(game, thorough=thorough), *splits, *several_seats(game))
        return Sections(edge=_edge(game, analyses), asked=tables)


def _edge(game: Game, analyses: Mapping[str, Analysis]) -> Edge | None:
    """Returns who has the edge, with what the value is that of; the common sentence where nothing is to be added."""
    name, analysis = next(iter(analyses.items()))
    if rules_of(game).hands == 1:
        return None
    common = edge_evidence(analysis.wagers[0], name, game.banked_by)
    told = (*common.messages["sentence"], say(f"{FAMILY_ID}.finding.splits-counted"))
    return replace(common, **worded(sentence=told))
