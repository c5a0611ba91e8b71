"""The reference round of the line bets: first roll, odds, and rolls until the point or seven."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from certify.errors import InputError
from certify.families.craps.rulebook import against_result, first_roll, later_roll, line_result, plain
from certify.families.craps.rules import (
    DONT,
    PASS,
    CrapsRules,
    laid,
    options,
    rules_of,
    sees,
)
from certify.families.port import Chance, Choice, Hand, Node, Option, Settled, WagerResult
from certify.model.equipment import Equipment
from certify.model.game import Game


@dataclass(frozen=True, slots=True)
class CrapsState:
    """A round between two throws.

    Args:
        point: The point, 0 before one is set.
        die: Face of the first die of a roll that is not whole; -1 where there is none.
        ended: How both bets ended on the first roll; empty where they did not.
        made: Whether the point was made; none while it is open.
        decided: Options decided so far.
        thrown: Faces of all throws.
    """

    point: int = 0
    die: int = -1
    ended: tuple[str, ...] = ()
    made: bool | None = None
    decided: tuple[str, ...] = ()
    thrown: tuple[int, ...] = ()


@dataclass(frozen=True)
class CrapsRound:
    """One round of the line bets.

    Args:
        game: The submission.
    """

    game: Game

    @cached_property
    def rules(self) -> CrapsRules:
        """The rules of the game."""
        return rules_of(self.game)

    @property
    def equipment(self) -> tuple[Equipment, ...]:
        """The dice."""
        return self.game.equipment

    def start(self) -> CrapsState:
        """Returns the state before the first roll."""
        return CrapsState()

    def node(self, state: CrapsState) -> Node:
        """Returns what the round waits for: a throw, the odds, or nothing."""
        if state.ended or state.made is not None:
            return Settled(self._results(state))
        if state.point and state.die < 0:
            choice = self._choice(state)
            if choice is not None:
                return choice
        return Chance(self.equipment[0].id, "table", "throws")

    def _choice(self, state: CrapsState) -> Choice | None:
        """Returns the next decision on odds, none once all are made."""
        most = self.rules.most(state.point)
        if not most:
            return None
        if not state.decided:
            return self._odds(PASS, state.point, Fraction(most))
        if len(state.decided) == 1 and self.rules.against:
            return self._odds(DONT, state.point, laid(state.point, most))
        return None

    @staticmethod
    def _odds(wager: str, point: int, adds: Fraction) -> Choice:
        none, full = options(wager, point)
        return Choice("player", (Option(none), Option(full, ((wager, adds),))), sees(wager, point))

    def drawn(self, state: CrapsState, face: int) -> CrapsState:
        """Returns the state after a throw of one die; the second of a roll decides."""
        thrown = (*state.thrown, face)
        if state.die < 0:
            return replace(state, die=face, thrown=thrown)
        total = state.die + face + 2
        rolled = replace(state, die=-1, thrown=thrown)
        if state.point:
            return replace(rolled, made=later_roll(total, state.point))
        ended = first_roll(total, self.rules)
        return replace(rolled, point=total) if ended is None else replace(rolled, ended=ended)

    def decided(self, state: CrapsState, option: str) -> CrapsState:
        """Returns the state after odds were taken, laid or left.

        Raises:
            InputError: Nothing of the kind is to be decided.
        """
        choice = self._choice(state) if state.point else None
        if choice is None or option not in choice.ids:
            raise InputError(f"{option!r} was decided where it is not offered")
        return replace(state, decided=(*state.decided, option))

    def alike(self, state: CrapsState, face: int) -> Hashable:
        """Returns the face: each is another number of the total."""
        return face

    def matters(self, state: CrapsState) -> Hashable:
        """Returns the state without what was thrown before."""
        return replace(state, thrown=())

    def hands(self, state: CrapsState) -> tuple[Hand, ...]:
        """Returns the dice as thrown, and the point."""
        return (Hand("table", state.thrown, total=f"point {state.point}" if state.point else ""),)

    def _results(self, state: CrapsState) -> tuple[WagerResult, ...]:
        tables = {wager.id: wager.paytable for wager in self.game.wagers}
        if state.ended:
            first = zip((PASS, DONT), state.ended, strict=True)
            return tuple(plain(wager, row, tables[wager]) for wager, row in first if wager in tables)
        made, most = bool(state.made), self.rules.most(state.point)
        decided = dict(zip((PASS, DONT), state.decided, strict=False))
        odds, lay = (
            most if decided.get(wager) == options(wager, state.point)[1] else 0 for wager in (PASS, DONT)
        )
        line = [line_result(made, state.point, odds, tables[PASS])] if PASS in tables else []
        against = [against_result(made, state.point, lay, tables[DONT])] if DONT in tables else []
        return (*line, *against)
