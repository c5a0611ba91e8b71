"""Compiled play-through of a slot; its readable twin is the reference round.

A round draws what its paid spin needs; only where that starts something, or draws for itself more than one stop a reel,
is the whole row of its draws taken. What a line wins is looked up by what it shows; lines that won are reported row by
row once all rounds are played.
"""

import numpy as np
from numpy.typing import NDArray

from certify.families.slot.volume.layout import Room, RowLayout, SlotProgram, Whole, Words
from certify.families.slot.volume.window import (
    NO_WORD,
    OVERDRAWN,
    RUN,
    anywhere_units,
    count_win,
    cover,
    face_of,
    line_units,
    plain_ways,
    row_from,
    shown_on,
    stop_reels,
    symbols_on,
    window_units,
)
from certify.kernels import njit
from rng.kernels import called_by_kernels

DEEP = 256
"""Series and bonuses that wait for each other in one round, at most."""

WHEEL, PICK, UNTIL, LADDER, HOLD = 0, 1, 2, 3, 4
"""How prizes are drawn, by their places: see ``number_of``."""


# --- spins and what follows them ---


@called_by_kernels
def _fall(stage: int, draws: RowLayout, slot: SlotProgram, room: Room) -> bool:
    """Lets what won vanish, and what was above it fall; tells whether anything did."""
    fell = False
    for reel in range(slot.lines.shape[1] if slot.falls[stage, 1] else 0):
        into = room.heights[reel] - 1
        for row in range(room.heights[reel] - 1, -1, -1):
            if not room.struck[reel] >> row & 1:
                room.stopped[reel, into] = room.stopped[reel, row]
                into -= 1
        while into >= 0:
            fell = True
            room.tops[reel] = (room.tops[reel] - 1) % slot.sizes[stage, reel]
            room.stopped[reel, into] = slot.strip[stage, reel, room.tops[reel]]
            into -= 1
        cover(stage, reel, draws, slot, room)
    return fell


@called_by_kernels
def _spin(stage: int, times: int, draws: RowLayout, slot: SlotProgram, room: Room) -> int:
    """Plays one spin with all its windows; returns its units."""
    for feature in range(room.starts.size):
        room.starts[feature] = 0
    units, held, number = 0, 0, 0
    stop_reels(stage, held, draws, slot, room)
    while True:
        units += window_units(stage, number, times, slot, room)
        number += 1
        fresh = 0
        for reel in range(slot.lines.shape[1]):
            for row in range(room.heights[reel] if slot.holds[stage, reel] >= 0 else 0):
                fresh |= (slot.symbols[room.window[reel, row]] == slot.holds[stage, reel]) << reel
        fresh &= ~held
        held |= fresh
        if fresh:
            stop_reels(stage, held, draws, slot, room)
        elif not _fall(stage, draws, slot, room):
            return int(units)


@called_by_kernels
def _hold(bonus: int, held: int, draws: RowLayout, slot: SlotProgram, room: Room) -> int:
    """Plays hold and win with so many places held at first; returns what it pays."""
    times, pieces, prizes = slot.bonuses[bonus, 1], slot.bonuses[bonus, 3], slot.bonuses[bonus, 4]
    still, left, paid = slot.bonuses[bonus, 6] - held, times, 0
    for _ in range(held):
        face = face_of(slot.prize_pieces[pieces], draws, room)
        paid += slot.prizes[prizes + face, 0]
    # What a place shows that is held at first comes before what an open one shows.
    first = 0
    for prize in range(slot.bonuses[bonus, 5]):
        first += slot.prizes[prizes + prize, 0] > 0
    first //= 2
    while still > 0 and left > 0:
        came = 0
        for _ in range(still):
            face = face_of(slot.prize_pieces[pieces + 1], draws, room)
            units = slot.prizes[prizes + first + face, 0]
            came += units > 0
            paid += units
        still -= came
        left = times if came > 0 else left - 1
    return int(paid if still > 0 else paid + slot.bonuses[bonus, 7])


