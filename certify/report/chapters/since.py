"""What changed since an earlier certified pack, and what that does to every figure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from typing import Final

from certify.evidence.document import Evidence
from certify.evidence.since import Change, EarlierReport, Moved, Since
from certify.messages import tell, translated
from certify.report.annex import Annex
from certify.report.formats import DASH, decimal, instant, money, percent, prose, signed
from certify.report.layout import (
    Fact,
    PageCell,
    PageTable,
    columns,
    digest,
    fact,
    judged,
    mono,
    note,
    number,
    tabled,
)
from certify.report.order import wager_titles
from certify.report.words import said

_PLACES: Final = 6
_RETURNS: Final = ("return", "return_on_total_wagered", "bracket/lower", "bracket/upper")
_OTHERS: Final = ("hit_frequency", "win_frequency", "variance", "total_wagered", "top_award/probability")
_PLAIN: Final = frozenset({"variance", "total_wagered"})
"""Figures that are no share of one."""


@dataclass(frozen=True, slots=True)
class SinceView:
    """The chapter."""

    text: str
    earlier: tuple[Fact, ...]
    changes: PageTable | None
    statuses: PageTable | None
    returns: PageTable | None
    others: PageTable | None
    same: PageTable


def since(evidence: Evidence, annex: Annex) -> SinceView | None:
    """Returns the chapter; none where the run was not compared with an earlier pack."""
    told = evidence.since
    if not told:
        return None
    return SinceView(
        text=prose(said(told, "text")),
        earlier=_earlier(told.earlier),
        changes=_changes(told),
        statuses=_statuses(told),
        returns=_returns(evidence, told, annex),
        others=_others(evidence, told),
        same=_same(told),
    )


def _earlier(report: EarlierReport) -> tuple[Fact, ...]:
    """Returns what is known of the earlier report, and how far its signature was trusted."""
    trust = "since.signer-trusted" if report.established else "since.signer-not-established"
    if report.demonstration_key:
        trust = "since.signer-demonstration"
    return (
        fact("fact.report-number", mono(report.number)),
        fact("fact.issued", instant(report.issued)),
        fact("fact.version", report.version),
        fact("fact.software", report.software),
        fact("fact.submission-sha-256", digest(report.submission_sha256)),
        fact("fact.evidence-sha-256", digest(report.evidence_sha256)),
        fact("fact.signed-by", tell(trust, signer=report.signer)),
    )


def _changes(told: Since) -> PageTable | None:
    rows = tuple(
        (
            PageCell(tell(f"since.kind-{change.kind}")),
            mono(change.subject),
            _stated(change.before, change.kind),
            _stated(change.after, change.kind),
        )
        for change in told.changes
    )
    head = columns("what-changed:24", "where:26", "before:25", "now:25")
    return tabled(tell("since.what-is-stated-otherwise"), head, rows, sortable=False, dense=True)


def _stated(stated: str | None, kind: str) -> PageCell:
    """Returns a value as the submission states it; the titles of checks are this software's own words."""
    value = DASH if stated is None else stated
    return note(translated(value) if kind == "check-changed" else value)


def _statuses(told: Since) -> PageTable | None:
    rows = tuple(
        (
            PageCell(_concluded(change)),
            _status(change.before),
            _status(change.after),
        )
        for change in told.statuses
    )
    head = columns("of-what:46", "before:27", "now:27")
    return tabled(tell("since.what-was-concluded-otherwise"), head, rows, sortable=False)


def _concluded(change: Change) -> str:
    about = {"of": change.subject} if change.subject else {}
    return tell(f"since.status-{change.kind}", **about)


def _status(word: str | None) -> PageCell:
    return PageCell(DASH) if word is None else judged(word)


def _figures(told: Since, names: tuple[str, ...]) -> Iterator[tuple[str, str, str, Moved]]:
    """Yields the figures of wagers that moved, by these names: strategy, wager, name and figure."""
    for figure in told.figures:
        at = figure.at
        if at[0] == "analysis" and at[2] == "wagers" and "/".join(at[4:]) in names:
            yield at[1], at[3], "/".join(at[4:]), figure


