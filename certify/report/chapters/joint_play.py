"""All wagers together, where best play changes, simpler strategies, and what moves the returns."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from certify.evidence.analysis import Sensitivity, StrategyClass
from certify.evidence.document import Evidence, by_strategy, by_wager
from certify.evidence.joint import FrontierPiece, JointFigures
from certify.messages import statements, tell, translated
from certify.report import figures
from certify.report.annex import Annex, off_of
from certify.report.chapters.many_wagers import MANY, correlations
from certify.report.formats import decimal, percent, signed, statistic
from certify.report.layout import Column, Figure, PageCell, PageTable, columns, mono, note, number, tabled
from certify.report.order import wager_titles
from certify.report.words import outcome_title


@dataclass(frozen=True, slots=True)
class Frontier:
    """How best play for the whole stake changes as one side stake grows.

    Args:
        title: Name of the side bet.
        constant: A sentence where one way of playing is best throughout; empty otherwise.
        figure: The returns over the side stake.
        pieces: The same as a table.
    """

    title: str
    constant: str
    figure: Figure | None
    pieces: PageTable | None


@dataclass(frozen=True, slots=True)
class JointPlayView:
    """What concerns more than one wager, and what would be otherwise."""

    whole: PageTable | None
    covariance: PageTable | None
    frontiers: tuple[Frontier, ...]
    classes: PageTable | None
    pays: PageTable | None
    rules: PageTable | None


def together(evidence: Evidence, annex: Annex) -> JointPlayView:
    """Returns the sections; each is empty where the evidence lacks it, or a single wager has nothing beside it."""
    titles = wager_titles(evidence)
    joint = by_strategy(evidence.joint) if len(titles) > 1 else ()
    frontiers = by_wager(evidence, evidence.frontier or {})
    return JointPlayView(
        _whole(joint, titles, annex),
        _dependence(joint[0][1], titles, annex) if joint else None,
        tuple(_frontier(side, titles, pieces, annex) for side, pieces in frontiers),
        _classes(evidence.strategy_classes, titles, annex),
        _pays(evidence, titles),
        _rules(evidence, titles),
    )


def _whole(
    joint: tuple[tuple[str, JointFigures], ...], titles: dict[str, str], annex: Annex
) -> PageTable | None:
    rows = tuple(
        (
            mono(name),
            number(percent(entry.total_return, 6)),
            annex.cell(entry.total_return, tell("together.return-on-the-whole-stake", name=name)),
            number(decimal(entry.expectation, 6)),
            number(decimal(entry.variance, 4)),
            annex.cell(
                entry.variance,
                tell("together.variance-of-the-whole-net", name=name),
                off=off_of(entry.off, "variance"),
            ),
            number(statistic(entry.standard_deviation, 5)),
        )
        for name, entry in joint
    )
    if not rows:
        return None
    stakes = ", ".join(
        tell("together.staked-on", stake=str(stake), wager=titles.get(wager, wager))
        for wager, stake in joint[0][1].stakes.items()
    )
    head = columns(
        "strategy", "#return-on-the-stake", "exact", "#net-units", "#variance", "exact", "#std-deviation"
    )
    remark = tell("together.stakes-in-units-net-result", stakes=stakes)
    return PageTable(tell("together.the-whole-stake-of-one"), head, rows, remark)


def _dependence(entry: JointFigures, titles: dict[str, str], annex: Annex) -> PageTable | None:
    """Returns how the net results of the wagers depend on each other."""
    return correlations(entry, titles) if len(titles) >= MANY else _covariance(entry, titles, annex)


def _covariance(entry: JointFigures, titles: dict[str, str], annex: Annex) -> PageTable | None:
    rows = []
    for pair in entry.covariance:
        one, other = (titles.get(member, member) for member in pair.wagers)
        name = (
            tell("together.its-variance", one=one)
            if one == other
            else tell("together.pair", one=one, other=other)
        )
        quantity = (
            tell("together.variance-of", one=one)
            if one == other
            else tell("together.covariance-of-and", one=one, other=other)
        )
        rows.append(
            (
                PageCell(name),
                number(decimal(pair.covariance, 6)),
                annex.cell(pair.covariance, f"{quantity}, {entry.strategy}", off=pair.off or Fraction(0)),
                number(statistic(pair.correlation, 4)),
            )
        )
    head = columns("wagers:36", "#covariance:16", "exact:32", "#correlation:16")
    return PageTable(
        tell("together.covariance-of-net-results-per", strategy=entry.strategy), head, tuple(rows)
    )


def _frontier(side: str, titles: dict[str, str], pieces: tuple[FrontierPiece, ...], annex: Annex) -> Frontier:
    title = titles.get(side, side)
    if len(pieces) < 2:
        return Frontier(
            title,
            tell("together.the-same-play-is-best", title=title),
            None,
            None,
        )
    rows = tuple(_piece(piece, title, annex) for piece in pieces)
    head = (
        *columns("#stake-from:10", "exact:23", "#main-wager:11"),
        Column(title, "number", 13),
        *columns("#whole-stake:18", "what-changes:25"),
    )
    remark = tell("together.stake-on-per-unit-on", title=title)
    table = PageTable(tell("together.best-play-as-the-stake", title=title), head, rows, remark)
    points = [
        (
            float(piece.stake_from),
            float(piece.stake_to),
            float(piece.main_return),
            float(piece.side_return),
        )
        for piece in pieces
    ]
    return Frontier(title, "", figures.frontier(side, title, points), table)


def _piece(piece: FrontierPiece, title: str, annex: Annex) -> tuple[PageCell, ...]:
    start = piece.stake_from
    changed = [
        tell(f"together.{key}", hands=", ".join(map(_hand, hands)))
        for key, hands in (("now_hit", piece.now_hit), ("now_stand", piece.now_stand))
        if hands
    ]
    whole = tell(
        "number.range",
        low=_four(piece.total_return_from_percent),
        high=_four(piece.total_return_to_percent),
    )
    return (
        number(decimal(start, 6)),
        annex.cell(start, tell("together.stake-on-from-which-play", title=title)),
        number(decimal(100 * piece.main_return, 4)),
        number(decimal(100 * piece.side_return, 4)),
        number(whole),
        note(statements(changed) or tell("together.best-for-the-main-wager")),
    )


def _hand(changed: str) -> str:
    """Returns a hand as the frontier names it in the words of a reader.

    >>> _hand("5 first: 5"), _hand("5 first: A+5")
    ('a single 5', 'A+5 with 5 as first card')
    """
    first, _, hand = changed.partition(" first: ")
    if hand == first:
        return tell("together.a-single", first=first)
    return tell("together.with-as-first-card", hand=hand, first=first) if hand else changed


def _four(percentage: str) -> str:
    return statistic(float(percentage), 4)


def _classes(entries: tuple[StrategyClass, ...], titles: dict[str, str], annex: Annex) -> PageTable | None:
    if len(entries) < 2:
        return None  # Nothing is simpler where nothing is decided.
    several = len(titles) > 1
    of = tell("together.the-main-wager") if several or not titles else next(iter(titles.values()))
    rows = tuple(
        (
            mono(entry.strategy),
            PageCell(translated(entry.strategy_class)),
            number(percent(entry.main_return, 6)),
            annex.cell(entry.main_return, tell("together.return-of", of=of, strategy=entry.strategy)),
            number(percent(entry.cost, 6)),
        )
        for entry in entries
    )
    head = columns(
        "strategy:17",
        "looks-at:20",
        "#main-wager:15" if several else "#return:15",
        "exact:33",
        "#costs:15",
    )
    caption = (
        tell("together.simpler-ways-to-play-the") if several else tell("together.simpler-ways-to-play-and")
    )
    return tabled(caption, head, rows)


def _pays(evidence: Evidence, titles: dict[str, str]) -> PageTable | None:
    """Tabulates what one more unit of each pay does to the return of its wager."""
    rows = tuple(
        (
            PageCell(titles.get(entry.wager, entry.wager)),
            PageCell(outcome_title(entry.subject)),
            note(translated(entry.change)),
            number(percent(entry.before, 4)),
            number(percent(entry.after, 4)),
            number(_points(entry)),
        )
        for entry in evidence.sensitivity or ()
        if entry.same_strategy is not None
    )
    head = columns("wager:18", "row:31", "if-it:16", "#return:12", "#then:12", "#change:11")
    remark = tell("together.changes-in-percentage-points-best")
    caption = tell("together.what-each-return-owes-to")
    return tabled(caption, head, rows, remark, dense=True)


def _rules(evidence: Evidence, titles: dict[str, str]) -> PageTable | None:
    """Tabulates what another rule does to the returns of all wagers, one row per rule."""
    named = {rule.id: translated(rule.title) for rule in evidence.rules}
    changed: dict[tuple[str, str], dict[str, Sensitivity]] = {}
    for entry in evidence.sensitivity or ():
        if entry.same_strategy is None:
            changed.setdefault((entry.subject, translated(entry.change)), {})[entry.wager] = entry
    if not changed:
        return None
    wagers = [wager for wager in titles if any(wager in entries for entries in changed.values())]
    rows = tuple(
        (
            PageCell(named.get(rule, outcome_title(rule))),
            note(change),
            *(number(_points(entries[wager]) if wager in entries else "–") for wager in wagers),
        )
        for (rule, change), entries in changed.items()
    )
    head = (
        *columns("rule:38", "if-it-were:21" if len(wagers) > 1 else "if-it-were:46"),
        *(Column(titles[wager], "number") for wager in wagers),
    )
    played = tell("together.best-play-for-the-main") if len(titles) > 1 else tell("together.best-play")
    remark = tell("together.change-of-each-return-in", played=played)
    return PageTable(tell("together.what-the-returns-owe-to"), head, rows, remark, dense=True)


def _points(entry: Sensitivity) -> str:
    return signed(100 * entry.delta, 4)