@called_by_kernels
def _bonus(bonus: int, draws: RowLayout, slot: SlotProgram, room: Room) -> int:
    """Plays one bonus; returns what it pays before the stage's multiplier."""
    how, most, pieces = slot.bonuses[bonus, 0], slot.bonuses[bonus, 1], slot.bonuses[bonus, 3]
    prizes, number, paid = slot.bonuses[bonus, 4], slot.bonuses[bonus, 5], 0
    for box in range(number):
        room.boxes[box] = box
    for draw in range(most):
        face = face_of(slot.prize_pieces[pieces + (0 if how == WHEEL else draw)], draws, room)
        if how == LADDER:
            # A step of certain chance has one face, which goes up; of no chance one, which stays: see the tables.
            if slot.prizes[prizes + draw, 1] != face:
                break
            paid = slot.prizes[prizes + draw, 0]
            continue
        prize = room.boxes[face]
        for box in range(face, number - 1 if how != WHEEL else face):
            room.boxes[box] = room.boxes[box + 1]
        paid += slot.prizes[prizes + prize, 0]
        if how == UNTIL and slot.prizes[prizes + prize, 1]:
            break
    return int(paid)


@called_by_kernels
def _follow(deep: int, stage: int, slot: SlotProgram, room: Room) -> int:
    """Puts what a spin has started on the stack; returns its height."""
    # The last of them comes lowest: features are played in the order of the rules.
    for feature in range(room.starts.size - 1, -1, -1):
        times = room.starts[feature]
        if times == 0 or feature == slot.own[stage]:
            continue
        bonus = feature >= slot.games
        once = not bonus or slot.bonuses[feature - slot.games, 0] == HOLD
        for _ in range(1 if once else times):
            if deep >= DEEP:
                room.used[-1] = OVERDRAWN
                return 0
            room.stack[deep, 0] = -1 - stage if bonus else stage
            room.stack[deep, 1] = times
            room.stack[deep, 4] = feature
            room.stack[deep, 5] = 1
            deep += 1
    return deep


@called_by_kernels
def _play_on(units: int, draws: RowLayout, slot: SlotProgram, room: Room) -> int:
    """Plays everything that the paid spin has started; returns the units of the whole round."""
    deep = _follow(0, 0, slot, room)
    while deep > 0 and room.used[-1] != OVERDRAWN:
        at = deep - 1
        feature = room.stack[at, 4]
        if room.stack[at, 0] < 0:
            stage, bonus = -1 - room.stack[at, 0], feature - slot.games
            if slot.bonuses[bonus, 0] == HOLD:
                paid = _hold(bonus, room.stack[at, 1], draws, slot, room)
            else:
                paid = _bonus(bonus, draws, slot, room)
            if slot.bonuses[bonus, 2]:
                paid *= slot.multipliers[stage]
            units += paid
            count_win(slot.hits[stage] + bonus, 1, paid, room)
            deep = at
            continue
        most, again = slot.series[feature, 1], slot.series[feature, 2]
        if room.stack[at, 5]:
            # A series begins: its stage, and its games as far as the limit lets it.
            face = 0
            if slot.series[feature, 0] >= 0:
                face = face_of(slot.series[feature, 0], draws, room)
            games = min(room.stack[at, 1], most) if most > 0 else room.stack[at, 1]
            room.stack[at, 0] = slot.stages[feature, face]
            room.stack[at, 1] = room.stack[at, 2] = games
            room.stack[at, 3] = room.stack[at, 5] = 0
        stage = room.stack[at, 0]
        units += _spin(stage, 1, draws, slot, room)
        more = room.starts[feature] if again < 0 or room.stack[at, 3] < again else 0
        if most > 0:
            more = min(more, most - room.stack[at, 2])
        room.stack[at, 1] += more - 1
        room.stack[at, 2] += more
        room.stack[at, 3] += more > 0
        if room.stack[at, 1] == 0:
            deep = at
        deep = _follow(deep, stage, slot, room)
    return units


# --- rounds ---


@called_by_kernels
def _paid_spin(times: int, draws: RowLayout, slot: SlotProgram, room: Room) -> tuple[int, int]:
    """Plays the paid spin of a row, or buys a feature; returns its units, and the features that start, as bits."""
    for piece in range(room.used.size):
        room.used[piece] = 0
    won = begun = 0
    if slot.bought[0] < 0:
        won = _spin(0, times, draws, slot, room)
    for feature in range(room.starts.size):
        if slot.bought[0] >= 0:
            room.starts[feature] = slot.bought[1] if feature == slot.bought[0] else 0
        begun |= (room.starts[feature] > 0) << feature
    return won, begun


