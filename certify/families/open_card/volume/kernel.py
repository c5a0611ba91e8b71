"""Compiled play-through of games with an open dealer's card; its twin is certify.simulation.open_card_twin."""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import njit
from numpy.typing import NDArray

from certify.errors import InputError
from certify.families.open_card.volume.outcomes import (
    OPEN_CARD_ENDS,
    OPEN_CARD_OUTCOMES,
    OPEN_DEALER_KING,
    OPEN_FIRST_END,
    OPEN_FOLD,
    OPEN_KING,
)
from certify.families.open_card.volume.settlement import BUST, FULL, LOSE, POINTS, PUSH, WIN, kind_of
from certify.families.open_card.volume.tables import MOVE_FOLD, MOVE_HIT, MOVE_STAND, OpenCardTables
from certify.families.seven_and_a_half.cards import DECK_SIZE, MATTA

Bytes = NDArray[np.uint8]

REFUSED: Final = 255
"""Code of a round on which the strategy had no decision."""

_POINTS: Final = np.array(POINTS, dtype=np.int64)
_KINDS: Final = np.array([kind_of(card) for card in range(DECK_SIZE)], dtype=np.int64)
_ENDS: Final = len(OPEN_CARD_ENDS)


def play(decks: Bytes, tables: OpenCardTables) -> Bytes:
    """Returns the outcome code of every round, uint8[rounds].

    Args:
        decks: uint8[rounds, 40], card ids in dealing order.
        tables: Strategy and rules, compiled.

    Raises:
        InputError: The decks are not rows of forty card ids, or the strategy had no decision for a hand.
    """
    if decks.dtype != np.uint8 or decks.ndim != 2 or decks.shape[1] != DECK_SIZE:
        raise InputError(f"decks of {decks.dtype} {decks.shape}, expected uint8 rows of {DECK_SIZE} cards")
    if decks.size and int(decks.max()) >= DECK_SIZE:
        raise InputError(f"card id {int(decks.max())} in a deck, expected ids below {DECK_SIZE}")
    codes = np.empty(len(decks), dtype=np.uint8)
    _play(
        np.ascontiguousarray(decks),
        tables.steps,
        tables.totals,
        tables.moves,
        tables.bets,
        tables.first,
        tables.dealer,
        codes,
    )
    if decks.size and (codes == REFUSED).any():
        place = int(np.argmax(codes == REFUSED))
        raise InputError(
            f"the strategy names no decision for a hand of round {place}: expected a complete one"
        )
    return codes


def count(decks: Bytes, tables: OpenCardTables) -> NDArray[np.int64]:
    """Returns how many rounds ended in each outcome of the ante, int64 in the order of OPEN_CARD_OUTCOMES."""
    return np.bincount(play(decks, tables), minlength=len(OPEN_CARD_OUTCOMES)).astype(np.int64)


@njit(cache=True, nogil=True)
def _play(
    decks: Bytes,
    steps: NDArray[np.int32],
    totals: Bytes,
    moves: Bytes,
    bets: Bytes,
    first: NDArray[np.int32],
    dealer: NDArray[np.int64],
    codes: Bytes,
) -> None:
    for index in range(decks.shape[0]):
        deck = decks[index]
        if deck[0] == MATTA:
            codes[index] = OPEN_KING
            continue
        if deck[1] == MATTA:
            codes[index] = OPEN_DEALER_KING
            continue
        shown = _KINDS[deck[1]]
        state = first[_KINDS[deck[0]]]
        bet = bets[shown, state]
        place = 2
        while moves[shown, state] == MOVE_HIT:
            state = steps[state, _KINDS[deck[place]]]
            place += 1
        if moves[shown, state] != MOVE_STAND:
            codes[index] = OPEN_FOLD if moves[shown, state] == MOVE_FOLD else REFUSED
            continue
        held = totals[state]
        made = _POINTS[shown]
        cards = 1
        while held <= FULL and cards < dealer[1] and (made < dealer[0] or (cards == 1 and dealer[2] == 1)):
            made += _POINTS[_KINDS[deck[place]]]
            place += 1
            cards += 1
        end = LOSE
        if held > FULL:
            end = BUST
        elif made > FULL or made < held:
            end = WIN
        elif made == held:
            end = PUSH
        codes[index] = OPEN_FIRST_END + _ENDS * bet + end
