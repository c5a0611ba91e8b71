"""Recovery of lost pays: every candidate tried, and what the printed figure can and cannot decide."""

from __future__ import annotations

from dataclasses import dataclass

from certify.exact import parse_percent
from certify.report import figures
from certify.report.formats import decimal, fraction, grouped, percent
from certify.report.layout import Cell, Column, Figure, Table, columns, number
from certify.report.node import Node

_SHOWN = 12
_ACROSS = 8


@dataclass(frozen=True, slots=True)
class Recovery:
    """What was tried for one wager, and what came of it."""

    title: str
    printed: str
    conclusion: str
    bounds: str
    candidates: Table | None
    figure: Figure | None
    readings: Table | None
    fits: tuple[Table, ...]


def recoveries(evidence: Node, titles: dict[str, str]) -> tuple[Recovery, ...]:
    """Returns one section per wager whose pays were lost."""
    return tuple(
        _recovery(titles.get(wager, wager), entry) for wager, entry in evidence.at("recovery").items()
    )


def _recovery(title: str, entry: Node) -> Recovery:
    candidates = entry.each("candidates")
    printed = entry.text("printed", "")
    return Recovery(
        title=title,
        printed=printed,
        conclusion=entry.text("conclusion", ""),
        bounds=_bounds(entry.at("bounds")),
        candidates=_candidates(title, candidates),
        figure=_figure(candidates, printed),
        readings=_readings(title, entry),
        fits=tuple(
            table for reading in entry.each("readings") if (table := _fits(title, reading)) is not None
        ),
    )


def _bounds(bounds: Node) -> str:
    return "; ".join(f"{name.replace('_', ' ')}: {described(value)}" for name, value in bounds.items())


def described(node: Node) -> str:
    """Returns a small nested value as a phrase, such as ``tie: lose, bonus: no``."""
    value = node.value
    if isinstance(value, dict):
        return ", ".join(f"{name.replace('_', ' ')}: {described(node.at(name))}" for name in value)
    if isinstance(value, list):
        return " to ".join(described(member) for member in node.each())
    return node.plain()


def _candidates(title: str, candidates: tuple[Node, ...]) -> Table | None:
    """Tabulates the candidates: readings down, pays across where every pair of them was tried."""
    if not candidates:
        return None
    cells = {(described(entry.at("reading")), pays_of(entry)): entry for entry in candidates}
    readings = list(dict.fromkeys(reading for reading, _ in cells))
    pays = list(dict.fromkeys(paid for _, paid in cells))
    caption = f"{title}: exact return of all {len(candidates)} candidates, %"
    if len(cells) != len(readings) * len(pays) or len(pays) > _ACROSS:
        single = tuple(
            (Cell(reading), number(paid), _return(entry)) for (reading, paid), entry in cells.items()
        )
        return Table(caption, columns("Reading:48", "#Pays:24", "#Exact return"), single)
    rows = tuple((Cell(reading), *(_return(cells[reading, paid]) for paid in pays)) for reading in readings)
    remark = "Readings down, pays across. A tick marks what rounds to the printed figure."
    return Table(caption, (*columns("Reading:26"), *(Column(paid, "number") for paid in pays)), rows, remark)


def _return(entry: Node) -> Cell:
    text = decimal(100 * fraction(entry.text("return")), 5)
    return Cell(f"✓ {text}", "fit") if entry.flag("fits") else number(text)


def pays_of(candidate: Node) -> str:
    """Returns the pays of a candidate; a single one without its name."""
    pays = [(name, value.plain()) for name, value in candidate.at("pays").items()]
    return pays[0][1] if len(pays) == 1 else ", ".join(f"{name} {value}" for name, value in pays)


def _figure(candidates: tuple[Node, ...], printed: str) -> Figure | None:
    if len(candidates) < 2 or not printed:
        return None
    low, high = parse_percent(printed).interval
    entries = [
        (
            described(candidate.at("reading")),
            pays_of(candidate),
            float(100 * fraction(candidate.text("return"))),
            bool(candidate.flag("fits")),
        )
        for candidate in candidates
    ]
    return figures.recovery(entries, printed, float(100 * low), float(100 * high))


def _readings(title: str, entry: Node) -> Table | None:
    rows = tuple(
        (
            Cell(reading.text("reading")),
            number(grouped(reading.integer("candidates_tried"))),
            number(grouped(reading.integer("fits_count"))),
            Cell(_nearest(reading.at("nearest_miss")), "note"),
        )
        for reading in entry.each("readings")
    )
    head = columns("Reading:30", "#Paytables tried:18", "#That fit:14", "Nearest miss")
    return (
        Table(f"{title}: readings against the printed {entry.text('printed', 'figure')}", head, rows)
        if rows
        else None
    )


def _nearest(miss: Node) -> str:
    if not miss:
        return "–"
    value = percent(fraction(miss.text("return"))) if miss.has("return") else ""
    return f"{pays_of(miss)}: {value}" if miss.has("pays") else value or described(miss)


def _fits(title: str, reading: Node) -> Table | None:
    fits = reading.each("fits")
    if not fits:
        return None
    names = list(dict.fromkeys(name for fit in fits for name, _ in fit.at("pays").items()))
    rows = tuple(
        (
            *(number(fit.at("pays").text(name, "–")) for name in names),
            number(percent(fraction(fit.text("return")))),
        )
        for fit in fits[:_SHOWN]
    )
    count = reading.integer("fits_count")
    remark = f"{grouped(len(rows))} of {grouped(count)} fitting paytables shown." if count > len(rows) else ""
    head = (*(Column(name, "number") for name in names), *columns("#Exact return"))
    return Table(
        f"{title}: paytables that fit under the reading {reading.text('reading')}", head, rows, remark
    )
