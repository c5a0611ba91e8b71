"""Exact returns and volatility of every wager under every strategy."""

from __future__ import annotations

from collections.abc import Iterable

from certify.report.annex import Annex
from certify.report.formats import NARROW, decimal, fraction, one_in, percent, prose, statistic
from certify.report.layout import Cell, Table, columns, mono, note, number
from certify.report.node import Node
from certify.report.order import STAKE, by_wager, unit_of, wager_titles
from certify.report.words import outcome_title

_CONFIDENCES = ("90 %", "95 %", "99 %")


def bank_of(evidence: Node) -> str:
    """Returns what stands against the player: the house, or the bank where a player holds it."""
    return evidence.at("edge").text("bank", "house")


def habits(analyses: Iterable[tuple[str, Node]]) -> str:
    """Returns what the strategies named do about a final bet whatever they hold, where their class says it."""
    told = [
        f"{name}: {habit}."
        for name, analysis in analyses
        if (habit := analysis.text("strategy_class", "").partition(": ")[2])
    ]
    return " ".join(told)


def _each_wager(evidence: Node, analyses: Iterable[tuple[str, Node]]) -> Iterable[tuple[str, str, Node]]:
    for strategy, analysis in analyses:
        for wager, figures_of in by_wager(evidence, analysis.at("wagers")):
            yield strategy, wager, figures_of


def exact_returns(analyses: tuple[tuple[str, Node], ...], evidence: Node, annex: Annex) -> Table | None:
    """Tabulates the exact return of every wager under every strategy."""
    titles, unit = wager_titles(evidence), unit_of(evidence)
    rows = []
    for strategy, wager, found in _each_wager(evidence, analyses):
        exact = fraction(found.text("return"))
        title = titles.get(wager, wager)
        rows.append(
            (
                mono(strategy),
                Cell(title),
                number(percent(exact, 8)),
                number(percent(1 - exact)),
                annex.cell(found.text("return"), f"return of {title}, {strategy}"),
            )
        )
    head = columns(
        "Strategy:20",
        "Wager:17",
        "#Return:16" if unit == STAKE else f"#Return per {unit}:16",
        f"#{bank_of(evidence).capitalize()} edge:14",
        "Exact return:33",
    )
    remark = "The last column gives the fraction itself, or its number in the annex of exact fractions."
    if any(fraction(found.text("return")) > 1 for *_, found in _each_wager(evidence, analyses)):
        remark += f" A negative {bank_of(evidence)} edge is the player’s."
    remark = f"{remark} {habits(analyses)}".strip()
    return Table("Exact returns by strategy and wager", head, tuple(rows), remark) if rows else None


def staked(analyses: tuple[tuple[str, Node], ...], evidence: Node, annex: Annex) -> Table | None:
    """Tabulates the return on everything staked, where the player may add to the stake in the round."""
    rows = tuple(
        (
            mono(strategy),
            number(decimal(fraction(found.text("total_wagered")), 6)),
            annex.cell(found.text("total_wagered"), f"amount staked in a round, {strategy}"),
            number(percent(fraction(found.text("return_on_total_wagered")), 6)),
            annex.cell(found.text("return_on_total_wagered"), f"return on everything staked, {strategy}"),
        )
        for strategy, _, found in _each_wager(evidence, analyses)
        if found.has("return_on_total_wagered")
    )
    unit = unit_of(evidence)
    head = columns(
        "Strategy:21", f"#Staked, {unit}s:14", "Exact:23", "#Return on all of it:17", "Exact return:25"
    )
    remark = (
        f"Staked: the {unit} and what the player adds to it, on average over all rounds. The return on all of it is "
        "what comes back per unit of everything staked."
    )
    open_bets = evidence.at("edge").at("equal_final_bets").sentence("sentence", "")
    remark = prose(" ".join(part for part in (remark, open_bets, habits(analyses)) if part))
    return Table("Return on everything staked", head, rows, remark) if rows else None


def volatility(analyses: tuple[tuple[str, Node], ...], evidence: Node) -> Table | None:
    """Tabulates how often a round returns something, and how far its results scatter."""
    titles, unit = wager_titles(evidence), unit_of(evidence)
    found_all = tuple(_each_wager(evidence, analyses))
    # Where a round can end in a push, getting something back is not the same as winning.
    pushes = any(
        found.text("win_frequency", found.text("hit_frequency")) != found.text("hit_frequency")
        for *_, found in found_all
    )
    several = len(titles) > 1
    rows = []
    for strategy, wager, found in found_all:
        index = found.at("volatility_index")
        rows.append(
            (
                mono(strategy),
                *((Cell(titles.get(wager, wager)),) if several else ()),
                number(percent(fraction(found.text("hit_frequency")), 4)),
                *((number(percent(fraction(found.text("win_frequency")), 4)),) if pushes else ()),
                number(statistic(found.number("standard_deviation"), 5)),
                *(
                    number(statistic(index.number(level), 3) if index.has(level) else "–")
                    for level in _CONFIDENCES
                ),
                note(_top_award(found.at("top_award"))),
            )
        )
    head = columns(
        "Strategy:18",
        *(("Wager:15",) if several else ()),
        "#Hit frequency:11",
        *(("#Net wins:11",) if pushes else ()),
        "#Std. deviation:11",
        *(f"#VI\u00a0{level.replace(' ', NARROW)}:9" for level in _CONFIDENCES),
        "Top award:18" if several or pushes else "Top award",
    )
    hit = (
        "Hit frequency: share of rounds in which anything comes back, a push included; net wins: share of rounds "
        "with a net win."
        if pushes
        else "Hit frequency: share of rounds with a net win."
    )
    in_units = "initial stakes" if unit == STAKE else f"{unit}s"
    remark = (
        f"{hit} Standard deviation of the net result of one round, in {in_units}. Volatility index (VI): that "
        "deviation times the two-sided 90 %, 95 % or 99 % point of the normal distribution."
    )
    return Table("Hit frequency and volatility", head, tuple(rows), remark) if rows else None


def _top_award(top: Node) -> str:
    if not top:
        return "–"
    return f"{outcome_title(top.text('outcome'))}, {one_in(fraction(top.text('probability')))}"
