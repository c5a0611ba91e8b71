"""PAR sheets: what a wager may be seen to return over so many rounds, losing runs and ruin."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from certify.messages import said_of, tell
from certify.report.chapters.many_wagers import MANY, joined
from certify.report.chapters.returns import bank_of
from certify.report.formats import bound, grouped, outward, p_value, sentence
from certify.report.layout import Column, PageCell, PageTable, columns, number
from certify.report.node import Node
from certify.report.order import by_wager, file_of, plural, unit_of, wager_titles

_CONFIDENCES = ("90 %", "95 %", "99 %")


@dataclass(frozen=True, slots=True)
class Par:
    """The PAR sheets of all wagers.

    Args:
        bands: What may be observed, wager by wager.
        ruin: Ruin of the player and of the house within so many rounds.
        sentences: Who is ruined if play goes on for ever.
        long_run: Bounds on the probability of that.
        listed: Name of the data file that has ruin and its bounds; empty where the report prints them.
    """

    bands: tuple[PageTable, ...]
    ruin: tuple[PageTable, ...]
    sentences: tuple[str, ...]
    long_run: PageTable | None
    listed: str


def par(evidence: Node) -> Par | None:
    """Returns the PAR sheets, or nothing where there are none."""
    titles = wager_titles(evidence)
    sheets = [(titles.get(wager, wager), sheet) for wager, sheet in by_wager(evidence, evidence.at("par"))]
    if not sheets:
        return None
    unit = unit_of(evidence)
    listed = file_of(evidence, "data/par-sheet.csv")
    whose = {"ruin": tell("par.whose-player"), "house_ruin": tell("par.whose-bank", bank=bank_of(evidence))}
    ruined = [] if listed else [_ruin(sheets, unit, key, holder) for key, holder in whose.items()]
    told = [table for table in ruined if table is not None]
    # How both were found is told once, below the last of them.
    told[-1:] = [
        replace(table, remark=f"{_method(sheets, 'ruin')} {_left_out(table, sheets)}".strip())
        for table in told[-1:]
    ]
    return Par(
        _all_bands(sheets, unit, listed=bool(listed)),
        tuple(told),
        _sentences(sheets),
        None if listed else _long_run(sheets, unit, bank_of(evidence)),
        listed,
    )


def _all_bands(sheets: list[tuple[str, Node]], unit: str, *, listed: bool) -> tuple[PageTable, ...]:
    """Returns what may be observed, wager by wager; of many wagers in one table, for a few numbers of rounds."""
    if len(sheets) < MANY or not listed:
        return tuple(_bands(title, sheet, unit, listed=listed) for title, sheet in sheets)
    tables = [(title, _bands(title, sheet, unit, listed=listed)) for title, sheet in sheets]
    same = len({table.remark for _, table in tables}) == 1
    shown = [
        (
            PageCell(title, detail="" if same else table.remark),
            replace(table, rows=_few(table), remark=table.remark if same else ""),
        )
        for title, table in tables
        if table.rows
    ]
    caption = tell("par.range-for-every-wager", strategy=sheets[0][1].text("strategy"), unit=unit)
    return (joined(caption, shown, 28),) if shown else ()


def _few(table: PageTable) -> tuple[tuple[PageCell, ...], ...]:
    """Returns every third row, from the last backwards: a thousand rounds, a million, and so on."""
    return table.rows[::-1][::3][::-1]


def _bands(title: str, sheet: Node, unit: str, *, listed: bool) -> PageTable:
    found: dict[int, dict[str, str]] = {}
    for band in sheet.each("bands"):
        low, high = outward(100 * Fraction(band.number("low")), 100 * Fraction(band.number("high")), 3)
        found.setdefault(band.integer("rounds"), {})[band.text("confidence")] = tell(
            "number.range", low=low, high=high
        )
    runs = {run.integer("rounds"): run.integer("longest") for run in sheet.each("losing_runs")}
    rows = tuple(
        (
            number(grouped(rounds)),
            *(number(ranges.get(confidence, "–")) for confidence in _CONFIDENCES),
            number(grouped(runs[rounds]) if rounds in runs else "–"),
        )
        for rounds, ranges in found.items()
        if not listed or (set(str(rounds)[1:]) <= {"0"} and str(rounds)[0] == "1")
    )
    head = (
        *columns("#rounds:16"),
        *(Column(level, "number", 22) for level in _CONFIDENCES),
        *columns("#losing-run:18"),
    )
    cycle = grouped(sheet.integer("cycle"))
    # Of an approximation no results are equally likely.
    near = sheet.has("near")
    remark = (
        tell("returns.approximate") if near else tell("par.cycle-equally-likely-results-the", cycle=cycle)
    )
    caption = tell(
        "par.range-of-the-observed-return", title=title, strategy=sheet.text("strategy"), unit=unit
    )
    return PageTable(caption, head, rows, remark, dense=True)


def _ruin(sheets: list[tuple[str, Node]], unit: str, key: str, whose: str) -> PageTable | None:
    """Tabulates the chance that a bankroll is lost within so many rounds, wagers across."""
    chances: dict[tuple[int, int], dict[str, str]] = {}
    for title, sheet in sheets:
        for entry in sheet.each(key):
            case = (entry.integer("bankroll"), entry.integer("rounds"))
            chances.setdefault(case, {})[title] = _ruined(entry.number("probability"))
    if not chances:
        return None
    shown = [title for title, sheet in sheets if sheet.each(key)]
    rows = tuple(
        (
            number(grouped(bankroll)),
            number(grouped(rounds)),
            *(number(found.get(title, "–")) for title in shown),
        )
        for (bankroll, rounds), found in chances.items()
    )
    head = (
        *columns("#bankroll", "#rounds", units=plural(unit)),
        *(Column(title, "number") for title in shown),
    )
    caption = tell("par.probability-that-s-bankroll-no", whose=whose)
    return PageTable(caption, head, rows, dense=True)


def _ruined(probability: float) -> str:
    """Returns a probability that is not certain even where three places would show 1."""
    if probability in (0, 1):
        # Exactly: what cannot happen at all, and what cannot fail to.
        return str(int(probability))
    return "> 0.999" if probability >= 0.9995 else p_value(probability)


def _left_out(table: PageTable, sheets: list[tuple[str, Node]]) -> str:
    """Returns a sentence about what was not carried from round to round, where something was not."""
    dashes = any(cell.text == "–" for row in table.rows for cell in row)
    if not dashes and len(table.columns) == len(sheets) + 2:
        return ""
    return tell("par.where-there-is-a-dash")


def _method(sheets: list[tuple[str, Node]], key: str) -> str:
    """Returns how a figure of the sheets was found, where the evidence says it."""
    told = next((sheet.at("methods").sentence(key, "") for _, sheet in sheets), "")
    return f"{sentence(told)}." if told else ""


def _sentences(sheets: list[tuple[str, Node]]) -> tuple[str, ...]:
    """Returns who is ruined in the long run, each sentence once with the wagers that it is true of."""
    found: dict[str, list[str]] = {}
    for title, sheet in sheets:
        told = sheet.at("long_run").sentence("sentence", "")
        if told:
            found.setdefault(told, []).append(title)
    return tuple(
        told if len(sheets) == 1 else said_of(", ".join(titles), told) for told, titles in found.items()
    )


def _long_run(sheets: list[tuple[str, Node]], unit: str, bank: str) -> PageTable | None:
    rows = tuple(
        (
            *((PageCell(title),) if len(sheets) > 1 else ()),
            PageCell(bank if holder == "house" else tell("edge.holder-player")),
            number(grouped(entry.integer("bankroll"))),
            *_chance(entry.number("at_least"), entry.number("at_most")),
        )
        for title, sheet in sheets
        for holder in ("player", "house")
        for entry in sheet.at("long_run").each(holder)
    )
    head = columns(
        *(("wager:25",) if len(sheets) > 1 else ()),
        "whose-bankroll:19",
        "#bankroll:19",
        "#ruined-with-at-least:19",
        "#at-most",
        units=plural(unit),
    )
    method = next((sheet.at("long_run").sentence("method", "") for _, sheet in sheets), "")
    caption = tell("par.probability-of-ruin-if-play")
    return PageTable(caption, head, rows, method, dense=True) if rows else None


def _chance(low: float, high: float) -> tuple[PageCell, PageCell]:
    """Returns the two bounds, or says that there is nothing between them."""
    if low == high == 1:
        return number(tell("par.certain")), number(tell("par.certain"))
    return number(bound(low, upper=False)), number(bound(high, upper=True))
