"""What a run analyses and plays for each family of games."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from certify.errors import InputError
from certify.model.figures import Analysis
from certify.model.game import Game

MAIN_OPTIMAL: Final = "main-optimal"
ALWAYS_SECOND_CARD: Final = "always-second-card"
JOINTLY_OPTIMAL: Final = "jointly-optimal"
MIMIC_DEALER: Final = "mimic-dealer"


@dataclass(frozen=True, slots=True)
class Programme:
    """The strategies of a run.

    Args:
        strategies: Strategies under which everything is analysed, the best for the first wager at the head.
        decks_of: Purpose of the decks of each strategy under which rounds are played: no two campaigns are
            played on the same decks.
    """

    strategies: tuple[str, ...]
    decks_of: Mapping[str, str]

    @property
    def played(self) -> tuple[str, ...]:
        """Strategies under which rounds are played."""
        return tuple(self.decks_of)


_DECKS: Final = {MAIN_OPTIMAL: "simulation-decks", ALWAYS_SECOND_CARD: "further-campaign-decks"}

PROGRAMMES: Final[Mapping[str, Programme]] = {
    "sette-e-mezzo": Programme((MAIN_OPTIMAL, ALWAYS_SECOND_CARD, JOINTLY_OPTIMAL), _DECKS),
    "seven-and-a-half-open-card": Programme((MAIN_OPTIMAL, ALWAYS_SECOND_CARD, MIMIC_DEALER), _DECKS),
}
"""By family of games; two campaigns of different strategies reach outcomes that one of them never does."""


def programme_of(game: Game) -> Programme:
    """Returns what a run analyses and plays for a game.

    Raises:
        InputError: No run is written for the family of the game.
    """
    found = PROGRAMMES.get(game.family)
    if found is None:
        raise InputError(
            f"{game.id}: no run is written for the family {game.family!r}: expected one of {', '.join(PROGRAMMES)}"
        )
    return found


def strategy_of(game: Game, analyses: Mapping[str, Analysis]) -> dict[str, str]:
    """Returns for each wager the analysed strategy that is best for it, the first of equals.

    A printed return is read under it, as GLI-19 v3.0 4.7.1(b) asks for the optimal method of play.
    """
    return {
        wager.id: max(analyses, key=lambda name: analyses[name].wager(wager.id).return_to_player)
        for wager in game.wagers
    }
