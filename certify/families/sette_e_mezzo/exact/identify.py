"""From printed, rounded returns back to rules and pays: of one return, and of several that one player must have."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice, product
from math import prod
from typing import Any

from certify.analysis.pay_search import (
    RETURNS,
    PayBounds,
    PrintedReturn,
    Reading,
    check_bounds,
    nothing_printed,
    printed_return,
    search_conclusion,
    search_reading,
)
from certify.analysis.whole_pays import LostRow, Search, fitting
from certify.errors import InputError, NothingCheckedError
from certify.evidence import Candidate, ReadingSearch, Recovery
from certify.exact import format_odds, fraction_text, percent_text
from certify.families.sette_e_mezzo.exact.best_play import chances, solve
from certify.families.sette_e_mezzo.exact.figures import named_strategy, return_of
from certify.families.sette_e_mezzo.rules import (
    KING_SEVEN_AND_A_HALF,
    MAIN,
    PARTITA_PERFETTA,
    WAGER_IDS,
    WIN,
    PairCondition,
    Tie,
    rules_of,
)
from certify.families.seven_and_a_half.strategy_files import ALWAYS_SECOND_CARD
from certify.model import JOINTLY_OPTIMAL, MAIN_OPTIMAL, Game, checked_stakes, repaid
from certify.untrusted_input import JsonObject

KING_PAYS = tuple(Fraction(n, 2) for n in (2, 3, 4, 5, 6, 8, 10))
"""Pays tried for the two-card 7½ with the King of Denari: 1, 3/2, 2, 5/2, 3, 4 and 5 to 1."""


def identify(game: Game, wager: str, bounds: PayBounds) -> Recovery:
    """Returns which readings and pays reproduce the printed return of a wager.

    The submission's own pays and reading of the wager in question are not used. The candidates of ``main``
    are fixed; the bounds are for side bets.

    Args:
        game: The submission.
        wager: Id of the wager.
        bounds: Which pays are tried, and how many fitting paytables are listed; all are counted.

    Raises:
        InputError: No such wager, or bounds that fit no row.
        NothingCheckedError: No return is printed for it.
    """
    claim = printed_return(game, wager)
    if wager == MAIN:
        return _identify_main(game, claim)
    check_bounds(game, wager, bounds)
    searches = [
        search_reading(
            claim, reading, strategy, row_weights(read_as(game, condition), claim.wager, strategy), bounds
        )
        for reading, condition, strategy in _readings(claim.wager)
    ]
    return claim.recovery(bounds.words(forms=False), searches, search_conclusion(claim, searches))


def _identify_main(game: Game, claim: PrintedReturn) -> Recovery:
    win = game.wager(MAIN).paytable.pays(WIN)
    tried = (
        (dict(reading), king, 1 + solve(with_king(read, king)).wager_expectation(MAIN))
        for reading, read in main_readings(game)
        for king in KING_PAYS
    )
    candidates = [
        Candidate(
            reading, MAIN_OPTIMAL, {KING_SEVEN_AND_A_HALF: king, WIN: win}, exact, claim.stands_for(exact)
        )
        for reading, king, exact in tried
    ]
    fits = tuple(candidate for candidate in candidates if candidate.fits)
    miss = None if fits else min(candidates, key=lambda candidate: abs(candidate.return_ - claim.value))
    search = ReadingSearch({}, MAIN_OPTIMAL, {}, len(candidates), len(fits), fits, nearest_miss=miss)
    words = (
        ("tie", "loses or pushes"),
        ("king-wins-against-dealer-seven-and-a-half", "yes or no"),
        (KING_SEVEN_AND_A_HALF, "1, 3/2, 2, 5/2, 3, 4 or 5 to 1"),
        ("strategy", "optimal for each candidate, composition by composition"),
    )
    return claim.recovery(words, (search,), _main_conclusion(claim, fits, candidates), tuple(candidates))


def main_readings(game: Game) -> Iterator[tuple[Reading, Game]]:
    """Yields every reading of the main wager with the game so read."""
    for tie, king_wins in product((Tie.LOSE, Tie.PUSH), (False, True)):
        rules = replace(rules_of(game), tie=tie, king_wins_against_dealer_seven_and_a_half=king_wins)
        yield (
            (
                ("tie", tie.value),
                ("king-wins-against-dealer-seven-and-a-half", "yes" if king_wins else "no"),
            ),
            replace(game, rules=rules),
        )


def with_king(game: Game, pays: Fraction) -> Game:
    """Returns a game with another pay of the two-card 7½ with the King of Denari."""
    return repaid(game, {(MAIN, KING_SEVEN_AND_A_HALF): pays})


def _main_conclusion(claim: PrintedReturn, fits: Sequence[Candidate], candidates: Sequence[Candidate]) -> str:
    others = [candidate for candidate in candidates if not candidate.fits]
    nearest_other = min(others, key=lambda candidate: abs(candidate.return_ - claim.value))
    miss = f"the nearest other candidate returns {percent_text(nearest_other.return_)} %"
    if not fits:
        return f"Impossible: none of {len(candidates)} candidates returns {claim.text}; {miss}."
    if len(fits) > 1:
        return f"Ambiguous: {len(fits)} of {len(candidates)} candidates return {claim.text}."
    return (
        f"Unique: exactly one of {len(candidates)} candidates returns {claim.text}, "
        f"exactly {percent_text(fits[0].return_)} %; {miss}."
    )


def _readings(wager: str) -> list[tuple[Reading, PairCondition | None, str]]:
    """Returns the readings and strategies under which a side bet's figure may have been worked out."""
    strategies = (MAIN_OPTIMAL, ALWAYS_SECOND_CARD)
    if wager != PARTITA_PERFETTA:
        return [((), None, strategy) for strategy in strategies]
    # Read unconditionally, the pair is decided by two cards that no strategy touches.
    readings = [(PairCondition.UNCONDITIONAL, MAIN_OPTIMAL)]
    readings += [(PairCondition.DEALER_MUST_UNCOVER, strategy) for strategy in strategies]
    return [((("pair-condition", condition.value),), condition, name) for condition, name in readings]


