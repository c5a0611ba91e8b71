"""The edge in plain words, and what the game returns when its rules are read otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from certify.messages import statements, tell
from certify.report import figures
from certify.report.annex import Annex
from certify.report.formats import fraction, grouped, percent, prose, signed
from certify.report.layout import Figure, PageCell, PageTable, columns, number
from certify.report.node import Node
from certify.report.order import unit_of

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


def edge_sentence(evidence: Node) -> str:
    """Returns who has the edge in plain words, where the evidence says it."""
    said = prose(evidence.at("edge").sentence("sentence", ""))
    wagers = evidence.each("wagers")
    if not said or len(wagers) == 1:
        return said
    return tell("edge.of-wager", wager=wagers[0].sentence("title"), sentence=said)


def readings_sentence(evidence: Node) -> str:
    """Returns which readings take the player's edge away; nothing where only one reading was evaluated."""
    entries = [entry for entry in evidence.each("evaluated_readings") if not entry.flag("what_if")]
    others = [entry for entry in entries if not entry.flag("adopted")]
    if not others:
        return ""
    adopted = [entry for entry in entries if entry.flag("adopted")]
    over = any(_return(entry) > _WHOLE for entry in adopted)
    named = [
        f"{entry.sentence('reading')} ({percent(_return(entry), 4)})"
        for entry in others
        if (_return(entry) > _WHOLE) is not over
    ]
    side, readings = "below" if over else "above", grouped(len(entries))
    if not named:
        return prose(tell(f"readings.{side}-none", readings=readings))
    told = tell(f"readings.{side}-some", readings=readings, count=len(named), named=statements(named))
    return prose(told)


def _return(entry: Node) -> Fraction:
    return fraction(entry.text("return"))


def evaluated_readings(evidence: Node, annex: Annex) -> Readings | None:
    """Returns the section, or nothing where no reading was evaluated."""
    entries = evidence.each("evaluated_readings")
    if not entries:
        return None
    adopted = next((_return(entry) for entry in entries if entry.flag("adopted")), None)
    staked = any(entry.has("return_on_total_wagered") for entry in entries)
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
    if any(entry.flag("what_if") for entry in entries):
        remark += " " + (tell("readings.what-if-is-said-by"))
    combined = evidence.at("reading_combinations")
    return Readings(
        readings_sentence(evidence),
        PageTable(tell("readings.readings-evaluated"), head, rows, prose(remark)),
        prose(combined.sentence("sentence", "")),
        _figure(combined.each("all"), unit),
        _combinations(combined.each("all"), unit),
    )


def combinations_sentence(evidence: Node) -> str:
    """Returns how many combinations of readings return more than is staked, where they were counted."""
    node = evidence.at("reading_combinations")
    if not node:
        return ""
    count, above = node.integer("count"), node.integer("above_100_percent")
    many = {0: "none", 1: "one", count: "all"}.get(above, "some")
    numbers = {"count": grouped(count), **({"above": grouped(above)} if many == "some" else {})}
    return prose(tell(f"readings.{many}-above", **numbers))


def _combinations(entries: tuple[Node, ...], unit: str) -> PageTable | None:
    """Tabulates every combination of readings, the lowest return first."""
    staked = any(entry.has("return_on_total_wagered") for entry in entries)
    rows = tuple(
        (
            PageCell(
                _capital(prose(entry.sentence("reading"))), "strong" if entry.flag("adopted") else "text"
            ),
            PageCell(percent(_return(entry), 4), "over" if _return(entry) > _WHOLE else "fit"),
            *((number(percent(fraction(entry.text("return_on_total_wagered")), 4)),) if staked else ()),
        )
        for entry in sorted(entries, key=_return)
    )
    head = columns(
        "if-the-rules-are-read-so:63",
        "#return-per:18",
        *(("#of-everything-staked",) if staked else ()),
        unit=unit,
    )
    return PageTable(tell("readings.every-combination-of-readings"), head, rows, dense=True) if rows else None


def _figure(entries: tuple[Node, ...], unit: str) -> Figure | None:
    rows = [
        (float(100 * _return(entry)), bool(entry.flag("adopted"))) for entry in sorted(entries, key=_return)
    ]
    return figures.combinations(rows, unit) if len(rows) > 1 else None


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _row(entry: Node, adopted: Fraction | None, annex: Annex, *, staked: bool) -> tuple[PageCell, ...]:
    value, words = _return(entry), prose(entry.sentence("reading"))
    chosen = bool(entry.flag("adopted"))
    on_all = percent(fraction(entry.text("return_on_total_wagered")), 4) if staked else ""
    change = signed(100 * (value - adopted), 4) if adopted is not None else "–"
    return (
        PageCell(_capital(words), "strong" if chosen else "text"),
        PageCell(percent(value, 4), "over" if value > _WHOLE else "fit"),
        number("–" if chosen else change),
        annex.cell(
            entry.text("return"),
            tell("readings.return-if-the-rules-are", words=words),
            _NARROW if staked else _WIDE,
        ),
        *((number(on_all),) if staked else ()),
        PageCell("✓" if chosen else "", "strong"),
    )
