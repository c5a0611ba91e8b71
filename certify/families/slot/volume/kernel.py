"""Compiled play-through of a slot's tables; its readable twin is ``twin``.

A round draws what its paid spin needs; only where that starts something, or draws for itself more than one stop a reel,
is the whole row of its draws taken. Of each spin the windows of the reels are places in tables: lines go on cell by
cell through an automaton, for the paid spin two reels at a time.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from certify.families.slot.volume.layout import Features, ReelTables, Room, RowLayout, Whole
from certify.families.slot.volume.plain_rounds import plain_rounds
from rng.kernels import called_by_kernels, multiply_high

NO_WORD = -1
"""In place of where the next word is: the words have ended."""

OVERDRAWN = -2
"""In place of it: a round asks for more draws than a row holds."""

DEEP = 256
"""Series and bonuses that wait for each other in one round, at most."""

WHEEL, LADDER, PICK, UNTIL, HOLD = 0, 1, 2, 3, 4
LEFT, MIDDLE, ANYWHERE = 0, 1, 2


@called_by_kernels
def _row_from(words: NDArray[np.uint64], at: int, draws: RowLayout, groups: int, row: Whole) -> int:
    """Fills the beginning of a row from the words at a place; returns where the next word is."""
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
        for _ in range(draws.sizes[group]):
            bound = draws.bounds[column]
            row[column] = np.int64(multiply_high(rest, bound))
            rest *= bound
            column += 1
    return at


@called_by_kernels
def _face(piece: int, draws: RowLayout, room: Room) -> int:
    """Takes the next draw of a piece; OVERDRAWN where the row holds no more."""
    taken = room.used[piece]
    if taken >= draws.supply[piece]:
        return OVERDRAWN
    room.used[piece] = taken + 1
    item = room.row[draws.starts[piece] + taken]
    return int(draws.shows[draws.shown_at[piece] + item])


@called_by_kernels
def _stop(stage: int, held: int, draws: RowLayout, tables: ReelTables, room: Room) -> bool:
    """Finds the window of each reel, those that are held covered; tells whether the row held enough."""
    reels = tables.reels.shape[1]
    for reel in range(reels):
        piece, high = tables.reels[stage, reel, 0], tables.reels[stage, reel, 1]
        if piece < 0:
            break
        if held >> reel & 1:
            room.places[reel] = tables.covers[stage, reel]
            continue
        shape = 0
        if high >= 0:
            shape = _face(high, draws, room)
            if shape < 0:
                return False
        rows, begin = tables.heights[stage, reel, shape, 0], tables.heights[stage, reel, shape, 1]
        place = 0
        for _ in range(rows if tables.reels[stage, reel, 3] else 1):
            face = _face(piece, draws, room)
            if face < 0:
                return False
            place = place * tables.reels[stage, reel, 4] + face
        room.places[reel] = begin + place
    for reel in range(reels):
        if tables.reels[stage, reel, 0] < 0:
            break
        if held >> reel & 1:
            continue
        raw = room.places[reel]
        window = 0
        for wild in range(2):
            piece = tables.raw[raw, 1 + 2 * wild]
            if piece >= 0:
                face = _face(piece, draws, room)
                if face < 0:
                    return False
                window = window * tables.raw[raw, 2 + 2 * wild] + face
        room.places[reel] = tables.raw[raw, 0] + window
    return True


@called_by_kernels
def _lines(stage: int, reels: int, tables: ReelTables, room: Room) -> int:
    """Returns the coins of all lines, and adds their starts."""
    coins = 0
    base, first = tables.results_at[stage], tables.hits[stage, 0]
    for line in range(tables.symbols.shape[1]):
        state = 0
        for reel in range(reels):
            at, kinds = tables.steps_at[stage, reel, 0], tables.steps_at[stage, reel, 1]
            state = tables.steps[at + state * kinds + tables.symbols[room.places[reel], line]]
        if state > 0:
            for reel in range(tables.reach[base + state]):
                room.struck[reel] |= 1 << tables.rows[line, reel]
            coins += tables.results[base + state, 0]
            room.hits[first + state] += 1
            for feature in range(tables.results.shape[1] - 1):
                room.starts[feature] += tables.results[base + state, 1 + feature]
    return coins


@called_by_kernels
def _ways(stage: int, reels: int, tables: ReelTables, features: Features, room: Room) -> int:
    """Returns the units of all ways."""
    units, hit = 0, tables.hits[stage, 1]
    for pay in range(tables.ways.shape[1]):
        at, most = tables.ways[stage, pay, 0], tables.ways[stage, pay, 1]
        ways, wild, length = 1, 1, 0
        while length < reels:
            window = room.places[length]
            some = tables.plain[window, pay, 0]
            if some == 0:
                break
            ways *= some
            wild *= tables.plain[window, pay, 1]
            length += 1
        won = ways if tables.alone[stage] else ways - wild
        if 0 < length <= most and tables.entries[at + length - 1] > 0 and won > 0:
            units += won * tables.entries[at + length - 1]
            room.hits[hit + length - 1] += won
            for reel in range(length if tables.again[stage, 1] else 0):
                room.struck[reel] |= tables.marks[room.places[reel], tables.tallies.shape[1] + pay]
        hit += most
    return units


@called_by_kernels
def _full(stage: int, reels: int, tables: ReelTables, room: Room) -> int:
    """Returns what reels full of one symbol multiply the lines of a window by."""
    beside, at, most = tables.full[stage, 0], tables.full[stage, 1], tables.full[stage, 2]
    if beside < 0:
        return 1
    best, bit, every = 0, 1, 0
    for reel in range(reels):
        every |= tables.filled[room.places[reel]]
    first = reels // 2 if beside == MIDDLE else 0
    while bit <= every:
        count, begin, end = 0, first, first
        for reel in range(reels):
            count += 1 if tables.filled[room.places[reel]] & bit else 0
        if beside != ANYWHERE:
            while end < reels and tables.filled[room.places[end]] & bit:
                end += 1
            while end > first and begin > 0 and tables.filled[room.places[begin - 1]] & bit:
                begin -= 1
            count = end - begin
        best = max(best, count)
        bit <<= 1
    return int(tables.entries[at + min(best, most) - 1]) if best else 1


@called_by_kernels
def _fall(stage: int, reels: int, tables: ReelTables, room: Room) -> bool:
    """Lets what won vanish, and what stood above it fall; tells whether anything did."""
    fell = False
    for reel in range(reels):
        struck = room.struck[reel]
        if struck == 0:
            continue
        fell = True
        shown, first = tables.kinds[room.places[reel]], tables.reels[stage, reel, 5]
        rows, stops, size = (
            tables.heights[stage, reel, 0, 0],
            tables.reels[stage, reel, 4],
            tables.steps_at[stage, reel, 1],
        )
        missing = 0
        for row in range(rows):
            missing += struck >> row & 1
        place = 0
        for row in range(missing):
            top = (room.tops[reel] - missing + row) % stops
            place = place * size + tables.kinds[first + top, 0]
        room.tops[reel] = (room.tops[reel] - missing) % stops
        for row in range(rows):
            if not struck >> row & 1:
                place = place * size + shown[row]
        room.places[reel] = tables.standing[stage, reel] + place
    return fell


@called_by_kernels
def _spin(stage: int, draws: RowLayout, tables: ReelTables, features: Features, room: Room) -> int:
    """Plays one spin with all its windows; returns its units, or OVERDRAWN."""
    if not _stop(stage, 0, draws, tables, room):
        return OVERDRAWN
    reels = 0
    while reels < tables.reels.shape[1] and tables.reels[stage, reels, 0] >= 0:
        room.tops[reels] = room.places[reels] - tables.reels[stage, reels, 5]
        reels += 1
    for feature in range(room.starts.size):
        room.starts[feature] = 0
    units, held, number = 0, 0, 0
    while True:
        units += _window(stage, reels, number, tables, features, room)
        number += 1
        fresh = 0
        for reel in range(reels if tables.again[stage, 0] else 0):
            if tables.covers[stage, reel] >= 0 and tables.holds[room.places[reel]] and not held >> reel & 1:
                fresh |= 1 << reel
        held |= fresh
        if fresh:
            if not _stop(stage, held, draws, tables, room):
                return OVERDRAWN
        elif not (tables.again[stage, 1] and _fall(stage, reels, tables, room)):
            return int(units)


@called_by_kernels
def _window(stage: int, reels: int, number: int, tables: ReelTables, features: Features, room: Room) -> int:
    """Returns the units of one window of a spin, the first being 0, and adds what it starts."""
    for reel in range(reels):
        room.struck[reel] = 0
    units = _lines(stage, reels, tables, room) * features.unit
    if tables.ways.shape[1]:
        units += _ways(stage, reels, tables, features, room)
    if units > 0:
        times = _full(stage, reels, tables, room)
        if tables.again[stage, 1]:
            times *= tables.entries[tables.again[stage, 2] + min(number, tables.again[stage, 3] - 1)]
        if times > 1:
            room.hits[tables.hits[stage, 4]] += 1
            room.hits[tables.hits[stage, 4] + 1] += units * (times - 1)
            units *= times
    for tally in range(tables.tallies.shape[1]):
        count = 0
        for reel in range(reels):
            more = tables.tallies[room.places[reel], tally]
            if more == 0 and tables.runs[stage, tally]:
                break
            count += more
        room.counts[tally] = count
    hit = tables.hits[stage, 2]
    for scatter in range(tables.scatters.shape[1]):
        tally, at, most = (
            tables.scatters[stage, scatter, 0],
            tables.scatters[stage, scatter, 1],
            tables.scatters[stage, scatter, 2],
        )
        if tally < 0:
            break
        count = min(room.counts[tally], most)
        if count > 0 and tables.entries[at + count - 1] > 0:
            _mark(stage, reels, tally, tables, room)
            units += tables.entries[at + count - 1]
            room.hits[hit + count - 1] += 1
        hit += most
    for trigger in range(tables.triggers.shape[1]):
        tally, feature = tables.triggers[stage, trigger, 0], tables.triggers[stage, trigger, 1]
        if tally < 0:
            break
        count = min(room.counts[tally], tables.triggers[stage, trigger, 3])
        if count > 0 and tables.entries[tables.triggers[stage, trigger, 2] + count - 1] > 0:
            _mark(stage, reels, tally, tables, room)
            room.starts[feature] += tables.entries[tables.triggers[stage, trigger, 2] + count - 1]
    return int(units)


@called_by_kernels
def _mark(stage: int, reels: int, tally: int, tables: ReelTables, room: Room) -> None:
    """Marks the symbols that were counted, where wins fall."""
    for reel in range(reels if tables.again[stage, 1] else 0):
        room.struck[reel] |= tables.marks[room.places[reel], tally]


@called_by_kernels
def _hold(bonus: int, held: int, draws: RowLayout, features: Features, room: Room) -> int:
    """Plays hold and win with so many places held at first; returns what it pays, or OVERDRAWN."""
    times, pieces, prizes = features.bonuses[bonus, 1], features.bonuses[bonus, 3], features.bonuses[bonus, 4]
    still, left, paid = features.bonuses[bonus, 5] - held, times, 0
    for _ in range(held):
        face = _face(features.pieces[pieces], draws, room)
        if face < 0:
            return OVERDRAWN
        paid += features.pays[prizes + face, 0]
    # What a place shows that is held at first comes before what an open one shows.
    first = 0
    for prize in range(features.numbers[bonus]):
        first += 1 if features.pays[prizes + prize, 0] > 0 else 0
    first //= 2
    while still > 0 and left > 0:
        came = 0
        for _ in range(still):
            face = _face(features.pieces[pieces + 1], draws, room)
            if face < 0:
                return OVERDRAWN
            units = features.pays[prizes + first + face, 0]
            came += 1 if units > 0 else 0
            paid += units
        still -= came
        left = times if came > 0 else left - 1
    return int(paid if still > 0 else paid + features.bonuses[bonus, 6])


@called_by_kernels
def _bonus(bonus: int, draws: RowLayout, features: Features, room: Room) -> int:
    """Plays one bonus; returns what it pays before the stage's multiplier, or OVERDRAWN."""
    how, most = features.bonuses[bonus, 0], features.bonuses[bonus, 1]
    pieces, prizes = features.bonuses[bonus, 3], features.bonuses[bonus, 4]
    number, paid = features.numbers[bonus], 0
    if how >= PICK:
        for box in range(number):
            room.boxes[box] = box
    for draw in range(most):
        face = _face(features.pieces[pieces + (0 if how == WHEEL else draw)], draws, room)
        if face < 0:
            return OVERDRAWN
        if how == LADDER:
            # A step of certain chance has one face, which goes up; of no chance one, which stays: see the tables.
            if features.pays[prizes + draw, 1] != face:
                break
            paid = features.pays[prizes + draw, 0]
            continue
        prize = face
        if how >= PICK:
            prize = room.boxes[face]
            for box in range(face, number - 1):
                room.boxes[box] = room.boxes[box + 1]
        paid += features.pays[prizes + prize, 0]
        if how == UNTIL and features.pays[prizes + prize, 1]:
            break
    return int(paid)


