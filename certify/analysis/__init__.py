"""Exact mathematics of a game: every order of the deck counted, nothing sampled, nothing rounded."""

from certify.analysis.analyze import analyze, analyze_table, named_strategy
from certify.analysis.exposure import exposure
from certify.analysis.figures_json import analysis_json
from certify.analysis.frontier import frontier, frontier_json
from certify.analysis.identification import Identification, identification_json
from certify.analysis.identify import identify
from certify.analysis.joint import JointFigures, joint_figures, joint_json
from certify.analysis.three_returns import ThreeReturns, three_returns, three_returns_json
from certify.analysis.witness import Witness, row_witnesses, witnesses

__all__ = [
    "Identification",
    "JointFigures",
    "ThreeReturns",
    "Witness",
    "analysis_json",
    "analyze",
    "analyze_table",
    "exposure",
    "frontier",
    "frontier_json",
    "identification_json",
    "identify",
    "joint_figures",
    "joint_json",
    "named_strategy",
    "row_witnesses",
    "three_returns",
    "three_returns_json",
    "witnesses",
]
