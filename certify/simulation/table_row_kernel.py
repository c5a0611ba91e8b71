"""Compiled play-through of a table where whole rows are drawn: dice, wheels, reels, balls, several pieces, given rows.

Rounds go on wave by wave as in ``table_kernel``. Of a row that is made of words only those draws are made that a round
looks at: each is a product away from the word that gives it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from certify.simulation.table_kernel import BLOCK, OVERDRAWN, Arrows, Interned, Whole, Words, settle
from rng.kernels import multiply_high


class RowWords(NamedTuple):
    """How words become the draws of a row.

    Args:
        products: uint64[groups], product of the bounds that each word of a row gives.
        thresholds: uint64[groups], 2^64 modulo that product.
        group: int64[width], which word of the row gives each draw.
        before: uint64[width], product of the bounds of the same word before that draw, modulo 2^64.
        bounds: uint64[width], bound of each draw.
    """

    products: Words
    thresholds: Words
    group: Whole
    before: Words
    bounds: Words


class Pieces(NamedTuple):
    """The pieces of equipment.

    Args:
        first: int64[pieces], place in a row of the first draw of each.
        supply: int64[pieces], draws of each in a row.
        kept: int64[pieces], where the items of each begin that is not put back, -1 for the others.
        items: uint16[items], the items of these, in order.
    """

    first: Whole
    supply: Whole
    kept: Whole
    items: NDArray[np.uint16]


@njit(cache=True, nogil=True)
def play_row_words(
    words: Words,
    row: RowWords,
    pieces: Pieces,
    lanes: int,
    arrows: Arrows,
    codes: Interned | None,
    played: Whole,
    starts: Whole,
) -> tuple[int, int, int]:
    """Plays rounds that each have the words of a whole row, of which only those draws are made that are looked at.

    Returns:
        Rounds played, words used, and OVERDRAWN where the next round asks for more draws than its row holds.

    Source: docs/byte-consumption-rule.md, version 1, rule 5.
    """
    width = row.products.size
    at = np.empty((width, lanes), dtype=np.int64)
    decks = np.empty((lanes, pieces.items.size), dtype=np.uint16)
    drawn = np.empty((pieces.first.size, lanes), dtype=np.int64)
    state = np.empty(lanes, dtype=np.int64)
    place = np.empty(lanes, dtype=np.int64)
    live = np.empty(lanes, dtype=np.int64)
    entries, end, groups = arrows.entries, arrows.end, arrows.groups
    shift, mask = np.uint64(arrows.shift), np.uint64((1 << arrows.shift) - 1)
    # Of one piece every round draws the same draw of its row in the same wave.
    single, put_back = pieces.first.size == 1, pieces.items.size == 0
    made = used = 0
    while made < played.size:
        count, following = 0, used
        while count < lanes and made + count < played.size:
            begin = following
            complete = True
            for g in range(width):
                while following < words.size and words[following] * row.products[g] < row.thresholds[g]:
                    following += 1
                if following >= words.size:
                    complete = False
                    break
                at[g, count] = following
                following += 1
            if not complete:
                following = begin
                break
            starts[made + count] = begin
            count += 1
        if count == 0:
            break
        for i in range(count):
            state[i], place[i], live[i] = 0, arrows.begun, i
            decks[i] = pieces.items
        drawn[:] = 0
        drawing, failed, wave = count, count, 0
        while drawing and single:
            if wave == pieces.supply[0]:
                # The rounds that still draw are packed in their order.
                failed, drawing = live[0], 0
                break
            group, before, bound = row.group[wave], row.before[wave], row.bounds[wave]
            kept = 0
            for j in range(drawing):
                i = live[j]
                item = np.int64(multiply_high(words[at[group, i]] * before, bound))
                if not put_back:
                    there = wave + item
                    item = np.int64(decks[i, there])
                    decks[i, there] = decks[i, wave]
                entry = np.uint64(entries[state[i] + arrows.columns[0, item]])
                after = np.int64(entry & mask)
                state[i] = after
                place[i] = settle(place[i], np.int64(entry >> shift), groups, codes)
                live[kept] = i
                kept += 1 if after != end else 0
            drawing = kept
            wave += 1
        while drawing:
            kept = 0
            for j in range(drawing):
                i = live[j]
                piece = arrows.pieces[state[i]]
                number = drawn[piece, i]
                if number == pieces.supply[piece]:
                    failed = min(failed, i)
                    continue
                drawn[piece, i] = number + 1
                draw = pieces.first[piece] + number
                item = np.int64(
                    multiply_high(words[at[row.group[draw], i]] * row.before[draw], row.bounds[draw])
                )
                first = pieces.kept[piece]
                if first >= 0:
                    here, there = first + number, first + number + item
                    item = np.int64(decks[i, there])
                    decks[i, there] = decks[i, here]
                entry = np.uint64(entries[state[i] + arrows.columns[piece, item]])
                after = np.int64(entry & mask)
                state[i] = after
                place[i] = settle(place[i], np.int64(entry >> shift), groups, codes)
                live[kept] = i
                kept += 1 if after != end else 0
            drawing = kept
        for i in range(failed):
            played[made + i] = place[i]
        made += failed
        if failed < count:
            return made, starts[made], OVERDRAWN
        used = following
    return made, used, 0


@njit(cache=True, nogil=True)
def play_indexed(
    words: Words, product: np.uint64, threshold: np.uint64, ends: Whole, played: Whole, starts: Whole
) -> tuple[int, int, int]:
    """Plays rounds that each have one word, which is the number of one of few rows.

    Args:
        words: The words.
        product: Number of rows.
        threshold: 2^64 modulo that number.
        ends: int64[rows], the place that each row comes to.
        played: Overwritten with the places of the joint outcomes.
        starts: Overwritten with the words where the rounds began.

    Returns:
        Rounds played, words used, and 0.

    Source: docs/byte-consumption-rule.md, version 1, rule 3.
    """
    made = used = 0
    while made < played.size and used < words.size:
        word = words[used]
        if word * product >= threshold:
            played[made] = ends[np.int64(multiply_high(word, product))]
            starts[made] = used
            made += 1
        used += 1
    return made, used, 0


@njit(cache=True, nogil=True)
def play_rows(
    rows: NDArray[Any], pieces: Pieces, arrows: Arrows, codes: Interned | None, played: Whole
) -> int:
    """Plays rows of draws.

    Returns:
        The first round that asks for more draws than its row holds; -1 where there is none.
    """
    state = np.empty(BLOCK, dtype=np.int64)
    place = np.empty(BLOCK, dtype=np.int64)
    live = np.empty(BLOCK, dtype=np.int64)
    drawn = np.empty((pieces.first.size, BLOCK), dtype=np.int64)
    entries, end, groups = arrows.entries, arrows.end, arrows.groups
    shift, mask = np.uint64(arrows.shift), np.uint64((1 << arrows.shift) - 1)
    for begin in range(0, rows.shape[0], BLOCK):
        count = min(BLOCK, rows.shape[0] - begin)
        for i in range(count):
            state[i], place[i], live[i] = 0, arrows.begun, i
        drawn[:] = 0
        drawing = count
        while drawing:
            kept = 0
            for j in range(drawing):
                i = live[j]
                piece = arrows.pieces[state[i]]
                number = drawn[piece, i]
                if number == pieces.supply[piece]:
                    return int(begin + i)
                drawn[piece, i] = number + 1
                item = rows[begin + i, pieces.first[piece] + number]
                entry = np.uint64(entries[state[i] + arrows.columns[piece, item]])
                after = np.int64(entry & mask)
                state[i] = after
                place[i] = settle(place[i], np.int64(entry >> shift), groups, codes)
                live[kept] = i
                kept += 1 if after != end else 0
            drawing = kept
        for i in range(count):
            played[begin + i] = place[i]
    return -1
