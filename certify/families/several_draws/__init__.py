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

MISSING: Final = {
    **dict.fromkeys(
        ("crazy-4", "crazy-4-poker", "four-card-poker"), "the best four of more cards against the dealer's"
    ),
    **dict.fromkeys(
        ("hilo", "hi-lo"), "a win that is multiplied by what was guessed; at fixed pays each card has a turn"
    ),
    **dict.fromkeys(("pai-gow", "pai-gow-poker"), "which of seven cards go into which hand"),
}
"""Games that no family counts, with what is missing."""
