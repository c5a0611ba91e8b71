"""Play-through of a game: its own, or derived from the walk of its text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from certify.analysis.engine.table import round_table
from certify.errors import InputError
from certify.families.driver import play
from certify.families.port import Counter, ReferenceRound, Settled, VolumePort
from certify.families.registry import family_of
from certify.families.stage_machine import StagedRound
from certify.model.game import Game
from certify.model.joint_counts import Axes, JointCounts
from certify.model.points import walk
from certify.model.strategy import ByLot, Strategy
from certify.simulation.table_counter import INDEPENDENT, TableCounter

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class ReferenceCounter:
    """Plays rows through the reference round, one after the other.

    Args:
        reference: The rules of the game.
        strategy: The player's strategy.
        axes: Wagers with every outcome that some round has.
    """

    reference: ReferenceRound[Any]
    strategy: Strategy
    axes: Axes

    def count(self, rows: NDArray[Any]) -> JointCounts:
        """Returns how many rows end in each joint outcome."""
        return JointCounts.of_outcomes(self.axes, self.outcomes(rows))

    def outcomes(self, rows: NDArray[Any]) -> list[tuple[str, ...]]:
        """Returns the outcome of every wager for every row."""
        wagers = [wager for wager, _ in self.axes]
        played = (play(self.reference, row, self.strategy).outcomes for row in rows.tolist())
        return [tuple(ended[wager] for wager in wagers) for ended in played]


class ReferenceVolume:
    """Play-through by the reference round: it shares the rules and the settlement with it."""

    independent_code: tuple[str, ...] = ()

    def counter(self, game: Game, strategy: Strategy) -> Counter:
        """Returns what plays the rows of a game under a strategy."""
        return ReferenceCounter(family_of(game).reference(game), strategy, axes_of(game))

    def net(self, game: Game, wager: str, outcome: str) -> Fraction:
        """Returns the net result of an outcome, as the reference round settles it.

        Raises:
            InputError: No round ends so.
        """
        nets = ends_of(game)[wager]
        if outcome not in nets:
            raise InputError(f"no round of {wager} ends in {outcome!r}: expected one of {', '.join(nets)}")
        return nets[outcome]


@lru_cache(maxsize=16)
def ends_of(game: Game) -> Mapping[str, Mapping[str, Fraction]]:
    """Returns the net result of every outcome that some round has, by wager, found by walking the reference round.

    Raises:
        InputError: An outcome comes with two net results: each needs a name of its own.
    """
    found: dict[str, dict[str, Fraction]] = {wager.id: {} for wager in game.wagers}
    for reached in walk(family_of(game).reference(game)):
        for result in reached.node.results if isinstance(reached.node, Settled) else ():
            known = found[result.wager].setdefault(result.outcome, result.net)
            if known != result.net:
                raise InputError(
                    f"{result.wager}: the outcome {result.outcome!r} has the net results {known} and {result.net}, "
                    "expected one: outcomes that pay differently have names of their own"
                )
    return {wager: dict(sorted(ends.items())) for wager, ends in found.items()}


def axes_of(game: Game) -> Axes:
    """Returns the wagers of a game with every outcome that some round has."""
    return tuple((wager, tuple(ends)) for wager, ends in ends_of(game).items())


class DerivedVolume:
    """Play-through of the table that was derived from the text of a game.

    It tests dealing, weights and sampling. The rules and the settlement are those of the text; what checks them is the
    second text.
    """

    independent_code: tuple[str, ...] = INDEPENDENT

    def counter(self, game: Game, strategy: Strategy) -> Counter:
        """Returns what plays the rounds of a game under a strategy."""
        if isinstance(strategy, ByLot):
            # A table decides alike in equal states; what is decided by lot is played round by round.
            return ReferenceVolume().counter(game, strategy)
        return _counter(game, strategy)

    def net(self, game: Game, wager: str, outcome: str) -> Fraction:
        """Returns the net result of an outcome in units of the initial stake."""
        return _round_of(game).text.price(wager, outcome).net


@lru_cache(maxsize=8)
def _counter(game: Game, strategy: Strategy) -> TableCounter:
    played = _round_of(game)
    table = round_table(
        played.proven.automaton, strategy, cache(lambda: frozenset(played.graph().automaton_states))
    )
    return TableCounter.of(table, played.text.wagers)


def _round_of(game: Game) -> StagedRound:
    reference = family_of(game).reference(game)
    if not isinstance(reference, StagedRound):
        raise InputError(
            f"{game.family} is not written in stages: expected a text of which a table can be made"
        )
    return reference


def volume_of(game: Game) -> VolumePort:
    """Returns what plays the rounds of a game in volume."""
    family = family_of(game)
    if family.volume is not None:
        return family.volume
    return DerivedVolume() if family.text is not None else ReferenceVolume()


def has_own_volume(game: Game) -> bool:
    """Tells whether the rounds of a game are played in volume by compiled code beside its reference round."""
    family = family_of(game)
    return family.volume is not None or family.text is not None
