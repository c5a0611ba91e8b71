"""A wheel of numbered stops, as a stranger would bring it: rules and a reference round, and nothing else."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from certify.errors import InputError
from certify.families import (
    Chance,
    Family,
    Hand,
    Node,
    Problems,
    RuleReader,
    Settled,
    TableForm,
    WagerResult,
)
from certify.model import Equipment, Game, Kind

WINS = "win"
LOSES = "lose"
HALF = "half-back"


@dataclass(frozen=True, slots=True)
class WheelRules:
    """Rules of the wheel.

    Args:
        zero_returns_half: Whether the bet on red gets half of its stake back on a zero.
    """

    zero_returns_half: bool = False


class WheelSubmission:
    """What a submission states."""

    rule_ids: tuple[str, ...] = ("zero-returns-half",)
    optional_rules: tuple[str, ...] = ()
    wager_ids: tuple[str, ...] = ("red", "straight-up")
    bankers: tuple[str, ...] = ("house",)
    tables: Mapping[str, TableForm] = {}

    def read(self, rules: RuleReader) -> WheelRules:
        return WheelRules(rules.flag("zero-returns-half", False))

    def check(self, game: Game, tables: Mapping[str, Any], problems: Problems) -> Game:
        if [piece.kind for piece in game.equipment] != [Kind.WHEEL]:
            problems.add(("equipment",), "this family is played with one wheel")
        return game

    def required_wagers(self, game: Game) -> tuple[str, ...]:
        return ()

    def paid_rows(self, game: Game, wager: str) -> tuple[str, ...]:
        return (WINS,)

    def reachable_rows(self, game: Game, wager: str) -> tuple[str, ...]:
        half = isinstance(game.rules, WheelRules) and game.rules.zero_returns_half and wager == "red"
        return (WINS, *((HALF,) if half else ()), LOSES)

    def row_of(self, outcome: str) -> str:
        return outcome


@dataclass(frozen=True, slots=True)
class Spin:
    """The wheel before and after its one spin."""

    stop: int | None = None


@dataclass(frozen=True, slots=True)
class WheelRound:
    """One spin settles every wager: red takes the odd numbers, straight up the number 17."""

    game: Game

    @property
    def equipment(self) -> tuple[Equipment, ...]:
        return self.game.equipment

    def start(self) -> Spin:
        return Spin()

    def node(self, state: Spin) -> Node:
        (wheel,) = self.equipment
        if state.stop is None:
            return Chance(wheel.id, "table", "spins")
        return Settled(tuple(self._result(wager.id, wheel.faces[state.stop]) for wager in self.game.wagers))

    def drawn(self, state: Spin, face: int) -> Spin:
        return Spin(face)

    def decided(self, state: Spin, option: str) -> Spin:
        raise InputError("nothing is decided on a wheel")

    def alike(self, state: Spin, face: int) -> Hashable:
        return face

    def matters(self, state: Spin) -> Hashable:
        return state

    def hands(self, state: Spin) -> tuple[Hand, ...]:
        return (Hand("table", () if state.stop is None else (state.stop,)),)

    def _result(self, wager: str, stop: str) -> WagerResult:
        won = stop == "17" if wager == "straight-up" else stop != "0" and int(stop) % 2 == 1
        if won:
            return WagerResult(wager, WINS, self.game.wager(wager).paytable.pays(WINS))
        rules = self.game.rules
        if wager == "red" and stop == "0" and isinstance(rules, WheelRules) and rules.zero_returns_half:
            return WagerResult(wager, HALF, Fraction(-1, 2))
        return WagerResult(wager, LOSES, Fraction(-1))


FAMILY = Family(
    id="wheel-of-numbers",
    version="",
    title="A wheel of numbered stops with bets on a colour and on one number",
    rules=WheelSubmission(),
    reference=WheelRound,
)
