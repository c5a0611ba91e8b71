"""Pays that reproduce a printed return under one reading and one strategy: whole numbers to 1, else other odds."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import islice
from typing import Final

from certify.analysis.whole_pays import LostRow, Order, Search, attained, count_fits, fitting, nearest
from certify.errors import InputError, NothingCheckedError
from certify.evidence import Candidate, ReadingSearch, Recovery
from certify.exact import percent_text
from certify.model import HOUSE_EDGE, RETURN, Claim, Game, Provenance

RETURNS: Final = (RETURN, HOUSE_EDGE)
"""What states the return of a wager: itself, or the house edge, which is what it lacks of the stake."""

Reading = tuple[tuple[str, str], ...]
"""How open rules are read, as (rule id, value) pairs."""


@dataclass(frozen=True, slots=True)
class PrintedReturn:
    """What a source prints about the return of one wager, all its figures together.

    Args:
        wager: Id of the wager.
        text: The figures as printed.
        low: Lowest return that prints as all of them.
        high: First return above it that does not.
        low_fits: Whether the lowest return itself prints so; all above it do.
        high_fits: Whether the highest one does, as where a house edge is printed: its lowest is the highest return.
    """

    wager: str
    text: str
    low: Fraction
    high: Fraction
    low_fits: bool = True
    high_fits: bool = False

    @property
    def value(self) -> Fraction:
        """The middle of the interval, from which distances are measured."""
        return (self.low + self.high) / 2

    def stands_for(self, exact: Fraction) -> bool:
        """Returns whether an exact return prints as all the figures."""
        above = exact > self.low or (self.low_fits and exact == self.low)
        return above and (exact < self.high or (self.high_fits and exact == self.high))

    def recovery(
        self,
        bounds: Iterable[tuple[str, str]],
        readings: Sequence[ReadingSearch],
        conclusion: str,
        candidates: tuple[Candidate, ...] | None = None,
    ) -> Recovery:
        """Returns what searches found for the figures.

        Args:
            bounds: Bounds of the search in plain words, by name.
            readings: What was found, reading by reading.
            conclusion: What follows, in plain words.
            candidates: All candidates where they are few enough to be listed whole.
        """
        interval = (self.low, self.high)
        return Recovery(
            self.wager, self.text, interval, dict(bounds), tuple(readings), conclusion, candidates
        )

    def distance(self, exact: Fraction) -> Fraction:
        """Returns how far an exact return is from those that print so."""
        return max(self.low - exact, exact - self.high, Fraction(0))

    def among(self, pays: Sequence[int], exact: Callable[[int], Fraction]) -> slice:
        """Returns the places of the pays that fit, which are neighbours: a return does not fall as a pay rises.

        Args:
            pays: Pays of one row, lowest first.
            exact: The return at each of them.
        """
        first = bisect_left if self.low_fits else bisect_right
        beyond = bisect_right if self.high_fits else bisect_left
        return slice(first(pays, self.low, key=exact), beyond(pays, self.high, key=exact))


def printed_return(game: Game, wager: str) -> PrintedReturn:
    """Returns the printed return of a wager: what all its figures have in common where there are several.

    Raises:
        InputError: The game has no such wager, or its figures contradict each other.
        NothingCheckedError: The source prints none.
    """
    game_wagers = [entry.id for entry in game.wagers]
    if wager not in game_wagers:
        raise InputError(f"no wager {wager!r} in {game.id}: expected {', '.join(game_wagers)}")
    figures = [_as_return(claim) for claim in game.claims_on(wager) if claim.metric in RETURNS]
    if not figures:
        raise NothingCheckedError(nothing_printed(game, [wager]))
    # Where two ends are equal, the one that does not print so decides.
    low, low_fits = max(((one.low, one.low_fits) for one in figures), key=lambda end: (end[0], not end[1]))
    high, high_fits = min(((one.high, one.high_fits) for one in figures), key=lambda end: end)
    if low > high or (low == high and not (low_fits and high_fits)):
        texts = " and ".join(one.text for one in figures)
        raise InputError(f"the printed returns {texts} of {wager} cannot mean one value")
    ends = (low, high, low_fits, high_fits)
    # One figure says it all where its interval is within the others.
    narrowest = [one.text for one in figures if (one.low, one.high, one.low_fits, one.high_fits) == ends]
    return PrintedReturn(wager, narrowest[0] if narrowest else _together(game, wager), *ends)


def _as_return(claim: Claim) -> PrintedReturn:
    """Returns a printed return, or the return that a printed house edge leaves."""
    low, high = claim.printed.interval
    if claim.metric == HOUSE_EDGE:
        return PrintedReturn(claim.wager, _words(claim), 1 - high, 1 - low, low_fits=False, high_fits=True)
    return PrintedReturn(claim.wager, claim.text, low, high)


def _words(claim: Claim) -> str:
    return f"a house edge of {claim.text}" if claim.metric == HOUSE_EDGE else claim.text


def _together(game: Game, wager: str) -> str:
    return " and ".join(
        f"{_words(claim)}{' (cut off)' if claim.printed.truncated else ''}"
        for claim in game.claims_on(wager)
        if claim.metric in RETURNS
    )


def printed_wagers(game: Game) -> tuple[str, ...]:
    """Returns the wagers of which a return or a house edge is printed, in the order of the claims."""
    return tuple(dict.fromkeys(claim.wager for claim in game.claims if claim.metric in RETURNS))


def nothing_printed(game: Game, wagers: list[str]) -> str:
    """Returns what to say of wagers whose return the submission does not print."""
    return (
        f"{game.id} prints no return for {', '.join(wagers)}: there is nothing to identify pays or readings by. "
        f'Expected [[claims]] with wager, metric = "{RETURN}" or "{HOUSE_EDGE}" and the printed value'
    )


CUSTOMARY_PAYS = (
    *range(1, 11), 12, 15, 20, 25, 30, 35, 40, 45, 50, 60, 75, 80,
    100, 120, 125, 150, 200, 250, 300, 400, 500,
)  # fmt: skip
"""Pays such as layouts print. The list is this project's own and only sorts answers; it excludes none."""

