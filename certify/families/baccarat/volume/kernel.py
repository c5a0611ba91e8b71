"""Compiled play-through of baccarat, card by card from the words of a stream; its twin is ``volume.twin``."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba import njit
from numpy.typing import NDArray

from certify.errors import InputError
from certify.families.baccarat.volume.settlement import DRAWS, ENDS
from rng.lazy_kernels import NO_WORD, Pile, draw_card, new_pile, put_back
from rng.words import WordSource

Whole = NDArray[np.int64]
Tables = tuple[Whole, Whole, Whole]
"""Points, rank and face of every card."""

_DRAWS: Final = np.array(DRAWS, dtype=np.int64)

MOST_CARDS: Final = 6
"""Cards that a round looks at, at most."""

FEW_WORDS: Final = 512
"""Words that are asked for at once: a round takes one or two, now and then one more."""


def play(rows: NDArray[Any], tables: Tables) -> Whole:
    """Returns the code of the end of every round, int64[rounds].

    Args:
        rows: Unsigned integers[rounds, cards], cards in dealing order.
        tables: Points, rank and face of every card.

    Raises:
        InputError: The rows hold another number of cards, or a card that the shoe lacks.
    """
    cards = len(tables[0])
    if rows.ndim != 2 or not MOST_CARDS <= rows.shape[1] <= cards or (rows.size and int(rows.max()) >= cards):
        raise InputError(f"rows of {rows.shape}, expected {MOST_CARDS} cards below {cards} each")
    codes = np.empty(len(rows), dtype=np.int64)
    _play_rows(np.ascontiguousarray(rows[:, :MOST_CARDS]).astype(np.int64), *tables, _DRAWS, codes)
    return codes


def count(rows: NDArray[Any], tables: Tables) -> Whole:
    """Returns how many rounds came to each end, int64[ENDS]."""
    return np.bincount(play(rows, tables), minlength=ENDS).astype(np.int64)


def play_rounds(words: WordSource, rounds: int, tables: Tables) -> tuple[Whole, Whole]:
    """Returns the codes of rounds that are dealt card by card, and the words where they began.

    Args:
        words: The stream that the cards are drawn from; exactly the words of the rounds are taken.
        rounds: Rounds to play.
        tables: Points, rank and face of every card.
    """
    pile = new_pile(len(tables[0]))
    codes = np.empty(rounds, dtype=np.int64)
    starts = np.empty(rounds, dtype=np.int64)
    made, waiting = 0, 1
    while made < rounds:
        window = words.window(waiting)
        before = words.drawn
        after, used = _play_words(pile, window, *tables, _DRAWS, codes, starts, made)
        starts[made:after] += before
        words.skip(used)
        # A round that the window broke off is begun again once more words are waiting.
        waiting = min(len(window) - used + 1, FEW_WORDS)
        made = after
    return codes, starts


def count_rounds(words: WordSource, rounds: int, tables: Tables) -> Whole:
    """Returns how many rounds, dealt card by card, came to each end, int64[ENDS]."""
    codes, _ = play_rounds(words, rounds, tables)
    return np.bincount(codes, minlength=ENDS).astype(np.int64)


@njit(cache=True, nogil=True)
def _code(own: int, other: int, third: int, fourth: int, pair: int, pair2: int) -> int:
    return ((((own * 10 + other) * 2 + third) * 2 + fourth) * 3 + pair) * 3 + pair2


@njit(cache=True, nogil=True)
def _pair(first: int, second: int, ranks: Whole, faces: Whole) -> int:
    if faces[first] == faces[second]:
        return 2
    return 1 if ranks[first] == ranks[second] else 0


@njit(cache=True, nogil=True)
def _play_rows(rows: Whole, worth: Whole, ranks: Whole, faces: Whole, draws: Whole, codes: Whole) -> None:
    for index in range(rows.shape[0]):
        row = rows[index]
        own = (worth[row[0]] + worth[row[2]]) % 10
        other = (worth[row[1]] + worth[row[3]]) % 10
        place, third, fourth, seen = 4, 0, 0, 10
        if own < 8 and other < 8:
            if own < 6:
                seen = worth[row[place]]
                own = (own + seen) % 10
                place, third = place + 1, 1
            if draws[other, seen] == 1:
                other = (other + worth[row[place]]) % 10
                fourth = 1
        pair, pair2 = _pair(row[0], row[2], ranks, faces), _pair(row[1], row[3], ranks, faces)
        codes[index] = _code(own, other, third, fourth, pair, pair2)


@njit(cache=True, nogil=True)
def _play_words(
    pile: Pile,
    words: NDArray[np.uint64],
    worth: Whole,
    ranks: Whole,
    faces: Whole,
    draws: Whole,
    codes: Whole,
    starts: Whole,
    made: int,
) -> tuple[int, int]:
    """Plays rounds until all are played or the words end; returns the rounds played and the words used."""
    at = 0
    held = np.empty(6, dtype=np.int64)
    while made < codes.size:
        begun, rest, place = at, np.uint64(0), 0
        wanted, third, fourth = 4, 0, 0
        own = other = 0
        seen, settled, ended = 10, False, False
        while not settled:
            card, at, rest = draw_card(pile, words, at, rest, place)
            if card == NO_WORD:
                ended = True
                break
            held[place] = card
            place += 1
            if place < wanted:
                continue
            if place == 4:
                own = (worth[held[0]] + worth[held[2]]) % 10
                other = (worth[held[1]] + worth[held[3]]) % 10
                if own >= 8 or other >= 8:
                    settled = True
                elif own < 6:
                    third, wanted = 1, 5
                elif draws[other, seen] == 1:
                    fourth, wanted = 1, 5
                else:
                    settled = True
            elif third == 1 and seen == 10:
                seen = worth[held[4]]
                own = (own + seen) % 10
                if draws[other, seen] == 1:
                    fourth, wanted = 1, 6
                else:
                    settled = True
            else:
                other = (other + worth[held[place - 1]]) % 10
                settled = True
        put_back(pile, place)
        if ended:
            return made, begun
        pair, pair2 = _pair(held[0], held[2], ranks, faces), _pair(held[1], held[3], ranks, faces)
        codes[made] = _code(own, other, third, fourth, pair, pair2)
        starts[made] = begun
        made += 1
    return made, at
