"""Exact figures of any game, by its family's own counting or by the engine, and what is read from them."""

from certify.analysis.explanation import explanation_json, explanation_text
from certify.mathematics.of_game import (
    ReturnsAlone,
    SeekPays,
    analysed_strategies,
    analyze,
    analyze_table,
    certified_variants,
    configurations,
    engine_of,
    exact_of,
    explain,
    exposure,
    figure_of,
    further,
    has_decisions,
    head_of,
    identify,
    identify_together,
    named_decision,
    offered,
    plan_of,
    played_apart,
    return_of,
    seen_in_words,
    staked_of,
    strategy_named,
    values_of,
)
from certify.mathematics.sensitivity import (
    joint_figures,
    pay_sensitivities,
    rule_sensitivities,
    strategy_classes,
)
from certify.model import MAIN_OPTIMAL
