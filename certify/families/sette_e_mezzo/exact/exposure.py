"""The most that one round can cost the house, over all wagers together at the table's limits."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from certify.errors import InputError
from certify.families.sette_e_mezzo.exact.analyze import outcome_pays
from certify.families.sette_e_mezzo.exact.joint_optimal import WAGERS
from certify.families.sette_e_mezzo.exact.settlement import MAIN
from certify.families.sette_e_mezzo.exact.witness import JointWitness, witnesses
from certify.model.figures import Exposure
from certify.model.game import Game, Wager


def exposure(game: Game, *, all_wagers: bool = False) -> Exposure:
    """Returns the highest total net win of one round with a deal that produces it.

    Every joint outcome that any play of any deal can reach is compared. Pays grow with the stakes, so the
    highest win stakes the maximum on what wins; a side bet that loses is not placed, and a main wager that
    loses is at its minimum.

    Args:
        game: The submission.
        all_wagers: Whether all three wagers are at their maximum, whatever comes of them.

    Raises:
        InputError: The wagers have limits in different currencies.
    """
    currencies = {wager.limits.currency for wager in game.wagers}
    if len(currencies) != 1:
        raise InputError(f"{game.path}: limits in {', '.join(sorted(currencies))}: no exposure in one sum")
    found = witnesses(game)
    best = max(found.values(), key=lambda witness: (_total(game, witness, all_wagers), -witness.dealt))
    bets = _bets(game, best, all_wagers)
    return Exposure(
        amount=sum(bet.win for bet in bets),
        currency=currencies.pop(),
        wins=tuple((bet.wager, bet.win) for bet in bets),
        deck=best.deck[: best.dealt],
        decisions=best.decisions,
        stakes=tuple((bet.wager, bet.stake) for bet in bets),
    )


@dataclass(frozen=True, slots=True)
class _Bet:
    wager: str
    stake: int
    win: int


def _total(game: Game, witness: JointWitness, all_wagers: bool) -> int:
    return sum(bet.win for bet in _bets(game, witness, all_wagers))


def _bets(game: Game, witness: JointWitness, all_wagers: bool) -> list[_Bet]:
    bets = []
    for wager in game.wagers:
        pays = outcome_pays(wager.paytable, witness.outcomes[WAGERS.index(wager.id)])
        stake = wager.limits.maximum if all_wagers or pays > 0 else _least(wager)
        bets.append(_Bet(wager.id, stake, _minor_units(pays * stake)))
    return bets


def _least(wager: Wager) -> int:
    return wager.limits.minimum if wager.id == MAIN else 0


def _minor_units(amount: Fraction) -> int:
    """Returns an amount in whole minor units, broken ones in the player's favour: an upper bound is asked."""
    return -((-amount.numerator) // amount.denominator)
