"""The families of games that can be certified, and what each of them can prove about its own paytables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from certify.errors import InputError
from certify.families.open_card.family import OpenCardFamily
from certify.families.sette_e_mezzo.family import SetteEMezzoFamily
from certify.families.sette_e_mezzo.round import PlayedRound
from certify.model.paytable import Paytable
from certify.model.rules import Rules
from certify.model.strategy import Strategy
from certify.model.witness import Witness


class GameFamily(Protocol):
    """The code that knows how the games of one family are played."""

    @property
    def id(self) -> str:
        """Id of the family, as submissions name it."""
        ...

    @property
    def wager_ids(self) -> tuple[str, ...]:
        """Ids of the wagers that the family settles, the main wager first."""
        ...

    @property
    def rank_values(self) -> tuple[tuple[str, int], ...]:
        """Value of each rank in half points, as the family counts it."""
        ...

    @property
    def suits(self) -> tuple[str, ...]:
        """Names of the suits in the order of the card ids."""
        ...

    @property
    def matta(self) -> str:
        """Name of the one card that does not always count the value of its rank."""
        ...

    @property
    def bankers(self) -> tuple[str, ...]:
        """Who may bank the games of the family."""
        ...

    def row_ids(self, wager: str, rules: Rules) -> tuple[str, ...]:
        """Returns the rows that a paytable must name, or else winning hands would lose in silence."""
        ...

    def reachable_rows(self, wager: str, rules: Rules) -> tuple[str, ...]:
        """Returns every row that some hand falls in, losing ones included."""
        ...

    def witness(self, wager: str, row: str, rules: Rules) -> Witness:
        """Returns a round that produces a row."""
        ...

    def row_of(self, outcome: str) -> str:
        """Returns the row that an outcome falls in; outcomes of one row may differ in what was staked."""
        ...

    def play(
        self,
        deck: Sequence[int],
        rules: Rules,
        paytables: Mapping[str, Paytable],
        decisions: Strategy | Sequence[str],
    ) -> PlayedRound:
        """Plays one round by the reference rules, decided by a strategy or as recorded."""
        ...


FAMILIES: Final[Mapping[str, GameFamily]] = {
    known.id: known for known in (SetteEMezzoFamily(), OpenCardFamily())
}
"""Every family that the code here knows how to play, by id."""


def family(family_id: str) -> GameFamily:
    """Returns the family of games with an id.

    Raises:
        InputError: No code here knows how to play that family.

    >>> family("sette-e-mezzo").wager_ids
    ('main', 'partita-perfetta', 'mano-di-poker')
    """
    found = FAMILIES.get(family_id)
    if found is None:
        raise InputError(f"unknown family of games {family_id!r}: expected one of {', '.join(FAMILIES)}")
    return found
