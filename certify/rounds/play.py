"""The port to the rules of a game: what a round needs to know of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Protocol

from certify.model.game import Game
from certify.rounds.events import Bets
from certify.rounds.policy import Policy

HIT: Final = "hit"
STAND: Final = "stand"
FOLD: Final = "fold"
FINAL_BET: Final = "final-bet"
"""Under this name the final bet of a round stands beside its wagers, where amounts are shown."""


def move_of(decision: str) -> str:
    """Returns what a decision does with the hand, any final bet left out.

    >>> move_of("hit-2"), move_of("stand"), move_of("fold")
    ('hit', 'stand', 'fold')
    """
    return decision.partition("-")[0]


@dataclass(frozen=True, slots=True)
class Position:
    """How a round stands after some decisions.

    Args:
        player: Cards of the player in the order dealt.
        dealer: Cards of the dealer that lie open, in the order dealt.
        options: Decisions the player may take now; none when the hand is done.
    """

    player: tuple[int, ...]
    dealer: tuple[int, ...]
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Result:
    """How one wager ended.

    Args:
        outcome: The outcome or row it is paid by.
        net: Net result of the whole round per unit of the stake accepted at the deal, a final bet included.
    """

    outcome: str
    net: Fraction


class Play(Protocol):
    """The rules of one game: pure functions of the deck and the decisions taken."""

    @property
    def decisions(self) -> tuple[str, ...]:
        """Every decision that some round of the game offers."""
        ...

    @property
    def final_bets(self) -> tuple[int, ...]:
        """Multiples of the main stake that a decision may place as a final bet; empty where there is none."""
        ...

    def final_bet(self, decision: str) -> int:
        """Returns the multiple of the main stake that a decision places as a final bet; 0 where it places none."""
        ...

    def witnesses(self) -> tuple[tuple[int, ...], ...]:
        """Returns decks that reach ends of a round which a few shuffled decks may miss."""
        ...

    def position(self, deck: Sequence[int], decisions: Sequence[str]) -> Position:
        """Returns how the round stands after the decisions.

        Args:
            deck: The 40 cards in the order in which they are dealt.
            decisions: Decisions in the order taken.
        """
        ...

    def settle(self, deck: Sequence[int], decisions: Sequence[str]) -> Mapping[str, Result]:
        """Returns the result of every wager of the game once the hand is done, bet on or not."""
        ...


def standing(play: Play) -> str:
    """Returns the decision that stands with the smallest final bet; where nobody may stand, the one that draws."""
    staying = (decision for decision in play.decisions if move_of(decision) != FOLD)
    return min(staying, key=lambda decision: (move_of(decision) != STAND, play.final_bet(decision)))


def funds_for(play: Play, stakes: Bets) -> int:
    """Returns what a round with these stakes can cost the player at most, a final bet included, minor units.

    Args:
        play: The rules.
        stakes: Stakes by wager, the main one first.
    """
    return sum(amount for _, amount in stakes) + max(play.final_bets, default=0) * stakes[0][1]


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
    def suits(self) -> tuple[str, ...]:
        """Names of the suits in the order of the card ids, as the game calls them."""
        return self.game.equipment[0].suits

    @property
    def sha256(self) -> str:
        """Digest of the submission that the edition plays."""
        return self.game.sha256
