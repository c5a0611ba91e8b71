"""Orders of a deck as numbers: each order of n cards has a rank from 0 to n! - 1."""

from collections.abc import Sequence

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
