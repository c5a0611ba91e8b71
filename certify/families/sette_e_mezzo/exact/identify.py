"""From a printed, rounded return back to the rules and pays that can produce it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import islice

from certify.analysis.identification import (
    Candidate,
    Identification,
    PrintedReturn,
    Reading,
    ReadingSearch,
    printed_return,
)
from certify.analysis.pay_bounds import CUSTOMARY_PAYS, PayBounds, check_bounds
from certify.analysis.whole_pays import Order, Row, Search, attained, count_fits, fitting, nearest
from certify.exact import percent_text
from certify.families.sette_e_mezzo.exact.analyze import play_named, tree_of
from certify.families.sette_e_mezzo.exact.joint_optimal import WAGERS
from certify.families.sette_e_mezzo.exact.optimal import game_value, solve
from certify.families.sette_e_mezzo.exact.settlement import KING_ROW, MAIN, WIN, MainTerms
from certify.families.sette_e_mezzo.exact.sidebets import PARTITA
from certify.families.sette_e_mezzo.rules import PairCondition, Tie, rules_of
from certify.families.seven_and_a_half.strategy_names import ALWAYS_SECOND_CARD, MAIN_OPTIMAL
from certify.model.game import Game

KING_PAYS = tuple(Fraction(n, 2) for n in (2, 3, 4, 5, 6, 8, 10))
"""Pays tried for the two-card 7½ with the King of Denari: 1, 3/2, 2, 5/2, 3, 4 and 5 to 1."""


def identify(game: Game, wager: str, bounds: PayBounds) -> Identification:
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
    return _identify_side_bet(game, claim, bounds)


def _identify_main(game: Game, claim: PrintedReturn) -> Identification:
    tree = tree_of(game)
    win = game.wager(MAIN).paytable.pays(WIN)
    candidates = []
    for tie in (Tie.LOSE, Tie.PUSH):
        for king_wins in (False, True):
            for pays in KING_PAYS:
                terms = MainTerms(tie, king_wins, win, pays)
                exact = 1 + game_value(solve(tree.hands, tree.dealer, terms))
                candidates.append(_main_candidate(claim, terms, exact))
    fits = tuple(candidate for candidate in candidates if candidate.fits)
    miss = None if fits else min(candidates, key=lambda candidate: abs(candidate.exact - claim.value))
    search = ReadingSearch((), MAIN_OPTIMAL, (), len(candidates), len(fits), fits, nearest_miss=miss)
    words = (
        ("tie", "loses or pushes"),
        ("king-wins-against-dealer-seven-and-a-half", "yes or no"),
        (KING_ROW, "1, 3/2, 2, 5/2, 3, 4 or 5 to 1"),
        ("strategy", "optimal for each candidate, composition by composition"),
    )
    return Identification(
        game.id, MAIN, claim, words, (search,), _main_conclusion(claim, fits, candidates), tuple(candidates)
    )


def _main_candidate(claim: PrintedReturn, terms: MainTerms, exact: Fraction) -> Candidate:
    reading = (
        ("tie", terms.tie.value),
        ("king-wins-against-dealer-seven-and-a-half", "yes" if terms.king_beats_tie else "no"),
    )
    pays = ((KING_ROW, terms.king), (WIN, terms.win))
    return Candidate(reading, MAIN_OPTIMAL, pays, exact, claim.stands_for(exact))


def _main_conclusion(claim: PrintedReturn, fits: Sequence[Candidate], candidates: Sequence[Candidate]) -> str:
    others = [candidate for candidate in candidates if not candidate.fits]
    nearest_other = min(others, key=lambda candidate: abs(candidate.exact - claim.value))
    miss = f"the nearest other candidate returns {percent_text(nearest_other.exact)} %"
    if not fits:
        return f"Impossible: none of {len(candidates)} candidates returns {claim.text}; {miss}."
    if len(fits) > 1:
        return f"Ambiguous: {len(fits)} of {len(candidates)} candidates return {claim.text}."
    return (
        f"Unique: exactly one of {len(candidates)} candidates returns {claim.text}, "
        f"exactly {percent_text(fits[0].exact)} %; {miss}."
    )


def _readings(wager: str) -> list[tuple[Reading, PairCondition | None, str]]:
    """Returns the readings and strategies under which a side bet's figure may have been worked out."""
    strategies = (MAIN_OPTIMAL, ALWAYS_SECOND_CARD)
    if wager != PARTITA:
        return [((), None, strategy) for strategy in strategies]
    # Read unconditionally, the pair is decided by two cards that no strategy touches.
    readings = [(PairCondition.UNCONDITIONAL, MAIN_OPTIMAL)]
    readings += [(PairCondition.DEALER_MUST_UNCOVER, strategy) for strategy in strategies]
    return [((("pair-condition", condition.value),), condition, name) for condition, name in readings]


def _identify_side_bet(game: Game, claim: PrintedReturn, bounds: PayBounds) -> Identification:
    searches = []
    for reading, condition, strategy in _readings(claim.wager):
        weights = row_weights(_read_as(game, condition), claim.wager, strategy)
        searches.append(search_reading(claim, reading, strategy, weights, bounds))
    return Identification(
        game.id, claim.wager, claim, bounds.words(), tuple(searches), _side_conclusion(claim, searches)
    )


