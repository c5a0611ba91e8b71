"""Submissions made in code for games that the engine walks, without a family or a file."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from engine_rounds import Keno, MergedHiddenCard, Table, result

from certify.exact import parse_percent
from certify.families.port import Node, Settled, WagerResult
from certify.model.game import Claim, Game, Limits, Origin, Paytable, PaytableRow, Provenance, Terms, Wager

LOST = Origin(Provenance.RECOVERED, "return")


def game_of(
    pays: Mapping[str, Mapping[str, Fraction | int]], lost: tuple[str, ...] = (), printed: str = ""
) -> Game:
    """A submission with these wagers, rows and pays; ``printed`` is claimed of the last wager."""
    wagers = tuple(
        Wager(
            wager,
            wager,
            Paytable(
                tuple(
                    PaytableRow(row, row, Fraction(pay), LOST if row in lost else Origin())
                    for row, pay in rows.items()
                )
            ),
            Limits(100, 10_000, "EUR"),
        )
        for wager, rows in pays.items()
    )
    last = wagers[-1].id
    claims = (Claim(last, "return-to-player", printed, parse_percent(printed), "screen"),) if printed else ()
    terms = Terms(True, 90, True, True, True)
    rules: Any = ()
    return Game(
        "toy", "Toy", "1", "toy", "nobody", rules, (), (), wagers, claims, terms, (), (), "00", "toy.toml"
    )


def pays_of(game: Game, wager: str, row: str) -> Fraction:
    paytable = game.wager(wager).paytable
    return paytable.pays(row) if row in paytable.ids else Fraction(-1)


@dataclass(frozen=True)
class PaidKeno(Keno):
    """Five balls of nine, of which three are marked."""

    game: Game
    equipment = Keno(9, 5, 3).equipment
    draws = 5
    marked = 3

    def node(self, state: tuple[int, int]) -> Node:
        node = super().node(state)
        if not isinstance(node, Settled):
            return node
        row = node.results[0].outcome
        return Settled((result("keno", row, pays_of(self.game, "keno", row)),))


KENO = game_of({"keno": {"catch-3": 9, "catch-2": 1, "catch-7": 100}})


class PaidTable(MergedHiddenCard):
    """The shoe with the hidden card at the pays of a submission."""

    def __init__(self, game: Game) -> None:
        super().__init__(3, 2, 4, 3, doubling=True)
        self.game = game

    def _main(self, mine: int, theirs: int, doubled: bool) -> WagerResult:
        ended = super()._main(mine, theirs, doubled)
        if ended.net <= 0:
            return ended
        return result("main", ended.outcome, ended.net * pays_of(self.game, "main", "win"), ended.staked)

    def _bonus(self, state: Table) -> WagerResult:
        ended = super()._bonus(state)
        return result("bonus", ended.outcome, pays_of(self.game, "bonus", ended.outcome))


class PushingTable(PaidTable):
    """The same, with a row for equal totals."""

    def _main(self, mine: int, theirs: int, doubled: bool) -> WagerResult:
        ended = super()._main(mine, theirs, doubled)
        if not ended.outcome.startswith("push"):
            return ended
        return result("main", ended.outcome, ended.staked * pays_of(self.game, "main", "push"), ended.staked)


TABLE = game_of({"main": {"win": 1}, "bonus": {"pair": 3}})


def row_of(outcome: str) -> str:
    """The row of an outcome: a doubled win is a win."""
    return outcome.removesuffix("-doubled")


def rows_of(game: Game, wager: str, outcome: str) -> tuple[str, ...]:
    """The one row that an outcome is paid by."""
    return (row_of(outcome),)


class TwoRows(PaidKeno):
    """A faulty round: one outcome is paid by either of two rows."""

    def node(self, state: tuple[int, int]) -> Node:
        node = super().node(state)
        if not isinstance(node, Settled):
            return node
        row = ("catch-2", "catch-3")[state[1] == 3]
        paid = pays_of(self.game, "keno", row) if state[1] >= 2 else Fraction(-1)
        return Settled((result("keno", "win" if state[1] >= 2 else "lose", paid),))

    def matters(self, state: tuple[int, int]) -> Hashable:
        return state
