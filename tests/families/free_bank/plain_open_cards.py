"""A bank that looks at the open cards, weighed plainly: each covered card tried, later cards drawn like the next."""

from __future__ import annotations

from functools import cache

from every_deal import points

from certify.families.free_bank.open_cards_bank import GRAIN, OpenCardsBank
from certify.families.free_bank.strategy import BankSees, HandEnd

BUST, ROYAL = 17, 16


def end_of(hand: tuple[int, ...], reale: bool) -> int:
    """Returns the best total, every value of a matta tried; 16 for a reale, 17 for what exceeds 7½."""
    if reale and tuple(sorted(hand)) in ((6, 7), (6, 8), (7, 8)):
        return ROYAL
    return points(hand) if points(hand) <= 15 else BUST


def draws(bank: OpenCardsBank, sees: BankSees) -> bool:
    """Tells whether the bank draws."""
    reale, unseen = bank.rules.reale, list(bank.rules.deck)
    hands = [hand for seat in sees.table for hand in seat.hands]
    lying = [*sees.hand, *(card for hand in hands for card in hand.cards)]
    for card in (*lying, *((sees.given_up,) if sees.given_up >= 0 else ())):
        unseen[card] = max(unseen[card] - 1, 0)

    def believed(hand):
        if hand.first_shown:
            return [(end_of(hand.cards, reale), 1)]
        whole = [((card, *hand.cards), there) for card, there in enumerate(unseen) if there]
        below = [(cards, there) for cards, there in whole if end_of(cards, False) < 15]
        fits = [
            (cards, there)
            for cards, there in below
            if end_of(cards, False) >= bank.least
            and all(end_of(cards[:count], False) < bank.least for count in range(1, len(cards)))
        ]
        return [(end_of(cards, False), there) for cards, there in fits or below]

    def won(theirs, end):
        nets, has_it = bank.nets, end in (15, ROYAL)
        if theirs == ROYAL:
            return nets.stake if end == ROYAL else -nets.royal
        if theirs == 15:
            return nets.collects_from_full if has_it else -nets.full
        return nets.collects if has_it else nets.stake if end != BUST and end >= theirs else -nets.win

    worth = [0] * (BUST + 1)
    for hand in hands:
        held = believed(hand) if hand.end is not HandEnd.BUST else []
        weighs = sum(there for _, there in held)
        for end in range(BUST + 1) if weighs else ():
            worth[end] += sum(won(theirs, end) * there for theirs, there in held) * GRAIN // weighs

    @cache
    def best(hand):
        end = end_of(hand, reale)
        return worth[end] if end >= 15 else max(worth[end], drawn(hand))

    def drawn(hand):
        # The matta is one card: a hand that holds it draws no other.
        coming = [
            (card, there) for card, there in enumerate(unseen) if there and not (card == 8 and 8 in hand)
        ]
        cards = sum(there for _, there in coming)
        brought = sum(there * best(tuple(sorted((*hand, card)))) for card, there in coming)
        return brought // cards if cards else worth[end_of(hand, reale)]

    return bool(sum(unseen)) and drawn(tuple(sorted(sees.hand))) > worth[end_of(sees.hand, reale)]
