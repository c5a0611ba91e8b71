"""Exact figures by a family's own distribution, with everything else by the engine: the port of a small family.

A family that can say how likely each joint outcome is brings these few lines of counting and gets the whole port:
figures are made from its distribution; best play, explanations and the highest award come from the walk of its
reference round. `EngineReturns` then holds the walk against the distribution as a further way of counting.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Protocol

from certify.analysis.engine.counted import counted_game
from certify.analysis.engine.exact import EngineExact
from certify.errors import InputError
from certify.families.port import ReferenceRound
from certify.model.figures import Analysis, Joint, Outcome, WagerFigures
from certify.model.game import Game
from certify.model.strategy import Strategy

Chances = Mapping[tuple[str, ...], Fraction]
"""Probability of each joint outcome, in the order of the game's wagers; they sum to exactly one."""


class Distribution(Protocol):
    """How a game ends, by a family's own counting."""

    def chances(self, game: Game, strategy: Strategy) -> Chances:
        """Returns the probability of every joint outcome of the wagers under a strategy."""
        ...

    def ends(self, game: Game, wager: str) -> tuple[Outcome, ...]:
        """Returns every outcome of a wager in the order printed, with net result and stake; its chance is ignored."""
        ...


def no_name(game: Game, name: str) -> Strategy | None:
    """Returns none: a family without strategies of its own has those of the engine."""
    return None


@dataclass(frozen=True, slots=True)
class OwnFigures(EngineExact):
    """Exact figures from a family's own distribution; strategies and explanations from the walk of its round.

    Args:
        reference: Makes the reference round of a game.
        row_of: The row of the paytable that an outcome falls in.
        distribution: The family's own counting.
        named: Makes the family's own strategies by their names; none of them is the engine's.
    """

    distribution: Distribution = field(kw_only=True)
    named: Callable[[Game, str], Strategy | None] = no_name

    def analyze(self, game: Game, strategy: str, stakes: Mapping[str, Fraction] | None = None) -> Analysis:
        """Returns the exact figures of all wagers under a named strategy.

        Raises:
            InputError: No such strategy, or stakes that do not fit the game.
        """
        own = self.named(game, strategy)
        if own is not None:
            return self.analyze_table(game, own)
        counted = self.counted(game)
        if counted.graph.choices:
            return self._counted_again(game, EngineExact.analyze(self, game, strategy, stakes))
        played = counted.strategy(strategy, stakes)
        return Analysis(game.id, played, self.figures(game, played), ())

    def analyze_table(self, game: Game, strategy: Strategy) -> Analysis:
        """Returns the exact figures of all wagers under a strategy."""
        return self._counted_again(game, EngineExact.analyze_table(self, game, strategy))

    def joint(self, game: Game, strategy: str, stakes: Mapping[str, Fraction] | None = None) -> Joint:
        """Returns the joint distribution of the outcomes of all wagers under a named strategy."""
        played = self.named(game, strategy) or self.counted(game).strategy(strategy, stakes)
        wagers = tuple(wager.id for wager in game.wagers)
        return Joint(played.name, played.strategy_class, wagers, self.distribution.chances(game, played))

    def figures(self, game: Game, strategy: Strategy) -> tuple[WagerFigures, ...]:
        """Returns the exact distribution of every wager, added up from the joint one.

        Raises:
            InputError: An outcome has a chance and no result.
        """
        chances = self.distribution.chances(game, strategy)
        return tuple(self._figures(game, place, wager.id, chances) for place, wager in enumerate(game.wagers))

    def _figures(self, game: Game, place: int, wager: str, chances: Chances) -> WagerFigures:
        own: dict[str, Fraction] = {}
        for ended, chance in chances.items():
            own[ended[place]] = own.get(ended[place], Fraction(0)) + chance
        ends = self.distribution.ends(game, wager)
        strange = sorted(set(own) - {end.id for end in ends})
        if strange:
            raise InputError(f"{wager}: the outcome {strange[0]!r} has a probability and no net result")
        outcomes = tuple(
            replace(end, probability=own.get(end.id, Fraction(0)), of_row=self.row_of(end.id)) for end in ends
        )
        if all(outcome.staked == 1 for outcome in outcomes):
            return WagerFigures(wager, outcomes)
        total = sum((outcome.staked * outcome.probability for outcome in outcomes), Fraction(0))
        return WagerFigures(wager, outcomes, total)

    def _counted_again(self, game: Game, walked: Analysis) -> Analysis:
        return replace(walked, wagers=self.figures(game, walked.strategy))


@dataclass(frozen=True, slots=True)
class EngineReturns:
    """Returns by walking the reference round: a further exact way beside a family's own distribution.

    Args:
        reference: Makes the reference round of a game.
        row_of: The row of the paytable that an outcome falls in.
    """

    reference: Callable[[Game], ReferenceRound[Any]]
    row_of: Callable[[str], str]

    def counted(self, game: Game, strategy: Strategy) -> Mapping[str, Fraction]:
        """Returns the exact return of each wager, by wager."""
        counted = counted_game(self.reference, self.row_of, game)
        return dict(self._returns(counted.figures(counted.visits(strategy))))

    @staticmethod
    def _returns(figures: tuple[WagerFigures, ...]) -> Iterator[tuple[str, Fraction]]:
        yield from ((one.wager, one.return_to_player) for one in figures)
