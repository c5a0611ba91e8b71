"""Play-through against exact figures, and the agreement of all engines on the same draws."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from certify.messages import statements, tell
from certify.report import figures
from certify.report.formats import decimal, fraction, grouped, outward, p_value, percent, prose, statistic
from certify.report.layout import (
    Column,
    Fact,
    Figure,
    PageCell,
    PageTable,
    columns,
    judged,
    mono,
    note,
    number,
)
from certify.report.node import Node
from certify.report.order import by_wager, file_of, wager_titles
from certify.report.trace import steps
from certify.report.words import outcome_title
from certify.simulation.statistical_tests import DETECTED, shown_deviation, shown_difference


@dataclass(frozen=True, slots=True)
class CampaignView:
    """One campaign of rounds played."""

    strategy: str
    facts: tuple[Fact, ...]
    judgement: PageTable
    power: PageTable
    margins: PageTable | None
    outcomes: tuple[PageTable, ...]
    residuals: tuple[Figure, ...]
    convergence: tuple[Figure, ...]
    marks: tuple[PageTable, ...]
    listed: str


@dataclass(frozen=True, slots=True)
class AgreementView:
    """The same decks through every engine."""

    decks: str
    legs: tuple[str, ...]
    compared: tuple[str, ...]
    differences: str


@dataclass(frozen=True, slots=True)
class Example:
    """One round played card by card."""

    place: str
    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SimulationView:
    """The chapter's parts in their order."""

    campaigns: tuple[CampaignView, ...]
    shared_code: tuple[str, ...]
    independent_code: tuple[str, ...]
    agreement: AgreementView | None
    derived: bool
    texts: tuple[Fact, ...]
    audit: tuple[Fact, ...]
    rule: str
    first: tuple[PageTable, ...]
    example: Example | None


def simulation(evidence: Node) -> SimulationView | None:
    """Returns the chapter, or nothing where no rounds were played."""
    node = evidence.at("simulation")
    if not node and not evidence.at("agreement"):
        return None
    titles = wager_titles(evidence)
    # What refutes is adjusted for all such tests together: the smallest p-value stands before this level.
    tests = [wager.at("adjusted_p") for one in node.each("campaigns") for wager in one.each("wagers")]
    level = fraction(evidence.at("run").text("alpha")) / max(1, sum(1 for one in tests for _ in one.items()))
    return SimulationView(
        tuple(
            _campaign(one, evidence, level, first=place == 0)
            for place, one in enumerate(node.each("campaigns"))
        ),
        tuple(entry.said() for entry in node.each("shared_code")),
        tuple(entry.said() for entry in node.each("independent_code")),
        _agreement(evidence.at("agreement"), titles),
        bool(evidence.at("texts").at("merging")),
        _texts(evidence.at("texts")),
        _audit(evidence.at("deck_audit")),
        prose(node.sentence("borderline_rule", "")),
        tuple(
            _judgement(
                tell("simulation.first-borderline-campaign", strategy=first.text("strategy")),
                first.each("wagers"),
                titles,
            )
            for first in node.each("borderline_first")
        ),
        _example(evidence.each("played_rounds"), titles),
    )


_ONE_LINE: Final = 64
"""Digits of a digest that one line holds; a longer seed is broken."""


def _campaign(campaign: Node, evidence: Node, level: Fraction, *, first: bool) -> CampaignView:
    titles = wager_titles(evidence)
    strategy, seed = campaign.text("strategy"), campaign.text("seed")
    facts = (
        Fact(tell("fact.strategy"), mono(strategy)),
        Fact(tell("fact.rounds"), PageCell(grouped(campaign.integer("rounds")))),
        Fact(tell("fact.seed"), PageCell(seed, "hash" if len(seed) <= _ONE_LINE else "mono")),
        Fact(
            tell("fact.purpose-and-streams"),
            PageCell(
                tell(
                    "simulation.streams",
                    purpose=campaign.text("purpose", "–"),
                    streams=campaign.text("streams", "–"),
                )
            ),
        ),
        Fact(
            tell("fact.replayed-by-the-readable-twin"),
            PageCell(tell("front.rounds", rounds=grouped(campaign.integer("kernel_twin_rounds")))),
        ),
    )
    wagers = campaign.each("wagers")
    listed = file_of(evidence, "data/simulation.csv") and file_of(evidence, "data/convergence.csv")
    charts = tuple(
        figures.convergence(
            campaign, wager.text("wager"), titles.get(wager.text("wager"), wager.text("wager"))
        )
        for wager in (wagers[:1] if listed else wagers)
        if campaign.each("convergence") and (first or not listed)
    )
    return CampaignView(
        strategy,
        facts,
        _judgement(strategy, wagers, titles),
        _power(campaign.integer("rounds"), wagers, titles, level),
        _margins(strategy, wagers, titles),
        () if listed else tuple(_outcomes(wager, titles) for wager in wagers),
        figures.residuals(strategy, _residuals(wagers, titles)) if first or not listed else (),
        charts,
        () if listed else _marks(campaign, evidence),
        listed,
    )


