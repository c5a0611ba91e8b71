"""Compiled play-through in lockstep; its readable twin is certify.simulation.twin.

The cards of many rounds lie in columns: row i holds card i of each. A block of rounds is played wave by
wave: each wave gives one card to every round that still draws, and the list of those rounds is packed
without a branch. So nothing depends on guessing how long a hand will be, which is what a loop round by
round spends most of its time on. Dealt card by card, a round whose cards do not suffice says so.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import njit
from numpy.typing import NDArray

from certify.errors import InputError
from certify.families.sette_e_mezzo.volume.outcomes import CELLS, JOINT_SHAPE, MANO_NO_SECOND_CARD, PAIR_LOSE
from certify.families.sette_e_mezzo.volume.settlement import FULL, KING, OVER
from certify.families.sette_e_mezzo.volume.tables import ENDED, NONE, SHORT, Tables
from certify.families.seven_and_a_half.cards import DECK_SIZE
from rng import lazy_rounds
from rng.lazy_kernels import MORE_CARDS
from rng.words import WordSource

BLOCK: Final = 512
"""Rounds played in lockstep: their cards and working arrays stay in the first-level cache."""

FIRST_CARDS: Final = 3
"""Cards of every round that are looked at in any case: two first cards and, for Mano di Poker, the next."""

_CODE: Final = 31
_PARTITA: Final = JOINT_SHAPE[1]
_MANO: Final = JOINT_SHAPE[2]

Bytes = NDArray[np.uint8]
Words = NDArray[np.uint16]
Entries = NDArray[np.uint32]


def play(decks: Bytes, tables: Tables) -> Bytes:
    """Returns the outcome codes of every round, uint8[rounds, 3]: main, Partita Perfetta, Mano di Poker.

    Args:
        decks: uint8[rounds, 40], card ids in dealing order.
        tables: Strategy and rules, compiled.

    Raises:
        InputError: The decks are not rows of forty card ids.
    """
    return codes_of(_cells(_checked(decks).T, tables))


def count(decks: Bytes, tables: Tables) -> NDArray[np.int64]:
    """Returns how many rounds ended in each joint outcome, int64 of shape JOINT_SHAPE.

    Args:
        decks: uint8[rounds, 40], card ids in dealing order.
        tables: Strategy and rules, compiled.

    Raises:
        InputError: The decks are not rows of forty card ids.
    """
    return np.bincount(_cells(_checked(decks).T, tables), minlength=CELLS).reshape(JOINT_SHAPE)


def play_rounds(words: WordSource, rounds: int, tables: Tables) -> tuple[Bytes, NDArray[np.int64]]:
    """Returns the outcome codes of rounds that are dealt card by card, and the words where they began.

    Args:
        words: The stream that the cards are drawn from.
        rounds: Rounds to play.
        tables: Strategy and rules, compiled.

    Returns:
        The codes, uint8[rounds, 3], and for each round the number of the word in the stream, from 0, that
        deals its whole deck.
    """
    batches = list(lazy_rounds.lazy_rounds(words, rounds, DECK_SIZE, lambda cards: _cells(cards, tables)))
    return (
        codes_of(np.concatenate([np.empty(0, np.uint8), *(batch.outcomes for batch in batches)])),
        np.concatenate([np.empty(0, np.int64), *(batch.starts for batch in batches)]),
    )


def count_rounds(words: WordSource, rounds: int, tables: Tables) -> NDArray[np.int64]:
    """Returns how many rounds, dealt card by card, ended in each joint outcome, int64 of shape JOINT_SHAPE.

    Args:
        words: The stream that the cards are drawn from.
        rounds: Rounds to play.
        tables: Strategy and rules, compiled.
    """
    counts = lazy_rounds.count_rounds(words, rounds, DECK_SIZE, lambda cards: _cells(cards, tables), CELLS)
    return counts.reshape(JOINT_SHAPE)


def codes_of(cells: Bytes) -> Bytes:
    """Returns the outcome codes of joint outcomes, uint8[rounds, 3]."""
    return np.stack(np.unravel_index(cells, JOINT_SHAPE), axis=1).astype(np.uint8)


def _cells(cards: Bytes, tables: Tables) -> Bytes:
    """Returns the joint outcome of every round, or MORE_CARDS where its cards do not suffice."""
    if len(cards) <= FIRST_CARDS:
        raise InputError(f"{len(cards) - 1} cards a round, expected at least {FIRST_CARDS} at first")
    cells = np.empty(cards.shape[1], dtype=np.uint8)
    _play(cards, *_arrays(tables), cells)
    return cells


def _checked(decks: Bytes) -> Bytes:
    if decks.dtype != np.uint8 or decks.ndim != 2 or decks.shape[1] != DECK_SIZE:
        raise InputError(f"decks of {decks.dtype} {decks.shape}, expected uint8 rows of {DECK_SIZE} cards")
    if decks.size and int(decks.max()) >= DECK_SIZE:
        raise InputError(f"card id {int(decks.max())} in a deck, expected ids below {DECK_SIZE}")
    return np.ascontiguousarray(decks)


def _arrays(tables: Tables) -> tuple[Entries, np.uint32, Entries, Bytes, Bytes, Bytes]:
    player = np.uint32(tables.player)
    return tables.steps, player, tables.dealer, tables.main, tables.pairs, tables.poker


@njit(cache=True, nogil=True)
def _play(
    cards: Bytes,
    steps: Entries,
    player: np.uint32,
    dealer: Entries,
    main: Bytes,
    pairs: Bytes,
    poker: Bytes,
    cells: Bytes,
) -> None:
    entries = np.empty(BLOCK, dtype=np.uint32)  # where each hand stands in the automaton
    places = np.empty(BLOCK, dtype=np.uint8)  # position in the deck of the next card of each round
    drawing = np.empty(BLOCK, dtype=np.uint16)  # rounds that draw in the next wave
    totals = np.empty(BLOCK, dtype=np.uint8)  # code of each player's final total
    drew = np.empty(BLOCK, dtype=np.bool_)  # who took a second card
    for low in range(0, cards.shape[1], BLOCK):
        rounds = min(BLOCK, cards.shape[1] - low)
        _play_players(cards, low, rounds, steps, player, entries, places, drawing, drew)
        _play_dealers(cards, low, rounds, steps, dealer, entries, places, drawing, totals)
        _settle(cards, low, rounds, main, pairs, poker, entries, totals, drew, cells)


@njit(cache=True, nogil=True)
def _play_players(
    cards: Bytes,
    low: int,
    rounds: int,
    steps: Entries,
    player: np.uint32,
    entries: Entries,
    places: Bytes,
    drawing: Words,
    drew: NDArray[np.bool_],
) -> None:
    active = 0
    for index in range(rounds):
        entry = steps[player + cards[0, low + index]]
        entries[index] = entry
        places[index] = 2
        drew[index] = entry < ENDED
        drawing[active] = index
        active += 1 if entry < ENDED else 0
    _waves(cards, low, steps, entries, places, drawing, active)


@njit(cache=True, nogil=True)
def _play_dealers(
    cards: Bytes,
    low: int,
    rounds: int,
    steps: Entries,
    dealer: Entries,
    entries: Entries,
    places: Bytes,
    drawing: Words,
    totals: Bytes,
) -> None:
    active = 0
    for index in range(rounds):
        code = np.uint8(entries[index] & _CODE)
        totals[index] = code
        against = 1 if code in (FULL, KING) else 0
        entry = steps[dealer[against] + (cards[1, low + index] & NONE)]
        # The dealer plays neither against a bust hand nor against one whose cards did not suffice.
        entry = np.uint32(ENDED) if code in (OVER, SHORT) else entry
        entries[index] = entry
        drawing[active] = index
        active += 1 if entry < ENDED else 0
    _waves(cards, low, steps, entries, places, drawing, active)


@njit(cache=True, nogil=True)
def _waves(
    cards: Bytes,
    low: int,
    steps: Entries,
    entries: Entries,
    places: Bytes,
    drawing: Words,
    active: int,
) -> None:
    # Whatever the cards, sixteen of them bust a hand; and where fewer were dealt, NO_CARD after the last one
    # ends it. So no place leaves the array.
    first = np.uint64(low)  # an index without a sign needs no look at negative ones
    while active > 0:
        still = 0
        for position in range(active):
            index = drawing[position]
            place = places[index]
            entry = steps[entries[index] + (cards[place, first + index] & NONE)]
            entries[index] = entry
            places[index] = place + 1
            drawing[still] = index
            still += 1 if entry < ENDED else 0
        active = still


@njit(cache=True, nogil=True)
def _settle(
    cards: Bytes,
    low: int,
    rounds: int,
    main: Bytes,
    pairs: Bytes,
    poker: Bytes,
    entries: Entries,
    totals: Bytes,
    drew: NDArray[np.bool_],
    cells: Bytes,
) -> None:
    for index in range(rounds):
        total = totals[index]
        first, second, third = cards[0, low + index], cards[1, low + index], cards[2, low + index]
        wins = main[(np.uint32(total) << 5) | (entries[index] & _CODE)]
        pair = pairs[(16 if total == OVER else 0) + (first >> 2)]
        pair = pair if (first ^ second) < 4 else np.uint8(PAIR_LOSE)
        ranks = (1 << (first >> 2)) | (1 << (second >> 2)) | (1 << (third >> 2))
        suited = (((first ^ second) | (first ^ third)) & 3) == 0
        hand = poker[(1024 if suited else 0) + ranks]
        hand = hand if drew[index] else np.uint8(MANO_NO_SECOND_CARD)
        short = total == SHORT or (entries[index] & _CODE) == SHORT
        cells[low + index] = MORE_CARDS if short else (wins * _PARTITA + pair) * _MANO + hand
