"""How long nothing is won: exact waiting times for rounds without a win, one after the other."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Final

Chance = tuple[Fraction, Fraction]

UNIT: Final = 1 << 96
"""Chances are kept to so many parts, rounded outwards."""


def rounds_until(length: int, losing: Chance) -> Chance:
    """Returns after how many rounds on average the first dry spell of a length is over, at least and at most.

    Args:
        length: Rounds without a win, one after the other.
        losing: Chance of a round without a win, at least and at most; above nought.

    Source: W. Feller, An Introduction to Probability Theory and Its Applications I (1968), XIII.7, (7.7).

    >>> [float(one) for one in rounds_until(2, (Fraction(2, 5), Fraction(1, 2)))]
    [6.0, 8.75]
    """
    high, low = (_waiting(length, chance) for chance in losing)  # the more rounds lose, the sooner
    return Fraction(math.floor(low * 1000), 1000), Fraction(math.ceil(high * 1000), 1000)


def _waiting(length: int, losing: Fraction) -> Fraction:
    return (losing**-length - 1) / (1 - losing) if losing < 1 else Fraction(length)


def chance_within(rounds: int, length: int, losing: Chance) -> Chance:
    """Returns the chance that so many rounds hold a dry spell of a length, at least and at most.

    A first one ends with round n if the length before it lost, the round before those won (or there was none), and no
    spell was over by then: that is one step for every round.

    Source: W. Feller, An Introduction to Probability Theory and Its Applications I (1968), XIII.7.

    >>> [float(one) for one in chance_within(3, 2, (Fraction(1, 2), Fraction(1, 2)))]
    [0.375, 0.375]
    >>> chance_within(1_000, 2, (Fraction(1, 2), Fraction(1, 2)))[1] <= 1
    True
    """
    low, high = (_within(rounds, length, chance) for chance in losing)
    return Fraction(low, UNIT), min(Fraction(1), Fraction(high + 2 * rounds, UNIT))


def _within(rounds: int, length: int, losing: Fraction) -> int:
    """Returns the chance in parts of the unit, too little by at most two a round."""
    if length > rounds:
        return 0
    spell = math.floor(losing**length * UNIT)
    begun = math.floor(losing**length * (1 - losing) * UNIT)
    found = [0] * length + [spell]
    for played in range(length + 1, rounds + 1):
        found.append(found[-1] + begun * (UNIT - found[played - length - 1]) // UNIT)
    return found[rounds]


def longest_within(rounds: int, losing: Chance, share: Fraction = Fraction(1, 100)) -> tuple[Chance, int]:
    """Returns how long the longest dry spell of so many rounds is on average, and which length but a share keeps to.

    The mean is the sum, over every length, of the chance that there is a spell of that length. Where the chance of any
    longer one is below one part of the unit, the rest is bounded by the chances of a spell from each round on.

    Args:
        rounds: Rounds that are looked at.
        losing: Chance of a round without a win, at least and at most.
        share: Share of such rows of rounds that hold a longer one, at most.

    Source: W. Feller, An Introduction to Probability Theory and Its Applications I (1968), XIII.7.

    >>> mean, most = longest_within(3, (Fraction(1, 2), Fraction(1, 2)))
    >>> float(mean[0]), float(mean[1]), most  # of eight rows of three: 0, 1 four times, 2 twice, 3
    (1.375, 1.375, 3)
    """
    low = high = Fraction(0)
    most = rounds
    for length in range(1, rounds + 1):
        one, other = chance_within(rounds, length, losing)
        low, high = low + one, high + other
        if other <= share:
            most = min(most, length - 1)
        if one * UNIT < 1:
            rest = rounds * losing[1] ** (length + 1) / (1 - losing[1]) if losing[1] < 1 else Fraction(rounds)
            # Rounded outwards: a power of a chance has more digits than are ever printed.
            most_left = min(rest, Fraction(rounds))
            return (low, high + Fraction(math.ceil(most_left * UNIT), UNIT)), most
    return (low, high), most
