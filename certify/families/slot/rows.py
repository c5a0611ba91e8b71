"""The rows of a slot's paytable, as they follow from what its tables pay."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

from certify.families.slot.classes import LIMIT, MULTIPLIED
from certify.families.slot.rules import Per, ScatterPay, SlotRules
from certify.model.game import Paytable, PaytableRow

Lines = Callable[[tuple[str | int, ...]], int]
"""Line of the submission of a key."""


def award_unit(rules: SlotRules, per: Per) -> int:
    """Returns the coins that one unit of a pay is, for the total bet, a line, or every line."""
    if per is Per.BET:
        return rules.cost
    return rules.line_bet * (len(rules.lines) if per is Per.LINES else 1)


def paytable_of(rules: SlotRules, line: Lines = lambda key: 0) -> Paytable:
    """Returns every row that pays, as an award in total bets, before multipliers; features pay rows of their own."""
    return Paytable(tuple(_placed(rules, line)))


@lru_cache(maxsize=64)
def row_ids(rules: SlotRules) -> tuple[str, ...]:
    """Returns the ids of all rows in printed order."""
    return paytable_of(rules).ids


def added_rows(rules: SlotRules) -> tuple[str, ...]:
    """Returns the rows of awards that stand in no table of pays."""
    multiplied = (MULTIPLIED,) if rules.full_reels or rules.cascades else ()
    limited = () if rules.most is None else (LIMIT,)
    return (*multiplied, *limited, *(bonus.id for bonus in rules.bonuses))


def _placed(rules: SlotRules, line: Lines) -> list[PaytableRow]:
    made: dict[str, PaytableRow] = {}

    def add(row: str, title: str, coins: int, at: int) -> None:
        if coins:
            made.setdefault(row, PaytableRow(row, title, Fraction(coins, rules.cost), line=at))

    for n, one in enumerate(rules.line_pays):
        for count, pays in enumerate(one.pays, start=1):
            add(f"{one.id}-{count}", f"{count} {one.id}", pays * rules.line_bet, line(("line_pays", n)))
    for n, pattern in enumerate(rules.patterns):
        title = " ".join("|".join(cell) or "any" for cell in pattern.cells)
        add(pattern.id, title, pattern.pays * rules.line_bet, line(("pattern_pays", n)))
    for n, scatter in enumerate(rules.scatter_pays):
        for count, pays in enumerate(scatter.pays, start=1):
            coins = pays * award_unit(rules, scatter.per)
            add(
                scatter_row(scatter, count),
                f"{count} {scatter.id} anywhere",
                coins,
                line(("scatter_pays", n)),
            )
    return list(made.values())


def scatter_row(scatter: ScatterPay, count: int) -> str:
    """Returns the id of the row of so many scatters."""
    return f"{scatter.id}-{min(count, len(scatter.pays))}"