@called_by_kernels
def _follow(room: Room, deep: int, stage: int, features: Features) -> int:
    """Puts what a spin has started on the stack; returns its height, or OVERDRAWN where there is no room."""
    own = features.own[stage]
    # The last of them lies lowest: features are played in the order of the rules.
    for feature in range(room.starts.size - 1, -1, -1):
        times = room.starts[feature]
        if times == 0 or feature == own:
            continue
        bonus = feature >= features.games
        once = not bonus or features.bonuses[feature - features.games, 0] == HOLD
        for _ in range(1 if once else times):
            if deep >= DEEP:
                return OVERDRAWN
            room.stack[deep, 0] = -1 - stage if bonus else stage
            room.stack[deep, 1] = times
            room.stack[deep, 4] = feature
            room.stack[deep, 5] = 1
            deep += 1
    return deep


@called_by_kernels
def _play_on(units: int, draws: RowLayout, tables: ReelTables, features: Features, room: Room) -> int:
    """Plays everything that the paid spin has started; returns the units of the whole round, or OVERDRAWN."""
    deep = _follow(room, 0, 0, features)
    while deep > 0:
        at = deep - 1
        feature = room.stack[at, 4]
        if room.stack[at, 0] < 0:
            stage = -1 - room.stack[at, 0]
            bonus = feature - features.games
            if features.bonuses[bonus, 0] == HOLD:
                paid = _hold(bonus, room.stack[at, 1], draws, features, room)
            else:
                paid = _bonus(bonus, draws, features, room)
            if paid < 0:
                return OVERDRAWN
            if features.bonuses[bonus, 2]:
                paid *= features.multipliers[stage]
            units += paid
            hit = tables.hits[stage, 3] + 2 * bonus
            room.hits[hit] += 1
            room.hits[hit + 1] += paid
            deep = at
            continue
        if room.stack[at, 5]:
            # A series begins: its stage, and its games as far as the limit lets it.
            face = 0
            if features.series[feature, 0] >= 0:
                face = _face(features.series[feature, 0], draws, room)
                if face < 0:
                    return OVERDRAWN
            games, most = room.stack[at, 1], features.series[feature, 1]
            games = min(games, most) if most > 0 else games
            room.stack[at, 0] = features.stages[feature, face]
            room.stack[at, 1] = room.stack[at, 2] = games
            room.stack[at, 3] = room.stack[at, 5] = 0
        stage = room.stack[at, 0]
        won = _spin(stage, draws, tables, features, room)
        if won < 0:
            return OVERDRAWN
        units += won
        more, most, again = room.starts[feature], features.series[feature, 1], features.series[feature, 2]
        if again >= 0 and room.stack[at, 3] >= again:
            more = 0
        if most > 0:
            more = min(more, most - room.stack[at, 2])
        room.stack[at, 1] += more - 1
        room.stack[at, 2] += more
        room.stack[at, 3] += 1 if more > 0 else 0
        if room.stack[at, 1] == 0:
            deep = at
        deep = _follow(room, deep, stage, features)
        if deep < 0:
            return OVERDRAWN
    return units


