"""A gate run as Markdown, for a job summary or a comment: the verdict, the returns, then every change."""

import html
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final

from certify.characters import shown
from certify.evidence import Moved
from certify.evidence.columns import columns_of, value_at
from certify.exact import exact_text
from certify.gate.change import GateChange
from certify.gate.compare import GameComparison
from certify.gate.fact_changes import money, percent, points
from certify.gate.text import verdict_line, versions
from certify.gate.verdict import GateReport

MARKER: Final = "<!-- certify-gate -->"
"""First line of every summary, by which a comment is found again and updated."""


LIMIT: Final = 60_000
"""Characters; GitHub takes comments up to 65,536 and job summaries up to 1,024 KiB."""


# What Markdown reads as more than text, within a line.
_SPECIAL: Final = re.compile(r"([\\`*_\[\]!|~])")


# GitHub turns these into mentions, references and links after entities are read: a space of no width stops it, which
# is here as the entity that everybody sees in the text.
_LINKED: Final = re.compile(r"(@|#|:(?=//)|www(?=\.))")


def gate_markdown(report: GateReport) -> str:
    """Returns a gate run as Markdown that stays below the limit of a comment."""
    head = [MARKER, f"### {'✅' if report.passes else '❌'} certify gate: {escape(verdict_line(report))}", ""]
    tables = [*_returns(report.games), *_against(report)]
    names = [
        f"{escape(state.label)}{f' ({state.commit[:12]})' if state.commit else ''}"
        for state in (report.base, report.head)
    ]
    states = f"from {names[0]} to {names[1]}; counted exactly, nothing simulated"
    tail = ["", f"<sub>{states}</sub>", ""]
    room = LIMIT - sum(len(line) + 1 for line in (*head, *tail)) - 200
    return "\n".join((*head, *_fitting([*tables, *_details(report)], room), *tail))


def escape(text: str) -> str:
    r"""Returns text that Markdown shows as it is: names come from submissions and may hold anything.

    >>> escape("a|b <img> @all")
    'a&#124;b &lt;img&gt; @&#8203;all'
    >>> escape("no\u200bwidth")
    'no&#92;u200bwidth'
    """
    flat = html.escape(shown(" ".join(text.split())), quote=False)
    return _SPECIAL.sub(lambda match: f"&#{ord(match[1])};", _LINKED.sub("\\1&#8203;", flat))


def _fitting(lines: Sequence[str], room: int) -> Iterator[str]:
    """Yields lines as long as there is room, and says how many were left out."""
    used = 0
    for number, line in enumerate(lines):
        used += len(line) + 1
        if used > room:
            yield ""
            yield f"… and {len(lines) - number} more lines: the JSON of this run has them all."
            return
        yield line


def _returns(games: Sequence[GameComparison]) -> Iterator[str]:
    """Yields the table of returns, changed games only."""
    rows = [row for game in games for row in _rows(game)]
    if not rows:
        return
    yield "| game | version | wager | return before | return after | Δ | exactly |"
    yield "|---|---|---|---:|---:|---:|---|"
    yield from rows
    yield ""


def _rows(game: GameComparison) -> Iterator[str]:
    if game.figure_changes is None:
        if game.status == "removed":
            yield f"| {escape(game.game)} | {escape(versions(game))} | | | removed | | |"
        return
    for delta in game.figure_changes.wagers:
        named = f"{escape(game.game)} | {escape(versions(game))} | {escape(delta.wager)}"
        yield f"| {named} | {_columns(delta.moved('return'))} |"
        if delta.adds_to_stake:
            total = _columns(delta.moved("return_on_total_wagered"))
            yield f"| {escape(game.game)} | | {escape(delta.wager)}, of all wagered | {total} |"
    old, new = game.figure_changes.exposure
    if old is not None and new is not None and old != new:
        was, now = money(old, game.figure_changes.currency[0]), money(new, game.figure_changes.currency[1])
        endless = (
            ", in rounds as long as are played here: there is no end"
            if any(game.figure_changes.endless)
            else ""
        )
        yield f"| {escape(game.game)} | | most that a round costs{endless} | {was} | {now} | | |"


def _columns(one: Moved) -> str:
    """Returns a return before and after with its difference as four columns, or the bounds of the last."""
    before, after = ("–" if value is None else percent(value) for value in (one.before, one.after))
    if not one.difference:
        return f"{before} | {after} |{'' if one.difference is None else ' 0'} | "
    off = one.off[-1] if one.off else Fraction(0)
    return f"{before} | {after} | **{points(one.difference)}** | {exact_text(one.difference, off=off)}"


def _against(report: GateReport) -> Iterator[str]:
    """Yields the table of what fails the policy, and what was approved."""
    if report.against:
        yield from _table(CHANGES, report.against)
        yield "Approve with `certify approve FINGERPRINT --reason … --until …`, or correct it."
        for game in report.games:
            if any(map(report.stops, game.changes)):
                yield f"All of {escape(game.game)}: `{game.fingerprint}`"
        yield ""
    yield from _table(
        "approved=kind.id what=message by until=approval.until reason=approval.reason",
        [change for change in report.changes if change.approval is not None],
    )


CHANGES: Final = "severity change=kind.id what=message where fingerprint"
"""Columns of a table of changes."""


_CELLS: Final[Mapping[str, Callable[[GateChange], str]]] = {
    "severity": lambda change: change.severity.name.lower(),
    "where": lambda change: f"{escape(change.path)}:{change.line}",
    "fingerprint": lambda change: f"`{change.fingerprint[:16]}`",
    "by": lambda change: (
        ""
        if change.approval is None
        else escape(change.approval.approved_by) + (" (signed)" if change.approval.signature else "")
    ),
}
"""What a table of changes says in other words than the change itself."""


def _table(declared: str, rows: Sequence[GateChange | Mapping[str, str]]) -> Iterator[str]:
    """Yields a table by the declaration of its columns (:mod:`certify.evidence.columns`); nothing without rows."""
    if not rows:
        return
    columns = columns_of(declared)
    yield f"| {' | '.join(one.head.replace('-', ' ') for one in columns)} |"
    yield f"|{'|'.join('---:' if one.number else '---' for one in columns)}|"
    for row in rows:
        cells = (
            _CELLS[one.head](row)
            if isinstance(row, GateChange) and one.head in _CELLS
            else escape(str(value_at(row, one.path)))
            for one in columns
        )
        yield f"| {' | '.join(cells)} |"
    yield ""


def _details(report: GateReport) -> Iterator[str]:
    """Yields everything else, folded away."""
    others = [change for change in report.unapproved if not report.stops(change)]
    flips = [
        {
            "game": game.game,
            "hand": flip.hand,
            "before": flip.before,
            "after": flip.after,
            "often": f"{float(1 / flip.probability):,.0f} rounds" if flip.probability else "never comes up",
        }
        for game in report.games
        if game.figure_changes
        for flip in game.figure_changes.flips
    ]
    yield from _folded(f"{len(others)} more changes, none of which fails the policy", CHANGES, [*others])
    if others:
        yield ""
    title, columns = f"Optimal play changes on {len(flips)} hands", "game hand before after #once-in=often"
    yield from _folded(title, columns, flips)


def _folded(title: str, declared: str, rows: Sequence[GateChange | Mapping[str, str]]) -> Iterator[str]:
    if rows:
        yield from (f"<details><summary>{title}</summary>", "", *_table(declared, rows), "</details>")
