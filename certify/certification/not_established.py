"""What a report on a game does not establish."""

from __future__ import annotations

from certify.evidence.worded import Said
from certify.messages import say, worded
from certify.model.game import Game


def not_established(game: Game, *, near: bool) -> tuple[Said, ...]:
    """Returns what a report on a game does not establish.

    Args:
        game: The submission.
        near: Whether the distribution of a wager is an approximation, its return alone exact.
    """
    names = (
        "deployed",
        *(("recovered-pays",) if any(wager.pays_are_recovered for wager in game.wagers) else ()),
        *(("readings",) if game.readings else ()),
        *(("near",) if near else ()),
        "sampling",
        "entropy",
        "operator",
        "law",
    )
    return tuple(Said(**worded(text=say(f"not-established.{name}"))) for name in names)
