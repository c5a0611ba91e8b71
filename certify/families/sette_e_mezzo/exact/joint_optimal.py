"""Play that is best for the whole stake: exact backward induction with side bets in the balance.

A second card makes Mano di Poker live; a bust forfeits Partita Perfetta where the dealer must uncover. So the
state carries the hand by class, the first card, and how many of its rank the player holds: nothing more can
change what any wager is worth.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from certify.errors import InputError
from certify.families.sette_e_mezzo.exact.game_tree import GameTree
from certify.families.sette_e_mezzo.exact.optimal import pay_scale
from certify.families.sette_e_mezzo.exact.settlement import MAIN, ended
from certify.families.sette_e_mezzo.exact.sidebets import (
    MANO,
    PARTITA,
    mano_counts,
    partita_row,
    rank_of_type,
)
from certify.families.sette_e_mezzo.exact.state import FirstCards, first_state
from certify.families.sette_e_mezzo.rules import PairCondition
from certify.families.seven_and_a_half.cards import SEVEN_AND_A_HALF, rank_of
from certify.families.seven_and_a_half.counting import ORDERS, ClassDeck, Hand
from certify.model.game import Game, Paytable, checked_stakes

Stakes = Mapping[str, Fraction]

Worth = tuple[int, int, int]
"""Net results of main, Partita Perfetta and Mano di Poker per unit staked on each, summed over all orders of the
remaining cards, times a scale that makes all pays whole."""

WAGERS = (MAIN, PARTITA, MANO)
"""The wagers in the order in which joint results name them."""


@dataclass(frozen=True, slots=True)
class JointSolution:
    """Values of states under the play that is best for all stakes together.

    Args:
        deck: The cards that are dealt from.
        scale: What whole numbers are multiplied by so that pays become whole.
        stakes: Units on each wager, in the order of :data:`WAGERS`.
        stand: Worth of standing where the hand may end.
        draw: Worth of drawing and playing on best where the hand may go on.
        hits: States in which a card is better than standing; a tie is decided for standing.
        round: Worth of the whole round.
    """

    deck: ClassDeck
    scale: int
    stakes: tuple[Fraction, Fraction, Fraction]
    stand: Mapping[FirstCards, Worth]
    draw: Mapping[FirstCards, Worth]
    hits: frozenset[FirstCards]
    round: Worth

    def expectation(self, worth: Mapping[FirstCards, Worth], state: FirstCards) -> Fraction:
        """Returns the expected total net result in units of standing or drawing in a state."""
        orders = self.scale * self.deck.orders_left(state.hand)
        return (
            sum((stake * part for stake, part in zip(self.stakes, worth[state], strict=True)), Fraction(0))
            / orders
        )

    def wager_expectation(self, wager: str) -> Fraction:
        """Returns the expected net result of a wager per unit staked on it."""
        return Fraction(self.round[WAGERS.index(wager)], self.scale * ORDERS[self.deck.size])

    @property
    def value(self) -> Fraction:
        """Expected total net result of the round in units."""
        return sum(
            (stake * self.wager_expectation(wager) for stake, wager in zip(self.stakes, WAGERS, strict=True)),
            Fraction(0),
        )


@dataclass(frozen=True, slots=True)
class JointTree:
    """Every state of a hand, with what its ends are worth: all that does not depend on the stakes.

    Args:
        scale: What makes all pays whole.
        stand: Worth of standing (or of a bust) in each state in which the hand may end.
        drawn: For each state in which the hand may go on, the cards left of each kind and the states after.
        second_card: What Mano di Poker is worth with the second card still to come, by first state.
        order: States with longer hands first.
    """

    scale: int
    stand: Mapping[FirstCards, Worth]
    drawn: Mapping[FirstCards, tuple[tuple[int, FirstCards], ...]]
    second_card: Mapping[FirstCards, int]
    order: tuple[FirstCards, ...]


@lru_cache(maxsize=8)
def joint_tree(tree: GameTree, game: Game) -> JointTree:
    """Returns every state of a hand of a game, with what its ends are worth.

    Raises:
        InputError: The deck holds some ranks in other suits than others; a state that forgets the suit of the
            first card could then not tell what a second card is worth to Mano di Poker.
    """
    if len({tree.deck.suits_of(rank) for rank in map(rank_of, tree.deck.cards)}) > 1:
        raise InputError(
            "ranks in different suits: joint play is solved on decks with every rank in the same suits"
        )
    partita, mano = game.wager(PARTITA).paytable, game.wager(MANO).paytable
    scale = pay_scale([tree.terms.win, tree.terms.king, *(row.pays for row in (*partita.rows, *mano.rows))])
    ends = _Ends(tree, partita, scale)
    states = _states(tree)
    first = [state for state in states if sum(state.hand) == 1]
    return JointTree(
        scale,
        {state: ends.worth(state) for state in states if state.hand not in tree.hands.forced},
        {state: tuple(_children(tree.deck, state)) for state in states if tree.hands.is_open(state.hand)},
        {state: _second_card(tree.deck, mano, scale, state.first) for state in first},
        tuple(reversed(states)),
    )


def _children(deck: ClassDeck, state: FirstCards) -> Iterator[tuple[int, FirstCards]]:
    for kind, cards in enumerate(state.kinds_left(deck)):
        if cards:
            yield cards, state.drawn(kind)


def _states(tree: GameTree) -> list[FirstCards]:
    """Returns all states that any play can come to, shorter hands first."""
    level = [first_state(card) for card, count in enumerate(tree.deck.type_counts) if count]
    states: list[FirstCards] = []
    while level:
        states += level
        longer = {
            after: None
            for state in level
            if tree.hands.is_open(state.hand)
            for _, after in _children(tree.deck, state)
        }
        level = list(longer)
    return states


class _Ends:
    """What a hand that ends is worth to each wager."""

    def __init__(self, tree: GameTree, partita: Paytable, scale: int) -> None:
        self._tree = tree
        self._partita = partita
        self._scale = scale
        self._main: dict[Hand, int] = {}

    def worth(self, state: FirstCards) -> Worth:
        orders = self._scale * self._tree.deck.orders_left(state.hand)
        # A hand that ends on its first card has forfeited Mano di Poker; a later end cannot change it.
        return (
            self._main_worth(state.hand),
            self._pair(state) - orders,
            -orders if sum(state.hand) == 1 else 0,
        )

    def _main_worth(self, hand: Hand) -> int:
        if hand not in self._main:
            terms = self._tree.terms
            ends = ended(terms, self._tree.dealer, hand, self._tree.hands.totals[hand])
            self._main[hand] = sum(int(terms.pays(end) * self._scale) * count for end, count in ends.items())
        return self._main[hand]

    def _pair(self, state: FirstCards) -> int:
        """Returns what Partita Perfetta gives back, stake included."""
        bust = self._tree.hands.totals[state.hand] > SEVEN_AND_A_HALF
        if bust and self._tree.pair_condition is PairCondition.DEALER_MUST_UNCOVER:
            return 0
        pays = self._partita.pays(partita_row(rank_of_type(state.first)))
        # Cards of the first card's rank that the player holds cannot be the dealer's.
        deck = self._tree.deck
        same_left = deck.rank_count(rank_of_type(state.first)) - 1 - state.same
        return int((1 + pays) * self._scale) * same_left * deck.orders_left(state.hand, 1)


def _second_card(deck: ClassDeck, mano: Paytable, scale: int, first: int) -> int:
    """Returns what Mano di Poker is worth over all orders after a first card, the second being drawn."""
    back = sum(int((1 + row.pays) * scale) * _deals(deck, first, row.id) for row in mano.rows)
    # Deals count every card of the first card's type; each of them alike has its share.
    return back * ORDERS[deck.size - 3] // deck.type_counts[first] - scale * ORDERS[deck.size - 1]


def _deals(deck: ClassDeck, first: int, row: str) -> int:
    return sum(counts[row] for (card, _, _), counts in mano_counts(deck).items() if card == first)


def solve_joint(tree: GameTree, game: Game, stakes: Stakes) -> JointSolution:
    """Returns the play that is best for all stakes together.

    Raises:
        InputError: The stakes do not fit the game.
    """
    placed = checked_stakes(game, stakes)
    main, pair, poker = (placed[wager] for wager in WAGERS)
    whole = math.lcm(main.denominator, pair.denominator, poker.denominator)
    joint = joint_tree(tree, game)
    best, draw, hits = _induce(joint, (int(main * whole), int(pair * whole), int(poker * whole)))
    first = [(count, best[first_state(card)]) for card, count in enumerate(tree.deck.type_counts) if count]
    return JointSolution(
        tree.deck, joint.scale, (main, pair, poker), joint.stand, draw, frozenset(hits), _weighted(first)
    )


def _weighted(parts: list[tuple[int, Worth]]) -> Worth:
    return (
        sum(cards * worth[0] for cards, worth in parts),
        sum(cards * worth[1] for cards, worth in parts),
        sum(cards * worth[2] for cards, worth in parts),
    )


def _induce(
    joint: JointTree, stakes: tuple[int, int, int]
) -> tuple[dict[FirstCards, Worth], dict[FirstCards, Worth], set[FirstCards]]:
    """Goes through all states, longest hands first, and keeps the better of standing and drawing."""
    best: dict[FirstCards, Worth] = {}
    draw: dict[FirstCards, Worth] = {}
    hits: set[FirstCards] = set()
    for state in joint.order:
        stand = joint.stand.get(state)
        if state not in joint.drawn:
            best[state] = joint.stand[state]
            continue
        main, pair, poker = _weighted([(cards, best[after]) for cards, after in joint.drawn[state]])
        drawn = draw[state] = (main, pair, poker + joint.second_card.get(state, 0))
        if stand is None:
            best[state] = drawn
        elif _total(stakes, drawn) > _total(stakes, stand):
            best[state] = drawn
            hits.add(state)
        else:
            best[state] = stand
    return best, draw, hits


def _total(stakes: tuple[int, int, int], worth: Worth) -> int:
    return stakes[0] * worth[0] + stakes[1] * worth[1] + stakes[2] * worth[2]
