"""Can all printed returns hold at once for one and the same player?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from certify.analysis.joint import figures_together
from certify.evidence.par import JointFigures
from certify.families.sette_e_mezzo.exact.analyze import analyze, play_named
from certify.families.sette_e_mezzo.exact.frontier import most_side_return
from certify.families.sette_e_mezzo.exact.joint_optimal import WAGERS
from certify.families.sette_e_mezzo.exact.settlement import MAIN
from certify.families.seven_and_a_half.strategy_names import ALWAYS_SECOND_CARD
from certify.model.claims import RETURN
from certify.model.figures import Joint
from certify.model.game import Claim, Game, unit_stakes
from certify.model.strategy import JOINTLY_OPTIMAL, MAIN_OPTIMAL


@dataclass(frozen=True, slots=True)
class StrategyReturns:
    """The returns of all wagers under one strategy, and which printed figures hold under it."""

    figures: JointFigures
    holds: tuple[tuple[str, bool], ...]

    @property
    def all_hold(self) -> bool:
        """Whether every printed figure holds under this strategy."""
        return all(holds for _, holds in self.holds)


@dataclass(frozen=True, slots=True)
class ThreeReturns:
    """Whether the printed returns can hold for one player, with the numbers that decide it.

    Args:
        claims: The printed returns.
        strategies: Returns under each strategy looked at, one unit on each wager.
        most: For each side bet: its highest return under any play at all that gives main its printed return.
        possible: Whether one player can have all printed returns; none where that was not decided.
    """

    claims: tuple[Claim, ...]
    strategies: tuple[StrategyReturns, ...]
    most: tuple[tuple[str, Fraction | None], ...]
    possible: bool | None


def three_returns(game: Game) -> ThreeReturns:
    """Returns whether the printed returns of a game can hold for one player at once."""
    claims = tuple(claim for claim in game.claims if claim.metric == RETURN)
    stakes = unit_stakes(game)
    names = (MAIN_OPTIMAL, ALWAYS_SECOND_CARD, JOINTLY_OPTIMAL)
    strategies = tuple(_strategy_returns(_together(game, name, stakes), claims) for name in names)
    most = _most(game, claims)
    possible = _possible(claims, strategies, dict(most))
    return ThreeReturns(claims, strategies, most, possible)


def _together(game: Game, strategy: str, stakes: Mapping[str, Fraction]) -> JointFigures:
    played = play_named(game, strategy, stakes)
    joint = Joint(strategy, played.strategy.strategy_class, WAGERS, played.distribution.probabilities)
    return figures_together(joint, analyze(game, strategy, stakes), stakes)


def _strategy_returns(figures: JointFigures, claims: tuple[Claim, ...]) -> StrategyReturns:
    return StrategyReturns(
        figures,
        tuple((claim.wager, claim.printed.stands_for(figures.returns[claim.wager])) for claim in claims),
    )


def _most(game: Game, claims: tuple[Claim, ...]) -> tuple[tuple[str, Fraction | None], ...]:
    floors = [claim.printed.interval[0] for claim in claims if claim.wager == MAIN]
    if not floors:
        return ()
    sides = [wager for wager in WAGERS if wager != MAIN and game.claims_on(wager)]
    return tuple((side, most_side_return(game, side, max(floors))) for side in sides)


def _possible(
    claims: tuple[Claim, ...], strategies: tuple[StrategyReturns, ...], most: dict[str, Fraction | None]
) -> bool | None:
    if any(strategy.all_hold for strategy in strategies):
        return True
    for claim in claims:
        highest = most.get(claim.wager, claim.printed.interval[0])
        if highest is None or highest < claim.printed.interval[0]:
            return False
    return None
