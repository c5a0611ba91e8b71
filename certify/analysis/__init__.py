"""Exact mathematics of a game: every order of the deck counted, nothing sampled, nothing rounded."""

from certify.analysis.analyze import analyze, analyze_table, named_strategy
from certify.analysis.figures_json import analysis_json
from certify.analysis.identification import Identification, identification_json
from certify.analysis.identify import PayBounds, identify

__all__ = [
    "Identification",
    "PayBounds",
    "analysis_json",
    "analyze",
    "analyze_table",
    "identification_json",
    "identify",
    "named_strategy",
]
