"""The port to the rules of a game: what a round needs to know of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from certify.model.game import Game
from certify.rounds.policy import Policy

HIT = "hit"
STAND = "stand"


@dataclass(frozen=True, slots=True)
class Position:
    """How a round stands after some decisions.

    Args:
        player: Cards of the player in the order dealt.
        dealer: Cards of the dealer that lie open, in the order dealt; none before the player is done.
        options: Decisions the player may take now; none when the hand is done.
    """

    player: tuple[int, ...]
    dealer: tuple[int, ...]
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Result:
    """How one wager ended: the outcome or row it is paid by, and its net result per unit staked."""

    outcome: str
    net: Fraction


class Play(Protocol):
    """The rules of one game: pure functions of the deck and the decisions taken."""

    def position(self, deck: Sequence[int], decisions: Sequence[str]) -> Position:
        """Returns how the round stands after the decisions.

        Args:
            deck: The 40 cards in the order in which they are dealt.
            decisions: ``hit`` and ``stand`` in the order taken.
        """
        ...

    def settle(self, deck: Sequence[int], decisions: Sequence[str]) -> Mapping[str, Result]:
        """Returns the result of every wager of the game once the hand is done, bet on or not."""
        ...


@dataclass(frozen=True, slots=True)
class Edition:
    """The rules, paytables and terms that are in force together (GLI-19 A.5.1(e)).

    Args:
        game: The submission.
        play: Its rules as code.
        policy: Its terms as parameters.
        software: Digest of the software that plays it.
    """

    game: Game
    play: Play
    policy: Policy
    software: str = ""

    @property
    def sha256(self) -> str:
        """Digest of the submission that the edition plays."""
        return self.game.sha256
