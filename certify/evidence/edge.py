"""Who has the edge."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from certify.evidence.encode import Worded
from certify.model.form import InPercent, origins


@origins()
@dataclass(frozen=True, slots=True)
class EqualBet:
    """A first decision on which two final bets are worth the same.

    Args:
        hand: What the player holds.
        dealer: What the dealer shows.
    """

    hand: str
    dealer: str


@origins()
@dataclass(frozen=True, slots=True)
class EqualBetsEnd:
    """Figures where of equal final bets always the smaller or always the larger one is placed.

    Args:
        return_on_total_wagered: Return per unit of everything staked.
        total_wagered: Expected total stake per unit of initial stake.
        variance: Variance of the net result per unit of initial stake.
        standard_deviation: Its root.
    """

    return_on_total_wagered: InPercent
    total_wagered: Fraction
    variance: Fraction
    standard_deviation: float


@origins()
@dataclass(frozen=True, slots=True)
class EqualBets:
    """What best play leaves open about the final bet.

    Args:
        rule: Which of equal bets is placed, in words.
        pairs: The decisions that it is needed for.
        smaller: Figures with the smaller bets.
        larger: Figures with the larger ones.
        interval: Lower and higher return per unit of everything staked.
        sentence: All of it in one sentence.
        messages: The messages of its texts, by their names.
    """

    rule: str
    pairs: tuple[EqualBet, ...]
    smaller: EqualBetsEnd
    larger: EqualBetsEnd
    interval: tuple[Fraction, Fraction]
    sentence: str
    messages: Worded


@origins()
@dataclass(frozen=True, slots=True)
class Edge:
    """Who has the edge, per unit of the initial stake and of everything staked.

    Args:
        side: ``player``, ``house``, ``bank`` or ``nobody``.
        bank: What the other side is called: ``house``, or ``bank`` where a player banks.
        per_stake: Its size per unit of initial stake; where a second party decides too, the least that is proven.
        sentence: The same in one sentence.
        per_total_wagered: Its size per unit of everything staked, where the player may add to the stake.
        equal_final_bets: What best play leaves open about the final bet.
        messages: The messages of its texts, by their names.
    """

    side: str
    bank: str
    per_stake: InPercent
    sentence: str
    messages: Worded
    per_total_wagered: InPercent | None = None
    equal_final_bets: EqualBets | None = None
