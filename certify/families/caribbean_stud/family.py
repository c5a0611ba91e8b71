"""The family of Caribbean stud."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Final

from certify.analysis.hands.strength import RANKS, not_whole, smaller
from certify.errors import InputError
from certify.families.caribbean_stud import rules as ids
from certify.families.caribbean_stud.rules import (
    BY_SUITS,
    EVERYTHING,
    FAMILY_ID,
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
    rules_of,
)
from certify.families.caribbean_stud.second import settle
from certify.families.caribbean_stud.text import charted, decisions, parse_rules, read_rules, text_of
from certify.families.declared_rules import Stated
from certify.families.one_decision.exact import OneDecisionExact, best_played, cell_of, seen
from certify.families.one_decision.play import OneDecisionVolume
from certify.families.one_decision.text import DecisionTerms
from certify.families.port import (
    Family,
    FamilyAlternatives,
    FamilyChecks,
    FamilyForm,
    FamilyStrategies,
    StrategyPlan,
    Variant,
)
from certify.model import FILE, MAIN_OPTIMAL, Game, Strategy

_POSSIBLE: Final[Mapping[str, tuple[str, ...]]] = {
    ids.ANTE: (*ids.RAISE_ROWS, ids.UNQUALIFIED, ids.TIE),
    ids.PROGRESSIVE: ids.PROGRESSIVE_ROWS,
    ids.FIVE_PLUS_ONE: ids.FIVE_PLUS_ONE_ROWS,
}
_OPTIONAL: Final[Mapping[str, tuple[str, ...]]] = {
    # A royal flush without a row is paid as the straight flush that it is.
    ids.ANTE: (ids.ROYAL,),
    ids.PROGRESSIVE: (ids.ROYAL, ids.STRAIGHT, ids.THREE),
    ids.FIVE_PLUS_ONE: (ids.ROYAL,),
}


def _rows(game: Game, wager: str) -> tuple[str, ...]:
    """Returns the rows that a paytable must name, and the optional ones that it does name."""
    named = {row for one in game.wagers if one.id == wager for row in one.paytable.ids}
    # Where every hand qualifies, no round ends with a dealer who does not.
    never = {ids.UNQUALIFIED} if ids.rules_of(game).lowest == ids.ANY else set[str]()
    possible = (row for row in _POSSIBLE[wager] if row not in never)
    return tuple(row for row in possible if row in named or row not in _OPTIONAL[wager])


SUBMITTED: Final = Stated(
    family=ids.FAMILY_ID,
    rule_ids=ids.RULE_IDS,
    wager_ids=ids.WAGER_IDS,
    rules=ids.read_rules,
    rows=_rows,
    complaint=lambda game: not_whole(game.equipment),
    required=(ids.ANTE,),
    row=ids.row_of,
    optional_rules=(ids.METER,),
)
"""Rules, wagers, rows and deck of Caribbean stud."""


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


def metered(game: Game) -> Mapping[str, bool]:
    """Returns the progressive bet where it is offered, and whether it pays what it pays at the lowest meter."""
    return {one.id: rules_of(game).lowest_meter for one in game.wagers if one.id == ids.PROGRESSIVE}


_SMALLER: Final = (("A 2 3 4 5 K", 2), ("A K Q", 4))
"""Ranks and suits of decks on which every path is walked."""

FAMILY: Final = Family(
    id=FAMILY_ID,
    version="1.0.0",
    title="Caribbean stud: ante and raise against a dealer who must qualify, a progressive bet, a bonus on six cards",
    rules=SUBMITTED,
    reference=text_of,
    exact=EXACT,
    volume=OneDecisionVolume(text_of),
    second=settle,
    strategies=FamilyStrategies(
        cards=lambda game, text, source: parse_rules(text, source), plan=plan, charted=charted
    ),
    alternatives=FamilyAlternatives(variants=variants),
    checks=FamilyChecks(smaller=partial(smaller, sizes=_SMALLER)),
    form=FamilyForm(metered=metered),
)
