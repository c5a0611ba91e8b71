"""The edge in plain words, and what the game returns when its rules are read otherwise."""

import re
from collections.abc import Mapping
from fractions import Fraction

from certify.evidence import (
    Candidate,
    EvaluatedReading,
    Evidence,
    ReadingSearch,
    Recovery,
    StatedRow,
    by_wager,
)
from certify.exact import format_odds, parse_percent
from certify.messages import said_of, statements, tell, translated
from certify.report import figures
from certify.report.formats import as_printed, decimal, grouped, odds, percent, prose, signed
from certify.report.layout import Annex, Column, Figure, PageCell, PageParts, PageTable, listed, number
from certify.report.words import by_row, names, outcome_title, said, unit_of

_SHOWN = 5
_ACROSS = 8
_COMBINATIONS = 12


def recoveries(evidence: Evidence, titles: dict[str, str]) -> tuple[PageParts, ...]:
    """Returns one section per wager whose pays were lost."""
    tables = {wager.id: wager.paytable for wager in evidence.wagers}
    return tuple(
        _recovery(wager, titles.get(wager, wager), entry, tables.get(wager, ()))
        for wager, entry in by_wager(evidence, evidence.recovery)
    )


def _recovery(wager: str, title: str, entry: Recovery, paytable: tuple[StatedRow, ...]) -> PageParts:
    candidates = entry.candidates or ()
    printed = as_printed(entry.printed)
    return PageParts(
        title=title,
        printed=printed,
        bounds=statements(said_of(_words(name), translated(value)) for name, value in entry.bounds.items()),
        candidates=_candidates(title, candidates),
        figure=_recovery_figure((wager, title), candidates, entry.printed),
        readings=_readings(title, entry),
        fits=tuple(
            table
            for reading in (() if candidates else entry.readings)
            if (table := _fits(title, reading, paytable)) is not None
        ),
    )


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


def _recovery_figure(
    wager: tuple[str, str], candidates: tuple[Candidate, ...], printed: str
) -> Figure | None:
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
    return figures.recovery(wager, entries, as_printed(printed), float(100 * low), float(100 * high))


