"""Settlement for volume: how hands end, in small integers, written apart from the other two legs."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Final

from certify.families.free_bank.rules import FreeBankRules
from certify.families.seven_and_a_half.cards import (
    CLASS_FACE,
    CLASS_MATTA,
    DECK_SIZE,
    MATTA,
    RANK_SEVEN,
    rank_of,
)

FULL: Final = 15
"""Code of a plain 7½; a lower total is its own code, in half points."""
ROYAL: Final = 16
"""Code of a reale, where the game knows it."""
OVER: Final = 17
"""Code of every total above 7½: by how much settles nothing."""
CODES: Final = 18

_WHOLE: Final = (2, 4, 6, 8, 10, 12, 14, 1)

WIN: Final = "win"
FULL_WINS: Final = "seven-and-a-half"
ROYAL_WINS: Final = "reale"
ENDS: Final = (
    ROYAL_WINS,
    FULL_WINS,
    WIN,
    "lose",
    "bust",
    "bank-seven-and-a-half",
    "both-seven-and-a-half",
    "both-reale",
)
"""How a single hand can end, in the order of the kernel's codes."""

REALE, SEVEN, WON, LOST, BUST, BANK_FULL, BOTH_FULL, BOTH_ROYAL = range(len(ENDS))


def classes(rules: FreeBankRules) -> tuple[int, ...]:
    """Returns the class of each card id."""
    found = [min(rank_of(card), CLASS_FACE) for card in range(DECK_SIZE)]
    if rules.matta:
        found[MATTA] = CLASS_MATTA
    return tuple(found)


def points(cards: Sequence[int]) -> int:
    """Returns the total of a hand in half points, above 15 where it is over.

    The matta lifts an odd number of half points to exactly 15 and an even one to 14, and 14 by its half to 15; only
    from 15 on does even that half go over.

    >>> points((8,)), points((6, 8)), points((0, 8)), points((7, 7, 8))
    (14, 15, 14, 14)
    """
    plain = sum(_WHOLE[card] for card in cards if card != CLASS_MATTA)
    if CLASS_MATTA not in cards:
        return plain
    if plain >= FULL:
        return plain + 1
    return FULL if plain % 2 or plain == FULL - 1 else FULL - 1


def code(cards: Sequence[int], rules: FreeBankRules) -> int:
    """Returns the code of a hand by classes of cards."""
    total = points(cards)
    if total > FULL:
        return OVER
    kinds = {RANK_SEVEN, CLASS_FACE, CLASS_MATTA}
    royal = rules.reale and total == FULL and len(cards) == 2 and kinds.issuperset(cards)
    return ROYAL if royal else total


def ended(player: int, bank: int) -> int:
    """Returns how a hand ends, as a place in ENDS, from the codes of both hands."""
    if player == OVER:
        return BUST
    if player == ROYAL:
        return BOTH_ROYAL if bank == ROYAL else REALE
    if bank in (FULL, ROYAL):
        return BOTH_FULL if player == FULL else BANK_FULL
    if player == FULL:
        return SEVEN
    return WON if bank == OVER or bank < player else LOST


def settled() -> tuple[tuple[int, ...], ...]:
    """Returns how a hand ends for each code of the player and each of the bank."""
    return tuple(tuple(ended(player, bank) for bank in range(CODES)) for player in range(CODES))


def outcomes(rules: FreeBankRules) -> tuple[str, ...]:
    """Returns every outcome of a round: of one hand, then of several where hands may be split."""
    single = [end for end in ENDS if rules.reale or end not in (ENDS[REALE], ENDS[BOTH_ROYAL])]
    several = (
        "+".join(sorted(ends))
        for hands in range(2, rules.hands + 1)
        for ends in combinations_with_replacement(sorted(single), hands)
    )
    return (*single, *several)


def net(outcome: str, pays: Mapping[str, Fraction], rules: FreeBankRules) -> Fraction:
    """Returns the net result of a round in stakes.

    Args:
        outcome: How it ended; of several hands, their ends joined.
        pays: What the paytable pays, by row.
        rules: What the bank collects.
    """
    taken = {
        ENDS[BANK_FULL]: rules.bank_collects,
        ENDS[BOTH_FULL]: rules.bank_collects_from_seven_and_a_half,
    }
    return sum((pays.get(end, Fraction(-taken.get(end, 1))) for end in outcome.split("+")), Fraction(0))
