"""Game mathematics: paytables, exact returns, outcome tables, decisions, exposure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from certify.model.cards import card_name
from certify.report.annex import Annex
from certify.report.chapters.par import Par, par
from certify.report.chapters.recovery import Recovery, recoveries
from certify.report.chapters.scope import origin, rules
from certify.report.chapters.strategy import Chart, strategy_chart
from certify.report.chapters.together import Together, together
from certify.report.formats import NARROW, decimal, fraction, money, one_in, percent, statistic
from certify.report.layout import Cell, Table, columns, judged, mono, note, number
from certify.report.node import Node
from certify.report.order import by_wager, outcome_title, strategies, wager_titles

_FIRST_CARDS = 5
_CONFIDENCES = ("90 %", "95 %", "99 %")


@dataclass(frozen=True, slots=True)
class Wager:
    """A wager with its paytable."""

    title: str
    description: str
    limits: str
    paytable: Table


@dataclass(frozen=True, slots=True)
class Outcomes:
    """The outcome and net-result tables of one wager."""

    title: str
    outcomes: Table
    net: Table | None


@dataclass(frozen=True, slots=True)
class Strategy:
    """Exact figures for one way of playing."""

    name: str
    description: str
    outcomes: tuple[Outcomes, ...]


@dataclass(frozen=True, slots=True)
class Exposure:
    """The most the house can lose in one round over all wagers together."""

    amount: str
    wins: Table | None
    deck: str
    decisions: str


@dataclass(frozen=True, slots=True)
class Mathematics:
    """The chapter's parts in their order."""

    rules: Table | None
    wagers: tuple[Wager, ...]
    claims: Table | None
    recoveries: tuple[Recovery, ...]
    returns: Table | None
    volatility: Table | None
    strategies: tuple[Strategy, ...]
    chart: Chart | None
    together: Together
    par: Par | None
    witnesses: Table | None
    exposure: Exposure | None


def mathematics(evidence: Node, annex: Annex) -> Mathematics:
    """Returns the chapter."""
    titles = wager_titles(evidence)
    analyses = strategies(evidence)
    return Mathematics(
        rules=rules(evidence),
        wagers=tuple(_wager(entry) for entry in evidence.each("wagers")),
        claims=_claims(evidence, titles),
        recoveries=recoveries(evidence, titles),
        returns=_returns(analyses, evidence, annex),
        volatility=_volatility(analyses, evidence),
        strategies=_strategies(analyses, evidence, annex),
        chart=strategy_chart(analyses[0][1].each("decisions")) if analyses else None,
        together=together(evidence, annex),
        par=par(evidence),
        witnesses=_witnesses(evidence, titles),
        exposure=_exposure(evidence, titles),
    )


def _wager(entry: Node) -> Wager:
    limits = entry.at("limits")
    stated = ""
    if limits:
        currency = limits.text("currency")
        stated = (
            f"{money(limits.integer('minimum'), currency)} to {money(limits.integer('maximum'), currency)} "
            f"({limits.text('provenance', 'printed')})"
        )
    rows = tuple(
        (Cell(row.text("title"), detail=row.text("id")), number(row.text("pays")), origin(row))
        for row in entry.each("paytable")
    )
    table = Table(f"Paytable of {entry.text('title')}", columns("Row:42", "#Pays:14", "Provenance"), rows)
    return Wager(entry.text("title"), entry.text("description", ""), stated, table)


def _claims(evidence: Node, titles: dict[str, str]) -> Table | None:
    rows = []
    for claim in evidence.each("claims"):
        low, high = (fraction(end.plain()) for end in claim.each("interval"))
        exact = percent(fraction(claim.text("exact")), 6) if claim.has("exact") else "–"
        basis = claim.text("independent_evidence", "") or (
            "By construction." if claim.flag("by_construction") else "–"
        )
        rows.append(
            (
                Cell(titles.get(claim.text("wager"), claim.text("wager"))),
                number(claim.text("printed")),
                number(f"[{decimal(low * 100, 3)}, {decimal(high * 100, 3)})"),
                Cell(exact, "number", detail=claim.text("strategy", "")),
                note(basis),
                judged(
                    {True: "satisfied", False: "not satisfied", None: "inconclusive"}[claim.flag("holds")]
                ),
            )
        )
    head = columns(
        "Wager:13", "#Printed:9", "#Stands for, %:15", "#Exact:15", "What supports it", "Verdict:14"
    )
    return Table("Returns as printed by the source", head, tuple(rows)) if rows else None


def _each_wager(evidence: Node, analyses: Iterable[tuple[str, Node]]) -> Iterable[tuple[str, str, Node]]:
    for strategy, analysis in analyses:
        for wager, figures_of in by_wager(evidence, analysis.at("wagers")):
            yield strategy, wager, figures_of


def _returns(analyses: tuple[tuple[str, Node], ...], evidence: Node, annex: Annex) -> Table | None:
    titles = wager_titles(evidence)
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
    head = columns("Strategy:20", "Wager:17", "#Return:16", "#House edge:14", "Exact return:33")
    remark = "The last column gives the fraction itself, or its number in the annex of exact fractions."
    return Table("Exact returns by strategy and wager", head, tuple(rows), remark) if rows else None


