"""Readings that the house adopts where neither the source nor the submission says how a round ends."""

from __future__ import annotations

from typing import Final

from certify.clauses.jurisdiction import Regime
from certify.messages import english, say, worded
from certify.model.game import Game, Reading
from certify.rounds.policy import AfterSettlement

AFTER_SETTLEMENT: Final = "after-settlement"


def adopted_readings(game: Game, regime: Regime) -> tuple[Reading, ...]:
    """Returns what becomes of a settled win when a malfunction is found later, unless the submission reads it itself.

    Args:
        game: The submission.
        regime: The jurisdictions, which may say so.
    """
    if any(reading.id == AFTER_SETTLEMENT for reading in game.readings):
        return ()
    policy = regime.policy(game.terms)
    if not policy.malfunction_voids_all:
        return ()
    adopted = policy.after_settlement
    others = tuple(
        english(say(f"reading.after-settlement.{one}")) for one in AfterSettlement if one is not adopted
    )
    return (
        Reading(
            id=AFTER_SETTLEMENT,
            alternatives=others,
            clauses=("gli-19@3.0/A.5.2(c)", "gli-19@3.0/A.6.4-part-1"),
            **worded(
                question=say("reading.after-settlement.question"),
                adopted=say(f"reading.after-settlement.{adopted}"),
                because=say("reading.after-settlement.because"),
            ),
        ),
    )
