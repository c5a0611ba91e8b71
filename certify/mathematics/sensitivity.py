"""What an auditor asks first: how much each return moves when a pay or a rule is otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, runtime_checkable

from certify.evidence.analysis import Sensitivity
from certify.families.registry import family_of
from certify.mathematics.of_game import analyze, exact_of, return_of
from certify.model.figures import Analysis
from certify.model.game import Game, Wager
from certify.model.strategy import MAIN_OPTIMAL
from certify.model.strategy_plan import Variant, raised_pays


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
    named = family_of(game).variants
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
