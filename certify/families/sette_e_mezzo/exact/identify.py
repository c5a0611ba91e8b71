"""From a printed, rounded return back to the rules and pays that can produce it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product

from certify.analysis.pay_search import (
    PayBounds,
    PrintedReturn,
    Reading,
    check_bounds,
    printed_return,
    search_conclusion,
    search_reading,
)
from certify.evidence.judged import Candidate, ReadingSearch, Recovery
from certify.exact import percent_text
from certify.families.sette_e_mezzo.exact.best_play import chances, solve
from certify.families.sette_e_mezzo.exact.figures import named_strategy
from certify.families.sette_e_mezzo.rules import (
    KING_SEVEN_AND_A_HALF,
    MAIN,
    PARTITA_PERFETTA,
    WIN,
    PairCondition,
    Tie,
    rules_of,
)
from certify.families.seven_and_a_half.strategy_files import ALWAYS_SECOND_CARD
from certify.model import MAIN_OPTIMAL, Game, repaid

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
    return _identify_side_bet(game, claim, bounds)


def _identify_main(game: Game, claim: PrintedReturn) -> Recovery:
    win = game.wager(MAIN).paytable.pays(WIN)
    candidates = []
    for reading, read in main_readings(game):
        for king in KING_PAYS:
            pays = {KING_SEVEN_AND_A_HALF: king, WIN: win}
            exact = 1 + solve(with_king(read, king)).wager_expectation(MAIN)
            candidates.append(Candidate(dict(reading), MAIN_OPTIMAL, pays, exact, claim.stands_for(exact)))
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


def _identify_side_bet(game: Game, claim: PrintedReturn, bounds: PayBounds) -> Recovery:
    searches = []
    for reading, condition, strategy in _readings(claim.wager):
        weights = row_weights(read_as(game, condition), claim.wager, strategy)
        searches.append(search_reading(claim, reading, strategy, weights, bounds))
    return claim.recovery(bounds.words(), searches, search_conclusion(claim, searches))


def read_as(game: Game, condition: PairCondition | None) -> Game:
    """Returns a game with the pair read as given, or as it is."""
    return (
        game if condition is None else replace(game, rules=replace(rules_of(game), pair_condition=condition))
    )


def row_weights(game: Game, wager: str, strategy: str) -> tuple[tuple[str, Fraction], ...]:
    """Returns the exact probability of each row of a wager under a strategy."""
    found = chances(game, named_strategy(game, strategy))[wager]
    return tuple((row, found.get(row, Fraction(0))) for row in game.wager(wager).paytable.ids)
