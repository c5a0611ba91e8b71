"""Exact mathematics of a game: every order of the deck counted, nothing sampled, nothing rounded."""

from certify.analysis.explanation import explanation_json, explanation_text
from certify.analysis.figures_json import analysis_json
from certify.analysis.identification import Identification, identification_json
from certify.analysis.par_sheet import par_sheet_json
from certify.families.open_card.exact.document import open_card_json
from certify.families.sette_e_mezzo.exact.analyze import analyze, analyze_table, named_strategy
from certify.families.sette_e_mezzo.exact.explain import explain
from certify.families.sette_e_mezzo.exact.exposure import exposure
from certify.families.sette_e_mezzo.exact.frontier import frontier, frontier_json
from certify.families.sette_e_mezzo.exact.identify import identify
from certify.families.sette_e_mezzo.exact.identify_together import identify_together, together_json
from certify.families.sette_e_mezzo.exact.joint import JointFigures, joint_figures, joint_json
from certify.families.sette_e_mezzo.exact.sensitivity import (
    pay_sensitivities,
    rule_sensitivities,
    sensitivity_json,
)
from certify.families.sette_e_mezzo.exact.strategy_classes import ClassReturn, strategy_classes
from certify.families.sette_e_mezzo.exact.three_returns import ThreeReturns, three_returns, three_returns_json
from certify.families.sette_e_mezzo.exact.witness import Witness, row_witnesses, witnesses

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