@called_by_kernels
def _band(units: int, edges: Whole) -> int:
    """Returns the band of a win."""
    band = 0
    while band + 1 < edges.size and units >= edges[band + 1]:
        band += 1
    return band


@called_by_kernels
def _ended(units: int, begun: int, slot: SlotProgram, room: Room) -> tuple[int, int]:
    """Returns outcome and units of a round that is over."""
    if slot.most > 0 and units > slot.most:
        count_win(room.hits.shape[0] - 1, 1, slot.most - units, room)
        units = slot.most
    if begun:
        return slot.classes[begun], units
    return _band(units, slot.edges), units


@njit(cache=True, nogil=True)
def play_rows(
    rows: NDArray[np.unsignedinteger],
    draws: RowLayout,
    slot: SlotProgram,
    room: Room,
    outcomes: Whole,
    units: Whole,
) -> int:
    """Plays whole rows; returns the rounds played, fewer where one asks for more draws than there are."""
    for place in range(rows.shape[0]):
        for column in range(rows.shape[1]):
            room.row[column] = rows[place, column]
        won, begun = _paid_spin(1, draws, slot, room)
        if begun:
            won = _play_on(won, draws, slot, room)
        if room.used[-1] == OVERDRAWN:
            return place
        outcomes[place], units[place] = _ended(won, begun, slot, room)
    return len(rows)


@called_by_kernels
def _plain_rounds(
    words: Words,
    used: int,
    place: int,
    draws: RowLayout,
    slot: SlotProgram,
    room: Room,
    outcomes: Whole,
    units: Whole,
    starts: Whole,
) -> tuple[int, int]:
    """Plays rounds whose paid spin takes stops of strips alone, up to one that starts something or passes the limit.

    Returns the rounds played and the words used.
    """
    reels, lines, reserve = slot.lines.shape[1], slot.lines.shape[0], draws.sizes.size + 64
    first, last = slot.counted_at[0, 0], slot.counted_at[0, 1]
    while place < outcomes.size and used + reserve <= words.size:
        at = row_from(words, used, draws, draws.ahead, draws.base, room.row)
        if at < 0:
            break
        for reel in range(reels):
            room.tops[reel] = slot.stops[reel, room.row[reel]]
        scattered = begun = 0
        for entry in range(first, last):
            count = 0
            for reel in range(reels):
                more = slot.tallies[room.tops[reel], entry]
                if more == 0 and slot.counted[entry, 0] == RUN:
                    break
                count += more
            room.counts[entry] = count
            if count > 0:
                won = slot.values[slot.counted[entry, 2] + min(count, slot.counted[entry, 3]) - 1]
                begun |= won if slot.counted[entry, 1] >= 0 else 0
                scattered += won if slot.counted[entry, 1] < 0 else 0
        if begun:
            break
        may = ~np.uint64(0)
        for reel in range(min(2, reels - 1)):
            may &= slot.may[room.tops[reel], room.tops[reel + 1]]
        won = plain_ways(may, 1, slot, room) if slot.ways else 0
        shown = 0
        for line in range(lines):
            if (may >> np.uint64(line & 63)) & np.uint64(1):
                number = 0
                for reel in range(reels):
                    number += slot.adds[room.tops[reel], line]
                won += slot.wins[number]
                room.shows[shown] = number
                shown += slot.wins[number] != 0
        if slot.most > 0 and won + scattered > slot.most:
            if slot.ways:
                plain_ways(may, -1, slot, room)
            break
        for line in range(shown):
            room.seen[room.shows[line]] += 1
        if scattered > 0:
            anywhere_units(0, 1, slot, room)
        outcomes[place], units[place] = _band(won + scattered, slot.edges), won + scattered
        starts[place] = used
        place += 1
        used = at
    return place, used


