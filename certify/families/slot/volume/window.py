"""Compiled windows of a slot: how reels stop, and what a window wins and starts."""

from typing import Any

import numpy as np

from certify.families.slot.volume.layout import Room, RowLayout, SlotProgram, Whole, Words
from certify.kernels import njit
from rng.kernels import called_by_kernels, multiply_high

NO_WORD = -1
"""In place of where the next word is: the words have ended."""

OVERDRAWN = -2
"""In place of it: a round asks for more draws than a row holds."""

FROM_LEFT, FROM_RIGHT, ON_THE_LINE, NEIGHBOURS, PATTERN = 0, 1, 2, 3, 4
SYMBOLS, REELS, RUN = 0, 1, 2
LEFT, MIDDLE, ANYWHERE = 0, 1, 2
BEST, EACH_END, UNLESS_WHOLE, ALL = 0, 1, 2, 3
ONCE, MULTIPLY, ADD = 0, 1, 2
"""Words of the rules by their places: see ``number_of``."""


# --- draws ---


@njit(cache=True, nogil=True)
def row_from(words: Words, at: int, draws: RowLayout, groups: int, most: int, row: Whole) -> int:
    """Fills so many draws of a row from the words at a place; returns where the next word is."""
    column = 0
    for group in range(groups):
        rest = np.uint64(0)
        accepted = False
        while not accepted:
            if at >= words.size:
                return NO_WORD
            rest = words[at]
            at += 1
            accepted = rest * draws.products[group] >= draws.thresholds[group]
        for _ in range(min(draws.sizes[group], most - column)):
            bound = draws.bounds[column]
            row[column] = np.int64(multiply_high(rest, bound))
            rest *= bound
            column += 1
    return at


@njit(cache=True, nogil=True)
def face_of(piece: int, draws: RowLayout, room: Room) -> int:
    """Takes the next draw of a piece; where the row holds no more, the first face, and the round is no round."""
    taken = room.used[piece]
    if taken >= draws.supply[piece]:
        room.used[-1] = OVERDRAWN
        return 0
    room.used[piece] = taken + 1
    item = room.row[draws.starts[piece] + taken]
    return int(draws.shows[draws.shown_at[piece] + item])


@njit(cache=True, nogil=True)
def stop_reels(stage: int, held: int, draws: RowLayout, slot: SlotProgram, room: Room) -> None:
    """Stops the reels, those that are held covered by their symbol."""
    for reel in range(slot.lines.shape[1]):
        face = 0
        if held >> reel & 1:
            for row in range(room.heights[reel]):
                room.stopped[reel, row] = room.window[reel, row] = slot.holds[stage, reel]
            continue
        if slot.pieces[stage, reel, 1] >= 0:
            face = face_of(slot.pieces[stage, reel, 1], draws, room)
        room.heights[reel] = slot.heights[stage, reel, face]
        for row in range(room.heights[reel]):
            if row == 0 or slot.cells[stage]:
                face = face_of(slot.pieces[stage, reel, 0], draws, room)
            else:
                face = (face + 1) % slot.sizes[stage, reel]
            if row == 0:
                room.tops[reel] = face
            room.stopped[reel, row] = slot.strip[stage, reel, face]
        cover(stage, reel, draws, slot, room)


@called_by_kernels
def _shows(reel: int, symbol: int, room: Room) -> bool:
    """Returns whether a reel stopped at a symbol."""
    shown = False
    for row in range(room.heights[reel]):
        shown |= room.stopped[reel, row] == symbol
    return shown


