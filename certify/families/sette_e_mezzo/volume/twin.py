"""The kernel's twin in plain Python: slow, readable, and equal to it outcome by outcome."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from certify.families.sette_e_mezzo.rules import SetteEMezzoRules
from certify.families.sette_e_mezzo.strategy import HitTable
from certify.families.sette_e_mezzo.volume.outcomes import MANO_NO_SECOND_CARD
from certify.families.sette_e_mezzo.volume.settlement import (
    CLASS_OF,
    FULL,
    KING,
    OVER,
    POINTS,
    best_total,
    dealer_draws,
    main_code,
    pair_code,
    poker_code_of,
)
from certify.families.seven_and_a_half.cards import CLASS_FACE, CLASS_MATTA, CLASSES, DECK_SIZE
from rng.lazy import LazyDeck
from rng.uniform import Words


def play(decks: NDArray[np.uint8], strategy: HitTable, rules: SetteEMezzoRules) -> NDArray[np.uint8]:
    """Returns the outcome codes of every round, uint8[rounds, 3], played without compiled tables.

    Args:
        decks: uint8[rounds, 40], card ids in dealing order.
        strategy: Hands on which the player draws.
        rules: Rules of play.
    """
    codes = [play_one([int(card) for card in deck], strategy, rules) for deck in decks]
    return np.array(codes, dtype=np.uint8).reshape(len(codes), 3)


def play_rounds(words: Words, rounds: int, strategy: HitTable, rules: SetteEMezzoRules) -> NDArray[np.uint8]:
    """Returns the outcome codes of rounds that are dealt card by card, uint8[rounds, 3].

    Args:
        words: The stream that the cards are drawn from.
        rounds: Rounds to play.
        strategy: Hands on which the player draws.
        rules: Rules of play.
    """
    codes = [play_one(LazyDeck(words, DECK_SIZE), strategy, rules) for _ in range(rounds)]
    return np.array(codes, dtype=np.uint8).reshape(len(codes), 3)


def play_one(deck: Sequence[int], strategy: HitTable, rules: SetteEMezzoRules) -> tuple[int, int, int]:
    """Returns the outcome codes of one round: main, Partita Perfetta, Mano di Poker.

    Args:
        deck: Card ids in dealing order; only the cards that the round uses are looked at, one after the other.
        strategy: Hands on which the player draws.
        rules: Rules of play.
    """
    player_first, dealer_first = deck[0], deck[1]
    player, place = _player(deck, strategy, rules)
    bust = player == OVER
    dealer = OVER if bust else _dealer(deck, place, min(player, FULL), rules)
    drew = place > 2
    poker = poker_code_of(player_first, dealer_first, deck[2]) if drew else MANO_NO_SECOND_CARD
    return main_code(player, dealer, rules), pair_code(player_first, dealer_first, bust, rules), poker


def _player(deck: Sequence[int], strategy: HitTable, rules: SetteEMezzoRules) -> tuple[int, int]:
    """Returns the code of the player's final total and the place of the next card in the deck."""
    first, place = deck[0], 2
    hand, same = [0] * len(CLASSES), 0
    hand[CLASS_OF[first]] = 1
    plain = POINTS[CLASS_OF[first]]
    by_rule = CLASS_OF[first] >= CLASS_FACE and rules.player_draws_on_first_face
    total = best_total(plain, hand[CLASS_MATTA] == 1)
    while total < FULL and (by_rule or _draws(strategy, first, same, hand)):
        drawn = CLASS_OF[deck[place]]
        hand[drawn] += 1
        same += deck[place] >> 2 == first >> 2
        plain, place, by_rule = plain + POINTS[drawn], place + 1, False
        total = best_total(plain, hand[CLASS_MATTA] == 1)
    natural = total == FULL and place == 3 and hand[CLASS_MATTA] == 1
    return (KING if natural else total), place


def _draws(strategy: HitTable, first: int, same: int, hand: Sequence[int]) -> bool:
    if strategy.looks_at_first_card:
        return (first >> 2, same, tuple(hand)) in strategy.draws_by_first
    return tuple(hand) in strategy.draws


def _dealer(deck: Sequence[int], place: int, against: int, rules: SetteEMezzoRules) -> int:
    """Returns the code of the dealer's final total, drawn from a place of the deck on."""
    first = deck[1]
    plain, matta = POINTS[CLASS_OF[first]], CLASS_OF[first] == CLASS_MATTA
    first_face = CLASS_OF[first] >= CLASS_FACE
    total = best_total(plain, matta)
    while total != OVER and dealer_draws(total, against, first_face, rules):
        drawn = CLASS_OF[deck[place]]
        plain, matta = plain + POINTS[drawn], matta or drawn == CLASS_MATTA
        total, place, first_face = best_total(plain, matta), place + 1, False
    return total
