"""Bringing an open round to its end by what commits to least, as for a player who is gone."""

from __future__ import annotations

from certify.rounds.ledger import Ledger, LedgerRequest
from certify.rounds.state import Phase
from certify.rounds.table import Command, SeatAction, command_for


def finish(ledger: Ledger, seat: str) -> None:
    """Decides what is open at a seat, giving up nothing where that is offered, and settles.

    Raises:
        LedgerError: It could not be recorded.
    """
    play = ledger.machine.edition.play
    while (current := ledger.seat(seat).round) is not None and current.phase is Phase.DECISION:
        option = min(current.options, key=play.gives_up)
        if not ledger.perform(LedgerRequest(seat, command_for(option))).done:
            return
    ledger.perform(LedgerRequest(seat, Command(SeatAction.SETTLE)))
