"""Compiled play-through of blackjack, round by round, card by card; its readable twin is the reference round.

A round is a loop over the hands of the player and then over the cards of the dealer. What is decided, how a hand stands
after a card, whether the dealer draws and what hands net is looked up in tables made from the reference round; how a
round ended is one key: row, stakes and net result, and the ends of the side bets.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from certify.families.blackjack.volume.settlement import BUST, DEALER_NATURAL, GIVEN_UP
from certify.families.blackjack.volume.tables import (
    ASKS,
    BUSTS,
    DOUBLE,
    EMPTY_STATE,
    HIT,
    HOLE,
    LAST_PAIR,
    LOW,
    OF_SPLIT,
    PLAYS,
    SIDES,
    SPLIT,
    SPLIT_PAIR,
    STAKES,
    STANDS,
    SUPPLY,
    SURRENDER,
    UNSPLIT,
    UNSPLIT_PAIR,
    WIDTH,
    Tables,
)
from rng.kernels import called_by_kernels
from rng.lazy_kernels import deal_lane, new_pile
from rng.shuffle import bound_groups

OVERDRAWN: Final = -2
"""In place of a key: a round asks for more cards than there are."""

BROKEN: Final = -1
"""In place of a key: the words have ended, and the round has to begin again with more of them."""

_MOST_HANDS: Final = 8
_LIVE: Final = 22
"""Ends below this are totals, held against the dealer's."""


Whole = NDArray[np.int64]
Words = NDArray[np.uint64]


class Dealing(NamedTuple):
    """Where the words of a deck are taken, and room for the deck of one round.

    Args:
        ends: int64[cards], at a place where a word is taken the place after the last card that it gives.
        products: uint64[cards], at a place where a word is taken the product of the bounds drawn from it, else 0.
        thresholds: uint64[cards], 2^64 modulo that product.
        places: uint16[cards, 1], with which place each place was exchanged.
        left: uint16[cards, 1], the card that was put there instead.
        high: uint32[1], upper half of what is left of the word.
        low: uint32[1], lower half.
    """

    ends: Whole
    products: NDArray[np.uint64]
    thresholds: NDArray[np.uint64]
    places: NDArray[np.uint16]
    left: NDArray[np.uint16]
    high: NDArray[np.uint32]
    low: NDArray[np.uint32]


def dealing(cards: int) -> Dealing:
    """Returns how a deck is dealt; room of its own for one loop."""
    pile = new_pile(cards)
    ends, place = np.zeros(cards, dtype=np.int64), 0
    for group in bound_groups(cards):
        ends[place] = place + len(group)
        place += len(group)
    # The last card has no choice left: it comes with the one before it.
    ends[place - len(group)] = cards
    places, left = (np.zeros((cards, 1), dtype=np.uint16) for _ in range(2))
    high, low = (np.zeros(1, dtype=np.uint32) for _ in range(2))
    return Dealing(ends, pile.products, pile.thresholds, places, left, high, low)


@called_by_kernels
def _word(words: Words, at: int, product: int, threshold: int) -> int:
    """Returns where the word after the next accepted one is, BROKEN where the words end before."""
    while at < words.size:
        at += 1
        if words[at - 1] * product >= threshold:
            return at
    return BROKEN


@called_by_kernels
def _group(
    word: int,
    size: int,
    place: int,
    end: int,
    places: NDArray[np.uint16],
    left: NDArray[np.uint16],
    high: NDArray[np.uint32],
    low: NDArray[np.uint32],
    buffer: Whole,
) -> None:
    """Deals the cards that one word gives."""
    high[0], low[0] = np.uint32(word >> np.uint64(32)), np.uint32(word)
    for card in range(place, end):
        buffer[card] = deal_lane(size, card, 0, places, left, high, low)


