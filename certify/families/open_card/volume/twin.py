"""The open-card kernel's twin in plain Python, and the comparison of all legs on the same decks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from certify.errors import InputError
from certify.families.open_card.rules import OpenCardRules
from certify.families.open_card.strategy import OpenCardTable
from certify.families.open_card.volume.outcomes import (
    OPEN_DEALER_KING,
    OPEN_FOLD,
    OPEN_KING,
)
from certify.families.open_card.volume.settlement import (
    BUST,
    FULL,
    POINTS,
    code_of,
    dealer_total,
    end_of,
    is_king,
    kind_of,
)
from certify.families.seven_and_a_half.cards import DECK_SIZE
from rng.lazy import LazyDeck
from rng.uniform import Words


def play(decks: NDArray[np.uint8], strategy: OpenCardTable, rules: OpenCardRules) -> NDArray[np.uint8]:
    """Returns the outcome code of every round, uint8[rounds], played without compiled tables."""
    chosen = {(shown, hand): decision for shown, hand, decision in strategy.by_open_card}
    return np.array([play_one(deck.tolist(), chosen, rules) for deck in decks], dtype=np.uint8)


def play_rounds(
    words: Words, rounds: int, strategy: OpenCardTable, rules: OpenCardRules
) -> NDArray[np.uint8]:
    """Returns the outcome code of rounds that are dealt card by card, uint8[rounds]."""
    chosen = {(shown, hand): decision for shown, hand, decision in strategy.by_open_card}
    codes = [play_one(LazyDeck(words, DECK_SIZE), chosen, rules) for _ in range(rounds)]
    return np.array(codes, dtype=np.uint8)


def play_one(
    deck: Sequence[int], chosen: dict[tuple[int, tuple[int, ...]], str], rules: OpenCardRules
) -> int:
    """Returns the outcome code of one round; cards are looked at one after the other, as they are used.

    Raises:
        InputError: The strategy names no decision for a hand that came up.
    """
    first = deck[0]
    if is_king(first):
        return OPEN_KING
    shown = deck[1]
    if is_king(shown):
        return OPEN_DEALER_KING
    hand = [0] * len(POINTS)
    hand[kind_of(first)] = 1
    total, taken, bet = POINTS[kind_of(first)], 0, 0
    while total < FULL and taken + 1 < rules.player_maximum_cards:
        decision = chosen.get((kind_of(shown), tuple(hand)))
        if decision is None:
            raise InputError(f"the strategy names no decision for the hand {tuple(hand)}")
        if decision == "fold":
            return OPEN_FOLD
        move, _, placed = decision.partition("-")
        bet = int(placed) if placed else bet
        if move == "stand":
            break
        drawn = kind_of(deck[2 + taken])
        hand[drawn] += 1
        total, taken = total + POINTS[drawn], taken + 1
    if total > FULL:
        return code_of(BUST, bet)
    return code_of(end_of(total, dealer_total(shown, deck, 2 + taken, rules)), bet)
