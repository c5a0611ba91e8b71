"""The edge in plain words, and what the game returns when its rules are read otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from certify.evidence.document import Evidence
from certify.evidence.judged import EvaluatedReading
from certify.messages import statements, tell, translated
from certify.report import figures
from certify.report.formats import grouped, percent, prose, signed
from certify.report.layout import Annex, Figure, PageCell, PageTable, listed
from certify.report.words import said, unit_of

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
    table: PageTable | None
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
    unit = unit_of(evidence)
    remark = tell("readings.best-play-is-found-anew")
    if any(entry.what_if for entry in entries):
        remark += " " + (tell("readings.what-if-is-said-by"))
    combined = evidence.reading_combinations
    return Readings(
        readings_sentence(evidence),
        listed(
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
    return listed(
        tell("readings.every-combination-of-readings"),
        f"if-the-rules-are-read-so:63 #return-per:18 {'#of-everything-staked:percent-4' if staked else ''}",
        (
            (*_named(one), *((one.return_on_total_wagered,) if staked else ()))
            for one in sorted(entries, key=lambda entry: entry.return_)
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
        PageCell(percent(entry.return_, 4), "over" if entry.return_ > _WHOLE else "fit"),
    )
