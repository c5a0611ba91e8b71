"""Exact figures of every wager of a game under a named strategy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from pathlib import Path

from certify.analysis.distribution import JointDistribution, joint_distribution
from certify.analysis.game_tree import GameTree, game_tree
from certify.analysis.joint_optimal import WAGERS, JointSolution, checked_stakes, solve_joint
from certify.analysis.open_card.figures import analyze_open_card, analyze_open_table
from certify.analysis.open_card.strategy_file import parse_open_strategy
from certify.analysis.open_card.tree import tree_of_open_card
from certify.analysis.optimal import Solution, solve
from certify.analysis.settlement import PUSH
from certify.analysis.strategies import (
    ALWAYS_SECOND_CARD,
    FILE,
    JOINTLY_OPTIMAL,
    MAIN_OPTIMAL,
    MIMIC_DEALER,
    OWN_CARD,
    THRESHOLDS,
    TIME_OUT,
    always_second_card,
    draws_of,
    jointly_optimal,
    main_optimal,
    mimic_dealer,
    parse_strategy_name,
    stand_on,
    time_out,
)
from certify.analysis.strategy_chart import joint_decisions, main_decisions
from certify.analysis.strategy_file import parse_strategy
from certify.errors import InputError
from certify.model.figures import Analysis, Outcome, StrategyTable, WagerFigures
from certify.model.game import Game
from certify.model.paytable import Paytable
from certify.model.rules import OpenCardRules
from certify.submission.outside import MAXIMUM_BYTES, read_regular


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game under one strategy: the tree, the strategy and the joint distribution of all wagers.

    Args:
        tree: What decides how a round goes.
        solution: Play that is best for the main wager.
        strategy: The strategy that is played.
        distribution: Joint distribution of the three wagers under it.
        joint: Play that is best for all stakes, where that is what is played.
    """

    tree: GameTree
    solution: Solution
    strategy: StrategyTable
    distribution: JointDistribution
    joint: JointSolution | None = None


def analyze(
    game: Game, strategy: str = MAIN_OPTIMAL, stakes: Mapping[str, Fraction] | None = None
) -> Analysis:
    """Returns the exact figures of all wagers of a game under a strategy.

    Args:
        game: The submission.
        strategy: ``main-optimal``, ``jointly-optimal``, ``always-second-card``, ``mimic-dealer``,
            ``time-out``, ``stand-on:TOTAL`` or ``file:PATH``; with an open dealer's card also
            ``stand-on-by-open-card`` and ``best-by-own-card``.
        stakes: Units on each wager; only ``jointly-optimal`` depends on them, and takes one unit on each
            wager where they are left out.

    Raises:
        InputError: No such strategy, or stakes that do not fit the game.
    """
    if isinstance(game.rules, OpenCardRules):
        if stakes is not None:
            raise InputError(f"{game.id} has one wager: stakes change nothing there")
        path = parse_strategy_name(strategy).path
        if path:
            # A file may change between two calls, so that its table is the key of what is kept, not its name.
            tree = tree_of_open_card(game)
            return analyze_open_table(game, parse_open_strategy(_text_of(Path(path)), path, tree))
        return analyze_open_card(game, strategy)
    name = parse_strategy_name(strategy)
    if name.kind == JOINTLY_OPTIMAL:
        placed = checked_stakes(game, stakes if stakes is not None else unit_stakes(game))
        return _analysis(game, _play_jointly(game, tuple(sorted(placed.items()))))
    if stakes is not None:
        checked_stakes(game, stakes)
    return analyze_table(game, named_strategy(game, strategy))


def analyze_table(game: Game, table: StrategyTable) -> Analysis:
    """Returns the exact figures of all wagers of a game under a strategy given as a table."""
    if isinstance(game.rules, OpenCardRules):
        return analyze_open_table(game, table)
    return _analysis(game, play(game, table))


def unit_stakes(game: Game) -> dict[str, Fraction]:
    """Returns one unit on every wager of a game."""
    return {wager.id: Fraction(1) for wager in game.wagers}


