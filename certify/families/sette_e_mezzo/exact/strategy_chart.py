"""The decisions behind a strategy: value of each choice, how often it comes up, what a mistake costs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from fractions import Fraction

from certify.families.sette_e_mezzo.exact.game_tree import GameTree
from certify.families.sette_e_mezzo.exact.joint_optimal import JointSolution
from certify.families.sette_e_mezzo.exact.optimal import MainSolution
from certify.families.sette_e_mezzo.exact.sidebets import rank_of_type
from certify.families.sette_e_mezzo.exact.state import FirstCards, first_state
from certify.families.sette_e_mezzo.exact.strategies import draws_of
from certify.families.sette_e_mezzo.strategy import HitTable
from certify.families.seven_and_a_half.cards import CLASS_FACE, CLASS_MATTA, CLASSES, RANK_FIRST_FACE, RANKS
from certify.families.seven_and_a_half.counting import CLASS_OF_TYPE, ORDERS, TYPES, Hand, hand_name
from certify.model.figures import Decision

HIT, STAND, DRAW = "hit", "stand", "draw"


def reach(tree: GameTree, table: HitTable) -> dict[FirstCards, Fraction]:
    """Returns the states that a strategy comes to, with their probabilities."""
    draws = draws_of(table)
    ways: dict[FirstCards, int] = {
        first_state(card): count for card, count in enumerate(tree.deck.type_counts) if count
    }
    reached: dict[FirstCards, Fraction] = {}
    cards = 1
    while ways:
        total = ORDERS[tree.deck.size] // ORDERS[tree.deck.size - cards]
        reached.update((state, Fraction(count, total)) for state, count in ways.items())
        longer: dict[FirstCards, int] = defaultdict(int)
        for state, count in ways.items():
            chosen = tree.hands.is_open(state.hand) and draws(
                rank_of_type(state.first), state.hand, state.same
            )
            if chosen or state.hand in tree.hands.forced:
                for kind, available in enumerate(state.kinds_left(tree.deck)):
                    if available:
                        longer[state.drawn(kind)] += count * available
        ways, cards = longer, cards + 1
    return reached


def main_decisions(tree: GameTree, solution: MainSolution, table: HitTable) -> tuple[Decision, ...]:
    """Returns every decision of the main wager, hands that the strategy never comes to included.

    Values are those of the main wager when the player plays on best for it; the choice of the analysed
    strategy stands beside the best one.
    """
    probabilities: dict[Hand, Fraction] = defaultdict(Fraction)
    for state, probability in reach(tree, table).items():
        probabilities[state.hand] += probability
    return tuple(
        _main_decision(tree, solution, table, hand, probabilities[hand])
        for hand in _in_reading_order(solution.draw)
    )


def _main_decision(
    tree: GameTree, solution: MainSolution, table: HitTable, hand: Hand, probability: Fraction
) -> Decision:
    drawn = solution.expectation(solution.draw, hand)
    if hand in tree.hands.forced:
        return Decision(hand_name(hand), hand, None, DRAW, {DRAW: drawn}, DRAW, probability)
    values = {HIT: drawn, STAND: solution.expectation(solution.stand, hand)}
    best = HIT if hand in solution.hits else STAND
    chosen = HIT if hand in table.draws else STAND
    return Decision(hand_name(hand), hand, None, best, values, chosen, probability)


def _in_reading_order(hands: Mapping[Hand, int]) -> Iterator[Hand]:
    yield from sorted(hands, key=lambda hand: (sum(hand), tuple(-held for held in hand)))


def joint_decisions(tree: GameTree, solution: JointSolution, table: HitTable) -> tuple[Decision, ...]:
    """Returns every decision for the whole stake, one for each first card that it may look at.

    Values are the expected total net result in units of all stakes when the player plays on best for them.
    """
    reached = reach(tree, table)
    merged: dict[tuple[int, int, Hand], tuple[FirstCards, Fraction]] = {}
    for state in solution.draw:
        key = (rank_of_type(state.first), state.same, state.hand)
        known = merged.get(key)
        probability = reached.get(state, Fraction(0)) + (known[1] if known else 0)
        merged[key] = (known[0] if known else state, probability)
    ordered = sorted(merged, key=lambda key: (sum(key[2]), key[0], tuple(-held for held in key[2]), key[1]))
    return tuple(_joint_decision(tree, solution, table, *merged[key]) for key in ordered)


def _joint_decision(
    tree: GameTree, solution: JointSolution, table: HitTable, state: FirstCards, probability: Fraction
) -> Decision:
    first = RANKS[rank_of_type(state.first)]
    name = ordered_name(state)
    drawn = solution.expectation(solution.draw, state)
    if state.hand in tree.hands.forced:
        return Decision(name, state.hand, None, DRAW, {DRAW: drawn}, DRAW, probability, first)
    values = {HIT: drawn, STAND: solution.expectation(solution.stand, state)}
    best = HIT if state in solution.hits else STAND
    draws = draws_of(table)(rank_of_type(state.first), state.hand, state.same)
    return Decision(name, state.hand, None, best, values, HIT if draws else STAND, probability, first)


def ordered_name(state: FirstCards) -> str:
    """Returns a state as text: the first card, then the others; ``face`` is a face of another rank.

    >>> ordered_name(FirstCards(7, (1, 0, 0, 0, 0, 0, 0, 3, 0), 1))
    'J first, A+J+face'
    """
    rest = list(state.hand)
    rest[CLASS_OF_TYPE[state.first]] -= 1
    faces = rest[CLASS_FACE] - state.same_faces
    rank = RANKS[rank_of_type(state.first)]
    names = [CLASSES[kind] for kind in range(RANK_FIRST_FACE) for _ in range(rest[kind])]
    names += [rank] * state.same_faces + ["face"] * faces + ["matta"] * rest[CLASS_MATTA]
    first = TYPES[state.first]
    return f"{first} first, {'+'.join(names)}" if names else first
