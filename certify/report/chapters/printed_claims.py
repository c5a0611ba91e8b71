"""Printed figures beside the return: house edge, hit frequency, odds of a row, maximum award."""

from __future__ import annotations

from fractions import Fraction

from certify.report.formats import decimal, fraction, one_in, percent
from certify.report.layout import Cell, Table, columns, judged, number
from certify.report.node import Node

RETURN = "return-to-player"
_TITLES = {
    "house-edge": "House edge",
    "return-on-total-wagered": "Return on everything wagered",
    "hit-frequency": "Hit frequency",
    "odds-of-row": "Odds of a row",
    "maximum-award": "Maximum award",
}


def of_returns(evidence: Node) -> list[Node]:
    """Returns the claims that print a return."""
    return [claim for claim in evidence.each("claims") if claim.text("metric", RETURN) == RETURN]


def further_claims(evidence: Node, titles: dict[str, str]) -> Table | None:
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
                Cell(wager, detail=claim.text("row", "") or ""),
                Cell(_TITLES.get(metric, metric)),
                number(claim.text("printed")),
                Cell(figure(metric, exact), "number", detail=claim.text("strategy", "")),
                Cell(_possible(claim, metric)),
                judged("satisfied" if claim.flag("holds") else "not satisfied"),
            )
        )
    head = columns("Wager:16", "Figure:20", "#Printed:14", "#Exact:18", "Under any play", "Verdict:14")
    return Table("Further figures as printed by the source", head, tuple(rows)) if rows else None


def figure(metric: str, exact: Fraction) -> str:
    """Returns an exact figure in the form in which its metric is printed."""
    if metric == "odds-of-row":
        return one_in(exact) if exact else "never"
    if metric == "maximum-award":
        return decimal(exact, 2)
    return percent(exact, 6)


def _possible(claim: Node, metric: str) -> str:
    if claim.flag("holds") or not claim.flag("impossible"):
        return "–"
    bounds = [
        f"{word} {figure(metric, fraction(claim.text(key)))}"
        for key, word in (("lowest", "at least"), ("highest", "at most"))
        if claim.has(key)
    ]
    return f"Impossible: {', '.join(bounds)}"
