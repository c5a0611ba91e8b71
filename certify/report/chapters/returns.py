"""Exact returns and volatility of every wager under every strategy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from certify.evidence.analysis import StatedAnalysis, StatedFigures, TopAward
from certify.evidence.document import Evidence
from certify.messages import NARROW, said_of, tell, translated
from certify.report.annex import Annex, off_of
from certify.report.formats import bound, decimal, frequency, one_in, outward, percent, prose, statistic
from certify.report.layout import Column, PageCell, PageTable, columns, mono, note, number, tabled
from certify.report.order import by_wager, plural, unit_of, wager_titles
from certify.report.words import outcome_title, said

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
            rows.append((mono(strategy), PageCell(named), number(shown), number(edge), exact))
    head = columns(
        "strategy:20", "wager:17", "#return-per:16", "#edge:14", "exact-return:33", unit=unit, bank=bank
    )
    remark = tell("returns.the-last-column-gives-the")
    every = tuple(found for *_, found in _each_wager(evidence, analyses))
    if any(found.bracket is not None for found in every):
        remark += " " + tell("returns.proven-ends")
    if any(found.return_ > 1 for found in every):
        remark += " " + tell("returns.a-negative-edge-is-the", bank=bank)
    remark = f"{remark} {habits(analyses)}".strip()
    return tabled(tell("returns.exact-returns-by-strategy-and"), head, rows, remark)


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
    titles = wager_titles(evidence)
    several = len(titles) > 1
    rows = tuple(
        (
            mono(strategy),
            *((PageCell(titles.get(wager, wager)),) if several else ()),
            number(decimal(total, 6)),
            annex.cell(
                total,
                tell("returns.amount-staked-in-a-round", strategy=strategy),
                off=off_of(found.off, "total_wagered"),
            ),
            number(percent(returned, 6)),
            annex.cell(
                returned,
                tell("returns.return-on-everything-staked-b", strategy=strategy),
                off=off_of(found.off, "return_on_total_wagered"),
            ),
        )
        for strategy, wager, found in _each_wager(evidence, analyses)
        if (returned := found.return_on_total_wagered) is not None
        and (total := found.total_wagered) is not None
    )
    unit = unit_of(evidence)
    head = columns(
        "strategy:16" if several else "strategy:21",
        *(("wager:15",) if several else ()),
        "#staked:12" if several else "#staked:14",
        "exact:20" if several else "exact:23",
        "#return-on-all-of-it:15" if several else "#return-on-all-of-it:17",
        "exact-return:22" if several else "exact-return:25",
        units=plural(unit),
    )
    remark = tell("returns.staked-the-and-what-the", unit=unit)
    equal = evidence.edge.equal_final_bets if evidence.edge else None
    open_bets = said(equal, "sentence") if equal else ""
    remark = prose(" ".join(part for part in (remark, open_bets, habits(analyses)) if part))
    return tabled(tell("returns.return-on-everything-staked"), head, rows, remark)


def volatility(analyses: Analyses, evidence: Evidence) -> PageTable | None:
    """Tabulates how often a round returns something, and how far its results scatter."""
    titles, unit = wager_titles(evidence), unit_of(evidence)
    found_all = tuple(_each_wager(evidence, analyses))
    # Where a round can end in a push, getting something back is not the same as winning.
    pushes = any(found.win_frequency != found.hit_frequency for *_, found in found_all)
    several = len(titles) > 1
    rows = []
    for strategy, wager, found in found_all:
        index, about = found.volatility_index, "≈" if found.near is not None else ""
        rows.append(
            (
                mono(strategy),
                *((PageCell(titles.get(wager, wager)),) if several else ()),
                number(about + frequency(found.hit_frequency)),
                *((number(about + frequency(found.win_frequency)),) if pushes else ()),
                number(about + statistic(found.standard_deviation, 5)),
                *(
                    number(about + statistic(index[level], 3) if level in index else "–")
                    for level in _CONFIDENCES
                ),
                note(_top_award(found.top_award)),
            )
        )
    whole = several and pushes
    head = columns(
        "strategy:15" if whole else "strategy:18",
        *(("wager:13" if whole else "wager:15",) if several else ()),
        "#hit-frequency:10",
        *(("#net-wins:10",) if pushes else ()),
        "#std-deviation:10",
    )
    head = (
        *head,
        *(
            Column(tell("head.vi", level=level.replace(" ", NARROW)), "number", 8 if whole else 9)
            for level in _CONFIDENCES
        ),
        *columns("top-award:18" if several or pushes else "top-award"),
    )
    hit = (
        tell("returns.hit-frequency-share-of-rounds")
        if pushes
        else tell("returns.hit-frequency-share-of-rounds-with")
    )
    in_units = plural(unit)
    remark = tell("returns.standard-deviation-of-the-net", hit=hit, in_units=in_units)
    if off := max((off_of(found.off, "probability") for *_, found in found_all), default=Fraction(0)):
        remark += " " + tell("returns.between", off=bound(float(off), upper=True))
    return tabled(tell("returns.hit-frequency-and-volatility"), head, rows, remark)


def _top_award(top: TopAward) -> str:
    odds = one_in(top.probability).replace(" ", "\u00a0")
    return f"{outcome_title(top.outcome)}, {odds}"