_OVER = {
    2: (1, 3, 5, 7, 9), 3: (1, 2, 4, 8), 4: (1, 3, 5, 9), 5: (4, 6, 7, 8, 9), 6: (5, 7),
    10: (9,), 20: (19,), 25: (24,), 40: (39,),
}  # fmt: skip
CUSTOMARY_ODDS = tuple(Fraction(over, under) for under, overs in _OVER.items() for over in overs)
"""Pays such as layouts print that are no whole number to 1: even money less a commission among them.

Tried where no whole number fits: any fraction at all would come near any figure, so that finding one says nothing.
"""


@dataclass(frozen=True, slots=True)
class PayBounds:
    """Which paytables are tried for a side bet.

    Args:
        minimum: Lowest pay to 1 of any row.
        maximum: Highest pay to 1 of any row.
        by_row: Allowed pays of single rows, in place of the bounds; one value fixes a row.
        order: How pays in printed order relate.
        limit: How many fitting paytables are listed; all are counted.
        for_one: Whether these are pays for 1, which hold the stake: 9 for 1 is 8 to 1.
    """

    minimum: int = 1
    maximum: int = 500
    by_row: Mapping[str, Sequence[int]] = field(default_factory=dict)
    order: Order = Order.NON_INCREASING
    limit: int = 20
    for_one: bool = False

    @property
    def both_forms(self) -> bool:
        """Whether pays for 1 are tried besides pays to 1: nothing else says how they are printed."""
        return not self.for_one and not self.by_row

    def pays(self, row: str) -> tuple[int, ...]:
        """Returns the pays to 1 that are tried for a row, lowest first."""
        stated = self.by_row.get(row, range(self.minimum, self.maximum + 1))
        return tuple(sorted({pay - self.for_one for pay in stated if pay >= self.for_one}))

    def customary(self, row: str) -> tuple[int, ...]:
        """Returns those of them that layouts print, in the form that is printed."""
        return tuple(
            pay for pay in self.pays(row) if pay + self.for_one in CUSTOMARY_PAYS or row in self.by_row
        )

    def odds(self, rows: Sequence[str]) -> tuple[Fraction, ...]:
        """Returns the odds tried where no whole number fits: only one row can then be stated, not a bounded one."""
        told = len(rows) == 1 and rows[0] not in self.by_row and not self.for_one
        return CUSTOMARY_ODDS if told else ()

    def words(self, sought: Sequence[str] = (), *, forms: bool = True) -> tuple[tuple[str, str], ...]:
        """Returns the bounds in plain words.

        Args:
            sought: The rows for which odds are tried too where no whole number fits.
            forms: Whether pays are tried in both forms.
        """
        rows = tuple((row, ", ".join(map(str, self.pays(row)))) for row in self.by_row)
        form = "for 1" if self.for_one else "to 1"
        if forms and self.both_forms:
            form += ", and for 1"
        odds = ", ".join(str(one) for one in self.odds(sought))
        return (
            ("pays", f"whole numbers from {self.minimum} to {self.maximum} {form}"),
            *((("where none fits", f"{odds} to 1"),) if odds else ()),
            ("order", f"{self.order.value} in printed order"),
            *rows,
        )


def check_bounds(game: Game, wager: str, bounds: PayBounds) -> None:
    """Refuses bounds that fit no row of a wager.

    Raises:
        InputError: A row is not in the paytable, or the range is none.
    """
    rows = game.wager(wager).paytable.ids
    unknown = sorted(set(bounds.by_row) - set(rows))
    if unknown:
        raise InputError(f"no row {', '.join(unknown)} in {wager}: expected {', '.join(rows)}")
    if not 0 <= bounds.minimum <= bounds.maximum:
        raise InputError(
            f"pays from {bounds.minimum} to {bounds.maximum} are no range of whole numbers from 0"
        )


