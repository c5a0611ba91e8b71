"""The most that one round can cost whoever banks, over all draws and all play, at the limits of the table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from certify.analysis.engine.reach import ends, path_to
from certify.analysis.engine.walk import RoundGraph
from certify.errors import InputError
from certify.families.walk import Reached
from certify.model.equipment import Equipment, Row
from certify.model.figures import Exposure
from certify.model.game import Game, Wager

E = TypeVar("E")

Nets = Mapping[str, Fraction]
"""Net result of every wager, in units of its stake."""


def exposure(game: Game, graph: RoundGraph) -> Exposure:
    """Returns the highest total net win of one round, with a row of draws and the decisions that produce it.

    Every end that any play of any draws reaches is compared.

    Args:
        game: The submission.
        graph: The merged states of its round.

    Raises:
        InputError: The wagers have limits in different currencies, or the round settles other wagers.
    """
    reached = ends(graph)
    nets = {place: {result.wager: result.net for result in graph.results[place]} for place in sorted(reached)}

    def shown(place: int) -> tuple[Row, tuple[str, ...]]:
        played = path_to(graph, reached[place])
        return _drawn(played, graph.reference.equipment), played.decisions

    return costliest(game, nets, shown)


def costliest(
    game: Game, nets: Mapping[E, Nets], shown: Callable[[E], tuple[Row, tuple[str, ...]]]
) -> Exposure:
    """Returns the most that one of several ends of a round costs; of equal ones the first.

    What wins is staked at its maximum; the first wager is staked at its minimum where it loses, the others are then
    not placed.

    Args:
        game: The submission.
        nets: Every end with what each wager nets by it.
        shown: Returns a row of draws and the decisions that come to an end.

    Raises:
        InputError: The wagers have limits in different currencies, or an end settles other wagers.
    """
    currencies = {wager.limits.currency for wager in game.wagers}
    if len(currencies) != 1:
        raise InputError(f"{game.path}: limits in {', '.join(sorted(currencies))}: no exposure in one sum")
    bets = {end: _bets(game, net) for end, net in nets.items()}
    end = max(bets, key=lambda one: sum(bet.win for bet in bets[one]))
    deck, decisions = shown(end)
    return Exposure(
        amount=sum(bet.win for bet in bets[end]),
        currency=currencies.pop(),
        wins=tuple((bet.wager, bet.win) for bet in bets[end]),
        deck=deck,
        decisions=decisions,
        stakes=tuple((bet.wager, bet.stake) for bet in bets[end]),
    )


def _drawn(played: Reached, equipment: Sequence[Equipment]) -> Row:
    """Returns what the round looked at where one piece is drawn from, else the whole row."""
    row = played.row(equipment)
    return row[: len(played.drawn)] if len(equipment) == 1 else row


@dataclass(frozen=True, slots=True)
class _Bet:
    wager: str
    stake: int
    win: int


def _bets(game: Game, net: Nets) -> list[_Bet]:
    bets = []
    for wager in game.wagers:
        if wager.id not in net:
            raise InputError(
                f"{game.path}: the round settles no wager {wager.id!r}: expected {', '.join(net)}"
            )
        stake = wager.limits.maximum if net[wager.id] > 0 else _least(game, wager)
        won = net[wager.id] * stake
        # Broken minor units count in the player's favour: an upper bound is asked.
        bets.append(_Bet(wager.id, stake, -(-won.numerator // won.denominator)))
    return bets


def _least(game: Game, wager: Wager) -> int:
    return wager.limits.minimum if wager is game.wagers[0] else 0