def read_as(game: Game, condition: PairCondition | None) -> Game:
    """Returns a game with the pair read as given, or as it is."""
    return (
        game if condition is None else replace(game, rules=replace(rules_of(game), pair_condition=condition))
    )


def row_weights(game: Game, wager: str, strategy: str) -> tuple[tuple[str, Fraction], ...]:
    """Returns the exact probability of each row of a wager under a strategy."""
    found = chances(game, named_strategy(game, strategy))[wager]
    return tuple((row, found.get(row, Fraction(0))) for row in game.wager(wager).paytable.ids)


MOST_LISTED = 100_000
"""Combinations of side bets' pays that are looked at one by one for joint play; beyond it pays must be narrowed."""

MOST_SOLVED = 300
"""Combinations whose joint play is solved, a tenth of a second each."""

PaysByWager = tuple[tuple[str, tuple[tuple[str, Fraction], ...]], ...]


@dataclass(frozen=True, slots=True)
class TogetherFit:
    """Readings and pays under which all printed returns hold for one player.

    Args:
        reading: How open rules are read.
        pays: Pays of the rows that were sought, by wager.
        returns: Exact return of each wager.
    """

    reading: Reading
    pays: PaysByWager
    returns: tuple[tuple[str, Fraction], ...]


@dataclass(frozen=True, slots=True)
class TogetherSearch:
    """What was found for one way to play.

    Args:
        strategy: How the player plays on all wagers.
        candidates_tried: Combinations of readings and pays within the bounds.
        fits_count: How many give all printed returns at once.
        fits: Some of them.
        main_fits: How many candidates of the main wager alone give its printed return, so played.
    """

    strategy: str
    candidates_tried: int
    fits_count: int
    fits: tuple[TogetherFit, ...]
    main_fits: int


@dataclass(frozen=True, slots=True)
class PaysTogether:
    """Which readings and pays give several printed returns at once.

    Args:
        game: Id of the game.
        claims: The printed returns.
        stakes: Units on each wager, where joint play is searched.
        searches: What was found, strategy by strategy.
    """

    game: str
    claims: tuple[PrintedReturn, ...]
    stakes: tuple[tuple[str, Fraction], ...]
    searches: tuple[TogetherSearch, ...]

    @property
    def fits_count(self) -> int:
        """Number of candidates that fit over all strategies."""
        return sum(search.fits_count for search in self.searches)

    @property
    def conclusion(self) -> str:
        """What follows, in plain words."""
        texts = ", ".join(f"{claim.wager} {claim.text}" for claim in self.claims)
        parts = " ".join(_words(search) for search in self.searches)
        if not self.fits_count:
            return f"Impossible within the bounds: no one player has {texts} together. {parts}"
        one = (
            "Unique within the bounds"
            if self.fits_count == 1
            else f"Ambiguous: {self.fits_count:,} candidates"
        )
        return f"{one}: one player can have {texts} together. {parts}"


def _words(search: TogetherSearch) -> str:
    fits = f"{search.fits_count:,} fit" if search.fits_count else "cannot"
    main = "" if search.main_fits else "; main alone never returns its figure, so played"
    return f"Under {search.strategy}: {fits} ({search.candidates_tried:,} tried{main})."


