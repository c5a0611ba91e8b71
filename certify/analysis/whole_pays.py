"""Whole-number paytables with a given return: counted by arithmetic, listed without missing one.

A paytable returns the sum of weight times pay over its rows. Which pays bring that sum into an interval is a
question about whole numbers; it is answered exactly, whatever the size of the search space.
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from typing import Final

from certify.errors import InputError

SMALL_SUM: Final = 200_000
"""Highest sum that fits for which sums are tabulated; beyond it rows are combined one by one."""

MOST_COMBINATIONS: Final = 2_000_000
"""Most combinations of pays, begun ones too, that are tried one by one: some ten seconds; then it is refused."""

MOST_OCTETS: Final = 1 << 28
"""Most memory of the numbers of one row where sums are tabulated; beyond it rows are combined one by one."""


class Order(StrEnum):
    """How the pays of rows in printed order relate."""

    ANY = "any"
    NON_INCREASING = "non-increasing"
    DECREASING = "decreasing"


@dataclass(frozen=True, slots=True)
class LostRow:
    """A row whose pay is sought: its weight in the return, and the pays that it may have, lowest first."""

    id: str
    weight: Fraction
    pays: tuple[int, ...]

    def __post_init__(self) -> None:
        """Refuses pays that are empty, repeated or out of order, and weights below zero."""
        if not self.pays or any(a >= b for a, b in zip(self.pays, self.pays[1:], strict=False)):
            raise InputError(
                f"pays of {self.id} must be whole numbers, lowest first, none twice, at least one"
            )
        if self.weight < 0:
            raise InputError(f"weight {self.weight} of {self.id} is negative")


@dataclass(frozen=True, slots=True)
class Search:
    """Which pays of these rows bring the weighted sum into an interval, ``[low, high)`` unless stated otherwise?

    Args:
        rows: The rows in printed order.
        low: Lowest sum that fits.
        high: First sum that is too high.
        order: How pays in printed order relate.
        low_fits: Whether the lowest sum itself fits.
        high_fits: Whether the highest does.
    """

    rows: tuple[LostRow, ...]
    low: Fraction
    high: Fraction
    order: Order = Order.NON_INCREASING
    low_fits: bool = True
    high_fits: bool = False

    @property
    def scale(self) -> int:
        """The factor that makes all weights whole."""
        return math.lcm(*(row.weight.denominator for row in self.rows))

    def tried(self) -> int:
        """Returns the number of paytables within the bounds that are in order, fitting or not."""
        free = tuple(replace(row, weight=Fraction(0)) for row in self.rows)
        return _tabulate(replace(self, rows=free), 0)[0]


def count_fits(search: Search) -> int:
    """Returns how many paytables fit, without listing them.

    Raises:
        InputError: More combinations would have to be looked at one by one than are allowed.
    """
    low, high = _whole_bounds(search)
    if high < low:
        return 0
    if _few_sums(search, high):
        return sum(_tabulate(search, high)[low:])
    return sum(len(places) for _, _, places in _combinations(search))


def attained(search: Search, limit: int = 20) -> tuple[Fraction, ...]:
    """Returns the distinct sums that fitting paytables have, lowest first; none where they exceed a limit."""
    low, high = _whole_bounds(search)
    if high < low:
        return ()
    if _few_sums(search, high):
        counts = _tabulate(search, high)
        tabulated = [Fraction(total, search.scale) for total in range(low, high + 1) if counts[total]]
        return tuple(tabulated) if len(tabulated) <= limit else ()
    sums: set[Fraction] = set()
    for pays in fitting(search):
        sums.add(weighted_sum(search, pays))
        if len(sums) > limit:
            return ()
    return tuple(sorted(sums))


def weighted_sum(search: Search, pays: Sequence[int]) -> Fraction:
    """Returns the sum of weight times pay of a paytable."""
    return sum((row.weight * pay for row, pay in zip(search.rows, pays, strict=True)), Fraction(0))


def _whole_bounds(search: Search) -> tuple[int, int]:
    """Returns the lowest and highest whole scaled sum that fits."""
    low, high = search.low * search.scale, search.high * search.scale
    return (
        max(math.ceil(low) if search.low_fits else math.floor(low) + 1, 0),
        math.floor(high) if search.high_fits else math.ceil(high) - 1,
    )


def _weights(search: Search) -> list[int]:
    return [int(row.weight * search.scale) for row in search.rows]


def _few_sums(search: Search, high: int) -> bool:
    """Returns whether sums up to ``high`` are few enough to be tabulated, in time and in memory."""
    affordable = max(
        min(len(row.pays), high // weight + 1) if weight else len(row.pays)
        for row, weight in zip(search.rows, _weights(search), strict=True)
    )
    return high <= SMALL_SUM and affordable * (high + 1) * _octets(search) <= MOST_OCTETS


def _octets(search: Search) -> int:
    """Returns how many octets hold the number of all paytables, in order or not."""
    return math.prod(len(row.pays) for row in search.rows).bit_length() // 8 + 1


def _tabulate(search: Search, high: int) -> list[int]:
    """Returns the number of paytables for each scaled sum from 0 to ``high``.

    Each polynomial (coefficient k: paytables with sum k) is packed into one whole number with a slot per
    coefficient, wide enough that no count can spill over. Rows are added in printed order; a running total
    over the pays of the row before keeps the order of pays.
    """
    octets = _octets(search)
    slot = 8 * octets
    mask = (1 << slot * (high + 1)) - 1
    before: list[tuple[int, int]] = []
    for position, (row, weight) in enumerate(zip(search.rows, _weights(search), strict=True)):
        affordable = row.pays[: bisect_right(row.pays, high // weight)] if weight else row.pays
        before = [
            (pay, (allowed << slot * weight * pay) & mask)
            for pay, allowed in _allowed(search.order, before, affordable, first=position == 0)
        ]
    packed = sum(polynomial for _, polynomial in before).to_bytes(octets * (high + 1), "little")
    return [int.from_bytes(packed[at : at + octets], "little") for at in range(0, len(packed), octets)]


def _allowed(
    order: Order, before: list[tuple[int, int]], pays: Sequence[int], *, first: bool
) -> Iterator[tuple[int, int]]:
    """Yields each pay with the sum of the polynomials of the pays that may stand before it."""
    if first:
        yield from ((pay, 1) for pay in pays)
        return
    everything = sum(polynomial for _, polynomial in before)
    if order is Order.ANY:
        yield from ((pay, everything) for pay in pays)
        return
    descending = sorted(before, reverse=True)
    total, taken = 0, 0
    results = []
    for pay in reversed(pays):
        while taken < len(descending) and may_precede(order, descending[taken][0], pay):
            total += descending[taken][1]
            taken += 1
        results.append((pay, total))
    yield from reversed(results)


def may_precede(order: Order, before: int, pay: int) -> bool:
    """Returns whether a pay may come before another one in the printed order."""
    return order is Order.ANY or (before > pay if order is Order.DECREASING else before >= pay)


def fitting(search: Search) -> Iterator[tuple[int, ...]]:
    """Yields every paytable that fits, pays in printed order of the rows.

    Rows are chosen heaviest first, within what the others can still make up; the lightest row's pays then
    follow by division. Nothing is skipped but what cannot fit.

    Raises:
        InputError: More combinations would have to be looked at one by one than are allowed.
    """
    for chosen, last, places in _combinations(search):
        for place in places:
            found = {**chosen, last: search.rows[last].pays[place]}
            yield tuple(found[row] for row in range(len(search.rows)))


def _combinations(search: Search) -> Iterator[tuple[dict[int, int], int, range]]:
    """Yields pays of some rows, the next row, and the places of its pays that then fit: none but of the last row."""
    low, high = _whole_bounds(search)
    weights = _weights(search)
    sequence = sorted(range(len(weights)), key=lambda row: (-weights[row], row))
    fits = 0
    for place, combination in enumerate(_choose(search, weights, sequence, low, high, {})):
        if place == MOST_COMBINATIONS:
            raise InputError(
                f"more than {MOST_COMBINATIONS:,} combinations of pays of {len(weights)} rows would have to be "
                f"tried one by one, and {fits:,} paytables fit among those that were: expected narrower bounds, or "
                "fixed pays of some rows"
            )
        fits += len(combination[2])
        yield combination


def _choose(
    search: Search, weights: list[int], sequence: list[int], low: int, high: int, chosen: dict[int, int]
) -> Iterator[tuple[dict[int, int], int, range]]:
    row, rest = sequence[0], sequence[1:]
    pays, weight = search.rows[row].pays, weights[row]
    start, stop = _between(search, row, chosen)
    least = sum(weights[other] * search.rows[other].pays[0] for other in rest)
    most = sum(weights[other] * search.rows[other].pays[-1] for other in rest)
    if weight:
        start = bisect_left(pays, -((most - low) // weight), start, stop)
        stop = bisect_right(pays, (high - least) // weight, start, stop)
    elif not rest and not low <= 0 <= high:
        stop = start
    # A combination that is only begun counts as well: where nothing fits, none may come to its end.
    yield chosen, row, range(0) if rest else range(start, stop)
    for place in range(start, stop) if rest else ():
        spent = weight * pays[place]
        yield from _choose(search, weights, rest, low - spent, high - spent, {**chosen, row: pays[place]})


def _between(search: Search, row: int, chosen: dict[int, int]) -> tuple[int, int]:
    """Returns the places of a row's pays that keep the order with the rows already chosen."""
    pays = search.rows[row].pays
    if search.order is Order.ANY:
        return 0, len(pays)
    step = 1 if search.order is Order.DECREASING else 0
    above = [chosen[other] - step * (row - other) for other in chosen if other < row]
    below = [chosen[other] + step * (other - row) for other in chosen if other > row]
    start = bisect_left(pays, max(below)) if below else 0
    return start, max(start, bisect_right(pays, min(above)) if above else len(pays))


def nearest(search: Search) -> tuple[int, ...] | None:
    """Returns a paytable in order whose sum is nearest to the interval, or none if no order is possible.

    The band on both sides of the interval is doubled until a paytable is in it; the nearest of those in the
    band is the nearest of all.
    """
    width = search.high - search.low
    limit = weighted_sum(search, [row.pays[-1] for row in search.rows]) + abs(search.low) + abs(search.high)
    while width <= 2 * limit:
        wide = replace(search, low=search.low - width, high=search.high + width)
        found = min(fitting(wide), key=lambda pays: (_distance(search, pays), pays), default=None)
        if found:
            return found
        width *= 2
    return None


def _distance(search: Search, pays: tuple[int, ...]) -> Fraction:
    total = weighted_sum(search, pays)
    return max(search.low - total, total - search.high, Fraction(0))
