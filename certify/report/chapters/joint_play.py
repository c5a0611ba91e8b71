"""All wagers together, where best play changes, simpler strategies, and what moves the returns."""

from __future__ import annotations

from dataclasses import dataclass

from certify.report import figures
from certify.report.annex import Annex
from certify.report.formats import decimal, fraction, percent, signed, statistic
from certify.report.layout import Cell, Column, Figure, Table, columns, mono, note, number
from certify.report.node import Node
from certify.report.order import by_wager, wager_titles
from certify.report.words import outcome_title

_FIRST = ("main-optimal", "optimal")


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
    pieces: Table | None


@dataclass(frozen=True, slots=True)
class Together:
    """What concerns more than one wager, and what would be otherwise."""

    whole: Table | None
    covariance: Table | None
    frontiers: tuple[Frontier, ...]
    classes: Table | None
    pays: Table | None
    rules: Table | None


def together(evidence: Node, annex: Annex) -> Together:
    """Returns the sections; each is empty where the evidence lacks it."""
    titles = wager_titles(evidence)
    joint = sorted(evidence.at("joint").items(), key=lambda entry: (entry[0] not in _FIRST, entry[0]))
    frontiers = by_wager(evidence, evidence.at("frontier"))
    return Together(
        _whole(joint, titles, annex),
        _covariance(joint[0][1], titles, annex) if joint else None,
        tuple(_frontier(side, titles, pieces.each(), annex) for side, pieces in frontiers),
        _classes(evidence.each("strategy_classes"), titles, annex),
        _pays(evidence, titles),
        _rules(evidence, titles),
    )


def _whole(joint: list[tuple[str, Node]], titles: dict[str, str], annex: Annex) -> Table | None:
    rows = tuple(
        (
            mono(name),
            number(percent(fraction(entry.text("total_return")), 6)),
            annex.cell(entry.text("total_return"), f"return on the whole stake, {name}"),
            number(decimal(fraction(entry.text("expectation")), 6)),
            number(decimal(fraction(entry.text("variance")), 4)),
            annex.cell(entry.text("variance"), f"variance of the whole net result, {name}"),
            number(statistic(entry.number("standard_deviation"), 5)),
        )
        for name, entry in joint
    )
    if not rows:
        return None
    stakes = ", ".join(
        f"{stake.plain()} on {titles.get(wager, wager)}" for wager, stake in joint[0][1].at("stakes").items()
    )
    head = columns(
        "Strategy", "#Return on the stake", "Exact", "#Net, units", "#Variance", "Exact", "#Std. deviation"
    )
    remark = (
        f"Stakes in units: {stakes}. Net result and its variance are those of all wagers of one round in sum."
    )
    return Table("The whole stake of one round", head, rows, remark)


def _covariance(entry: Node, titles: dict[str, str], annex: Annex) -> Table | None:
    rows = []
    for pair in entry.each("covariance"):
        one, other = (titles.get(member.plain(), member.plain()) for member in pair.each("wagers"))
        name = f"{one}, its variance" if one == other else f"{one} with {other}"
        quantity = f"variance of {one}" if one == other else f"covariance of {one} and {other}"
        text = pair.text("covariance")
        rows.append(
            (
                Cell(name),
                number(decimal(fraction(text), 6)),
                annex.cell(text, f"{quantity}, {entry.text('strategy')}"),
                number(statistic(pair.number("correlation"), 4)),
            )
        )
    head = columns("Wagers:36", "#Covariance:16", "Exact:32", "#Correlation:16")
    return Table(f"Covariance of net results per unit staked, {entry.text('strategy')}", head, tuple(rows))


def _frontier(side: str, titles: dict[str, str], pieces: tuple[Node, ...], annex: Annex) -> Frontier:
    title = titles.get(side, side)
    if len(pieces) < 2:
        return Frontier(
            title,
            f"{title}: the same play is best whatever is staked on it.",
            None,
            None,
        )
    rows = tuple(_piece(piece, title, annex) for piece in pieces)
    head = (
        *columns("#Stake from:10", "Exact:23", "#Main wager:11"),
        Column(title, "number", 13),
        *columns("#Whole stake:18", "What changes:25"),
    )
    remark = (
        f"Stake on {title} per unit on the main wager; returns in per cent. Whole stake: return at the beginning "
        "and at the end of the range."
    )
    table = Table(f"Best play as the stake on {title} grows", head, rows, remark)
    points = [
        (
            float(fraction(piece.text("stake_from"))),
            float(fraction(piece.text("stake_to"))),
            float(fraction(piece.text("main_return"))),
            float(fraction(piece.text("side_return"))),
        )
        for piece in pieces
    ]
    return Frontier(title, "", figures.frontier(side, title, points), table)


