"""Exact returns and volatility of every wager under every strategy, and what else is printed of them."""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Final, TypeVar

from certify.by_key import gathered
from certify.evidence import (
    Evidence,
    JudgedClaim,
    ParSheet,
    StatedAnalysis,
    StatedClaim,
    StatedFigures,
    TopAward,
    by_wager,
)
from certify.messages import NARROW, said_of, tell, translated
from certify.model import RETURN, Figure, Interval, ends_of
from certify.report.chapters.joint_play import MANY, joined
from certify.report.formats import (
    as_printed,
    bound,
    decimal,
    frequency,
    grouped,
    one_in,
    outward,
    percent,
    prose,
    statistic,
)
from certify.report.layout import Annex, Column, PageCell, PageParts, PageTable, listed, off_of
from certify.report.words import file_of, outcome_title, plural, said, unit_of, wager_titles

METERED: Final = ("meters at their seed", "meters as stated")
"""Kinds of configurations of a game with meters; what these pay is in no figure under a strategy."""

_BOUNDED = " *"
"""What marks a band that an inequality bounds."""


def par(evidence: Evidence) -> PageParts | None:
    """Returns the PAR sheets, or nothing where there are none."""
    titles = wager_titles(evidence)
    sheets = [(titles.get(wager, wager), sheet) for wager, sheet in by_wager(evidence, evidence.par)]
    if not sheets:
        return None
    return PageParts(
        # What may be observed, wager by wager.
        bands=_all_bands(sheets, unit_of(evidence)),
        # Who is ruined if play goes on for ever.
        sentences=_sentences(sheets),
        # Name of the data file that has ruin and its bounds.
        listed=file_of(evidence, "data/par-sheet.csv"),
    )


def _all_bands(sheets: list[tuple[str, ParSheet]], unit: str) -> tuple[PageTable, ...]:
    """Returns what may be observed, of several wagers in one table; of many, for a few numbers of rounds."""
    made = [(title, sheet.strategy, _bands(title, sheet, unit)) for title, sheet in sheets]
    tables = [(title, strategy, table) for title, strategy, table in made if table is not None]
    if len(sheets) == 1:
        return tuple(table for *_, table in tables)
    same = len({table.remark for *_, table in tables}) == 1
    # Of many every third row, from the last backwards: a thousand rounds, a million, and so on.
    step = 1 if len(sheets) < MANY else 3
    shown = [
        (
            PageCell(title, detail=translated(strategy), lines=() if same else (table.remark,)),
            replace(table, rows=table.rows[::-1][::step][::-1], remark=table.remark if same else ""),
        )
        for title, strategy, table in tables
    ]
    return (joined(tell("par.range-for-every-wager", unit=unit), shown, 28),) if shown else ()


def _bands(title: str, sheet: ParSheet, unit: str) -> PageTable | None:
    found: dict[int, dict[str, str]] = {}
    for band in sheet.bands:
        least, most = band.ends
        low, high = outward(100 * least, 100 * most, 3)
        shown = tell("number.range", low=low, high=high)
        found.setdefault(band.rounds, {})[band.confidence] = f"{shown}{_BOUNDED if band.bound else ''}"
    runs = {run.rounds: grouped(run.longest) for run in sheet.losing_runs}
    # Of an approximation no results are equally likely.
    exact = tell("par.cycle-equally-likely-results-the", cycle=grouped(int(sheet.cycle)))
    remark = exact if sheet.near is None else tell("since.between")
    return listed(
        tell("par.range-of-the-observed-return", title=title, strategy=sheet.strategy, unit=unit),
        ("#rounds:16:grouped", *(Column(level, "number", 22) for level in _CONFIDENCES), "#losing-run:18"),
        (
            (rounds, *map(ranges.get, _CONFIDENCES), runs.get(rounds))
            for rounds, ranges in found.items()
            if set(str(rounds)[1:]) <= {"0"} and str(rounds)[0] == "1"
        ),
        f"{remark} {tell('par.bands-bounded')}" if any(band.bound for band in sheet.bands) else remark,
        dense=True,
    )


def _sentences(sheets: list[tuple[str, ParSheet]]) -> tuple[str, ...]:
    """Returns who is ruined in the long run, each sentence once with the wagers that it is true of."""
    found = gathered((said(sheet.long_run, "sentence"), title) for title, sheet in sheets)
    return tuple(
        told if len(sheets) == 1 else said_of(", ".join(titles), told) for told, titles in found.items()
    )


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
                as_printed(one.printed),
                PageCell(figure(one.metric, one.exact), "number", detail=translated(one.strategy)),
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
        return statistic(math.sqrt(exact), 6)
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
    """Returns the other side: the house, or the bank where a player holds it."""
    return tell(f"bank.{evidence.edge.bank if evidence.edge else 'house'}")


def habits(analyses: Analyses) -> str:
    """Returns what the strategies named do about a final bet whatever they hold, where their class says it."""
    told = [
        said_of(translated(name), f"{habit}.")
        for name, analysis in analyses
        if (habit := translated(analysis.strategy_class).partition(": ")[2])
    ]
    return " ".join(told)


def _each_wager(
    evidence: Evidence, analyses: Analyses, shown: Callable[[StatedFigures], object]
) -> Iterator[tuple[str, str, StatedFigures]]:
    """Yields every wager under every strategy; one of which no strategy changes what is shown, once for all of them."""
    played = tuple(analyses)
    for place, (strategy, analysis) in enumerate(played):
        for wager, found in by_wager(evidence, analysis.wagers):
            others = [shown(other.wagers[wager]) for _, other in played if wager in other.wagers]
            same = len(others) == len(played) > 1 and all(one == others[0] for one in others)
            if not (same and place):
                yield tell("returns.every-strategy") if same else strategy, wager, found


