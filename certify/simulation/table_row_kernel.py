"""Compiled play-through of a table where whole rows are drawn: dice, wheels, reels, balls, several pieces, given rows.

Rounds go on wave by wave as in ``table_kernel``. Of a row that is made of words only those draws are made that a round
looks at: each is a product away from the word that gives it.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from certify.kernels import njit
from certify.simulation.table_arrays import Arrows
from certify.simulation.table_kernel import OVERDRAWN, Interned, Whole, Words, settle
from rng.kernels import called_by_kernels, multiply_high


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


@called_by_kernels
def _item(
    words: Words,
    at: Whole,
    row: RowWords,
    pieces: Pieces,
    decks: NDArray[np.uint16],
    rows: NDArray[Any],
    lane: int,
    made: int,
    piece: int,
    number: int,
) -> Any:
    """Returns the next item of a piece: given, or drawn by the words of the row."""
    draw = pieces.first[piece] + number
    if rows.size:
        return np.int64(rows[made + lane, draw])
    item = np.int64(multiply_high(words[at[row.group[draw], lane]] * row.before[draw], row.bounds[draw]))
    first = pieces.kept[piece]
    if first >= 0:
        here, there = first + number, first + number + item
        item = np.int64(decks[lane, there])
        decks[lane, there] = decks[lane, here]
    return item


@njit(cache=True, nogil=True)
def play_row_words(
    words: Words,
    row: RowWords,
    pieces: Pieces,
    lanes: int,
    arrows: Arrows,
    codes: Interned | None,
    rows: NDArray[Any],
    played: Whole,
    starts: Whole,
) -> tuple[int, int, int]:
    """Plays rounds that each have the words of a whole row, of which only those draws are made that are looked at.

    Where rows of items are given, there are no words, and no products by which they would be taken.

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
            if rows.size == 0:
                decks[i] = pieces.items
        drawn[:] = 0
        drawing = failed = count
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
                item = _item(words, at, row, pieces, decks, rows, i, made, piece, number)
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
