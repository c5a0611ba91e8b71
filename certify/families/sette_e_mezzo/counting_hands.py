"""Whole rounds counted over ordered deals by the reference rules: a second exact way for the main wagers.

Weights are whole numbers: how many ordered deals lead to a hand. They are carried forward from the first
cards to the settlement, while the enumerator works backward with values; both take the strategy as a table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from math import perm
from typing import Final

from certify.families.open_card import rulebook as open_card
from certify.families.open_card.round import decide_open, net_pay
from certify.families.open_card.strategy import open_card_table
from certify.families.sette_e_mezzo import rulebook as sette_e_mezzo
from certify.families.sette_e_mezzo.round import STAND, decide_by
from certify.families.sette_e_mezzo.strategy import hit_table
from certify.model.cards import DECK_SIZE, MATTA, RANK_FIRST_FACE, rank_of
from certify.model.game import Game
from certify.model.rules import OpenCardRules
from certify.model.strategy import Strategy

Hand = tuple[int, ...]
"""Cards of a hand, each by the one that stands for its class: the first card, then the others in order."""

Stops = Callable[[Hand], bool]
"""Whether a hand takes no further card."""

FACE: Final = 4 * RANK_FIRST_FACE
_IN_DECK: Final[Mapping[int, int]] = {
    **{4 * rank: 4 for rank in range(RANK_FIRST_FACE)},
    FACE: sum(rank_of(card) >= RANK_FIRST_FACE for card in range(DECK_SIZE)) - 1,
    MATTA: 1,
}
"""Cards that no rule but the suits can tell apart: the one that stands for them, and how many there are."""


def counted_main(game: Game, strategy: Strategy) -> Fraction:
    """Returns the exact return of the main wager of 7 e Mezzo under a strategy that looks at the hand alone."""
    rules, paytable = game.sette_e_mezzo, game.wager(sette_e_mezzo.MAIN).paytable
    decide = decide_by(hit_table(strategy))

    def player_stops(hand: Hand) -> bool:
        if sette_e_mezzo.player_must_draw(hand, rules):
            return False
        return not sette_e_mezzo.player_may_decide(hand, rules) or decide(hand) == STAND

    total = Fraction(0)
    for player, shown, ways in _players(lambda _: player_stops):
        value = sette_e_mezzo.hand_value(player)
        bust = sette_e_mezzo.is_bust(player)

        def dealer_stops(hand: Hand, value: int = value, bust: bool = bust) -> bool:
            return bust or not sette_e_mezzo.dealer_must_draw(hand, value, rules)

        for dealer, deals in _dealt((shown,), ways, player, dealer_stops).items():
            row = sette_e_mezzo.settle_main(player, dealer, rules)
            net = (
                paytable.pays(row)
                if row in paytable.ids
                else Fraction(0 if row == sette_e_mezzo.PUSH else -1)
            )
            total += (1 + net) * Fraction(deals, perm(DECK_SIZE, len(player) + len(dealer)))
    return total


def counted_ante(game: Game, strategy: Strategy) -> Fraction:
    """Returns the exact return per ante of a game with an open dealer's card."""
    rules, paytable = game.open_card, game.wager(open_card.ANTE).paytable
    decide = decide_open(open_card_table(strategy))

    def stops_against(shown: int) -> Stops:
        return lambda hand: _done(hand, shown) or not decide(hand, shown).startswith(open_card.HIT)

    def _done(hand: Hand, shown: int) -> bool:
        kings = open_card.is_king_of_diamonds(hand) or open_card.is_king_of_diamonds((shown,))
        return kings or not open_card.decisions(hand, rules)

    total = Fraction(0)
    for player, shown, ways in _players(stops_against):
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

    for dealer, deals in _dealt((shown,), ways, player, dealer_stops).items():
        yield open_card.settle(player, dealer), bet, dealer, deals


def _players(stops_against: Callable[[int], Stops]) -> Iterator[tuple[Hand, int, int]]:
    """Yields every finished hand of the player with the dealer's first card and the ordered deals to both."""
    for first, many in _IN_DECK.items():
        for shown, others in _IN_DECK.items():
            ways = many * (others - (first == shown))
            if ways:
                stops = stops_against(shown)
                for hand, deals in _dealt((first,), ways, (shown,), stops).items():
                    yield hand, shown, deals


def _dealt(start: Hand, ways: int, gone: Hand, stops: Stops) -> dict[Hand, int]:
    """Returns every finished hand that grows from a first card, with the number of ordered deals to it.

    Args:
        start: The first card.
        ways: Ordered deals so far.
        gone: Cards that others hold.
        stops: Whether a hand takes no further card.
    """
    finished: dict[Hand, int] = {}
    growing = {start: ways}
    while growing:
        longer: dict[Hand, int] = {}
        for hand, deals in growing.items():
            if stops(hand):
                finished[hand] = finished.get(hand, 0) + deals
                continue
            for card, many in _IN_DECK.items():
                left = many - hand.count(card) - gone.count(card)
                if left > 0:
                    drawn = (hand[0], *sorted((*hand[1:], card)))
                    longer[drawn] = longer.get(drawn, 0) + deals * left
        growing = longer
    return finished
