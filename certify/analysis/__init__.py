"""Exact mathematics of any game: every way that chance can take counted, nothing sampled, nothing rounded."""

from certify.analysis.explanation import explanation_json, explanation_text
from certify.analysis.figures_json import analysis_json
from certify.analysis.identification import Identification, identification_json
from certify.analysis.joint import JointFigures, joint_figures, joint_json
from certify.analysis.of_game import (
    MAIN_OPTIMAL,
    analysed_strategies,
    analyze,
    analyze_table,
    explain,
    exposure,
    has_decisions,
    identify,
    plan_of,
    unit_stakes,
)
from certify.analysis.par_sheet import par_sheet_json
from certify.analysis.sensitivity import pay_sensitivities, rule_sensitivities, sensitivity_json
from certify.analysis.strategy_classes import ClassReturn, strategy_classes

__all__ = [
    "MAIN_OPTIMAL",
    "ClassReturn",
    "Identification",
    "JointFigures",
    "analysed_strategies",
    "analysis_json",
    "analyze",
    "analyze_table",
    "explain",
    "explanation_json",
    "explanation_text",
    "exposure",
    "has_decisions",
    "identification_json",
    "identify",
    "joint_figures",
    "joint_json",
    "par_sheet_json",
    "pay_sensitivities",
    "plan_of",
    "rule_sensitivities",
    "sensitivity_json",
    "strategy_classes",
    "unit_stakes",
]
