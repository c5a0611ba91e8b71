"""Compiled play-through of one seat against the bank; its readable twin is ``volume.twin``.

The seats play first, on all rows; what then is open is known, and the bank's answers to it are compiled where
they were not. The bank plays afterwards, from the place in the deck where the seat left off.
"""

import numpy as np

from certify.array_types import Bytes, Marks, Places, Words
from certify.errors import InputError
from certify.families.free_bank.strategy import LAST_CARDS, MOST_CARDS, ORDERS, WEIGHT_BITS
from certify.families.free_bank.volume.settlement import (
    OVER,
    SEVERAL,
    BankTables,
    classes,
    settled,
)
from certify.families.seven_and_a_half.cards import DECK_SIZE
from certify.kernels import njit

_SETTLED = np.array(settled(), dtype=np.uint8)
_BITS = np.uint64(WEIGHT_BITS)
_NO_LOT = 1 << 28
"""Size of the lot where nothing is left to it."""


def play(rows: Bytes, tables: BankTables) -> tuple[Bytes, Marks]:
    """Returns how each round ends, as a place in ``settlement.ENDS``, and which rounds may have several hands.

    Args:
        rows: uint8[rounds, 40], card ids in dealing order; the first 22 of these where nothing is decided by lot.
        tables: Both strategies and the rules, compiled.

    Raises:
        InputError: The rows are not decks of forty card ids.
    """
    if rows.dtype != np.uint8 or rows.ndim != 2 or rows.shape[1] not in (DECK_SIZE, MOST_CARDS):
        raise InputError(f"decks of {rows.dtype} {rows.shape}, expected uint8 rows of {DECK_SIZE} cards")
    kinds = np.array(classes(tables.rules), dtype=np.uint8)
    number = len(rows)
    hands, places = np.empty(number, np.int32), np.empty(number, np.int32)
    drawn = tables.by_lot
    at, size = _lots(rows, tables)
    own = tables.player
    _players(rows, kinds, own.draws, own.swaps, own.codes, own.cuts, hands, places, at, size)
    several = hands == SEVERAL
    views = np.where(several, -1, tables.player.views[hands])
    answers, cuts = tables.answers(views)
    if tables.by_lot and not drawn:
        # A bank that decides by lot shows itself only now; a player who does not has used none of it.
        at, size = _lots(rows, tables)
    ended = np.empty(number, np.uint8)
    _banks(
        rows,
        kinds,
        hands,
        places,
        views,
        tables.player.codes,
        tables.bank.draws,
        tables.bank.codes,
        answers,
        cuts,
        at,
        size,
        ended,
    )
    return ended, several


def _lots(rows: Bytes, tables: BankTables) -> tuple[Words, Words]:
    at = np.zeros(len(rows), np.uint64)
    size = np.full(max(len(rows), 1), ORDERS if tables.by_lot else _NO_LOT, np.uint64)
    if tables.by_lot:
        _draw_lots(rows, at)
    return at, size


@njit(cache=True, nogil=True)
def _draw_lots(rows: Bytes, at: Words) -> None:
    start = rows.shape[1] - LAST_CARDS
    for index in range(rows.shape[0]):
        number = 0
        for place in range(LAST_CARDS):
            below = 0
            for other in range(place + 1, LAST_CARDS):
                below += rows[index, start + other] < rows[index, start + place]
            number = number * (LAST_CARDS - place) + below
        at[index] = number


@njit(cache=True, nogil=True)
def _players(
    rows: Bytes,
    kinds: Bytes,
    draws: Places,
    swaps: Places,
    codes: Bytes,
    cuts: Words,
    hands: Places,
    places: Places,
    at: Words,
    size: Words,
) -> None:
    for index in range(rows.shape[0]):
        hand, place = np.int32(kinds[rows[index, 0]]), 2
        lot, among = at[index], size[index]
        while True:
            stand = (among * cuts[hand, 0]) >> _BITS
            if lot < stand:
                among = stand
                break
            hit = (among * cuts[hand, 1]) >> _BITS
            kind = kinds[rows[index, place]]
            place += 1
            if lot < hit:
                lot, among = lot - stand, hit - stand
                hand = draws[hand, kind]
            else:
                lot, among = lot - hit, among - hit
                hand = swaps[hand, kind]
            if hand < 0:
                break
        hands[index], places[index] = hand, place
        at[index], size[index] = lot, among


@njit(cache=True, nogil=True)
def _banks(
    rows: Bytes,
    kinds: Bytes,
    hands: Places,
    places: Places,
    views: Places,
    own_codes: Bytes,
    draws: Places,
    codes: Bytes,
    answers: Places,
    cuts: Words,
    at: Words,
    size: Words,
    ended: Bytes,
) -> None:
    for index in range(rows.shape[0]):
        if hands[index] < 0:
            ended[index] = 0
            continue
        own = own_codes[hands[index]]
        hand, place = np.int32(kinds[rows[index, 1]]), places[index]
        if own != OVER:
            answer = cuts[answers[views[index]]]
            lot, among = at[index], size[index]
            while True:
                stand = (among * answer[hand, 0]) >> _BITS
                if lot < stand:
                    break
                lot, among = lot - stand, among - stand
                hand = draws[hand, kinds[rows[index, place]]]
                place += 1
        ended[index] = _SETTLED[own, codes[hand]]
