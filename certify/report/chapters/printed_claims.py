"""Printed figures beside the return: house edge, hit frequency, odds of a row, maximum award."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from certify.evidence.analysis import JudgedClaim
from certify.evidence.submitted import StatedClaim
from certify.messages import tell
from certify.model.bounded import Figure, Interval
from certify.report.formats import decimal, frequency, one_in, percent
from certify.report.layout import PageCell, PageTable, columns, judged, number, tabled

RETURN = "return-to-player"


Printed = TypeVar("Printed", StatedClaim, JudgedClaim)


def of_returns(claims: Iterable[Printed]) -> list[Printed]:
    """Returns the claims that print a return."""
    return [claim for claim in claims if claim.metric == RETURN]


def further_claims(claims: Iterable[StatedClaim], titles: dict[str, str]) -> PageTable | None:
    """Returns the table of every other printed figure, with the best possible where no play reaches it."""
    rows = []
    for claim in claims:
        metric = claim.metric
        if metric == RETURN:
            continue
        wager = titles.get(claim.wager, claim.wager)
        exact = claim.exact
        rows.append(
            (
                PageCell(wager, detail=claim.row or ""),
                PageCell(tell(f"metric.{metric}")),
                number(claim.printed),
                PageCell(figure(metric, exact), "number", detail=claim.strategy),
                PageCell(_possible(claim, metric)),
                judged("satisfied" if claim.holds else "not satisfied"),
            )
        )
    head = columns("wager:16", "figure:20", "#printed:14", "#exact:18", "under-any-play", "verdict:14")
    return tabled(tell("mathematics.further-figures-as-printed"), head, rows)


def figure(metric: str, exact: Figure) -> str:
    """Returns an exact figure in the form in which its metric is printed."""
    if isinstance(exact, Interval):
        return frequency(exact, 6)
    if metric in ("odds-of-row", "odds-of-maximum-award"):
        return one_in(exact) if exact else tell("claims.never")
    if metric == "maximum-award":
        return decimal(exact, 2)
    if metric in ("standard-deviation", "volatility-index", "volatility-class"):
        return f"√ {decimal(exact, 6)}"
    return percent(exact, 6)


def _possible(claim: StatedClaim, metric: str) -> str:
    if claim.holds or not claim.impossible:
        return "–"
    if claim.lowest is not None and claim.lowest == claim.highest:
        return tell("claims.impossible", bounds=tell("claims.always", figure=figure(metric, claim.lowest)))
    bounds = [
        tell(f"claims.{end}", figure=figure(metric, value))
        for end, value in (("lowest", claim.lowest), ("highest", claim.highest))
        if value is not None
    ]
    return tell("claims.impossible", bounds=", ".join(bounds))