@njit(cache=True, nogil=True)
def cover(stage: int, reel: int, draws: RowLayout, slot: SlotProgram, room: Room) -> None:
    """Shows what a reel stopped at, wilds expanded and with their factors."""
    for row in range(room.heights[reel]):
        room.window[reel, row] = room.stopped[reel, row]
    cover = -1
    for wild in range(slot.wilds.shape[1]):
        if cover < 0 and slot.wilds[stage, wild, 2] and _shows(reel, slot.wilds[stage, wild, 0], room):
            cover = wild
    for wild in range(slot.wilds.shape[1]):
        symbol, piece, face = slot.wilds[stage, wild, 0], slot.wilds[stage, wild, 1], 0
        if cover not in (-1, wild) or not _shows(reel, symbol, room):
            continue
        if piece >= 0:
            face = face_of(piece, draws, room)
        for row in range(room.heights[reel]):
            if cover == wild or room.stopped[reel, row] == symbol:
                room.window[reel, row] = slot.wild_kinds[stage, wild, face]


# --- what a window wins ---


@njit(cache=True, nogil=True)
def count_win(hit: int, times: int, units: int, room: Room) -> None:
    """Counts a win so many times."""
    room.hits[hit, 0] += times
    room.hits[hit, 1] += times * units


@called_by_kernels
def _run(row: int, first: int, stage: int, slot: SlotProgram, room: Room) -> tuple[int, int, int]:
    """Returns how many a line shows for a row, counted from a reel, on how many reels, and what wilds multiply it by.

    The multiplier is nothing where wilds alone do not win.
    """
    how, count, reels, own, times = slot.rows[row, 0], 0, 0, slot.alone[stage], 0
    reel, step = first, -1 if how == FROM_RIGHT else 1
    while 0 <= reel < room.line.size:
        role = slot.roles[row, reel, room.line[reel]]
        if role == 0 and how != ON_THE_LINE and not slot.free[row, reel]:
            break
        if role > 0:
            count += role
            own = 1
        elif role < 0:
            count += 1
            if role < -1 and slot.together[stage] == ONCE:
                times = max(times, -role)
            elif role < -1:
                times = times - role if slot.together[stage] == ADD else max(times, 1) * -role
        if role or slot.free[row, reel]:
            reels += 1
        reel += step
    return count, reels, max(times, 1) if own else 0


@called_by_kernels
def _paid(row: int, stage: int, slot: SlotProgram, room: Room) -> tuple[int, int, int]:
    """Returns the units of a line by one row, or the starts of its feature; their place, and on how many reels."""
    how, at, most = slot.rows[row, 0], slot.rows[row, 2], slot.rows[row, 3]
    reels = room.line.size
    best, place, length = 0, 0, 0
    for first in range(reels if how == NEIGHBOURS else 1):
        count, long, times = _run(row, reels - 1 if how == FROM_RIGHT else first, stage, slot, room)
        if how == PATTERN:
            count = long
        if slot.rows[row, 1] >= 0:
            count, times = min(count, most), 1
        # A run over all reels is one win, counted from the left.
        whole = how == FROM_RIGHT and slot.both and long == reels
        if 0 < count <= most and not whole and slot.values[at + count - 1] * times > best:
            best, place, length = slot.values[at + count - 1] * times, count - 1, long
    return best, place, length


@njit(cache=True, nogil=True)
def line_units(stage: int, times: int, slot: SlotProgram, room: Room) -> tuple[int, int]:
    """Returns the units of one line, and the reels on which it wins; counts its wins and adds its starts."""
    units, reach = 0, 0
    for end in range(2):
        room.best[end, 0] = 0
    for row in range(slot.rows_at[stage, 0], slot.rows_at[stage, 1]):
        won, place, reels = _paid(row, stage, slot, room)
        feature, hit = slot.rows[row, 1], slot.rows[row, 4] + place
        end = 1 if slot.paid in (EACH_END, UNLESS_WHOLE) and slot.rows[row, 0] == FROM_RIGHT else 0
        if feature >= 0:
            room.starts[feature] += won
        elif won > 0 and slot.paid == ALL:
            units += won
            reach = max(reach, reels)
            count_win(hit, times, won, room)
        elif won > room.best[end, 0]:
            room.best[end, 0], room.best[end, 1], room.best[end, 2] = won, hit, reels
    whole = room.best[0, 0] > 0 and room.best[0, 2] == room.line.size
    for end in range(1 if whole and slot.paid == UNLESS_WHOLE else 2):
        if room.best[end, 0] > 0:
            units += room.best[end, 0]
            reach = max(reach, room.best[end, 2])
            count_win(room.best[end, 1], times, room.best[end, 0], room)
    return units, reach


