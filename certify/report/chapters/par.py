"""PAR sheets: what a wager may be seen to return over so many rounds, losing runs and ruin."""

from __future__ import annotations

from dataclasses import dataclass

from certify.report.formats import grouped, p_value, statistic
from certify.report.layout import Column, Table, columns, number
from certify.report.node import Node
from certify.report.order import by_wager, unit_of, wager_titles

_CONFIDENCES = ("90 %", "95 %", "99 %")


@dataclass(frozen=True, slots=True)
class Par:
    """The PAR sheets of all wagers."""

    bands: tuple[Table, ...]
    ruin: Table | None


def par(evidence: Node) -> Par | None:
    """Returns the PAR sheets, or nothing where there are none."""
    titles = wager_titles(evidence)
    sheets = [(titles.get(wager, wager), sheet) for wager, sheet in by_wager(evidence, evidence.at("par"))]
    if not sheets:
        return None
    unit = unit_of(evidence)
    return Par(tuple(_bands(title, sheet, unit) for title, sheet in sheets), _ruin(sheets, unit))


def _bands(title: str, sheet: Node, unit: str) -> Table:
    found: dict[int, dict[str, str]] = {}
    for band in sheet.each("bands"):
        low, high = (statistic(100 * band.number(end), 3) for end in ("low", "high"))
        found.setdefault(band.integer("rounds"), {})[band.text("confidence")] = f"{low} to {high}"
    runs = {run.integer("rounds"): run.integer("longest") for run in sheet.each("losing_runs")}
    rows = tuple(
        (
            number(grouped(rounds)),
            *(number(ranges.get(confidence, "–")) for confidence in _CONFIDENCES),
            number(grouped(runs[rounds]) if rounds in runs else "–"),
        )
        for rounds, ranges in found.items()
    )
    head = columns("#Rounds:16", "#90 %:22", "#95 %:22", "#99 %:22", "#Losing run:18")
    cycle = grouped(sheet.integer("cycle"))
    remark = f"Cycle: {cycle} equally likely results; the outcomes above are counted over it."
    per = " per ante" if unit == "ante" else ""
    caption = (
        f"{title}, {sheet.text('strategy')}: range of the observed return{per}, %, and longest losing run"
    )
    return Table(caption, head, rows, remark, dense=True)


def _ruin(sheets: list[tuple[str, Node]], unit: str) -> Table | None:
    """Tabulates the chance that a bankroll is lost, wagers across."""
    chances: dict[tuple[int, int], dict[str, str]] = {}
    for title, sheet in sheets:
        for entry in sheet.each("ruin"):
            case = (entry.integer("bankroll"), entry.integer("rounds"))
            chances.setdefault(case, {})[title] = p_value(entry.number("probability"))
    if not chances:
        return None
    rows = tuple(
        (
            number(grouped(bankroll)),
            number(grouped(rounds)),
            *(number(found.get(title, "–")) for title, _ in sheets),
        )
        for (bankroll, rounds), found in chances.items()
    )
    head = (
        *columns(f"#Bankroll, {unit}s", "#Rounds"),
        *(Column(title, "number") for title, _ in sheets),
    )
    if unit == "ante":
        caption = "Probability that a bankroll no longer covers the most that a round can cost"
    else:
        caption = "Probability that a bankroll is lost, one unit staked a round"
    return Table(caption, head, rows, dense=True)