def _volatility(analyses: tuple[tuple[str, Node], ...], evidence: Node) -> Table | None:
    titles = wager_titles(evidence)
    rows = []
    for strategy, wager, found in _each_wager(evidence, analyses):
        index = found.at("volatility_index")
        top = found.at("top_award")
        rows.append(
            (
                mono(strategy),
                Cell(titles.get(wager, wager)),
                number(percent(fraction(found.text("hit_frequency")), 4)),
                number(statistic(found.number("standard_deviation"), 5)),
                *(
                    number(statistic(index.number(level), 3) if index.has(level) else "–")
                    for level in _CONFIDENCES
                ),
                note(_top_award(top)),
            )
        )
    head = columns(
        "Strategy:18",
        "Wager:15",
        "#Hit frequency:11",
        "#Std. deviation:11",
        *(f"#VI\u00a0{level.replace(' ', NARROW)}:9" for level in _CONFIDENCES),
        "Top award:18",
    )
    remark = (
        "Hit frequency: share of rounds with a net win. Standard deviation of the net result of one round, in "
        "initial stakes. Volatility index (VI): that deviation times the two-sided 90 %, 95 % or 99 % point of the "
        "normal distribution."
    )
    return Table("Hit frequency and volatility", head, tuple(rows), remark) if rows else None


def _top_award(top: Node) -> str:
    if not top:
        return "–"
    return f"{outcome_title(top.text('outcome'))}, {one_in(fraction(top.text('probability')))}"


def _strategies(analyses: tuple[tuple[str, Node], ...], evidence: Node, annex: Annex) -> tuple[Strategy, ...]:
    """Returns the outcomes of all wagers under the first strategy, and of those whose claim is read under another."""
    titles, named = wager_titles(evidence), evidence.at("strategy_of")
    made = []
    for place, (name, analysis) in enumerate(analyses):
        tables = tuple(
            _outcomes(titles.get(wager, wager), found, annex)
            for wager, found in by_wager(evidence, analysis.at("wagers"))
            if place == 0 or named.text(wager, "") == name
        )
        if tables:
            made.append(Strategy(name, analysis.text("strategy_class", ""), tables))
    return tuple(made)


def _outcomes(title: str, found: Node, annex: Annex) -> Outcomes:
    rows = []
    for outcome in found.each("outcomes"):
        probability = fraction(outcome.text("probability"))
        name = outcome_title(outcome.text("outcome"))
        rows.append(
            (
                Cell(name),
                number(_pays(outcome)),
                number(percent(probability)),
                number(one_in(probability)),
                number(
                    percent(fraction(outcome.text("contribution"))) if outcome.has("contribution") else "–"
                ),
                annex.cell(outcome.text("probability"), f"probability of {name}, {title}"),
            )
        )
    head = columns("Outcome:22", "#Pays:9", "#Probability:13", "#Odds:12", "#Of the return:14", "Exact:30")
    same = len(found.each("net")) >= len(rows)
    remark = (
        "Every outcome has a net result of its own: this is the distribution of the net result too."
        if same
        else ""
    )
    table = Table(f"{title}: every outcome", head, tuple(rows), remark)
    return Outcomes(title, table, None if same else _net(title, found, annex))


def _pays(outcome: Node) -> str:
    """Returns what an outcome pays; a loss pays nothing and a push returns the stake."""
    pays = outcome.text("pays", "–")
    if pays.startswith("-"):
        return "loses"
    return "push" if pays.startswith("0 ") else pays


def _net(title: str, found: Node, annex: Annex) -> Table | None:
    rows = tuple(
        (
            number(decimal(fraction(net.text("net")), 2)),
            number(percent(fraction(net.text("probability")))),
            annex.cell(net.text("probability"), f"probability of the net result {net.text('net')}, {title}"),
        )
        for net in found.each("net")
    )
    head = columns("#Net result, stakes:24", "#Probability:30", "Exact:46")
    return Table(f"{title}: distribution of the net result", head, rows) if rows else None


def _exposure(evidence: Node, titles: dict[str, str]) -> Exposure | None:
    node = evidence.at("exposure")
    if not node:
        return None
    currency = node.text("currency")
    stakes = dict(_amounts(node, "stakes", currency))
    rows = tuple(
        (Cell(titles.get(wager, wager)), number(stakes.get(wager, "–")), number(amount))
        for wager, amount in _amounts(node, "wins", currency)
    )
    table = Table("Stakes and wins of the costliest round", columns("Wager", "#Stake", "#Win"), rows)
    deck = ", ".join(card.plain() for card in node.each("deck_names"))
    decisions = ", ".join(decision.plain() for decision in node.each("decisions"))
    return Exposure(
        money(node.integer("amount"), currency), table if rows else None, deck, decisions or "none to make"
    )


def _amounts(node: Node, key: str, currency: str) -> list[tuple[str, str]]:
    pairs = [tuple(part.plain() for part in pair.each()) for pair in node.each(key)]
    return [(wager, money(int(amount), currency)) for wager, amount in pairs]


def _witnesses(evidence: Node, titles: dict[str, str]) -> Table | None:
    """Tabulates for every award the first cards of a deck that wins it."""
    rows = tuple(
        (
            Cell(titles.get(witness.text("wager"), witness.text("wager"))),
            Cell(outcome_title(witness.text("row"))),
            note(", ".join(card_name(int(card.plain())) for card in witness.each("deck")[:_FIRST_CARDS])),
            note(", ".join(decision.plain() for decision in witness.each("decisions")) or "none to make"),
        )
        for witness in evidence.each("witnesses")
    )
    head = columns("Wager:15", "Award:24", "The deck begins", "Decisions:13")
    remark = "Each deal was replayed by the reference engine; the evidence holds the complete decks."
    return Table("A deal that wins each award", head, rows, remark, dense=True) if rows else None
