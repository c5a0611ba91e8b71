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
        losing: Chance of a round without a win, at least and at most.

    Source: W. Feller, An Introduction to Probability Theory and Its Applications I (1968), XIII.7, (7.7).

    >>> [int(one) for one in rounds_until(2, (Fraction(1, 2), Fraction(1, 2)))]
    [6, 6]
    """
    low, high = (_waiting(length, chance) for chance in losing)
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
