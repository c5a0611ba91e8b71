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
from rng import lazy_rounds
from rng.lazy_kernels import MORE_CARDS, NO_CARD, tally
from rng.words import WordSource

Bytes = NDArray[np.uint8]

REFUSED: Final = 254
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
    return _decided(_codes(np.ascontiguousarray(decks).T, tables), 0)


def count(decks: Bytes, tables: OpenCardTables) -> NDArray[np.int64]:
    """Returns how many rounds ended in each outcome of the ante, int64 in the order of OPEN_CARD_OUTCOMES."""
    return np.bincount(play(decks, tables), minlength=len(OPEN_CARD_OUTCOMES)).astype(np.int64)


def play_rounds(words: WordSource, rounds: int, tables: OpenCardTables) -> tuple[Bytes, NDArray[np.int64]]:
    """Returns the outcome codes of rounds that are dealt card by card, and the words where they began.

    Args:
        words: The stream that the cards are drawn from.
        rounds: Rounds to play.
        tables: Strategy and rules, compiled.

    Raises:
        InputError: The strategy had no decision for a hand.
    """
    batches = list(lazy_rounds.lazy_rounds(words, rounds, DECK_SIZE, lambda cards: _codes(cards, tables)))
    return (
        _decided(np.concatenate([np.empty(0, np.uint8), *(batch.outcomes for batch in batches)]), 0),
        np.concatenate([np.empty(0, np.int64), *(batch.starts for batch in batches)]),
    )


def count_rounds(words: WordSource, rounds: int, tables: OpenCardTables) -> NDArray[np.int64]:
    """Returns how many rounds, dealt card by card, ended in each outcome of the ante.

    Args:
        words: The stream that the cards are drawn from.
        rounds: Rounds to play.
        tables: Strategy and rules, compiled.

    Raises:
        InputError: The strategy had no decision for a hand.
    """
    counts = np.zeros(256, dtype=np.int64)
    done = 0
    for batch in lazy_rounds.lazy_rounds(words, rounds, DECK_SIZE, lambda cards: _codes(cards, tables)):
        tally(batch.outcomes, counts)
        if counts[REFUSED]:
            _decided(batch.outcomes, done)
        done += len(batch.outcomes)
    return counts[: len(OPEN_CARD_OUTCOMES)]


def _decided(codes: Bytes, before: int) -> Bytes:
    """Returns the codes once it is known that the strategy had a decision for every hand."""
    refused = codes == REFUSED
    if refused.any():
        place = before + int(np.argmax(refused))
        raise InputError(
            f"the strategy names no decision for a hand of round {place}: expected a complete one"
        )
    return codes


def _codes(cards: Bytes, tables: OpenCardTables) -> Bytes:
    """Returns the outcome code of every round, or MORE_CARDS where its cards do not suffice."""
    codes = np.empty(cards.shape[1], dtype=np.uint8)
    _play(
        cards,
        tables.steps,
        tables.totals,
        tables.moves,
        tables.bets,
        tables.first,
        tables.dealer,
        codes,
    )
    return codes


@njit(cache=True, nogil=True)
def _play(
    cards: Bytes,
    steps: NDArray[np.int32],
    totals: Bytes,
    moves: Bytes,
    bets: Bytes,
    first: NDArray[np.int32],
    dealer: NDArray[np.int64],
    codes: Bytes,
) -> None:
    for index in range(cards.shape[1]):
        codes[index] = _play_one(cards, index, steps, totals, moves, bets, first, dealer)


@njit(cache=True, nogil=True)
def _play_one(
    cards: Bytes,
    index: int,
    steps: NDArray[np.int32],
    totals: Bytes,
    moves: Bytes,
    bets: Bytes,
    first: NDArray[np.int32],
    dealer: NDArray[np.int64],
) -> int:
    if cards[0, index] == MATTA:
        return OPEN_KING
    if cards[1, index] == NO_CARD or cards[0, index] == NO_CARD:
        return MORE_CARDS
    if cards[1, index] == MATTA:
        return OPEN_DEALER_KING
    shown = _KINDS[cards[1, index]]
    state = first[_KINDS[cards[0, index]]]
    bet = bets[shown, state]
    place = 2
    while moves[shown, state] == MOVE_HIT:
        if cards[place, index] == NO_CARD:
            return MORE_CARDS
        state = steps[state, _KINDS[cards[place, index]]]
        place += 1
    if moves[shown, state] != MOVE_STAND:
        return OPEN_FOLD if moves[shown, state] == MOVE_FOLD else REFUSED
    held = totals[state]
    made = _POINTS[shown]
    count = 1
    while held <= FULL and count < dealer[1] and (made < dealer[0] or (count == 1 and dealer[2] == 1)):
        if cards[place, index] == NO_CARD:
            return MORE_CARDS
        made += _POINTS[_KINDS[cards[place, index]]]
        place += 1
        count += 1
    end = LOSE
    if held > FULL:
        end = BUST
    elif made > FULL or made < held:
        end = WIN
    elif made == held:
        end = PUSH
    return int(OPEN_FIRST_END + _ENDS * bet + end)
