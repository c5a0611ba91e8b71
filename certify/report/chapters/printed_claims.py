"""Printed figures beside the return: house edge, hit frequency, odds of a row, maximum award."""

from __future__ import annotations

from fractions import Fraction

from certify.messages import tell
from certify.report.formats import decimal, fraction, one_in, percent
from certify.report.layout import PageCell, PageTable, columns, judged, number
from certify.report.node import Node

RETURN = "return-to-player"


def of_returns(evidence: Node) -> list[Node]:
    """Returns the claims that print a return."""
    return [claim for claim in evidence.each("claims") if claim.text("metric", RETURN) == RETURN]


def further_claims(evidence: Node, titles: dict[str, str]) -> PageTable | None:
    """Returns the table of every other printed figure, with the best possible where no play reaches it."""
    rows = []
    for claim in evidence.each("claims"):
        metric = claim.text("metric", RETURN)
        if metric == RETURN:
            continue
        wager = titles.get(claim.text("wager"), claim.text("wager"))
        exact = fraction(claim.text("exact"))
        rows.append(
            (
                PageCell(wager, detail=claim.text("row", "") or ""),
                PageCell(tell(f"metric.{metric}")),
                number(claim.text("printed")),
                PageCell(figure(metric, exact), "number", detail=claim.text("strategy", "")),
                PageCell(_possible(claim, metric)),
                judged("satisfied" if claim.flag("holds") else "not satisfied"),
            )
        )
    head = columns("wager:16", "figure:20", "#printed:14", "#exact:18", "under-any-play", "verdict:14")
    return PageTable(tell("mathematics.further-figures-as-printed"), head, tuple(rows)) if rows else None


def figure(metric: str, exact: Fraction) -> str:
    """Returns an exact figure in the form in which its metric is printed."""
    if metric in ("odds-of-row", "odds-of-maximum-award"):
        return one_in(exact) if exact else tell("claims.never")
    if metric == "maximum-award":
        return decimal(exact, 2)
    if metric in ("standard-deviation", "volatility-index", "volatility-class"):
        return f"√ {decimal(exact, 6)}"
    return percent(exact, 6)


def _possible(claim: Node, metric: str) -> str:
    if claim.flag("holds") or not claim.flag("impossible"):
        return "–"
    ends = {claim.text(key) for key in ("lowest", "highest") if claim.has(key)}
    if claim.has("lowest") and claim.has("highest") and len(ends) == 1:
        always = tell("claims.always", figure=figure(metric, fraction(ends.pop())))
        return tell("claims.impossible", bounds=always)
    bounds = [
        tell(f"claims.{key}", figure=figure(metric, fraction(claim.text(key))))
        for key in ("lowest", "highest")
        if claim.has(key)
    ]
    return tell("claims.impossible", bounds=", ".join(bounds))
