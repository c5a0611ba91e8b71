"""Exact figures of every wager of a game under a named strategy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from pathlib import Path

from certify.analysis.strategy_file import strategy_text
from certify.errors import InputError
from certify.families.sette_e_mezzo.exact.distribution import JointDistribution, joint_distribution
from certify.families.sette_e_mezzo.exact.game_tree import GameTree, game_tree
from certify.families.sette_e_mezzo.exact.joint_optimal import WAGERS, JointSolution, solve_joint
from certify.families.sette_e_mezzo.exact.optimal import MainSolution, solve
from certify.families.sette_e_mezzo.exact.settlement import PUSH
from certify.families.sette_e_mezzo.exact.strategies import (
    always_second_card,
    draws_of,
    jointly_optimal,
    main_optimal,
    mimic_dealer,
    stand_on,
    time_out,
)
from certify.families.sette_e_mezzo.exact.strategy_chart import joint_decisions, main_decisions
from certify.families.sette_e_mezzo.strategy import HIT, STAND, HitTable, hit_table
from certify.families.seven_and_a_half.strategy_files import parse_card
from certify.families.seven_and_a_half.strategy_names import (
    ALWAYS_SECOND_CARD,
    MIMIC_DEALER,
    OWN_CARD,
    PRINTED_CARD,
    THRESHOLDS,
    TIME_OUT,
    parse_strategy_name,
)
from certify.model.figures import Analysis, Outcome, WagerFigures
from certify.model.game import Game, Paytable, checked_stakes, unit_stakes
from certify.model.strategy import FILE, JOINTLY_OPTIMAL, MAIN_OPTIMAL, Strategy


@dataclass(frozen=True, slots=True, eq=False)
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
    solution: MainSolution
    strategy: HitTable
    distribution: JointDistribution
    joint: JointSolution | None = None


def analyze(
    game: Game, strategy: str = MAIN_OPTIMAL, stakes: Mapping[str, Fraction] | None = None
) -> Analysis:
    """Returns the exact figures of all wagers of a game under a strategy.

    Args:
        game: The submission.
        strategy: ``main-optimal``, ``jointly-optimal``, ``always-second-card``, ``mimic-dealer``,
            ``time-out``, ``stand-on:TOTAL`` or ``file:PATH``.
        stakes: Units on each wager; only ``jointly-optimal`` depends on them, and takes one unit on each
            wager where they are left out.

    Raises:
        InputError: No such strategy, or stakes that do not fit the game.
    """
    return _analysis(game, play_named(game, strategy, stakes))


def analyze_table(game: Game, table: Strategy) -> Analysis:
    """Returns the exact figures of all wagers of a game under a strategy given as a table."""
    return _analysis(game, play(game, hit_table(table)))


def named_strategy(game: Game, name: str) -> HitTable:
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


def _strategy_from(path: Path, tree: GameTree) -> HitTable:
    return parse_strategy(strategy_text(path), str(path), tree)


def parse_strategy(text: str, source: str, tree: GameTree) -> HitTable:
    """Returns the strategy that a TOML text states, such as a printed card.

    Raises:
        InputError: It is not complete and unambiguous.
    """
    hands = tree.hands
    offered = {(0, hand): (STAND, HIT) for hand in hands.totals if hands.is_decision(hand)}
    name, chosen = parse_card(text, source, offered, hands.totals.__getitem__)
    return HitTable(name, PRINTED_CARD, frozenset(hand for (_, hand), said in chosen.items() if said == HIT))


@lru_cache(maxsize=8)
def tree_of(game: Game) -> GameTree:
    """Returns what decides how a round of a game goes."""
    _require_wagers(game)
    return game_tree(game)


@lru_cache(maxsize=8)
def solution_of(game: Game) -> MainSolution:
    """Returns the play that is best for a game's main wager."""
    tree = tree_of(game)
    return solve(tree.hands, tree.dealer, tree.terms)


@lru_cache(maxsize=32)
def play(game: Game, table: HitTable) -> PlayedGame:
    """Returns a game under a strategy, with the joint distribution of all its wagers."""
    tree = tree_of(game)
    return PlayedGame(tree, solution_of(game), table, joint_distribution(tree, draws_of(table)))


@lru_cache(maxsize=32)
def _play_jointly(game: Game, stakes: tuple[tuple[str, Fraction], ...]) -> PlayedGame:
    tree = tree_of(game)
    joint = solve_joint(tree, game, dict(stakes))
    table = jointly_optimal(joint)
    return PlayedGame(tree, solution_of(game), table, joint_distribution(tree, draws_of(table)), joint)


def play_named(game: Game, strategy: str, stakes: Mapping[str, Fraction] | None = None) -> PlayedGame:
    """Returns a game under a named strategy; see :func:`analyze` for the arguments."""
    jointly = parse_strategy_name(strategy).kind == JOINTLY_OPTIMAL
    placed = checked_stakes(game, unit_stakes(game) if stakes is None else stakes)
    return (
        _play_jointly(game, tuple(sorted(placed.items())))
        if jointly
        else play(game, named_strategy(game, strategy))
    )


def _require_wagers(game: Game) -> None:
    ids = tuple(wager.id for wager in game.wagers)
    if set(ids) != set(WAGERS):
        raise InputError(
            f"{game.path}: wagers {', '.join(ids)}: enumeration of this family needs {', '.join(WAGERS)}"
        )


@lru_cache(maxsize=32)
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
