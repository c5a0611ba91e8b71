"""Exact figures of three card poker: its named strategies, and the game with another dealer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from certify.families.one_decision.exact import OneDecisionExact
from certify.families.one_decision.three_cards import (
    PLAY_FROM,
    PRINTED_RULE,
    decisions,
    names_of,
    strategy_of,
)
from certify.families.port import StrategyPlan, Variant
from certify.families.three_card_poker import rules as ids
from certify.families.three_card_poker.rules import rules_of, words_of
from certify.families.three_card_poker.text import text_of
from certify.model.game import Game
from certify.model.strategy import MAIN_OPTIMAL

_OTHER_DEALERS: Final = (9, 11)
"""Highest cards of dealers who qualify more or less often than with a queen, for comparison."""


def plan(game: Game) -> StrategyPlan:
    """Returns the named strategies: best play, and the printed rules of a lowest hand."""
    return StrategyPlan(
        names=names_of(ids.OPTIONS),
        analysed=(MAIN_OPTIMAL, PRINTED_RULE),
        played=(MAIN_OPTIMAL, PRINTED_RULE),
        simpler=lambda _: (PRINTED_RULE, f"{PLAY_FROM}Q", "always:play"),
    )


def variants(game: Game) -> Iterator[Variant]:
    """Yields the game with a dealer who qualifies more often, or less."""
    for lowest in _OTHER_DEALERS:
        rules = replace(rules_of(game), lowest=lowest)
        if rules != rules_of(game):
            words = f"the dealer qualifies with {words_of(rules)['dealer-qualifies']}"
            yield Variant("dealer-qualifies", words, replace(game, rules=rules))


EXACT: Final = OneDecisionExact(
    text_of,
    lambda game, name: strategy_of(text_of(game), name),
    lambda game, strategy: decisions(text_of(game).terms, strategy),
    "three different cards",
)