@called_by_kernels
def _ends(units: int, begun: int, tables: ReelTables, features: Features, room: Room) -> tuple[int, int]:
    """Returns outcome and units of a round that is over."""
    if features.most > 0 and units > features.most:
        limit = room.hits.size - 2
        room.hits[limit] += 1
        room.hits[limit + 1] += features.most - units
        units = features.most
    if begun:
        return features.classes[begun], units
    band = 0
    while band + 1 < features.edges.size and units >= features.edges[band + 1]:
        band += 1
    return band, units


@njit(cache=True, nogil=True)
def play_rows(
    rows: NDArray[np.unsignedinteger],
    draws: RowLayout,
    tables: ReelTables,
    features: Features,
    room: Room,
    outcomes: Whole,
    units: Whole,
) -> int:
    """Plays whole rows; returns the rounds played, fewer where one asks for more draws than there are."""
    for place in range(rows.shape[0]):
        for column in range(rows.shape[1]):
            room.row[column] = rows[place, column]
        for piece in range(room.used.size):
            room.used[piece] = 0
        won = _spin(0, draws, tables, features, room)
        if won < 0:
            return place
        begun = 0
        for feature in range(room.starts.size):
            begun |= (1 << feature) if room.starts[feature] > 0 else 0
        if begun:
            won = _play_on(won, draws, tables, features, room)
            if won < 0:
                return place
        outcomes[place], units[place] = _ends(won, begun, tables, features, room)
    return len(rows)


