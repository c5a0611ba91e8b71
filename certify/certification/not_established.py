"""What a report on a game does not establish."""

from __future__ import annotations

from certify.evidence.worded import Said
from certify.messages import say, worded
from certify.model.game import Game


def not_established(game: Game) -> tuple[Said, ...]:
    """Returns what a report on a game does not establish."""
    names = (
        "deployed",
        *(("recovered-pays",) if any(wager.pays_are_recovered for wager in game.wagers) else ()),
        *(("readings",) if game.readings else ()),
        "sampling",
        "entropy",
        "operator",
        "law",
    )
    return tuple(Said(**worded(text=say(f"not-established.{name}"))) for name in names)
