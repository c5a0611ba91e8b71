"""The PAR sheet as tables: what a spreadsheet or a CSV file of it holds, cell by cell, one unit in each column."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from certify.analysis.claim_status import claim_status
from certify.analysis.claim_words import claim_words, figure_words
from certify.analysis.long_run import HOUSE, PLAYER
from certify.analysis.of_game import exposure
from certify.analysis.par_sheet import par_sheet_evidence, top_award_evidence
from certify.evidence.par import ParSheet
from certify.evidence.report import Head
from certify.exact import decimal_text, format_half_points, fraction_text
from certify.model.claims import claimed_figure
from certify.model.equipment import described, row_names
from certify.model.figures import VOLATILITY_Z, Analysis, Exposure, WagerFigures
from certify.model.game import Game
from certify.model.provenance import Origin, Provenance

MINOR_UNITS = 100
"""Minor units of a currency in one unit of it, as submissions state limits."""


class Unit(StrEnum):
    """In what a column is given, and so how its cells are formatted."""

    TEXT = "text"
    WHOLE = "whole number"
    NUMBER = "number"
    PROBABILITY = "probability"
    PERCENT = "percent"
    MONEY = "money"


@dataclass(frozen=True, slots=True)
class Formula:
    """A cell that the spreadsheet computes from others, with the value that it has to give.

    Args:
        text: The formula, beginning with ``=``; made of cell names and numbers alone.
        value: Its exact value, for readers that compute nothing.
    """

    text: str
    value: Fraction


Cell = str | float | int | Formula


@dataclass(frozen=True, slots=True)
class Table:
    """One table of a PAR sheet.

    Args:
        name: Name of the table, at most 31 characters: the limit of a spreadsheet's tabs.
        header: Names of the columns.
        units: In what each column is given.
        rows: Cells; exact fractions are text, decimals are numbers.
        totals: Which rows, counted from 0, are totals.
    """

    name: str
    header: tuple[str, ...]
    units: tuple[Unit, ...]
    rows: tuple[tuple[Cell, ...], ...]
    totals: frozenset[int] = frozenset()


Sheet = tuple[str, WagerFigures, ParSheet]


def par_tables(
    game: Game,
    analyses: Sequence[Analysis],
    head: Head | None = None,
    highest: Exposure | None = None,
    strategy_of: Mapping[str, str] | None = None,
) -> tuple[Table, ...]:
    """Returns the PAR sheet of a game under one or several strategies.

    Args:
        game: The submission.
        analyses: Exact figures of the game, one for each strategy.
        head: Head of the report that the sheet belongs to; none where it belongs to no report.
        highest: The most that one round can cost, where it is known already.
        strategy_of: Strategy under which the claims of each wager are read that name none; else the first one.
    """
    sheets: list[Sheet] = [
        (analysis.strategy.name, figures, par_sheet_evidence(figures, analysis.strategy.name))
        for analysis in analyses
        for figures in analysis.wagers
    ]
    combinations, total_rows = _combinations(game, sheets)
    return (
        _facts("header", _header(game, analyses, head)),
        _pays(game),
        _rules(game),
        _returns(sheets, total_rows),
        _claims(game, analyses, strategy_of or {}),
        combinations,
        _volatility(sheets),
        *_long_play(sheets),
        _exposure(game, highest or exposure(game)),
        _facts("methods", _methods(sheets)),
    )


def par_title(game: Game) -> str:
    """Returns what the sheet of a game is called."""
    return f"PAR sheet of {game.title}, version {game.version}"


def _facts(name: str, rows: Iterator[tuple[str, str]]) -> Table:
    return Table(name, ("item", "value"), (Unit.TEXT, Unit.TEXT), tuple(rows))


def _header(game: Game, analyses: Sequence[Analysis], head: Head | None) -> Iterator[tuple[str, str]]:
    """Yields what the sheet is about, and which report it belongs to."""
    yield "game", game.title
    yield "game id", game.id
    yield "version of rules and paytables", game.version
    yield "supplier", game.supplier or "not stated"
    yield "submitted file, SHA-256", game.sha256
    yield "family of rules", game.family
    yield "report number", head.number if head else "none: not part of a report"
    if head:
        yield "report issued (UTC)", head.issued
        yield "author", head.issuer.name
        yield "authorised by", head.authorised_by or "not stated"
    demonstration = {
        None: "not signed: not part of a report",
        True: "yes: nobody vouches for the signature of the report",
        False: "no",
    }
    yield "demonstration key", demonstration[head.demonstration_key if head else None]
    for analysis in analyses:
        yield "strategy", f"{analysis.strategy.name}: {analysis.strategy.strategy_class}"
    for wager in game.wagers:
        low, high = (
            decimal_text(Fraction(limit, MINOR_UNITS), 2)
            for limit in (wager.limits.minimum, wager.limits.maximum)
        )
        yield (
            f"limits of {wager.title}",
            f"{low} to {high} {wager.limits.currency} ({_provenance(wager.limits.origin)})",
        )
    for piece in game.equipment:
        yield f"{piece.kind} {piece.id}", described(piece)


def _provenance(origin: Origin) -> str:
    """Returns where a value comes from, with what it rests on.

    >>> _provenance(Origin(Provenance.RECOVERED, "main/99 %", unique=False))
    'recovered, not unique: main/99 %'
    """
    unique = {True: ", unique", False: ", not unique"}[origin.unique]
    kind = f"{origin.provenance}{unique if origin.provenance is Provenance.RECOVERED else ''}"
    return f"{kind}: {origin.by}" if origin.by else kind


def _pays(game: Game) -> Table:
    """Returns every pay with where it comes from."""
    rows = [
        (
            wager.id,
            row.id,
            row.title,
            as_number(row.pays),
            fraction_text(row.pays),
            str(row.origin.provenance),
            {True: "yes", False: "no"}[row.origin.unique],
            row.origin.by,
        )
        for wager in game.wagers
        for row in wager.paytable.rows
    ]
    header = ("wager", "row", "title", "pays_to_1", "pays_exact", "provenance", "unique", "by")
    text = Unit.TEXT
    return Table("pays", header, (text, text, text, Unit.NUMBER, text, text, text, text), tuple(rows))


def _rules(game: Game) -> Table:
    """Returns the rules of play and the values of the cards, as submitted."""
    rows = [
        (f"value of {rank}", format_half_points(value), f"Value of {rank} in points", "printed")
        for rank, value in game.values
    ] + [(rule.id, rule.value, rule.title, _provenance(rule.origin)) for rule in game.rule_values]
    return Table("rules", ("rule", "value", "title", "provenance"), (Unit.TEXT,) * 4, tuple(rows))


_CLAIMS = ("strategy", "wager", "claim", "printed", "exact", "status", "source")


def _claims(game: Game, analyses: Sequence[Analysis], strategy_of: Mapping[str, str]) -> Table:
    """Returns every printed figure beside the exact one, each under the strategy that it is read under."""
    by_name = {analysis.strategy.name: analysis for analysis in analyses}
    rows = []
    for claim in game.claims:
        analysis = by_name.get(claim.strategy or strategy_of.get(claim.wager, analyses[0].strategy.name))
        if analysis is None:
            continue
        wager = game.wager(claim.wager)
        exact = claimed_figure(claim, analysis.wager(claim.wager), wager.limits)
        rows.append(
            (
                analysis.strategy.name,
                claim.wager,
                claim_words(claim),
                claim.text,
                figure_words(claim, exact),
                claim_status(claim, wager, exact).value,
                claim.source,
            )
        )
    return Table("claims", _CLAIMS, (Unit.TEXT,) * len(_CLAIMS), tuple(rows))


_COMBINATIONS = (
    ("strategy", Unit.TEXT),
    ("wager", Unit.TEXT),
    ("outcome", Unit.TEXT),
    ("title", Unit.TEXT),
    ("net_to_1", Unit.NUMBER),
    ("combinations", Unit.WHOLE),
    ("cycle", Unit.WHOLE),
    ("probability", Unit.PROBABILITY),
    ("one_in", Unit.NUMBER),
    ("contribution", Unit.PROBABILITY),
    ("combinations_exact", Unit.TEXT),
    ("probability_exact", Unit.TEXT),
    ("contribution_exact", Unit.TEXT),
)


def _combinations(game: Game, sheets: Sequence[Sheet]) -> tuple[Table, tuple[int, ...]]:
    """Returns the outcomes with a total below those of each wager, and the spreadsheet's rows of the totals."""
    rows: list[tuple[Cell, ...]] = []
    totals: list[int] = []
    for name, figures, sheet in sheets:
        titles = {row.id: row.title for row in game.wager(figures.wager).paytable.rows}
        cycle, first = int(sheet.cycle), len(rows) + 2
        for row, outcome in zip(sheet.rows, figures.outcomes, strict=True):
            at = len(rows) + 2
            rows.append(
                (
                    name,
                    figures.wager,
                    row.outcome,
                    titles.get(row.outcome, ""),
                    as_number(outcome.pays),
                    as_number(row.combinations),
                    as_number(Fraction(cycle)),
                    Formula(f"=F{at}/G{at}", row.probability),
                    "never" if row.one_in is None else as_number(row.one_in),
                    Formula(f"=(1+E{at})*F{at}/G{at}", row.contribution),
                    fraction_text(row.combinations),
                    fraction_text(row.probability),
                    fraction_text(row.contribution),
                )
            )
        last = len(rows) + 1
        totals.append(last + 1)
        rows.append(
            (
                name,
                figures.wager,
                "total",
                "",
                "",
                Formula(f"=SUM(F{first}:F{last})", Fraction(cycle)),
                as_number(Fraction(cycle)),
                Formula(f"=SUM(H{first}:H{last})", Fraction(1)),
                "",
                Formula(f"=SUM(J{first}:J{last})", figures.return_to_player),
                str(cycle),
                "1",
                fraction_text(figures.return_to_player),
            )
        )
    header, units = zip(*_COMBINATIONS, strict=True)
    table = Table("combinations", header, units, tuple(rows), frozenset(row - 2 for row in totals))
    return table, tuple(totals)