def identify_together(
    game: Game,
    *,
    stakes: Mapping[str, Fraction] | None = None,
    bounds: PayBounds | None = None,
) -> PaysTogether:
    """Returns which readings and pays give all printed returns of 7 e Mezzo to one and the same player.

    Each wager by itself may be read under a strategy of its own; together they may not. Readings and pays of
    ``main`` are those of :func:`identify`; rows of side bets take the bounds. Without stakes
    the player plays best for main, or always takes a second card. With stakes, joint play is tried too: it
    depends on the very pays that are sought, so that every combination is solved as a game of its own.

    Args:
        game: The submission; its own pays and readings of these wagers are not used.
        stakes: Units on each wager for joint play.
        bounds: Pays that are tried for the rows of side bets, and, by row, for the King of Denari.

    Raises:
        InputError: The game has no main wager with a printed return among several, stakes on a wager without a
            printed return, or more combinations than joint play can be solved for.
        NothingCheckedError: Fewer than two returns are printed.
    """
    rules = rules_of(game)
    wagers = [wager for wager in WAGER_IDS if any(c.metric in RETURNS for c in game.claims_on(wager))]
    if len(wagers) < 2 or MAIN not in wagers:
        missing = [wager for wager in WAGER_IDS if wager not in wagers]
        raise NothingCheckedError(nothing_printed(game, missing) + "; together takes main and a side bet")
    tried = bounds or PayBounds()
    problem = _Problem(game, tuple(printed_return(game, wager) for wager in wagers), tried)
    conditions = list(PairCondition) if PARTITA_PERFETTA in wagers else [rules.pair_condition]
    read = [entry for condition in conditions for entry in problem.readings(condition)]
    searches = [problem.fixed(read, strategy) for strategy in (MAIN_OPTIMAL, ALWAYS_SECOND_CARD)]
    placed: tuple[tuple[str, Fraction], ...] = ()
    if stakes is not None:
        placed = tuple(checked_stakes(game, stakes).items())
        without = [wager for wager, stake in placed if stake and wager not in wagers]
        if without:
            raise InputError(f"a stake on {', '.join(without)}, of which no return is printed")
        searches.append(problem.jointly(read, dict(placed)))
    return PaysTogether(game.id, problem.claims, placed, tuple(searches))


@dataclass(frozen=True, slots=True)
class _Read:
    reading: Reading
    king: Fraction
    game: Game


