"""Compiled play-through in lockstep; its readable twin is certify.simulation.twin.

A block of rounds is played wave by wave: each wave gives one card to every round that still draws, and the
list of those rounds is packed without a branch. So nothing depends on guessing how long a hand will be,
which is what a loop round by round spends most of its time on.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import njit
from numpy.typing import NDArray

from certify.errors import InputError
from certify.families.sette_e_mezzo.volume.outcomes import CELLS, JOINT_SHAPE, MANO_NO_SECOND_CARD, PAIR_LOSE
from certify.families.sette_e_mezzo.volume.settlement import FULL, KING, OVER
from certify.families.sette_e_mezzo.volume.tables import ENDED, Tables
from certify.families.seven_and_a_half.cards import DECK_SIZE

BLOCK: Final = 512
"""Rounds played in lockstep: their decks (20 KiB) and working arrays stay in the first-level cache."""

_CODE: Final = 31
_PARTITA: Final = JOINT_SHAPE[1]
_MANO: Final = JOINT_SHAPE[2]

Bytes = NDArray[np.uint8]
Words = NDArray[np.uint16]


def play(decks: Bytes, tables: Tables) -> Bytes:
    """Returns the outcome codes of every round, uint8[rounds, 3]: main, Partita Perfetta, Mano di Poker.

    Args:
        decks: uint8[rounds, 40], card ids in dealing order.
        tables: Strategy and rules, compiled.

    Raises:
        InputError: The decks are not rows of forty card ids.
    """
    cells = np.empty(len(decks), dtype=np.uint8)
    _play(_checked(decks), *_arrays(tables), cells)
    return np.stack(np.unravel_index(cells, JOINT_SHAPE), axis=1).astype(np.uint8)


def count(decks: Bytes, tables: Tables) -> NDArray[np.int64]:
    """Returns how many rounds ended in each joint outcome, int64 of shape JOINT_SHAPE.

    Args:
        decks: uint8[rounds, 40], card ids in dealing order.
        tables: Strategy and rules, compiled.

    Raises:
        InputError: The decks are not rows of forty card ids.
    """
    counts = np.zeros(CELLS, dtype=np.int64)
    _count(_checked(decks), *_arrays(tables), counts)
    return counts.reshape(JOINT_SHAPE)


def _checked(decks: Bytes) -> Bytes:
    if decks.dtype != np.uint8 or decks.ndim != 2 or decks.shape[1] != DECK_SIZE:
        raise InputError(f"decks of {decks.dtype} {decks.shape}, expected uint8 rows of {DECK_SIZE} cards")
    if decks.size and int(decks.max()) >= DECK_SIZE:
        raise InputError(f"card id {int(decks.max())} in a deck, expected ids below {DECK_SIZE}")
    return np.ascontiguousarray(decks)


def _arrays(tables: Tables) -> tuple[Words, np.uint16, Words, Bytes, Bytes, Bytes, Bytes]:
    player = np.uint16(tables.player)
    return tables.steps, player, tables.dealer, tables.columns, tables.main, tables.pairs, tables.poker


@njit(cache=True, nogil=True)
def _count(
    decks: Bytes,
    steps: Words,
    player: np.uint16,
    dealer: Words,
    columns: Bytes,
    main: Bytes,
    pairs: Bytes,
    poker: Bytes,
    counts: NDArray[np.int64],
) -> None:
    cells = np.empty(BLOCK, dtype=np.uint8)
    for low in range(0, decks.shape[0], BLOCK):
        deck = decks[low : low + BLOCK]
        _play(deck, steps, player, dealer, columns, main, pairs, poker, cells)
        for index in range(deck.shape[0]):
            counts[cells[index]] += 1


@njit(cache=True, nogil=True)
def _play(
    decks: Bytes,
    steps: Words,
    player: np.uint16,
    dealer: Words,
    columns: Bytes,
    main: Bytes,
    pairs: Bytes,
    poker: Bytes,
    cells: Bytes,
) -> None:
    entries = np.empty(BLOCK, dtype=np.uint16)  # where each hand stands in the automaton
    places = np.empty(BLOCK, dtype=np.uint8)  # position in the deck of the next card of each round
    drawing = np.empty(BLOCK, dtype=np.uint16)  # rounds that draw in the next wave
    totals = np.empty(BLOCK, dtype=np.uint8)  # code of each player's final total
    for low in range(0, decks.shape[0], BLOCK):
        deck = decks[low : low + BLOCK]
        _play_players(deck, steps, player, columns, entries, places, drawing)
        _play_dealers(deck, steps, dealer, columns, entries, places, drawing, totals)
        _settle(deck, steps, player, columns, main, pairs, poker, entries, totals, cells[low : low + BLOCK])


@njit(cache=True, nogil=True)
def _play_players(
    deck: Bytes,
    steps: Words,
    player: np.uint16,
    columns: Bytes,
    entries: Words,
    places: Bytes,
    drawing: Words,
) -> None:
    active = 0
    for index in range(deck.shape[0]):
        entry = steps[player + columns[deck[index, 0]]]
        entries[index] = entry
        places[index] = 2
        drawing[active] = index
        active += 1 if entry < ENDED else 0
    _waves(deck, steps, columns, entries, places, drawing, active)


@njit(cache=True, nogil=True)
def _play_dealers(
    deck: Bytes,
    steps: Words,
    dealer: Words,
    columns: Bytes,
    entries: Words,
    places: Bytes,
    drawing: Words,
    totals: Bytes,
) -> None:
    active = 0
    for index in range(deck.shape[0]):
        code = np.uint8(entries[index] & _CODE)
        totals[index] = code
        against = 1 if code in (FULL, KING) else 0
        entry = steps[dealer[against] + columns[deck[index, 1]]]
        entry = np.uint16(ENDED) if code == OVER else entry  # the dealer does not play against a bust hand
        entries[index] = entry
        drawing[active] = index
        active += 1 if entry < ENDED else 0
    _waves(deck, steps, columns, entries, places, drawing, active)


@njit(cache=True, nogil=True)
def _waves(
    deck: Bytes,
    steps: Words,
    columns: Bytes,
    entries: Words,
    places: Bytes,
    drawing: Words,
    active: int,
) -> None:
    # Whatever the cards, sixteen of them bust a hand, so that no place leaves the row of forty.
    while active > 0:
        still = 0
        for position in range(active):
            index = drawing[position]
            place = places[index]
            entry = steps[entries[index] + columns[deck[index, place]]]
            entries[index] = entry
            places[index] = place + 1
            drawing[still] = index
            still += 1 if entry < ENDED else 0
        active = still


@njit(cache=True, nogil=True)
def _settle(
    deck: Bytes,
    steps: Words,
    player: np.uint16,
    columns: Bytes,
    main: Bytes,
    pairs: Bytes,
    poker: Bytes,
    entries: Words,
    totals: Bytes,
    cells: Bytes,
) -> None:
    for index in range(deck.shape[0]):
        total = totals[index]
        first, second, third = deck[index, 0], deck[index, 1], deck[index, 2]
        wins = main[(np.uint16(total) << 5) | (entries[index] & _CODE)]
        pair = pairs[(16 if total == OVER else 0) + (first >> 2)]
        pair = pair if (first ^ second) < 4 else np.uint8(PAIR_LOSE)
        ranks = (1 << (first >> 2)) | (1 << (second >> 2)) | (1 << (third >> 2))
        suited = (((first ^ second) | (first ^ third)) & 3) == 0
        hand = poker[(1024 if suited else 0) + ranks]
        drew = steps[player + columns[first]] < ENDED
        hand = hand if drew else np.uint8(MANO_NO_SECOND_CARD)
        cells[index] = (wins * _PARTITA + pair) * _MANO + hand
