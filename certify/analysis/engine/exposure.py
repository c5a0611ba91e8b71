"""The most that one round can cost whoever banks, over all draws and all play, at the limits of the table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import TypeVar

from certify.analysis.engine.reach import ends, path_to
from certify.analysis.engine.walk import RoundGraph
from certify.errors import InputError
from certify.model.equipment import Equipment, Row
from certify.model.game import Game, Wager
from certify.model.points import Reached
from certify.model.round import Exposure
from certify.model.stages import Price

E = TypeVar("E")

Prices = Mapping[str, Price]
"""What every wager of a round comes to, in units of its initial stake."""


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
    prices = {
        place: {result.wager: Price(result.net, result.staked) for result in graph.results[place]}
        for place in sorted(reached)
    }

    def shown(place: int) -> tuple[Row, tuple[str, ...]]:
        played = path_to(graph, reached[place])
        return _drawn(played, graph.reference.equipment), played.decisions

    return costliest(game, prices, shown)


def costliest(
    game: Game, prices: Mapping[E, Prices], shown: Callable[[E], tuple[Row, tuple[str, ...]]]
) -> Exposure:
    """Returns the most that one of several ends of a round costs; of equal ones the first.

    What wins is staked at its maximum; the first wager is staked at its minimum where it loses, the others are then
    not placed. What a player adds to a wager on the way counts in its stake.

    Args:
        game: The submission.
        prices: Every end with what each wager comes to by it.
        shown: Returns a row of draws and the decisions that come to an end.

    Raises:
        InputError: The wagers have limits in different currencies, or an end settles other wagers.
    """
    currencies = {wager.limits.currency for wager in game.wagers}
    if len(currencies) != 1:
        raise InputError(f"{game.path}: limits in {', '.join(sorted(currencies))}: no exposure in one sum")
    bets = {end: _bets(game, found) for end, found in prices.items()}
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


def _bets(game: Game, prices: Prices) -> list[_Bet]:
    bets = []
    for wager in game.wagers:
        if wager.id not in prices:
            raise InputError(
                f"{game.path}: the round settles no wager {wager.id!r}: expected {', '.join(prices)}"
            )
        price = prices[wager.id]
        stake = wager.limits.maximum if price.net > 0 else _least(game, wager)
        # Broken minor units count in the player's favour: an upper bound is asked.
        bets.append(_Bet(wager.id, ceil(stake * price.staked), ceil(stake * price.net)))
    return bets


def _least(game: Game, wager: Wager) -> int:
    return wager.limits.minimum if wager is game.wagers[0] else 0
