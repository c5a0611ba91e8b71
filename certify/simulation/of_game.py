"""What plays the rounds of a game in volume: its family's own play-through, or its reference round."""

from __future__ import annotations

from certify.families.port import VolumePort
from certify.families.registry import family_of
from certify.model.game import Game
from certify.simulation.reference_play import ReferenceVolume


def volume_of(game: Game) -> VolumePort:
    """Returns what plays the rounds of a game in volume."""
    return family_of(game).volume or ReferenceVolume()


def has_own_volume(game: Game) -> bool:
    """Tells whether the family of a game brings a play-through written apart from its reference round."""
    return family_of(game).volume is not None
