"""Play that is best for the whole stake, by exact backward induction, and what a strategy comes to."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final

from certify.by_key import summed
from certify.errors import InputError
from certify.families.sette_e_mezzo.exact.hand_tree import (
    HandTree,
    Orders,
    main_ends,
    pair_ends,
    poker_ends,
    tree_of,
)
from certify.families.sette_e_mezzo.rules import (
    MAIN,
    MANO_DI_POKER,
    PARTITA_PERFETTA,
    PUSH,
    WAGER_IDS,
    HitTable,
    PairCondition,
    Seen,
    rules_of,
)
from certify.families.seven_and_a_half.cards import FULL_DECK, ORDERS, ClassDeck, Hand, rank_of
from certify.model import Game, Paytable, checked_stakes

Worth = tuple[int, int, int]
"""Net results of main, Partita Perfetta and Mano di Poker per unit staked on each, summed over all orders of the
remaining cards, times a scale that makes all pays whole."""

MAIN_ALONE: Final[Mapping[str, Fraction]] = {MAIN: Fraction(1)}


@dataclass(frozen=True, slots=True)
class JointSolution:
    """Values of states under the play that is best for all stakes together.

    Args:
        tree: Every hand of the game.
        scale: What whole numbers are multiplied by so that pays become whole.
        stakes: Units on each wager, in the order of the wagers.
        stand: Worth of standing where the hand may end.
        draw: Worth of drawing and playing on best where the hand may go on.
        hits: States in which a card is better than standing; a tie is decided for standing.
        round: Worth of the whole round.
    """

    tree: HandTree
    scale: int
    stakes: tuple[Fraction, ...]
    stand: Mapping[Seen, Worth]
    draw: Mapping[Seen, Worth]
    hits: frozenset[Seen]
    round: Worth

    def best(self, state: Seen) -> Worth:
        """Returns the worth of a state under best play."""
        return self.draw[state] if state in self.hits or state not in self.stand else self.stand[state]

    def expectation(self, worth: Worth, hand: Hand) -> Fraction:
        """Returns a worth with a hand out of the deck as the expected total net result in units."""
        total = sum((stake * part for stake, part in zip(self.stakes, worth, strict=True)), Fraction(0))
        return total / (self.scale * self.tree.deck.orders_left(hand))

    def wager_expectation(self, wager: str) -> Fraction:
        """Returns the expected net result of a wager per unit staked on it."""
        return Fraction(self.round[WAGER_IDS.index(wager)], self.scale * ORDERS[self.tree.deck.size])


def outcome_pays(paytable: Paytable, outcome: str) -> Fraction:
    """Returns the net result of an outcome: its row's pay, 0 for a push, else the lost stake."""
    if outcome in paytable.ids:
        return paytable.pays(outcome)
    return Fraction(0 if outcome == PUSH else -1)


@dataclass(frozen=True, slots=True)
class _Priced:
    """What the ends of a game are worth: all that does not depend on the stakes."""

    scale: int
    stand: Mapping[Seen, Worth]
    second_card: Mapping[Seen, int]


@lru_cache(maxsize=8)
def _priced(game: Game, deck: ClassDeck) -> _Priced:
    tree, rules = tree_of(game, deck), rules_of(game)
    tables = [game.wager(wager).paytable for wager in WAGER_IDS]
    scale = math.lcm(*(row.pays.denominator for table in tables for row in table.rows))

    main, _, poker = (_whole_pays(table, scale) for table in tables)
    mains = {
        hand: _worth(main, main_ends(tree, rules, hand)) for hand in tree.totals if hand not in tree.forced
    }
    pairs = _pairs(tree, rules.pair_condition, tables[1], scale)
    firsts = [state for _, state in tree.firsts]
    standing = {state: _worth(poker, poker_ends(tree, state, draws=False)) for state in firsts}
    stand = {state: (mains[state[2]], pair, standing.get(state, 0)) for state, pair in pairs.items()}
    return _Priced(
        scale, stand, {state: _worth(poker, poker_ends(tree, state, draws=True)) for state in firsts}
    )


@lru_cache(maxsize=8)
def _pairs(tree: HandTree, condition: PairCondition, table: Paytable, scale: int) -> Mapping[Seen, int]:
    """Returns what Partita Perfetta is worth where a hand may end: the same for all pays of main that are tried."""
    pays = _whole_pays(table, scale)
    return {
        state: _worth(pays, pair_ends(tree, condition, state))
        for state in tree.states
        if state[2] not in tree.forced
    }


def _whole_pays(table: Paytable, scale: int) -> Mapping[str, int]:
    """Returns the net result of each outcome as a whole number; of one that is not listed the stake is lost."""
    return defaultdict(lambda: -scale, {PUSH: 0} | {row.id: int(row.pays * scale) for row in table.rows})


