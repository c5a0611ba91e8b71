"""What strips can show at all, before anything is counted: what never starts, never ends, or is never won."""

import re
from collections.abc import Collection, Container, Iterator, Sequence
from fractions import Fraction
from typing import Any, Final

import numpy as np

from certify.errors import KeyPath
from certify.families.slot.exact.lines import line_table
from certify.families.slot.exact.windows import Shown, at
from certify.families.slot.random_elements import count_law
from certify.families.slot.rows import row_ids, scatter_row
from certify.families.slot.rules import (
    BASE,
    BonusPrizes,
    Direction,
    Fill,
    FreeGames,
    ScatterPay,
    SlotRules,
    SpinKind,
    Strip,
    StripSet,
    SymbolCount,
    Trigger,
    Wild,
    scatters_in,
    speaks_of,
    wilds_in,
)

Row = tuple[object, KeyPath, str]
"""Whether something is wrong, the key at which it is stated, and what to say."""

_BLANK: Final = re.compile("blank|empty|space|none|nothing")
"""What symbols are called that are meant to do nothing."""

MOST_COUNTED: Final = 10_000
"""More symbols than any window holds."""


def _pays_again(rules: SlotRules, stage: SpinKind) -> bool:
    """Returns whether more windows than the first one may start something."""
    return rules.respin(stage.id) is not None or rules.cascade(stage.id) is not None


def most_shown(rules: SlotRules, stage: SpinKind, one: ScatterPay | Trigger, strips: StripSet) -> int:
    """Returns a bound on how many of what a scatter pay or a trigger counts show."""
    if isinstance(one, Trigger) and one.on_line:
        return _most_on_line(rules, stage, one.symbols, strips, run=False)
    if _pays_again(rules, stage) and one.counted is SymbolCount.SYMBOLS:
        return MOST_COUNTED
    return max(count_law(rules, stage, one, strips))


def _most_on_line(
    rules: SlotRules, stage: SpinKind, symbols: Collection[str], strips: StripSet, *, run: bool
) -> int:
    """Returns a bound on how many of some symbols a line shows, or a run from the first: the most of each reel."""
    number = 0
    for reel in strips.reels:
        shown = _as_good_as(rules, stage, symbols).intersection(reel.symbols)
        if not shown and run:
            break
        number += max((_times(rules, name, symbols) for name in shown), default=0)
    return number


def _times(rules: SlotRules, name: str, symbols: Collection[str]) -> int:
    """Returns how often one symbol counts as one of some on a line; in ways its reel counts once."""
    if rules.ways or name in symbols:
        return 1
    return max(
        (one.times for one in rules.doubled if one.symbol == name and one.stands_for in symbols), default=1
    )


def unlisted(rules: SlotRules) -> Iterator[Row]:
    """Yields line pays that list fewer than the strips can show: whether more pay as the last or nothing is not stated.

    What another row of the same symbols lists is stated there.
    """
    for n, row in enumerate(rules.line_pays):
        alike = [len(one.pays) for one in rules.line_pays if set(one.symbols) == set(row.symbols)]
        most = [
            _most_on_line(
                rules, stage, row.symbols, strips, run=_from_the_left(rules, stage) and not row.anywhere
            )
            for stage in rules.stages
            if speaks_of(row.stages, stage)
            for strips in _spun(rules, stage)
        ]
        can = max(most, default=0)
        said = f'"{row.id}": as many as {can} can show, and {len(row.pays)} are listed'
        yield (
            can > max(alike),
            ("line_pays", n, "pays"),
            f"{said}: expected a number for each, 0 where it pays nothing",
        )


def _from_the_left(rules: SlotRules, stage: SpinKind) -> bool:
    return rules.direction is Direction.LEFT and not stage.expanding


def _as_good_as(rules: SlotRules, stage: SpinKind, symbols: Collection[str]) -> set[str]:
    """Returns symbols with what counts as one of them on a line."""
    good = set(symbols) | {one.symbol for one in rules.doubled if one.stands_for in symbols}
    return good | {one.symbol for one in wilds_in(rules, stage) if set(one.replaces) & good}


def _spun(rules: SlotRules, stage: SpinKind) -> Iterator[StripSet]:
    """Yields the strips that a stage spins, those of variants too."""
    names = [stage.strips, *(name for one in rules.variants for on, name in one.strips if on == stage.id)]
    yield from map(rules.strip_set, dict.fromkeys(names))


