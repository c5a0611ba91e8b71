"""What play-through shares with enumeration, as printed in the evidence."""

from typing import Final

from certify.evidence.simulation import DERIVED, SHARED_CODE
from certify.families.port import SharingVolume
from certify.families.registry import family_of
from certify.model import Game
from certify.simulation.volume import volume_of

DRAWS: Final = (
    "draws: taken from rng's streams for the play-through, counted without drawing by the enumeration"
)

SECOND_TEXT: Final = (
    "rules and settlement, written independently and compared with the implementation that plays: "
    "the second implementation"
)
"""What checks the text that both rest on."""


def shared_code(game: Game) -> tuple[str, ...]:
    """Returns what the play-through of a game shares with its exact figures."""
    volume = volume_of(game)
    shares = volume.shares if isinstance(volume, SharingVolume) else ()
    return (*((DERIVED,) if _derived(game) else shares), *SHARED_CODE)


def independent_code(game: Game) -> tuple[str, ...]:
    """Returns what the play-through of a game, and what checks both, do by themselves."""
    second = (SECOND_TEXT,) if family_of(game).second is not None else ()
    return (*volume_of(game).independent_code, DRAWS, *second)


def _derived(game: Game) -> bool:
    family = family_of(game)
    return family.text is not None and family.volume is None