def as_number(value: Fraction) -> int | float:
    """Returns a number as a spreadsheet holds it: whole where its numbers can be.

    >>> as_number(Fraction(3)), as_number(Fraction(1, 2)), as_number(Fraction(2**60))
    (3, 0.5, 1.152921504606847e+18)
    """
    return int(value) if value.denominator == 1 and abs(value) < 2**53 else float(value)


def _returns(sheets: Sequence[Sheet], total_rows: Sequence[int]) -> Table:
    """Returns the figures of each wager; return and edge are computed from the combinations."""
    columns = (
        ("strategy", Unit.TEXT),
        ("wager", Unit.TEXT),
        ("return", Unit.PERCENT),
        ("house_edge", Unit.PERCENT),
        ("return_on_total_wagered", Unit.PERCENT),
        ("hit_frequency", Unit.PERCENT),
        ("win_frequency", Unit.PERCENT),
        ("return_exact", Unit.TEXT),
        ("house_edge_exact", Unit.TEXT),
        ("return_on_total_wagered_exact", Unit.TEXT),
        ("hit_frequency_exact", Unit.TEXT),
        ("win_frequency_exact", Unit.TEXT),
    )
    rows = []
    for at, ((name, figures, _), total) in enumerate(zip(sheets, total_rows, strict=True), start=2):
        on_all = figures.return_on_total_wagered
        rows.append(
            (
                name,
                figures.wager,
                Formula(f"=combinations!J{total}", figures.return_to_player),
                Formula(f"=1-C{at}", figures.house_edge),
                "" if on_all is None else float(on_all),
                float(figures.hit_frequency),
                float(figures.win_frequency),
                fraction_text(figures.return_to_player),
                fraction_text(figures.house_edge),
                "" if on_all is None else fraction_text(on_all),
                fraction_text(figures.hit_frequency),
                fraction_text(figures.win_frequency),
            )
        )
    header, units = zip(*columns, strict=True)
    return Table("returns", header, units, tuple(rows))


