"""Splitting, exactly: what the best decisions of a seat with up to four hands bring, counted in whole numbers."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import perm
from typing import Any, Final

import numpy as np

from certify.errors import InputError
from certify.families.free_bank.charts import SplitChart
from certify.families.free_bank.exact.answers import COMPOSITION, player_chart
from certify.families.free_bank.exact.bank_hands import BankHands, Plan, bank_hands
from certify.families.free_bank.exact.best_player import PlayerAnswer, player_best_response
from certify.families.free_bank.exact.equilibrium import EVERYDAY
from certify.families.free_bank.exact.joint import Ends, joint
from certify.families.free_bank.exact.own_hands import FIRST
from certify.families.free_bank.exact.settlement import BUST, PLAIN, Terms
from certify.families.free_bank.exact.split_lattice import (
    FACE_POINTS,
    Lattice,
    SplitDecisions,
    line_against_splits,
)
from certify.families.free_bank.rules import POINTS
from certify.families.free_bank.strategy import Conduct
from certify.families.seven_and_a_half.cards import CLASS_FACE
from certify.families.seven_and_a_half.counting import Hand
from certify.model.figures import Outcome

ON_AVERAGE: Final = "split-on-average"
"""All rounds with several hands, with the mean of their net results: how these spread is not counted."""

CHUNK: Final = 2000
"""Compositions whose decks are counted at a time, so that memory stays bounded."""


@dataclass(frozen=True)
class SplitWorth:
    """What splitting is worth to a player who decides best, against a bank that sees nothing of it.

    Args:
        value: Exact expected net result of a round, in first stakes, with splitting.
        without: Exact expected net result of the best play that never splits.
        face: Exact expected net result of rounds that begin with a face.
        decisions: The decisions after a first face.
        several: Decisions with several hands that are not those of the everyday total.
        answer: The best answer without splitting.
    """

    value: Fraction
    without: Fraction
    face: Fraction
    decisions: SplitDecisions
    several: frozenset[tuple[int, int, Hand]]
    answer: PlayerAnswer

    @property
    def worth(self) -> Fraction:
        """What splitting adds per round."""
        return self.value - self.without


@lru_cache(maxsize=8)
def split_worth(terms: Terms, bank: Conduct) -> SplitWorth:
    """Returns what splitting is worth against a bank that plays several hands by its own total alone.

    Raises:
        InputError: The rules know no splitting, or the bank looks at the hands or is not played by total.
    """
    line = line_against_splits(terms, bank)
    if terms.rules.hands < 2 or line is None:
        raise InputError(
            f"splitting is counted against a bank that plays by its own total, not {bank.name!r}"
        )
    decisions = Lattice(terms).decide(line)
    hands = bank_hands(terms)
    plan = Plan(tuple(line.hit_on(end) for end in hands.ends))
    count = _Count(terms, hands, plan, decisions)
    face = count.value()
    found = player_best_response(terms, bank)
    chance = Fraction(terms.deck[CLASS_FACE], terms.size)
    (own,) = [
        found.worths[place].best
        for place, node in enumerate(found.own.nodes)
        if node.before == FIRST and node.cards == (CLASS_FACE,)
    ]
    value = found.value + chance * (face - own)
    return SplitWorth(value, found.value, face, decisions, count.several(), found)


def split_answer(terms: Terms, bank: Conduct, name: str) -> SplitChart:
    """Returns the best answer of a player who splits where that is better, as it can be played.

    Raises:
        InputError: As for :func:`split_worth`.
    """
    found = split_worth(terms, bank)
    decisions = found.decisions
    return SplitChart(
        name,
        COMPOSITION,
        player_chart(found.answer, name),
        frozenset(hands for hands, splits in decisions.splits.items() if splits),
        frozenset(hands for hands, draws in decisions.draws.items() if not draws),
        found.several,
    )


def split_figures(terms: Terms, player: SplitChart, bank: Conduct) -> tuple[Ends, Outcome]:
    """Returns how rounds of one hand end under the best answer, and all split rounds as one outcome on average.

    Raises:
        InputError: The chart is not the best answer to this bank: no other is counted.
    """
    found = split_worth(terms, bank)
    if player != split_answer(terms, bank, player.name):
        raise InputError(
            f"{player.name}: only the best answer with splits is counted, and this is not the one"
        )
    two = (CLASS_FACE,) * 2
    ends = joint(terms, player.one, bank, two if 1 in player.splits else None)
    one = sum((ends.terms.net(*pair) * chance for pair, chance in ends.chances.items()), Fraction(0))
    split = 1 - sum(ends.chances.values(), Fraction(0))
    staked, chance, hands = Fraction(0), split, 1
    while hands in player.splits:
        staked += chance
        faces = hands + 1
        drawn = 0 if faces in player.stands else terms.deck[CLASS_FACE] - faces
        chance, hands = chance * Fraction(drawn, terms.size - faces), faces
    mean = (found.value - one) / split if split else Fraction(0)
    return ends, Outcome(ON_AVERAGE, mean, split, 1 + staked / split if split else Fraction(1))


class _Count:
    """Follows the decisions through every composition that they lead to, and counts what they bring.

    A situation is (cards of the seat, total of the hand being played, hands that wait, whether it is the single first
    face). Its worth is kept as a whole number over (cards left)! / (fewest left)!, so that a draw only adds.
    """

    def __init__(self, terms: Terms, hands: BankHands, plan: Plan, decisions: SplitDecisions) -> None:
        self.terms, self.hands, self.plan, self.decisions = terms, hands, plan, decisions
        self.deck = terms.deck[: CLASS_FACE + 1]
        self.stops: dict[Hand, set[int]] = defaultdict(set)
        self.order: list[_Situation] = []
        self._reach()
        fewest = min(terms.size - sum(gone) for gone in self.stops)
        self.base = max(fewest - hands.deepest, 0)

    def _reach(self) -> None:
        start = _Situation((*(0,) * CLASS_FACE, 1), FACE_POINTS, 0, True)
        seen, queue = {start}, [start]
        for at in queue:
            for follows in self._following(at):
                if follows not in seen:
                    seen.add(follows)
                    queue.append(follows)
        # What follows a situation has more cards, or as many and fewer hands waiting.
        self.order = sorted(seen, key=lambda at: (-sum(at[0]), at[2]))

    def draws(self, at: _Situation) -> bool:
        """Tells whether the decisions draw in a situation."""
        gone, points, waiting, single = at
        if single:
            return self.decisions.draws[waiting + 1]
        return bool(self.decisions.hits[waiting][points][gone])

    def _following(self, at: _Situation) -> list[_Situation]:
        gone, points, waiting, _ = at
        if not self.draws(at):
            self.stops[gone].add(points)
            return [_next_hand(gone, waiting)] if waiting else []
        found = []
        for card, there in enumerate(self.deck):
            if there > gone[card]:
                longer, total, after = self._drawn(at, card)
                if after is not None:
                    found.append(after)
                elif total == PLAIN:
                    self.stops[longer].add(PLAIN)
                if after is None and waiting:
                    found.append(_next_hand(longer, waiting))
        return found

    def _drawn(self, at: _Situation, card: int) -> tuple[Hand, int, _Situation | None]:
        """Returns the cards and the total after a draw, and the situation where the hand goes on."""
        gone, points, waiting, single = at
        longer = (*gone[:card], gone[card] + 1, *gone[card + 1 :])
        if single and card == CLASS_FACE and self.decisions.splits[waiting + 1]:
            return longer, points, _Situation(longer, points, waiting + 1, True)
        total = points + POINTS[card]
        return longer, total, _Situation(longer, total, waiting, False) if total < PLAIN else None

    def several(self) -> frozenset[tuple[int, int, Hand]]:
        """Returns the situations in which the decision is not that of the everyday total."""
        return frozenset(
            (at[2], at[1], at[0]) for at in self.order if not at[3] and self.draws(at) != (at[1] < EVERYDAY)
        )

    def value(self) -> Fraction:
        """Returns the exact expected net result from a first face on."""
        worth = self._worths()
        at: dict[_Situation, int] = {}
        lost = int(self.terms.net(BUST, BUST))
        for situation in self.order:
            gone, points, waiting, _ = situation
            if not self.draws(situation):
                at[situation] = worth[gone, points] + (at[_next_hand(gone, waiting)] if waiting else 0)
                continue
            brought = 0
            for card, there in enumerate(self.deck):
                if there == gone[card]:
                    continue
                longer, total, after = self._drawn(situation, card)
                if after is not None:
                    brought += (there - gone[card]) * at[after]
                    continue
                ended = worth[longer, PLAIN] if total == PLAIN else lost * self._orders(longer) * self.pays
                rest = at[_next_hand(longer, waiting)] if waiting else 0
                brought += (there - gone[card]) * (ended + rest)
            at[situation] = brought
        start = self.order[-1]
        return Fraction(at[start], self._orders(start[0]) * self.pays)

    def _orders(self, gone: Hand) -> int:
        left = self.terms.size - sum(gone)
        return perm(left, left - self.base)

    def _worths(self) -> dict[tuple[Hand, int], int]:
        """Returns what standing is worth for every composition and total on which the decisions stand."""
        flow, terms = self.hands.flow(self.plan), self.terms
        self.pays = flow.over * terms.win.denominator * terms.seven_and_a_half.denominator
        nets = {
            (points, end): int(terms.net(points, end) * self.pays) // flow.over
            for points in range(1, PLAIN + 1)
            for end in (*self.hands.by_end, BUST)
        }
        found: dict[tuple[Hand, int], int] = {}
        stops = list(self.stops.items())
        for begin in range(0, len(stops), CHUNK):
            part = stops[begin : begin + CHUNK]
            ends, totals = self._ends([gone for gone, _ in part])
            for row, (gone, points) in enumerate(part):
                for total in points:
                    made = {end: counts[row] for end, counts in ends.items()}
                    bust = totals[row] - sum(made.values())
                    brought = sum(nets[total, end] * count for end, count in made.items())
                    brought += nets[total, BUST] * bust
                    scale = self._orders(gone) * flow.over // totals[row]
                    found[gone, total] = brought * scale
        return found

    def _ends(self, removed: list[Hand]) -> tuple[dict[int, list[int]], list[int]]:
        """Returns for many compositions how many ordered deals lead to each end of the bank, and how many there are."""
        hands, flow = self.hands, self.hands.flow(self.plan)
        left = np.zeros((len(self.deck), len(removed)), dtype=object)
        left[:, :] = [[there - gone[card] for gone in removed] for card, there in enumerate(self.deck)]
        cards = [int(column) for column in left.sum(axis=0)]
        tails = np.zeros((hands.deepest + 1, len(removed)), dtype=object)
        for dealt in range(hands.deepest + 1):
            tails[dealt] = [perm(max(n - dealt, 0), max(min(hands.deepest, n) - dealt, 0)) for n in cards]
        products: list[Any] = [1] * len(hands.nodes)
        ends: dict[int, Any] = {}
        for place, (before, card, taken) in enumerate(hands.last):
            if before >= 0:
                products[place] = products[before] * (left[card] - taken)
            if flow.stops[place] and place:
                counted = products[place] * tails[hands.dealt[place]] * flow.stops[place]
                ends[hands.ends[place]] = ends.get(hands.ends[place], 0) + counted
        totals = [perm(n, min(hands.deepest, n)) * flow.over for n in cards]
        listed = {end: [int(count) for count in counts] for end, counts in ends.items()}
        return listed, totals


class _Situation(tuple[Hand, int, int, bool]):
    """(Cards of the seat, total of the hand being played, hands that wait, whether it is the single first face)."""

    __slots__ = ()

    def __new__(cls, gone: Hand, points: int, waiting: int, single: bool) -> _Situation:
        """Makes a situation."""
        return super().__new__(cls, (gone, points, waiting, single))


def _next_hand(gone: Hand, waiting: int) -> _Situation:
    """Returns the situation in which the next split hand begins from its face."""
    return _Situation(gone, FACE_POINTS, waiting - 1, False)
