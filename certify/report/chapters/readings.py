"""The edge in plain words, and what the game returns when its rules are read otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from certify.evidence.document import Evidence
from certify.evidence.readings import EvaluatedReading
from certify.messages import statements, tell, translated
from certify.report import figures
from certify.report.annex import Annex
from certify.report.formats import grouped, percent, prose, signed
from certify.report.layout import Figure, PageCell, PageTable, columns, number, tabled
from certify.report.order import unit_of
from certify.report.words import said

_WHOLE = Fraction(1)
# Characters of a fraction that the columns of the two forms of the table hold.
_NARROW, _WIDE = 23, 34


@dataclass(frozen=True, slots=True)
class Readings:
    """Every reading of the rules with its return.

    Args:
        sentence: What would bring the return to what is staked, or below it.
        table: One row per reading, the adopted one marked.
        combined: What several readings taken otherwise at once would do.
        figure: The returns of all combinations, and where nobody has the edge.
        combinations: One row per combination, the lowest return first.
    """

    sentence: str
    table: PageTable
    combined: str
    figure: Figure | None
    combinations: PageTable | None


def edge_sentence(evidence: Evidence) -> str:
    """Returns who has the edge in plain words, where the evidence says it."""
    if evidence.edge is None:
        return ""
    told, wagers = prose(said(evidence.edge, "sentence")), evidence.wagers
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
        f"{translated(entry.reading)} ({percent(entry.return_, 4)})"
        for entry in others
        if (entry.return_ > _WHOLE) is not over
    ]
    side, readings = "below" if over else "above", grouped(len(entries))
    if not named:
        return prose(tell(f"readings.{side}-none", readings=readings))
    told = tell(f"readings.{side}-some", readings=readings, count=len(named), named=statements(named))
    return prose(told)


def evaluated_readings(evidence: Evidence, annex: Annex) -> Readings | None:
    """Returns the section, or nothing where no reading was evaluated."""
    entries = evidence.evaluated_readings
    if not entries:
        return None
    adopted = next((entry.return_ for entry in entries if entry.adopted), None)
    staked = any(entry.return_on_total_wagered is not None for entry in entries)
    rows = tuple(_row(entry, adopted, annex, staked=staked) for entry in entries)
    unit = unit_of(evidence)
    head = columns(
        "if-the-rules-are-read:34",
        "#return-per:14",
        "#change:11",
        "exact-return:22" if staked else "exact-return:33",
        *(("#of-everything-staked:13",) if staked else ()),
        "adopted:6" if staked else "adopted:8",
        unit=unit,
    )
    remark = tell("readings.best-play-is-found-anew")
    if any(entry.what_if for entry in entries):
        remark += " " + (tell("readings.what-if-is-said-by"))
    combined = evidence.reading_combinations
    return Readings(
        readings_sentence(evidence),
        PageTable(tell("readings.readings-evaluated"), head, rows, prose(remark)),
        prose(said(combined, "sentence")) if combined else "",
        _figure(combined.all_, unit) if combined else None,
        _combinations(combined.all_, unit) if combined else None,
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
    """Tabulates every combination of readings, the lowest return first."""
    staked = any(entry.return_on_total_wagered is not None for entry in entries)
    rows = tuple(
        (
            PageCell(_capital(prose(translated(entry.reading))), "strong" if entry.adopted else "text"),
            PageCell(percent(entry.return_, 4), "over" if entry.return_ > _WHOLE else "fit"),
            *((number(_on_all(entry)),) if staked else ()),
        )
        for entry in sorted(entries, key=lambda entry: entry.return_)
    )
    head = columns(
        "if-the-rules-are-read-so:63",
        "#return-per:18",
        *(("#of-everything-staked",) if staked else ()),
        unit=unit,
    )
    return tabled(tell("readings.every-combination-of-readings"), head, rows, dense=True)


def _figure(entries: tuple[EvaluatedReading, ...], unit: str) -> Figure | None:
    rows = [
        (float(100 * entry.return_), entry.adopted)
        for entry in sorted(entries, key=lambda entry: entry.return_)
    ]
    return figures.combinations(rows, unit) if len(rows) > 1 else None


def _on_all(entry: EvaluatedReading) -> str:
    return "–" if entry.return_on_total_wagered is None else percent(entry.return_on_total_wagered, 4)


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _row(
    entry: EvaluatedReading, adopted: Fraction | None, annex: Annex, *, staked: bool
) -> tuple[PageCell, ...]:
    value, words = entry.return_, prose(translated(entry.reading))
    chosen = entry.adopted
    on_all = _on_all(entry)
    change = signed(100 * (value - adopted), 4) if adopted is not None else "–"
    return (
        PageCell(_capital(words), "strong" if chosen else "text"),
        PageCell(percent(value, 4), "over" if value > _WHOLE else "fit"),
        number("–" if chosen else change),
        annex.cell(
            entry.return_,
            tell("readings.return-if-the-rules-are", words=words),
            _NARROW if staked else _WIDE,
        ),
        *((number(on_all),) if staked else ()),
        PageCell("✓" if chosen else "", "strong"),
    )