@njit(cache=True, nogil=True)
def play_words(
    words: NDArray[np.uint64],
    draws: RowLayout,
    tables: ReelTables,
    features: Features,
    room: Room,
    outcomes: Whole,
    units: Whole,
    starts: Whole,
) -> tuple[int, int, bool]:
    """Plays rounds from words; returns the rounds played, the words used, and whether all hits are of these rounds.

    It ends before a round that may need more words than there are. Where a run of rejected words breaks a round off all
    the same, what its paid spin hit is among the hits. In place of the words used it tells OVERDRAWN.
    """
    at = used = place = 0
    reserve = draws.sizes.size + 64
    while place < outcomes.size:
        if tables.fore.size:
            place, used = plain_rounds(
                words,
                used,
                place,
                reserve,
                draws.ahead,
                draws.sizes,
                draws.products,
                draws.thresholds,
                draws.bounds,
                tables.stops,
                tables.widths,
                tables.symbols,
                tables.steps,
                tables.steps_at[0],
                tables.fore,
                tables.open_lines,
                tables.open_count,
                tables.aft,
                tables.last,
                tables.coins,
                tables.tallies,
                tables.runs[0],
                tables.scatters[0],
                tables.triggers[0],
                tables.entries,
                features.edges,
                features.unit,
                features.most,
                tables.hits[0, 0],
                tables.hits[0, 2],
                room.hits,
                outcomes,
                units,
                starts,
            )
            if place == outcomes.size:
                break
        if used + reserve > words.size:
            return place, used, True
        ahead = draws.ahead if draws.ahead else draws.sizes.size
        at = _row_from(words, used, draws, ahead, room.row)
        if at == NO_WORD:
            return place, used, True
        for piece in range(room.used.size):
            room.used[piece] = 0
        won = _spin(0, draws, tables, features, room)
        if won < 0:
            return place, OVERDRAWN, False
        begun = 0
        for feature in range(room.starts.size):
            begun |= (1 << feature) if room.starts[feature] > 0 else 0
        if begun:
            if ahead < draws.sizes.size:
                at = _row_from(words, used, draws, draws.sizes.size, room.row)
                if at == NO_WORD:
                    # What the paid spin of this round hit is counted already: the caller plays again up to here.
                    return place, used, True
            won = _play_on(won, draws, tables, features, room)
            if won < 0:
                return place, OVERDRAWN, False
        outcomes[place], units[place] = _ends(won, begun, tables, features, room)
        starts[place] = used
        used = at
        place += 1
    return place, used, True


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
