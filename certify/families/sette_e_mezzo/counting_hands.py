"""Whole rounds of 7 e Mezzo counted over ordered deals by the reference rules."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from math import perm

from certify.families.sette_e_mezzo import rulebook as sette_e_mezzo
from certify.families.sette_e_mezzo.reference import seen
from certify.families.sette_e_mezzo.rules import rules_of
from certify.families.sette_e_mezzo.strategy import HIT, STAND
from certify.families.seven_and_a_half.cards import DECK_SIZE
from certify.families.seven_and_a_half.ordered_deals import Hand, dealt, players
from certify.model.game import Game
from certify.model.strategy import Strategy


def counted_main(game: Game, strategy: Strategy) -> Fraction:
    """Returns the exact return of the main wager of 7 e Mezzo under a strategy that looks at the hand alone."""
    rules, paytable = rules_of(game), game.wager(sette_e_mezzo.MAIN).paytable

    def player_stops(hand: Hand) -> bool:
        if sette_e_mezzo.player_must_draw(hand, rules):
            return False
        return (
            not sette_e_mezzo.player_may_decide(hand, rules)
            or strategy.choose(seen(hand), (STAND, HIT)) == STAND
        )

    # Ordered deals by row and by how many cards lie on the table: whole numbers until the end.
    ends: Counter[tuple[str, int]] = Counter()
    must_draw = cache(lambda hand, value: sette_e_mezzo.dealer_must_draw(hand, value, rules))
    for player, shown, ways in players(lambda _: player_stops):
        value = sette_e_mezzo.hand_value(player)
        bust = sette_e_mezzo.is_bust(player)

        def dealer_stops(hand: Hand, value: int = value, bust: bool = bust) -> bool:
            return bust or not must_draw(hand, value)

        for dealer, deals in dealt((shown,), ways, player, dealer_stops).items():
            row = sette_e_mezzo.settle_main(player, dealer, rules)
            ends[row, len(player) + len(dealer)] += deals
    net = {row.id: row.pays for row in paytable.rows}
    lost = {sette_e_mezzo.PUSH: Fraction(0)}
    return sum(
        (
            (1 + net.get(row, lost.get(row, Fraction(-1)))) * Fraction(deals, perm(DECK_SIZE, cards))
            for (row, cards), deals in ends.items()
        ),
        Fraction(0),
    )
