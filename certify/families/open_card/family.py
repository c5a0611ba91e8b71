"""The family of Seven and a Half games with an open dealer's card."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from certify.analysis.pay_search import PayBounds, PrintedReturn, Reading, check_bounds, printed_return
from certify.errors import InputError
from certify.evidence.judged import Candidate, ReadingSearch, Recovery
from certify.exact import format_half_points, format_odds, percent_text
from certify.families.open_card.document import OpenCardPrintedTables, OpenCardSections, findings
from certify.families.open_card.readings import combined_readings, variants
from certify.families.open_card.rules import (
    ANTE,
    ANY_NUMBER,
    FAMILY_ID,
    KING,
    STATED,
    WIN,
    OpenCardRules,
    rules_of,
)
from certify.families.open_card.second import settle
from certify.families.open_card.strategies import best, named, plan, read_card
from certify.families.open_card.text import listed, text
from certify.families.port import Family, FamilyAlternatives, FamilyPages, FamilySources, FamilyStrategies
from certify.families.seven_and_a_half.strategy_files import charted_by_total
from certify.model import MAIN_OPTIMAL, Game, repaid


@dataclass(frozen=True, slots=True)
class ReadGame:
    """A game read in one way.

    Args:
        reading: Values of the rules that could be read otherwise.
        game: The game so read.
    """

    reading: Reading
    game: Game


def reading_grid(game: Game) -> tuple[ReadGame, ...]:
    """Returns every combination of readings of the rules; what the King of diamonds pays is not one of them here."""
    games = [changed for _, changed in combined_readings(game, frozenset({KING}))]
    values = [_values(rules_of(changed)) for changed in games]
    open_rules = [rule for rule in values[0] if len({entry[rule] for entry in values}) > 1]
    return tuple(
        ReadGame(tuple((rule, entry[rule]) for rule in open_rules), changed)
        for entry, changed in zip(values, games, strict=True)
    )


def _values(rules: OpenCardRules) -> dict[str, str]:
    antes = " or ".join(map(str, rules.final_bets)) or "none"
    if 0 in rules.final_bets:
        antes = f"up to {max(rules.final_bets)}"
    cards = rules.player_maximum_cards
    return {
        "dealer-stands-on": format_half_points(rules.dealer_stands_on),
        "dealer-always-draws": "yes" if rules.dealer_always_draws else "no",
        "player-maximum-cards": "any number" if cards == ANY_NUMBER else str(cards),
        "drawn-seven-and-a-half": str(rules.drawn_seven),
        "player-may-stand-on-first-card": "yes" if rules.player_may_stand_on_first_card else "no",
        "final-bet": f"{antes} antes" if antes != "1" else "1 ante",
        "tie": rules.tie.value,
    }


def king_search(
    claim: PrintedReturn, read: ReadGame, win: Fraction, pays: Sequence[int], limit: int
) -> ReadingSearch:
    """Returns which pays of the King of diamonds give a printed return under one reading.

    Nothing is decided on a first King of diamonds, so that the return is a straight line in what it pays: the
    pays that fit follow by division, and none is missed.

    Args:
        claim: The printed return.
        read: The reading.
        win: What a win pays to 1.
        pays: Pays that are tried for the King of diamonds, lowest first.
        limit: How many fits are listed.
    """
    figures = best(repaid(read.game, {(ANTE, WIN): win}))
    weight = sum((end.probability for end in figures.outcomes if end.id == KING), Fraction(0))
    # The return if the King of diamonds lost its stake.
    base = figures.return_to_player - weight * (1 + read.game.wager(ANTE).paytable.pays(KING))

    def candidate(pay: int) -> Candidate:
        exact = base + weight * (1 + pay)
        rows = {KING: Fraction(pay), WIN: win}
        return Candidate(dict(read.reading), MAIN_OPTIMAL, rows, exact, claim.stands_for(exact))

    fitting = pays[claim.among(pays, lambda pay: base + weight * (1 + pay))]
    nearest = min(pays, key=lambda pay: (abs(base + weight * (1 + pay) - claim.value), pay))
    return ReadingSearch(
        dict(read.reading),
        MAIN_OPTIMAL,
        {KING: weight},
        len(pays),
        len(fitting),
        tuple(candidate(pay) for pay in fitting[:limit]),
        tuple(candidate(pay).return_ for pay in fitting[:limit]),
        nearest_miss=None if fitting else candidate(nearest),
    )


def identify(game: Game, wager: str, bounds: PayBounds) -> Recovery:
    """Returns which readings and pays of the King of diamonds, and of a win where named, give the figure."""
    claim = printed_return(game, wager)
    check_bounds(game, wager, bounds)
    stray = sorted(set(bounds.by_row) - {KING, WIN})
    if stray:
        raise InputError(f"the pay of {', '.join(stray)} is fixed by the rules: expected {KING} or {WIN}")
    own = game.wager(claim.wager).paytable.pays(WIN)
    wins = tuple(Fraction(pay) for pay in bounds.pays(WIN)) if WIN in bounds.by_row else (own,)
    searches = tuple(
        king_search(claim, option, win, bounds.pays(KING), bounds.limit)
        for option in reading_grid(game)
        for win in wins
    )
    words = (
        ("king-of-diamonds", _pays_words(bounds, KING)),
        ("win", _pays_words(bounds, WIN) if WIN in bounds.by_row else f"{format_odds(own)}, as submitted"),
        ("readings", f"every combination: {len(searches) // len(wins)}"),
        ("strategy", "optimal for each reading"),
    )
    return claim.recovery(words, searches, _open_conclusion(claim, searches))


def _pays_words(bounds: PayBounds, row: str) -> str:
    if row in bounds.by_row:
        return f"{', '.join(map(str, bounds.pays(row)))} to 1"
    return f"whole numbers from {bounds.minimum} to {bounds.maximum} to 1"


def _open_conclusion(claim: PrintedReturn, searches: Sequence[ReadingSearch]) -> str:
    tried = sum(search.candidates_tried for search in searches)
    fits = [candidate for search in searches for candidate in search.fits]
    count = sum(search.fits_count for search in searches)
    if not count:
        misses = [search.nearest_miss for search in searches if search.nearest_miss]
        miss = min(misses, key=lambda candidate: abs(candidate.return_ - claim.value))
        return (
            f"Impossible within the bounds: none of {tried:,} candidates returns {claim.text}; "
            f"the nearest returns {percent_text(miss.return_)} %."
        )
    if count == 1:
        return (
            f"Unique within the bounds: one of {tried:,} candidates returns {claim.text}, "
            f"exactly {fits[0].return_}."
        )
    readings = sum(search.fits_count > 0 for search in searches)
    return (
        f"Ambiguous: {count:,} of {tried:,} candidates return {claim.text}, under {readings} of {len(searches)} "
        "readings; the figure alone cannot name the pays."
    )


FAMILY: Final = Family(
    id=FAMILY_ID,
    version="2.0.0",
    title="Seven and a Half with an open dealer's card: one player, a dealer with a fixed rule, one wager",
    rules=STATED,
    text=text,
    second=settle,
    strategies=FamilyStrategies(
        named=named, listed=listed, cards=read_card, plan=plan, charted=charted_by_total
    ),
    sources=FamilySources(identify=identify, printed=OpenCardPrintedTables()),
    alternatives=FamilyAlternatives(variants=variants),
    pages=FamilyPages(findings=lambda basis: iter(findings(basis.game)), sections=OpenCardSections()),
)