@dataclass(frozen=True, slots=True)
class _Problem:
    """The printed returns, and what may be put in for the unknown pays."""

    game: Game
    claims: tuple[PrintedReturn, ...]
    bounds: PayBounds

    @property
    def sides(self) -> tuple[PrintedReturn, ...]:
        return self.claims[1:]

    def readings(self, condition: PairCondition) -> Iterator[_Read]:
        """Yields every reading of main with every pay of the King of Denari, the pair read as given."""
        own = self.bounds.by_row.get(KING_SEVEN_AND_A_HALF)
        for reading, game in main_readings(read_as(self.game, condition)):
            for pays in KING_PAYS if own is None else map(Fraction, own):
                yield _Read((*reading, ("pair-condition", condition.value)), pays, with_king(game, pays))

    def fixed(self, readings: Sequence[_Read], strategy: str) -> TogetherSearch:
        """Returns what fits under a strategy that no side bet's pay can change: side bets are counted apart."""
        tried = count = main_fits = 0
        fits: list[TogetherFit] = []
        for read in readings:
            main = _main_return(read.game, strategy)
            tried += prod(self._search(read, claim).tried() for claim in self.sides)
            if not self.claims[0].stands_for(main):
                continue
            main_fits += 1
            found = [
                search_reading(
                    claim, (), strategy, row_weights(read.game, claim.wager, strategy), self.bounds
                )
                for claim in self.sides
            ]
            count += prod(search.fits_count for search in found)
            for sides in islice(product(*(search.fits for search in found)), self.bounds.limit - len(fits)):
                pays = tuple(
                    (claim.wager, tuple(side.pays.items()))
                    for claim, side in zip(self.sides, sides, strict=True)
                )
                returns = (
                    (MAIN, main),
                    *((c.wager, s.return_) for c, s in zip(self.sides, sides, strict=True)),
                )
                fits.append(
                    TogetherFit(read.reading, ((MAIN, ((KING_SEVEN_AND_A_HALF, read.king),)), *pays), returns)
                )
        return TogetherSearch(strategy, tried, count, tuple(fits), main_fits)

    def jointly(self, readings: Sequence[_Read], stakes: Mapping[str, Fraction]) -> TogetherSearch:
        """Returns what fits under the play that is best for all stakes, every combination solved by itself."""
        tried = sum(prod(self._search(read, claim).tried() for claim in self.sides) for read in readings)
        possible = [(read, pays) for read in readings for pays in self._combinations(read, stakes)]
        if len(possible) > MOST_SOLVED:
            raise InputError(
                f"joint play depends on the pays: {len(possible):,} combinations cannot be ruled out, at most "
                f"{MOST_SOLVED} are solved; narrow the pays of the rows"
            )
        fits, main_fits = [], 0
        for read, pays in possible:
            game = with_pays(read.game, {row: pay for _, rows in pays for row, pay in rows})
            table = named_strategy(game, JOINTLY_OPTIMAL, stakes)
            returns = {claim.wager: return_of(game, table, claim.wager) for claim in self.claims}
            main_fits += self.claims[0].stands_for(returns[MAIN])
            if all(claim.stands_for(returns[claim.wager]) for claim in self.claims):
                whole = ((MAIN, ((KING_SEVEN_AND_A_HALF, read.king),)), *pays)
                fits.append(TogetherFit(read.reading, whole, tuple(returns.items())))
        return TogetherSearch(JOINTLY_OPTIMAL, tried, len(fits), tuple(fits[: self.bounds.limit]), main_fits)

    def _search(self, read: _Read, claim: PrintedReturn) -> Search:
        rows = read.game.wager(claim.wager).paytable.ids
        free = tuple(LostRow(row, Fraction(0), self.bounds.pays(row)) for row in rows)
        return Search(free, Fraction(0), Fraction(1), self.bounds.order)

    def _combinations(self, read: _Read, stakes: Mapping[str, Fraction]) -> Iterator[PaysByWager]:
        """Yields the pays that cannot be ruled out without solving joint play.

        No play gives main more than play that is best for main, nor the whole stake more than joint play: so the
        figures together must reach what the whole stake is worth under any other play.
        """
        if _main_return(read.game, MAIN_OPTIMAL) < self.claims[0].low:
            return
        searches = [self._search(read, claim) for claim in self.sides]
        if prod(search.tried() for search in searches) > MOST_LISTED:
            raise InputError(
                f"joint play depends on the pays: more than {MOST_LISTED:,} combinations of them; narrow the "
                "pays of the rows"
            )
        lists = [list(fitting(search)) for search in searches]
        most = sum((stakes.get(claim.wager, 0) * claim.high for claim in self.claims), Fraction(0))
        others = (MAIN_OPTIMAL, ALWAYS_SECOND_CARD)
        mains = {name: stakes[MAIN] * _main_return(read.game, name) for name in others}
        # What one unit that comes back in each row is worth to the whole stake.
        weights = {
            (claim.wager, name): [
                stakes.get(claim.wager, 0) * weight for _, weight in row_weights(read.game, claim.wager, name)
            ]
            for claim in self.sides
            for name in others
        }
        for chosen in product(*lists):
            back = [
                mains[name]
                + sum(
                    (1 + pay) * weight
                    for claim, pays in zip(self.sides, chosen, strict=True)
                    for pay, weight in zip(pays, weights[claim.wager, name], strict=True)
                )
                for name in others
            ]
            if max(back) < most:
                yield tuple(
                    (
                        claim.wager,
                        tuple(
                            (row, Fraction(pay))
                            for row, pay in zip(read.game.wager(claim.wager).paytable.ids, pays, strict=True)
                        ),
                    )
                    for claim, pays in zip(self.sides, chosen, strict=True)
                )


def with_pays(game: Game, pays: Mapping[str, Fraction]) -> Game:
    """Returns a game in which some rows pay otherwise; row ids name one row of all wagers."""
    return repaid(
        game,
        {(wager.id, row): pays[row] for wager in game.wagers for row in wager.paytable.ids if row in pays},
    )


def _main_return(game: Game, strategy: str) -> Fraction:
    return return_of(game, named_strategy(game, strategy), MAIN)


def together(game: Game, stakes: Mapping[str, Fraction] | None, bounds: PayBounds) -> Mapping[str, Any]:
    """Returns the readings and pays under which one player has all printed returns at once."""
    return together_json(identify_together(game, stakes=stakes, bounds=bounds))


def together_json(found: PaysTogether, limit: int | None = None) -> JsonObject:
    """Returns an identification of several figures together as a JSON object."""
    return {
        "game": found.game,
        "printed": {claim.wager: claim.text for claim in found.claims},
        "stakes": {wager: fraction_text(stake) for wager, stake in found.stakes},
        "fits_count": found.fits_count,
        "strategies": [
            {
                "strategy": search.strategy,
                "candidates_tried": search.candidates_tried,
                "fits_count": search.fits_count,
                "main_fits": search.main_fits,
                "fits": [
                    {
                        "reading": dict(fit.reading),
                        "pays": {
                            wager: {row: format_odds(pay) for row, pay in rows} for wager, rows in fit.pays
                        },
                        "returns": {wager: fraction_text(exact) for wager, exact in fit.returns},
                        "returns_percent": {wager: percent_text(exact) for wager, exact in fit.returns},
                    }
                    for fit in search.fits[:limit]
                ],
            }
            for search in found.searches
        ],
        "conclusion": found.conclusion,
    }
