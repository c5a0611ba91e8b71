"""Exact mathematics of a game: every order of the deck counted, nothing sampled, nothing rounded."""

from certify.analysis.analyze import analyze, analyze_table, named_strategy
from certify.analysis.figures_json import analysis_json

__all__ = ["analysis_json", "analyze", "analyze_table", "named_strategy"]
