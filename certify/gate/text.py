"""A gate run as text that people read: on a terminal, and as Markdown for a job summary or a comment."""

import html
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final

from certify.characters import shown
from certify.evidence.columns import columns_of, value_at
from certify.evidence.report import Moved
from certify.exact import exact_text, fraction_text, percent_between
from certify.gate.change import GateChange
from certify.gate.compare import GameComparison
from certify.gate.fact_changes import money, percent, points, proven_percent
from certify.gate.figure_changes import WagerChange
from certify.gate.verdict import GateReport


def gate_text(report: GateReport) -> str:
    """Returns a gate run as text: the verdict first, then each game, then what is to be done."""
    return "".join(f"{shown(line)}\n" for line in _lines(report))


def _lines(report: GateReport) -> Iterator[str]:
    yield verdict_line(report)
    for state in (report.base, report.head):
        name = f"{state.label} ({state.commit[:12]})" if state.commit else state.label
        yield f"  {'from' if state is report.base else 'to  '} {name}{f' – {state.note}' if state.note else ''}"
    for game in report.games:
        yield from ("", *_game(game, report))
    if report.remarks:
        yield from ("", *(line for change in report.remarks for line in _change(change, report)))
    if not report.passes:
        asked = "certify explain ID says what a change means; certify approve FINGERPRINT approves it"
        yield from ("", f"{asked}, or all of a game.")


def verdict_line(report: GateReport) -> str:
    """Returns the verdict with its numbers as one line."""
    games = len(report.games)
    compared = f"{games} game{'s' if games != 1 else ''} compared"
    approved = sum(change.approval is not None for change in report.changes)
    approvals = f", {approved} approved" if approved else ""
    if report.passes:
        changed = sum(game.status != "unchanged" for game in report.games)
        return f"may be merged: {compared}, {changed} with changes{approvals}"
    against = f"{len(report.against)} of {len(report.changes)} changes fail the policy"
    return f"may not be merged: {against}, {compared}{approvals}"


def versions(game: GameComparison) -> str:
    """Returns the versions of a game before and after.

    Versions are those of the submissions; a state that does not exist has none.
    """
    old = game.before.version if game.before else "none"
    new = game.after.version if game.after else "none"
    return old if old == new else f"{old} → {new}"


def _game(game: GameComparison, report: GateReport) -> Iterator[str]:
    yield f"{game.game}  {game.status}  {versions(game)}"
    if game.status == "unchanged" and not game.changes:
        return
    if game.figure_changes is not None:
        for delta in game.figure_changes.wagers:
            yield f"  {delta.wager:18} {_moved(delta)}"
            if delta.adds_to_stake:
                yield f"  {'of all wagered':18} {_words(delta.moved('return_on_total_wagered'))}"
        old, new = game.figure_changes.exposure
        if old is not None and new is not None:
            currency = game.figure_changes.currency
            moved = f"{money(old, currency[0])} → {money(new, currency[1])}"
            costs = moved if old != new else f"{money(new, currency[1])}, unchanged"
            endless = (
                ", of a round made as an example: there is no end of it"
                if any(game.figure_changes.endless)
                else ""
            )
            yield f"  {'exposure':18} {costs}{endless}"
    said = None
    for change in game.changes:
        # One approval of a whole game is reported once, not with every change that it covers.
        yield from _change(change, report, tell=change.approval != said)
        said = change.approval
    yield f"  all of this game: {game.fingerprint}"


def _moved(delta: WagerChange) -> str:
    """Returns how the return of a wager moved, in words of figures."""
    if delta.after is not None and delta.after.bracket is not None:
        was = "" if delta.before is None else f"{proven_percent(delta.before.proven)} → "
        return f"{was}{proven_percent(delta.after.proven)}, proven of the value"
    words = _words(delta.moved("return"))
    return words if delta.after is None or delta.delta == 0 else f"{words} under {delta.strategy}"


def _words(one: Moved) -> str:
    """Returns a return after and how far it moved, or what they lie between."""
    if one.after is None:
        return "no longer offered"
    off = one.off or (Fraction(0),) * 3
    now, move = _percent(one.after, off[1]), one.difference
    if one.before is None or move is None:
        return now if one.near else f"{now} = {fraction_text(one.after)}"
    if not move:
        return f"{now}, unchanged"
    exact = exact_text(move, off=off[2]) if one.near else f"= {fraction_text(move)}"
    return f"{_percent(one.before, off[0])} → {now}  {points(move)}  {exact}"


def _percent(value: Fraction, off: Fraction) -> str:
    return percent_between(value, off) if off else percent(value)


def _change(change: GateChange, report: GateReport, *, tell: bool = True) -> Iterator[str]:
    yield f"  {'✗' if report.stops(change) else '·'} {change.word:8} {change.kind.id:24} {change.message}"
    yield f"    {'':8} {change.path}:{change.line}  {change.fingerprint}"
    if change.approval and tell:
        by = f" by {change.approval.approved_by}" if change.approval.approved_by else ""
        yield f"    {'':8} approved{by} until {change.approval.until}: {change.approval.reason}"


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
    kept = list(_fitting([*tables, *_details(report)], room))
    return "\n".join((*head, *kept, *tail))


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
        endless = ", of an example: there is no end" if any(game.figure_changes.endless) else ""
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
        yield "Approve with `certify approve FINGERPRINT --reason … --until …`, or mend it."
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
