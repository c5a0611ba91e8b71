"""Exact mathematics of a game: every order of the deck counted, nothing sampled, nothing rounded."""

from certify.analysis.analyze import analyze, analyze_table, named_strategy
from certify.analysis.explain import explain, explanation_json, explanation_text
from certify.analysis.exposure import exposure
from certify.analysis.figures_json import analysis_json
from certify.analysis.frontier import frontier, frontier_json
from certify.analysis.identification import Identification, identification_json
from certify.analysis.identify import identify
from certify.analysis.identify_together import identify_together, together_json
from certify.analysis.joint import JointFigures, joint_figures, joint_json
from certify.analysis.open_card.document import open_card_json
from certify.analysis.par_sheet import par_sheet_json
from certify.analysis.sensitivity import pay_sensitivities, rule_sensitivities, sensitivity_json
from certify.analysis.strategy_classes import ClassReturn, strategy_classes
from certify.analysis.three_returns import ThreeReturns, three_returns, three_returns_json
from certify.analysis.witness import Witness, row_witnesses, witnesses

__all__ = [
    "ClassReturn",
    "Identification",
    "JointFigures",
    "ThreeReturns",
    "Witness",
    "analysis_json",
    "analyze",
    "analyze_table",
    "explain",
    "explanation_json",
    "explanation_text",
    "exposure",
    "frontier",
    "frontier_json",
    "identification_json",
    "identify",
    "identify_together",
    "joint_figures",
    "joint_json",
    "named_strategy",
    "open_card_json",
    "par_sheet_json",
    "pay_sensitivities",
    "row_witnesses",
    "rule_sensitivities",
    "sensitivity_json",
    "strategy_classes",
    "three_returns",
    "three_returns_json",
    "together_json",
    "witnesses",
]
