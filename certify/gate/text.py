"""A gate run as text for a terminal."""

from collections.abc import Iterator
from fractions import Fraction

from certify.characters import shown
from certify.evidence import Moved
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
                ", in rounds as long as are played here: there is no end of it"
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