def _residuals(wagers: tuple[Node, ...], titles: dict[str, str]) -> list[tuple[str, str, float]]:
    """Returns wager, outcome and standardised residual of every outcome counted."""
    return [
        (
            titles.get(wager.text("wager"), wager.text("wager")),
            outcome_title(outcome.text("outcome")),
            outcome.number("residual"),
        )
        for wager in wagers
        for outcome in wager.each("outcomes")
    ]


def _audit(node: Node) -> tuple[Fact, ...]:
    """Returns what was found when every dealt deck and every recorded round was looked at again."""
    if not node:
        return ()
    decks = tell(
        "simulation.of-which-not-forty-different",
        decks=grouped(node.integer("decks")),
        broken=grouped(node.integer("broken")),
    )
    replays = tell(
        "simulation.rounds-differences",
        replays=grouped(node.integer("replays")),
        replay_differences=grouped(node.integer("replay_differences")),
    )
    stakes = tell(
        "simulation.rounds-differences-b",
        stake_runs=grouped(node.integer("stake_runs")),
        stake_differences=grouped(node.integer("stake_differences")),
    )
    return (
        Fact(tell("fact.decks-audited"), PageCell(decks)),
        Fact(tell("fact.replayed-from-their-record"), PageCell(replays)),
        Fact(tell("fact.with-other-stakes-and-players"), PageCell(stakes)),
    )


def _example(played: tuple[Node, ...], titles: dict[str, str]) -> Example | None:
    """Returns the recorded round with the most steps, the first of equals: it shows most."""
    if not played:
        return None
    chosen = max(played, key=lambda entry: len(entry.each("trace")))
    place = tell(
        "simulation.stream-deck-purpose",
        stream=chosen.text("stream"),
        deck=chosen.text("deck"),
        purpose=chosen.text("purpose"),
    )
    return Example(place, steps([step.plain() for step in chosen.each("trace")], titles))


def _judgement(strategy: str, wagers: tuple[Node, ...], titles: dict[str, str]) -> PageTable:
    rows = []
    for wager in wagers:
        mean, chi, margin = wager.at("mean"), wager.at("chi_square"), wager.at("equivalence")
        least, most = (100 * Fraction(str(end.value)) for end in mean.each("interval_99"))
        low, high = outward(least, most, 3)
        rows.append(
            (
                PageCell(titles.get(wager.text("wager"), wager.text("wager"))),
                number(f"{statistic(100 * mean.number('return'), 4)}"),
                number(f"{percent(fraction(mean.text('exact_return')), 4).rstrip('%').rstrip()}"),
                number(tell("number.range", low=low, high=high)),
                number(statistic(mean.number("z"), 2)),
                number(p_value(mean.number("p_value"))),
                number(f"{statistic(chi.number('statistic'), 2)} ({chi.text('degrees_of_freedom')})"),
                number(p_value(chi.number("p_value"))),
                number(_margin(margin)),
                judged(wager.text("verdict")),
            )
        )
    head = columns(
        "wager",
        "#played",
        "#exact-b",
        "#99-interval",
        "#z",
        "#p",
        "#df-b",
        "#p",
        "#margin",
        "verdict",
    )
    return PageTable(tell("simulation.judgement-per-wager", strategy=strategy), head, tuple(rows))


def _power(rounds: int, wagers: tuple[Node, ...], titles: dict[str, str], level: Fraction) -> PageTable:
    """Tabulates what z and chi-square would object to at this volume, and how likely they are to pass it over."""
    risk = number(tell("randomness.at-most", alpha=statistic(100 * (1 - DETECTED), 0)))
    rows = []
    for wager in wagers:
        chi = wager.at("chi_square")
        found = [
            tell(
                "simulation.shows-difference",
                points=statistic(
                    100 * shown_difference(wager.at("mean").number("standard_error"), float(level)), 3
                ),
            )
        ]
        if chi:
            deviation = shown_deviation(chi.integer("degrees_of_freedom"), rounds, float(level))
            found.append(tell("simulation.shows-deviation", percent=statistic(100 * deviation, 3)))
        named = wager.text("wager")
        rows.append((PageCell(titles.get(named, named)), note(statements(found)), risk))
    head = columns("wager:22", "what-this-volume-of-data:60", "#risk-of-wrong-acceptance:18")
    remark = tell("simulation.risk", level=statistic(float(level), 5))
    return PageTable(tell("randomness.what-each-test-would-show"), head, tuple(rows), remark, dense=True)


def _margin(margin: Node) -> str:
    """Returns the margin in points of return; where equivalence was not asked, nothing."""
    if not margin or not margin.flag("asked"):
        return "–"
    return f"±{decimal(100 * fraction(margin.text('margin')), 2)}"