@njit(cache=True, nogil=True)
def play_words(
    words: Words,
    draws: RowLayout,
    slot: SlotProgram,
    room: Room,
    outcomes: Whole,
    units: Whole,
    starts: Whole,
) -> tuple[int, int]:
    """Plays rounds from words; returns the rounds played, and the words used or OVERDRAWN.

    It ends before a round that may need more words than there are.
    """
    used = place = 0
    whole = draws.sizes.size
    while place < outcomes.size:
        if slot.adds.size:
            place, used = _plain_rounds(words, used, place, draws, slot, room, outcomes, units, starts)
        if place == outcomes.size or used + whole + 64 > words.size:
            break
        at = row_from(words, used, draws, draws.ahead, draws.base, room.row)
        if at == NO_WORD:
            break
        won, begun = _paid_spin(1, draws, slot, room)
        if begun:
            at = row_from(words, used, draws, whole, room.row.size, room.row)
            if at == NO_WORD:
                _paid_spin(-1, draws, slot, room)
                break
            won = _play_on(won, draws, slot, room)
        if room.used[-1] == OVERDRAWN:
            return place, OVERDRAWN
        outcomes[place], units[place] = _ended(won, begun, slot, room)
        starts[place] = used
        used = at
        place += 1
    return place, used


# --- tables, and what they come to ---


@called_by_kernels
def _show(stage: int, number: int, slot: SlotProgram, room: Room) -> None:
    """Shows on a line what bears a number."""
    for reel in range(slot.lines.shape[1] - 1, -1, -1):
        room.line[reel] = slot.shown[stage, reel, number % slot.shapes[stage, reel]]
        number //= slot.shapes[stage, reel]


@njit(cache=True, nogil=True)
def line_wins(slot: SlotProgram, room: Room) -> None:
    """Fills what a line wins by what it shows."""
    for stage in range(slot.lines_at.shape[0]):
        for number in range(slot.lines_at[stage, 1]):
            for feature in range(room.starts.size):
                room.starts[feature] = 0
            _show(stage, number, slot, room)
            won, _ = line_units(stage, 0, slot, room)
            for feature in range(room.starts.size):
                won = -1 if room.starts[feature] > 0 else won
            slot.wins[slot.lines_at[stage, 0] + number] = won


@njit(cache=True, nogil=True)
def plain_stops(draws: RowLayout, slot: SlotProgram, room: Room) -> None:
    """Fills what each stop of the paid spin adds to what lines show and to what is counted."""
    place = 0
    for reel in range(slot.lines.shape[1]):
        for stop in range(slot.sizes[0, reel]):
            room.heights[reel] = slot.heights[0, reel, 0]
            for row in range(room.heights[reel]):
                room.stopped[reel, row] = slot.strip[0, reel, (stop + row) % slot.sizes[0, reel]]
            cover(0, reel, draws, slot, room)
            for line in range(slot.lines.shape[0]):
                slot.adds[place, line] = slot.places[0, reel, room.window[reel, slot.lines[line, reel]]]
            for row in range(slot.rows_at[0, 1] if slot.ways else 0):
                own, standing = symbols_on(row, reel, slot, room)
                slot.adds[place, row] = own + (standing << 16)
            for entry in range(slot.counted_at[0, 0], slot.counted_at[0, 1]):
                slot.tallies[place, entry] = shown_on(entry, reel, slot, room)
            place += 1


@njit(cache=True, nogil=True)
def tell_lines(slot: SlotProgram, room: Room) -> None:
    """Tells row by row what lines have won."""
    for stage in range(slot.lines_at.shape[0]):
        for number in range(slot.lines_at[stage, 1]):
            times = room.seen[slot.lines_at[stage, 0] + number]
            if times:
                _show(stage, number, slot, room)
                line_units(stage, times, slot, room)


@njit(cache=True, nogil=True)
def add_up(outcomes: Whole, units: Whole, bet: int, sums: Whole) -> None:
    """Adds rounds to sums: of each outcome its count, net result, the halves of its square, and the highest."""
    low = np.int64((1 << 32) - 1)
    for place in range(outcomes.size):
        outcome, net = outcomes[place], units[place] - bet
        square = net * net
        if sums[outcome, 0] == 0 or net > sums[outcome, 4]:
            sums[outcome, 4] = net
        sums[outcome, 0] += 1
        sums[outcome, 1] += net
        sums[outcome, 2] += square & low
        sums[outcome, 3] += square >> 32
