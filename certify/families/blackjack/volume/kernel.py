"""Compiled play-through of blackjack, round by round, card by card; its readable twin is ``twin``.

A round is a loop over the hands of the player and then over the cards of the dealer. What a strategy decides is looked
up by the number of the hand; how a round ended is one key: row, stakes and net result, and the ends of the side bets.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from certify.families.blackjack.rules import Taken
from certify.families.blackjack.volume.rulebook import (
    BUST,
    CHARLIE,
    DOUBLE,
    GIVEN_UP,
    HALVED,
    HIT,
    LIVE,
    LOST,
    NATURAL,
    PAID,
    PUSHED,
    SEVENS,
    SPLIT,
    SUITED_NATURAL,
    SUITED_SEVENS,
    SURRENDER,
    WON,
)
from certify.families.blackjack.volume.tables import (
    ACES,
    BUST_STATE,
    CHARLIES,
    DRAWS_ACES,
    EMPTY_STATE,
    EQUAL_TENS,
    HAS_SEVENS,
    HAS_SUITED_NATURAL,
    HAS_SUITED_SEVENS,
    HITS_SOFT,
    HOLE,
    INSURANCE,
    INSURED,
    LAST_PAIR,
    LOW,
    OF_SPLIT,
    OTHER_TENS,
    RESCUES,
    SIDES,
    SPLIT_PAIR,
    SPLITS,
    STAKES,
    SUPPLY,
    TAKEN,
    TAKES,
    UNIT,
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

_ACE, _SEVEN, _TEN = 0, 6, 9
_ALL, _BUSTED, _EACH = (
    TAKEN[one] for one in (Taken.ALL, Taken.ORIGINAL_AND_BUSTED, Taken.ORIGINAL_AND_SPLIT)
)
_HOW, _STAKE, _TOTAL, _ROW = range(4)
_MOST_HANDS: Final = 8


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


@called_by_kernels
def _pair(value: int, other: int, rank: int, last: int, equal_tens: bool, other_tens: bool) -> Any:
    """Tells whether two cards may be split by their values and ranks."""
    return value == other and (value != _TEN or other_tens or (equal_tens and rank == last))


@called_by_kernels
def _at_once(
    cards: int, sevens: bool, suited: bool, charlies: int, has_sevens: bool, has_suited: bool
) -> Any:
    """Returns the row of a hand that wins whatever the dealer has, a lost one for all others."""
    if sevens and cards == 3:
        if suited and has_suited:
            return SUITED_SEVENS
        if has_sevens:
            return SEVENS
    return CHARLIE if 0 < charlies <= cards else LOST


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
    value, rank, suit, follow, total, held = (
        tables.value,
        tables.rank,
        tables.suit,
        tables.follow,
        tables.total,
        tables.cards,
    )
    action, locked, rescued, numbers = tables.action, tables.locked, tables.rescued, tables.numbers
    insures, surrenders, early_open, looks = tables.insured, tables.early, tables.early_open, tables.looks
    halves, sides, pays = tables.halves, tables.sides, tables.pays
    takes = numbers[TAKES]
    supply, unit, hole_dealt, aces, splits = (
        numbers[SUPPLY],
        numbers[UNIT],
        numbers[HOLE] != 0,
        numbers[ACES],
        numbers[SPLITS],
    )
    equal_tens, other_tens = numbers[EQUAL_TENS] != 0, numbers[OTHER_TENS] != 0
    hits_soft, draws_aces, rescues = (
        numbers[HITS_SOFT] != 0,
        numbers[DRAWS_ACES] != 0,
        numbers[RESCUES] != 0,
    )
    ends, products, thresholds = deck.ends, deck.products, deck.thresholds
    places, left_there, size = deck.places, deck.left, len(deck.products)
    high, low_half = deck.high, deck.low
    charlies, has_sevens, has_suited = (
        numbers[CHARLIES],
        numbers[HAS_SEVENS] != 0,
        numbers[HAS_SUITED_SEVENS] != 0,
    )
    lazy = rows.size == 0
    buffer = np.zeros(max(size, supply), dtype=np.int64)
    hands, waiting = np.zeros((4, _MOST_HANDS), dtype=np.int64), np.zeros(_MOST_HANDS, dtype=np.int64)
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
        low, ace, natural = up + 1, up == _ACE, False
        if hole_dealt:
            hole = np.int64(value[buffer[3]])
            place = 4
            natural = (up == _ACE and hole == _TEN) or (up == _TEN and hole == _ACE)
            low, ace = low + hole + 1, ace or hole == _ACE
        state = np.int64(follow[10 * np.int64(follow[begun + value[first]]) + value[second]])
        pair = _pair(value[first], value[second], rank[first], rank[second], equal_tens, other_tens)
        twin_place = 1 if pair else 0
        insured = numbers[INSURANCE] != 0 and up == _ACE and insures[twin_place, state] != 0
        own_natural = total[state] == 21
        early = early_open[up] != 0 and not own_natural and surrenders[twin_place, up, state] != 0
        seen = natural and looks[up] != 0
        count = 0
        if own_natural or seen or early:
            suited = numbers[HAS_SUITED_NATURAL] != 0 and suit[first] == suit[second]
            hands[_HOW, 0], hands[_STAKE, 0] = GIVEN_UP if early else LIVE, 1
            hands[_TOTAL, 0], hands[_ROW, 0] = total[state], LOST
            if own_natural:
                hands[_ROW, 0] = SUITED_NATURAL if suited else NATURAL
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
                pair = _pair(card, value[other], rank[one], rank[other], equal_tens, other_tens)
                more = count + 1 + left < (aces if card == _ACE else splits)
                sevens = card == _SEVEN and value[other] == _SEVEN and not split
                suited = suit[one] == suit[other]
                stake, how, row = 1, LIVE, LOST
                parted = False
                context = OF_SPLIT if split else UNSPLIT
                if pair:
                    context = UNSPLIT_PAIR if not split else (SPLIT_PAIR if more else LAST_PAIR)
                playing = True
                if split and card == _ACE and not draws_aces:
                    parted = pair and more and locked[up] == SPLIT
                    playing = False
                while playing and total[state] < 21:
                    code = action[context, up, state]
                    if code not in (HIT, DOUBLE):
                        parted = code == SPLIT
                        how = GIVEN_UP if code == SURRENDER else LIVE
                        break
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
                    sevens = sevens and value[item] == _SEVEN
                    suited = suited and suit[item] == suit[one]
                    state = np.int64(follow[10 * state + value[item]])
                    context = OF_SPLIT if split else UNSPLIT
                    if code == DOUBLE:
                        stake, playing = 2, False
                    if state == BUST_STATE:
                        how, playing = BUST, False
                    else:
                        row = _at_once(held[state], sevens, suited, charlies, has_sevens, has_suited)
                        if row != LOST:
                            how, playing = PAID, False
                        elif stake == 2 and rescues and rescued[1 if split else 0, up, state] != 0:
                            how = GIVEN_UP
                if parted:
                    split = True
                    waiting[left] = other
                    left += 1
                else:
                    hands[_HOW, count], hands[_STAKE, count] = how, stake
                    hands[_TOTAL, count], hands[_ROW, count] = total[state], row
                    count += 1
        live = False
        for number in range(count):
            live = live or hands[_HOW, number] == LIVE
        live = live and not own_natural
        if not hole_dealt and (live or up in (_ACE, _TEN)):
            if place == dealt:
                if place >= supply:
                    return made, at, OVERDRAWN
                dealt = ends[place]
                after = _word(words, after, products[place], thresholds[place])
                if after == BROKEN:
                    return made, at, BROKEN
                _group(words[after - 1], size, place, dealt, places, left_there, high, low_half, buffer)
            hole = np.int64(value[buffer[place]])
            place += 1
            natural = (up == _ACE and hole == _TEN) or (up == _TEN and hole == _ACE)
            low, ace = low + hole + 1, ace or hole == _ACE
        bank = low + 10 if ace and low <= 11 else low
        if live and not natural:
            while bank < 17 or (bank == 17 and low == 7 and hits_soft):
                if place == dealt:
                    if place >= supply:
                        return made, at, OVERDRAWN
                    dealt = ends[place]
                    after = _word(words, after, products[place], thresholds[place])
                    if after == BROKEN:
                        return made, at, BROKEN
                    _group(words[after - 1], size, place, dealt, places, left_there, high, low_half, buffer)
                drawn = np.int64(value[buffer[place]])
                place += 1
                low, ace = low + drawn + 1, ace or drawn == _ACE
                bank = low + 10 if ace and low <= 11 else low
        net, staked = _net(
            hands, count, int(bank), natural, natural and not seen, halves[up] != 0, pays, unit, takes
        )
        row = _row(hands[_HOW, 0], hands[_STAKE, 0], hands[_ROW, 0], net, unit, natural)
        staked *= 2
        if insured:
            net += numbers[INSURED] if natural else -(unit // 2)
            staked += 1
        if insured or count > 1:
            row = WON if net > 0 else LOST if net < 0 else PUSHED
        key = (row * STAKES + staked) * numbers[WIDTH] + net - numbers[LOW]
        if numbers[SIDES] > 1:
            cell = 4 * np.int64(rank[first]) + suit[first]
            cell = 52 * cell + 4 * np.int64(rank[second]) + suit[second]
            cell = 52 * cell + 4 * np.int64(rank[open_card]) + suit[open_card]
            key = key * numbers[SIDES] + sides[1 if natural else 0, cell]
        keys[made], starts[made] = key, at
        at = after
    return keys.size, at, 0


@called_by_kernels
def _row(how: Any, stake: Any, row: Any, net: int, unit: int, natural: bool) -> Any:
    """Returns the row of a round of one hand."""
    if how == PAID or (row != LOST and not natural):
        return row
    if how == GIVEN_UP and stake == 1 and 2 * net == -unit:
        return HALVED
    return WON if net > 0 else LOST if net < 0 else PUSHED


@called_by_kernels
def _net(
    hands: Whole,
    count: int,
    bank: int,
    natural: bool,
    late: bool,
    half: bool,
    pays: Whole,
    unit: int,
    takes: int,
) -> tuple[int, int]:
    """Returns the net result of all hands in parts of a unit, and the units staked."""
    net, staked, left = 0, 0, 0
    for place in range(count):
        how, stake, row = hands[_HOW, place], hands[_STAKE, place], hands[_ROW, place]
        staked += stake
        if how == PAID:
            net += pays[row] * stake
        elif how == GIVEN_UP and (stake == 2 or half or not late):
            net -= stake * unit // 2
        elif row != LOST:
            net += pays[PUSHED] if natural else pays[row]
        elif late and takes != _ALL and not (takes == _BUSTED and how == BUST):
            left += 1
        elif late or how == BUST or natural or (bank <= 21 and bank > hands[_TOTAL, place]):
            net -= stake * unit
        else:
            net += pays[PUSHED if bank == hands[_TOTAL, place] else WON] * stake
    if takes == _EACH:
        net -= left * unit
    elif left > 0:
        net -= unit
    return net, staked


@njit(cache=True, nogil=True)
def tally(keys: Whole, counts: Whole) -> None:
    """Adds how often each key came."""
    for place in range(keys.size):
        counts[keys[place]] += 1
