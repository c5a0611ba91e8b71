"""What a family brings for rounds of several people at one table, one of whom holds the bank."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction
from typing import Any, Protocol

from certify.families.port import Hand, ReferenceRound
from certify.model.equipment import Row
from certify.model.game import Game


class SeatedRound(ReferenceRound[Any], Protocol):
    """A round of several seats against a bank that one of the people holds, as its family plays it."""

    @property
    def seats(self) -> int:
        """How many play against the bank."""
        ...

    @property
    def granted(self) -> Collection[str]:
        """Options taken for everybody where nothing else is offered: what they cost is held from the deal on."""
        ...

    def acting(self, state: Any) -> int | None:
        """Returns the seat that decides, none where it is the bank."""
        ...

    def laid_open(self, state: Any) -> tuple[Hand, ...]:
        """Returns every hand as somebody who holds none sees it."""
        ...

    def place_of(self, holder: str) -> tuple[int | None, str]:
        """Returns the seat that holds a hand, none for the bank, and what is written behind its name."""
        ...

    def cover(self, stakes: tuple[int, ...]) -> tuple[tuple[int, ...], int]:
        """Returns what each seat and the bank put up before a card is dealt, minor units."""
        ...

    def added(self, option: str, stake: int) -> int:
        """Returns what an option adds to what a seat put up, minor units."""
        ...

    def results(self, state: Any) -> Sequence[tuple[str, Fraction, Fraction]]:
        """Returns for each seat of a finished round how it ended, its net result and what it staked, in units."""
        ...

    def next_bank(self, state: Any) -> int | None:
        """Returns the seat that banks the next round, none where the bank stays."""
        ...


class PlayerBankedPort(Protocol):
    """What a family brings where several people sit at one table and one of them holds the bank."""

    def seated(self, game: Game, seats: int) -> SeatedRound:
        """Returns the round of a game for a number of seats, whatever that of the submission.

        Raises:
            InputError: So many do not play it.
        """
        ...

    def rows(self, rows: Sequence[Row], most: int) -> Sequence[Row]:
        """Returns rows of draws of a table, made of rows of a round of one seat."""
        ...

    def put_up(self, seated: Any, stake: int, options: Sequence[str]) -> int:
        """Returns what a seat must have put up after its decisions, written apart from what the round holds."""
        ...

    def expected(
        self, seated: Any, state: Any, stakes: tuple[int, ...]
    ) -> tuple[tuple[int, ...], int | None]:
        """Returns what each seat must have won at the end, and which takes the bank, written apart from the round."""
        ...
