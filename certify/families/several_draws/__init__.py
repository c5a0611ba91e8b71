"""Games of several draws and decisions, described in the submission alone."""

from typing import Final

FORMERLY: Final = {
    "baccarat": "baccarat-punto-banco",
    "craps": "craps",
    "three-card-poker": "three-card-poker",
}
"""Families whose games are described now, with a game of each."""
