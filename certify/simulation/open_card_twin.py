"""The open-card kernel's twin in plain Python, and the comparison of all legs on the same decks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from certify.errors import InputError
from certify.games.open_card_round import play_open_card_round
from certify.model.cards import DECK_SIZE
from certify.model.figures import StrategyTable
from certify.model.rules import OpenCardRules
from certify.simulation.agreement import (
    KERNEL,
    KERNEL_LAZY,
    REFERENCE,
    TWIN,
    TWIN_LAZY,
    LegAgreement,
    Outcomes,
    compare_legs,
)
from certify.simulation.decks import StreamDecks
from certify.simulation.open_card_settlement import (
    BUST,
    FULL,
    POINTS,
    code_of,
    dealer_total,
    end_of,
    is_king,
    kind_of,
)
from certify.simulation.open_card_tables import compile_open_card
from certify.simulation.outcomes import (
    ANTE,
    OPEN_CARD_OUTCOMES,
    OPEN_DEALER_KING,
    OPEN_FOLD,
    OPEN_KING,
)
from rng.lazy import LazyDeck
from rng.uniform import Words


def play(decks: NDArray[np.uint8], strategy: StrategyTable, rules: OpenCardRules) -> NDArray[np.uint8]:
    """Returns the outcome code of every round, uint8[rounds], played without compiled tables."""
    chosen = {(shown, hand): decision for shown, hand, decision in strategy.by_open_card}
    return np.array([play_one(deck.tolist(), chosen, rules) for deck in decks], dtype=np.uint8)


def play_rounds(
    words: Words, rounds: int, strategy: StrategyTable, rules: OpenCardRules
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


def open_card_agreement_of_rounds(
    source: StreamDecks, rounds: int, rules: OpenCardRules, strategy: StrategyTable
) -> LegAgreement:
    """Plays the first rounds of a campaign card by card, and on their whole decks by all legs, and compares.

    Raises:
        NothingCheckedError: No round was asked for.
    """
    from certify.simulation import open_card_kernel  # Loading numba takes a moment.

    codes, starts = open_card_kernel.play_rounds(source.words(0), rounds, compile_open_card(strategy, rules))
    lazy = {
        KERNEL_LAZY: _named(codes),
        TWIN_LAZY: _named(play_rounds(source.words(0), rounds, strategy, rules)),
    }
    return open_card_agreement(source.whole(0, starts), rules, strategy, lazy)


def open_card_agreement(
    decks: NDArray[np.uint8],
    rules: OpenCardRules,
    strategy: StrategyTable,
    further_legs: Mapping[str, Sequence[Outcomes]] | None = None,
) -> LegAgreement:
    """Plays the same decks through reference engine, kernel and twin and compares every outcome.

    Args:
        decks: uint8[rounds, 40], card ids in dealing order.
        rules: Rules of play.
        strategy: The player's strategy.
        further_legs: Outcomes of the same decks by other implementations.

    Raises:
        NothingCheckedError: No deck was offered.
    """
    from certify.simulation import open_card_kernel  # Loading numba takes a moment.

    rounds = (play_open_card_round(deck.tolist(), rules, None, strategy) for deck in decks)
    legs: dict[str, Sequence[Outcomes]] = {
        REFERENCE: [(played.outcome(ANTE),) for played in rounds],
        KERNEL: _named(open_card_kernel.play(decks, compile_open_card(strategy, rules))),
        TWIN: _named(play(decks, strategy, rules)),
        **(further_legs or {}),
    }
    return compare_legs(decks, legs, (ANTE,))


def _named(codes: NDArray[np.uint8]) -> list[Outcomes]:
    return [(OPEN_CARD_OUTCOMES[code],) for code in codes.tolist()]
