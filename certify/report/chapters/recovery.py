"""Recovery of lost pays: every candidate tried, and what the printed figure can and cannot decide."""

from __future__ import annotations

from dataclasses import dataclass

from certify.exact import parse_percent
from certify.messages import said_of, statements, tell, translated
from certify.report import figures
from certify.report.formats import decimal, fraction, grouped, odds, percent, prose
from certify.report.layout import Column, Figure, PageCell, PageTable, columns, number
from certify.report.node import Node
from certify.report.order import by_row, by_wager
from certify.report.words import outcome_title

_SHOWN = 5
_ACROSS = 8


@dataclass(frozen=True, slots=True)
class RecoveryView:
    """What was tried for one wager, and what came of it."""

    title: str
    printed: str
    conclusion: str
    bounds: str
    candidates: PageTable | None
    figure: Figure | None
    readings: PageTable | None
    fits: tuple[PageTable, ...]


def recoveries(evidence: Node, titles: dict[str, str]) -> tuple[RecoveryView, ...]:
    """Returns one section per wager whose pays were lost."""
    tables = {wager.text("id"): wager.each("paytable") for wager in evidence.each("wagers")}
    return tuple(
        _recovery(wager, titles.get(wager, wager), entry, tables.get(wager, ()))
        for wager, entry in by_wager(evidence, evidence.at("recovery"))
    )


def _recovery(wager: str, title: str, entry: Node, paytable: tuple[Node, ...]) -> RecoveryView:
    candidates = entry.each("candidates")
    printed = entry.text("printed", "")
    return RecoveryView(
        title=title,
        printed=printed,
        conclusion=prose(entry.sentence("conclusion", "")),
        bounds=_bounds(entry.at("bounds")),
        candidates=_candidates(title, candidates),
        figure=_figure((wager, title), candidates, printed),
        readings=_readings(title, entry),
        fits=tuple(
            table
            for reading in (() if candidates else entry.each("readings"))
            if (table := _fits(title, reading, paytable)) is not None
        ),
    )


def _bounds(bounds: Node) -> str:
    return statements(said_of(_words(name), described(value)) for name, value in bounds.items())


def _words(name: str) -> str:
    return translated(name.replace("_", " ").replace("-", " "))


def described(node: Node) -> str:
    """Returns a small nested value as a phrase, such as ``tie: lose, bonus: no``."""
    value = node.value
    if isinstance(value, dict):
        return ", ".join(said_of(_words(str(name)), described(node.at(str(name)))) for name in value)
    if isinstance(value, list):
        return tell("number.to").join(described(member) for member in node.each())
    return node.said()


def _candidates(title: str, candidates: tuple[Node, ...]) -> PageTable | None:
    """Tabulates the candidates: readings down, pays across where every pair of them was tried."""
    if not candidates:
        return None
    paid = _varying_pays(candidates)
    cells = {(described(e.at("reading")), pays): e for e, pays in zip(candidates, paid, strict=True)}
    readings = list(dict.fromkeys(reading for reading, _ in cells))
    across = list(dict.fromkeys(paid))
    caption = tell("recovery.exact-return-of-all-candidates", title=title, candidates=len(candidates))
    if len(cells) != len(readings) * len(across) or len(across) > _ACROSS:
        single = tuple(
            (PageCell(reading), number(pays), _return(entry)) for (reading, pays), entry in cells.items()
        )
        return PageTable(caption, columns("reading:48", "#pays:24", "#exact-return"), single)
    rows = tuple(
        (PageCell(reading), *(_return(cells[reading, pays]) for pays in across)) for reading in readings
    )
    remark = tell("recovery.readings-down-pays-across-a")
    return PageTable(
        caption, (*columns("reading:26"), *(Column(pays, "number") for pays in across)), rows, remark
    )


def _varying_pays(candidates: tuple[Node, ...]) -> list[str]:
    """Returns the pays of each candidate, without those that all candidates share."""
    pays = [{name: value.plain() for name, value in entry.at("pays").items()} for entry in candidates]
    varying = [name for name in pays[0] if len({entry.get(name) for entry in pays}) > 1] or list(pays[0])
    if len(varying) == 1:
        return [odds(entry[varying[0]]) for entry in pays]
    return [", ".join(f"{name} {entry.get(name, '–')}" for name in varying) for entry in pays]


def _return(entry: Node) -> PageCell:
    text = decimal(100 * fraction(entry.text("return")), 5)
    return PageCell(f"✓ {text}", "fit") if entry.flag("fits") else number(text)


