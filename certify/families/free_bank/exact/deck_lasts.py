"""How many cards a round can ask for at most: where the deck has as many, it never runs out."""

from __future__ import annotations

from certify.families.free_bank.rules import SWAPPED, FreeBankRules
from certify.families.seven_and_a_half.cards import CLASS_FACE, CLASS_MATTA
from certify.families.seven_and_a_half.values import POINTS


def most_cards(rules: FreeBankRules, seats_stand_on: int, bank_stands_on: int) -> int:
    """Returns a number of cards that no round exceeds, first cards and cards swapped away included.

    A hand draws while it is below the total that it stands on, so all its cards but the last add up to less. The
    smallest cards of the deck fill that room first, a matta counting a half; each hand has one last card besides.

    Args:
        rules: Rules of play; every seat plays one hand.
        seats_stand_on: Total in half points on which the seats stand at the latest.
        bank_stands_on: The same of the bank.

    >>> [most_cards(FreeBankRules(seats=seats), 10, 10) for seats in (1, 2, 10, 11)]
    [17, 20, 39, 41]
    """
    room = rules.seats * (seats_stand_on - 1) + bank_stands_on - 1
    small, held = 0, rules.deck
    kinds = sorted(
        (POINTS[CLASS_FACE if card == CLASS_MATTA else card], there) for card, there in enumerate(held)
    )
    for points, there in kinds:
        taken = min(there, room // points)
        small, room = small + taken, room - taken * points
    swaps = sum(held[card] for card in SWAPPED)
    swapped = min((rules.seats if rules.swap else 0) + int(rules.bank_swaps), swaps)
    return min(small + rules.seats + 1 + swapped, sum(held) + 1)