def _return(found: StatedFigures) -> object:
    return found.return_, found.bracket


def _total(found: StatedFigures) -> object:
    return found.total_wagered, found.return_on_total_wagered


def _scatter(found: StatedFigures) -> object:
    return found.hit_frequency, found.win_frequency, found.standard_deviation, found.top_award


def exact_returns(analyses: Analyses, evidence: Evidence, annex: Annex) -> PageTable | None:
    """Tabulates the exact return of every wager under every strategy."""
    titles, unit, bank = wager_titles(evidence), unit_of(evidence), bank_of(evidence)
    rows = []
    metered = any(one.kind in METERED for one in evidence.configurations or ())
    detail = tell("accepted.without-meters") if metered else ""
    every = tuple(_each_wager(evidence, analyses, _return))
    for strategy, wager, found in every:
        title = titles.get(wager, wager)
        quantity = tell("returns.return-of", title=title, strategy=strategy)
        for value, words, shown, edge in _proven(found):
            named = tell(words, title=title) if words else title
            exact = annex.cell(value, tell(words, title=quantity) if words else quantity)
            rows.append((strategy, PageCell(named, detail=detail), shown, edge, exact))
    remarks = (
        tell("returns.the-last-column-gives-the"),
        tell("returns.proven-ends") if any(found.bracket is not None for *_, found in every) else "",
        tell("returns.a-negative-edge-is-the", bank=bank)
        if any(found.return_ > 1 for *_, found in every)
        else "",
        habits(analyses),
    )
    return listed(
        tell("returns.exact-returns-by-strategy-and"),
        "strategy:20:translated wager:17 #return-per:16 #edge:14 exact-return:33",
        rows,
        " ".join(filter(None, remarks)),
        unit=unit,
        bank=bank,
    )


def _proven(figures: StatedFigures) -> Iterator[tuple[Fraction, str, str, str]]:
    """Yields the exact return, or both ends of what is proven of it: fraction, message, decimal and edge."""
    if figures.bracket is None:
        exact = figures.return_
        yield exact, "", percent(exact), percent(1 - exact)
        return
    low, high = figures.bracket.lower, figures.bracket.upper
    returns, edges = outward(100 * low, 100 * high, 6), outward(100 - 100 * high, 100 - 100 * low, 6)
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
        "strategy:16:translated wager:15 #staked:12:decimal-6 exact:20 #return-on-all-of-it:15:percent-6 "
        "exact-return:22"
        if several
        else "strategy:21:translated #staked:14:decimal-6 exact:23 #return-on-all-of-it:17:percent-6 "
        "exact-return:25"
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
            for strategy, wager, found in _each_wager(evidence, analyses, _total)
            if (returned := found.return_on_total_wagered) is not None
            and (total := found.total_wagered) is not None
        ),
        prose(" ".join(filter(None, remarks))),
        units=plural(unit),
    )


def volatility(analyses: Analyses, evidence: Evidence) -> PageTable | None:
    """Tabulates how often a round returns something, and how far its results scatter."""
    titles = wager_titles(evidence)
    found_every = tuple(_each_wager(evidence, analyses, _scatter))
    # Where a round can end in a push, getting something back is not the same as winning.
    pushes = any(found.win_frequency != found.hit_frequency for *_, found in found_every)
    several = len(titles) > 1
    rows = [
        (
            strategy,
            *((titles.get(wager, wager),) if several else ()),
            about + frequency(found.hit_frequency),
            *((about + frequency(found.win_frequency),) if pushes else ()),
            about + statistic(found.standard_deviation, 5),
            *(about + (statistic(index[level], 3) if level in index else "–") for level in _CONFIDENCES),
            "–" if found.top_award.lost else _top_award(found.top_award),
        )
        for strategy, wager, found in found_every
        for about, index in (("≈" if found.near is not None else "", found.volatility_index),)
    ]
    first = f"strategy:15:translated {'wager:13' if several else ''}"
    hit = tell(f"returns.hit-frequency-share-of-rounds{'' if pushes else '-with'}")
    remark = tell("returns.standard-deviation-of-the-net", hit=hit, in_units=plural(unit_of(evidence)))
    if off := max((off_of(found.off, "probability") for *_, found in found_every), default=Fraction(0)):
        remark += " " + tell("returns.between", off=bound(float(off), upper=True))
    return listed(
        tell("returns.hit-frequency-and-volatility"),
        (
            f"{first} #hit-frequency:10 {'#net-wins:10' if pushes else ''} #std-deviation:10",
            *(
                Column(tell("head.vi", level=level.replace(" ", NARROW)), "number", 8)
                for level in _CONFIDENCES
            ),
            "top-award!note",
        ),
        rows,
        remark,
    )


def _top_award(top: TopAward) -> str:
    least, most = (one_in(end) for end in ends_of(top.probability))
    odds = (most if least == most else f"≤ {most}").replace(" ", "\u00a0")
    expected = None if top.expected in (None, top.probability) else decimal(top.expected, 9)
    several = "" if expected is None else f", {tell('returns.expected-number', number=expected)}"
    return f"{outcome_title(top.outcome)}, {odds}{several}"
