"""Games that are certified side by side: one submission, several returns."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from certify.model.game import Game


class ConfigurationKind(StrEnum):
    """What a way of staking differs in from the round as it is submitted."""

    VARIANT = "variant"
    BET_LEVEL = "bet level"
    PURCHASE = "purchase"
    SEED = "meters at their seed"
    METER = "meters as stated"
    GAMBLE = "gamble"


@dataclass(frozen=True, slots=True)
class Configuration:
    """A way of staking by itself (GLI-19 v3.0 4.7.1(a)), with its exact return.

    Args:
        id: What it is called in the submission, after its variant where it is of one.
        kind: What it differs in.
        returned: Its return, the least that a player may choose.
        highest: The highest return that a player may choose; the same where left out.
    """

    id: str
    kind: ConfigurationKind
    returned: Fraction
    highest: Fraction | None = None

    @property
    def most(self) -> Fraction:
        """The highest return that a player may choose."""
        return self.returned if self.highest is None else self.highest


@dataclass(frozen=True, slots=True)
class Certified:
    """A game as it is certified: the submission itself, or one beside it that an operator may switch to.

    Args:
        id: Id of the variant; empty for the submission itself.
        title: Its name.
        game: The game, with what is printed of the variant as its claims.
        plays: What a round depends on: two that agree in it are the same game.
    """

    id: str
    title: str
    game: Game
    plays: Hashable
