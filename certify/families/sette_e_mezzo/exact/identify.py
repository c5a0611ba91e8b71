"""From a printed, rounded return back to the rules and pays that can produce it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from certify.analysis.identification import PrintedReturn, Reading, printed_return
from certify.analysis.pay_bounds import PayBounds, check_bounds
from certify.analysis.pay_search import search_conclusion, search_reading
from certify.evidence.judged import Candidate, ReadingSearch, Recovery
from certify.exact import percent_text
from certify.families.sette_e_mezzo.exact.analyze import play_named, tree_of
from certify.families.sette_e_mezzo.exact.joint_optimal import WAGERS
from certify.families.sette_e_mezzo.exact.optimal import game_value, solve
from certify.families.sette_e_mezzo.exact.settlement import KING_ROW, MAIN, WIN, MainTerms
from certify.families.sette_e_mezzo.exact.sidebets import PARTITA
from certify.families.sette_e_mezzo.rules import PairCondition, Tie, rules_of
from certify.families.seven_and_a_half.strategy_names import ALWAYS_SECOND_CARD
from certify.model.game import Game
from certify.model.strategy import MAIN_OPTIMAL

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
    miss = None if fits else min(candidates, key=lambda candidate: abs(candidate.return_ - claim.value))
    search = ReadingSearch({}, MAIN_OPTIMAL, {}, len(candidates), len(fits), fits, nearest_miss=miss)
    words = (
        ("tie", "loses or pushes"),
        ("king-wins-against-dealer-seven-and-a-half", "yes or no"),
        (KING_ROW, "1, 3/2, 2, 5/2, 3, 4 or 5 to 1"),
        ("strategy", "optimal for each candidate, composition by composition"),
    )
    return claim.recovery(words, (search,), _main_conclusion(claim, fits, candidates), tuple(candidates))


def _main_candidate(claim: PrintedReturn, terms: MainTerms, exact: Fraction) -> Candidate:
    reading = {
        "tie": terms.tie.value,
        "king-wins-against-dealer-seven-and-a-half": "yes" if terms.king_beats_tie else "no",
    }
    pays = {KING_ROW: terms.king, WIN: terms.win}
    return Candidate(reading, MAIN_OPTIMAL, pays, exact, claim.stands_for(exact))


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
    if wager != PARTITA:
        return [((), None, strategy) for strategy in strategies]
    # Read unconditionally, the pair is decided by two cards that no strategy touches.
    readings = [(PairCondition.UNCONDITIONAL, MAIN_OPTIMAL)]
    readings += [(PairCondition.DEALER_MUST_UNCOVER, strategy) for strategy in strategies]
    return [((("pair-condition", condition.value),), condition, name) for condition, name in readings]


def _identify_side_bet(game: Game, claim: PrintedReturn, bounds: PayBounds) -> Recovery:
    searches = []
    for reading, condition, strategy in _readings(claim.wager):
        weights = row_weights(_read_as(game, condition), claim.wager, strategy)
        searches.append(search_reading(claim, reading, strategy, weights, bounds))
    return claim.recovery(bounds.words(), searches, search_conclusion(claim, searches))


def _read_as(game: Game, condition: PairCondition | None) -> Game:
    """Returns a game with the pair read as given, or as it is."""
    return (
        game if condition is None else replace(game, rules=replace(rules_of(game), pair_condition=condition))
    )


def row_weights(game: Game, wager: str, strategy: str) -> tuple[tuple[str, Fraction], ...]:
    """Returns the exact probability of each row of a wager under a strategy."""
    probabilities = play_named(game, strategy).distribution.marginal(WAGERS.index(wager))
    return tuple((row, probabilities.get(row, Fraction(0))) for row in game.wager(wager).paytable.ids)