def rows_that_show(rules: SlotRules) -> tuple[str, ...]:
    """Returns the rows for which the strips hold enough symbols; whether one is won is counted elsewhere."""
    found: set[str] = set()
    for stage in rules.stages:
        left = _from_the_left(rules, stage)
        for strips in _spun(rules, stage):
            for row in rules.line_pays:
                most = _most_on_line(rules, stage, row.symbols, strips, run=left and not row.anywhere)
                if speaks_of(row.stages, stage):
                    found |= {f"{row.id}-{count}" for count in range(1, most + 1)}
            for pattern in rules.patterns:
                if speaks_of(pattern.stages, stage) and all(
                    not cell or not _as_good_as(rules, stage, cell).isdisjoint(reel.symbols)
                    for cell, reel in zip(pattern.cells, strips.reels, strict=True)
                ):
                    found.add(pattern.id)
            for one in scatters_in(rules, stage):
                most = min(most_shown(rules, stage, one, strips), len(one.pays))
                found |= {scatter_row(one, count) for count in range(1, most + 1)}
    return tuple(row for row in row_ids(rules) if row in found)


def idle(
    stages: Sequence[Any],
    series: Sequence[Any],
    sets: Sequence[StripSet],
) -> Iterator[Row]:
    """Yields stages that nothing leads to, strips shorter than their window, symbols in two spellings."""
    played = {word.split()[0] for one in series for word in (one.stage, *one.stages) if word.strip()}
    # A series that names a stage nobody states is refused for that: its slip leaves another stage without a way to it.
    misspelt = not played <= {BASE, *(stage.id for stage in stages)}
    for n, stage in enumerate(stages):
        lost = stage.id not in played | {BASE} and not misspelt
        yield lost, ("stages", n, "id"), f'nothing leads to the stage "{stage.id}"'
    for n, one in enumerate(sets):
        for place, reel in enumerate(one.reels if one.fill is Fill.STRIP else ()):
            tallest = max(
                (height.rows for heights in one.heights[place : place + 1] for height in heights), default=0
            )
            message = (
                f"reel {place + 1} has {len(reel.symbols)} stops, and its window {tallest} rows: expected a stop "
                'for each row, or fill = "cells"'
            )
            # A strip of one stop shows one symbol all over, which somebody may mean.
            yield 1 < len(reel.symbols) < tallest, ("strips", n, "reels"), message
    alike: dict[str, str] = {}
    for name in sorted({name for one in sets for reel in one.reels for name in reel.symbols}):
        other = alike.setdefault(name.lower(), name)
        yield other != name, ("strips",), f'the symbols "{other}" and "{name}" differ in case alone'


def remarks(rules: SlotRules, stated: Container[KeyPath]) -> Iterator[tuple[KeyPath, str]]:
    """Yields symbols that do nothing, patterns never paid, and wilds whose readings of ``alone`` differ, none stated.

    Args:
        rules: Rules of the slot.
        stated: The keys that the submission states.
    """
    triggers = (one.trigger for one in rules.features)
    counted: tuple[Any, ...] = (*rules.line_pays, *rules.scatter_pays, *triggers, *rules.full_reels)
    singles: tuple[Any, ...] = (*rules.wilds, *rules.doubled, *rules.respins)
    busy = {name for one in counted for name in one.symbols}
    busy |= {name for one in rules.patterns for cell in one.cells for name in cell}
    busy |= {one.symbol for one in singles}
    for name in rules.symbols:
        if name not in busy and not _BLANK.search(name.lower()):
            message = f'the symbol "{name}" pays, starts and replaces nothing: a blank, or is a rule missing?'
            yield ("strips",), message
    yield from _hidden(rules)
    for n, wild in enumerate(rules.wilds):
        row = next(_won_alone(rules, wild), "")
        if row and ("wilds", n, "alone") not in stated:
            yield (
                ("wilds", n),
                f'wilds alone win "{row}": alone = true where left out; does the source say so?',
            )


def _hidden(rules: SlotRules) -> Iterator[tuple[KeyPath, str]]:
    """Yields patterns that are never paid, as every line that shows one wins as much by an earlier row, or more."""
    won = {
        part.rows[row]
        for stage in rules.stages
        for strips in (_spun(rules, stage) if rules.patterns else ())
        for part in line_table(
            rules, stage, [list(_cells(rules, stage, one)) for one in strips.reels], ()
        ).paid
        for row in np.unique(part.which)
    }
    said = "is never paid: each line that shows it wins as much or more by another row"
    for n, one in enumerate(rules.patterns):
        if one.id in set(rows_that_show(rules)) - won:
            yield ("pattern_pays", n), f'"{one.id}" {said}'


