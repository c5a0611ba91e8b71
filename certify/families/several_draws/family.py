"""The family of games of several draws and decisions that are described in the submission alone."""

from collections.abc import Hashable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from types import ModuleType
from typing import Final

from certify.analysis.engine.identify import OneLostPay
from certify.analysis.engine.strategies import ALWAYS, NOTHING_TO_DECIDE
from certify.analysis.hands.strength import smaller
from certify.errors import InputError
from certify.families.described.board import BoardShowdown
from certify.families.described.rules import Turn
from certify.families.described.second import settle
from certify.families.described.showdown import Showdown
from certify.families.one_decision import three_cards
from certify.families.one_decision.exact import OneDecisionExact
from certify.families.one_decision.play import OneDecisionVolume
from certify.families.port import (
    Family,
    FamilyChecks,
    FamilyForm,
    FamilySources,
    FamilyStrategies,
    Listed,
    StrategyPlan,
)
from certify.families.several_draws.rules import FAMILY_ID, rules_of
from certify.families.several_draws.submitted import SeveralDrawsSubmission, showdown, text
from certify.families.shared_board import strategies as board_strategies
from certify.families.shared_board.exact import BoardExact, BoardVolume
from certify.model import MAIN_OPTIMAL, ChoiceTable, Decision, Game, Strategy


def _listed(sees: Hashable) -> Listed:
    return Listed(str(sees))


# --- games in which whole hands meet --------------------------------------------------------------------------


_SMALLER: Final = (("2 Q A", 4), ("A 2 3 4 5", 2))
_SMALLER_BOARD: Final = (("2 Q A", 3), ("A 2 3 4 5", 2))
"""Ranks and suits of decks on which every path is walked."""


def _meeting(game: Game) -> Showdown:
    found = showdown(game)
    if found is None:
        raise InputError(f"no whole hands meet in {game.id}: it is walked card by card")
    return found


def _strategies(found: Showdown) -> ModuleType:
    """Returns what knows the strategies of a game: where a board is shared they are of another form."""
    return board_strategies if isinstance(found, BoardShowdown) else three_cards


def _plan(game: Game) -> StrategyPlan:
    """Returns the named strategies: best play, and every hand played."""
    found = _meeting(game)
    options = found.options
    if not options:
        return StrategyPlan((MAIN_OPTIMAL,), (MAIN_OPTIMAL,), (MAIN_OPTIMAL,))
    played = MAIN_OPTIMAL, f"{ALWAYS}{found.play}"
    return StrategyPlan(_strategies(found).names_of(options), played, played, lambda _: (played[1],))


def _strategy(game: Game, name: str) -> Strategy:
    found = _meeting(game)
    if found.options:
        named: Strategy = _strategies(found).strategy_of(found, name)
        return named
    if name != MAIN_OPTIMAL:
        raise InputError(f"no strategy {name!r}: expected {MAIN_OPTIMAL}, nothing is decided in this game")
    return ChoiceTable(name, NOTHING_TO_DECIDE, frozenset())


def _decisions(game: Game, strategy: Strategy) -> tuple[Decision, ...]:
    found = _meeting(game)
    lines: tuple[Decision, ...] = _strategies(found).decisions(found.terms, strategy) if found.options else ()
    return lines


def _smaller(game: Game) -> Iterator[Game]:
    """Yields the game dealt from fewer cards, where its faces have names there still."""
    for one in smaller(game, _SMALLER_BOARD if isinstance(showdown(game), BoardShowdown) else _SMALLER):
        with suppress(InputError):
            _meeting(one)
            yield one


_WHOLE: Final = OneDecisionExact(_meeting, _strategy, _decisions, "three different cards")
_BOARD: Final = BoardExact(_meeting, _strategy, _decisions, "different cards, the own two first,")


def _alone(found: Family, game: Game, wager: str) -> Game | None:
    """Returns the first turn of a game with one wager, where that turn settles it whatever is decided afterwards."""
    rules = rules_of(game)
    first = rules.turns[0]
    settlings = tuple(one for one in rules.settlings if one.wager == wager)
    bonuses = tuple(one for one in rules.bonuses if one.wager == wager)
    decided = any((one.wager or rules.wagers[0]) == wager for one in rules.offers)
    if decided or any(one.at != [first.id] for one in (*settlings, *bonuses)):
        return None
    turns, wagers = (Turn(first.id, first.deals, then="end"),), (game.wager(wager),)
    told = replace(
        rules, turns=turns, leads=(), offers=(), settlings=settlings, bonuses=bonuses, wagers=(wager,)
    )
    alone = replace(game, port=found, wagers=wagers, rules=told)
    with suppress(InputError):
        return alone if showdown(alone) is None else None
    return None


def _played_by(found: Family, game: Game) -> Family:
    """Returns the family as it plays a game: by its text, or by counting whole hands where such meet."""
    meeting = showdown(game)
    return _walked(found) if meeting is None else _meeting_hands(found, isinstance(meeting, BoardShowdown))


@cache
def _walked(found: Family) -> Family:
    return replace(found, sources=FamilySources(alone=partial(_alone, found)))


@cache
def _meeting_hands(found: Family, shared: bool) -> Family:
    exact = _BOARD if shared else _WHOLE
    return replace(
        found,
        text=None,
        reference=_meeting,
        exact=exact,
        volume=BoardVolume(_meeting) if shared else OneDecisionVolume(_meeting),
        strategies=FamilyStrategies(plan=_plan),
        sources=FamilySources(OneLostPay(exact.best_return).identify, partial(_alone, found)),
        checks=FamilyChecks(smaller=_smaller),
        form=FamilyForm(walked=found.reference),
    )


FAMILY: Final = Family(
    id=FAMILY_ID,
    version="1.0.0",
    title="Games of several draws and decisions, described in the submission alone",
    rules=SeveralDrawsSubmission(),
    text=text,
    second=settle,
    strategies=FamilyStrategies(listed=_listed),
    form=FamilyForm(played_by=_played_by),
)
