"""Shuffles without bias.

Shuffling: Fisher–Yates in Durstenfeld's form, in plain Python and in batches.

Position by position from the front, the card is exchanged with one drawn from itself and those
behind it: n, n - 1, … 2 equally likely choices, n! equally likely paths, one for each order.
Because a position is final once drawn, the first k cards of a deck need only the first k draws.

Source: R. Durstenfeld, "Algorithm 235: Random permutation", CACM 7(7), 1964;
docs/byte-consumption-rule.md, version 1, rule 4.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import Final

import numpy as np

from rng.errors import RangeError
from rng.uniform import Words, together_below

MAX_CARDS: Final = 1 << 16
"""Card ids are one byte in the batch form up to 256 cards, two bytes above."""

CARDS: Final = 40
"""Cards of a deck where nothing else is stated of it."""

GROUP_LIMIT: Final = 1 << 57
"""Consecutive bounds share a word while their product is at most this: below 1 word in 128 is rejected."""


@lru_cache(maxsize=64)
def bound_groups(n: int) -> tuple[tuple[int, ...], ...]:
    """The bounds n, n - 1, …, 2 in the groups that are each drawn from one word.

    >>> [len(group) for group in bound_groups(40)]
    [11, 12, 16]
    """
    groups: list[list[int]] = [[]]
    for bound in range(n, 1, -1):
        if prod(groups[-1]) * bound > GROUP_LIMIT:
            groups.append([])
        groups[-1].append(bound)
    return tuple(tuple(group) for group in groups if group)


def shuffle(source: Words, n: int) -> tuple[int, ...]:
    """A full shuffle of the cards 0 to n - 1, each of the n! orders exactly equally likely.

    Raises:
        RangeError: n is not an integer from 1 to 65,536.
    """
    return deal(source, n, n)


def deal(source: Words, n: int, k: int) -> tuple[int, ...]:
    """The first k cards of the full shuffle of n that the same words would give.

    Whole groups of draws are taken, so `deal(source, n, k) == shuffle(source, n)[:k]` for the same
    words; fewer words are used when k is small.

    Raises:
        RangeError: n is not from 1 to 65,536, or k not from 0 to n.
    """
    _check_cards(n)
    if type(k) is not int or not 0 <= k <= n:
        raise RangeError(f"{k!r} cards to deal from {n}: 0 to {n} expected")
    draws: list[int] = []
    for group in bound_groups(n):
        if len(draws) >= k:
            break
        draws += together_below(source, group)
    return arrange(draws, n)[:k]


def arrange(draws: Sequence[int], n: int) -> tuple[int, ...]:
    """The deck that a row of draws makes: the i-th draw exchanges card i with card i + draw.

    >>> arrange((2, 0), 3)
    (2, 1, 0)
    """
    cards = list(range(n))
    for position, draw in enumerate(draws):
        other = position + draw
        cards[position], cards[other] = cards[other], cards[position]
    return tuple(cards)


def card_type(cards: int) -> type[np.uint8] | type[np.uint16]:
    """The type of a card id in a deck of so many cards: one byte up to 256 cards, two bytes above."""
    return np.uint8 if cards <= 256 else np.uint16


def _check_cards(n: int) -> None:
    if type(n) is not int or not 1 <= n <= MAX_CARDS:
        raise RangeError(f"deck of {n!r} cards: an integer from 1 to {MAX_CARDS} expected")
