"""Compiled play-through of one seat against the bank, many rounds at a time; its readable twin is ``volume.twin``.

A round that comes to something open for which the bank's answer was not compiled yet is played again once it is.
"""

from typing import Final

import numpy as np

from certify.array_types import Bytes, Marks, Places, Whole, Words
from certify.errors import InputError
from certify.families.free_bank.strategy import LAST_CARDS, MOST_CARDS, ORDERS, WEIGHT_BITS
from certify.families.free_bank.volume.settlement import ENDS, OVER, BankTables, classes, settled
from certify.families.seven_and_a_half.cards import DECK_SIZE
from certify.kernels import njit
from rng.kernels import called_by_kernels

SEVERAL: Final = len(ENDS)
"""In place of an end: the round may have several hands."""

_UNKNOWN: Final = SEVERAL + 1
_SETTLED = np.array(settled(), dtype=np.uint8)
_BITS = np.uint64(WEIGHT_BITS)
_BLOCK = 256


def play(rows: Bytes, tables: BankTables) -> Bytes:
    """Returns how each round ends, as a place in ``settlement.ENDS``, or SEVERAL.

    Args:
        rows: uint8[rounds, 40], card ids in dealing order; the first 22 of these where nothing is decided by lot.
        tables: Both strategies and the rules, compiled.

    Raises:
        InputError: The rows are not decks of forty card ids.
    """
    if rows.dtype != np.uint8 or rows.ndim != 2 or rows.shape[1] not in (DECK_SIZE, MOST_CARDS):
        raise InputError(f"decks of {rows.dtype} {rows.shape}, expected uint8 rows of {DECK_SIZE} cards")
    kinds = np.array(classes(tables.rules), dtype=np.uint8)
    ended, own, bank = np.empty(len(rows), np.uint8), tables.player, tables.bank
    answers, shares = tables.answers()
    wanted, cuts = np.zeros(len(answers), np.bool_), own.cuts[None]
    # Whether a bank decides by lot shows in its answers, which are there by now.
    _play(
        rows,
        kinds,
        own.moves,
        own.codes,
        cuts,
        own.views,
        bank.moves,
        bank.codes,
        answers,
        shares,
        tables.by_lot,
        wanted,
        ended,
    )
    if wanted.any():
        tables.answers(np.flatnonzero(wanted).tolist())
        ended[ended == _UNKNOWN] = play(rows[ended == _UNKNOWN], tables)
    return ended


@called_by_kernels
def _go_on(
    rows: Bytes,
    kinds: Bytes,
    moves: Places,
    cuts: Words,
    by_lot: bool,
    lots: Words,
    answers: Whole,
    hands: Whole,
    places: Whole,
    live: Whole,
    drawing: int,
) -> None:
    """Plays hands until none takes a card; those that do are packed without a branch.

    ``answers`` holds the row of ``cuts`` by which each round is decided, ``lots`` its lot, among how many,
    and room for the upper ends of what each option takes of these.
    """
    edges = lots[2]
    while drawing > 0:
        kept = 0
        for j in range(drawing):
            i = live[j]
            stand, hit = cuts[answers[i], hands[i], 0], cuts[answers[i], hands[i], 1]
            taken = np.int64(stand == 0) + np.int64(hit == 0)
            if by_lot:
                among = lots[1, i]
                edges[1], edges[2], edges[3] = (among * stand) >> _BITS, (among * hit) >> _BITS, among
                taken = np.int64(lots[0, i] >= edges[1]) + np.int64(lots[0, i] >= edges[2])
                lots[0, i] -= edges[taken]
                lots[1, i] = edges[taken + 1] - edges[taken]
            hands[i] = moves[taken, hands[i], kinds[rows[i, places[i]]]]
            places[i] += taken != 0
            live[kept] = i
            kept += (taken != 0) & (hands[i] >= 0)
        drawing = kept


@njit(cache=True, nogil=True)
def _play(
    rows: Bytes,
    kinds: Bytes,
    moves: Places,
    codes: Bytes,
    cuts: Words,
    views: Places,
    bank_moves: Places,
    bank_codes: Bytes,
    answers: Places,
    shares: Words,
    by_lot: bool,
    wanted: Marks,
    ended: Bytes,
) -> None:
    lots, lanes = np.zeros((3, _BLOCK), np.uint64), np.empty((5, _BLOCK), np.int64)
    chosen, hands, banks, places, live = lanes[0], lanes[1], lanes[2], lanes[3], lanes[4]
    for begin in range(0, len(rows), _BLOCK):
        block = rows[begin : begin + _BLOCK]
        count, kept = len(block), 0
        for i in range(count):
            hands[i], banks[i], places[i], live[i], chosen[i] = (
                kinds[block[i, 0]],
                kinds[block[i, 1]],
                2,
                i,
                0,
            )
        if by_lot:
            _draw_lots(block, lots)
        _go_on(block, kinds, moves, cuts, by_lot, lots, chosen, hands, places, live, count)
        for i in range(count):
            # Nothing is open of a hand that is over, and its bank takes no card.
            plays = codes[hands[i]] != OVER
            chosen[i] = answers[views[hands[i]]] * plays
            live[kept] = i
            kept += plays & (chosen[i] >= 0) & (hands[i] >= 0)
        _go_on(block, kinds, bank_moves, shares, by_lot, lots, chosen, banks, places, live, kept)
        for i in range(count):
            ended[begin + i] = _SETTLED[codes[hands[i]], bank_codes[banks[i]]]
            if hands[i] < 0:
                ended[begin + i] = SEVERAL
            elif chosen[i] < 0:
                ended[begin + i], wanted[views[hands[i]]] = _UNKNOWN, True


@called_by_kernels
def _draw_lots(rows: Bytes, lots: Words) -> None:
    width = rows.shape[1]
    for i in range(len(rows)):
        number = 0
        for place in range(width - LAST_CARDS, width):
            below = 0
            for other in range(place + 1, width):
                below += rows[i, other] < rows[i, place]
            number = number * (width - place) + below
        lots[0, i], lots[1, i] = number, ORDERS