@njit(cache=True, nogil=True)
def play(
    tables: Tables, rows: Whole, deck: Dealing, words: Words, keys: Whole, starts: Whole
) -> tuple[int, int, int]:
    """Plays rounds until all are played or the words end.

    Args:
        tables: Game and strategy, compiled.
        rows: int64[rounds, cards], items in dealing order; empty where cards are drawn from words.
        deck: How the shoe is dealt.
        words: The words.
        keys: Overwritten with how the rounds ended.
        starts: Overwritten with the words where they began.

    Returns:
        Rounds played, words used, and OVERDRAWN where the next round asks for more cards than there are.

    Source: docs/byte-consumption-rule.md, version 1, rule 6.
    """
    # Taken out of the tuple once: each look into it would count a reference.
    value, rank, suit, follow, total = tables.value, tables.rank, tables.suit, tables.follow, tables.total
    pairs, most, first_two, dealt_two, action = (
        tables.pairs,
        tables.most,
        tables.first,
        tables.dealt,
        tables.action,
    )
    after_card, insures, surrenders, rescued, looks = (
        tables.after,
        tables.insured,
        tables.early,
        tables.rescued,
        tables.looks,
    )
    draws, bank_ends, sides, nets, insurance = (
        tables.draws,
        tables.ends,
        tables.sides,
        tables.nets,
        tables.insurance,
    )
    numbers = tables.numbers
    supply, hole_dealt = numbers[SUPPLY], numbers[HOLE] != 0
    ends, products, thresholds = deck.ends, deck.products, deck.thresholds
    places, left_there, size = deck.places, deck.left, len(deck.products)
    high, low_half = deck.high, deck.low
    lazy = rows.size == 0
    buffer = np.zeros(max(size, supply), dtype=np.int64)
    hands, waiting = np.zeros(_MOST_HANDS, dtype=np.int64), np.zeros(_MOST_HANDS, dtype=np.int64)
    begun = 10 * EMPTY_STATE
    at = 0
    for made in range(keys.size):
        after, dealt = at, supply
        if lazy:
            dealt = ends[0]
            after = _word(words, at, products[0], thresholds[0])
            if after == BROKEN:
                return made, at, BROKEN
            _group(words[after - 1], size, 0, dealt, places, left_there, high, low_half, buffer)
        else:
            for place in range(supply):
                buffer[place] = rows[made, place]
        # The first word gives these in any case.
        first, open_card, second, place = buffer[0], buffer[1], buffer[2], 3
        up = np.int64(value[open_card])
        bank = np.int64(follow[begun + up])
        if hole_dealt:
            bank = np.int64(follow[10 * bank + value[buffer[3]]])
            place = 4
        state = np.int64(follow[10 * np.int64(follow[begun + value[first]]) + value[second]])
        pair = pairs[rank[first], rank[second]] != 0
        twin_place = 1 if pair else 0
        insured = up == 0 and insures[twin_place, state] != 0
        own_natural = np.int64(first_two[1 if suit[first] == suit[second] else 0, state])
        early = own_natural == 0 and surrenders[twin_place, up, state] != 0
        seen = looks[up] != 0 and bank_ends[bank] == DEALER_NATURAL
        count = 0
        if own_natural != 0 or seen or early:
            hands[0] = 2 * (own_natural if own_natural != 0 else GIVEN_UP if early else total[state])
            count = 1
        split, left = False, 0 if count else 1
        waiting[0] = first
        other = second
        while left > 0:
            left -= 1
            one = waiting[left]
            parted = True
            while parted:
                # A hand of one card: the second comes, or is the one that was dealt.
                if split:
                    if place == dealt:
                        if place >= supply:
                            return made, at, OVERDRAWN
                        dealt = ends[place]
                        after = _word(words, after, products[place], thresholds[place])
                        if after == BROKEN:
                            return made, at, BROKEN
                        _group(
                            words[after - 1], size, place, dealt, places, left_there, high, low_half, buffer
                        )
                    other = buffer[place]
                    place += 1
                card = value[one]
                state = np.int64(follow[10 * np.int64(follow[begun + card]) + value[other]])
                pair = pairs[rank[one], rank[other]] != 0
                more = count + 1 + left < most[card]
                suited = suit[one] == suit[other]
                context = OF_SPLIT if split else UNSPLIT
                if pair:
                    context = UNSPLIT_PAIR if not split else (SPLIT_PAIR if more else LAST_PAIR)
                code: Any = np.int64(dealt_two[context, up, card, value[other]])
                stands: Any = STANDS
                stake = 1
                whose = 1 if split else 0
                while code in (HIT, DOUBLE):
                    if place == dealt:
                        if place >= supply:
                            return made, at, OVERDRAWN
                        dealt = ends[place]
                        after = _word(words, after, products[place], thresholds[place])
                        if after == BROKEN:
                            return made, at, BROKEN
                        _group(
                            words[after - 1], size, place, dealt, places, left_there, high, low_half, buffer
                        )
                    item = buffer[place]
                    place += 1
                    suited = suited and suit[item] == suit[one]
                    state = np.int64(follow[10 * state + value[item]])
                    doubled = code == DOUBLE
                    stake = 2 if doubled else 1
                    stands = np.int64(after_card[whose, stake - 1, 1 if suited else 0, state])
                    code = np.int64(action[whose, up, state]) if stands == PLAYS else -1
                parted = code == SPLIT
                if parted:
                    split = True
                    waiting[left] = other
                    left += 1
                else:
                    end: Any = np.int64(total[state])
                    if stands == BUSTS:
                        end = BUST
                    elif stands > ASKS:
                        end = stands
                    elif code == SURRENDER or (stands == ASKS and rescued[whose, up, state] != 0):
                        end = GIVEN_UP
                    hands[count] = 2 * end + stake - 1
                    count += 1
        live = 0
        if own_natural == 0:
            for number in range(count):
                if hands[number] < 2 * _LIVE:
                    live = 1
        # A natural that was seen ends the round; under draws it stands at 21 in any case.
        while draws[live, bank] != 0:
            if place == dealt:
                if place >= supply:
                    return made, at, OVERDRAWN
                dealt = ends[place]
                after = _word(words, after, products[place], thresholds[place])
                if after == BROKEN:
                    return made, at, BROKEN
                _group(words[after - 1], size, place, dealt, places, left_there, high, low_half, buffer)
            bank = np.int64(follow[10 * bank + value[buffer[place]]])
            place += 1
        end = np.int64(bank_ends[bank])
        natural = 1 if end == DEALER_NATURAL else 0
        net, staked, once, row = 0, 0, 0, 0
        for number in range(count):
            code = hands[number]
            net += nets[0, up, end, code]
            if nets[1, up, end, code] != 0:
                # Lost once, however many hands there are.
                net -= once
                once = nets[1, up, end, code]
            staked += 2 * (code % 2 + 1)
        if insured:
            net += insurance[natural]
            staked += 1
        elif count == 1:
            row = nets[2, up, end, hands[0]]
        key = (row * STAKES + staked) * numbers[WIDTH] + net - numbers[LOW]
        if numbers[SIDES] > 1:
            cell = 4 * np.int64(rank[first]) + suit[first]
            cell = 52 * cell + 4 * np.int64(rank[second]) + suit[second]
            cell = 52 * cell + 4 * np.int64(rank[open_card]) + suit[open_card]
            key = key * numbers[SIDES] + sides[natural, cell]
        keys[made], starts[made] = key, at
        at = after
    return keys.size, at, 0


@njit(cache=True, nogil=True)
def tally(keys: Whole, counts: Whole) -> None:
    """Adds how often each key came."""
    for place in range(keys.size):
        counts[keys[place]] += 1
