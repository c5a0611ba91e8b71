"""A game of no family here: dice are thrown in pairs until seven or eleven."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction

from certify.families.port import Chance, Hand, Node, Settled, WagerResult
from certify.model.equipment import Equipment, Kind, strip


@dataclass(frozen=True, slots=True)
class Throws:
    """The throws so far."""

    faces: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class DiceRound:
    """Throws pairs of dice until seven, which wins, or eleven, which loses."""

    throws: int = 40

    @property
    def equipment(self) -> tuple[Equipment, ...]:
        return (strip("die", Kind.DICE, ("1", "2", "3", "4", "5", "6"), self.throws),)

    def start(self) -> Throws:
        return Throws()

    def node(self, state: Throws) -> Node:
        total = self._total(state)
        if total not in (7, 11):
            return Chance("die", "table", "is thrown")
        won = total == 7
        return Settled((WagerResult("seven", "made" if won else "lost", Fraction(1 if won else -1)),))

    def drawn(self, state: Throws, face: int) -> Throws:
        return Throws((*state.faces, face))

    def decided(self, state: Throws, option: str) -> Throws:
        raise AssertionError("nothing is decided in this game")

    def alike(self, state: Throws, face: int) -> Hashable:
        return face

    def matters(self, state: Throws) -> Hashable:
        return (
            state.faces[-1:] if len(state.faces) % 2 else self._total(state) in (7, 11) and self._total(state)
        )

    def hands(self, state: Throws) -> tuple[Hand, ...]:
        return (Hand("table", state.faces),)

    @staticmethod
    def _total(state: Throws) -> int:
        return sum(face + 1 for face in state.faces[-2:]) if len(state.faces) % 2 == 0 else 0
