"""Rules of play of the games with a free bank, to be read next to the rulebook; cards by id, totals in half points."""

from collections.abc import Sequence
from typing import Final

from certify.families.free_bank.rules import FreeBankRules, is_reale, total
from certify.families.free_bank.strategy import Cards
from certify.families.seven_and_a_half.cards import (
    CLASS_FACE,
    CLASS_MATTA,
    MATTA,
    RANKS,
    SEVEN_AND_A_HALF,
    card_name,
)
from certify.model import Equipment

WIN: Final = "win"
SEVEN_AND_A_HALF_WINS: Final = "seven-and-a-half"
REALE: Final = "reale"
LOSE: Final = "lose"
BUST: Final = "bust"
BANK_SEVEN_AND_A_HALF: Final = "bank-seven-and-a-half"
BOTH_SEVEN_AND_A_HALF: Final = "both-seven-and-a-half"
BOTH_REALE: Final = "both-reale"

PAID: Final = (REALE, SEVEN_AND_A_HALF_WINS, WIN)
"""Rows that a paytable names, the best hand first; the reale only where the game knows it."""

SPLIT: Final = "split"
"""Row of every round in which a seat had several hands: each of them is settled by itself."""

AND: Final = "+"
"""The sign between the outcomes of several hands of one seat."""


def classes_of(deck: Equipment, rules: FreeBankRules) -> tuple[int, ...]:
    """Returns the class of each card of a deck, by its name: a deck may lack some of the forty.

    The class is the rank, all faces as one, the matta apart where the game has one.
    """
    matta = card_name(MATTA, deck.suits)
    return tuple(
        CLASS_MATTA
        if rules.matta and card == matta
        else min(RANKS.index(card.partition(" of ")[0]), CLASS_FACE)
        for card in deck.faces
    )


SWAPPED_FIRST: Final = (6, 8)
"""Half points of a first card that may be swapped: a 3 or a 4."""


def may_split(hands: Sequence[Cards], came: int, rules: FreeBankRules) -> bool:
    """Returns whether a card that came may be split off.

    It must be a face on a first hand that is still a single face, and the seat has room for a further hand.
    """
    return hands[0] == (CLASS_FACE,) and came == CLASS_FACE and len(hands) < rules.hands


def outcome_of(hand: Cards, bank: Cards, rules: FreeBankRules) -> str:
    """Returns how a finished hand ends against the bank's.

    A hand above 7½ lost at once. A tie goes to the bank. A reale is beaten by a bank's reale alone.

    Args:
        hand: The player's hand by class.
        bank: The bank's final hand by class; its first card alone where it did not play.
        rules: Rules of play.
    """
    own, its = total(hand), total(bank)
    if own > SEVEN_AND_A_HALF:
        return BUST
    if rules.reale and is_reale(hand):
        return BOTH_REALE if is_reale(bank) else REALE
    if its == SEVEN_AND_A_HALF:
        return BOTH_SEVEN_AND_A_HALF if own == SEVEN_AND_A_HALF else BANK_SEVEN_AND_A_HALF
    if own == SEVEN_AND_A_HALF:
        return SEVEN_AND_A_HALF_WINS
    return WIN if its > SEVEN_AND_A_HALF or own > its else LOSE


def collected(outcome: str, rules: FreeBankRules) -> int:
    """Returns the stakes that the bank collects from a hand that lost so.

    Raises:
        KeyError: No hand loses so.
    """
    return {
        LOSE: 1,
        BUST: 1,
        BOTH_REALE: 1,
        BANK_SEVEN_AND_A_HALF: rules.bank_collects,
        BOTH_SEVEN_AND_A_HALF: rules.bank_collects_from_seven_and_a_half,
    }[outcome]


def cover(rules: FreeBankRules) -> int:
    """Returns what one hand can lose beyond its stake, in stakes: its seat puts it up before it plays."""
    return max(rules.bank_collects, rules.bank_collects_from_seven_and_a_half) - 1


def takes_the_bank(seats: Sequence[Sequence[Cards]], bank: Cards, rules: FreeBankRules) -> int | None:
    """Returns the seat that banks the next round, none where the bank stays where it is.

    Of several seats it is the first in the order of play, which is the order counter-clockwise from the bank.

    Args:
        seats: Hands of each seat by class, in the order of play.
        bank: The bank's final hand; its first card alone where it did not play.
        rules: Rules of play.
    """
    if rules.passing == "never":
        return None
    reale = rules.passing == "reale"
    if not rules.passes_when_bank_has_it and _has_it(bank, reale=reale):
        return None
    return next(
        (place for place, hands in enumerate(seats) if any(_has_it(hand, reale=reale) for hand in hands)),
        None,
    )


def _has_it(hand: Cards, *, reale: bool) -> bool:
    return is_reale(hand) if reale else total(hand) == SEVEN_AND_A_HALF
