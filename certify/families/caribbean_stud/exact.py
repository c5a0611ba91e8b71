"""Exact figures of Caribbean stud: best play and its named strategies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Final

from certify.analysis.hands.deck import RANKS
from certify.errors import InputError
from certify.families.caribbean_stud import rules as ids
from certify.families.caribbean_stud.decisions import decisions
from certify.families.caribbean_stud.raise_rules import read_rules
from certify.families.caribbean_stud.rules import rules_of
from certify.families.caribbean_stud.strategy import (
    BY_SUITS,
    EVERYTHING,
    FOLDED,
    MATCHING,
    NAMED,
    PAIR_NAME,
    RAISE_FROM,
    RAISED,
    THREE_RULES,
    StudChart,
    named,
    patterns,
)
from certify.families.caribbean_stud.text import text_of
from certify.families.one_decision.exact import OneDecisionExact, best_played, cell_of, seen
from certify.families.one_decision.text import DecisionTerms
from certify.families.port import StrategyPlan, Variant
from certify.model.game import Game
from certify.model.strategy import FILE, MAIN_OPTIMAL, Strategy

NAMES: Final = (MAIN_OPTIMAL, *NAMED, f"{FILE}PATH.toml")

SIMPLER: Final = (
    THREE_RULES,
    f"{RAISE_FROM}A-K-J-8-3",
    MATCHING,
    PAIR_NAME,
    f"{RAISE_FROM}A-K",
    EVERYTHING,
)
"""Printed rules, best first under the pays that are printed most."""


def plan(game: Game) -> StrategyPlan:
    """Returns the named strategies: best play, and the printed rules."""
    return StrategyPlan(
        names=NAMES,
        analysed=(MAIN_OPTIMAL, THREE_RULES),
        played=(MAIN_OPTIMAL, THREE_RULES),
        simpler=lambda _: SIMPLER,
    )


def strategy_of(game: Game, name: str) -> Strategy:
    """Returns a named strategy.

    Raises:
        InputError: No such strategy.
    """
    if name == MAIN_OPTIMAL:
        return best(game)
    if name.startswith(FILE):
        return read_rules(Path(name.removeprefix(FILE)))
    found = named(name)
    if found is None:
        raise InputError(f"no strategy {name!r}: expected {', '.join(NAMES)}")
    return found


def best(game: Game) -> StudChart:
    """Returns the best strategy for the ante: every hand is raised that loses less than one ante."""
    return _best(text_of(game).terms)


@lru_cache(maxsize=4)
def _best(terms: DecisionTerms) -> StudChart:
    import numpy as np  # numpy takes a moment that --help need not wait for.

    deck, raised, cell = terms.deck, best_played(terms), cell_of(terms)
    places = np.zeros(len(patterns(deck)) * len(RANKS) * 2, dtype=np.bool_)
    places[cell * np.int32(2) + raised] = True
    folds, raises = places.reshape(-1, 2).T
    cells = np.where(folds & raises, BY_SUITS, np.where(raises, RAISED, FOLDED)).astype(np.uint8)
    mixed = np.flatnonzero((cells[cell] == BY_SUITS) & (raised == 1))
    shown = frozenset(seen(terms, situation) for situation in mixed.tolist())
    return StudChart(MAIN_OPTIMAL, "hand and open card", deck, cells.tobytes(), shown)


def variants(game: Game) -> Iterator[Variant]:
    """Yields the game with a dealer who qualifies with another hand."""
    rules = rules_of(game)
    for lowest in (ids.ACE, ids.PAIR):
        if lowest != rules.lowest:
            words = f"the dealer qualifies with {lowest}" + (" or better" if lowest == ids.PAIR else "")
            yield Variant("dealer-qualifies", words, replace(game, rules=replace(rules, lowest=lowest)))


EXACT: Final = OneDecisionExact(text_of, strategy_of, decisions, "six different cards, the open one last,")
