"""Shuffling: Fisher–Yates in Durstenfeld's form, in plain Python and in batches.

Position by position from the front, the card is exchanged with one drawn from itself and those
behind it: n, n - 1, … 2 equally likely choices, n! equally likely paths, one for each order.
Because a position is final once drawn, the first k cards of a deck need only the first k draws.

Source: R. Durstenfeld, "Algorithm 235: Random permutation", CACM 7(7), 1964;
docs/byte-consumption-rule.md, version 1, rule 4.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING, Final

import numpy as np

from rng.errors import RangeError
from rng.uniform import Words, together_below
from rng.words import WordSource

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_CARDS: Final = 256
"""Card ids are one byte in the batch form."""

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
        RangeError: n is not an integer from 1 to 256.
    """
    return deal(source, n, n)


def deal(source: Words, n: int, k: int) -> tuple[int, ...]:
    """The first k cards of the full shuffle of n that the same words would give.

    Whole groups of draws are taken, so `deal(source, n, k) == shuffle(source, n)[:k]` for the same
    words; fewer words are used when k is small.

    Raises:
        RangeError: n is not from 1 to 256, or k not from 0 to n.
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


def deal_decks(
    source: WordSource, count: int, cards: int = 40, *, out: "NDArray[np.uint8] | None" = None
) -> "NDArray[np.uint8]":
    """So many full shuffles, one deck a row, identical to calling `shuffle` so many times.

    Args:
        source: the words to draw from, e.g. a `Stream`.
        count: decks to deal, 0 or more.
        cards: cards in a deck, 1 to 256.
        out: where to put the decks, of shape (count, cards); a campaign that uses one array again and
            again spares the operating system the handing out of fresh memory.

    Returns:
        An array of shape (count, cards): `out` where it was given.

    Raises:
        RangeError: a size is out of range.
    """
    _check_cards(cards)
    if type(count) is not int or count < 0:
        raise RangeError(f"{count!r} decks: a whole number from 0 expected")
    from rng.kernels import shuffle_rows  # loaded on first use: compiling takes a moment

    decks = np.empty((count, cards), dtype=np.uint8) if out is None else _checked(out, count, cards)
    sizes, thresholds = _group_arrays(cards)
    done = 0
    while done < count:
        window = source.window(max(1, len(sizes)))
        rows, used = shuffle_rows(window, decks[done:], sizes, thresholds)
        source.skip(used)
        done += rows
        if done < count:
            # The waiting words end inside a deck: its words are kept and the next block follows them.
            source.window(len(window) - used + 1)
    return decks


@lru_cache(maxsize=64)
def _group_arrays(n: int) -> "tuple[NDArray[np.int64], NDArray[np.uint64]]":
    groups = bound_groups(n)
    sizes = np.array([len(group) for group in groups], dtype=np.int64)
    thresholds = np.array([(1 << 64) % prod(group) for group in groups], dtype=np.uint64)
    return sizes, thresholds


def _checked(out: "NDArray[np.uint8]", count: int, cards: int) -> "NDArray[np.uint8]":
    if (
        out.shape != (count, cards)
        or out.dtype != np.uint8
        or not (out.flags.c_contiguous and out.flags.writeable)
    ):
        raise RangeError(
            f"array of {out.dtype} {out.shape} for the decks: a writeable contiguous uint8 array of "
            f"{(count, cards)} expected"
        )
    return out


def _check_cards(n: int) -> None:
    if type(n) is not int or not 1 <= n <= MAX_CARDS:
        raise RangeError(f"deck of {n!r} cards: an integer from 1 to {MAX_CARDS} expected")
