"""The PAR sheet as tables: what a spreadsheet or a CSV file of it holds, cell by cell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from certify.analysis.long_run import HOUSE, PLAYER
from certify.analysis.of_game import exposure
from certify.analysis.par_sheet import par_sheet_evidence, top_award_evidence
from certify.evidence.par import ParSheet
from certify.exact import format_half_points, fraction_text
from certify.model.equipment import described, row_names
from certify.model.figures import VOLATILITY_Z, Analysis, WagerFigures
from certify.model.game import Game

Cell = str | float | int


@dataclass(frozen=True, slots=True)
class Table:
    """One table of a PAR sheet.

    Args:
        name: Name of the table, at most 31 characters: the limit of a spreadsheet's tabs.
        header: Names of the columns.
        rows: Cells; exact fractions are text, decimals are numbers.
    """

    name: str
    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


def par_tables(game: Game, analyses: Sequence[Analysis]) -> tuple[Table, ...]:
    """Returns the PAR sheet of a game under one or several strategies.

    Args:
        game: The submission.
        analyses: Exact figures of the game, one for each strategy.
    """
    sheets = [
        (analysis.strategy.name, figures, par_sheet_evidence(figures, analysis.strategy.name))
        for analysis in analyses
        for figures in analysis.wagers
    ]
    return (
        Table("game", ("item", "value", "title"), tuple(_game_rows(game))),
        Table("summary", _SUMMARY, tuple(_summary(name, figures) for name, figures, _ in sheets)),
        Table(
            "combinations",
            (
                "strategy",
                "wager",
                "outcome",
                "pays",
                "combinations",
                "cycle",
                "probability",
                "probability_decimal",
                "one_in",
                "contribution",
                "contribution_percent",
            ),
            tuple(
                (
                    name,
                    figures.wager,
                    row.outcome,
                    row.pays,
                    fraction_text(row.combinations),
                    sheet.cycle,
                    fraction_text(row.probability),
                    float(outcome.probability),
                    "never" if row.one_in is None else fraction_text(row.one_in),
                    fraction_text(row.contribution),
                    float(row.contribution_percent),
                )
                for name, figures, sheet in sheets
                for row, outcome in zip(sheet.rows, figures.outcomes, strict=True)
            ),
        ),
        Table(
            "bands",
            ("strategy", "wager", "rounds", "confidence", "lowest_return", "highest_return"),
            tuple(
                (name, figures.wager, band.rounds, band.confidence, band.low, band.high)
                for name, figures, sheet in sheets
                for band in sheet.bands
            ),
        ),
        Table(
            "losing runs",
            ("strategy", "wager", "rounds", "longest", "longer_with_probability_at_most"),
            tuple(
                (name, figures.wager, run.rounds, run.longest, fraction_text(run.but_with_probability))
                for name, figures, sheet in sheets
                for run in sheet.losing_runs
            ),
        ),
        Table(
            "ruin",
            ("strategy", "wager", "bankroll", "rounds", "probability", "holder"),
            tuple(
                (name, figures.wager, entry.bankroll, entry.rounds, entry.probability, holder)
                for name, figures, sheet in sheets
                for holder, ruins in ((PLAYER, sheet.ruin), (HOUSE, sheet.house_ruin))
                for entry in ruins
            ),
        ),
        Table(
            "ruin in the long run",
            ("strategy", "wager", "holder", "bankroll", "at_least", "at_most"),
            tuple(
                (name, figures.wager, holder, entry.bankroll, entry.at_least, entry.at_most)
                for name, figures, sheet in sheets
                for holder, ruins in ((PLAYER, sheet.long_run.player), (HOUSE, sheet.long_run.house))
                for entry in ruins
            ),
        ),
        Table("exposure", ("item", "value"), tuple(_exposure(game))),
        Table("methods", ("figure", "method"), tuple(_methods(sheets))),
    )


def _exposure(game: Game) -> Iterator[tuple[Cell, ...]]:
    """Yields the highest net win of one round over all wagers, with the deal that shows it."""
    highest = exposure(game)
    yield "highest net win in minor units", highest.amount
    yield "currency", highest.currency
    for wager, stake in highest.stakes:
        yield f"stake/{wager}", stake
    for wager, won in highest.wins:
        yield f"win/{wager}", won
    yield "witness draws, in order", ", ".join(row_names(game.equipment, highest.deck))
    yield "decisions", ", ".join(highest.decisions) or "none"


def _methods(sheets: Sequence[tuple[str, WagerFigures, ParSheet]]) -> Iterator[tuple[Cell, ...]]:
    """Yields how the approximate and bounded figures are found, and who is ruined in the long run."""
    for _, _, sheet in sheets[:1]:
        yield "bands", sheet.methods.bands
        yield "losing_runs", sheet.methods.losing_runs
        yield "ruin", sheet.methods.ruin
        yield "ruin in the long run", sheet.long_run.method
    for name, figures, sheet in sheets:
        yield f"{figures.wager}, {name}", sheet.long_run.sentence


def _game_rows(game: Game) -> Iterator[tuple[Cell, ...]]:
    yield "game", game.id, game.title
    yield "version", game.version, "Version of rules and paytables"
    yield "sha256", game.sha256, "Digest of the submitted file"
    yield "family", game.family, "The code that plays it"
    for piece in game.equipment:
        yield f"{piece.kind}/{piece.id}", piece.size, described(piece)
    for rank, value in game.values:
        yield f"value/{rank}", format_half_points(value), f"Value of {rank} in points"
    for rule in game.rule_values:
        yield f"rule/{rule.id}", rule.value, rule.title
    for wager in game.wagers:
        for row in wager.paytable.rows:
            yield f"pays/{wager.id}/{row.id}", fraction_text(row.pays), row.title


_SUMMARY = (
    "strategy",
    "wager",
    "return",
    "return_percent",
    "house_edge",
    "house_edge_percent",
    "return_on_total_wagered",
    "hit_frequency",
    "win_frequency",
    "variance",
    "standard_deviation",
    *(f"volatility_index_{label.replace(' %', '')}" for label, _ in VOLATILITY_Z),
    "top_award",
    "top_award_one_in",
)


def _summary(strategy: str, figures: WagerFigures) -> tuple[Cell, ...]:
    top = top_award_evidence(figures)
    on_all = figures.return_on_total_wagered
    return (
        strategy,
        figures.wager,
        fraction_text(figures.return_to_player),
        float(100 * figures.return_to_player),
        fraction_text(figures.house_edge),
        float(100 * figures.house_edge),
        "" if on_all is None else fraction_text(on_all),
        fraction_text(figures.hit_frequency),
        fraction_text(figures.win_frequency),
        fraction_text(figures.variance),
        figures.standard_deviation,
        *(figures.volatility_index(z) for _, z in VOLATILITY_Z),
        top.outcome,
        fraction_text(top.one_in),
    )
