"""Exact figures of any game, by its family's own counting or by the engine, and what is read from them."""

from certify.analysis.explanation import explanation_json, explanation_text
from certify.mathematics.of_game import (
    analysed_strategies,
    analyze,
    analyze_table,
    explain,
    exposure,
    has_decisions,
    head_of,
    identify,
    plan_of,
)
from certify.mathematics.sensitivity import (
    joint_figures,
    pay_sensitivities,
    rule_sensitivities,
    strategy_classes,
)
from certify.model import MAIN_OPTIMAL

__all__ = [
    "MAIN_OPTIMAL",
    "analysed_strategies",
    "analyze",
    "analyze_table",
    "explain",
    "explanation_json",
    "explanation_text",
    "exposure",
    "has_decisions",
    "head_of",
    "identify",
    "joint_figures",
    "pay_sensitivities",
    "plan_of",
    "rule_sensitivities",
    "strategy_classes",
]
