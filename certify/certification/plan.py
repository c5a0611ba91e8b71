"""What a run analyses and plays of a game, by the plan of its family."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from certify.errors import InputError
from certify.mathematics import head_of, plan_of
from certify.model.claims import RETURN
from certify.model.figures import Analysis
from certify.model.game import Game

PURPOSES: Final = ("simulation-decks", "further-campaign-decks")
"""Purposes of the draws of the first campaign and of the second: no two are played on the same."""


def purposes_of(game: Game) -> dict[str, str]:
    """Returns the purpose of the draws of each campaign by the name of its strategy.

    Raises:
        InputError: The family plans more campaigns than there are purposes registered.
    """
    played = plan_of(game).played
    if not 1 <= len(played) <= len(PURPOSES):
        raise InputError(f"{game.id}: {len(played)} campaigns are planned, expected 1 to {len(PURPOSES)}")
    return dict(zip(played, PURPOSES, strict=False))


def strategy_of(game: Game, analyses: Mapping[str, Analysis]) -> dict[str, str]:
    """Returns for each wager the strategy under which its printed return is read.

    That is the strategy that the source names, where it names one; otherwise the analysed strategy that is best for
    the wager, the first of equals, as GLI-19 v3.0 4.7.1(b) asks for the optimal method of play. Where a second party
    decides too, a pair in which that party plays badly says nothing: it is the pair at the head of the plan.
    """
    returns = [claim for claim in game.claims if claim.metric == RETURN]
    named = {claim.wager: claim.strategy for claim in returns if claim.strategy}
    if plan_of(game).banks:
        return {wager.id: named.get(wager.id) or head_of(game) for wager in game.wagers}
    return {
        wager.id: named.get(wager.id)
        or max(analyses, key=lambda name: analyses[name].wager(wager.id).return_to_player)
        for wager in game.wagers
    }
