"""Whether the tables of a slot make sense together; what cannot be counted exactly is refused by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from certify.families.slot.classes import outcome_ids
from certify.families.slot.rows import row_ids
from certify.families.slot.rules import Counted, Direction, SlotRules
from certify.model.claims import MAXIMUM_AWARD, ODDS_OF_MAXIMUM, ODDS_OF_ROW
from certify.model.game import Claim

Key = tuple[str | int, ...]
Refuse = Callable[[Key, str], None]


def check_sense(rules: SlotRules, refuse: Refuse) -> None:
    """Records everything in which the tables contradict each other, or go beyond what is counted here."""
    for key, message in (*_ids(rules), *_windows(rules), *_rows(rules), *_features(rules)):
        refuse(key, message)


def check_claims(rules: SlotRules, claims: Sequence[Claim], refuse: Refuse) -> None:
    """Records printed odds of what the game does not have, and a maximum where there is no end of what is won."""
    begun = (*(one.id for one in rules.free_games), *(one.id for one in rules.bonuses))
    named = dict.fromkeys((*outcome_ids(rules), *row_ids(rules), *begun))
    endless = [
        one.id
        for one in rules.free_games
        if not (one.most_games or one.most_again >= 0)
        and any(name in one.begins_in for name, _ in one.stages)
    ]
    for n, claim in enumerate(claims):
        if claim.metric == ODDS_OF_ROW and claim.row.rpartition("/")[2] not in named:
            refuse(
                ("claims", n, "row") if claim.row else ("claims", n),
                f'odds of the row "{claim.row}": expected a row, a feature or a band of wins, one of '
                f"{', '.join(named)}; within one stage as STAGE/ROW",
            )
        if claim.metric in (MAXIMUM_AWARD, ODDS_OF_MAXIMUM) and endless:
            refuse(
                ("claims", n, "metric"),
                f'a maximum where the series "{endless[0]}" may go on for ever: expected most_games, most_again or '
                "retriggers = false",
            )


def _ids(rules: SlotRules) -> Iterator[tuple[Key, str]]:
    tables = (
        ("free_games", rules.free_games),
        ("bonuses", rules.bonuses),
        ("respins", rules.respins),
        ("purchases", rules.purchases),
        ("bet_levels", rules.bet_levels),
        ("jackpots", rules.jackpots),
        ("variants", rules.variants),
    )
    for table, entries in tables:
        ids = [one.id for one in entries]
        for n, name in enumerate(ids):
            if name in ids[:n]:
                yield (table, n, "id"), f'"{name}" is stated twice'
    rows = [
        f"{one.id}-{n}"
        for one in rules.line_pays
        for n, pay in enumerate(one.pays, 1)
        if pay and not one.stages
    ]
    for name in sorted({row for row in rows if rows.count(row) > 1}):
        yield ("line_pays",), f'the row "{name}" is stated twice'


def _windows(rules: SlotRules) -> Iterator[tuple[Key, str]]:
    for n, one in enumerate(rules.strip_sets):
        changing = any(len(heights) > 1 for heights in one.heights)
        if changing and rules.lines:
            yield (
                ("strips", n, "heights"),
                "heights that change with lines: expected ways = true, or one height a reel",
            )
        if rules.lines and any(
            max(line[reel] for line in rules.lines) >= heights[0].rows
            for reel, heights in enumerate(one.heights)
        ):
            yield ("strips", n, "heights"), "a line leaves the window of these strips"
    if rules.ways and rules.direction in (Direction.ADJACENT, Direction.RIGHT):
        yield (
            ("slot", "direction"),
            f'ways counted "{rules.direction}" are not supported: expected left or both',
        )
    if rules.ways and (rules.patterns or any(one.anywhere for one in rules.line_pays)):
        yield ("slot", "ways"), "patterns and counts on a line have no meaning where ways are paid"


def _rows(rules: SlotRules) -> Iterator[tuple[Key, str]]:
    if not row_ids(rules) and not rules.bonuses:
        yield ("slot",), "nothing pays: expected [[line_pays]], [[pattern_pays]] or [[scatter_pays]]"
    for n, one in enumerate(rules.wilds):
        if not one.replaces:
            yield (
                ("wilds", n, "symbol"),
                f'the wild "{one.symbol}" stands for nothing that a row pays',
            )
        names = [
            other.symbol for other in rules.wilds[:n] if set(other.stages or "*") & set(one.stages or "*")
        ]
        if one.symbol in names:
            yield ("wilds", n, "symbol"), f'the wild "{one.symbol}" is stated twice'
    for stage in rules.stages:
        wilds = [one for one in rules.wilds if not one.stages or stage.id in one.stages]
        multiplying = {one.together for one in wilds if one.multiplies != ((1, Fraction(1)),)}
        if len(multiplying) > 1 or len({one.alone for one in wilds}) > 1:
            yield ("wilds",), f'wilds of the stage "{stage.id}" differ in together or alone: not supported'
        if sum(one.expands for one in wilds) > 1:
            yield ("wilds",), f'several wilds of the stage "{stage.id}" cover their reel: not supported'
    for n, jackpot in enumerate(rules.jackpots):
        if jackpot.row not in row_ids(rules):
            yield (
                ("jackpots", n, "row"),
                f'no row "{jackpot.row}": expected one of {", ".join(row_ids(rules))}',
            )
    for n, level in enumerate(rules.bet_levels):
        for row, _ in level.pays:
            if row not in row_ids(rules):
                yield (
                    ("bet_levels", n, "pays"),
                    f'no row "{row}": expected one of {", ".join(row_ids(rules))}',
                )


def _features(rules: SlotRules) -> Iterator[tuple[Key, str]]:
    for n, free in enumerate(rules.free_games):
        if free.trigger.on_line and rules.ways:
            yield ("free_games", n, "on_line"), "symbols on a line start it, but ways are paid"
    for n, bonus in enumerate(rules.bonuses):
        if bonus.trigger.on_line and rules.ways:
            yield ("bonuses", n, "on_line"), "symbols on a line start it, but ways are paid"
        if bonus.trigger.counted is Counted.RUN and bonus.trigger.on_line:
            yield ("bonuses", n, "counted"), "a line is counted from its end: counted says nothing there"
    # Said, and not counted: refused by name, never approximated.
    if rules.respins:
        yield ("respins", 0), "respins with held reels are not counted yet: not supported"
    if rules.cascades:
        yield ("cascades", 0), "cascades are not counted yet: not supported"
    if rules.most is not None and (rules.free_games or rules.bonuses):
        yield (
            ("slot", "most"),
            "a limit on the win of a round with features is not counted yet: not supported",
        )
    if any(stage.full_window for stage in rules.stages):
        yield ("stages",), "multipliers of a full window are not counted yet: not supported"
