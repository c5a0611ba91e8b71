"""What an auditor asks first: how much each return moves when a pay or a rule is otherwise."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Protocol, runtime_checkable

from certify.analysis.explanation import figures_together
from certify.evidence import JointFigures, Sensitivity, StrategyClass
from certify.mathematics.of_game import (
    NamesStrategies,
    ReturnsAlone,
    analyze,
    exact_of,
    head_of,
    plan_of,
    return_of,
)
from certify.model import (
    MAIN_OPTIMAL,
    Analysis,
    Game,
    Variant,
    Wager,
    checked_stakes,
    raised_pays,
    unit_stakes,
)


def strategy_classes(game: Game) -> tuple[StrategyClass, ...]:
    """Returns the first wager under the best play and under every simpler strategy of the game's plan."""
    found = [_class(game, name) for name in (head_of(game), *plan_of(game).simpler(game))]
    return tuple(replace(one, cost=found[0].main_return - one.main_return) for one in found)


def _class(game: Game, name: str) -> StrategyClass:
    """Returns the first wager under a strategy, without its distribution where the family counts the return alone."""
    exact, wager = exact_of(game), game.wagers[0].id
    if isinstance(exact, ReturnsAlone) and isinstance(exact, NamesStrategies):
        strategy = exact.named_strategy(game, name)
        returned = exact.return_alone(game, strategy, wager)
    else:
        analysis = analyze(game, name)
        strategy, returned = analysis.strategy, analysis.wagers[0].return_to_player
    return StrategyClass(strategy.name, strategy.strategy_class, returned, Fraction(0))


def joint_figures(
    game: Game, strategy: str = MAIN_OPTIMAL, stakes: Mapping[str, Fraction] | None = None
) -> JointFigures:
    """Returns the exact figures of all wagers together.

    Args:
        game: The submission.
        strategy: Name of the strategy.
        stakes: Units on each wager; one on each where left out.
    """
    placed = checked_stakes(game, stakes if stakes is not None else unit_stakes(game))
    joint = exact_of(game).joint(game, strategy, placed)
    analysis = analyze(game, strategy, placed if len(game.wagers) > 1 else None)
    return figures_together(joint, analysis, placed)


def pay_sensitivities(game: Game, strategy: str = MAIN_OPTIMAL) -> tuple[Sensitivity, ...]:
    """Returns the change of each wager's return when one of its pays rises by one unit to 1."""
    base, exact = analyze(game, strategy), exact_of(game)
    return tuple(
        _changed(base, wager, variant, strategy, pays=True)
        for wager in game.wagers
        for variant in (exact.raised_pays if isinstance(exact, RaisesPays) else raised_pays)(game, wager.id)
    )


def rule_sensitivities(game: Game, strategy: str = MAIN_OPTIMAL) -> tuple[Sensitivity, ...]:
    """Returns the change of every return when one rule of play is otherwise and the player adapts."""
    base = analyze(game, strategy)
    return tuple(
        _changed(base, wager, variant, strategy, pays=False)
        for variant in variants(game)
        for wager in game.wagers
    )


def variants(game: Game) -> Iterator[Variant]:
    """Yields the game with one rule otherwise, as far as its family names such rules."""
    named = game.port.alternatives.variants
    if named is not None:
        yield from named(game)


def _changed(base: Analysis, wager: Wager, variant: Variant, strategy: str, *, pays: bool) -> Sensitivity:
    """Returns what one changed pay or rule does to a wager."""
    after = return_of(variant.game, strategy, wager.id)
    kept = return_of(variant.game, base.strategy, wager.id) if pays else None
    return Sensitivity(
        wager.id, variant.subject, variant.words, base.wager(wager.id).return_to_player, after, kept
    )


@runtime_checkable
class RaisesPays(Protocol):
    """Exact figures of games whose rows of one wager are not all pays: they say what is raised."""

    def raised_pays(self, game: Game, wager: str) -> Iterator[Variant]:
        """Yields the game with each pay of a wager raised by one unit to 1."""
