"""Which clauses speak about a game."""

from __future__ import annotations

from certify.families.registry import family_of
from certify.mathematics import has_decisions
from certify.model.claims import RETURN
from certify.model.clause import Applicability
from certify.model.equipment import Kind
from certify.model.game import Game


def applicabilities(game: Game) -> frozenset[Applicability]:
    """Returns the kinds of games that a submission belongs to."""
    kinds = {Applicability.EVERY_GAME}
    if any(piece.kind is Kind.SHOE for piece in game.equipment):
        kinds.add(Applicability.CARDS)
    if has_decisions(game):
        kinds.add(Applicability.DECISIONS)
    if len(game.wagers) > 1:
        kinds.add(Applicability.SEVERAL_WAGERS)
    if game.banked_by == "house":
        kinds.add(Applicability.HOUSE_BANKED)
    if any(claim.metric == RETURN for claim in game.claims):
        kinds.add(Applicability.PRINTED_RETURN)
    if game.printed_counts or game.printed_rows:
        kinds.add(Applicability.PRINTED_TABLES)
    if family_of(game).machine or any(piece.kind is Kind.REEL for piece in game.equipment):
        kinds.add(Applicability.SLOT_MACHINES)
    return frozenset(kinds)