def named_strategy(game: Game, name: str) -> StrategyTable:
    """Returns the table of a strategy that does not depend on stakes.

    Raises:
        InputError: No such strategy, or one that needs stakes.
    """
    parsed = parse_strategy_name(name)
    tree = tree_of(game)
    if parsed.kind == MAIN_OPTIMAL:
        return main_optimal(tree, solution_of(game))
    if parsed.kind == ALWAYS_SECOND_CARD:
        return always_second_card(tree, solution_of(game))
    if parsed.kind == MIMIC_DEALER:
        return mimic_dealer(tree)
    if parsed.kind == JOINTLY_OPTIMAL:
        raise InputError("jointly-optimal depends on the stakes: expected a strategy that does not")
    if parsed.kind == TIME_OUT:
        return time_out(tree)
    if parsed.kind in (THRESHOLDS, OWN_CARD):
        raise InputError(f"{parsed.kind} needs an open dealer's card, which {game.id} does not show")
    if parsed.kind == FILE:
        return _strategy_from(Path(parsed.path), tree)
    return stand_on(tree, parsed.total, name)


def _strategy_from(path: Path, tree: GameTree) -> StrategyTable:
    return parse_strategy(_text_of(path), str(path), tree)


def _text_of(path: Path) -> str:
    try:
        data = read_regular(path)
        if len(data) > MAXIMUM_BYTES:
            raise InputError(f"larger than {MAXIMUM_BYTES} bytes")
        return data.decode("utf-8")
    except (InputError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: the strategy cannot be read: {error}") from error


@lru_cache(maxsize=8)
def tree_of(game: Game) -> GameTree:
    """Returns what decides how a round of a game goes."""
    _require_wagers(game)
    return game_tree(game)


@lru_cache(maxsize=8)
def solution_of(game: Game) -> Solution:
    """Returns the play that is best for a game's main wager."""
    tree = tree_of(game)
    return solve(tree.hands, tree.dealer, tree.terms)


@lru_cache(maxsize=32)
def play(game: Game, table: StrategyTable) -> PlayedGame:
    """Returns a game under a strategy, with the joint distribution of all its wagers."""
    tree = tree_of(game)
    return PlayedGame(tree, solution_of(game), table, joint_distribution(tree, draws_of(table)))


@lru_cache(maxsize=32)
def _play_jointly(game: Game, stakes: tuple[tuple[str, Fraction], ...]) -> PlayedGame:
    tree = tree_of(game)
    joint = solve_joint(tree, game, dict(stakes))
    table = jointly_optimal(tree, joint)
    return PlayedGame(tree, solution_of(game), table, joint_distribution(tree, draws_of(table)), joint)


def play_named(game: Game, strategy: str, stakes: Mapping[str, Fraction] | None = None) -> PlayedGame:
    """Returns a game under a named strategy; see :func:`analyze` for the arguments."""
    if parse_strategy_name(strategy).kind == JOINTLY_OPTIMAL:
        placed = checked_stakes(game, stakes if stakes is not None else unit_stakes(game))
        return _play_jointly(game, tuple(sorted(placed.items())))
    return play(game, named_strategy(game, strategy))


def _require_wagers(game: Game) -> None:
    ids = tuple(wager.id for wager in game.wagers)
    if set(ids) != set(WAGERS):
        raise InputError(
            f"{game.path}: wagers {', '.join(ids)}: enumeration of this family needs {', '.join(WAGERS)}"
        )


def _analysis(game: Game, played: PlayedGame) -> Analysis:
    figures = tuple(
        WagerFigures(
            wager.id,
            wager_outcomes(wager.paytable, played.distribution.marginal(WAGERS.index(wager.id))),
        )
        for wager in game.wagers
    )
    if played.joint is not None:
        decisions = joint_decisions(played.tree, played.joint, played.strategy)
    else:
        decisions = main_decisions(played.tree, played.solution, played.strategy)
    return Analysis(game.id, played.strategy, figures, decisions)


def outcome_pays(paytable: Paytable, outcome: str) -> Fraction:
    """Returns the net result of an outcome: its row's pay, 0 for a push, else the lost stake."""
    if outcome in paytable.ids:
        return paytable.pays(outcome)
    return Fraction(0 if outcome == PUSH else -1)


def wager_outcomes(paytable: Paytable, probabilities: Mapping[str, Fraction]) -> tuple[Outcome, ...]:
    """Returns the outcomes of a wager: its rows in printed order, then the others that can occur."""
    others: Iterable[str] = sorted(set(probabilities) - set(paytable.ids))
    return tuple(
        Outcome(outcome, outcome_pays(paytable, outcome), probabilities.get(outcome, Fraction(0)))
        for outcome in (*paytable.ids, *others)
    )
