"""The charts of the report, each drawn from the evidence and described in words and numbers."""

from certify.report.figures.bets import layout_of_bets
from certify.report.figures.exact import advantage, combinations, frontier, recovery
from certify.report.figures.pieces import layout_of_table
from certify.report.figures.played import convergence, heat, ordered_p_values, quantiles, residuals

__all__ = [
    "advantage",
    "combinations",
    "convergence",
    "frontier",
    "heat",
    "layout_of_bets",
    "layout_of_table",
    "ordered_p_values",
    "quantiles",
    "recovery",
    "residuals",
]