def _readings(title: str, entry: Recovery) -> PageTable | None:
    """Tabulates how many paytables fit under each reading; the misses only where there is one to tell of."""
    readings = () if entry.candidates else entry.readings
    misses = any(reading.nearest_miss for reading in readings)
    return listed(
        tell("recovery.readings-against-the-printed", title=title, printed=as_printed(entry.printed)),
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
    parts = (described(reading.reading), translated(reading.strategy))
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


_WHOLE = Fraction(1)
# Characters of a fraction that the columns of the two forms of the table hold.
_NARROW, _WIDE = 23, 34


def edge_sentence(evidence: Evidence) -> str:
    """Returns who has the edge in plain words, where the evidence says it."""
    if evidence.edge is None:
        return ""
    told, wagers = prose(said(evidence.edge, "sentence")), evidence.wagers
    for identifier, name in names(evidence).items():
        told = re.sub(rf"([“«]\s?){re.escape(identifier)}(\s?[”»])", rf"\g<1>{name}\g<2>", told)
    return (
        told if len(wagers) == 1 else tell("edge.of-wager", wager=translated(wagers[0].title), sentence=told)
    )


def readings_sentence(evidence: Evidence) -> str:
    """Returns which readings take the player's edge away; nothing where only one reading was evaluated."""
    entries = [entry for entry in evidence.evaluated_readings or () if not entry.what_if]
    others = [entry for entry in entries if not entry.adopted]
    if not others:
        return ""
    adopted = [entry for entry in entries if entry.adopted]
    over = any(entry.return_ > _WHOLE for entry in adopted)
    named = [
        f"{translated(entry.reading)} ({percent(entry.return_)})"
        for entry in others
        if (entry.return_ > _WHOLE) is not over
    ]
    side, readings = "below" if over else "above", grouped(len(entries))
    if not named:
        return prose(tell(f"readings.{side}-none", readings=readings))
    told = tell(f"readings.{side}-some", readings=readings, count=len(named), named=statements(named))
    return prose(told)


def evaluated_readings(evidence: Evidence, annex: Annex) -> PageParts | None:
    """Returns the section, or nothing where no reading was evaluated."""
    entries = evidence.evaluated_readings
    if not entries:
        return None
    adopted = next((entry.return_ for entry in entries if entry.adopted), None)
    staked = any(entry.return_on_total_wagered is not None for entry in entries)
    unit = unit_of(evidence)
    remark = tell("readings.best-play-is-found-anew")
    if any(entry.what_if for entry in entries):
        remark += " " + (tell("readings.what-if-is-said-by"))
    combined = evidence.reading_combinations
    return PageParts(
        # What would bring the return to what is staked, or below it.
        sentence=readings_sentence(evidence),
        # One row per reading, the adopted one marked.
        table=listed(
            tell("readings.readings-evaluated"),
            "if-the-rules-are-read:34 #return-per:14 #change:11 "
            + (
                "exact-return:22 #of-everything-staked:13:percent-4 adopted:6!strong"
                if staked
                else "exact-return:33 adopted:8!strong"
            ),
            (
                (
                    *_named(one),
                    None if one.adopted or adopted is None else signed(100 * (one.return_ - adopted), 4),
                    annex.cell(
                        one.return_,
                        tell("readings.return-if-the-rules-are", words=prose(translated(one.reading))),
                        _NARROW if staked else _WIDE,
                    ),
                    *((one.return_on_total_wagered,) if staked else ()),
                    "✓" if one.adopted else "",
                )
                for one in entries
            ),
            prose(remark),
            unit=unit,
        ),
        # What several readings taken otherwise at once would do.
        combined=prose(said(combined, "sentence")) if combined else "",
        # The returns of all combinations, and where nobody has the edge.
        figure=_figure(combined.all_, unit) if combined else None,
        # The combinations nearest to what is staked, the lowest return first.
        combinations=_combinations(combined.all_, unit) if combined else None,
    )


def combinations_sentence(evidence: Evidence) -> str:
    """Returns how many combinations of readings return more than is staked, where they were counted."""
    node = evidence.reading_combinations
    if not node:
        return ""
    count, above = node.count, node.above_100_percent
    many = {0: "none", 1: "one", count: "all"}.get(above, "some")
    numbers = {"count": grouped(count), **({"above": grouped(above)} if many == "some" else {})}
    return prose(tell(f"readings.{many}-above", **numbers))


def _combinations(entries: tuple[EvaluatedReading, ...], unit: str) -> PageTable | None:
    """Tabulates the combinations of readings that return most nearly what is staked, the lowest return first."""
    nearest = sorted(entries, key=lambda entry: abs(entry.return_ - 1))[:_COMBINATIONS]
    staked = any(entry.return_on_total_wagered is not None for entry in entries)
    return listed(
        tell("readings.nearest-combinations", shown=len(nearest), count=grouped(len(entries))),
        f"if-the-rules-are-read-so:63 #return-per:18 {'#of-everything-staked:percent-4' if staked else ''}",
        (
            (*_named(one), *((one.return_on_total_wagered,) if staked else ()))
            for one in sorted(nearest, key=lambda entry: entry.return_)
        ),
        dense=True,
        unit=unit,
    )


def _figure(entries: tuple[EvaluatedReading, ...], unit: str) -> Figure | None:
    rows = [
        (float(100 * entry.return_), entry.adopted)
        for entry in sorted(entries, key=lambda entry: entry.return_)
    ]
    return figures.combinations(rows, unit) if len(rows) > 1 else None


def _named(entry: EvaluatedReading) -> tuple[PageCell, PageCell]:
    """Returns a reading and what the game returns under it."""
    words = prose(translated(entry.reading))
    return (
        PageCell(words[:1].upper() + words[1:], "strong" if entry.adopted else "text"),
        PageCell(percent(entry.return_), "over" if entry.return_ > _WHOLE else "fit"),
    )
