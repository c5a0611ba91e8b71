"""The compiled play-through of a slot in plain Python, on the tables before they are arrays; compared bit for bit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any

from certify.errors import InputError
from certify.families.slot.rules import Adjacency, PrizeDraws, SymbolCount
from certify.families.slot.volume.lines import Kind, LineResult
from certify.families.slot.volume.program import Prizes, SlotTables, Spun, stage_place
from rng.uniform import together_below
from rng.words import WordSource

Played = tuple[int, int]
"""Outcome and units of a round."""


class Row:
    """The draws of one round, each piece by itself."""

    def __init__(self, program: SlotTables, row: Sequence[int]) -> None:
        supply = [piece.supply for piece in program.pieces]
        starts = [0, *accumulate(supply)]
        self.shown = [
            iter([piece.shows[item] for item in row[start : start + piece.supply]])
            for piece, start in zip(program.pieces, starts, strict=False)
        ]

    def face(self, piece: int) -> int:
        """Returns the next face of a piece.

        Raises:
            InputError: The row holds no more.
        """
        face = next(self.shown[piece], None)
        if face is None:
            raise InputError("a round asks for more draws than its row holds")
        return face


def play_row(program: SlotTables, items: Sequence[int]) -> Played:
    """Plays one row of items.

    Args:
        program: The tables.
        items: Draws of all pieces.
    """
    row = Row(program, items)
    units, starts = spin(program, program.stages[0], row)
    begun = [feature for feature, times in enumerate(starts) if times]
    units += follow(program, 0, starts, -1, row)
    if program.rules.most is not None:
        units = min(units, int(program.rules.most * program.per_bet))
    return program.outcome(units, begun), units


def follow(program: SlotTables, stage: int, starts: Sequence[int], own: int, row: Row) -> int:
    """Plays what a spin of a stage has started, its own series left out; returns its units."""
    games = len(program.rules.free_games)
    units = 0
    for feature in range(len(starts)):
        several, held = min(starts[feature], 1), starts[feature]
        if feature >= games and program.prizes[feature - games].draws is not PrizeDraws.HOLD:
            several, held = starts[feature], 0
        for _ in range(several):
            if feature == own:
                continue
            if feature >= games:
                prizes = program.prizes[feature - games]
                paid = bonus(prizes, row, held)
                times = program.rules.stage(program.stages[stage].stage).multiplier
                units += paid * times if prizes.multiplied else paid
            else:
                units += series(program, feature, starts[feature], row)
    return units


def series(program: SlotTables, feature: int, games: int, row: Row) -> int:
    """Plays a series of free games; returns its units."""
    rules = program.rules.free_games[feature]
    piece = stage_place(program, rules)
    name = rules.stages[row.face(piece) if piece >= 0 else 0][0]
    place = next(at for at, one in enumerate(program.stages) if one.stage == name)
    left = granted = min(games, rules.most_games) if rules.most_games else games
    again = units = 0
    while left:
        won, starts = spin(program, program.stages[place], row)
        units += won
        more = starts[feature]
        if 0 <= rules.most_again <= again:
            more = 0
        if rules.most_games:
            more = min(more, rules.most_games - granted)
        left, granted, again = left - 1 + more, granted + more, again + (more > 0)
        units += follow(program, place, starts, feature, row)
    return units


def spin(program: SlotTables, spun: Spun, row: Row) -> tuple[int, list[int]]:
    """Plays one spin with all its windows; returns its units, and how often each feature starts."""
    held: set[int] = set()
    places, number = list(_windows(spun, row, held)), 0
    tops = list(places)
    units, starts = window(program, spun, places, number)
    while True:
        fresh = {
            reel
            for reel, symbol in spun.holds
            if reel not in held and symbol in [name for name, _ in spun.reels[reel].windows[places[reel]]]
        }
        if fresh:
            held |= fresh
            places = list(_windows(spun, row, held))
        elif not spun.falls or not _fall(program, spun, places, tops):
            return units, starts
        number += 1
        won, more = window(program, spun, places, number)
        units, starts = units + won, [a + b for a, b in zip(starts, more, strict=True)]


def _fall(program: SlotTables, spun: Spun, places: list[int], tops: list[int]) -> bool:
    """Lets what won vanish, and what stood above it fall; tells whether anything did."""
    windows = [reel.windows[place] for reel, place in zip(spun.reels, places, strict=True)]
    gone: set[tuple[int, int]] = set()
    for line in program.rules.lines:
        gone |= {(reel, line[reel]) for reel in range(_line(spun, line, windows).reach)}
    for pay in spun.ways:
        shows = [seen[place] for seen, place in zip(pay.plain, places, strict=True)]
        length = next((reel for reel, (some, _) in enumerate(shows) if not some), len(shows))
        gone |= {
            (reel, row)
            for reel, shown in enumerate(windows[: length if _ways(pay.coins, shows, spun.alone) else 0])
            for row, (name, _) in enumerate(shown)
            if name in pay.symbols
        }
    counts = _tallied(spun, places)
    paid = [which for which, _, coins in spun.scatters if _entry(coins, counts[which])]
    paid += [which for which, _, grants in spun.triggers if _entry(grants, counts[which])]
    for which in paid:
        symbols = spun.tallies[which].symbols
        gone |= {
            (reel, row)
            for reel, shown in enumerate(windows)
            for row, (name, _) in enumerate(shown)
            if name in symbols
        }
    for reel, shown in enumerate(windows):
        kept = [kind for row, kind in enumerate(shown) if (reel, row) not in gone]
        strip = spun.reels[reel].windows[: spun.reels[reel].stops]
        while len(kept) < len(shown):
            tops[reel] -= 1
            kept.insert(0, strip[tops[reel] % len(strip)][0])
        places[reel] = spun.standing_as(reel, kept)
    return bool(gone)


def _line(spun: Spun, line: Sequence[int], windows: Sequence[Sequence[Kind]]) -> LineResult:
    """Returns what one line comes to."""
    state = 0
    if spun.lines is None:
        return LineResult()
    for reel, cell in enumerate(line):
        state = spun.lines.steps[reel][state][spun.kinds[reel].index(windows[reel][cell])]
    return spun.lines.results[state]


def _tallied(spun: Spun, places: Sequence[int]) -> list[int]:
    stopped = [reel.stopped[place] for reel, place in zip(spun.reels, places, strict=True)]
    counts = []
    for tally in spun.tallies:
        each = [tally.of(shown) for shown in stopped]
        if tally.counted is SymbolCount.RUN and 0 in each:
            each = each[: each.index(0)]
        counts.append(sum(each))
    return counts


def _multiplied(spun: Spun, windows: Sequence[Sequence[Kind]], number: int) -> int:
    """Returns what a window multiplies its lines by."""
    times = spun.falls[min(number, len(spun.falls) - 1)] if spun.falls else 1
    if spun.full is None:
        return times
    full = [spun.filled(shown) for shown in windows]
    most = 0
    for bit in range(len(spun.full.symbols)):
        marks = [bool(one >> bit & 1) for one in full]
        count = sum(marks)
        if spun.full.counted is not Adjacency.ANYWHERE:
            middle = len(marks) // 2 if spun.full.counted is Adjacency.MIDDLE else 0
            runs = [(first, last) for first in range(middle + 1) for last in range(middle, len(marks))]
            count = max((last - first + 1 for first, last in runs if all(marks[first : last + 1])), default=0)
        most = max(most, count)
    return times * (spun.full.times[min(most, len(spun.full.times)) - 1] if most else 1)


def window(program: SlotTables, spun: Spun, places: Sequence[int], number: int) -> tuple[int, list[int]]:
    """Returns the units of one window of a spin, the first being 0, and how often each feature starts by it."""
    windows = [reel.windows[place] for reel, place in zip(spun.reels, places, strict=True)]
    starts = [0] * len(program.features)
    units = 0
    for line in program.rules.lines:
        result = _line(spun, line, windows)
        units += result.coins * program.unit
        for name, times in result.starts:
            starts[program.features.index(name)] += times
    for pay in spun.ways:
        units += _ways(
            pay.coins, [seen[place] for seen, place in zip(pay.plain, places, strict=True)], spun.alone
        )
    units *= _multiplied(spun, windows, number)
    counts = _tallied(spun, places)
    for which, _, coins in spun.scatters:
        units += _entry(coins, counts[which])
    for which, feature, grants in spun.triggers:
        starts[feature] += _entry(grants, counts[which])
    return units, starts


def _windows(spun: Spun, row: Row, held: set[int]) -> Iterator[int]:
    """Yields the window of each reel: heights first, then stops, then factors of wilds; of those held it is known."""
    shapes = [row.face(reel.rows_piece) if reel.rows_piece >= 0 else 0 for reel in spun.reels]
    raws = []
    for number, (reel, shape) in enumerate(zip(spun.reels, shapes, strict=True)):
        if number in held:
            raws.append(-1)
            continue
        before = sum(reel.stops**rows if reel.cells else reel.stops for rows in reel.rows[:shape])
        place = 0
        for _ in range(reel.rows[shape] if reel.cells else 1):
            place = place * reel.stops + row.face(reel.piece)
        raws.append(before + place)
    for number, (reel, raw) in enumerate(zip(spun.reels, raws, strict=True)):
        if number in held:
            yield len(reel.windows) - 1
            continue
        factor = 0
        for piece, faces in reel.factors[raw]:
            factor = factor * faces + row.face(piece)
        yield reel.raw[raw] + factor


def _ways(coins: Sequence[int], seen: Sequence[tuple[int, int]], alone: bool) -> int:
    ways, wild, length = 1, 1, 0
    for some, standing in seen:
        if not some:
            break
        ways, wild, length = ways * some, wild * standing, length + 1
    if not 1 <= length <= len(coins):
        return 0
    return coins[length - 1] * (ways if alone else ways - wild)


def _entry(values: Sequence[int], count: int) -> int:
    return values[min(count, len(values)) - 1] if count else 0


def bonus(prizes: Prizes, row: Row, held: int) -> int:
    """Plays one bonus, of hold and win with so many places held at first; returns what it pays."""
    if prizes.draws is PrizeDraws.HOLD:
        return hold(prizes, row, held)
    if prizes.draws is PrizeDraws.WHEEL:
        return sum(prizes.pays[row.face(prizes.pieces[0])] for _ in range(prizes.times))
    paid = 0
    if prizes.draws is PrizeDraws.LADDER:
        for piece, pays, chance in zip(prizes.pieces, prizes.pays, prizes.ups, strict=True):
            if row.face(piece) != 0 or not chance:
                break
            paid = pays
        return paid
    boxes = list(zip(prizes.pays, prizes.ends, strict=True))
    for piece in prizes.pieces:
        pays, ends = boxes.pop(row.face(piece))
        paid += pays
        if ends and prizes.draws is PrizeDraws.PICK_UNTIL:
            break
    return paid


def hold(prizes: Prizes, row: Row, held: int) -> int:
    """Plays hold and win; returns what it pays."""
    first, place = prizes.pieces
    showing = sum(pays > 0 for pays in prizes.pays) // 2
    paid = sum(prizes.pays[row.face(first)] for _ in range(held))
    still, left = prizes.places - held, prizes.times
    while still and left:
        new = [prizes.pays[showing + row.face(place)] for _ in range(still)]
        came = sum(pays > 0 for pays in new)
        paid, still, left = paid + sum(new), still - came, prizes.times if came else left - 1
    return paid if still else paid + prizes.full


class RecordedWords:
    """Words that are taken from a source and kept, so that a round can be drawn again from where it began."""

    def __init__(self, source: WordSource) -> None:
        self.source = source
        self.words: list[int] = []
        self.place = 0

    def word(self) -> int:
        """Returns the next word."""
        if self.place == len(self.words):
            self.words.append(self.source.word())
        self.place += 1
        return self.words[self.place - 1]


def play_round(
    program: SlotTables, source: WordSource, groups: Sequence[Sequence[int]], ahead: int
) -> Played:
    """Plays the next round of a stream: on the draws of its paid spin, or on its whole row where it goes on.

    Args:
        program: The tables.
        source: The stream.
        groups: Bounds of the numbers that each word of a row gives.
        ahead: Words that the paid spin needs.
    """
    words, width = RecordedWords(source), sum(map(len, groups))
    first = [number for group in groups[:ahead] for number in together_below(words, group)]
    begins = [*first, *[0] * (width - len(first))]
    _, starts = spin(program, program.stages[0], Row(program, begins))
    if any(starts):
        words.place = 0
        begins = [number for group in groups for number in together_below(words, group)]
    return play_row(program, begins)


def rows(program: SlotTables, drawn: Any) -> list[Played]:
    """Plays rows of items.

    Args:
        program: The tables.
        drawn: Unsigned integers[rounds, width].
    """
    return [play_row(program, row) for row in drawn.tolist()]
