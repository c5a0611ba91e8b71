"""PAR sheets: what a wager may be seen to return over so many rounds, losing runs and ruin."""

from __future__ import annotations

from dataclasses import dataclass, replace

from certify.evidence.document import Evidence, by_wager
from certify.evidence.par import ParSheet, RuinWithin
from certify.messages import said_of, tell
from certify.report.chapters.joint_play import MANY, joined
from certify.report.chapters.returns import bank_of
from certify.report.formats import bound, grouped, outward, p_value, sentence
from certify.report.layout import Column, PageCell, PageTable, listed
from certify.report.words import file_of, plural, said, unit_of, wager_titles

_CONFIDENCES = ("90 %", "95 %", "99 %")

_BOUNDED = " *"
"""What marks a band that an inequality bounds."""


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


def par(evidence: Evidence) -> Par | None:
    """Returns the PAR sheets, or nothing where there are none."""
    titles = wager_titles(evidence)
    sheets = [(titles.get(wager, wager), sheet) for wager, sheet in by_wager(evidence, evidence.par)]
    if not sheets:
        return None
    unit = unit_of(evidence)
    in_file = file_of(evidence, "data/par-sheet.csv")
    player, bank = tell("par.whose-player"), tell("par.whose-bank", bank=bank_of(evidence))
    theirs, ours = (
        [(title, sheet.ruin) for title, sheet in sheets],
        [(title, sheet.house_ruin) for title, sheet in sheets],
    )
    ruined = [] if in_file else [_ruin(theirs, unit, player), _ruin(ours, unit, bank)]
    told = [table for table in ruined if table is not None]
    # How both were found is told once, below the last of them.
    told[-1:] = [
        replace(
            table,
            remark=f"{sentence(said(sheets[0][1].methods, 'ruin'))}. {_left_out(table, sheets)}".strip(),
        )
        for table in told[-1:]
    ]
    return Par(
        _all_bands(sheets, unit, in_file=bool(in_file)),
        tuple(told),
        _sentences(sheets),
        None if in_file else _long_run(sheets, unit, bank_of(evidence)),
        in_file,
    )


def _all_bands(sheets: list[tuple[str, ParSheet]], unit: str, *, in_file: bool) -> tuple[PageTable, ...]:
    """Returns what may be observed, wager by wager; of many wagers in one table, for a few numbers of rounds."""
    made = [(title, _bands(title, sheet, unit, in_file=in_file)) for title, sheet in sheets]
    tables = [(title, table) for title, table in made if table is not None]
    if len(sheets) < MANY or not in_file:
        return tuple(table for _, table in tables)
    same = len({table.remark for _, table in tables}) == 1
    shown = [
        (
            PageCell(title, detail="" if same else table.remark),
            # Every third row, from the last backwards: a thousand rounds, a million, and so on.
            replace(table, rows=table.rows[::-1][::3][::-1], remark=table.remark if same else ""),
        )
        for title, table in tables
    ]
    caption = tell("par.range-for-every-wager", strategy=sheets[0][1].strategy, unit=unit)
    return (joined(caption, shown, 28),) if shown else ()


def _bands(title: str, sheet: ParSheet, unit: str, *, in_file: bool) -> PageTable | None:
    found: dict[int, dict[str, str]] = {}
    for band in sheet.bands:
        least, most = band.ends
        low, high = outward(100 * least, 100 * most, 3)
        shown = tell("number.range", low=low, high=high)
        found.setdefault(band.rounds, {})[band.confidence] = f"{shown}{_BOUNDED if band.bound else ''}"
    runs = {run.rounds: grouped(run.longest) for run in sheet.losing_runs}
    # Of an approximation no results are equally likely.
    exact = tell("par.cycle-equally-likely-results-the", cycle=grouped(int(sheet.cycle)))
    remark = exact if sheet.near is None else tell("since.between")
    return listed(
        tell("par.range-of-the-observed-return", title=title, strategy=sheet.strategy, unit=unit),
        ("#rounds:16:grouped", *(Column(level, "number", 22) for level in _CONFIDENCES), "#losing-run:18"),
        (
            (rounds, *map(ranges.get, _CONFIDENCES), runs.get(rounds))
            for rounds, ranges in found.items()
            if not in_file or (set(str(rounds)[1:]) <= {"0"} and str(rounds)[0] == "1")
        ),
        f"{remark} {tell('par.bands-bounded')}" if any(band.bound for band in sheet.bands) else remark,
        dense=True,
    )


def _ruin(ruins: list[tuple[str, tuple[RuinWithin, ...]]], unit: str, whose: str) -> PageTable | None:
    """Tabulates the chance that a bankroll is lost within so many rounds, wagers across."""
    chances: dict[tuple[int, int], dict[str, str]] = {}
    for title, ruin in ruins:
        for entry in ruin:
            case = (entry.bankroll, entry.rounds)
            chances.setdefault(case, {})[title] = _ruined(entry.probability)
    shown = [title for title, ruin in ruins if ruin]
    return listed(
        tell("par.probability-that-s-bankroll-no", whose=whose),
        ("#bankroll:grouped #rounds:grouped", *(Column(title, "number") for title in shown)),
        ((*case, *map(found.get, shown)) for case, found in chances.items()),
        dense=True,
        units=plural(unit),
    )


def _ruined(probability: float) -> str:
    """Returns a probability that is not certain even where three places would show 1."""
    if probability in (0, 1):
        # Exactly: what cannot happen at all, and what cannot fail to.
        return str(int(probability))
    return "> 0.999" if probability >= 0.9995 else p_value(probability)


def _left_out(table: PageTable, sheets: list[tuple[str, ParSheet]]) -> str:
    """Returns a sentence about what was not carried from round to round, where something was not."""
    dashes = any(cell.text == "–" for row in table.rows for cell in row)
    if not dashes and len(table.columns) == len(sheets) + 2:
        return ""
    return tell("par.where-there-is-a-dash")


def _sentences(sheets: list[tuple[str, ParSheet]]) -> tuple[str, ...]:
    """Returns who is ruined in the long run, each sentence once with the wagers that it is true of."""
    found: dict[str, list[str]] = {}
    for title, sheet in sheets:
        found.setdefault(said(sheet.long_run, "sentence"), []).append(title)
    return tuple(
        told if len(sheets) == 1 else said_of(", ".join(titles), told) for told, titles in found.items()
    )


def _long_run(sheets: list[tuple[str, ParSheet]], unit: str, bank: str) -> PageTable | None:
    several = len(sheets) > 1
    return listed(
        tell("par.probability-of-ruin-if-play"),
        f"{'wager:25' if several else ''} whose-bankroll:19 #bankroll:19:grouped #ruined-with-at-least:19 #at-most",
        (
            (
                *((title,) if several else ()),
                bank if holder == "house" else tell("edge.holder-player"),
                entry.bankroll,
                *_chance(entry.at_least, entry.at_most),
            )
            for title, sheet in sheets
            for holder, ruin in (("player", sheet.long_run.player), ("house", sheet.long_run.house))
            for entry in ruin
        ),
        said(sheets[0][1].long_run, "method"),
        dense=True,
        units=plural(unit),
    )


def _chance(low: float, high: float) -> tuple[str, str]:
    """Returns the two bounds, or says that there is nothing between them."""
    if low == high == 1:
        return tell("par.certain"), tell("par.certain")
    return bound(low, upper=False), bound(high, upper=True)
