"""The most that one round can cost the house, over all wagers together at the table's limits."""

from __future__ import annotations

from fractions import Fraction

from certify.analysis.engine.exposure import costliest
from certify.families.sette_e_mezzo.exact.analyze import outcome_pays
from certify.families.sette_e_mezzo.exact.joint_optimal import WAGERS
from certify.families.sette_e_mezzo.exact.witness import witnesses
from certify.model.game import Game
from certify.model.round import Exposure
from certify.model.stages import Price


def exposure(game: Game) -> Exposure:
    """Returns the highest total net win of one round with the shortest deal that produces it.

    Every joint outcome that any play of any deal can reach is compared.

    Raises:
        InputError: The wagers have limits in different currencies.
    """
    found = witnesses(game)
    prices = {
        outcomes: {
            wager: Price(outcome_pays(game.wager(wager).paytable, outcome), Fraction(1))
            for wager, outcome in zip(WAGERS, outcomes, strict=True)
        }
        for outcomes in sorted(found, key=lambda one: found[one].dealt)
    }
    return costliest(game, prices, lambda one: (found[one].deck[: found[one].dealt], found[one].decisions))
