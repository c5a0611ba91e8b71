"""Games of several draws and decisions, described in the submission alone."""

from typing import Final

FORMERLY: Final = {
    "baccarat": "baccarat-punto-banco",
    "crash": "mines",
    "craps": "craps",
    "mines": "mines",
    "three-card-poker": "three-card-poker",
}
"""Families whose games are described now, with a game of each."""

_FOUR: Final = "the best four of more cards against the dealer's"
_TWO_HANDS: Final = "which of seven cards go into which hand"
_ON_THE_WAY: Final = "a win that is multiplied by what was guessed; at fixed pays each card has a turn"

MISSING: Final = {
    "crazy-4": _FOUR,
    "crazy-4-poker": _FOUR,
    "four-card-poker": _FOUR,
    "hilo": _ON_THE_WAY,
    "hi-lo": _ON_THE_WAY,
    "pai-gow": _TWO_HANDS,
    "pai-gow-poker": _TWO_HANDS,
}
"""Games that no family counts, with what is missing."""
