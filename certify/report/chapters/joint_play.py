"""All wagers together, where best play changes, simpler strategies, and what moves the returns."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Final

from certify.by_key import gathered
from certify.evidence import (
    Evidence,
    FrontierPiece,
    JointFigures,
    Sensitivity,
    StrategyClass,
    by_strategy,
    by_wager,
)
from certify.messages import statements, tell, translated
from certify.report import figures
from certify.report.formats import decimal, signed, statistic
from certify.report.layout import (
    Annex,
    Column,
    PageCell,
    PageParts,
    PageTable,
    columns,
    listed,
    number,
    off_of,
)
from certify.report.words import outcome_title, wager_titles

MANY: Final = 5
"""Wagers from which on they share their tables."""

_BY_CONTENT: Final = 0

MOST_ACROSS: Final = 12
"""Wagers whose correlations fit next to each other."""

STRONGEST: Final = 24
"""Correlations that are listed where there are more wagers than that."""


def joined(caption: str, tables: Sequence[tuple[PageCell, PageTable]], width: int) -> PageTable:
    """Returns tables of the same columns as one, what each is about before its first rows.

    Args:
        caption: Caption of the whole.
        tables: What a table is about, and the table; its caption is left out, remarks follow below once each.
        width: Share of the width that the first column takes, in per cent.
    """
    first = tables[0][1]
    rows = [
        (head, *row)
        for subject, table in tables
        for head, row in zip(_line_by_line(subject, len(table.rows)), table.rows, strict=True)
    ]
    remarks = dict.fromkeys(table.remark for _, table in tables if table.remark)
    head = (*columns(f"wager:{width}"), *(replace(column, width=_BY_CONTENT) for column in first.columns))
    return PageTable(caption, head, tuple(rows), " ".join(remarks), sortable=False, dense=True)


def _line_by_line(subject: PageCell, rows: int) -> Iterator[PageCell]:
    """Yields what a table is about, a line to a row, so that no row is high; the last has the rest."""
    lines = [line for line in (subject.detail, *subject.lines) if line]
    yield replace(subject, detail="", lines=() if rows > 1 else tuple(lines))
    for row in range(1, rows):
        yield PageCell("", lines=tuple(lines[row - 1 : row if row < rows - 1 else None]))


def correlations(entry: JointFigures, titles: dict[str, str]) -> PageTable:
    """Tabulates the correlation of every two wagers across, or of those that depend most on each other."""
    found = {pair.wagers: pair.correlation for pair in entry.covariance}
    wagers = list(dict.fromkeys(wager for pair in found for wager in pair))
    caption = tell("together.correlation-of-net-results-per", strategy=entry.strategy)
    remark = tell("together.covariances-in-evidence")
    if len(wagers) <= MOST_ACROSS:
        rows = tuple(tuple(_row(wager, wagers, found, titles)) for wager in wagers)
        head = (
            *columns("wager"),
            *(Column(str(place), "number") for place in range(1, len(wagers) + 1)),
        )
        return PageTable(caption, head, rows, remark, sortable=False, dense=True)
    strongest = sorted(
        ((pair, value) for pair, value in found.items() if len(set(pair)) > 1), key=lambda one: -abs(one[1])
    )[:STRONGEST]
    rows = tuple(
        (
            PageCell(
                tell("together.pair", one=titles.get(pair[0], pair[0]), other=titles.get(pair[1], pair[1]))
            ),
            number(statistic(value, 4)),
        )
        for pair, value in strongest
    )
    remark = f"{tell('together.strongest-only', shown=len(rows))} {remark}"
    return PageTable(caption, columns("wagers:64", "#correlation:36"), rows, remark, dense=True)


def _row(
    wager: str, wagers: Sequence[str], found: dict[tuple[str, str], float], titles: dict[str, str]
) -> Iterator[PageCell]:
    yield PageCell(f"{wagers.index(wager) + 1}  {titles.get(wager, wager)}")
    for other in wagers:
        value = found.get((wager, other), found.get((other, wager)))
        yield number("–" if value is None else statistic(value, 2))


def together(evidence: Evidence, annex: Annex) -> PageParts:
    """Returns the sections; each is empty where the evidence lacks it, or a single wager has nothing next to it."""
    titles = wager_titles(evidence)
    joint = by_strategy(evidence.joint) if len(titles) > 1 else ()
    frontiers = by_wager(evidence, evidence.frontier or {})
    return PageParts(
        whole=_whole(joint, titles, annex),
        covariance=_covariance(joint[0][1], titles, annex) if joint else None,
        frontiers=tuple(_frontier(side, titles, pieces, annex) for side, pieces in frontiers),
        classes=_classes(evidence.strategy_classes, titles, annex),
        pays=listed(
            tell("together.what-each-return-owes-to"),
            "wager:18 row:31:outcome if-it:16:translated!note #return:12:percent-4 #then:12:percent-4 #change:11",
            (
                (
                    titles.get(one.wager, one.wager),
                    one.subject,
                    one.change,
                    one.before,
                    one.after,
                    _points(one),
                )
                for one in evidence.sensitivity or ()
                if one.same_strategy is not None
            ),
            tell("together.changes-in-percentage-points-best"),
            dense=True,
        ),
        rules=_rules(evidence, titles),
    )


def _whole(
    joint: tuple[tuple[str, JointFigures], ...], titles: dict[str, str], annex: Annex
) -> PageTable | None:
    stakes = ", ".join(
        tell("together.staked-on", stake=str(stake), wager=titles.get(wager, wager))
        for _, first in joint[:1]
        for wager, stake in first.stakes.items()
    )
    return listed(
        tell("together.the-whole-stake-of-one"),
        "strategy:translated #return-on-the-stake:percent-6 exact #net-units:decimal-6 #variance:decimal-4 exact "
        "#std-deviation:statistic-5",
        (
            (
                name,
                entry.total_return,
                annex.cell(
                    entry.total_return, tell("together.return-on-the-whole-stake", name=translated(name))
                ),
                entry.expectation,
                entry.variance,
                annex.cell(
                    entry.variance,
                    tell("together.variance-of-the-whole-net", name=translated(name)),
                    off=off_of(entry.off, "variance"),
                ),
                entry.standard_deviation,
            )
            for name, entry in joint
        ),
        tell("together.stakes-in-units-net-result", stakes=stakes),
    )


def _covariance(entry: JointFigures, titles: dict[str, str], annex: Annex) -> PageTable | None:
    """Returns how the net results of the wagers depend on each other."""
    if len(titles) >= MANY:
        return correlations(entry, titles)
    rows = []
    for pair in entry.covariance:
        one, other = (titles.get(member, member) for member in pair.wagers)
        words = {"one": one} if one == other else {"one": one, "other": other}
        quantity = tell("together.variance-of" if one == other else "together.covariance-of-and", **words)
        exact = annex.cell(
            pair.covariance, f"{quantity}, {translated(entry.strategy)}", off=pair.off or Fraction(0)
        )
        name = tell("together.its-variance" if one == other else "together.pair", **words)
        rows.append((name, pair.covariance, exact, pair.correlation))
    return listed(
        tell("together.covariance-of-net-results-per", strategy=entry.strategy),
        "wagers:36 #covariance:16:decimal-6 exact:32 #correlation:16:statistic-4",
        rows,
    )


def _frontier(
    side: str, titles: dict[str, str], pieces: tuple[FrontierPiece, ...], annex: Annex
) -> PageParts:
    title = titles.get(side, side)
    if len(pieces) < 2:
        return PageParts(
            title=title,
            constant=tell("together.the-same-play-is-best", title=title),
            figure=None,
            pieces=None,
        )
    table = listed(
        tell("together.best-play-as-the-stake", title=title),
        (
            "#stake-from:10:decimal-6 exact:23 #main-wager:11",
            Column(title, "number", 13),
            "#whole-stake:18 what-changes:25!note",
        ),
        (_piece(piece, title, annex) for piece in pieces),
        tell("together.stake-on-per-unit-on", title=title, most=statistic(float(pieces[-1].stake_to), 2)),
    )
    points = [
        (
            float(piece.stake_from),
            float(piece.stake_to),
            float(piece.main_return),
            float(piece.side_return),
        )
        for piece in pieces
    ]
    return PageParts(title=title, constant="", figure=figures.frontier(side, title, points), pieces=table)


def _piece(piece: FrontierPiece, title: str, annex: Annex) -> tuple[object, ...]:
    changed = [
        tell(f"together.{key}", hands=", ".join(map(_hand, hands)))
        for key, hands in (("now_hit", piece.now_hit), ("now_stand", piece.now_stand))
        if hands
    ]
    ends = (piece.total_return_from_percent, piece.total_return_to_percent)
    low, high = (statistic(float(end), 4) for end in ends)
    return (
        piece.stake_from,
        annex.cell(piece.stake_from, tell("together.stake-on-from-which-play", title=title)),
        decimal(100 * piece.main_return, 4),
        decimal(100 * piece.side_return, 4),
        tell("number.range", low=low, high=high),
        statements(changed) or tell("together.best-for-the-main-wager"),
    )


def _hand(changed: str) -> str:
    """Returns a hand as the frontier names it in the words of a reader.

    >>> _hand("5 first: 5"), _hand("5 first: A+5")
    ('a single 5', 'A+5 with 5 as first card')
    """
    first, _, hand = changed.partition(" first: ")
    if hand == first:
        return tell("together.a-single", first=first)
    return tell("together.with-as-first-card", hand=hand, first=first) if hand else changed


def _classes(entries: tuple[StrategyClass, ...], titles: dict[str, str], annex: Annex) -> PageTable | None:
    several = len(titles) > 1
    of = tell("together.the-main-wager") if several or not titles else next(iter(titles.values()))
    return listed(
        tell("together.simpler-ways-to-play-the" if several else "together.simpler-ways-to-play-and"),
        "strategy:17:translated looks-at:20:translated "
        f"{'#main-wager:15:percent-6' if several else '#return:15:percent-6'} "
        "exact:33 #costs:15:percent-6",
        (
            (
                entry.strategy,
                entry.strategy_class,
                entry.main_return,
                annex.cell(entry.main_return, tell("together.return-of", of=of, strategy=entry.strategy)),
                entry.cost,
            )
            # Nothing is simpler where nothing is decided.
            for entry in (entries if len(entries) > 1 else ())
        ),
    )


def _rules(evidence: Evidence, titles: dict[str, str]) -> PageTable | None:
    """Tabulates what another rule does to the returns of all wagers, one row per rule."""
    named = {rule.id: translated(rule.title) for rule in evidence.rules}
    entries = [entry for entry in evidence.sensitivity or () if entry.same_strategy is None]
    changed = gathered(((one.subject, translated(one.change)), (one.wager, _points(one))) for one in entries)
    wagers = [wager for wager in titles if any(one.wager == wager for one in entries)]
    played = tell("together.best-play-for-the-main" if len(titles) > 1 else "together.best-play")
    return listed(
        tell("together.what-the-returns-owe-to"),
        (
            f"rule:38 if-it-were:{21 if len(wagers) > 1 else 46}!note",
            *(Column(titles[wager], "number") for wager in wagers),
        ),
        (
            (
                named.get(rule, outcome_title(rule)),
                change,
                *map(dict(points).get, wagers),
            )
            for (rule, change), points in changed.items()
        ),
        tell("together.change-of-each-return-in", played=played),
        dense=True,
    )


def _points(entry: Sensitivity) -> str:
    return signed(100 * entry.delta, 4)
