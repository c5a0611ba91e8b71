"""Operations on one seat, whose events are kept."""

from datetime import UTC, datetime

import pytest

from certify.clock import SteppedClock
from certify.errors import OperationError
from certify.rounds.machine import Machine
from certify.rounds.play import edition_of
from certify.rounds.state import Seat

START = datetime(2026, 1, 1, 12, tzinfo=UTC)


def machine_of(played, policy=None, clock=None):
    edition = edition_of(played, policy)
    return Machine({edition.sha256: edition}, edition.sha256, clock or SteppedClock(START))


class Table:
    """Runs operations on one seat and keeps their events."""

    def __init__(self, machine, balance=100_000):
        self.machine, self.clock = machine, machine.clock
        self.events = []
        self.seat = Seat("s")
        self.do("deposit", balance)

    def operate(self, operation, *args):
        if operation == "deal":
            deck, how = (*args, "deal")[:2]
            args = (self.machine.stakes_to_accept(self.seat, how), deck, how)
        return getattr(self.machine, operation)(self.seat, *args)

    def do(self, operation, *args):
        self.seat, event = self.operate(operation, *args)
        self.events.append(event)
        return event

    def refuses(self, operation, *args, match):
        with pytest.raises(OperationError, match=match):
            self.operate(operation, *args)

    @property
    def money(self):
        return self.seat.balance, self.seat.held