def _returns(evidence: Evidence, told: Since, annex: Annex) -> PageTable | None:
    """Tabulates the returns that moved, with the exact difference."""
    titles = wager_titles(evidence)
    rows = tuple(
        (
            mono(strategy),
            PageCell(titles.get(wager, wager), detail="" if name == "return" else _name(name)),
            *_ends(figure, name),
            annex.cell(
                figure.difference,
                tell(
                    "since.difference-of",
                    figure=_name(name),
                    wager=titles.get(wager, wager),
                    strategy=strategy,
                ),
                off=figure.off[-1] if figure.off else Fraction(0),
            )
            if figure.difference is not None
            else PageCell(DASH),
        )
        for strategy, wager, name, figure in _figures(told, _RETURNS)
    )
    head = columns("strategy:17", "wager:18", "#before:16", "#now:16", "#difference:15", "exact:18")
    remark = tell("since.differences-are-in-points")
    return tabled(tell("since.returns-that-moved"), head, rows, remark)


def _others(evidence: Evidence, told: Since) -> PageTable | None:
    """Tabulates what else moved of the wagers, and the most that one round can cost."""
    titles = wager_titles(evidence)
    rows: list[tuple[PageCell, ...]] = [
        (mono(strategy), PageCell(titles.get(wager, wager)), PageCell(_name(name)), *_ends(figure, name))
        for strategy, wager, name, figure in _figures(told, _OTHERS)
    ]
    currency = evidence.exposure.currency
    for figure in told.figures:
        if figure.at == ("exposure", "amount"):
            shown = (_money(end, currency) for end in (figure.before, figure.after, figure.difference))
            rows.append((PageCell(DASH), PageCell(DASH), PageCell(_name("exposure")), *map(number, shown)))
    head = columns("strategy:17", "wager:16", "figure:22", "#before:15", "#now:15", "#difference:15")
    remark = tell("since.every-figure-is-in", moved=told.moved, compared=told.compared)
    if any(figure.near is not None for figure in told.figures):
        remark = f"{remark} {tell('since.between')}"
    return tabled(tell("since.what-else-moved"), head, rows, remark)


def _name(figure: str) -> str:
    return tell(f"since.figure-{figure.replace('_', '-').replace('/', '-')}")


def _money(value: Fraction | None, currency: str) -> str:
    return DASH if value is None else money(int(value), currency)


def _ends(figure: Moved, name: str) -> tuple[PageCell, PageCell, PageCell]:
    """Returns a figure before and now, and the difference in points."""

    def shown(value: Fraction) -> str:
        return decimal(value, _PLACES) if name in _PLAIN else percent(value, _PLACES)

    about = "≈" if figure.near is not None else ""
    before, after = (
        number(DASH if end is None else about + shown(end)) for end in (figure.before, figure.after)
    )
    return before, after, number(_move(figure, name))


def _move(figure: Moved, name: str) -> str:
    """Returns how far a figure moved; what six places would show as nothing is shown with as many as it needs."""
    if figure.difference is None:
        return DASH
    moved = figure.difference * (1 if name in _PLAIN else 100)
    places = next((more for more in range(_PLACES, 30) if abs(moved) * 10**more >= 1), 30)
    return signed(moved, places)


def _same(told: Since) -> PageTable:
    """Tabulates what is the same by its digest in both packs, and what is not."""
    rows = []
    for of, parts in groupby(told.digests, key=lambda part: part.of):
        names: dict[bool, list[str]] = {True: [], False: []}
        for part in parts:
            name = part.name
            shown = tell(f"since.basis-{name.replace('_', '-')}") if of == "basis" else name
            names[part.same].append(shown)
        rows.append((PageCell(tell(f"since.digests-{of}")), _listed(names[True]), _listed(names[False])))
    head = columns("of-what:20", "the-same:40", "otherwise:40")
    return PageTable(
        tell("since.by-their-digests"), head, tuple(rows), tell("since.digests-are-in"), sortable=False
    )


def _listed(names: list[str]) -> PageCell:
    return note(", ".join(names) or DASH)
