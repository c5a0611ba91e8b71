"""Lost pays of any game: what they can be, given the printed return, strategy by strategy.

With a strategy held fixed the return is a sum of straight lines in the pays. Each line's slope is found by counting
the game again with that pay raised by one, and by two, which must double it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from certify.analysis.engine.adaptive_recovery import SOLVED_LIMIT, lines, search_adapting
from certify.analysis.engine.counted import CountedGame
from certify.analysis.engine.exact import EngineExact
from certify.analysis.engine.strategies import constant_choices
from certify.analysis.identification import PrintedReturn, printed_return
from certify.analysis.pay_bounds import PayBounds, check_bounds, lost_rows
from certify.analysis.pay_search import search_conclusion, search_reading
from certify.errors import InputError
from certify.evidence.judged import ReadingSearch, Recovery
from certify.model.game import Game, repaid
from certify.model.strategy import MAIN_OPTIMAL, Strategy


@dataclass(frozen=True, slots=True)
class EngineIdentify:
    """Search for lost pays by counting: what a family gets that brings no search of its own.

    Args:
        exact: What counts the games.
    """

    exact: EngineExact

    def identify(self, game: Game, wager: str, bounds: PayBounds) -> Recovery:
        """Returns the pays of the lost rows of a wager that reproduce its printed return.

        Rows whose pays are printed keep them. Each constant choice is searched, held fixed while pays vary; so is the
        best play for the first wager, unless the pays of that wager are sought: then best play is solved anew for
        each candidate, as long as there are few enough of them.

        Raises:
            InputError: No such wager, bounds that fit no row, or a return that is no straight line in a pay.
            NothingCheckedError: No return is printed for the wager, or none of its pays is lost.
        """
        claim = printed_return(game, wager)
        check_bounds(game, wager, bounds)
        lost = lost_rows(game, wager)
        counted = self.exact.counted(game)
        adapts = self._adapts(counted, wager, lost, bounds)
        searches = tuple(self._searches(counted, claim, lost, bounds, adapts=adapts))
        words = (
            *bounds.words(() if adapts else lost),
            ("strategy", _strategy_words(counted, wager, adapts=adapts)),
        )
        return claim.recovery(words, searches, search_conclusion(claim, searches))

    def _searches(
        self,
        counted: CountedGame,
        claim: PrintedReturn,
        lost: tuple[str, ...],
        bounds: PayBounds,
        *,
        adapts: bool,
    ) -> Iterator[ReadingSearch]:
        if adapts:
            yield search_adapting(claim, lost, bounds, lambda pays: self._best(counted.game, lost, pays))
        else:
            yield self._search(counted, claim, MAIN_OPTIMAL, lost, bounds)
        for one in constant_choices(counted.graph):
            yield self._search(counted, claim, one.name, lost, bounds)

    def _adapts(self, counted: CountedGame, wager: str, lost: tuple[str, ...], bounds: PayBounds) -> bool:
        """Tells whether best play changes with the pays sought and can be solved for each of them."""
        if wager != counted.main or not counted.offered() or lines(lost, bounds) > SOLVED_LIMIT:
            return False
        return all(
            _grows(counted, self.exact.counted(_raised(counted.game, wager, row, 1)), wager) for row in lost
        )

    def _best(self, game: Game, lost: tuple[str, ...], pays: tuple[int, ...]) -> Fraction:
        """Returns what best play for the first wager returns at given pays of its lost rows."""
        main = game.wagers[0].id
        sought = {(main, row): Fraction(pay) for row, pay in zip(lost, pays, strict=True)}
        return 1 + self.exact.counted(repaid(game, sought)).solution().value

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


def _return(counted: CountedGame, played: Strategy, wager: str) -> Fraction:
    figures = counted.figures(counted.visits(played))
    return next(one for one in figures if one.wager == wager).return_to_player


def _grows(counted: CountedGame, raised: CountedGame, wager: str) -> bool:
    """Tells whether no way of ending comes to less where a row pays more."""
    place = counted.graph.wagers.index(wager)
    before, after = ([results[place] for results in one.graph.results] for one in (counted, raised))
    return [end.outcome for end in before] == [end.outcome for end in after] and all(
        new.net >= old.net for old, new in zip(before, after, strict=True)
    )


def _strategy_words(counted: CountedGame, wager: str, *, adapts: bool) -> str:
    if not counted.offered():
        return "nothing is decided"
    if adapts:
        return "best for each candidate, and each constant choice"
    if wager == counted.main:
        return "best at the submitted pays, held fixed while pays vary, and each constant choice"
    return "best for the first wager, and each constant choice"


def _raised(game: Game, wager: str, row: str, by: int) -> Game:
    return repaid(game, {(wager, row): game.wager(wager).paytable.pays(row) + by})