def lost_rows(game: Game, wager: str) -> tuple[str, ...]:
    """Returns the rows of a wager whose pays no source prints.

    Raises:
        NothingCheckedError: Every pay is printed.
    """
    rows = game.wager(wager).paytable.rows
    lost = tuple(row.id for row in rows if row.origin.provenance is Provenance.RECOVERED)
    if not lost:
        raise NothingCheckedError(
            f"every pay of {wager} is printed: its printed return is compared with the exact one, and there is "
            "nothing to search for. Expected a row that is marked as recovered"
        )
    return lost


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
    if base is None:
        # Each row gives its stake back.
        base = sum((weight for _, weight in weights), Fraction(0))
    printed = dict(weights)
    if _order_of(weights) == _FROM_THE_LIKELIEST:
        weights = weights[::-1]
    search = _search(claim, base, weights, {row: bounds.pays(row) for row, _ in weights}, bounds.order)
    custom = {row: bounds.customary(row) for row, _ in weights}
    fits_count = count_fits(search)
    customary = _search(claim, base, weights, custom, bounds.order) if all(custom.values()) else None
    listed = _listed(claim, reading, strategy, base, weights, customary, bounds.limit) if customary else ()
    others = _listed(claim, reading, strategy, base, weights, search, bounds.limit)
    found = ReadingSearch(
        dict(reading),
        strategy,
        printed,
        search.tried(),
        fits_count,
        (*listed, *(one for one in others if one not in listed))[: bounds.limit],
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


BY_RARITY: Final = ("order of pays", "the rarest row pays most")
"""A reading of rows that are printed neither from the rarest on nor from the likeliest on."""

FOR_ONE: Final = ("form of pays", "for 1, the stake included")
"""A reading of pays as keno and video poker print them: 9 for 1 is 8 to 1, and 1 for 1 gives the stake back."""


def search_orders(
    claim: PrintedReturn,
    strategy: str,
    weights: Weights,
    bounds: PayBounds,
    base: Fraction | None = None,
) -> Iterator[ReadingSearch]:
    """Yields what fits in printed order and, where that is not the order of rarity, what fits in that order.

    What is unique in one of the orders may be one of many in the other, such as keno printed by rising catches.
    """
    orders: list[tuple[Reading, Weights]] = [((), weights)]
    if bounds.order is not Order.ANY and _order_of(weights) == _MIXED:
        orders.append(((BY_RARITY,), tuple(sorted(weights, key=lambda one: one[1]))))
    for order, rows in orders:
        found = partial(search_reading, claim, strategy=strategy, weights=rows, base=base)
        yield from search_forms(order, bounds, found)


def search_forms(
    order: Reading, bounds: PayBounds, found: Callable[..., ReadingSearch]
) -> Iterator[ReadingSearch]:
    """Yields what fits to 1 and, where it is not stated how pays are printed or what single rows pay, what fits for 1.

    Pays for 1 are listed where other paytables fit than to 1.
    """
    to_one = found(order, bounds=bounds)
    yield to_one
    if bounds.both_forms:
        stakes_in = replace(bounds, minimum=max(bounds.minimum, 1), for_one=True)
        for_one = found((*order, FOR_ONE), bounds=stakes_in)
        if for_one.fits_count > to_one.fits_count or not _pays_listed(for_one) <= _pays_listed(to_one):
            yield for_one


def _pays_listed(search: ReadingSearch) -> set[tuple[tuple[str, Fraction], ...]]:
    return {tuple(sorted(fit.pays.items())) for fit in search.fits}


_FROM_THE_LIKELIEST: Final = (
    " Rows are printed from the likeliest to the rarest: pays were tried in the opposite order."
)
_MIXED: Final = (
    " Rows are not printed in the order of their rarity: pays in both orders were tried, any order was not."
)


def _order_of(weights: Weights) -> str:
    """Returns what is to be stated of the order in which rows are printed: nothing where the rarest comes first."""
    rising = sorted(weight for _, weight in weights)
    stated = [weight for _, weight in weights]
    return "" if stated == rising else _FROM_THE_LIKELIEST if stated[::-1] == rising else _MIXED


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
    total = _different(searches)
    if not total:
        return f"Impossible within the bounds: no paytable tried returns {claim.text}. {' '.join(parts)}"
    if total == 1:
        return f"Unique within the bounds: one paytable returns {claim.text}. {' '.join(parts)}"
    return (
        f"Ambiguous: {total:,} whole-number paytables return {claim.text}; "
        f"the figure alone cannot name the pays. {' '.join(parts)}"
    )


def _different(searches: Sequence[ReadingSearch]) -> int:
    """Returns how many paytables fit; one that fits in several orders or forms is counted once where all are listed."""
    if any(search.fits_count > len(search.fits) for search in searches):
        return sum(search.fits_count for search in searches)
    found = set()
    for search in searches:
        reading = tuple(one for one in search.reading.items() if one not in (BY_RARITY, FOR_ONE))
        found |= {(search.strategy, reading, pays) for pays in _pays_listed(search)}
    return len(found)


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
    order = _order_of(tuple(search.weights.items()))
    return f"Under {under}: {search.fits_count:,} fit ({tried}{one}), {custom}.{order}"
