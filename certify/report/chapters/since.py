"""What changed since an earlier certified pack, and what that does to every figure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from typing import Final

from certify.messages import tell, translated
from certify.report.annex import Annex
from certify.report.formats import DASH, decimal, fraction, instant, money, percent, prose, signed
from certify.report.layout import Fact, PageCell, PageTable, columns, digest, judged, mono, note, number
from certify.report.node import Node
from certify.report.order import wager_titles

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


def since(evidence: Node, annex: Annex) -> SinceView | None:
    """Returns the chapter; none where the run was not compared with an earlier pack."""
    told = evidence.at("since")
    if not told:
        return None
    return SinceView(
        text=prose(told.sentence("text")),
        earlier=_earlier(told.at("earlier")),
        changes=_changes(told),
        statuses=_statuses(told),
        returns=_returns(evidence, told, annex),
        others=_others(evidence, told),
        same=_same(told),
    )


def _earlier(report: Node) -> tuple[Fact, ...]:
    """Returns what is known of the earlier report, and how far its signature was trusted."""
    trust = "since.signer-trusted" if report.flag("established") else "since.signer-not-established"
    if report.flag("demonstration_key"):
        trust = "since.signer-demonstration"
    return (
        Fact(tell("fact.report-number"), mono(report.text("number"))),
        Fact(tell("fact.issued"), PageCell(instant(report.text("issued")))),
        Fact(tell("fact.version"), PageCell(report.text("version"))),
        Fact(tell("fact.software"), PageCell(report.text("software"))),
        Fact(tell("fact.submission-sha-256"), digest(report.text("submission_sha256"))),
        Fact(tell("fact.evidence-sha-256"), digest(report.text("evidence_sha256"))),
        Fact(tell("fact.signed-by"), PageCell(tell(trust, signer=report.text("signer")))),
    )


def _changes(told: Node) -> PageTable | None:
    rows = tuple(
        (
            PageCell(tell(f"since.kind-{change.text('kind')}")),
            mono(change.text("subject")),
            _stated(change, "before"),
            _stated(change, "after"),
        )
        for change in told.each("changes")
    )
    head = columns("what-changed:24", "where:26", "before:25", "now:25")
    return (
        PageTable(tell("since.what-is-stated-otherwise"), head, rows, sortable=False, dense=True)
        if rows
        else None
    )


def _stated(change: Node, when: str) -> PageCell:
    """Returns a value as the submission states it; the titles of checks are this software's own words."""
    value = change.text(when, DASH)
    return note(translated(value) if change.text("kind") == "check-changed" else value)


def _statuses(told: Node) -> PageTable | None:
    rows = tuple(
        (
            PageCell(_concluded(change)),
            _status(change, "before"),
            _status(change, "after"),
        )
        for change in told.each("statuses")
    )
    head = columns("of-what:46", "before:27", "now:27")
    return PageTable(tell("since.what-was-concluded-otherwise"), head, rows, sortable=False) if rows else None


def _concluded(change: Node) -> str:
    about = {"of": change.text("subject")} if change.text("subject") else {}
    return tell(f"since.status-{change.text('kind')}", **about)


def _status(change: Node, when: str) -> PageCell:
    return judged(change.text(when)) if change.has(when) else PageCell(DASH)


def _figures(told: Node, names: tuple[str, ...]) -> Iterator[tuple[str, str, str, Node]]:
    """Yields the figures of wagers that moved, by these names: strategy, wager, name and figure."""
    for figure in told.each("figures"):
        at = [part.plain() for part in figure.each("at")]
        if at[0] == "analysis" and at[2] == "wagers" and "/".join(at[4:]) in names:
            yield at[1], at[3], "/".join(at[4:]), figure


