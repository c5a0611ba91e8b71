"""The round of a slot as its player lives it: each step after the first begins when the player goes on.

So a series of free games stands open between two games, with what was won so far in sight: it can be broken off and
resumed, hit by a malfunction, or left until its term. A win may be staked again where the rules offer that.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Final

from certify.families.port import Chance, Choice, Hand, Node, Option, Settled, WagerResult
from certify.families.slot.random_elements import GAMBLE, LOST
from certify.families.slot.reference import RoundInPlay, SlotRound, name_of
from certify.families.slot.rows import outcome_of
from certify.families.slot.rulebook import WindowCell
from certify.model.equipment import Equipment, Row
from certify.model.figures import Award

GO_ON: Final = "go-on"
COLLECT: Final = "collect"
STAKE_WIN: Final = "gamble"

WON: Final = "coins won"
LEFT: Final = "games left"


@dataclass(frozen=True, slots=True)
class Lived:
    """A round as its player finds it.

    Args:
        table: The round.
        waits: Whether it waits for the player to go on.
        tries: Times that the win was staked again.
        lost: Whether it was lost so.
        taken: Whether it was collected.
        asked: Whether the win is staked and not yet decided.
    """

    table: RoundInPlay
    waits: bool = False
    tries: int = 0
    lost: bool = False
    taken: bool = False
    asked: bool = False


@dataclass(frozen=True)
class PacedRound:
    """The reference round of a slot that waits for its player between two steps.

    Args:
        round: The round as it is drawn.
    """

    round: SlotRound

    @property
    def equipment(self) -> tuple[Equipment, ...]:
        """What the round is drawn from."""
        return self.round.equipment

    @property
    def decides(self) -> bool:
        """Whether some round waits for its player."""
        rules = self.round.rules
        return bool(rules.features) or rules.gamble is not None

    @property
    def lived(self) -> tuple[str, ...]:
        """The first row of the paytable, and every feature."""
        return self.round.lived

    def showing(self, row: str) -> Row | None:
        """Returns draws of a round that wins a row, or begins a feature; nothing where none was found."""
        return self.round.showing(row)

    def start(self) -> Lived:
        """Returns the state before anything is drawn."""
        return Lived(self.round.start())

    def node(self, state: Lived) -> Node:
        """Returns what the round waits for."""
        if state.waits:
            return Choice("player", (Option(GO_ON),), self.hands(state))
        if state.asked:
            return Chance(GAMBLE, "table", "shows")
        inner = self.round.node(state.table)
        if not isinstance(inner, Settled) or not inner.results:
            return inner
        if self._offered(state):
            options = (Option(COLLECT), Option(STAKE_WIN))
            return Choice("player", options, self.hands(state))
        return Settled(tuple(self._gambled(state, result) for result in inner.results))

    def drawn(self, state: Lived, face: int) -> Lived:
        """Returns the state after a draw."""
        if state.asked:
            lost = self._piece_of_gamble.faces[face] == LOST
            return replace(state, asked=False, tries=state.tries + 1, lost=lost)
        table = self.round.drawn(state.table, face)
        return Lived(table, waits=table.steps > state.table.steps and bool(table.tasks))

    def decided(self, state: Lived, option: str) -> Lived:
        """Returns the state after a decision."""
        if state.waits:
            return replace(state, waits=False)
        return replace(state, taken=True) if option == COLLECT else replace(state, asked=True)

    def alike(self, state: Lived, face: int) -> Hashable:
        """Returns the face itself."""
        return face

    def matters(self, state: Lived) -> Hashable:
        """Returns the state itself."""
        return state

    def hands(self, state: Lived) -> tuple[Hand, ...]:
        """Returns what the reels show from the top, what was won so far in coins, and how many free games are left.

        A symbol is the number of its place among all that the game shows; coins that are no whole number are told as
        numerator and denominator.
        """
        table = state.table
        reels = [
            Hand(f"reel {place}", tuple(self._numbers[name_of(cell)] for cell in reel))
            for place, reel in enumerate(table.window, start=1)
        ]
        won = self._won(state)
        coins = (won.numerator,) if won.denominator == 1 else (won.numerator, won.denominator)
        left = sum(task.series.left for task in table.tasks if task.series is not None)
        return (*reels, Hand(WON, coins), *([Hand(LEFT, (left,))] if left else []))

    def named(self, holder: str, face: int) -> str:
        """Returns a face of a holder in words: a symbol on a reel, a number elsewhere."""
        shown = holder.startswith("reel ") and 0 <= face < len(self._symbols)
        return self._symbols[face] if shown else str(face)

    def told(self, before: Lived, after: Lived) -> tuple[str, ...]:
        """Returns what a player saw at a draw: whole steps, once they are over."""
        return self.round.told(before.table, after.table)

    # --- parts ---

    @cached_property
    def _symbols(self) -> tuple[str, ...]:
        """Everything that a cell can show: symbols as strips first name them, then wilds with their factors."""
        rules = self.round.rules
        stops = (name for strips in rules.strip_sets for reel in strips.reels for name in reel.symbols)
        factors = (WindowCell(wild.symbol, factor) for wild in rules.wilds for factor, _ in wild.multiplies)
        return tuple(dict.fromkeys([*stops, *map(name_of, factors)]))

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self._symbols)}

    @cached_property
    def _piece_of_gamble(self) -> Equipment:
        return next(piece for piece in self.equipment if piece.id == GAMBLE)

    def _offered(self, state: Lived) -> bool:
        """Tells whether the win may be staked again."""
        gamble, rules = self.round.rules.gamble, self.round.rules
        won = self._won(state) / rules.cost
        below = rules.most is None or won < rules.most
        return gamble is not None and not state.taken and won > 0 and below and state.tries < gamble.steps

    def _won(self, state: Lived) -> Fraction:
        """Returns the coins won so far: never above the limit of a round."""
        rules, coins = self.round.rules, sum((one.coins for one in state.table.won), Fraction(0))
        if state.lost:
            return Fraction(0)
        most = None if rules.most is None else rules.most * rules.cost
        coins = coins if most is None else min(coins, most)
        coins *= rules.gamble.multiplies**state.tries if rules.gamble is not None else 1
        return coins if most is None else min(coins, most)

    def _gambled(self, state: Lived, result: WagerResult) -> WagerResult:
        """Returns a result with what staking the win again added or took."""
        if not state.tries:
            return result
        won = self._won(state) / self.round.rules.cost
        more = Award(GAMBLE, Fraction(1), won - 1 - result.net)
        outcome = outcome_of(won, state.table.begun)
        return replace(result, outcome=outcome, net=won - 1, awards=(*result.awards, more))
