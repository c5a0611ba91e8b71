"""What a wheel, picks or a ladder pay: the exact distribution of their prizes."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from certify.errors import InputError
from certify.families.slot.rules import Bonus, Draws, Prize

Law = dict[Fraction, Fraction]
"""Chance of every sum of prizes."""

MOST_PICKED = 200_000
"""Different ways in which picks may stand, at most."""


def prize_law(bonus: Bonus) -> Law:
    """Returns the chance of every sum of prizes, in the unit of the bonus.

    Raises:
        InputError: There are too many different ways of picking.

    >>> from certify.families.slot.rules import Trigger
    >>> prizes = Prize("a", Fraction(2), 3), Prize("b", Fraction(5))
    >>> wheel = Bonus("b", Draws.WHEEL, 1, prizes, Trigger(("x",), (1,)), ())
    >>> prize_law(wheel)[Fraction(5)]
    Fraction(1, 4)
    """
    if bonus.draws is Draws.LADDER:
        return _ladder(bonus.prizes)
    if bonus.draws is Draws.WHEEL:
        return _wheel(bonus.prizes, bonus.times)
    if bonus.draws is Draws.PICK:
        return _picks(bonus.prizes, bonus.times)
    return _until(bonus.prizes)


def _add(law: Law, value: Fraction, chance: Fraction) -> None:
    law[value] = law.get(value, Fraction(0)) + chance


def _wheel(prizes: tuple[Prize, ...], times: int) -> Law:
    total = sum(one.weight for one in prizes)
    law: Law = {Fraction(0): Fraction(1)}
    for _ in range(times):
        after: Law = {}
        for value, chance in law.items():
            for one in prizes:
                _add(after, value + one.pays, chance * Fraction(one.weight, total))
        law = after
    return law


def _ladder(prizes: tuple[Prize, ...]) -> Law:
    """A step that is won goes on to the next; the last step that was won pays."""
    law: Law = {}
    reached, value = Fraction(1), Fraction(0)
    for one in prizes:
        _add(law, value, reached * (1 - one.chance))
        reached, value = reached * one.chance, one.pays
    _add(law, value, reached)
    return {value: chance for value, chance in law.items() if chance}


def _picks(prizes: tuple[Prize, ...], times: int) -> Law:
    """Prizes one after the other, each so many or none of its copies: the order does not matter."""
    total = sum(one.weight for one in prizes)
    ways: dict[tuple[int, Fraction], int] = {(0, Fraction(0)): 1}
    left = total
    for one in prizes:
        after: dict[tuple[int, Fraction], int] = {}
        for (taken, value), number in ways.items():
            choose = 1
            for count in range(min(one.weight, times - taken) + 1):
                key = (taken + count, value + count * one.pays)
                after[key] = after.get(key, 0) + number * choose
                choose = choose * (one.weight - count) // (count + 1)
        ways = after
        left -= one.weight
        if len(ways) > MOST_PICKED:
            raise InputError(f"more than {MOST_PICKED:,} different ways of picking: too many to count")
    whole = sum(number for (taken, _), number in ways.items() if taken == times)
    law: Law = {}
    for (taken, value), number in ways.items():
        if taken == times:
            _add(law, value, Fraction(number, whole))
    return law


def _until(prizes: tuple[Prize, ...]) -> Law:
    """Picks without putting back until one ends them; that one pays too."""
    ending = [one for one in prizes if one.ends]
    going = tuple(one for one in prizes if not one.ends)
    ends = sum(one.weight for one in ending)
    free = sum(one.weight for one in going)
    law: Law = {}
    chance = Fraction(1)
    for taken in range(free + 1):
        stops = Fraction(ends, ends + free - taken)
        for value, share in (_picks(going, taken) if taken else {Fraction(0): Fraction(1)}).items():
            for one in ending:
                _add(law, value + one.pays, chance * stops * share * Fraction(one.weight, ends))
        chance *= 1 - stops
    return law


@lru_cache(maxsize=256)
def prize_moments(bonus: Bonus) -> tuple[Fraction, Fraction]:
    """Returns mean and variance of the prizes of a bonus, in its unit."""
    law = prize_law(bonus)
    mean = sum((value * chance for value, chance in law.items()), Fraction(0))
    return mean, sum((value * value * chance for value, chance in law.items()), Fraction(0)) - mean * mean
