"""Exact returns and volatility of every wager under every strategy, and what else is printed of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import TypeVar

from certify.evidence.analysis import JudgedClaim, StatedAnalysis, StatedFigures, TopAward
from certify.evidence.document import Evidence, by_wager
from certify.evidence.submitted import StatedClaim
from certify.messages import NARROW, said_of, tell, translated
from certify.model.bounded import Figure, Interval
from certify.report.formats import (
    bound,
    decimal,
    frequency,
    money,
    one_in,
    outward,
    percent,
    prose,
    statistic,
)
from certify.report.layout import Annex, Column, PageCell, PageTable, listed, off_of
from certify.report.words import outcome_title, plural, said, unit_of, wager_titles

RETURN = "return-to-player"


Printed = TypeVar("Printed", StatedClaim, JudgedClaim)


def of_returns(claims: Iterable[Printed]) -> list[Printed]:
    """Returns the claims that print a return."""
    return [claim for claim in claims if claim.metric == RETURN]


def further_claims(claims: Iterable[StatedClaim], titles: dict[str, str]) -> PageTable | None:
    """Returns the table of every other printed figure, with the best possible where no play reaches it."""
    return listed(
        tell("mathematics.further-figures-as-printed"),
        "wager:16 figure:20 #printed:14 #exact:18 under-any-play verdict:14!judged",
        (
            (
                PageCell(titles.get(one.wager, one.wager), detail=one.row or ""),
                tell(f"metric.{one.metric}"),
                one.printed,
                PageCell(figure(one.metric, one.exact), "number", detail=one.strategy),
                _possible(one, one.metric),
                "satisfied" if one.holds else "not satisfied",
            )
            for one in claims
            if one.metric != RETURN
        ),
    )


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


_CONFIDENCES = ("90 %", "95 %", "99 %")


Analyses = Iterable[tuple[str, StatedAnalysis]]


def bank_of(evidence: Evidence) -> str:
    """Returns what stands against the player: the house, or the bank where a player holds it."""
    return tell(f"bank.{evidence.edge.bank if evidence.edge else 'house'}")


def habits(analyses: Analyses) -> str:
    """Returns what the strategies named do about a final bet whatever they hold, where their class says it."""
    told = [
        said_of(name, f"{habit}.")
        for name, analysis in analyses
        if (habit := translated(analysis.strategy_class).partition(": ")[2])
    ]
    return " ".join(told)


def _each_wager(evidence: Evidence, analyses: Analyses) -> Iterable[tuple[str, str, StatedFigures]]:
    for strategy, analysis in analyses:
        for wager, figures_of in by_wager(evidence, analysis.wagers):
            yield strategy, wager, figures_of


def exact_returns(analyses: Analyses, evidence: Evidence, annex: Annex) -> PageTable | None:
    """Tabulates the exact return of every wager under every strategy."""
    titles, unit, bank = wager_titles(evidence), unit_of(evidence), bank_of(evidence)
    rows = []
    for strategy, wager, found in _each_wager(evidence, analyses):
        title = titles.get(wager, wager)
        quantity = tell("returns.return-of", title=title, strategy=strategy)
        for value, words, shown, edge in _proven(found):
            named = tell(words, title=title) if words else title
            exact = annex.cell(value, tell(words, title=quantity) if words else quantity)
            rows.append((strategy, named, shown, edge, exact))
    every = tuple(found for *_, found in _each_wager(evidence, analyses))
    remarks = (
        tell("returns.the-last-column-gives-the"),
        tell("returns.proven-ends") if any(found.bracket is not None for found in every) else "",
        tell("returns.a-negative-edge-is-the", bank=bank) if any(one.return_ > 1 for one in every) else "",
        habits(analyses),
    )
    return listed(
        tell("returns.exact-returns-by-strategy-and"),
        "strategy:20!mono wager:17 #return-per:16 #edge:14 exact-return:33",
        rows,
        " ".join(filter(None, remarks)),
        unit=unit,
        bank=bank,
    )


def configurations(evidence: Evidence) -> PageTable | None:
    """Tabulates every wagering configuration by itself, where there are more than wagers as submitted."""
    found = evidence.configurations or ()
    if all(one.kind == "wager" for one in found):
        return None
    titles, currency = wager_titles(evidence), evidence.exposure.currency
    return listed(
        tell("returns.configurations"),
        "configuration:16 kind:14 #price:8 #return:14 #hit-frequency:15 #net-wins:15 #round-costs-at-most!note",
        (
            (
                titles.get(one.id, one.id),
                tell(f"configuration.{one.kind.replace(' ', '-')}"),
                PageCell(decimal(one.price, 2), "number"),
                percent(one.return_)
                if one.highest_return is None
                else tell("returns.from-to", least=percent(one.return_), most=percent(one.highest_return)),
                *(
                    "–" if each is None else frequency(each, 4)
                    for each in (one.hit_frequency, one.win_frequency)
                ),
                tell("returns.no-end")
                if one.endless
                else "–"
                if one.exposure is None
                else money(one.exposure, currency),
            )
            for one in found
        ),
        tell("returns.configurations-remark"),
    )


def _proven(figures: StatedFigures) -> Iterator[tuple[Fraction, str, str, str]]:
    """Yields the exact return, or both ends of what is proven of it: fraction, message, decimal and edge."""
    if figures.bracket is None:
        exact = figures.return_
        yield exact, "", percent(exact, 8), percent(1 - exact)
        return
    low, high = figures.bracket.lower, figures.bracket.upper
    returns, edges = outward(100 * low, 100 * high, 8), outward(100 - 100 * high, 100 - 100 * low, 6)
    for end, words, shown, edge in zip(
        (low, high), ("returns.at-least", "returns.at-most"), returns, reversed(edges), strict=True
    ):
        yield end, words, f"{shown}{NARROW}%", f"{edge}{NARROW}%"


def staked(analyses: Analyses, evidence: Evidence, annex: Annex) -> PageTable | None:
    """Tabulates the return on everything staked, where the player may add to the stake in the round."""
    titles, unit = wager_titles(evidence), unit_of(evidence)
    several = len(titles) > 1
    equal = evidence.edge.equal_final_bets if evidence.edge else None
    remarks = (
        tell("returns.staked-the-and-what-the", unit=unit),
        said(equal, "sentence") if equal else "",
        habits(analyses),
    )
    head = (
        "strategy:16!mono wager:15 #staked:12:decimal-6 exact:20 #return-on-all-of-it:15:percent-6 exact-return:22"
        if several
        else "strategy:21!mono #staked:14:decimal-6 exact:23 #return-on-all-of-it:17:percent-6 exact-return:25"
    )
    return listed(
        tell("returns.return-on-everything-staked"),
        head,
        (
            (
                strategy,
                *((titles.get(wager, wager),) if several else ()),
                total,
                annex.cell(
                    total,
                    tell("returns.amount-staked-in-a-round", strategy=strategy),
                    off=off_of(found.off, "total_wagered"),
                ),
                returned,
                annex.cell(
                    returned,
                    tell("returns.return-on-everything-staked-b", strategy=strategy),
                    off=off_of(found.off, "return_on_total_wagered"),
                ),
            )
            for strategy, wager, found in _each_wager(evidence, analyses)
            if (returned := found.return_on_total_wagered) is not None
            and (total := found.total_wagered) is not None
        ),
        prose(" ".join(filter(None, remarks))),
        units=plural(unit),
    )


def volatility(analyses: Analyses, evidence: Evidence) -> PageTable | None:
    """Tabulates how often a round returns something, and how far its results scatter."""
    titles = wager_titles(evidence)
    found_all = tuple(_each_wager(evidence, analyses))
    # Where a round can end in a push, getting something back is not the same as winning.
    pushes = any(found.win_frequency != found.hit_frequency for *_, found in found_all)
    several = len(titles) > 1
    rows = []
    for strategy, wager, found in found_all:
        index, about = found.volatility_index, "≈" if found.near is not None else ""
        rows.append(
            (
                strategy,
                *((titles.get(wager, wager),) if several else ()),
                about + frequency(found.hit_frequency),
                *((about + frequency(found.win_frequency),) if pushes else ()),
                about + statistic(found.standard_deviation, 5),
                *(about + (statistic(index[level], 3) if level in index else "–") for level in _CONFIDENCES),
                _top_award(found.top_award),
            )
        )
    whole = several and pushes
    first = f"strategy:{15 if whole else 18}!mono {f'wager:{13 if whole else 15}' if several else ''}"
    hit = tell(f"returns.hit-frequency-share-of-rounds{'' if pushes else '-with'}")
    remark = tell("returns.standard-deviation-of-the-net", hit=hit, in_units=plural(unit_of(evidence)))
    if off := max((off_of(found.off, "probability") for *_, found in found_all), default=Fraction(0)):
        remark += " " + tell("returns.between", off=bound(float(off), upper=True))
    return listed(
        tell("returns.hit-frequency-and-volatility"),
        (
            f"{first} #hit-frequency:10 {'#net-wins:10' if pushes else ''} #std-deviation:10",
            *(
                Column(tell("head.vi", level=level.replace(" ", NARROW)), "number", 8 if whole else 9)
                for level in _CONFIDENCES
            ),
            f"top-award{':18' if several or pushes else ''}!note",
        ),
        rows,
        remark,
    )


def _top_award(top: TopAward) -> str:
    odds = one_in(top.probability).replace(" ", "\u00a0")
    return f"{outcome_title(top.outcome)}, {odds}"
