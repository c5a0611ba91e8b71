"""Orders of a deck as numbers: each order of n cards has a rank from 0 to n! - 1."""

from collections.abc import Sequence
from math import factorial

from rng.errors import RangeError


def rank(order: Sequence[int]) -> int:
    """The place of an order among all orders of its cards, counted from 0 in dictionary order.

    >>> rank((0, 1, 2)), rank((2, 1, 0))
    (0, 5)

    Raises:
        RangeError: the order is not one of the cards 0 to n - 1.

    Source: D. H. Lehmer, "Teaching combinatorial tricks to a computer", 1960 (factorial number system).
    """
    cards = [int(card) for card in order]
    n = len(cards)
    if sorted(cards) != list(range(n)):
        raise RangeError(f"{n} cards that are not an order of 0 to {n - 1}")
    remaining = list(range(n))
    value = 0
    for position, card in enumerate(cards):
        digit = remaining.index(card)
        del remaining[digit]
        value = value * (n - position) + digit
    return value


def unrank(value: int, n: int) -> tuple[int, ...]:
    """The order of n cards that has the given rank.

    >>> unrank(5, 3)
    (2, 1, 0)

    Raises:
        RangeError: the rank is not from 0 to n! - 1.
    """
    if type(n) is not int or n < 0:
        raise RangeError(f"deck of {n!r} cards: a whole number from 0 expected")
    if type(value) is not int or not 0 <= value < factorial(n):
        raise RangeError(f"rank {value!r} of an order of {n} cards: 0 to {n}! - 1 expected")
    digits = []
    for base in range(1, n + 1):
        value, digit = divmod(value, base)
        digits.append(digit)
    remaining = list(range(n))
    return tuple(remaining.pop(digit) for digit in reversed(digits))