def _volatility(sheets: Sequence[Sheet]) -> Table:
    """Returns how far results spread, in units of the stake, and the rarest high award."""
    header = (
        "strategy",
        "wager",
        "standard_deviation",
        *(f"volatility_index_{label.replace(' %', '')}" for label, _ in VOLATILITY_Z),
        "top_award",
        "top_award_one_in",
        "variance_exact",
    )
    rows = tuple(
        (
            name,
            figures.wager,
            figures.standard_deviation,
            *(figures.volatility_index(z) for _, z in VOLATILITY_Z),
            top.outcome,
            as_number(top.one_in),
            fraction_text(figures.variance),
        )
        for name, figures, _ in sheets
        for top in (top_award_evidence(figures),)
    )
    numbers = (Unit.NUMBER,) * (1 + len(VOLATILITY_Z))
    units = (Unit.TEXT, Unit.TEXT, *numbers, Unit.TEXT, Unit.NUMBER, Unit.TEXT)
    return Table("volatility", header, units, rows)


def _long_play(sheets: Sequence[Sheet]) -> Iterator[Table]:
    """Yields what play over many rounds brings: bands, losing runs, ruin."""
    text, whole, percent = Unit.TEXT, Unit.WHOLE, Unit.PERCENT
    yield Table(
        "bands",
        ("strategy", "wager", "rounds", "confidence", "lowest_return", "highest_return"),
        (text, text, whole, text, percent, percent),
        tuple(
            (name, figures.wager, band.rounds, band.confidence, band.low, band.high)
            for name, figures, sheet in sheets
            for band in sheet.bands
        ),
    )
    yield Table(
        "losing runs",
        ("strategy", "wager", "rounds", "longest_in_rounds", "longer_with_probability_at_most"),
        (text, text, whole, whole, Unit.PROBABILITY),
        tuple(
            (name, figures.wager, run.rounds, run.longest, float(run.but_with_probability))
            for name, figures, sheet in sheets
            for run in sheet.losing_runs
        ),
    )
    yield Table(
        "ruin",
        ("strategy", "wager", "holder", "bankroll_in_stakes", "rounds", "probability"),
        (text, text, text, whole, whole, Unit.PROBABILITY),
        tuple(
            (name, figures.wager, holder, entry.bankroll, entry.rounds, entry.probability)
            for name, figures, sheet in sheets
            for holder, ruins in ((PLAYER, sheet.ruin), (HOUSE, sheet.house_ruin))
            for entry in ruins
        ),
    )
    yield Table(
        "ruin in the long run",
        ("strategy", "wager", "holder", "bankroll_in_stakes", "at_least", "at_most"),
        (text, text, text, whole, Unit.PROBABILITY, Unit.PROBABILITY),
        tuple(
            (name, figures.wager, holder, entry.bankroll, entry.at_least, entry.at_most)
            for name, figures, sheet in sheets
            for holder, ruins in ((PLAYER, sheet.long_run.player), (HOUSE, sheet.long_run.house))
            for entry in ruins
        ),
    )


