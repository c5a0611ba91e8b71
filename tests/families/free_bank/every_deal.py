"""A plain second way: one seat against the bank, every order of the cards of a small deck dealt one by one."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from functools import cache
from itertools import product

from certify.families.free_bank.exact.settlement import BankTerms
from certify.families.free_bank.strategy import (
    HIT,
    STAND,
    SWAP,
    BankSees,
    Conduct,
    HandEnd,
    OpenHand,
    OpenSeat,
    Own,
    PlayerSees,
)

POINTS = (2, 4, 6, 8, 10, 12, 14, 1)


@cache
def points(hand: tuple[int, ...]) -> int:
    """Returns the best total, every value of a matta tried."""
    readings = product(*(POINTS if card == 8 else (POINTS[card],) for card in hand))
    totals = [sum(reading) for reading in readings]
    return max((total for total in totals if total <= 15), default=min(totals))


def reale(terms: BankTerms, hand: tuple[int, ...]) -> bool:
    return terms.rules.reale and sorted(hand) in ([6, 7], [6, 8], [7, 8])


def net(terms: BankTerms, player: tuple[int, ...], bank: tuple[int, ...]) -> Fraction:
    """Returns what the rulebook's table says of two hands, read line by line."""
    mine, its = points(player), points(bank)
    if mine > 15:
        return Fraction(-1)
    if reale(terms, player):
        return Fraction(-1) if reale(terms, bank) else terms.reale
    if mine == 15:
        return (
            Fraction(-terms.rules.bank_collects_from_seven_and_a_half)
            if its == 15
            else terms.seven_and_a_half
        )
    if its == 15:
        return Fraction(-terms.rules.bank_collects)
    return terms.win if its > 15 or mine > its else Fraction(-1)


def expected(terms: BankTerms, player: Conduct, bank: Conduct) -> Fraction:
    """Returns the player's expected net result: the bank's first card is dealt second, as at the table."""
    return sum((value * chance for value, chance in nets(terms, player, bank).items()), Fraction(0))


def nets(terms: BankTerms, player: Conduct, bank: Conduct) -> dict[Fraction, Fraction]:
    """Returns the distribution of the net result."""
    found: dict[Fraction, Fraction] = defaultdict(Fraction)
    deck = tuple(card for card, held in enumerate(terms.deck) for _ in range(held))
    for first, second, rest, chance in _two(deck):
        _player(terms, (player, bank), (first,), second, rest, chance, -1, found)
    return dict(sorted(found.items()))


def _two(deck):
    for first, left, chance in _draws(deck):
        for second, rest, more in _draws(left):
            yield first, second, rest, chance * more


def _draws(deck):
    for card in sorted(set(deck)):
        left = list(deck)
        left.remove(card)
        yield card, tuple(left), Fraction(deck.count(card), len(deck))


def _player(terms, sides, hand, bank, deck, chance, given, found):
    if points(hand) >= 15:
        return _bank(terms, sides, hand, (bank,), deck, chance, given, found, -1)
    options = (STAND, *((HIT,) if deck else ()))
    if terms.rules.swap and deck and given < 0 and len(hand) == 1 and hand[0] in (2, 3):
        options = (*options, SWAP)
    chances = ((STAND, Fraction(1)),)
    if len(options) > 1:
        chances = sides[0].chances(PlayerSees(Own((hand,), 0, given)), options)
    for option, share in chances:
        if option == STAND:
            _bank(terms, sides, hand, (bank,), deck, chance * share, given, found, -1)
            continue
        for card, rest, drawn in _draws(deck):
            grown, gone = ((*hand, card), given) if option == HIT else ((card,), hand[0])
            _player(terms, sides, grown, bank, rest, chance * share * drawn, gone, found)
    return None


def _bank(terms, sides, hand, bank, deck, chance, given, found, its_given):
    if points(hand) > 15 or points(bank) >= 15:
        found[net(terms, hand, bank)] += chance
        return
    options = (STAND, *((HIT,) if deck else ()))
    if terms.rules.bank_swaps and deck and its_given < 0 and len(bank) == 1 and bank[0] in (2, 3):
        options = (*options, SWAP)
    chances = ((STAND, Fraction(1)),)
    if len(options) > 1:
        table = OpenSeat((OpenHand(hand[1:], HandEnd.STOOD),), given >= 0)
        if points(hand) == 15:
            table = OpenSeat((OpenHand(hand, HandEnd.SEVEN_AND_A_HALF, True),), given >= 0)
        sees = BankSees(tuple(sorted(bank)), (table,), its_given)
        chances = sides[1].chances(sees, options)
    for option, share in chances:
        if option == STAND:
            found[net(terms, hand, bank)] += chance * share
            continue
        for card, rest, drawn in _draws(deck):
            grown, gone = ((*bank, card), its_given) if option == HIT else ((card,), bank[0])
            _bank(terms, sides, hand, grown, rest, chance * share * drawn, given, found, gone)