def _margins(strategy: str, wagers: tuple[Node, ...], titles: dict[str, str]) -> PageTable | None:
    """Tabulates the margins that were fixed before the first round, with their reason and the rounds they take."""
    rows = tuple(
        (
            PageCell(titles.get(wager.text("wager"), wager.text("wager"))),
            number(_margin(margin)),
            note(margin.sentence("reason")),
            number(grouped(margin.integer("rounds_needed"))),
        )
        for wager in wagers
        if (margin := wager.at("equivalence")) and margin.flag("asked")
    )
    head = columns("wager:18", "#margin:10", "reason:54", "#rounds-it-takes:18")
    return PageTable(tell("simulation.margins", strategy=strategy), head, rows, dense=True) if rows else None


def _outcomes(wager: Node, titles: dict[str, str]) -> PageTable:
    rows = tuple(
        (
            PageCell(outcome_title(outcome.text("outcome"))),
            number(grouped(outcome.integer("count"))),
            number(statistic(outcome.number("expected"), 1)),
            number(statistic(100 * outcome.number("frequency"), 5)),
            number(percent(fraction(outcome.text("probability")), 5).rstrip("%").rstrip()),
            number(statistic(outcome.number("residual"), 2)),
        )
        for outcome in wager.each("outcomes")
    )
    title = titles.get(wager.text("wager"), wager.text("wager"))
    head = columns("outcome", "#count", "#expected", "#frequency", "#exact-b", "#residual")
    return PageTable(tell("simulation.outcomes-counted-and-expected", title=title), head, rows)


MOST_BESIDE = 3
"""Wagers that fit beside each other in one table of played returns; further ones follow in further tables."""


def _marks(campaign: Node, evidence: Node) -> tuple[PageTable, ...]:
    """Tabulates the points 1, 2 and 5 of every decade, and the last."""
    points = campaign.each("convergence")
    if not points:
        return ()
    chosen = [point for point in points if _is_mark(point.integer("rounds")) or point is points[-1]]
    titles = wager_titles(evidence)
    wagers = [name for name, _ in by_wager(evidence, points[-1].at("wagers"))]
    beside = (wagers[first : first + MOST_BESIDE] for first in range(0, len(wagers), MOST_BESIDE))
    return tuple(_returns_along(chosen, names, titles) for names in beside)


def _returns_along(points: list[Node], wagers: list[str], titles: dict[str, str]) -> PageTable:
    """Returns the played returns of a few wagers along the way."""
    rows = tuple(
        (
            number(grouped(point.integer("rounds"))),
            *(number(_mark(point.at("wagers").at(name))) for name in wagers),
        )
        for point in points
    )
    head = (*columns("#rounds"), *(Column(titles.get(name, name), "number") for name in wagers))
    caption = tell("simulation.played-return-with-the-half")
    return PageTable(caption, head, rows, dense=True)


def _is_mark(rounds: int) -> bool:
    """Tells whether a number is 1, 2 or 5 times a power of ten."""
    return str(rounds).rstrip("0") in ("1", "2", "5")


def _mark(at: Node) -> str:
    if not at:
        return "–"
    return f"{statistic(100 * at.number('return'), 3)} ± {statistic(100 * at.number('half_width_99'), 3)}"


def _texts(node: Node) -> tuple[Fact, ...]:
    """Returns what is said of the two texts of a game; nothing where it is not in stages and brings no second."""
    if not node:
        return ()
    facts = list(_source(node, "first"))
    merging = node.at("merging")
    if merging:
        proved = tell(
            "simulation.merging-proved",
            moments=grouped(merging.integer("moments")),
            states=grouped(merging.integer("states")),
            arrows=grouped(merging.integer("arrows")),
            rounds=grouped(merging.integer("rounds")),
            pairs=grouped(merging.integer("hidden_pairs")),
        )
        facts.append(Fact(tell("fact.merging"), PageCell(proved)))
    if not node.at("second"):
        return (*facts, Fact(tell("fact.second-text"), PageCell(tell("simulation.no-second-text"))))
    compared = tell(
        "simulation.texts-compared" if merging else "simulation.texts-compared-dealt",
        **({"deals": grouped(node.integer("deals"))} if merging else {}),
        dealt=grouped(node.integer("dealt")),
        differing=grouped(node.integer("differing")),
        shared=len(node.each("shared")),
    )
    return (*facts, *_source(node, "second"), Fact(tell("fact.texts-compared"), PageCell(compared)))


def _source(texts: Node, which: str) -> tuple[Fact, Fact]:
    """Returns the module of a text and the digest of its source."""
    source = texts.at(which)
    return (
        Fact(tell(f"fact.{which}-text"), mono(source.text("module"))),
        Fact(tell(f"fact.digest-of-{which}-text"), PageCell(source.text("sha256"), "hash")),
    )


def _agreement(node: Node, titles: dict[str, str]) -> AgreementView | None:
    if not node:
        return None
    return AgreementView(
        grouped(node.integer("decks")),
        tuple(leg.said() for leg in node.each("legs")),
        tuple(titles.get(thing.plain(), thing.said()) for thing in node.each("compared")),
        grouped(node.integer("differences")),
    )
