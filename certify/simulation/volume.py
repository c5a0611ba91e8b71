"""What plays the rounds of a game in volume: its family's own play-through, the table of its text, or its round."""

from __future__ import annotations

from certify.families.port import VolumePort
from certify.families.registry import family_of
from certify.model.game import Game
from certify.simulation.derived_play import DerivedVolume
from certify.simulation.reference_play import ReferenceVolume


def volume_of(game: Game) -> VolumePort:
    """Returns what plays the rounds of a game in volume."""
    family = family_of(game)
    if family.volume is not None:
        return family.volume
    return DerivedVolume() if family.text is not None else ReferenceVolume()


def has_own_volume(game: Game) -> bool:
    """Tells whether the rounds of a game are played in volume by compiled code beside its reference round."""
    family = family_of(game)
    return family.volume is not None or family.text is not None