def _returns(evidence: Node, told: Node, annex: Annex) -> PageTable | None:
    """Tabulates the returns that moved, with the exact difference."""
    titles = wager_titles(evidence)
    rows = tuple(
        (
            mono(strategy),
            PageCell(titles.get(wager, wager), detail="" if name == "return" else _name(name)),
            *_ends(figure, name),
            annex.cell(
                figure.text("difference"),
                tell(
                    "since.difference-of",
                    figure=_name(name),
                    wager=titles.get(wager, wager),
                    strategy=strategy,
                ),
                near=figure.has("near"),
            )
            if figure.has("difference")
            else PageCell(DASH),
        )
        for strategy, wager, name, figure in _figures(told, _RETURNS)
    )
    head = columns("strategy:17", "wager:18", "#before:16", "#now:16", "#difference:15", "exact:18")
    remark = tell("since.differences-are-in-points")
    return PageTable(tell("since.returns-that-moved"), head, rows, remark) if rows else None


def _others(evidence: Node, told: Node) -> PageTable | None:
    """Tabulates what else moved of the wagers, and the most that one round can cost."""
    titles = wager_titles(evidence)
    rows: list[tuple[PageCell, ...]] = [
        (mono(strategy), PageCell(titles.get(wager, wager)), PageCell(_name(name)), *_ends(figure, name))
        for strategy, wager, name, figure in _figures(told, _OTHERS)
    ]
    currency = evidence.at("exposure").text("currency", "")
    for figure in told.each("figures"):
        if [part.plain() for part in figure.each("at")] == ["exposure", "amount"]:
            shown = (_money(figure, end, currency) for end in ("before", "after", "difference"))
            rows.append((PageCell(DASH), PageCell(DASH), PageCell(_name("exposure")), *map(number, shown)))
    head = columns("strategy:17", "wager:16", "figure:22", "#before:15", "#now:15", "#difference:15")
    remark = tell("since.every-figure-is-in", moved=told.integer("moved"), compared=told.integer("compared"))
    if any(figure.has("near") for figure in told.each("figures")):
        remark = f"{remark} {tell('returns.approximate')}"
    return PageTable(tell("since.what-else-moved"), head, tuple(rows), remark) if rows else None


def _name(figure: str) -> str:
    return tell(f"since.figure-{figure.replace('_', '-').replace('/', '-')}")


def _money(figure: Node, end: str, currency: str) -> str:
    return money(int(fraction(figure.text(end))), currency) if figure.has(end) else DASH


def _ends(figure: Node, name: str) -> tuple[PageCell, PageCell, PageCell]:
    """Returns a figure before and now, and the difference in points."""

    def shown(value: Fraction) -> str:
        return decimal(value, _PLACES) if name in _PLAIN else percent(value, _PLACES)

    about = "≈" if figure.has("near") else ""
    before, after = (
        number(about + shown(fraction(figure.text(end))) if figure.has(end) else DASH)
        for end in ("before", "after")
    )
    return before, after, number(_move(figure, name))


def _move(figure: Node, name: str) -> str:
    """Returns how far a figure moved; what six places would show as nothing is shown with as many as it needs."""
    if not figure.has("difference"):
        return DASH
    moved = fraction(figure.text("difference")) * (1 if name in _PLAIN else 100)
    places = next((more for more in range(_PLACES, 30) if abs(moved) * 10**more >= 1), 30)
    return signed(moved, places)


def _same(told: Node) -> PageTable:
    """Tabulates what is the same by its digest in both packs, and what is not."""
    rows = []
    for of, parts in groupby(told.each("digests"), key=lambda part: part.text("of")):
        names: dict[bool, list[str]] = {True: [], False: []}
        for part in parts:
            name = part.text("name")
            said = tell(f"since.basis-{name.replace('_', '-')}") if of == "basis" else name
            names[part.text("before", "") == part.text("after", "")].append(said)
        rows.append((PageCell(tell(f"since.digests-{of}")), _listed(names[True]), _listed(names[False])))
    head = columns("of-what:20", "the-same:40", "otherwise:40")
    return PageTable(
        tell("since.by-their-digests"), head, tuple(rows), tell("since.digests-are-in"), sortable=False
    )


def _listed(names: list[str]) -> PageCell:
    return note(", ".join(names) or DASH)
