"""Recovery of lost pays: every candidate tried, and what the printed figure can and cannot decide."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from certify.evidence.document import Evidence, by_wager
from certify.evidence.judged import Candidate, ReadingSearch, Recovery
from certify.evidence.submitted import StatedRow
from certify.exact import format_odds, parse_percent
from certify.messages import said_of, statements, tell, translated
from certify.report import figures
from certify.report.formats import decimal, grouped, odds, percent, prose
from certify.report.layout import Column, Figure, PageCell, PageTable, listed, number
from certify.report.words import by_row, outcome_title

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


def recoveries(evidence: Evidence, titles: dict[str, str]) -> tuple[RecoveryView, ...]:
    """Returns one section per wager whose pays were lost."""
    tables = {wager.id: wager.paytable for wager in evidence.wagers}
    return tuple(
        _recovery(wager, titles.get(wager, wager), entry, tables.get(wager, ()))
        for wager, entry in by_wager(evidence, evidence.recovery)
    )


def _recovery(wager: str, title: str, entry: Recovery, paytable: tuple[StatedRow, ...]) -> RecoveryView:
    candidates = entry.candidates or ()
    printed = entry.printed
    return RecoveryView(
        title=title,
        printed=printed,
        conclusion=prose(translated(entry.conclusion)),
        bounds=_bounds(entry.bounds),
        candidates=_candidates(title, candidates),
        figure=_figure((wager, title), candidates, printed),
        readings=_readings(title, entry),
        fits=tuple(
            table
            for reading in (() if candidates else entry.readings)
            if (table := _fits(title, reading, paytable)) is not None
        ),
    )


def _bounds(bounds: Mapping[str, str]) -> str:
    return statements(said_of(_words(name), translated(value)) for name, value in bounds.items())


def _words(name: str) -> str:
    return translated(name.replace("_", " ").replace("-", " "))


def described(reading: Mapping[str, str]) -> str:
    """Returns how open rules are read as a phrase.

    >>> described({"tie": "lose", "bonus": "no"})
    'tie: lose, bonus: no'
    """
    return ", ".join(said_of(_words(rule), translated(value)) for rule, value in reading.items())


def _candidates(title: str, candidates: tuple[Candidate, ...]) -> PageTable | None:
    """Tabulates the candidates: readings down, pays across where every pair of them was tried."""
    if not candidates:
        return None
    paid = _varying_pays(candidates)
    cells = {(described(e.reading), pays): _return(e) for e, pays in zip(candidates, paid, strict=True)}
    readings = list(dict.fromkeys(reading for reading, _ in cells))
    across = list(dict.fromkeys(paid))
    caption = tell("recovery.exact-return-of-all-candidates", title=title, candidates=len(candidates))
    if len(cells) != len(readings) * len(across) or len(across) > _ACROSS:
        return listed(
            caption, "reading:48 #pays:24 #exact-return", ((*pair, cell) for pair, cell in cells.items())
        )
    return listed(
        caption,
        ("reading:26", *(Column(pays, "number") for pays in across)),
        ((reading, *(cells[reading, pays] for pays in across)) for reading in readings),
        tell("recovery.readings-down-pays-across-a"),
    )


def _varying_pays(candidates: tuple[Candidate, ...]) -> list[str]:
    """Returns the pays of each candidate, without those that all candidates share."""
    pays = [_pays(entry) for entry in candidates]
    varying = [name for name in pays[0] if len({entry.get(name) for entry in pays}) > 1] or list(pays[0])
    if len(varying) == 1:
        return [odds(entry[varying[0]]) for entry in pays]
    return [", ".join(f"{name} {entry.get(name, '–')}" for name in varying) for entry in pays]


def _pays(entry: Candidate) -> dict[str, str]:
    return {row: format_odds(pays) for row, pays in entry.pays.items()}


def _return(entry: Candidate) -> PageCell:
    text = decimal(100 * entry.return_, 5)
    return PageCell(f"✓ {text}", "fit") if entry.fits else number(text)


def _figure(wager: tuple[str, str], candidates: tuple[Candidate, ...], printed: str) -> Figure | None:
    if len(candidates) < 2 or not printed:
        return None
    low, high = parse_percent(printed).interval
    entries = [
        (
            described(candidate.reading),
            pays,
            float(100 * candidate.return_),
            candidate.fits,
        )
        for candidate, pays in zip(candidates, _varying_pays(candidates), strict=True)
    ]
    return figures.recovery(wager, entries, printed, float(100 * low), float(100 * high))


def _readings(title: str, entry: Recovery) -> PageTable | None:
    """Tabulates how many paytables fit under each reading; the misses only where there is one to tell of."""
    readings = () if entry.candidates else entry.readings
    misses = any(reading.nearest_miss for reading in readings)
    return listed(
        tell("recovery.readings-against-the-printed", title=title, printed=entry.printed),
        "reading:38 #paytables-tried:grouped #that-fit:grouped #of-customary-pays:grouped #that-fit:grouped "
        f"{'nearest-miss!note' if misses else ''}",
        (
            (
                _reading(one),
                one.candidates_tried,
                one.fits_count,
                one.customary_tried,
                one.customary_count,
                *((_nearest(one.nearest_miss),) if misses else ()),
            )
            for one in readings
        ),
    )


def _reading(reading: ReadingSearch) -> str:
    """Returns a reading and the strategy it was tried under as one phrase."""
    parts = (described(reading.reading), reading.strategy)
    return ", ".join(part for part in parts if part) or tell("recovery.as-submitted")


def _nearest(miss: Candidate | None) -> str | None:
    if miss is None:
        return None
    pays = ", ".join(f"{name} {pays}" for name, pays in _pays(miss).items())
    return ": ".join(filter(None, (pays, percent(miss.return_))))


def _fits(title: str, reading: ReadingSearch, paytable: tuple[StatedRow, ...]) -> PageTable | None:
    """Tabulates some paytables that fit: customary ones first, the adopted one marked."""
    fits = reading.customary or reading.fits
    adopted = {row.id: row.pays for row in paytable}
    if not any(_is_adopted(fit, adopted) for fit in fits):
        return None
    names = list(dict.fromkeys(name for fit in fits for name, _ in by_row(paytable, _pays(fit))))
    rows = [_fit(fit, names, adopted) for fit in _some(fits, adopted)]
    count = reading.customary_count if reading.customary else reading.fits_count
    message = f"recovery.paytables-{'of-customary-pays-that' if reading.customary else 'that-fit'}"
    return listed(
        tell(message, title=title, reading=_reading(reading)),
        (*(Column(outcome_title(name), "number") for name in names), "#exact-return:percent adopted"),
        rows,
        tell("recovery.of-shown", rows=len(rows), count=grouped(count)) if count > len(rows) else "",
        dense=True,
    )


def _some(fits: tuple[Candidate, ...], adopted: dict[str, str]) -> tuple[Candidate, ...]:
    """Returns the adopted paytable with the first of the others, in their order."""
    others = [fit for fit in fits if not _is_adopted(fit, adopted)][: _SHOWN - 1]
    return tuple(fit for fit in fits if fit in others or _is_adopted(fit, adopted))


def _is_adopted(fit: Candidate, adopted: dict[str, str]) -> bool:
    return all(value == adopted.get(name) for name, value in _pays(fit).items())


def _fit(fit: Candidate, names: list[str], adopted: dict[str, str]) -> tuple[object, ...]:
    pays = [_pays(fit).get(name, "–") for name in names]
    chosen = pays == [adopted.get(name) for name in names]
    mark = PageCell(f"✓ {tell('recovery.adopted')}" if chosen else "", "strong" if chosen else "text")
    return (*map(odds, pays), fit.return_, mark)
