"""Lost pays of any game: what they can be, given the printed return, strategy by strategy.

With a strategy held fixed the return is a sum of straight lines in the pays. Each line's slope is found by counting
the game again with that pay raised by one, and by two, which must double it.

What a strategy returns grows with every pay, so the best of them does too. With all but one of the lost pays fixed,
the pays that fit are therefore neighbours, and their ends are found by bisection: few are solved, none is missed.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from itertools import islice, pairwise, product
from math import prod
from typing import Final

from certify.analysis.engine.exact import CountedGame, EngineExact
from certify.analysis.engine.strategies import constant_choices
from certify.analysis.pay_search import (
    PayBounds,
    PrintedReturn,
    Reading,
    check_bounds,
    lost_rows,
    printed_return,
    search_conclusion,
    search_forms,
    search_orders,
)
from certify.analysis.whole_pays import LostRow, Search, may_precede
from certify.errors import InputError
from certify.evidence import Candidate, ReadingSearch, Recovery
from certify.model import MAIN_OPTIMAL, Game, Strategy, repaid

SOLVED_LIMIT: Final = 2_000
"""Most lines of candidates, all lost pays but one fixed, that are searched by bisection."""

Pays = tuple[int, ...]
Return = Callable[[Pays], Fraction]


def lines(lost: Sequence[str], bounds: PayBounds) -> int:
    """Returns the number of lines of candidates: combinations of all lost pays but the last."""
    return prod(len(bounds.pays(row)) for row in lost[:-1])


def search_adapting(
    claim: PrintedReturn, lost: Sequence[str], given: PayBounds, returned: Return
) -> Iterator[ReadingSearch]:
    """Yields what whole-number pays fit a printed return, to 1 and for 1, if the player plays best at each of them.

    Args:
        claim: The printed return.
        lost: The rows sought, in printed order; at most ``SOLVED_LIMIT`` lines of candidates.
        given: Which pays are tried, and how many fitting paytables are listed; all are counted.
        returned: The return of best play at given pays of these rows; it must not fall as a pay rises.
    """
    once = cache(returned)

    def adapting(reading: Reading, bounds: PayBounds) -> ReadingSearch:
        search = _Search(claim, lost, bounds, once, dict(reading))
        found = [pays for line in search.lines() for pays in search.fitting(line)]
        usual = [bounds.customary(row) for row in lost]
        custom = [pays for pays in found if all(pay in own for pay, own in zip(pays, usual, strict=True))]
        return ReadingSearch(
            search.reading,
            MAIN_OPTIMAL,
            {},
            search.tried(),
            len(found),
            tuple(search.candidate(pays) for pays in islice(dict.fromkeys((*custom, *found)), bounds.limit)),
            customary_count=len(custom),
            customary=tuple(search.candidate(pays) for pays in islice(custom, bounds.limit)),
            nearest_miss=None if found else search.nearest(),
        )

    return search_forms((), given, adapting)


@dataclass(slots=True, eq=False)
class _Search:
    """Candidates and what they return, each solved once."""

    claim: PrintedReturn
    lost: Sequence[str]
    bounds: PayBounds
    returned: Return
    reading: Mapping[str, str]
    solved: dict[Pays, Fraction] = field(default_factory=dict)

    def tried(self) -> int:
        rows = tuple(LostRow(row, Fraction(0), self.bounds.pays(row)) for row in self.lost)
        return Search(rows, Fraction(0), Fraction(1), self.bounds.order).tried()

    def lines(self) -> Iterator[Pays]:
        """Yields the pays of all rows but the last, in order."""
        for head in product(*(self.bounds.pays(row) for row in self.lost[:-1])):
            if all(may_precede(self.bounds.order, above, below) for above, below in pairwise(head)):
                yield head

    def fitting(self, head: Pays) -> list[Pays]:
        """Returns the candidates of a line that fit: neighbours, since the return does not fall as a pay rises."""
        order, pays = self.bounds.order, self.bounds.pays(self.lost[-1])
        last = [pay for pay in pays if not head or may_precede(order, head[-1], pay)]
        fits = self.claim.among(last, lambda pay: self.exact((*head, pay)))
        for pay in last[max(fits.start - 1, 0) : fits.start + 1]:
            self.exact((*head, pay))
        return [(*head, pay) for pay in last[fits]]

    def exact(self, pays: Pays) -> Fraction:
        if pays not in self.solved:
            self.solved[pays] = self.returned(pays)
        return self.solved[pays]

    def candidate(self, pays: Pays) -> Candidate:
        exact = self.exact(pays)
        rows = {row: Fraction(pay) for row, pay in zip(self.lost, pays, strict=True)}
        return Candidate(self.reading, MAIN_OPTIMAL, rows, exact, self.claim.stands_for(exact))

    def nearest(self) -> Candidate | None:
        """Returns the candidate nearest to the figure; on every line it is next to the place where fits would be."""
        if not self.solved:
            return None
        return self.candidate(
            min(self.solved, key=lambda pays: (self.claim.distance(self.solved[pays]), pays))
        )


@dataclass(frozen=True, slots=True)
class OneLostPay:
    """Which whole pay of a lost row reproduces the printed return of best play; of a side bet, which pays of all rows.

    Args:
        best: Returns the return of a wager under best play for the first one, as a number from 0.
    """

    best: Callable[[Game, str], Fraction]

    def identify(self, game: Game, wager: str, bounds: PayBounds) -> Recovery:
        """Returns the pays of the lost rows that fit the printed return of a wager.

        Raises:
            InputError: No such wager, bounds that fit no row, or several lost rows of the first wager.
            NothingCheckedError: No return is printed for the wager, or none of its pays is lost.
        """
        claim = printed_return(game, wager)
        check_bounds(game, wager, bounds)
        lost = lost_rows(game, wager)
        if wager != game.wagers[0].id:
            return self._beside(game, claim, lost, bounds)
        if len(lost) > 1:
            raise InputError(
                f"{len(lost)} pays of {wager} are lost: best play is found anew for every candidate, expected one "
                "lost row"
            )
        searches = tuple(
            search_adapting(
                claim,
                lost,
                bounds,
                lambda pays: self.best(repaid(game, {(wager, lost[0]): Fraction(pays[0])}), wager),
            )
        )
        return claim.recovery(
            (*bounds.words(), ("strategy", "best for each candidate")),
            searches,
            search_conclusion(claim, searches),
        )

    def _beside(self, game: Game, claim: PrintedReturn, lost: tuple[str, ...], bounds: PayBounds) -> Recovery:
        """Returns the pays of a wager that nothing is decided for: its return is a straight line in each of them."""

        def returned(*raised: str) -> Fraction:
            pays = {(claim.wager, row): Fraction(row in raised) for row in lost}
            return self.best(repaid(game, pays), claim.wager)

        base = returned()
        searches = tuple(
            search_orders(
                claim, MAIN_OPTIMAL, tuple((row, returned(row) - base) for row in lost), bounds, base
            )
        )
        return claim.recovery(
            (*bounds.words(lost), ("strategy", "best for the first wager")),
            searches,
            search_conclusion(claim, searches),
        )


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
            yield from search_adapting(claim, lost, bounds, lambda pays: self._best(counted.game, lost, pays))
        else:
            yield from self._search(counted, claim, MAIN_OPTIMAL, lost, bounds)
        for one in constant_choices(counted.graph):
            yield from self._search(counted, claim, one.name, lost, bounds)

    def _adapts(self, counted: CountedGame, wager: str, lost: tuple[str, ...], bounds: PayBounds) -> bool:
        """Returns whether best play changes with the pays sought and can be solved for each of them."""
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
    ) -> Iterator[ReadingSearch]:
        played, wager, weights = counted.strategy(strategy), claim.wager, []
        submitted = base = _return(counted, played, wager)
        for row in lost:
            one, two = (
                _return(self.exact.counted(_raised(counted.game, wager, row, by)), played, wager) - submitted
                for by in (1, 2)
            )
            if two != 2 * one:
                raise InputError(
                    f"{wager}: the return is no straight line in the pay of {row!r}: nothing is searched"
                )
            weights.append((row, one))
            base -= one * counted.game.wager(wager).paytable.pays(row)
        return search_orders(claim, strategy, tuple(weights), bounds, base)


def _return(counted: CountedGame, played: Strategy, wager: str) -> Fraction:
    figures = counted.figures(counted.visits(played))
    return next(one for one in figures if one.wager == wager).return_to_player


def _grows(counted: CountedGame, raised: CountedGame, wager: str) -> bool:
    """Returns whether no way of ending comes to less where a row pays more."""
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