def _worth(pays: Mapping[str, int], ends: Orders) -> int:
    return sum(pays[end] * count for end, count in ends.items())


def solve(
    game: Game, stakes: Mapping[str, Fraction] = MAIN_ALONE, deck: ClassDeck = FULL_DECK
) -> JointSolution:
    """Returns the play that is best for all stakes together, one unit on main where they are left out.

    Raises:
        InputError: The stakes do not fit the game, or the deck holds some ranks in other suits than others: a state
            that forgets the suit of the first card could then not tell what a second card is worth.
    """
    if len({deck.suits_of(held) for held in map(rank_of, deck.cards)}) > 1:
        raise InputError(
            "ranks in different suits: joint play is solved on decks with every rank in the same suits"
        )
    placed = checked_stakes(game, stakes)
    return _solved(game, tuple(placed[wager] for wager in WAGER_IDS), deck)


@lru_cache(maxsize=32)
def _solved(game: Game, stakes: tuple[Fraction, ...], deck: ClassDeck) -> JointSolution:
    tree, priced = tree_of(game, deck), _priced(game, deck)
    unit = math.lcm(*(stake.denominator for stake in stakes))
    whole = [int(stake * unit) for stake in stakes]
    best: dict[Seen, Worth] = {}
    draw: dict[Seen, Worth] = {}
    for state in reversed(tree.states):
        stand = priced.stand.get(state)
        if state in tree.drawn:
            main, pair, poker = _weighted(best, tree.drawn[state])
            draw[state] = main, pair, poker + priced.second_card.get(state, 0)
            if stand is None or _total(whole, draw[state]) > _total(whole, stand):
                best[state] = draw[state]
                continue
        best[state] = priced.stand[state]
    hits = frozenset(state for state, drawn in draw.items() if state in priced.stand and best[state] is drawn)
    return JointSolution(tree, priced.scale, stakes, priced.stand, draw, hits, _weighted(best, tree.firsts))


def _weighted(best: Mapping[Seen, Worth], kinds: Iterable[tuple[int, Seen]]) -> Worth:
    main = pair = poker = 0
    for cards, state in kinds:
        worth = best[state]
        main += cards * worth[0]
        pair += cards * worth[1]
        poker += cards * worth[2]
    return main, pair, poker


def _total(stakes: list[int], worth: Worth) -> int:
    return stakes[0] * worth[0] + stakes[1] * worth[1] + stakes[2] * worth[2]


# --- what a strategy comes to ------------------------------------------------------------------------------


def draws_of(table: HitTable) -> Callable[[Seen], bool]:
    """Returns whether a strategy draws in a state in which the hand may go on."""
    if table.looks_at_first_card:
        return table.draws_by_first.__contains__
    return lambda state: state[2] in table.draws


def reach(tree: HandTree, table: HitTable) -> dict[Seen, int]:
    """Returns the states that a strategy comes to, each with the ways to draw to it."""
    draws = draws_of(table)
    reached: dict[Seen, int] = {}
    ways: dict[Seen, int] = {state: count for count, state in tree.firsts}
    while ways:
        reached |= ways
        ways = summed(
            (after, count * available)
            for state, count in ways.items()
            if _goes_on(tree, draws, state)
            for available, after in tree.drawn[state]
        )
    return reached


def _goes_on(tree: HandTree, draws: Callable[[Seen], bool], state: Seen) -> bool:
    return state[2] in tree.forced or (state in tree.drawn and draws(state))


Chances = Mapping[str, Fraction]
"""Probability of each outcome of a wager that can occur."""


@lru_cache(maxsize=32)
def chances(game: Game, table: HitTable, deck: ClassDeck = FULL_DECK) -> Mapping[str, Chances]:
    """Returns the distribution of each wager under a strategy."""
    tree, rules, draws = tree_of(game, deck), rules_of(game), draws_of(table)
    orders: dict[str, Counter[str]] = {wager: Counter() for wager in WAGER_IDS}
    for state, ways in reach(tree, table).items():
        goes_on = _goes_on(tree, draws, state)
        ends = {MANO_DI_POKER: poker_ends(tree, state, draws=goes_on)} if sum(state[2]) == 1 else {}
        if not goes_on:
            ends |= {
                MAIN: main_ends(tree, rules, state[2]),
                PARTITA_PERFETTA: pair_ends(tree, rules.pair_condition, state),
            }
        for wager, counted in ends.items():
            for outcome, left in counted.items():
                orders[wager][outcome] += ways * left
    return {
        wager: {outcome: Fraction(number, ORDERS[deck.size]) for outcome, number in counted.items()}
        for wager, counted in orders.items()
    }