def _cells(rules: SlotRules, stage: SpinKind, reel: Strip) -> Iterator[Shown]:
    """Yields what one cell of a reel may show, wilds once with each of their factors."""
    factors = {one.symbol: dict(one.multiplies) for one in wilds_in(rules, stage)}
    for name in dict.fromkeys(reel.symbols):
        yield from (Shown(name, by) for by in factors.get(name, (1,)))


def _won_alone(rules: SlotRules, wild: Wild) -> Iterator[str]:
    """Yields rows that are paid for a wild alone as another symbol, and not less than as itself."""
    from_left = rules.direction is not Direction.RIGHT
    for stage in rules.stages if wild.alone else ():
        if not speaks_of(wild.stages, stage):
            continue
        shows = [wild.symbol in reel.symbols for reel in rules.strip_set(stage.strips).reels]
        number = [*shows[:: 1 if from_left else -1], False].index(False)
        if rules.direction in (Direction.BOTH, Direction.ADJACENT):
            number = sum(shows)
        rows = [one for one in rules.line_pays if speaks_of(one.stages, stage)]
        for count in range(1, number + 1):
            paid = [(one, (*one.pays, *[0] * count)[count - 1]) for one in rows]
            own = max((pays for one, pays in paid if wild.symbol in one.symbols), default=0)
            for one, pays in paid:
                if set(one.symbols) & set(wild.replaces) and wild.symbol not in one.symbols and pays > own:
                    yield f"{one.id}-{count}"


def features_mistaken(rules: SlotRules) -> Iterator[Row]:
    """Yields features that nothing starts, that start each other in a circle, or whose series never end."""
    bought = {one.feature for one in rules.purchases}
    features: list[tuple[KeyPath, FreeGames | BonusPrizes]] = [
        (("free_games", n, "games"), free) for n, free in enumerate(rules.free_games)
    ]
    for key, one in [
        *features,
        *((("bonuses", n, "starts"), bonus) for n, bonus in enumerate(rules.bonuses)),
    ]:
        own = [name for name, _ in one.stages] if isinstance(one, FreeGames) else []
        elsewhere = [rules.stage(name) for name in one.begins_in if name not in own]
        where = ", ".join(stage.id for stage in elsewhere)
        shown = f"so many of {' or '.join(one.trigger.symbols)} never show in {where}"
        yield (
            one.id not in bought and not any(_starts(rules, stage, one.trigger) for stage in elsewhere),
            key,
            f'nothing ever starts "{one.id}": {shown if where else "it begins in no stage but its own"}',
        )
    yield from _endless(rules)
    message = "features start each other in a circle: such series are not counted here"
    yield _circle(rules), ("free_games",), message


def _starts(rules: SlotRules, stage: SpinKind, trigger: Trigger) -> bool:
    return any(
        at(trigger.starts, count)
        for strips in _spun(rules, stage)
        for count in range(1, min(most_shown(rules, stage, trigger, strips), len(trigger.starts)) + 1)
    )


def _endless(rules: SlotRules) -> Iterator[Row]:
    """Yields series that have no limit and to which each game adds one game or more on average."""
    for n, free in enumerate(rules.free_games):
        if free.most_games or free.most_again >= 0 or rules.most is not None or free.trigger.on_line:
            continue
        for stage in (rules.stage(name) for name, _ in free.stages if name in free.begins_in):
            if _pays_again(rules, stage):
                continue
            law = count_law(rules, stage, free.trigger, rules.strip_set(stage.strips))
            grants = free.again or free.trigger.starts
            more = sum((at(grants, count) * chance for count, chance in law.items()), Fraction(0))
            message = (
                f'a game of "{stage.id}" adds {float(more):.4f} games to its own series on average, which would '
                "never end: expected less than one, most_games, most_again or retriggers = false"
            )
            yield more >= 1, ("free_games", n, "again" if free.again else "games"), message


def _circle(rules: SlotRules) -> bool:
    """Returns whether stages lead back to where they came from, the series that a stage plays itself left out."""
    played = [dict(one.stages) for one in rules.free_games]
    leads: dict[str, set[str]] = {}
    for stage in rules.stages:
        own = next((n for n, stages in enumerate(played) if stage.id in stages), None)
        begun = [
            played[n]
            for n, one in enumerate(rules.free_games)
            if n != own and stage.id in one.begins_in and _starts(rules, stage, one.trigger)
        ]
        leads[stage.id] = {name for stages in begun for name in stages}
    while ended := [name for name, to in leads.items() if to.isdisjoint(leads)]:
        for name in ended:
            del leads[name]
    return bool(leads)