def _read_as(game: Game, condition: PairCondition | None) -> Game:
    """Returns a game with the pair read as given, or as it is."""
    return (
        game if condition is None else replace(game, rules=replace(rules_of(game), pair_condition=condition))
    )


def row_weights(game: Game, wager: str, strategy: str) -> tuple[tuple[str, Fraction], ...]:
    """Returns the exact probability of each row of a wager under a strategy."""
    probabilities = play_named(game, strategy).distribution.marginal(WAGERS.index(wager))
    return tuple((row, probabilities.get(row, Fraction(0))) for row in game.wager(wager).paytable.ids)


def search_reading(
    claim: PrintedReturn,
    reading: Reading,
    strategy: str,
    weights: tuple[tuple[str, Fraction], ...],
    bounds: PayBounds,
) -> ReadingSearch:
    """Returns what paytables fit a printed return, when each row is paid with these probabilities."""
    search = _search(claim, weights, {row: bounds.pays(row) for row, _ in weights}, bounds.order)
    custom = {
        row: tuple(pay for pay in bounds.pays(row) if pay in CUSTOMARY_PAYS or row in bounds.by_row)
        for row, _ in weights
    }
    fits_count = count_fits(search)
    customary = _search(claim, weights, custom, bounds.order) if all(custom.values()) else None
    listed = _listed(claim, reading, strategy, weights, customary, bounds.limit) if customary else ()
    found = ReadingSearch(
        reading,
        strategy,
        weights,
        search.tried(),
        fits_count,
        _customary_first(
            listed, _listed(claim, reading, strategy, weights, search, bounds.limit), bounds.limit
        ),
        tuple(total + _staked(weights) for total in attained(search)),
        customary.tried() if customary else 0,
        count_fits(customary) if customary else 0,
        listed,
    )
    if fits_count:
        return found
    pays = nearest(search)
    return replace(
        found, nearest_miss=None if pays is None else _candidate(claim, reading, strategy, weights, pays)
    )


def _customary_first(
    customary: tuple[Candidate, ...], others: tuple[Candidate, ...], limit: int
) -> tuple[Candidate, ...]:
    return tuple(dict.fromkeys((*customary, *others)))[:limit]


def _staked(weights: Sequence[tuple[str, Fraction]]) -> Fraction:
    """Returns what the stakes returned with wins add to the return: each row gives its stake back."""
    return sum((weight for _, weight in weights), Fraction(0))


def _search(
    claim: PrintedReturn,
    weights: Sequence[tuple[str, Fraction]],
    pays: Mapping[str, tuple[int, ...]],
    order: Order,
) -> Search:
    low, high = claim.low, claim.high
    staked = _staked(weights)
    return Search(
        tuple(Row(row, weight, pays[row]) for row, weight in weights), low - staked, high - staked, order
    )


def _listed(
    claim: PrintedReturn,
    reading: Reading,
    strategy: str,
    weights: tuple[tuple[str, Fraction], ...],
    search: Search,
    limit: int,
) -> tuple[Candidate, ...]:
    return tuple(
        _candidate(claim, reading, strategy, weights, pays) for pays in islice(fitting(search), limit)
    )


def _candidate(
    claim: PrintedReturn,
    reading: Reading,
    strategy: str,
    weights: tuple[tuple[str, Fraction], ...],
    pays: tuple[int, ...],
) -> Candidate:
    exact = sum(((1 + pay) * weight for pay, (_, weight) in zip(pays, weights, strict=True)), Fraction(0))
    rows = tuple((row, Fraction(pay)) for pay, (row, _) in zip(pays, weights, strict=True))
    return Candidate(reading, strategy, rows, exact, claim.stands_for(exact))


def _side_conclusion(claim: PrintedReturn, searches: Sequence[ReadingSearch]) -> str:
    parts = [_search_words(search) for search in searches]
    total = sum(search.fits_count for search in searches)
    if not total:
        return (
            f"Impossible within the bounds: no whole-number paytable returns {claim.text}. {' '.join(parts)}"
        )
    if total == 1:
        return f"Unique within the bounds: one paytable returns {claim.text}. {' '.join(parts)}"
    return (
        f"Ambiguous: {total:,} whole-number paytables return {claim.text}; "
        f"the figure alone cannot name the pays. {' '.join(parts)}"
    )


def _search_words(search: ReadingSearch) -> str:
    reading = ", ".join(f"{rule} {value}" for rule, value in search.reading)
    under = f"{reading}, {search.strategy}" if reading else search.strategy
    tried = f"{search.candidates_tried:,} tried"
    if not search.fits_count:
        miss = search.nearest_miss
        nearest_text = f"; nearest miss {percent_text(miss.exact)} %" if miss else ""
        return f"Under {under}: cannot ({tried}{nearest_text})."
    one = f", all with the exact return {search.returns[0]}" if len(search.returns) == 1 else ""
    custom = f"{search.customary_count} of customary pays"
    return f"Under {under}: {search.fits_count:,} fit ({tried}{one}), {custom}."
