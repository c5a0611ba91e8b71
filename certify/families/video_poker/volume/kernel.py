"""Compiled play-through of video poker, card by card from the words of a stream; its twin is ``volume.twin``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from certify.errors import InputError
from certify.families.video_poker.cards import Deck
from certify.families.video_poker.deals import (
    BINOMIAL,
    Whole,
    arrange,
    arrays_of,
    deals_of,
    next_hand,
    number_of,
    sort_cards,
)
from certify.families.video_poker.volume.settlement import CODES
from rng.lazy_kernels import NO_WORD, Pile, draw_card, new_pile, put_back
from rng.words import WordSource

Bytes = NDArray[np.uint8]

FEW_WORDS: int = 512
"""Words that are asked for at once: a round takes one or two, now and then one more."""


@dataclass(frozen=True, slots=True)
class Tables:
    """Everything that one round needs.

    Args:
        ranks: int64[cards], rank of each face, negative for a wild card.
        suits: int64[cards], suit of each face.
        holds: uint8[hands], what is held of each hand, as bits over its cards in rising order.
        deuces: Whether four wild cards are four deuces.
    """

    ranks: Whole
    suits: Whole
    holds: Bytes
    deuces: bool


@lru_cache(maxsize=4)
def compiled(deck: Deck, holds: bytes, deuces: bool) -> Tables:
    """Returns a strategy with the hold of every deal written out.

    Args:
        deck: The deck.
        holds: The hold of every class of deals, over the places of its arranged hand.
        deuces: Whether four wild cards are four deuces.
    """
    ranks, suits = arrays_of(deck)
    deals = deals_of(deck)
    written = np.empty(len(deals.place), dtype=np.uint8)
    by_class = np.frombuffer(holds, dtype=np.uint8)
    _write_out(deals.place, by_class, ranks, suits, deck.suit_count, written)
    return Tables(ranks, suits, written, deuces)


def play(rows: NDArray[Any], tables: Tables) -> Bytes:
    """Returns the code of the final hand of every round, uint8[rounds].

    Args:
        rows: Unsigned integers[rounds, cards], faces in dealing order.
        tables: Strategy and deck, compiled.

    Raises:
        InputError: The rows hold another number of cards, or a card that the deck lacks.
    """
    cards = len(tables.ranks)
    if rows.ndim != 2 or rows.shape[1] != cards or (rows.size and int(rows.max()) >= cards):
        raise InputError(f"rows of {rows.shape}, expected {cards} cards below {cards} each")
    codes = np.empty(len(rows), dtype=np.uint8)
    looked_at = np.ascontiguousarray(rows[:, :10]).astype(np.int64)
    _play_rows(looked_at, tables.ranks, tables.suits, tables.holds, tables.deuces, BINOMIAL, codes)
    return codes


def count(rows: NDArray[Any], tables: Tables) -> Whole:
    """Returns how many rounds came to each code, int64[CODES]."""
    return np.bincount(play(rows, tables), minlength=CODES).astype(np.int64)


def play_rounds(words: WordSource, rounds: int, tables: Tables) -> tuple[Bytes, Whole]:
    """Returns the codes of rounds that are dealt card by card, and the words where they began.

    Args:
        words: The stream that the cards are drawn from; exactly the words of the rounds are taken.
        rounds: Rounds to play.
        tables: Strategy and deck, compiled.
    """
    pile = new_pile(len(tables.ranks))
    codes = np.empty(rounds, dtype=np.uint8)
    starts = np.empty(rounds, dtype=np.int64)
    made, waiting = 0, 1
    while made < rounds:
        window = words.window(waiting)
        before = words.drawn
        after, used = _play_words(
            pile,
            window,
            tables.ranks,
            tables.suits,
            tables.holds,
            tables.deuces,
            BINOMIAL,
            codes,
            starts,
            made,
        )
        starts[made:after] += before
        words.skip(used)
        # A round that the window broke off is begun again once more words are waiting.
        waiting = min(len(window) - used + 1, FEW_WORDS)
        made = after
    return codes, starts


def count_rounds(words: WordSource, rounds: int, tables: Tables) -> Whole:
    """Returns how many rounds, dealt card by card, came to each code, int64[CODES]."""
    codes, _ = play_rounds(words, rounds, tables)
    return np.bincount(codes, minlength=CODES).astype(np.int64)


@njit(cache=True, nogil=True)
def _write_out(
    place: NDArray[np.int32], by_class: Bytes, ranks: Whole, suits: Whole, suit_count: int, written: Bytes
) -> None:
    hand, places, keys = np.arange(5), np.empty(5, dtype=np.int64), np.empty(5, dtype=np.int64)
    masks, labels = np.zeros(suit_count, dtype=np.int64), np.zeros(suit_count, dtype=np.int64)
    for deal in range(written.size):
        hold = by_class[place[deal]]
        places[:] = hand
        arrange(places, ranks, suits, masks, labels, keys)
        bits = 0
        for at in range(5):
            if hold >> at & 1:
                for rising in range(5):
                    if hand[rising] == places[at]:
                        bits |= 1 << rising
        written[deal] = bits
        if deal + 1 < written.size:
            next_hand(hand)


@njit(cache=True, nogil=True)
def _play_rows(
    rows: Whole, ranks: Whole, suits: Whole, holds: Bytes, deuces: bool, binomial: Whole, codes: Bytes
) -> None:
    hand = np.empty(5, dtype=np.int64)
    counts = np.zeros(13, dtype=np.int64)
    for index in range(rows.shape[0]):
        hand[:] = rows[index, :5]
        sort_cards(hand)
        held = holds[number_of(hand, binomial)]
        place = 5
        for at in range(5):
            if not held >> at & 1:
                hand[at] = rows[index, place]
                place += 1
        codes[index] = _code(hand, ranks, suits, deuces, counts)


@njit(cache=True, nogil=True)
def _play_words(
    pile: Pile,
    words: NDArray[np.uint64],
    ranks: Whole,
    suits: Whole,
    holds: Bytes,
    deuces: bool,
    binomial: Whole,
    codes: Bytes,
    starts: Whole,
    made: int,
) -> tuple[int, int]:
    """Plays rounds until all are played or the words end; returns the rounds played and the words used."""
    at = 0
    hand, counts = np.empty(5, dtype=np.int64), np.zeros(13, dtype=np.int64)
    while made < codes.size:
        begun, rest, place = at, np.uint64(0), 0
        ended = False
        for slot in range(5):
            card, at, rest = draw_card(pile, words, at, rest, place)
            if card == NO_WORD:
                ended = True
                break
            hand[slot] = card
            place += 1
        if not ended:
            sort_cards(hand)
            held = holds[number_of(hand, binomial)]
            for slot in range(5):
                if held >> slot & 1:
                    continue
                card, at, rest = draw_card(pile, words, at, rest, place)
                if card == NO_WORD:
                    ended = True
                    break
                hand[slot] = card
                place += 1
        put_back(pile, place)
        if ended:
            return made, begun
        codes[made] = _code(hand, ranks, suits, deuces, counts)
        starts[made] = begun
        made += 1
    return made, at


@njit(cache=True, nogil=True)
def _code(hand: Whole, ranks: Whole, suits: Whole, deuces: bool, counts: Whole) -> int:
    """Returns the code of a final hand; counts are all nothing before and after."""
    wild, groups, suit = 0, 0, -1
    suited = True
    low, high, low_ace, high_ace = 99, -1, 99, -1
    for card in hand:
        rank = ranks[card]
        if rank < 0:
            wild += 1
            continue
        groups += counts[rank] == 0
        counts[rank] += 1
        if suit >= 0 and suits[card] != suit:
            suited = False
        suit = suits[card]
        below = -1 if rank == 12 else rank
        low, high = min(low, rank), max(high, rank)
        low_ace, high_ace = min(low_ace, below), max(high_ace, below)
    most, top, beside = 0, -1, -1
    for card in hand:
        rank = ranks[card]
        if rank >= 0 and (counts[rank] > most or (counts[rank] == most and rank > top)):
            most, top = counts[rank], rank
    for card in hand:
        if ranks[card] >= 0:
            beside = ranks[card] if ranks[card] != top else beside
            counts[ranks[card]] = 0
    if wild == 4 and deuces:
        return 61
    if most == 1 and suited and low >= 8:
        return 60 if wild else 62
    equal = most + wild
    if equal == 5:
        return 59
    runs = most == 1 and (high - low <= 4 or high_ace - low_ace <= 4)
    if runs and suited:
        return 58
    if equal == 4:
        return 19 + 3 * top + (0 if wild else 2 if beside == 12 else 1 if beside <= 2 else 0)
    if groups == 2:
        return 18
    if suited:
        return 17
    if runs:
        return 16
    if equal == 3:
        return 15
    if equal == 2:
        return 14 if groups == 3 and wild == 0 else 1 + top
    return 0
