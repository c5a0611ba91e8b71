"""The decision of a bank that looks at all open cards, compiled."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np
from numba import njit
from numpy.typing import NDArray

from certify.families.free_bank.open_cards_bank import ENDS, GRAIN, OVER, ROYAL, OpenCardsBank, end_of
from certify.families.free_bank.strategy import BankSees, Cards, HandEnd, OpenSeat
from certify.families.seven_and_a_half.cards import (
    CLASS_MATTA,
    CLASSES,
    RANK_SEVEN,
    SEVEN_AND_A_HALF,
)
from certify.families.seven_and_a_half.values import POINTS
from rng.kernels import called_by_kernels

Bytes = NDArray[np.uint8]
Numbers = NDArray[np.int64]

COVERED: Final = 255
"""In place of the end of a hand whose first card is covered."""

GONE: Final = 254
"""In place of the end of a hand that exceeded 7½."""

MOST_OPEN: Final = 40

_POINTS = np.array([*POINTS, 0], dtype=np.int64)
_KINDS: Final = len(CLASSES)
_FULL: Final = SEVEN_AND_A_HALF


def draws(bank: OpenCardsBank, sees: BankSees) -> bool:
    """Tells whether a bank draws on what it sees."""
    nets, deck = _terms(bank)
    opened, counts, ends = _laid_out(sees.table, bank)
    unseen = deck.copy()
    for card in (*sees.hand, *((sees.given_up,) if sees.given_up >= 0 else ())):
        unseen[card] = max(unseen[card] - 1, 0)
    hand = np.array(sees.hand, dtype=np.uint8)
    take_away(unseen, opened, counts)
    return bool(goes_on(hand, len(hand), unseen, opened, counts, ends, bank.least, bank.rules.reale, nets))


Held = tuple[Bytes, Numbers, Numbers, NDArray[np.bool_]]
"""Hands of a bank: cards by class, how many, the card swapped away or -1, and whether anything is decided on it."""


def held(hands: Sequence[Cards], given_up: Sequence[int], choosing: Sequence[bool]) -> Held:
    """Returns many hands of a bank laid out for :func:`draws_on`."""
    cards = np.zeros((len(hands), MOST_OPEN), dtype=np.uint8)
    for place, hand in enumerate(hands):
        cards[place, : len(hand)] = hand
    counts = np.array([len(hand) for hand in hands], dtype=np.int64)
    return cards, counts, np.array(given_up, dtype=np.int64), np.array(choosing, dtype=np.bool_)


def draws_on(bank: OpenCardsBank, hands: Held, table: tuple[OpenSeat, ...]) -> list[bool]:
    """Tells for many hands of a bank whether it draws, the same cards lying open."""
    nets, deck = _terms(bank)
    found = np.zeros(len(hands[0]), dtype=np.bool_)
    opened, counts, ends = _laid_out(table, bank)
    _all(*hands, deck, opened, counts, ends, bank.least, bank.rules.reale, nets, found)
    drawing: list[bool] = found.tolist()
    return drawing


@lru_cache(maxsize=16)
def _terms(bank: OpenCardsBank) -> tuple[Numbers, Numbers]:
    return terms_of(bank)


def terms_of(bank: OpenCardsBank) -> tuple[Numbers, Numbers]:
    """Returns what a bank pays and collects, and the cards of each class, as arrays."""
    return np.array(bank.nets, dtype=np.int64), np.array(bank.rules.deck, dtype=np.int64)


@lru_cache(maxsize=4096)
def _laid_out(table: tuple[OpenSeat, ...], bank: OpenCardsBank) -> tuple[Bytes, Numbers, Bytes]:
    """Returns the open cards of every hand, how many they are, and how the hand ended as far as is known."""
    hands = [hand for seat in table for hand in seat.hands]
    opened = np.zeros((len(hands), MOST_OPEN), dtype=np.uint8)
    counts = np.array([len(hand.cards) for hand in hands], dtype=np.int64)
    ends = np.full(len(hands), COVERED, dtype=np.uint8)
    for place, hand in enumerate(hands):
        opened[place, : len(hand.cards)] = hand.cards
        if hand.end is HandEnd.BUST:
            ends[place] = GONE
        elif hand.first_shown:
            ends[place] = end_of(hand.cards, bank.rules)
    return opened, counts, ends


@njit(cache=True, nogil=True)
def take_away(unseen: Numbers, opened: Bytes, counts: Numbers) -> None:
    """Takes the open cards from those that are not in sight."""
    for place in range(len(counts)):
        for card in opened[place, : counts[place]]:
            unseen[card] = max(unseen[card] - 1, 0)


@called_by_kernels
def _end(plain: int, matta: int) -> int:
    if matta == 0:
        return plain if plain <= _FULL else OVER
    if plain >= _FULL:
        return OVER
    return _FULL if plain % 2 == 1 or plain == _FULL - 1 else _FULL - 1


@called_by_kernels
def _won(theirs: int, end: int, nets: Numbers) -> int:
    if theirs == ROYAL:
        return int(nets[0] if end == ROYAL else -nets[3])
    if theirs == _FULL:
        return int(nets[5] if end in (_FULL, ROYAL) else -nets[2])
    if end in (_FULL, ROYAL):
        return int(nets[4])
    return int(nets[0] if end != OVER and end >= theirs else -nets[1])


@called_by_kernels
def _fits(first: int, cards: Bytes, count: int, least: int) -> int:
    """Returns the total of a hand that stood below 7½, negative where a seat as believed would not have come to it.

    Zero where the hand is not below 7½.
    """
    plain, matta = _POINTS[first], 1 if first == CLASS_MATTA else 0
    before = True
    for place in range(count):
        before = before and _end(plain, matta) < least
        plain += _POINTS[cards[place]]
        matta = 1 if cards[place] == CLASS_MATTA else matta
    end = _end(plain, matta)
    if end >= _FULL:
        return 0
    return end if before and end >= least else -end


@njit(cache=True, nogil=True)
def _add(worth: Numbers, cards: Bytes, count: int, unseen: Numbers, least: int, nets: Numbers) -> None:
    """Adds what the bank wins of a hand whose first card is covered, for each end of its own."""
    totals = np.zeros(_KINDS, np.int64)
    fitting, below = 0, 0
    for card in range(_KINDS):
        if unseen[card]:
            totals[card] = _fits(card, cards, count, least)
            below += unseen[card] if totals[card] != 0 else 0
            fitting += unseen[card] if totals[card] > 0 else 0
    weighs = fitting if fitting else below
    if weighs == 0:
        return
    for end in range(ENDS):
        won = 0
        for card in range(_KINDS):
            if totals[card] > 0 or (fitting == 0 and totals[card] < 0):
                won += _won(abs(totals[card]), end, nets) * unseen[card]
        worth[end] += won * GRAIN // weighs


@called_by_kernels
def _drawn(plain: int, matta: int, unseen: Numbers, worth: Numbers, best: Numbers, royal: int) -> int:
    """Returns what a further card brings; ``royal`` is the one card that may become a reale, negative for none."""
    brought, cards = 0, 0
    for card in range(_KINDS):
        if unseen[card] == 0 or (matta and card == CLASS_MATTA):
            continue
        points = plain + _POINTS[card]
        after = 1 if card == CLASS_MATTA else matta
        # A reale is two unlike cards of the last three classes: a 7, a face, the matta.
        if royal >= RANK_SEVEN and card >= RANK_SEVEN and card != royal:
            value = worth[ROYAL]
        elif points < _FULL:
            value = best[after, points]
        else:
            value = worth[_end(points, after)]
        brought += unseen[card] * value
        cards += unseen[card]
    return brought // cards if cards else worth[_end(plain, matta)]


@njit(cache=True, nogil=True)
def goes_on(
    hand: Bytes,
    cards: int,
    unseen: Numbers,
    opened: Bytes,
    counts: Numbers,
    ends: Bytes,
    least: int,
    reale: bool,
    nets: Numbers,
) -> bool:
    """Tells whether the bank draws.

    Args:
        hand: Its cards by class.
        cards: How many they are.
        unseen: Cards of each class that are not in sight.
        opened: Open cards of every hand of the seats.
        counts: How many they are.
        ends: How each hand ended: COVERED, GONE, or the end that is shown.
        least: Total on which the seats are believed to stand.
        reale: Whether the game knows a reale.
        nets: What the bank pays and collects.
    """
    left = 0
    for card in range(_KINDS):
        left += unseen[card]
    if left == 0:
        return False
    worth = np.zeros(ENDS, np.int64)
    for place in range(len(counts)):
        if ends[place] == COVERED:
            _add(worth, opened[place], counts[place], unseen, least, nets)
        elif ends[place] != GONE:
            for end in range(ENDS):
                worth[end] += _won(ends[place], end, nets) * GRAIN
    best = np.zeros((2, _FULL), np.int64)
    for matta in (1, 0):
        for plain in range(_FULL - 1, -1, -1):
            end = _end(plain, matta)
            best[matta, plain] = worth[end]
            if end != _FULL:
                best[matta, plain] = max(worth[end], _drawn(plain, matta, unseen, worth, best, -1))
    plain, matta = 0, 0
    for card in hand[:cards]:
        plain += _POINTS[card]
        matta = 1 if card == CLASS_MATTA else matta
    single = int(hand[0]) if cards == 1 and reale else -1
    return bool(_drawn(plain, matta, unseen, worth, best, single) > worth[_end(plain, matta)])


@njit(cache=True, nogil=True)
def _all(
    held: Bytes,
    lengths: Numbers,
    gone: Numbers,
    choosing: NDArray[np.bool_],
    deck: Numbers,
    opened: Bytes,
    counts: Numbers,
    ends: Bytes,
    least: int,
    reale: bool,
    nets: Numbers,
    found: NDArray[np.bool_],
) -> None:
    in_sight = deck.copy()
    take_away(in_sight, opened, counts)
    for place in np.flatnonzero(choosing):
        unseen = in_sight.copy()
        for card in held[place, : lengths[place]]:
            unseen[card] = max(unseen[card] - 1, 0)
        if gone[place] >= 0:
            unseen[gone[place]] = max(unseen[gone[place]] - 1, 0)
        hand, cards = held[place], lengths[place]
        found[place] = goes_on(hand, cards, unseen, opened, counts, ends, least, reale, nets)
