"""Parts of the evidence that games with a free bank have beside the common ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from certify.analysis.edge import edge_evidence
from certify.evidence.document import Sections
from certify.evidence.edge import Edge
from certify.evidence.plain import plain
from certify.families.free_bank.exact.names import split_name
from certify.families.free_bank.rules import FAMILY_ID, rules_of
from certify.families.free_bank.supplementary_tables import passing_tables, tables_of_several_seats
from certify.messages import say, worded
from certify.model.figures import Analysis
from certify.model.game import Game
from certify.model.strategy import EQUILIBRIUM


class FreeBankSections:
    """The edge, the passing of the bank, and the figures of several seats."""

    def figures(self, game: Game, analysis: Analysis) -> Mapping[str, object]:
        """Returns how the bank passes, beside the figures of the equilibrium; nothing beside those of another pair."""
        if split_name(analysis.strategy.name) != (EQUILIBRIUM, EQUILIBRIUM):
            return {}
        return {"supplementary_tables": plain(passing_tables(game))}

    def evidence(self, game: Game, analyses: Mapping[str, Analysis]) -> Sections:
        """Returns the edge, and the tables of one seat exactly and of several in play-through."""
        tables = (*passing_tables(game), *tables_of_several_seats(game))
        return Sections(edge=_edge(game, analyses), supplementary_tables=tables)


def _edge(game: Game, analyses: Mapping[str, Analysis]) -> Edge | None:
    """Returns who has the edge, with what the value is that of; the common sentence where nothing is to be added."""
    name, analysis = next(iter(analyses.items()))
    if rules_of(game).hands == 1:
        return None
    common = edge_evidence(analysis.wagers[0], name, game.banked_by)
    told = (*common.messages["sentence"], say(f"{FAMILY_ID}.finding.splits-counted"))
    return replace(common, **worded(sentence=told))