@called_by_kernels
def _lines(stage: int, times: int, slot: SlotProgram, room: Room) -> int:
    """Returns the units of all lines, and adds their starts."""
    units, reels, falls = 0, slot.lines.shape[1], slot.falls[stage, 1]
    for line in range(slot.lines.shape[0]):
        number = slot.lines_at[stage, 0]
        for reel in range(reels):
            number += slot.places[stage, reel, room.window[reel, slot.lines[line, reel]]]
        won = slot.wins[number]
        if won > 0 and not falls:
            room.seen[number] += times
        elif won != 0:
            for reel in range(reels):
                room.line[reel] = room.window[reel, slot.lines[line, reel]]
            won, reach = line_units(stage, times, slot, room)
            for reel in range(reach):
                room.struck[reel] |= 1 << slot.lines[line, reel]
        units += won
    return units


@njit(cache=True, nogil=True)
def symbols_on(row: int, reel: int, slot: SlotProgram, room: Room) -> tuple[int, int]:
    """Returns how many symbols of a row a reel shows, and how many wilds by what they multiply."""
    own, standing = 0, 0
    for cell in range(room.heights[reel]):
        role = slot.roles[row, reel, room.window[reel, cell]]
        own += max(role, 0)
        standing -= min(role, 0)
    return own, standing


@njit(cache=True, nogil=True, inline="always")
def units_of_ways(
    row: int, length: int, ways: Any, wild: Any, stage: int, times: int, slot: SlotProgram, room: Room
) -> Any:
    """Returns the units of the ways of a row over so many reels, and counts them; those of wilds alone may not win."""
    won: Any = ways if slot.alone[stage] else ways - wild
    each: Any = np.int64(0)
    if 0 < length <= slot.rows[row, 3]:
        each = slot.values[slot.rows[row, 2] + length - 1]
    if won * each > 0:
        count_win(slot.rows[row, 4] + length - 1, times * won, each, room)
    return won * each


@called_by_kernels
def _ways(stage: int, times: int, slot: SlotProgram, room: Room) -> int:
    """Returns the units of all ways."""
    units, reels = 0, slot.lines.shape[1]
    for row in range(slot.rows_at[stage, 0], slot.rows_at[stage, 1]):
        ways, wild, length, shown = 1, 1, 0, 1
        while shown and length < reels:
            own, standing = symbols_on(row, length, slot, room)
            shown = own + standing
            if shown:
                ways, wild, length = ways * shown, wild * standing, length + 1
        won = units_of_ways(row, length, ways, wild, stage, times, slot, room)
        units += won
        for reel in range(length if won > 0 else 0):
            for cell in range(room.heights[reel]):
                if slot.roles[row, reel, room.window[reel, cell]]:
                    room.struck[reel] |= 1 << cell
    return units


@njit(cache=True, nogil=True)
def plain_ways(may: np.uint64, times: int, slot: SlotProgram, room: Room) -> int:
    """Returns the units of all ways of a paid spin that takes nothing but stops, by what its stops add.

    Of rows whose bit is not set the first reels show too few.
    """
    units, reels = 0, slot.lines.shape[1]
    for row in range(slot.rows_at[0, 0], slot.rows_at[0, 1]):
        ways, wild, length = 1, 1, 0
        wins = (may >> np.uint64(row & 63)) & np.uint64(1)
        while wins and length < reels and slot.adds[room.tops[length], row] > 0:
            shown: Any = np.int64(slot.adds[room.tops[length], row])
            ways, wild, length = ways * ((shown >> 16) + (shown & 0xFFFF)), wild * (shown >> 16), length + 1
        units += units_of_ways(row, length, ways, wild, 0, times, slot, room)
    return units


