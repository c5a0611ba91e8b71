"""Cards of a board as they are opened, up to the names of suits, and the situations of two own cards with them."""

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, permutations
from math import comb
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from certify.analysis.hands.deals import BINOMIAL, Whole, deals_of
from certify.analysis.hands.strength import CountedDeck
from certify.families.shared_board.board import OWN


@dataclass(frozen=True)
class Opened:
    """Every choice of so many cards of the board, up to the names of suits.

    Args:
        hands: int64[classes, cards], a hand of each class in rising order.
        weights: int64[classes], how many hands are of each class.
        place: int32[hands], the class of every hand by its number.
        renamed: uint8[hands], the renaming of suits that makes each the hand of its class.
    """

    hands: Whole
    weights: Whole
    place: NDArray[np.int32]
    renamed: NDArray[np.uint8]


@lru_cache(maxsize=8)
def opened(deck: CountedDeck, cards: int) -> Opened:
    """Returns every choice of so many cards of the board, up to the names of suits."""
    if not cards:
        one = np.ones(1, dtype=np.int64)
        return Opened(np.zeros((1, 0), np.int64), one, np.zeros(1, np.int32), np.zeros(1, np.uint8))
    deals, names = deals_of(deck, cards), renamings(deck)
    hands = np.sort(deals.hands, axis=1)
    renamed = np.zeros(len(deals.place), dtype=np.uint8)
    inverse = np.array([_place(names, np.argsort(name)) for name in names], dtype=np.uint8)
    for name, back in zip(names, inverse, strict=True):
        renamed[numbers_of(name[hands])] = back
    return Opened(hands, deals.weights, deals.place, renamed)


def _place(names: Whole, name: Whole) -> int:
    return int(np.flatnonzero((names == name).all(axis=1))[0])


def numbers_of(hands: Whole) -> Whole:
    """Returns the number of every hand, int64[hands], its cards in any order."""
    numbers: Whole = BINOMIAL[np.sort(hands, axis=1), np.arange(1, hands.shape[1] + 1)].sum(axis=1)
    return numbers


def renamings(deck: CountedDeck) -> Whole:
    """Returns what every card is called under each renaming of suits, int64[renamings, cards]."""
    faces = {card: face for face, card in enumerate(deck.cards)}
    return np.array(
        [
            [faces[rank, suits[suit]] for rank, suit in deck.cards]
            for suits in permutations(range(deck.suits))
        ],
        dtype=np.int64,
    )


@lru_cache(maxsize=8)
def renamed_pairs(deck: CountedDeck) -> Whole:
    """Returns the number of every two cards under each renaming of suits, int64[renamings, pairs]."""
    pairs = np.stack(np.tril_indices(deck.size, -1), axis=1)
    return np.array([numbers_of(name[pairs]) for name in renamings(deck)])


def situations_of(deck: CountedDeck, rows: Whole) -> Whole:
    """Returns the situation of every row of own cards and what is open of the board, int64[rows]."""
    found, names = opened(deck, rows.shape[1] - OWN), renamings(deck)
    board = numbers_of(rows[:, OWN:]) if rows.shape[1] > OWN else np.zeros(len(rows), np.int64)
    own = np.take_along_axis(names[found.renamed[board]], rows[:, :OWN], axis=1)
    return found.place[board] * np.int64(comb(deck.size, OWN)) + numbers_of(own)


def subsets(cards: int, less: int) -> Whole:
    """Returns every choice of so many cards of more."""
    return np.array(list(combinations(range(cards), less)), dtype=np.int64).reshape(comb(cards, less), less)


@njit(cache=True, nogil=True)
def pair_number(one: Any, other: Any, binomial: Whole) -> Any:
    """Returns the number of two cards in any order."""
    return binomial[min(one, other), 1] + binomial[max(one, other), 2]


@njit(cache=True, nogil=True)
def board_held(hand: Whole, bits: Whole) -> Any:
    """Returns some cards as bits."""
    held = np.int64(0)
    for face in hand:
        held |= bits[face]
    return held
