"""The passages of the rules that can be read in more than one way, each with its readings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Final

from certify.analysis.readings import AS_ADOPTED, Option
from certify.exact import format_half_points, format_odds
from certify.families.open_card.exact.figures import KING, with_rules
from certify.families.open_card.exact.tree import ANTE, DrawnSeven, read_rules
from certify.families.open_card.rules import ANY_NUMBER, OpenCardRules, OpenCardTie, rules_of
from certify.model.game import Game

DEALER: Final = "dealer"

_TIES: Final = {
    OpenCardTie.PUSH: "a tie returns all bets",
    OpenCardTie.ANTE_RETURNED: "a tie returns the ante only, the final bet is lost",
}
_DRAWN_SEVENS: Final = {
    DrawnSeven.BEATS_NOTHING: "a drawn 7½ beats no total of the dealer",
    DrawnSeven.LOST: "a drawn 7½ is lost at once",
}
_TWO_CARDS: Final = 2


def ambiguous_rules(game: Game) -> Iterator[tuple[Option, ...]]:
    """Yields the readings of each passage, the adopted one first."""
    for options in (
        _dealer(game),
        _cards(game),
        _drawn_seven(game),
        _standing(game),
        _final_bets(game),
        _ties(game),
        _king(game),
    ):
        others = tuple(option for option in options if option.game != game)
        if others:
            yield (Option(others[0].subject, AS_ADOPTED, game), *others)


def _dealer(game: Game) -> Iterator[Option]:
    if rules_of(game).dealer_maximum_cards == ANY_NUMBER:
        for stands_on, always in product((12, 13), (False, True)):
            changed = with_rules(game, dealer_stands_on=stands_on, dealer_always_draws=always)
            yield Option(DEALER, _dealer_words(rules_of(changed)), changed)


def _dealer_words(rules: OpenCardRules) -> str:
    first = "always takes a second card" if rules.dealer_always_draws else "may stand on the first card"
    return f"the dealer stands on {format_half_points(rules.dealer_stands_on)} or more and {first}"


def _cards(game: Game) -> Iterator[Option]:
    # The summary deals each player no more than two cards; it says nothing of the dealer's.
    if rules_of(game).player_maximum_cards == ANY_NUMBER:
        changed = with_rules(game, player_maximum_cards=_TWO_CARDS)
        yield Option("player-maximum-cards", "the player is dealt no more than two cards", changed)


def _drawn_seven(game: Game) -> Iterator[Option]:
    # Only the text of the home version asks for a total under 7½.
    if not rules_of(game).final_bets:
        for drawn, words in _DRAWN_SEVENS.items():
            changed = replace(game, rules=read_rules(rules_of(game), drawn))
            yield Option("under-seven-and-a-half", words, changed)


def _standing(game: Game) -> Iterator[Option]:
    if rules_of(game).final_bets:
        stands = not rules_of(game).player_may_stand_on_first_card
        words = "the player may stand on the first card" if stands else "the player must draw or fold"
        changed = with_rules(game, player_may_stand_on_first_card=stands)
        yield Option("player-may-stand-on-first-card", words, changed)


def _final_bets(game: Game) -> Iterator[Option]:
    bets = rules_of(game).final_bets
    for bet in bets if len(bets) > 1 else ():
        antes = "one ante" if bet == 1 else f"{bet} antes"
        yield Option("final-bet", f"the final bet is always {antes}", with_rules(game, final_bets=(bet,)))
    if len(bets) > 1:
        # Values are straight lines in the final bet, so its smallest amount is read as nothing at all: the limit.
        words = f"the final bet may be as small as wanted, up to {max(bets)} antes"
        yield Option("final-bet", words, with_rules(game, final_bets=(0, *bets)))


def _ties(game: Game) -> Iterator[Option]:
    for tie, words in _TIES.items():
        if rules_of(game).final_bets or tie is not OpenCardTie.ANTE_RETURNED:
            yield Option("tie", words, with_rules(game, tie=tie))


def what_ifs(game: Game) -> tuple[Option, ...]:
    """Returns what no passage says and is shown for comparison: what a tie is worth to the player."""
    if rules_of(game).tie is OpenCardTie.LOSE:
        return ()
    lost = with_rules(game, tie=OpenCardTie.LOSE)
    return (Option("tie", "what if a tie lost all bets", lost, what_if=True),)


def _king(game: Game) -> Iterator[Option]:
    wager = game.wager(ANTE)
    paid = wager.paytable.pays(KING)
    if paid > 1:
        # "Triple the bet" may or may not count the stake that is given back.
        rows = tuple(
            replace(row, pays=row.pays - 1) if row.id == KING else row for row in wager.paytable.rows
        )
        changed = replace(game, wagers=(replace(wager, paytable=replace(wager.paytable, rows=rows)),))
        words = f"the King of diamonds pays {format_odds(paid - 1)}, the stake being part of it"
        yield Option(KING, words, changed)