@called_by_kernels
def _fills(stage: int, symbol: int, reel: int, slot: SlotProgram, room: Room) -> bool:
    """Returns whether a reel is full of a symbol."""
    full = True
    for row in range(room.heights[reel]):
        full &= slot.fills[stage, symbol, room.window[reel, row]] > 0
    return full


@called_by_kernels
def _full(stage: int, slot: SlotProgram, room: Room) -> int:
    """Returns what reels full of one symbol multiply the lines of a window by."""
    how, at, most = slot.full[stage, 0], slot.full[stage, 1], slot.full[stage, 2]
    reels, best = slot.lines.shape[1], 0
    first = reels // 2 if how == MIDDLE else 0
    for symbol in range(slot.fills.shape[1] if how >= 0 else 0):
        count, begin, end = 0, first, first
        for reel in range(reels):
            count += _fills(stage, symbol, reel, slot, room)
        if how != ANYWHERE:
            while end < reels and _fills(stage, symbol, end, slot, room):
                end += 1
            while end > first and begin > 0 and _fills(stage, symbol, begin - 1, slot, room):
                begin -= 1
            count = end - begin
        best = max(best, count)
    return int(slot.values[at + min(best, most) - 1]) if best else 1


@njit(cache=True, nogil=True)
def shown_on(entry: int, reel: int, slot: SlotProgram, room: Room) -> int:
    """Returns how many symbols of an entry a reel stopped at, or whether any where reels are counted."""
    count = 0
    for row in range(room.heights[reel]):
        count += slot.counts[entry, room.stopped[reel, row]]
    return count if slot.counted[entry, 0] == SYMBOLS else min(count, 1)


@njit(cache=True, nogil=True)
def anywhere_units(stage: int, times: int, slot: SlotProgram, room: Room) -> int:
    """Returns the units of what was counted over the window, and adds what it starts."""
    units, reels = 0, slot.lines.shape[1]
    for entry in range(slot.counted_at[stage, 0], slot.counted_at[stage, 1]):
        feature, at, most = slot.counted[entry, 1], slot.counted[entry, 2], slot.counted[entry, 3]
        count = min(room.counts[entry], most)
        if count == 0 or slot.values[at + count - 1] == 0:
            continue
        won = slot.values[at + count - 1]
        if feature >= 0:
            room.starts[feature] += won
        else:
            units += won
            count_win(slot.counted[entry, 4] + count - 1, times, won, room)
        for reel in range(reels if slot.falls[stage, 1] else 0):
            for row in range(room.heights[reel]):
                if slot.counts[entry, room.stopped[reel, row]]:
                    room.struck[reel] |= 1 << row
    return units


@njit(cache=True, nogil=True)
def window_units(stage: int, number: int, times: int, slot: SlotProgram, room: Room) -> int:
    """Returns the units of one window of a spin, the first being 0, and adds what it starts."""
    reels = slot.lines.shape[1]
    for reel in range(reels):
        room.struck[reel] = 0
    units = _ways(stage, times, slot, room) if slot.ways else _lines(stage, times, slot, room)
    if units > 0:
        by = _full(stage, slot, room)
        if slot.falls[stage, 1]:
            by *= slot.values[slot.falls[stage, 0] + min(number, slot.falls[stage, 1] - 1)]
        if by > 1:
            count_win(slot.hits[stage] + slot.bonuses.shape[0], times, units * (by - 1), room)
            units *= by
    for entry in range(slot.counted_at[stage, 0], slot.counted_at[stage, 1]):
        room.counts[entry] = 0
        for reel in range(reels):
            more = shown_on(entry, reel, slot, room)
            if more == 0 and slot.counted[entry, 0] == RUN:
                break
            room.counts[entry] += more
    return int(units + anywhere_units(stage, times, slot, room))
