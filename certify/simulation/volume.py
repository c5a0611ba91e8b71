"""Play-through of a game: its own, or derived from the walk of its text."""

from __future__ import annotations

from fractions import Fraction
from functools import cache, lru_cache

from certify.analysis.engine.table import round_table
from certify.errors import InputError
from certify.families.port import Counter, VolumePort
from certify.families.registry import family_of
from certify.families.stage_machine import StagedRound
from certify.model.game import Game
from certify.model.strategy import ByLot, Strategy
from certify.simulation.reference_play import ReferenceVolume
from certify.simulation.table_counter import INDEPENDENT, TableCounter


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
