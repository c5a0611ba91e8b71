"""Drawings of the game: the table with what is drawn from and the places of the wagers, and the layout of the bets."""

from __future__ import annotations

from fractions import Fraction

from certify.messages import tell
from certify.report.chapters.returns import bank_of
from certify.report.figures import layout_of_bets, layout_of_table
from certify.report.figures.bets import Bet, Mark, returned
from certify.report.figures.layout_of_table import LayoutSpot
from certify.report.figures.pieces import DrawnPiece
from certify.report.figures.reels import lines_of, stops_of, window_of
from certify.report.formats import fraction, money, odds
from certify.report.layout import Figure
from certify.report.node import Node
from certify.report.order import strategies, wager_titles


def of_table(evidence: Node) -> Figure | None:
    """Draws the table as the submission tells it."""
    titles = wager_titles(evidence)
    places = [
        LayoutSpot(
            titles[wager.text("id")],
            _pays(wager),
            tell(
                "layout.limits",
                least=money(limits.integer("minimum"), limits.text("currency")),
                most=money(limits.integer("maximum"), limits.text("currency")),
            ),
        )
        for wager in evidence.each("wagers")
        if (limits := wager.at("limits"))
    ]
    return layout_of_table(bank_of(evidence), places, [_piece(piece) for piece in _pieces(evidence)])


def kinds(evidence: Node) -> tuple[str, ...]:
    """Returns the kinds of what is drawn from, each once; nothing where the evidence does not tell."""
    return tuple(dict.fromkeys(piece.text("kind") for piece in _pieces(evidence)))


def _pieces(evidence: Node) -> tuple[Node, ...]:
    return evidence.at("layout").each("pieces")


def _piece(piece: Node) -> DrawnPiece:
    return DrawnPiece(
        piece.text("kind"),
        piece.integer("size"),
        piece.integer("drawn"),
        piece.integer("decks"),
        tuple(stop.plain() for stop in piece.each("stops")),
    )


def _pays(wager: Node) -> str:
    """Returns what a wager pays: its one pay, or the least and the most of the rows that win."""
    stated = {_value(row.text("pays")): row.text("pays") for row in wager.each("paytable")}
    pays = sorted({value: pay for value, pay in stated.items() if value > 0}.items())
    if not pays:
        return ""
    if len(pays) == 1:
        return odds(pays[0][1])
    return tell("layout.pays", least=odds(pays[0][1]), most=odds(pays[-1][1]))


def _value(pays: str) -> Fraction:
    wins, _, stake = pays.partition(" to ")
    return Fraction(int(wins), int(stake))


def of_reels(evidence: Node) -> tuple[Figure, ...]:
    """Draws reels: their stops, and of the first ones the lines and the window that wins most."""
    figures = []
    for number, reels in enumerate(evidence.at("layout").each("reels"), start=1):
        stops, weights = _cells(reels, "stops"), _cells(reels, "weights")
        figures.append(
            stops_of(f"stops-{number}", reels.text("name"), stops, [list(map(int, one)) for one in weights])
        )
        lines = [list(map(int, one)) for one in _cells(reels, "lines")]
        if lines:
            figures.append(
                lines_of(f"lines-{number}", [int(rows.plain()) for rows in reels.each("rows")], lines)
            )
        top = _cells(reels, "top")
        if top:
            figures.append(window_of(f"window-{number}", top))
    return tuple(figures)


def _cells(reels: Node, key: str) -> list[list[str]]:
    return [[cell.plain() for cell in one.each()] for one in reels.each(key)]


def of_bets(evidence: Node) -> tuple[Figure, ...]:
    """Draws which draws win each wager, one figure for everything that is read from a draw."""
    titles, analyses = wager_titles(evidence), strategies(evidence)
    found = analyses[0][1].at("wagers") if analyses else evidence.at("nothing")
    return tuple(
        _panel(panel, f"layout-of-bets-{number}", titles, found)
        for number, panel in enumerate(evidence.at("layout").each("coverage"), start=1)
    )


def _panel(panel: Node, name: str, titles: dict[str, str], found: Node) -> Figure:
    columns = [column.plain() for column in panel.each("columns")]
    wagers = panel.each("wagers")
    chances = {tuple(fraction(one.plain()) for one in wager.each("chances")) for wager in wagers}
    bets = [
        Bet(
            titles.get(wager.text("wager"), wager.text("wager")),
            _returned(found.at(wager.text("wager"))),
            _marks(wager),
        )
        for wager in wagers
    ]
    caption = tell(f"layout.bets.{panel.text('reading')}")
    same = chances.pop() if len(chances) == 1 else ()
    if len(set(same)) > 1:
        caption = f"{caption} {tell('layout.bets.bars')}"
    return layout_of_bets(name, caption, columns, same, bets)


def _returned(figures: Node) -> str:
    return returned(fraction(figures.text("return"))) if figures else "–"


def _marks(wager: Node) -> dict[int, Mark]:
    """Returns what a wager comes to, by column."""
    marks: dict[int, Mark] = {}
    for spot in wager.each("spots"):
        column, share = spot.integer("column"), fraction(spot.text("share"))
        net = fraction(spot.text("net")) if spot.has("net") else None
        before = marks.get(column)
        won = share if net is not None and net > 0 else Fraction(0)
        marks[column] = Mark(
            won + (before.won if before else 0),
            share - won + (before.kept if before else 0),
            str(net) if won and before is None else "",
        )
    return marks
