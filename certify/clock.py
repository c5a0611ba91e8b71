"""The one home of time: everything else gets the time from here."""

import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Protocol


def steady_seconds() -> float:
    """Returns seconds on a clock that never goes back; only differences mean anything."""
    return time.monotonic()


class Clock(Protocol):
    """Tells the current time; injected wherever time matters."""

    def now(self) -> datetime:
        """Returns the current time, with its zone."""


@dataclass(frozen=True, slots=True)
class SystemClock:
    """The clock of the machine."""

    def now(self) -> datetime:
        """Returns the machine's time in UTC."""
        return datetime.now(UTC)


@dataclass(slots=True)
class SteppedClock:
    """A clock that moves only on command, for exercising terms and for reproducible reports."""

    instant: datetime

    def __post_init__(self) -> None:
        """Refuses a time without zone: 90 days are counted in UTC."""
        if self.instant.tzinfo is None:
            raise ValueError("the instant of a clock needs a time zone: expected an aware datetime")
        self.instant = self.instant.astimezone(UTC)

    def now(self) -> datetime:
        """Returns the instant the clock is at."""
        return self.instant

    def advance(self, step: timedelta) -> None:
        """Moves the clock by a step, backwards too where a test wants that."""
        self.instant += step