def _piece(piece: Node, title: str, annex: Annex) -> tuple[Cell, ...]:
    start = piece.text("stake_from")
    changed = [
        f"{verb} {', '.join(_hand(hand.plain()) for hand in piece.each(key))}"
        for verb, key in (("now hit on", "now_hit"), ("now stand on", "now_stand"))
        if piece.each(key)
    ]
    whole = (
        f"{_four(piece.text('total_return_from_percent'))} to {_four(piece.text('total_return_to_percent'))}"
    )
    return (
        number(decimal(fraction(start), 6)),
        annex.cell(start, f"stake on {title} from which play changes"),
        number(decimal(100 * fraction(piece.text("main_return")), 4)),
        number(decimal(100 * fraction(piece.text("side_return")), 4)),
        number(whole),
        note("; ".join(changed) or "best for the main wager alone"),
    )


def _hand(changed: str) -> str:
    """Returns a hand as the frontier names it in the words of a reader.

    >>> _hand("5 first: 5"), _hand("5 first: A+5")
    ('a single 5', 'A+5 with 5 as first card')
    """
    first, _, hand = changed.partition(" first: ")
    if hand == first:
        return f"a single {first}"
    return f"{hand} with {first} as first card" if hand else changed


def _four(percentage: str) -> str:
    return statistic(float(percentage), 4)


def _classes(entries: tuple[Node, ...], titles: dict[str, str], annex: Annex) -> Table | None:
    if len(entries) < 2:
        return None  # Nothing is simpler where nothing is decided.
    several = len(titles) > 1
    of = "the main wager" if several else next(iter(titles.values()), "the wager")
    rows = tuple(
        (
            mono(entry.text("strategy")),
            Cell(entry.text("strategy_class")),
            number(percent(fraction(entry.text("main_return")), 6)),
            annex.cell(entry.text("main_return"), f"return of {of}, {entry.text('strategy')}"),
            number(percent(fraction(entry.text("cost")), 6)),
        )
        for entry in entries
    )
    head = columns(
        "Strategy:17",
        "Looks at:20",
        "#Main wager:15" if several else "#Return:15",
        "Exact:33",
        "#Costs:15",
    )
    caption = f"Simpler ways to play{' the main wager' if several else ''}, and what they cost"
    return Table(caption, head, rows) if rows else None


def _pays(evidence: Node, titles: dict[str, str]) -> Table | None:
    """Tabulates what one more unit of each pay does to the return of its wager."""
    rows = tuple(
        (
            Cell(titles.get(entry.text("wager"), entry.text("wager"))),
            Cell(outcome_title(entry.text("subject"))),
            note(entry.text("change")),
            number(percent(fraction(entry.text("before")), 4)),
            number(percent(fraction(entry.text("after")), 4)),
            number(_points(entry)),
        )
        for entry in evidence.each("sensitivity")
        if entry.has("same_strategy")
    )
    head = columns("Wager:18", "Row:31", "If it:16", "#Return:12", "#Then:12", "#Change:11")
    remark = "Changes in percentage points; best play is found anew for every change."
    caption = "What each return owes to each pay"
    return Table(caption, head, rows, remark, dense=True) if rows else None


def _rules(evidence: Node, titles: dict[str, str]) -> Table | None:
    """Tabulates what another rule does to the returns of all wagers, one row per rule."""
    named = {rule.text("id"): rule.text("title") for rule in evidence.each("rules")}
    changed: dict[tuple[str, str], dict[str, Node]] = {}
    for entry in evidence.each("sensitivity"):
        if not entry.has("same_strategy"):
            changed.setdefault((entry.text("subject"), entry.text("change")), {})[entry.text("wager")] = entry
    if not changed:
        return None
    wagers = [wager for wager in titles if any(wager in entries for entries in changed.values())]
    rows = tuple(
        (
            Cell(named.get(rule, outcome_title(rule))),
            note(change),
            *(number(_points(entries[wager]) if wager in entries else "–") for wager in wagers),
        )
        for (rule, change), entries in changed.items()
    )
    head = (
        *columns("Rule:38", "If it were:21" if len(wagers) > 1 else "If it were:46"),
        *(Column(titles[wager], "number") for wager in wagers),
    )
    played = "best play for the main wager" if len(titles) > 1 else "best play"
    remark = f"Change of each return in percentage points; {played} is found anew."
    return Table("What the returns owe to the rules", head, rows, remark, dense=True)


def _points(entry: Node) -> str:
    return signed(100 * fraction(entry.text("delta")), 4)
