"""The most that one round can cost whoever banks, over all draws and all play, at the limits of the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from certify.analysis.engine.reach import ends, path_to
from certify.analysis.engine.walk import RoundGraph
from certify.errors import InputError
from certify.families.port import WagerResult
from certify.families.walk import Reached
from certify.model.equipment import Equipment, Row
from certify.model.figures import Exposure
from certify.model.game import Game, Wager


def exposure(game: Game, graph: RoundGraph) -> Exposure:
    """Returns the highest total net win of one round, with a row of draws and the decisions that produce it.

    Every end that any play of any draws reaches is compared. What wins is staked at its maximum; the first wager
    is staked at its minimum where it loses, the others are then not placed.

    Args:
        game: The submission.
        graph: The merged states of its round.

    Raises:
        InputError: The wagers have limits in different currencies, or the round settles other wagers.
    """
    currencies = {wager.limits.currency for wager in game.wagers}
    if len(currencies) != 1:
        raise InputError(f"{game.path}: limits in {', '.join(sorted(currencies))}: no exposure in one sum")
    bets = {place: _bets(game, graph.results[place]) for place in ends(graph)}
    place = max(bets, key=lambda one: (sum(bet.win for bet in bets[one]), -one))
    played = path_to(graph, ends(graph)[place])
    return Exposure(
        amount=sum(bet.win for bet in bets[place]),
        currency=currencies.pop(),
        wins=tuple((bet.wager, bet.win) for bet in bets[place]),
        deck=_drawn(played, graph.reference.equipment),
        decisions=played.decisions,
        stakes=tuple((bet.wager, bet.stake) for bet in bets[place]),
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


def _bets(game: Game, results: tuple[WagerResult, ...]) -> list[_Bet]:
    net = {result.wager: result.net for result in results}
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
