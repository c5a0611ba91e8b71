"""Printed tables of the source: every count and every row of outcomes beside exact counting."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from certify.messages import english, say, tell
from certify.model.strategy import MAIN_OPTIMAL
from certify.report.chapters.returns import habits
from certify.report.formats import decimal, fraction, grouped, percent, prose
from certify.report.layout import PRINTINGS, Column, PageCell, PageTable, columns, note, number, printing
from certify.report.node import Node
from certify.report.words import outcome_title

_CELLS = ("dealer_wins", "tie", "player_wins")
_FOLDS = "player_folds"
# Where no strategy matters the evidence holds one entry for all of them.
_ANY = "any"
_WAYS = ("below", "equal", "above", "lone_faces", "bust", "total")
# How a count of the hands with one total is named; the column beside it says of how many cards.
_TOTAL = re.compile(r"two-card-(\d+½?)")
_KINDS = ("two-card-hands", "one-card-hands", "all-hands")


@dataclass(frozen=True, slots=True)
class PrintedView:
    """The chapter's parts in their order.

    Args:
        sentence: The totals in one sentence.
        totals: How many counts and rows ended how.
        counts: Every printed count.
        implied: Every row under the reading that its own fractions imply.
        worth: Every row as a probability, with the numbers of the verdict.
        chances: The true conditional probabilities beside the printed ones.
        strategies: For which ways of playing they were counted.
    """

    sentence: str
    totals: PageTable
    counts: PageTable | None
    implied: PageTable | None
    worth: PageTable | None
    chances: PageTable | None
    strategies: tuple[str, ...]


def printed(evidence: Node) -> PrintedView | None:
    """Returns the chapter, or nothing where the source prints no such tables.

    Raises:
        RenderError: A verdict is none of those that a printed figure can have.
    """
    node = evidence.at("judged_tables")
    counts, rows = node.each("counts"), node.each("rows")
    if not counts and not rows:
        return None
    strategies = _strategies(rows)
    return PrintedView(
        _sentence(counts, rows),
        _totals(counts, rows),
        _counts(counts),
        _implied(rows),
        _worth(rows),
        _chances(rows, strategies, habits(evidence.at("analysis").items())),
        strategies,
    )


def _sentence(counts: tuple[Node, ...], rows: tuple[Node, ...]) -> str:
    parts = []
    if counts:
        parts.append(
            tell(
                "printed.of-printed-counts-hold",
                counts=grouped(len(counts)),
                holding=_holding(counts, "verdict"),
            )
        )
    if rows:
        parts.append(
            tell(
                "printed.of-printed-rows-hold-under",
                rows=grouped(len(rows)),
                holding=_holding(rows, "under_implied_reading"),
                otherwise=_otherwise(rows),
                holding_b=_holding(rows, "as_probability"),
                exactly=_exactly(rows),
            )
        )
    return " ".join(parts)


def _otherwise(rows: tuple[Node, ...]) -> str:
    """Returns how many rows are miscounted, and how many do not follow from their own terms."""
    found = Counter(row.text("footing", "") for row in rows)
    miscounted, unsound = found["miscounted"], found["does not follow from its own terms"]
    parts = [
        tell("printed.miscounted", count=miscounted) if miscounted else "",
        tell("printed.unsound", count=unsound) if unsound else "",
    ]
    told = tell("list.and").join(part for part in parts if part)
    return f", {told}" if told else ""


def _exactly(rows: tuple[Node, ...]) -> str:
    """Returns how many of the rows that hold print the exact shares, where that is known and not all do."""
    sound = [row for row in rows if row.text("under_implied_reading") == "holds"]
    exact = sum(bool(row.flag("exactly_rounded")) for row in sound)
    if exact == len(sound) or not any(row.has("exactly_rounded") for row in sound):
        return ""
    return " " + (tell("printed.of-the-that-hold-print", sound=grouped(len(sound)), exact=grouped(exact)))


def _holding(entries: tuple[Node, ...], key: str) -> str:
    return grouped(sum(entry.text(key) == "holds" for entry in entries))


def _totals(counts: tuple[Node, ...], rows: tuple[Node, ...]) -> PageTable:
    """Tabulates the verdicts: what was judged down, the verdicts across."""
    judged = (
        (tell("printed.counts-and-shares-of-hands"), counts, "verdict"),
        (tell("printed.rows-under-the-reading-that"), rows, "under_implied_reading"),
        (tell("printed.rows-as-probabilities"), rows, "as_probability"),
    )
    made = []
    for title, entries, key in judged:
        if entries:
            found = Counter(printing(entry.text(key)).word for entry in entries)
            made.append(
                (
                    PageCell(title, "strong"),
                    *(number(grouped(found[word])) for word in PRINTINGS),
                    number(grouped(len(entries))),
                )
            )
    head = (
        *columns("judged:36"),
        *(Column(printing(word).label.capitalize(), "number") for word in PRINTINGS),
    )
    return PageTable(
        tell("printed.verdicts-in-total"), (*head, *columns("#all:8")), tuple(made), sortable=False
    )


def _counts(counts: tuple[Node, ...]) -> PageTable | None:
    rows = tuple(
        (
            PageCell(hands(entry.text("label"))),
            PageCell(_kind(entry.text("of"))),
            number(entry.text("printed")),
            number(entry.text("exact")),
            number(_share(entry, "share_of_real_two_card_hands")),
            note(_numbers(entry)),
            _worth_cell(entry.text("verdict")),
        )
        for entry in counts
    )
    head = columns(
        "hands:15", "of:17", "#printed:16", "#exact:8", "#as-really-dealt:11", "numbers:18", "verdict"
    )
    remark = tell("printed.exact-counted-over-unordered-hands")
    return (
        PageTable(tell("printed.printed-counts-of-hands"), head, rows, remark, dense=True) if rows else None
    )


def _kind(of: str) -> str:
    """Returns of how many cards the hands of a count are."""
    return tell(f"counted.{of}") if of in _KINDS else outcome_title(of).lower()


def hands(label: str) -> str:
    """Returns the id of a printed count as words.

    >>> hands("two-card-7-and-a-half"), hands("bust-8-to-14")
    ('Total 7½', 'Bust 8 to 14')
    """
    words = label.replace("-and-a-half", "½")
    total = _TOTAL.fullmatch(words)
    return tell("printed.total", total=total[1]) if total else outcome_title(words)


def _numbers(entry: Node) -> str:
    """Returns the numbers of a verdict, where the columns do not show them already."""
    detail = entry.sentence("detail")
    shown = english(say("printed.printed-exact", printed=entry.text("printed"), exact=entry.text("exact")))
    return "" if entry.text("detail", "") == shown else prose(detail)


def _share(entry: Node, key: str) -> str:
    return percent(fraction(entry.text(key)), 2) if entry.has(key) else "–"


def _worth_cell(word: str, lines: tuple[str, ...] = ()) -> PageCell:
    return PageCell(word, "judged", printing(word), lines=lines)


def _implied(rows: tuple[Node, ...]) -> PageTable | None:
    made = tuple(
        (
            PageCell(row.sentence("label")),
            *(PageCell(row.at("printed").text(key)) for key in _CELLS),
            *(number(decimal(100 * fraction(row.at("implied").text(key)), 2)) for key in _CELLS),
            _worth_cell(
                row.text("under_implied_reading"),
                tuple(prose(s.said()) for key in ("slips", "remarks") for s in row.each(key)),
            ),
        )
        for row in rows
    )
    head = columns(
        "dealers-hand:13",
        "printed-win:20",
        "printed-tie:13",
        "printed-loss:8",
        "#counted-win:9",
        "#tie:6",
        "#loss:7",
        "verdict-and-every-slip",
    )
    caption = tell("printed.printed-rows-under-the-reading")
    remark = tell("printed.printed-cells-stand-here-sign")
    return PageTable(caption, head, made, remark, dense=True) if made else None


def _worth(rows: tuple[Node, ...]) -> PageTable | None:
    made = tuple(
        (
            PageCell(row.sentence("label")),
            *(number(_ways(row.at("ways"), key)) for key in _WAYS),
            _worth_cell(row.text("as_probability"), (prose(row.sentence("reason")),)),
        )
        for row in rows
    )
    head = columns(
        "dealers-hand:14",
        "#below:6",
        "#equal:6",
        "#above:6",
        "#lone-faces:6",
        "#bust:5",
        "#all:5",
        "verdict-and-its-numbers",
    )
    remark = tell("printed.hands-of-the-player-that")
    return (
        PageTable(tell("printed.printed-rows-as-probabilities"), head, made, remark, dense=True)
        if made
        else None
    )


def _ways(ways: Node, key: str) -> str:
    return grouped(ways.integer(key)) if ways.has(key) else "–"


def _strategies(rows: tuple[Node, ...]) -> tuple[str, ...]:
    """Returns the ways of playing for which chances were counted, the optimal one first."""
    names = {name for row in rows for name, _ in row.at("conditional").items()} - {_ANY}
    return tuple(sorted(names, key=lambda name: (name != MAIN_OPTIMAL, name)))


def _chances(rows: tuple[Node, ...], strategies: tuple[str, ...], played: str) -> PageTable | None:
    """Tabulates the true chances; folding has a column only where somebody folds."""
    shown = {
        name: (*_CELLS, *((_FOLDS,) if any(_folds(row, name) for row in rows) else ())) for name in strategies
    }
    made = tuple(
        (
            PageCell(row.sentence("label")),
            note(_first_number(row)),
            *(number(_chance(row, name, key)) for name in strategies for key in shown[name]),
        )
        for row in rows
    )
    titles = {key: tell(f"chance.{key}") for key in (*_CELLS, _FOLDS)}
    head = (
        Column(tell("printed.dealers-hand"), width=16),
        Column(tell("printed.printed"), width=8),
        *(Column(f"{name}: {titles[key]}", "number") for name in strategies for key in shown[name]),
    )
    remark = tell("printed.in-per-cent-printed-the")
    remark = f"{remark} {played}".strip()
    caption = tell("printed.true-conditional-probabilities-by-way")
    return PageTable(caption, head, made, remark, dense=True) if made and strategies else None


def _chance_of(row: Node, strategy: str) -> Node:
    conditional = row.at("conditional")
    return conditional.at(strategy if conditional.has(strategy) else _ANY)


def _folds(row: Node, strategy: str) -> bool:
    return fraction(_chance_of(row, strategy).text(_FOLDS, "0")) != 0


def _chance(row: Node, strategy: str, key: str) -> str:
    chance = _chance_of(row, strategy)
    return decimal(100 * fraction(chance.text(key)), 2) if chance.has(key) else "–"


def _first_number(row: Node) -> str:
    """Returns the printed percentage of the dealer's win without the fraction beside it."""
    return row.at("printed").text("dealer_wins").partition(" ")[0]
