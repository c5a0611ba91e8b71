"""Lost pays of the first wager where best play itself changes with them: each candidate is solved by itself.

What a strategy returns grows with every pay, so the best of them does too. With all but one of the lost pays fixed,
the pays that fit are therefore neighbours, and their ends are found by bisection: few are solved, none is missed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import islice, pairwise, product
from math import prod
from typing import Final

from certify.analysis.identification import PrintedReturn
from certify.analysis.pay_bounds import PayBounds
from certify.analysis.whole_pays import LostRow, Order, Search
from certify.evidence.judged import Candidate, ReadingSearch
from certify.model.strategy import MAIN_OPTIMAL

SOLVED_LIMIT: Final = 2_000
"""Most lines of candidates, all lost pays but one fixed, that are searched by bisection."""

Pays = tuple[int, ...]
Return = Callable[[Pays], Fraction]


def lines(lost: Sequence[str], bounds: PayBounds) -> int:
    """Returns the number of lines of candidates: combinations of all lost pays but the last."""
    return prod(len(bounds.pays(row)) for row in lost[:-1])


def search_adapting(
    claim: PrintedReturn, lost: Sequence[str], bounds: PayBounds, returned: Return
) -> ReadingSearch:
    """Returns what whole-number pays fit a printed return if the player plays best at each of them.

    Args:
        claim: The printed return.
        lost: The rows sought, in printed order; at most ``SOLVED_LIMIT`` lines of candidates.
        bounds: Which pays are tried, and how many fitting paytables are listed; all are counted.
        returned: The return of best play at given pays of these rows; it must not fall as a pay rises.
    """
    search = _Search(claim, lost, bounds, returned)
    found = [pays for line in search.lines() for pays in search.fitting(line)]
    fits = tuple(search.candidate(pays) for pays in islice(found, bounds.limit))
    return ReadingSearch(
        {},
        MAIN_OPTIMAL,
        {},
        search.tried(),
        len(found),
        fits,
        nearest_miss=None if found else search.nearest(),
    )


class _Search:
    """Candidates and what they return, each solved once."""

    def __init__(
        self, claim: PrintedReturn, lost: Sequence[str], bounds: PayBounds, returned: Return
    ) -> None:
        self.claim = claim
        self.lost = lost
        self.bounds = bounds
        self.returned = returned
        self.solved: dict[Pays, Fraction] = {}

    def tried(self) -> int:
        rows = tuple(LostRow(row, Fraction(0), self.bounds.pays(row)) for row in self.lost)
        return Search(rows, Fraction(0), Fraction(1), self.bounds.order).tried()

    def lines(self) -> Iterator[Pays]:
        """Yields the pays of all rows but the last, in order."""
        for head in product(*(self.bounds.pays(row) for row in self.lost[:-1])):
            if all(self._may_follow(above, below) for above, below in pairwise(head)):
                yield head

    def _may_follow(self, above: int, below: int) -> bool:
        if self.bounds.order is Order.ANY:
            return True
        return above > below if self.bounds.order is Order.DECREASING else above >= below

    def fitting(self, head: Pays) -> list[Pays]:
        """Returns the candidates of a line that fit: neighbours, since the return does not fall as a pay rises."""
        last = [pay for pay in self.bounds.pays(self.lost[-1]) if not head or self._may_follow(head[-1], pay)]
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
        return Candidate({}, MAIN_OPTIMAL, rows, exact, self.claim.stands_for(exact))

    def nearest(self) -> Candidate | None:
        """Returns the candidate nearest to the figure; on every line it is beside the place where fits would be."""
        if not self.solved:
            return None
        return self.candidate(
            min(self.solved, key=lambda pays: (self.claim.distance(self.solved[pays]), pays))
        )
