"""What a family brings where several people sit at one table and one of them holds the bank."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Protocol

from certify.evidence.life import Lives, PersonRound
from certify.families.port import Choice, Hand
from certify.model.equipment import Equipment, Row
from certify.model.game import Game


class Gathering(Protocol):
    """Several people at one table, their money and the round that is open.

    It is frozen: every step returns the next one and raises ``OperationError`` where it is not allowed. The same steps
    from the same people lead to the same gathering, so that a ledger keeps the steps alone.
    """

    @property
    def balances(self) -> Mapping[str, int]:
        """Money of each person that is not held, in the order in which they sit, minor units."""
        ...

    @property
    def held(self) -> Mapping[str, int]:
        """What is held of each person for the round that is open, minor units."""
        ...

    @property
    def banker(self) -> str:
        """Who banks the round that is open, or the next one."""
        ...

    @property
    def history(self) -> Sequence[PersonRound]:
        """What each round was to each person, in the order in which rounds ended."""
        ...

    @property
    def equipment(self) -> tuple[Equipment, ...]:
        """What the draws of a round come from."""
        ...

    @property
    def void_at(self) -> datetime | None:
        """When the round that is open is void; none where none is open."""
        ...

    @property
    def origin(self) -> str:
        """Where the terms come from under which they play."""
        ...

    def order(self) -> tuple[str, ...]:
        """Returns the seats that play against the banker, in the order of play."""
        ...

    def hands(self) -> tuple[Hand, ...]:
        """Returns every hand of the open or latest round, by who holds it, covered faces hidden."""
        ...

    def waits_for(self) -> tuple[str, Choice] | None:
        """Returns who has to decide, and what; none where nothing is open."""
        ...

    def opened(self, stakes: Mapping[str, int], row: Sequence[int], now: datetime) -> Gathering:
        """Accepts the stakes, holds what everybody answers for, and deals."""
        ...

    def decided(self, person: str, option: str, now: datetime) -> Gathering:
        """Takes a decision; what it stakes besides is held with it."""
        ...

    def away(self, now: datetime) -> Gathering:
        """Takes the least committing option for whoever has not decided within the term."""
        ...

    def malfunction(self) -> Gathering:
        """Voids the round that is open: everybody has back what was held."""
        ...

    def expired(self, now: datetime) -> Gathering:
        """Voids the round that is open once its term is over."""
        ...


class CompanyPort(Protocol):
    """Rounds of several people: the table itself, and how it is tried at every point."""

    def gather(self, game: Game, money: Mapping[str, int], banker: str, void_after: timedelta) -> Gathering:
        """Returns a table before its first round.

        Args:
            game: The submission, whatever its number of seats.
            money: What each person brings, in the order in which they sit, minor units.
            banker: Who of them banks first.
            void_after: Term of an unresolved round.

        Raises:
            InputError: So many people do not play it, or the banker is none of them.
        """
        ...

    def exercise(self, game: Game, rows: Sequence[Row], start: datetime, void_after: timedelta) -> Lives:
        """Returns how each situation ended on some rows of a round of one seat, and rounds person by person."""
        ...

    def rows(self, rows: Sequence[Row], most: int) -> Sequence[Row]:
        """Returns rows of draws of a table, made of rows of a round of one seat."""
        ...