def pays_of(candidate: Node) -> str:
    """Returns the pays of a candidate; a single one without its name."""
    pays = [(name, value.plain()) for name, value in candidate.at("pays").items()]
    return pays[0][1] if len(pays) == 1 else ", ".join(f"{name} {value}" for name, value in pays)


def _figure(wager: tuple[str, str], candidates: tuple[Node, ...], printed: str) -> Figure | None:
    if len(candidates) < 2 or not printed:
        return None
    low, high = parse_percent(printed).interval
    entries = [
        (
            described(candidate.at("reading")),
            pays,
            float(100 * fraction(candidate.text("return"))),
            bool(candidate.flag("fits")),
        )
        for candidate, pays in zip(candidates, _varying_pays(candidates), strict=True)
    ]
    return figures.recovery(wager, entries, printed, float(100 * low), float(100 * high))


def _readings(title: str, entry: Node) -> PageTable | None:
    """Tabulates how many paytables fit under each reading; the misses only where there is one to tell of."""
    readings = entry.each("readings")
    if entry.each("candidates") or not readings:
        return None
    misses = any(reading.at("nearest_miss") for reading in readings)
    rows = tuple(
        (
            PageCell(_reading(reading)),
            number(_grouped(reading, "candidates_tried")),
            number(_grouped(reading, "fits_count")),
            number(_grouped(reading, "customary_tried")),
            number(_grouped(reading, "customary_count")),
            *([PageCell(_nearest(reading.at("nearest_miss")), "note")] if misses else []),
        )
        for reading in readings
    )
    head = columns("reading:38", "#paytables-tried", "#that-fit", "#of-customary-pays", "#that-fit")
    caption = tell("recovery.readings-against-the-printed", title=title, printed=entry.text("printed", "–"))
    return PageTable(caption, (*head, *(columns("nearest-miss") if misses else ())), rows)


def _grouped(reading: Node, key: str) -> str:
    return grouped(reading.integer(key)) if reading.has(key) else "–"


def _reading(reading: Node) -> str:
    """Returns a reading and the strategy it was tried under as one phrase."""
    parts = (described(reading.at("reading")) if reading.at("reading") else "", reading.text("strategy", ""))
    return ", ".join(part for part in parts if part) or tell("recovery.as-submitted")


def _nearest(miss: Node) -> str:
    if not miss:
        return "–"
    value = percent(fraction(miss.text("return"))) if miss.has("return") else ""
    pays = ", ".join(f"{name} {pays.plain()}" for name, pays in miss.at("pays").items())
    return f"{pays}: {value}" if pays else value or described(miss)


def _fits(title: str, reading: Node, paytable: tuple[Node, ...]) -> PageTable | None:
    """Tabulates some paytables that fit: customary ones first, the adopted one marked."""
    customary = reading.each("customary")
    fits = customary or reading.each("fits")
    if not fits:
        return None
    adopted = {row.text("id"): row.text("pays") for row in paytable}
    if not any(_is_adopted(fit, adopted) for fit in fits):
        return None
    names = list(dict.fromkeys(name for fit in fits for name, _ in by_row(paytable, fit.at("pays"))))
    rows = tuple(_fit(fit, names, adopted) for fit in _some(fits, adopted))
    count = reading.integer("customary_count") if customary else reading.integer("fits_count")
    remark = tell("recovery.of-shown", rows=len(rows), count=grouped(count)) if count > len(rows) else ""
    head = (
        *(Column(outcome_title(name), "number") for name in names),
        *columns("#exact-return", "adopted"),
    )
    caption = (
        tell("recovery.paytables-of-customary-pays-that", title=title, reading=_reading(reading))
        if customary
        else tell("recovery.paytables-that-fit", title=title, reading=_reading(reading))
    )
    return PageTable(caption, head, rows, remark, dense=True)


def _some(fits: tuple[Node, ...], adopted: dict[str, str]) -> tuple[Node, ...]:
    """Returns the adopted paytable with the first of the others, in their order."""
    others = [fit for fit in fits if not _is_adopted(fit, adopted)][: _SHOWN - 1]
    return tuple(fit for fit in fits if fit in others or _is_adopted(fit, adopted))


def _is_adopted(fit: Node, adopted: dict[str, str]) -> bool:
    return all(value.plain() == adopted.get(name) for name, value in fit.at("pays").items())


def _fit(fit: Node, names: list[str], adopted: dict[str, str]) -> tuple[PageCell, ...]:
    pays = [fit.at("pays").text(name, "–") for name in names]
    chosen = pays == [adopted.get(name) for name in names]
    return (
        *(number(odds(value)) for value in pays),
        number(percent(fraction(fit.text("return")))),
        PageCell(f"✓ {tell('recovery.adopted')}" if chosen else "", "strong" if chosen else "text"),
    )
