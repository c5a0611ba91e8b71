"""Play that is best for the whole stake: exact backward induction with side bets in the balance.

A second card makes Mano di Poker live; a bust forfeits Partita Perfetta where the dealer must uncover. So the
state carries the hand by class, the first card, and how many of its rank the player holds: nothing more can
change what any wager is worth.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from certify.analysis.counting import ORDERS, TYPE_COUNTS, TYPES
from certify.analysis.game_tree import GameTree
from certify.analysis.optimal import pay_scale
from certify.analysis.settlement import MAIN, ended
from certify.analysis.sidebets import MANO, PARTITA, mano_counts, partita_row, rank_of_type
from certify.analysis.state import State, first_state
from certify.errors import InputError
from certify.model.cards import DECK_SIZE
from certify.model.game import Game
from certify.model.rules import SEVEN_AND_A_HALF, PairCondition

Stakes = Mapping[str, Fraction]


def checked_stakes(game: Game, stakes: Stakes) -> dict[str, Fraction]:
    """Returns the stake on every wager of a game, 0 where none is named.

    Raises:
        InputError: A stake is negative or on no wager of the game, or nothing is staked on the main wager.
    """
    known = [wager.id for wager in game.wagers]
    unknown = sorted(set(stakes) - set(known))
    if unknown:
        raise InputError(f"no wager {', '.join(unknown)} in {game.id}: expected {', '.join(known)}")
    if any(stake < 0 for stake in stakes.values()):
        raise InputError("a stake is negative: expected 0 or more units")
    if stakes.get(MAIN, Fraction(0)) <= 0:
        raise InputError("nothing is staked on main: a hand is only dealt to a main wager")
    return {wager: Fraction(stakes.get(wager, 0)) for wager in known}


@dataclass(frozen=True, slots=True)
class JointSolution:
    """Values of states under the play that is best for all stakes together.

    Args:
        scale: What whole numbers are multiplied by so that stakes times pays become whole.
        stand: Value of standing where the hand may end.
        draw: Value of drawing and playing on best.
        hits: States in which a card is better than standing; a tie is decided for standing.
        value: Value of the whole round.

    Values are whole numbers: the total net result in units, summed over all orders of the remaining cards,
    times the scale.
    """

    scale: int
    stand: Mapping[State, int]
    draw: Mapping[State, int]
    hits: frozenset[State]
    value: Fraction

    def expectation(self, values: Mapping[State, int], state: State) -> Fraction:
        """Returns a value as the expected total net result in units."""
        return Fraction(values[state], self.scale * ORDERS[DECK_SIZE - sum(state.hand)])


class _Induction:
    """One backward induction; values are kept per state as they are found."""

    def __init__(self, tree: GameTree, game: Game, stakes: Stakes) -> None:
        self._tree = tree
        self._stakes = stakes
        self._partita = game.wager(PARTITA).paytable
        self._mano = game.wager(MANO).paytable
        pays = [
            tree.terms.win,
            tree.terms.king,
            *(row.pays for row in (*self._partita.rows, *self._mano.rows)),
        ]
        self.scale = pay_scale(pays) * pay_scale(stakes.values())
        self._main = self._whole(stakes[MAIN])
        self._pair = self._whole(stakes[PARTITA])
        self.stand: dict[State, int] = {}
        self.draw: dict[State, int] = {}
        self.hits: set[State] = set()
        self._ended: dict[tuple[int, ...], int] = {}
        self._best: dict[State, int] = {}

    def _whole(self, value: Fraction) -> int:
        scaled = value * self.scale
        return int(scaled)

    def best(self, state: State) -> int:
        """Returns the value of a state under best play."""
        known = self._best.get(state)
        if known is None:
            known = self._best[state] = self._decide(state)
        return known

    def _decide(self, state: State) -> int:
        hands = self._tree.hands
        forced = state.hand in hands.forced
        if not forced:
            self.stand[state] = self._stand(state)
        if not hands.is_open(state.hand):
            return self.stand[state]
        drawn = sum(
            cards * self.best(state.drawn(kind)) for kind, cards in enumerate(state.kinds_left()) if cards
        )
        self.draw[state] = drawn + (self._second_card(state) if sum(state.hand) == 1 else 0)
        if forced or self.draw[state] <= self.stand[state]:
            return self.draw[state] if forced else self.stand[state]
        self.hits.add(state)
        return self.draw[state]

    def _stand(self, state: State) -> int:
        orders = ORDERS[DECK_SIZE - sum(state.hand)]
        value = self._main_ended(state.hand) - self._pair * orders
        bust = self._tree.hands.totals[state.hand] > SEVEN_AND_A_HALF
        if not bust or self._tree.pair_condition is PairCondition.UNCONDITIONAL:
            pays = self._partita.pays(partita_row(rank_of_type(state.first)))
            # Three more cards share the first card's rank; those the player holds cannot be the dealer's.
            pairs = (3 - state.same) * ORDERS[DECK_SIZE - sum(state.hand) - 1]
            value += self._whole(self._stakes[PARTITA] * (1 + pays)) * pairs
        if sum(state.hand) == 1:
            value -= self._whole(self._stakes[MANO]) * orders
        return value

    def _main_ended(self, hand: tuple[int, ...]) -> int:
        if hand not in self._ended:
            terms = self._tree.terms
            ends = ended(terms, self._tree.dealer, hand, self._tree.hands.totals[hand])
            stake = self._stakes[MAIN]
            self._ended[hand] = sum(
                self._whole(stake * terms.pays(end)) * count for end, count in ends.items()
            )
        return self._ended[hand]

    def _second_card(self, state: State) -> int:
        """Returns what Mano di Poker adds to a second card: its net result over all orders."""
        stake = self._stakes[MANO]
        won = sum(
            self._whole(stake * (1 + row.pays)) * deals
            for row in self._mano.rows
            for deals in (_deals(state.first, row.id),)
        )
        # Deals count every card of the first card's type; each of them alike has its share.
        return (
            won * ORDERS[DECK_SIZE - 3] // TYPE_COUNTS[state.first]
            - self._whole(stake) * ORDERS[DECK_SIZE - 1]
        )


def _deals(first: int, row: str) -> int:
    return sum(counts[row] for (card, _, _), counts in mano_counts().items() if card == first)


def solve_joint(tree: GameTree, game: Game, stakes: Stakes) -> JointSolution:
    """Returns the play that is best for all stakes together.

    Raises:
        InputError: The stakes do not fit the game.
    """
    induction = _Induction(tree, game, checked_stakes(game, stakes))
    total = sum(TYPE_COUNTS[card] * induction.best(first_state(card)) for card in range(len(TYPES)))
    return JointSolution(
        induction.scale,
        induction.stand,
        induction.draw,
        frozenset(induction.hits),
        Fraction(total, induction.scale * ORDERS[DECK_SIZE]),
    )
