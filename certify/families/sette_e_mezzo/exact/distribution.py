"""The joint distribution of all three wagers under a strategy: every order of the deck, counted."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from certify.families.sette_e_mezzo.exact.game_tree import GameTree
from certify.families.sette_e_mezzo.exact.settlement import BUST, settle
from certify.families.sette_e_mezzo.exact.sidebets import (
    NO_ROW,
    NO_SECOND_CARD,
    NOT_UNCOVERED,
    mano_counts,
    partita_row,
    rank_of_type,
)
from certify.families.sette_e_mezzo.exact.state import FirstCards, class_of_kind, first_state
from certify.families.sette_e_mezzo.rules import PairCondition
from certify.families.seven_and_a_half.cards import SEVEN_AND_A_HALF
from certify.families.seven_and_a_half.counting import ClassDeck, Hand

Draws = Callable[[int, Hand, int], bool]
"""Whether the player draws: (rank of the first card, hand, further cards of the first card's rank held)."""

JointOutcome = tuple[str, ...]
"""Outcomes of main, Partita Perfetta and Mano di Poker in one round."""


@dataclass(frozen=True)
class JointDistribution:
    """Orders of the whole deck by the outcomes of all three wagers; they sum to 40! for the whole deck."""

    orders: Mapping[JointOutcome, int]

    def marginal(self, wager: int) -> dict[str, Fraction]:
        """Returns the probabilities of a wager's outcomes: 0 main, 1 Partita Perfetta, 2 Mano di Poker."""
        counts: Counter[str] = Counter()
        for outcome, orders in self.orders.items():
            counts[outcome[wager]] += orders
        total = sum(self.orders.values())
        return {outcome: Fraction(orders, total) for outcome, orders in counts.items()}

    @cached_property
    def probabilities(self) -> dict[JointOutcome, Fraction]:
        """The probability of each joint outcome."""
        total = sum(self.orders.values())
        return {outcome: Fraction(orders, total) for outcome, orders in self.orders.items()}


def joint_distribution(tree: GameTree, draws: Draws) -> JointDistribution:
    """Returns the joint distribution of the three wagers when the player follows ``draws``.

    The three first cards that the side bets need are fixed by type; what follows is counted by class, since
    neither the play nor the main wager can tell more. Suits only matter to Mano di Poker, on which nothing
    later depends, so its counts multiply.
    """
    orders: Counter[JointOutcome] = Counter()
    for first, count in enumerate(tree.deck.type_counts):
        if not count:
            continue
        state = first_state(first)
        if _draws(tree, draws, state):
            _after_second_card(tree, draws, state, orders)
        else:
            _on_one_card(tree, state, orders)
    return JointDistribution(dict(orders))


def _draws(tree: GameTree, draws: Draws, state: FirstCards) -> bool:
    if state.hand in tree.hands.forced:
        return True
    return tree.hands.is_open(state.hand) and draws(rank_of_type(state.first), state.hand, state.same)


def _on_one_card(tree: GameTree, state: FirstCards, orders: Counter[JointOutcome]) -> None:
    by_kind = _continuations(tree, {state: 1}, state)
    for dealer, count in _second_types(tree.deck, state.first):
        for main, ways in by_kind[state.kind_of(dealer)].items():
            pair = partita_outcome(tree, state.first, dealer, main)
            orders[main, pair, NO_SECOND_CARD] += tree.deck.type_counts[state.first] * count * ways


def _after_second_card(
    tree: GameTree, draws: Draws, state: FirstCards, orders: Counter[JointOutcome]
) -> None:
    counts = mano_counts(tree.deck)
    continuations: dict[int, tuple[Counter[str], ...]] = {}
    for second, _ in _second_types(tree.deck, state.first):
        kind = state.kind_of(second)
        if kind not in continuations:
            start = state.drawn(kind)
            continuations[kind] = _continuations(tree, _play(tree, draws, start), start)
        for dealer in range(len(tree.deck.type_counts)):
            manos = counts.get((state.first, second, dealer))
            if manos is None:
                continue
            for main, ways in continuations[kind][state.kind_of(dealer)].items():
                pair = partita_outcome(tree, state.first, dealer, main)
                for mano, deals in manos.items():
                    orders[main, pair, mano] += deals * ways


def _second_types(deck: ClassDeck, first: int) -> Iterator[tuple[int, int]]:
    for card_type, count in enumerate(deck.type_counts):
        available = count - (card_type == first)
        if available:
            yield card_type, available


def partita_outcome(tree: GameTree, first: int, dealer: int, main: str) -> str:
    """Returns the outcome of Partita Perfetta for two first cards by type and the main wager's outcome."""
    rank = rank_of_type(first)
    if rank != rank_of_type(dealer):
        return NO_ROW
    if main == BUST and tree.pair_condition is PairCondition.DEALER_MUST_UNCOVER:
        return NOT_UNCOVERED
    return partita_row(rank)


def _play(tree: GameTree, draws: Draws, start: FirstCards) -> dict[FirstCards, int]:
    """Returns the hands on which the player ends, with the number of ways to draw to them from a start."""
    ends: dict[FirstCards, int] = {}
    level = {start: 1}
    while level:
        longer: dict[FirstCards, int] = defaultdict(int)
        for state, ways in level.items():
            if not _draws(tree, draws, state):
                ends[state] = ways
                continue
            for kind, cards in enumerate(state.kinds_left(tree.deck)):
                if cards:
                    longer[state.drawn(kind)] += ways * cards
        level = longer
    return ends


def _continuations(
    tree: GameTree, ends: Mapping[FirstCards, int], start: FirstCards
) -> tuple[Counter[str], ...]:
    """Returns main outcomes counted over the orders of the cards after the first three, per dealer's kind.

    The dealer's first card is one particular card of its kind: all cards of a kind are alike, so the orders
    with any card of the kind are divided by their number when the player started.
    """
    at_start = start.kinds_left(tree.deck)
    sums: list[Counter[str]] = [Counter() for _ in at_start]
    for end, ways in ends.items():
        remaining = end.kinds_left(tree.deck)
        classes = tree.deck.left(end.hand)
        showdowns = _showdowns(tree, end, classes)
        for kind, cards in enumerate(remaining):
            if not cards:
                continue
            card_class = class_of_kind(kind)
            for main, orders in showdowns[card_class].items():
                sums[kind][main] += ways * cards * (orders // classes[card_class])
    for kind, counter in enumerate(sums):
        for main in counter:
            counter[main] //= at_start[kind]
    return tuple(sums)


def _showdowns(tree: GameTree, end: FirstCards, classes: Hand) -> list[dict[str, int]]:
    total = tree.hands.totals[end.hand]
    if total > SEVEN_AND_A_HALF:
        after = tree.deck.orders_left(end.hand, 1)
        return [{BUST: cards * after} for cards in classes]
    return [settle(tree.terms, end.hand, total, part) for part in tree.dealer.showdowns(end.hand)]
