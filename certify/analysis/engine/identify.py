"""Lost pays of any game: what they can be, given the printed return, under each fixed strategy.

With a strategy held fixed the return is a sum of straight lines in the pays. Each line's slope is found by counting
the game again with that pay raised by one, and by two, which must double it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from certify.analysis.engine.counted import CountedGame
from certify.analysis.engine.exact import EngineExact
from certify.analysis.engine.strategies import MAIN_OPTIMAL, constant_choices
from certify.analysis.identification import Identification, PrintedReturn, ReadingSearch, printed_return
from certify.analysis.pay_bounds import PayBounds, check_bounds
from certify.analysis.pay_search import search_conclusion, search_reading
from certify.errors import InputError, NothingCheckedError
from certify.model.game import Game
from certify.model.provenance import Provenance
from certify.model.strategy import Strategy


@dataclass(frozen=True, slots=True)
class EngineIdentify:
    """Search for lost pays by counting: what a family gets that brings no search of its own.

    Args:
        exact: What counts the games.
    """

    exact: EngineExact

    def identify(self, game: Game, wager: str, bounds: PayBounds) -> Identification:
        """Returns the pays of the lost rows of a wager that reproduce its printed return.

        Rows whose pays are printed keep them. Each search holds one strategy fixed: the best one for the first
        wager at the submitted pays, and each constant choice.

        Raises:
            InputError: No such wager, bounds that fit no row, or a return that is no straight line in a pay.
            NothingCheckedError: No return is printed for the wager, or none of its pays is lost.
        """
        claim = printed_return(game, wager)
        check_bounds(game, wager, bounds)
        lost = lost_rows(game, wager)
        if not lost:
            raise NothingCheckedError(
                f"every pay of {wager} is printed: its printed return is compared with the exact one, and there is "
                "nothing to search for. Expected a row that is marked as recovered"
            )
        counted = self.exact.counted(game)
        names = (MAIN_OPTIMAL, *(one.name for one in constant_choices(counted.graph)))
        searches = tuple(self._search(counted, claim, name, lost, bounds) for name in names)
        words = (*bounds.words(), ("strategy", "each held fixed while pays vary"))
        return Identification(game.id, wager, claim, words, searches, search_conclusion(claim, searches))

    def together(
        self, game: Game, stakes: Mapping[str, Fraction] | None, bounds: PayBounds
    ) -> Mapping[str, Any]:
        """Refuses: readings and pays of all wagers at once are searched by families that know their readings.

        Raises:
            InputError: Always.
        """
        raise InputError(
            f"{game.id}: its family does not search for all printed returns together, expected one --wager"
        )

    def _search(
        self,
        counted: CountedGame,
        claim: PrintedReturn,
        strategy: str,
        lost: tuple[str, ...],
        bounds: PayBounds,
    ) -> ReadingSearch:
        played = counted.strategy(strategy)
        weights = tuple((row, self._slope(counted, played, claim.wager, row)) for row in lost)
        paid = counted.game.wager(claim.wager).paytable
        base = _return(counted, played, claim.wager)
        base -= sum((weight * paid.pays(row) for row, weight in weights), Fraction(0))
        return search_reading(claim, (), strategy, weights, bounds, base)

    def _slope(self, counted: CountedGame, played: Strategy, wager: str, row: str) -> Fraction:
        """Returns by how much the return grows with the pay of a row."""
        base = _return(counted, played, wager)
        raised = (self.exact.counted(_raised(counted.game, wager, row, by)) for by in (1, 2))
        one, two = (_return(other, played, wager) for other in raised)
        if two - one != one - base:
            raise InputError(
                f"{wager}: the return is no straight line in the pay of {row!r}: nothing is searched"
            )
        return one - base


def lost_rows(game: Game, wager: str) -> tuple[str, ...]:
    """Returns the rows of a wager whose pays no source prints."""
    rows = game.wager(wager).paytable.rows
    return tuple(row.id for row in rows if row.origin.provenance is Provenance.RECOVERED)


def _return(counted: CountedGame, played: Strategy, wager: str) -> Fraction:
    figures = counted.figures(counted.visits(played))
    return next(one for one in figures if one.wager == wager).return_to_player


def _raised(game: Game, wager: str, row: str, by: int) -> Game:
    wagers = []
    for entry in game.wagers:
        if entry.id == wager:
            rows = tuple(
                replace(one, pays=one.pays + by) if one.id == row else one for one in entry.paytable.rows
            )
            entry = replace(entry, paytable=replace(entry.paytable, rows=rows))
        wagers.append(entry)
    return replace(game, wagers=tuple(wagers))