def _exposure(game: Game, highest: Exposure) -> Table:
    """Returns the highest net win of one round over all wagers, in one currency, with the round that shows it."""
    money = [
        *((f"stake on {wager}", stake) for wager, stake in highest.stakes),
        *((f"net win of {wager}", won) for wager, won in highest.wins),
        ("highest net win of one round", highest.amount),
    ]
    rows: list[tuple[Cell, ...]] = [
        (item, amount / MINOR_UNITS, highest.currency, "") for item, amount in money
    ]
    rows.append(("draws of that round, in order", "", "", ", ".join(row_names(game.equipment, highest.deck))))
    rows.append(("decisions of that round", "", "", ", ".join(highest.decisions) or "none"))
    header = ("item", "amount", "currency", "shown_by")
    return Table("exposure", header, (Unit.TEXT, Unit.MONEY, Unit.TEXT, Unit.TEXT), tuple(rows))


def _methods(sheets: Sequence[Sheet]) -> Iterator[tuple[str, str]]:
    """Yields how the approximate and bounded figures are found, and who is ruined in the long run, each once."""
    for _, _, sheet in sheets[:1]:
        yield "bands", sheet.methods.bands
        yield "losing runs", sheet.methods.losing_runs
        yield "ruin", sheet.methods.ruin
        yield "ruin in the long run", sheet.long_run.method
    told: dict[str, list[str]] = {}
    for name, figures, sheet in sheets:
        told.setdefault(sheet.long_run.sentence, []).append(f"{figures.wager} under {name}")
    for sentence, cases in told.items():
        yield "; ".join(cases), sentence
