"""The most that one round of one seat can cost whoever banks, with a deal that shows it."""

from __future__ import annotations

from typing import Final

from certify.errors import InputError
from certify.families.free_bank.exact.settlement import PLAIN, REALE, terms_of
from certify.families.free_bank.rules import BET
from certify.families.free_bank.strategy import COVER, HIT, SPLIT, STAND
from certify.families.seven_and_a_half.cards import RANK_FIRST_FACE, RANK_SEVEN, card_id
from certify.model.game import Game
from certify.model.witness import Exposure

ACE: Final = card_id(0, 0)
SIX: Final = 5


def exposure(game: Game) -> Exposure:
    """Returns the most that a bank can lose to one seat in one round at the highest stake.

    Every hand of the seat wins the best pay: the bank holds an ace and stands. Hands are faces, each with a seven that
    makes 7½, or with a six where an ordinary win pays more.
    """
    terms, wager = terms_of(game), game.wagers[0]
    if terms.rules.seats > 1:
        raise InputError(
            f"{terms.rules.seats} seats: what a bank can lose to all of them together is proven by the rounds of the "
            "table, expected seats = 1"
        )
    hands = terms.rules.hands
    best = max(terms.pay(end) for end in ((PLAIN, REALE) if terms.rules.reale else (PLAIN,)))
    finish, stood = (SIX, (STAND,)) if terms.win > best else (RANK_SEVEN, ())
    pay = max(terms.win, best)
    faces = [card_id(RANK_FIRST_FACE, suit) for suit in range(4)][:hands]
    last = [card_id(finish, suit) for suit in range(4)][:hands]
    rules = terms.rules
    covered = max(rules.bank_collects, rules.bank_collects_from_seven_and_a_half) > 1
    decisions = [
        *((COVER,) if covered else ()),
        *((HIT, SPLIT) * (hands - 1)),
        *((HIT, *stood) * hands),
        STAND,
    ]
    won = hands * pay * wager.limits.maximum
    # Broken minor units count in the player's favour: an upper bound is asked.
    amount = -(-won.numerator // won.denominator)
    return Exposure(
        amount=amount,
        currency=wager.limits.currency,
        wins=((BET, amount),),
        deck=(faces[0], ACE, *faces[1:], *last),
        decisions=tuple(decisions),
        stakes=((BET, hands * wager.limits.maximum),),
    )
