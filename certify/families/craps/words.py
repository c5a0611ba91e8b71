"""How outcomes and decisions of the line bets are called."""

from __future__ import annotations

from typing import Final

from certify.families.craps.rules import FULL_ODDS, LAID, LOST, NO_ODDS, TAKEN
from certify.model.equipment import Equipment

_OPTIONS: Final = {
    NO_ODDS: "no odds",
    FULL_ODDS: "full odds",
}
_FIRST: Final = {TAKEN: "won with odds on", LAID: "won with odds laid against", LOST: "lost with odds on"}


class CrapsWords:
    """Words of the line bets."""

    def face(self, equipment: Equipment, face: int) -> str:
        """Returns a side of a die."""
        return equipment.faces[face]

    def outcome(self, outcome: str) -> str:
        """Returns an outcome as a sentence names it.

        >>> CrapsWords().outcome("odds-4-10")
        'won with odds on 4 or 10'
        """
        first, _, pair = outcome.partition("-")
        return f"{_FIRST[first]} {pair.replace('-', ' or ')}" if pair and first in _FIRST else outcome

    def option(self, option: str) -> str:
        """Returns a decision as a sentence names it."""
        return _OPTIONS.get(option, option)
