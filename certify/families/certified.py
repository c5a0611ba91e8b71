"""Games that are certified side by side: one submission, several returns."""

import math
from collections.abc import Hashable
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from certify.model import Figure, Game, Limits


class ConfigurationKind(StrEnum):
    """What a wagering configuration is: a wager as submitted, or what differs from it."""

    WAGER = "wager"
    VARIANT = "variant"
    BET_LEVEL = "bet level"
    PURCHASE = "purchase"
    SEED = "meters at their seed"
    METER = "meters as stated"
    GAMBLE = "gamble"


def played_as(kind: ConfigurationKind, named: str) -> str:
    """Returns the name of the strategy by which a configuration is played by itself.

    >>> played_as(ConfigurationKind.BET_LEVEL, "three-coins")
    'bet-level:three-coins'
    """
    return f"{kind.value.replace(' ', '-')}:{named}"


@dataclass(frozen=True, slots=True)
class Configuration:
    """A wagering configuration by itself (GLI-19 v3.0 4.7.1(a)), with its exact return.

    Where a game has meters, each pays its seed in every configuration but that of the meters as they are stated.

    Args:
        id: What it is called in the submission, after its variant where it is of one.
        kind: What it is.
        wager: Id of the wager that is staked.
        returned: Its return, the least that a player may choose.
        highest: The highest return that a player may choose; the same where left out.
        price: What a round of it costs, in stakes of the wager.
        most: The most that a round of it wins net, or a bound of it, in stakes of the wager; none where there is no end
            of it, or where wagers are counted together alone.
        endless: Whether there is no end of what a round of it may win.
        hits: How often anything comes back; none where that was not counted.
        wins: How often more comes back than the round costs; likewise.
        variance: Variance of what a round of it returns, in units of its price; none where meters are not counted.
    """

    id: str
    kind: ConfigurationKind
    wager: str
    returned: Fraction
    highest: Fraction | None = None
    price: Fraction = Fraction(1)
    most: Fraction | None = None
    endless: bool = False
    hits: Figure | None = None
    wins: Figure | None = None
    variance: Fraction | None = None

    @property
    def most_returned(self) -> Fraction:
        """The highest return that a player may choose."""
        return self.returned if self.highest is None else self.highest

    def exposure(self, limits: Limits) -> int | None:
        """Returns the most that a round can cost the house in minor units; broken ones count in the player's favour."""
        return None if self.most is None else math.ceil(self.most * limits.maximum)


@dataclass(frozen=True, slots=True)
class Certified:
    """A game as it is certified: the submission itself, or one next to it that an operator may switch to.

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
