"""Whole rounds with an open dealer's card counted over ordered deals by the reference rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from math import perm

from certify.families.open_card import rulebook as open_card
from certify.families.open_card.reference import net_pay, seen
from certify.families.open_card.rules import OpenCardRules, rules_of
from certify.families.seven_and_a_half.cards import DECK_SIZE
from certify.families.seven_and_a_half.ordered_deals import Hand, Stops, dealt, players
from certify.model.game import Game
from certify.model.strategy import Strategy


class OpenCardCounting:
    """Direct counting over ordered deals by the reference rules."""

    def counted(self, game: Game, strategy: Strategy) -> dict[str, Fraction]:
        """Returns the exact return of the ante."""
        return {open_card.ANTE: counted_ante(game, strategy)}


def counted_ante(game: Game, strategy: Strategy) -> Fraction:
    """Returns the exact return per ante of a game with an open dealer's card."""
    rules, paytable = rules_of(game), game.wager(open_card.ANTE).paytable

    def decide(hand: Hand, shown: int) -> str:
        return strategy.choose(seen(hand, shown), open_card.decisions(hand, rules))

    def stops_against(shown: int) -> Stops:
        return lambda hand: _done(hand, shown) or not decide(hand, shown).startswith(open_card.HIT)

    def _done(hand: Hand, shown: int) -> bool:
        kings = open_card.is_king_of_diamonds(hand) or open_card.is_king_of_diamonds((shown,))
        return kings or not open_card.decisions(hand, rules)

    total = Fraction(0)
    for player, shown, ways in players(stops_against):
        for ended, bet, dealer, deals in _ends(player, shown, ways, rules, decide):
            chance = Fraction(deals, perm(DECK_SIZE, len(player) + len(dealer)))
            total += (1 + net_pay(ended, bet, rules, paytable)) * chance
    return total


def _ends(
    player: Hand, shown: int, ways: int, rules: OpenCardRules, decide: Callable[[Hand, int], str]
) -> Iterator[tuple[str, int, Hand, int]]:
    """Yields how rounds with a finished hand of the player end: outcome, final bet, dealer's hand, deals."""
    if open_card.is_king_of_diamonds(player):
        yield open_card.KING, 0, (shown,), ways
        return
    if open_card.is_king_of_diamonds((shown,)):
        yield open_card.DEALER_KING, 0, (shown,), ways
        return
    opening = decide(player[:1], shown) if open_card.decisions(player[:1], rules) else open_card.STAND
    if opening == open_card.FOLD:
        yield open_card.FOLD, 0, (shown,), ways
        return
    bet = int(opening.partition("-")[2] or 0)
    bust = open_card.is_bust(player)

    def dealer_stops(hand: Hand) -> bool:
        return bust or not open_card.dealer_must_draw(hand, rules)

    for dealer, deals in dealt((shown,), ways, player, dealer_stops).items():
        yield open_card.settle(player, dealer), bet, dealer, deals
