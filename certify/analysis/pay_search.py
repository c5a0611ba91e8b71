"""Pays that reproduce a printed return under one reading and one strategy: whole numbers to 1, else other odds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import islice

from certify.analysis.identification import PrintedReturn, Reading
from certify.analysis.pay_bounds import CUSTOMARY_PAYS, PayBounds
from certify.analysis.whole_pays import LostRow, Order, Search, attained, count_fits, fitting, nearest
from certify.evidence.judged import Candidate, ReadingSearch
from certify.exact import percent_text

Weights = tuple[tuple[str, Fraction], ...]
"""By how much the return grows with the pay of each sought row."""


def search_reading(
    claim: PrintedReturn,
    reading: Reading,
    strategy: str,
    weights: Weights,
    bounds: PayBounds,
    base: Fraction | None = None,
) -> ReadingSearch:
    """Returns what paytables fit a printed return, when each row is paid with these probabilities.

    Args:
        claim: The printed return.
        reading: How open rules are read.
        strategy: Name of the strategy that the figure is taken to mean.
        weights: By how much the return grows with each row's pay.
        bounds: Which pays are tried, and how many fitting paytables are listed; all are counted.
        base: The return if every sought row paid 0 net; where left out the stakes that those rows give back, which
            is right where every round in no such row loses its stake.
    """
    base = _staked(weights) if base is None else base
    search = _search(claim, base, weights, {row: bounds.pays(row) for row, _ in weights}, bounds.order)
    custom = {
        row: tuple(pay for pay in bounds.pays(row) if pay in CUSTOMARY_PAYS or row in bounds.by_row)
        for row, _ in weights
    }
    fits_count = count_fits(search)
    customary = _search(claim, base, weights, custom, bounds.order) if all(custom.values()) else None
    listed = _listed(claim, reading, strategy, base, weights, customary, bounds.limit) if customary else ()
    found = ReadingSearch(
        dict(reading),
        strategy,
        dict(weights),
        search.tried(),
        fits_count,
        _customary_first(
            listed, _listed(claim, reading, strategy, base, weights, search, bounds.limit), bounds.limit
        ),
        tuple(total + base for total in attained(search)),
        customary.tried() if customary else 0,
        count_fits(customary) if customary else 0,
        listed,
    )
    if fits_count:
        return found
    pays = nearest(search)
    whole = () if pays is None else (_candidate(claim, reading, strategy, base, weights, pays),)
    odds = [
        _candidate(claim, reading, strategy, base, weights, (pay,))
        for pay in bounds.odds([row for row, _ in weights])
    ]
    fits = tuple(one for one in odds if one.fits)
    near = min((*whole, *odds), key=lambda one: claim.distance(one.return_), default=None)
    return replace(
        found,
        candidates_tried=found.candidates_tried + len(odds),
        fits_count=len(fits),
        fits=fits,
        returns=tuple(sorted({one.return_ for one in fits})),
        nearest_miss=None if fits else near,
    )


def _customary_first(
    customary: tuple[Candidate, ...], others: tuple[Candidate, ...], limit: int
) -> tuple[Candidate, ...]:
    return (*customary, *(one for one in others if one not in customary))[:limit]


def _staked(weights: Sequence[tuple[str, Fraction]]) -> Fraction:
    """Returns what the stakes returned with wins add to the return: each row gives its stake back."""
    return sum((weight for _, weight in weights), Fraction(0))


def _search(
    claim: PrintedReturn,
    base: Fraction,
    weights: Sequence[tuple[str, Fraction]],
    pays: Mapping[str, tuple[int, ...]],
    order: Order,
) -> Search:
    rows = tuple(LostRow(row, weight, pays[row]) for row, weight in weights)
    return Search(rows, claim.low - base, claim.high - base, order, claim.low_fits, claim.high_fits)


def _listed(
    claim: PrintedReturn,
    reading: Reading,
    strategy: str,
    base: Fraction,
    weights: Weights,
    search: Search,
    limit: int,
) -> tuple[Candidate, ...]:
    return tuple(
        _candidate(claim, reading, strategy, base, weights, pays) for pays in islice(fitting(search), limit)
    )


def _candidate(
    claim: PrintedReturn,
    reading: Reading,
    strategy: str,
    base: Fraction,
    weights: Weights,
    pays: Sequence[Fraction | int],
) -> Candidate:
    exact = sum((pay * weight for pay, (_, weight) in zip(pays, weights, strict=True)), base)
    rows = {row: Fraction(pay) for pay, (row, _) in zip(pays, weights, strict=True)}
    return Candidate(dict(reading), strategy, rows, exact, claim.stands_for(exact))


def search_conclusion(claim: PrintedReturn, searches: Sequence[ReadingSearch]) -> str:
    """Returns what follows from all searches together, in plain words."""
    parts = [_search_words(search) for search in searches]
    total = sum(search.fits_count for search in searches)
    if not total:
        return f"Impossible within the bounds: no paytable tried returns {claim.text}. {' '.join(parts)}"
    if total == 1:
        return f"Unique within the bounds: one paytable returns {claim.text}. {' '.join(parts)}"
    return (
        f"Ambiguous: {total:,} whole-number paytables return {claim.text}; "
        f"the figure alone cannot name the pays. {' '.join(parts)}"
    )


def _search_words(search: ReadingSearch) -> str:
    reading = ", ".join(f"{rule} {value}" for rule, value in search.reading.items())
    under = f"{reading}, {search.strategy}" if reading else search.strategy
    tried = f"{search.candidates_tried:,} tried"
    if not search.fits_count:
        miss = search.nearest_miss
        nearest_text = f"; nearest miss {percent_text(miss.return_)} %" if miss else ""
        return f"Under {under}: cannot ({tried}{nearest_text})."
    one = f", all with the exact return {search.returns[0]}" if len(search.returns) == 1 else ""
    custom = f"{search.customary_count} of customary pays"
    return f"Under {under}: {search.fits_count:,} fit ({tried}{one}), {custom}."
