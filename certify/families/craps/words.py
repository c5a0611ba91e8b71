"""How outcomes and decisions of the line bets are called."""

from __future__ import annotations

from typing import Final

from certify.families.craps.rules import LAID, LOST, NO_LAY, NO_ODDS, TAKEN
from certify.model.equipment import Equipment

_ENDS: Final = {TAKEN: "won with odds on", LAID: "won with odds laid against", LOST: "lost with odds on"}
_OPTIONS: Final = {TAKEN: "full odds on", LAID: "full odds laid against"}
_NONE: Final = {NO_ODDS: "no odds", NO_LAY: "no odds laid"}


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
        return f"{_ENDS[first]} {pair.replace('-', ' or ')}" if pair and first in _ENDS else outcome

    def option(self, option: str) -> str:
        """Returns a decision as a sentence names it.

        >>> CrapsWords().option("lay-6-8")
        'full odds laid against 6 or 8'
        """
        first, _, pair = option.partition("-")
        return _NONE.get(option) or f"{_OPTIONS[first]} {pair.replace('-', ' or ')}"
