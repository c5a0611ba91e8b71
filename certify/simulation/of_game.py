"""What plays the rounds of a game in volume: its family's own play-through, or its reference round."""

from __future__ import annotations

from certify.families.port import VolumePort
from certify.families.registry import family_of
from certify.model.game import Game


def volume_of(game: Game) -> VolumePort:
    """Returns what plays the rounds of a game in volume."""
    own = family_of(game).volume
    if own is None:
        raise NotImplementedError
    return own
