"""Strategies that need no analysis, for benchmarks and tests of the play-through."""

from __future__ import annotations

from itertools import product

from certify.families.sette_e_mezzo.strategy import HitTable
from certify.families.sette_e_mezzo.volume.settlement import FULL, POINTS, best_total
from certify.families.seven_and_a_half.cards import CLASSES


def all_hands() -> tuple[tuple[int, ...], ...]:
    """Returns every hand below 7½, cards counted by class, that a deck can hold."""
    most = [min(4 if index < 7 else 11, (FULL - 1) // points) for index, points in enumerate(POINTS[:-1])]
    counts = product(*(range(copies + 1) for copies in most), range(2))
    return tuple(hand for hand in counts if any(hand) and total_of(hand) < FULL)


def total_of(hand: tuple[int, ...]) -> int:
    """Returns the total of a hand counted by class in half points, 16 where it is bust."""
    plain = sum(held * points for held, points in zip(hand, POINTS, strict=True))
    return best_total(plain, hand[len(CLASSES) - 1] == 1)


def stand_on(total: int) -> HitTable:
    """Returns the strategy that draws below a total and stands on it.

    Args:
        total: Half points.
    """
    draws = frozenset(hand for hand in all_hands() if total_of(hand) < total)
    return HitTable(f"stand-on:{total / 2:g}", "total-dependent", draws)
