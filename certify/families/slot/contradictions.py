"""Whether the tables of a slot make sense together; what cannot be counted exactly is refused by name."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product
from math import prod
from typing import Final

from certify.errors import GoesOn, KeyPath
from certify.families.slot.exact.port import variant_rules
from certify.families.slot.exact.spin import spin_law
from certify.families.slot.reachability import Row, features_mistaken, unlisted
from certify.families.slot.rows import CLASSES, added_rows, outcome_ids, row_ids
from certify.families.slot.rules import (
    BASE,
    BonusPrizes,
    Direction,
    Fill,
    FreeGames,
    LinePay,
    PatternPay,
    PrizeDraws,
    ScatterPay,
    SlotRules,
    SpinKind,
    SymbolCount,
    Trigger,
    WildProduct,
    speaks_of,
    wilds_in,
)
from certify.model import MAXIMUM_AWARD, ODDS_OF_MAXIMUM, ODDS_OF_ROW, Claim

Refuse = Callable[[object, KeyPath, str], None]

MOST_PLAYED: Final = 1 << 20
"""Combinations of stops that are played to their ends while a submission is read, at most."""

MOST_PLACES: Final = 40
"""Places of hold and win, at most."""

OFFERS: Final = ("purchases", "bet_levels", "jackpots", "variants")


def check_consistency(rules: SlotRules, wagers: Collection[str], reading: GoesOn) -> None:
    """Records everything in which the tables contradict each other, or go beyond what is counted here."""
    parts = (_windows, _rows, _doubled, _wilds, _features, _again, _offers)
    # What is refused of strips is refused of those of variants.
    played = (rules, *(variant_rules(rules, one.id) for one in rules.variants))
    rows = (row for own in played for part in parts for row in part(own))
    found = dict.fromkeys(row[1:] for row in (*_ids(rules, wagers), *rows) if row[0])
    for row in [(True, *row) for row in found] or (*features_mistaken(rules), *unlisted(rules)):
        reading.refuse_where(*row)
    for own, n, stage in () if found else product(played, range(len(rules.cascades)), rules.stages):
        reels = own.strip_set(own.stage(stage.id).strips).reels
        if stage.id in rules.cascades[n].stages and prod(len(one.symbols) for one in reels) <= MOST_PLAYED:
            reading.attempt(("cascades", n), partial(spin_law, own, stage.id), None)


def check_claims(rules: SlotRules, claims: Sequence[Claim], refuse: Refuse) -> None:
    """Records printed odds of what the game does not have, and a maximum where there is no end of what is won."""
    begun = (*(one.id for one in rules.free_games), *(one.id for one in rules.bonuses))
    named = dict.fromkeys((*outcome_ids(rules), *row_ids(rules), *begun))
    endless = [one.id for one in rules.free_games if is_endless(one) and rules.most is None]
    for n, claim in enumerate(claims):
        refuse(
            claim.metric == ODDS_OF_ROW and claim.row.rpartition("/")[2] not in named,
            ("claims", n, "row") if claim.row else ("claims", n),
            f'odds of the row "{claim.row}": expected a row, a feature or a band of wins, one of '
            f"{', '.join(named)}; within one stage as STAGE/ROW",
        )
        refuse(
            claim.metric in (MAXIMUM_AWARD, ODDS_OF_MAXIMUM) and endless,
            ("claims", n, "metric"),
            f'a maximum where the series "{"".join(endless[:1])}" may go on for ever: expected most_games, most_again '
            "or retriggers = false",
        )


def _ids(rules: SlotRules, wagers: Collection[str]) -> Iterator[Row]:
    # What is stated side by side is distinguished: rows with what they begin, and ways of staking, of whatever kind.
    tables = (("free_games", "bonuses", "respins"), OFFERS)
    for names in tables:
        met = {*wagers, "gamble"} if names is OFFERS else {*row_ids(rules), *_taken(rules)}
        for table in names:
            for n, one in enumerate(getattr(rules, table)):
                yield (
                    one.id in met,
                    (table, n, "id"),
                    f'"{one.id}" is stated twice: expected an id of its own',
                )
                met.add(one.id)
    yield from _rows_twice(rules)


def _taken(rules: SlotRules) -> Sequence[str]:
    """Returns rows and classes of rounds that no table states; what a gamble adds to a win is a row of its name."""
    return (*CLASSES, *added_rows(replace(rules, bonuses=())), *(["gamble"] if rules.gamble else []))


def _rows_twice(rules: SlotRules) -> Iterator[Row]:
    """Yields rows under the id of an earlier one, and rows that pay once more what an earlier one pays."""
    met: list[tuple[str, object, Sequence[str]]] = [(name, None, ()) for name in _taken(rules)]
    tables: dict[str, Sequence[LinePay | PatternPay | ScatterPay]] = {
        "line_pays": rules.line_pays,
        "pattern_pays": rules.patterns,
        "scatter_pays": rules.scatter_pays,
    }
    for table, entries in tables.items():
        for n, one in enumerate(entries):
            for name, shown in _paid_by(one):
                for other, same, stages in met:
                    apart = stages and one.stages and set(stages).isdisjoint(one.stages)
                    if (other == name or same == shown) and not apart:
                        expected = (
                            "an id of its own" if same != shown else f'it once, and not as "{other}" too'
                        )
                        yield True, (table, n), f'the row "{name}" is stated twice: expected {expected}'
                        break
                met.append((name, shown, one.stages))


def _paid_by(one: LinePay | PatternPay | ScatterPay) -> Iterator[tuple[str, object]]:
    """Yields the rows of an entry, each with what it pays for."""
    if isinstance(one, PatternPay):
        yield one.id, one.cells
        return
    how = (one.counted, one.wilds) if isinstance(one, ScatterPay) else (one.anywhere,)
    for count, pays in enumerate(one.pays, 1):
        if pays:
            yield f"{one.id}-{count}", (type(one), frozenset(one.symbols), *how, count)


def _windows(rules: SlotRules) -> Iterator[Row]:
    for line in sorted({line for line in rules.lines if rules.lines.count(line) > 1}):
        yield True, ("slot", "lines"), f'the line "{"".join(str(row + 1) for row in line)}" is stated twice'
    for n, one in enumerate(rules.strip_sets if rules.lines else ()):
        yield (
            any(len(heights) > 1 for heights in one.heights),
            ("strips", n, "heights"),
            "heights that change with lines: expected ways = true, or one height a reel",
        )
        yield (
            any(
                max(line[reel] for line in rules.lines) >= heights[0].rows
                for reel, heights in enumerate(one.heights)
            ),
            ("strips", n, "heights"),
            "a line leaves the window of these strips",
        )
    yield (
        rules.line_wins.by_end and rules.direction is not Direction.BOTH,
        ("slot", "line_wins"),
        f'"{rules.line_wins}", but lines are counted "{rules.direction}": expected both',
    )
    yield (
        rules.ways and rules.direction is not Direction.LEFT,
        ("slot", "direction"),
        f'ways counted "{rules.direction}" are not supported: expected left',
    )
    yield (
        rules.ways and (rules.patterns or any(one.anywhere for one in rules.line_pays)),
        ("slot", "ways"),
        "patterns and counts on a line have no meaning where ways are paid",
    )


def _rows(rules: SlotRules) -> Iterator[Row]:
    yield (
        not row_ids(rules) and not rules.bonuses,
        ("slot",),
        "nothing pays: expected [[line_pays]], [[pattern_pays]] or [[scatter_pays]]",
    )
    for n, pattern in enumerate(rules.patterns):
        message = "every window shows it: expected a symbol on some reel"
        yield not any(pattern.cells), ("pattern_pays", n, "cells"), message
    named = [
        *((("jackpots", n, "row"), one.row) for n, one in enumerate(rules.jackpots) if one.row),
        *((("bet_levels", n, "pays"), row) for n, one in enumerate(rules.bet_levels) for row, _ in one.pays),
    ]
    known = row_ids(rules)
    yield from (
        (row not in known, key, f'no row "{row}": expected one of {", ".join(known)}') for key, row in named
    )


def _doubled(rules: SlotRules) -> Iterator[Row]:
    wilds = {one.symbol for one in rules.wilds}
    doubled = [one.symbol for one in rules.doubled]
    for n, one in enumerate(rules.doubled):
        yield (
            one.stands_for in wilds.union(doubled) or one.symbol in wilds,
            ("doubled", n),
            f'"{one.symbol}" counts as "{one.stands_for}", and one of them counts as another one already',
        )
        yield (one.symbol in doubled[:n], ("doubled", n, "symbol"), f'"{one.symbol}" is stated twice')


def _wilds(rules: SlotRules) -> Iterator[Row]:
    for n, one in enumerate(rules.wilds):
        yield (
            not one.replaces,
            ("wilds", n, "symbol"),
            f'the wild "{one.symbol}" replaces nothing that a row pays',
        )
        yield (
            one.symbol in one.replaces,
            ("wilds", n, "replaces"),
            f'the wild "{one.symbol}" replaces itself',
        )
        for name in _never_replaced(rules, one.replaces):
            message = (
                f'the wild "{one.symbol}" replaces "{name}", for which no wild counts: expected wilds = true'
            )
            yield True, ("wilds", n, "replaces"), message
        yield (
            any(
                other.symbol == one.symbol and set(other.stages or "*") & set(one.stages or "*")
                for other in rules.wilds[:n]
            ),
            ("wilds", n, "symbol"),
            f'the wild "{one.symbol}" is stated twice',
        )
    replaced = {name for one in rules.wilds for name in one.replaces}
    yield from (
        (
            counted.wilds and replaced.isdisjoint(counted.symbols),
            (table, n, "wilds"),
            f'wilds count for "{", ".join(counted.symbols)}", which no wild replaces: expected it in their replaces',
        )
        for table in ("scatter_pays", "free_games", "bonuses", "full_reels")
        for n, entry in enumerate(getattr(rules, table))
        for counted in (getattr(entry, "trigger", entry),)
    )
    for stage in rules.stages:
        yield from _wilds_of(rules, stage)


def _wilds_of(rules: SlotRules, stage: SpinKind) -> Iterator[Row]:
    """Yields in what the wilds of one stage do not go together."""
    wilds = [one for one in rules.wilds if speaks_of(one.stages, stage)]
    strong = [one for one in wilds if one.multiplies != ((1, Fraction(1)),)]
    together = {one.together for one in strong}
    yield (
        len(together) > 1 or len({one.alone for one in wilds}) > 1,
        ("wilds",),
        f'wilds of the stage "{stage.id}" differ in together or alone: not supported',
    )
    yield (
        sum(one.expands for one in wilds) > 1,
        ("wilds",),
        f'several wilds of the stage "{stage.id}" cover their reel: not supported',
    )
    symbols = {one.symbol for one in strong}
    meet = sum(not symbols.isdisjoint(reel.symbols) for reel in rules.strip_set(stage.strips).reels) > 1
    yield (
        rules.ways and meet and together != {WildProduct.MULTIPLY},
        ("wilds", next((n for n, one in enumerate(rules.wilds) if one.symbol in symbols), 0), "together"),
        f'wilds of several reels in ways of "{stage.id}" multiply each other: expected multiply',
    )


def _never_replaced(rules: SlotRules, names: Sequence[str]) -> Iterator[str]:
    """Yields symbols that pay or start something, but nowhere by a wild that replaces them."""
    counted: list[ScatterPay | Trigger] = [*rules.scatter_pays, *(one.trigger for one in rules.features)]
    paid = {name for one in rules.line_pays for name in one.symbols} | {
        one.stands_for for one in rules.doubled
    }
    paid |= {name for one in rules.patterns for cell in one.cells for name in cell}
    paid |= {name for one in rules.full_reels for name in one.symbols}
    for name in names:
        there = [one for one in counted if name in one.symbols]
        alike = any(one.wilds or (isinstance(one, Trigger) and one.on_line) for one in there)
        if there and not alike and name not in paid:
            yield name


def _features(rules: SlotRules) -> Iterator[Row]:
    yield from (
        (one.trigger.on_line, (table, n, "on_line"), "symbols on a line start it, but ways are paid")
        for table in ("free_games", "bonuses")
        for n, one in enumerate(getattr(rules, table) if rules.ways else ())
    )
    begun = {name for one in rules.free_games for name in one.begins_in}
    for n, free in enumerate(rules.free_games):
        others = {BASE}.union(name for one in rules.free_games[:n] for name, _ in one.stages)
        for name, _ in free.stages:
            symbol = rules.stage(name).expanding
            yield (
                name in begun & others,
                ("free_games", n, "stage"),
                f'the stage "{name}" starts games and is that of the paid spin or of other games: expected its own',
            )
            yield (
                symbol and not any(symbol in row.symbols for row in rules.line_pays),
                ("free_games", n, "expanding"),
                f'"{symbol}" expands and pays nothing on lines: expected [[line_pays]] of it',
            )
        yield (
            free.again and not any(name in free.begins_in for name, _ in free.stages),
            ("free_games", n, "again"),
            "games are granted again, but retriggers = false: expected one of both",
        )
    for n, bonus in enumerate(rules.bonuses):
        yield (
            not any(one.pays for one in bonus.prizes),
            ("bonuses", n, "prizes"),
            'no prize pays anything: expected one such as "10 x3"',
        )
        yield from ((wrong, ("bonuses", n, key), message) for wrong, key, message in _held(bonus))
        again = [*(one.stages for one in rules.respins), *(one.stages for one in rules.cascades)]
        yield (
            bonus.draws is PrizeDraws.HOLD and any(set(stages) & set(bonus.begins_in) for stages in again),
            ("bonuses", n, "begins_in"),
            "places are held from windows that pay again (respins, cascades): not supported",
        )
        yield (
            bonus.trigger.counted is SymbolCount.RUN and bonus.trigger.on_line,
            ("bonuses", n, "counted"),
            "a line is counted from its end: counted says nothing there",
        )
    yield from _limit(rules)


def _held(bonus: BonusPrizes) -> Iterator[tuple[object, str, str]]:
    """Yields what keeps hold and win from being played, or is stated of another bonus; each with its key."""
    if bonus.draws is not PrizeDraws.HOLD:
        message = f'places and full of "{bonus.draws}": expected them where draws = "hold"'
        yield bonus.places or bonus.full, "places", message
        return
    most, allowed = max(bonus.trigger.starts, default=0), 1 <= bonus.places <= MOST_PLACES
    yield not allowed, "places", f"places {bonus.places}: expected 1 to {MOST_PLACES:,}"
    yield (
        len({bool(one.pays) for one in bonus.prizes}) < 2,
        "prizes",
        'expected prizes that are held, and one of 0, "0 x60", where a place stays open',
    )
    yield (
        most > bonus.places,
        "starts",
        f"{most} places held at first: expected at most {bonus.places}",
    )
    yield (
        bonus.trigger.on_line,
        "on_line",
        "places are held by symbols of the window: on_line is not supported",
    )


def _limit(rules: SlotRules) -> Iterator[Row]:
    if rules.most is None:
        return
    yield (not rules.most, ("slot", "most"), "a round that pays nothing at most: expected a limit above 0")
    yield (
        (rules.most * rules.cost).denominator > 1,
        ("slot", "most"),
        f'"{rules.most}" total bets are no whole coins: expected a limit in whole coins',
    )
    for one in rules.free_games:
        yield (
            is_endless(one) and not _pays_where_it_grants(rules, one),
            ("slot", "most"),
            (
                f'a limit on the win where "{one.id}" may go on for ever: expected most_games, most_again, '
                "retriggers = false, or [[scatter_pays]] of its symbols for every number of them that grants further "
                "games, else no fraction says what it takes away: not supported"
            ),
        )


def is_endless(feature: FreeGames) -> bool:
    """Returns whether nothing but chance ends a series of free games."""
    own = any(name in feature.begins_in for name, _ in feature.stages)
    return own and not feature.most_games and feature.most_again < 0


def _pays_where_it_grants(rules: SlotRules, feature: FreeGames) -> bool:
    """Returns whether each game of a series that grants further ones wins something by the same symbols."""
    trigger = feature.trigger
    grants = feature.again or trigger.starts
    return not trigger.on_line and all(
        any(
            (one.symbols, one.counted, one.wilds) == (trigger.symbols, trigger.counted, trigger.wilds)
            and stage in (one.stages or (stage,))
            and all(
                one.pays[min(count, len(one.pays)) - 1]
                for count in range(1, max(len(grants), len(one.pays)) + 1)
                if grants[min(count, len(grants)) - 1]
            )
            for one in rules.scatter_pays
        )
        for stage, _ in feature.stages
        if stage in feature.begins_in
    )


def _again(rules: SlotRules) -> Iterator[Row]:
    """Yields what is stated of windows that pay again, and is not counted: refused by name, never approximated."""
    yield from (
        (True, (table, n), "a second one for the same stage: not supported")
        for table in ("respins", "cascades", "full_reels")
        for n, one in enumerate(getattr(rules, table))
        for other in getattr(rules, table)[:n]
        if not one.stages or not other.stages or set(one.stages) & set(other.stages)
    )
    for n, full in enumerate(rules.full_reels):
        yield (not full.symbols, ("full_reels", n, "symbols"), "no symbol: expected one or more")
        yield (
            rules.ways,
            ("full_reels", n),
            "full reels multiply what lines win, but ways are paid: not supported",
        )
    for n, respin in enumerate(rules.respins):
        for stage in respin.stages:
            yield (
                rules.cascade(stage) is not None,
                ("respins", n),
                f'reels are held in "{stage}", where wins fall too: not supported',
            )
            yield (
                any(len(one) > 1 for one in rules.strip_set(rules.stage(stage).strips).heights),
                ("respins", n),
                f'reels are held in "{stage}", whose heights change: not supported',
            )
    for n, cascade in enumerate(rules.cascades):
        for stage in cascade.stages:
            for wrong, message in _cascading(rules, rules.stage(stage)):
                yield wrong, ("cascades", n), f'wins of "{stage}" fall, {message}: not supported'


def _cascading(rules: SlotRules, stage: SpinKind) -> Iterator[tuple[object, str]]:
    """Yields what would keep the wins of a stage from falling exactly, each behind whether it does."""
    strips = rules.strip_set(stage.strips)
    wilds = wilds_in(rules, stage)
    yield (
        rules.direction is not Direction.LEFT or any(one.anywhere for one in rules.line_pays),
        "but not all its lines are counted from the left",
    )
    yield (rules.patterns or rules.doubled, "together with patterns or symbols that count several times")
    yield (
        strips.fill is Fill.CELLS or any(len(one) > 1 for one in strips.heights),
        "but its reels do not stop on a strip with a window of one height",
    )
    yield (
        any(one.expands or len(one.multiplies) > 1 for one in wilds) or stage.expanding,
        "but symbols expand there, or wilds draw what they multiply by",
    )
    yield (
        any(one.trigger.on_line for one in rules.features if stage.id in one.begins_in),
        "but symbols on a line start a feature there",
    )


def _offers(rules: SlotRules) -> Iterator[Row]:
    """Yields offers in addition to the round that take away or change nothing."""
    yield (
        rules.gamble is not None and rules.gamble.multiplies <= 1,
        ("gamble", "multiplies"),
        "expected a number above 1",
    )
    for n, level in enumerate(rules.bet_levels):
        yield (
            any(pay < 0 for _, pay in level.pays),
            ("bet_levels", n, "pays"),
            "a pay below 0: expected coins",
        )
    for n, jackpot in enumerate(rules.jackpots):
        yield (
            jackpot.increment >= 1,
            ("jackpots", n, "increment"),
            f'"{jackpot.increment}": expected a part of the bet, below 1',
        )
    for n, variant in enumerate(rules.variants):
        yield (
            not variant.strips,
            ("variants", n, "strips"),
            "no other strips: expected a strip set for one stage or more",
        )
