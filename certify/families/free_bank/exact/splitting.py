"""Splitting, exactly: what the best decisions of a seat with up to four hands bring, counted in whole numbers.

While a seat has one hand, the bank looks at it as at any other; several hands it plays by its own total alone. So a
round is played as without splitting until a second face comes to a first one: there the worth of splitting, counted
here, is compared with the worth of keeping the face.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from math import perm
from typing import Any, Final

import numpy as np

from certify.array_types import Marks, Values
from certify.errors import InputError
from certify.families.free_bank.charts import ChartLine, SplitChart
from certify.families.free_bank.exact.best_bank import played
from certify.families.free_bank.exact.equilibrium import (
    COMPOSITION,
    EVERYDAY,
    PlayerAnswer,
    answer_chart,
    player_best_response,
)
from certify.families.free_bank.exact.hands import BUST, PLAIN, BankPlan, BankTerms, bank_hands
from certify.families.free_bank.exact.passing import Ends, joint
from certify.families.free_bank.exact.split_lattice import (
    CHUNK,
    FACE_POINTS,
    ROUNDING,
    Compositions,
    SplitDecisions,
    SplitLattice,
    bank_ends,
    line_against_splits,
)
from certify.families.free_bank.strategy import Conduct, Own
from certify.families.seven_and_a_half.cards import CLASS_FACE, CLASS_MATTA, POINTS, Hand
from certify.model import Outcome

ON_AVERAGE: Final = "split-on-average"
"""All rounds with several hands, with the mean of their net results: how these spread is not counted."""

TWO_FACES: Final = (CLASS_FACE,) * 2


@dataclass(frozen=True)
class TwoHands:
    """What two hands are worth from the first split on, under the best decisions against one line of the bank.

    Args:
        value: Exact expected net result of the seat.
        splits: Numbers of hands before it with which a further face is split off.
        draws: For each number of hands: whether the single first face draws.
        several: (Hands that wait, total, all own cards by class) where the decision is not that of the everyday total.
    """

    value: Fraction
    splits: frozenset[int]
    draws: dict[int, bool]
    several: frozenset[tuple[int, int, Hand]]


@dataclass(frozen=True)
class SplitWorth:
    """What splitting is worth to a player who decides best, against a bank that plays several hands by its own total.

    Args:
        value: Exact expected net result of a round, in first stakes, with splitting.
        two: What two hands are worth.
        splits: Whether a first further face is split off.
        answer: The best answer without splitting, but for drawing on a first face where splitting makes that better.
    """

    value: Fraction
    two: TwoHands
    splits: bool
    answer: PlayerAnswer

    @property
    def at_most(self) -> Fraction:
        """What no way of playing exceeds against this bank: decisions were taken in floating point."""
        return self.value + ROUNDING


@lru_cache(maxsize=4)
def split_worth(terms: BankTerms, bank: Conduct) -> SplitWorth:
    """Returns what splitting is worth against a bank that plays several hands by its own total alone.

    Raises:
        InputError: The rules know no splitting or a matta, or the bank looks at several hands.
    """
    if terms.rules.hands < 2:
        raise InputError("splitting is counted where the rules know it: expected split-hands of 2 or more")
    if terms.deck[CLASS_MATTA]:
        raise InputError("splitting is not counted in a deck with a matta: expected one without")
    line = line_against_splits(bank)
    if line is None:
        raise InputError(
            f"splitting is counted against a bank that plays several hands by its own total, not {bank.name!r}"
        )
    two, found = two_hands(terms, line), player_best_response(terms, bank)
    own = found.own
    first, kept = (own.index[Own((TWO_FACES[:cards],))] for cards in (1, 2))
    chance = own.dealt(own.nodes[first])
    drawn = found.worths[first].hit
    better = max(two.value - found.worths[kept].best, Fraction(0))
    if drawn is None:
        raise InputError("splitting is counted where a card can be drawn to a first face")
    drawn += better * Fraction(own.nodes[kept].ways, own.nodes[first].ways * (terms.size - 1))
    face = max(found.worths[first].stand, drawn)
    value = found.value + chance * (face - found.worths[first].best)
    hits = tuple(
        Fraction(drawn > found.worths[first].stand) if place == first else hit
        for place, hit in enumerate(found.plays.hits)
    )
    answer = replace(found, plays=played(own, hits, found.plays.swaps))
    return SplitWorth(value, two, better > 0, answer)


@lru_cache(maxsize=4)
def two_hands(terms: BankTerms, line: ChartLine) -> TwoHands:
    """Returns what two hands are worth from the first split on, against a bank that plays by one line."""
    count = _Count(terms, line)
    decisions = count.decisions
    return TwoHands(
        count.value(),
        frozenset(held for held, splits in decisions.splits.items() if splits),
        decisions.draws,
        count.several(),
    )


@lru_cache(maxsize=2)
def split_answer(terms: BankTerms, bank: Conduct, name: str) -> SplitChart:
    """Returns the best answer of a player who splits where that is better, as it can be played.

    Raises:
        InputError: As for :func:`split_worth`.
    """
    found = split_worth(terms, bank)
    two = found.two
    return SplitChart(
        name,
        COMPOSITION,
        answer_chart(found.answer, name),
        two.splits | {1} if found.splits else frozenset(),
        frozenset(hands for hands, draws in two.draws.items() if not draws),
        two.several,
    )


def split_figures(terms: BankTerms, player: SplitChart, bank: Conduct) -> tuple[Ends, Outcome]:
    """Returns how rounds of one hand end under the best answer, and all split rounds as one outcome on average.

    Raises:
        InputError: The chart is not the best answer to this bank: no other is counted.
    """
    found = split_worth(terms, bank)
    if player != split_answer(terms, bank, player.name):
        raise InputError(
            f"{player.name}: only the best answer with splits is counted, and this is not the one"
        )
    ends = joint(terms, player.one, bank, TWO_FACES if 1 in player.splits else None)
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


_Reached = list[dict[int, Marks]]
"""For each number of waiting hands and each total: the compositions that are come to."""


class _Count:
    """Follows the decisions through every composition that they lead to, and counts what they bring.

    The worth of a situation is kept as a whole number over (cards left)! / (fewest left)!, so that a draw only adds.
    """

    def __init__(self, terms: BankTerms, line: ChartLine) -> None:
        self.terms, self.hands, self.most = terms, bank_hands(terms), terms.rules.hands
        self.flow = self.hands.flow(BankPlan(tuple(line.hit_on(end) for end in self.hands.ends)))
        every = Compositions(terms)
        decisions = SplitLattice(terms, every, self.hands).decide(self.flow)
        self.deck, self.decisions = every.deck, replace(decisions, hits=())
        reached = [
            {
                points: np.zeros(every.with_waiting(waiting, self.most), dtype=bool)
                for points in range(1, PLAIN)
            }
            for waiting in range(self.most)
        ]
        self.stops = {points: np.zeros(every.size, dtype=bool) for points in range(1, PLAIN + 1)}
        self.single = self._reach(every, decisions, reached)
        self.otherwise = [
            (
                waiting,
                points,
                every.gone[np.flatnonzero(came & (decisions.hits[waiting][points] != everyday))],
            )
            for waiting, by_points in enumerate(reached)
            for points, came in by_points.items()
            for everyday in (points < EVERYDAY,)
        ]
        self.gone, self.left, self.next = every.gone, every.left, every.next
        self.at = {held: every.of(*(0,) * CLASS_FACE, held) for held in self.single}
        self.drawing, self.standing = (
            [
                {at: np.flatnonzero(came & (hits[at] == draws)) for at, came in by_points.items()}
                for by_points, hits in zip(reached, decisions.hits, strict=True)
            ]
            for draws in (True, False)
        )
        stopped = np.logical_or.reduce([*self.stops.values()])
        self.base = max(int(self.left[stopped].min()) - self.hands.deepest, 0)

    def _reach(self, every: Compositions, decisions: SplitDecisions, reached: _Reached) -> list[int]:
        """Marks every situation that the decisions lead to; returns the numbers of hands with a single first face."""

        def stood(waiting: int, points: int, at: Any) -> None:
            self.stops[points][at] = True
            if waiting:
                reached[waiting - 1][FACE_POINTS][at] = True

        def drawn(waiting: int, points: int, card: int, at: Values) -> None:
            to = every.next[card][at[every.gone[at, card] < every.deck[card]]]
            total = points + POINTS[card]
            if total < PLAIN:
                reached[waiting][total][to] = True
            elif total == PLAIN:
                stood(waiting, PLAIN, to)
            elif waiting:
                reached[waiting - 1][FACE_POINTS][to] = True

        single = [2]
        for held in single:
            at = np.array([every.of(*(0,) * CLASS_FACE, held)])
            if not decisions.draws[held]:
                stood(held - 1, FACE_POINTS, at)
                continue
            for card in range(len(POINTS)):
                if card == CLASS_FACE and decisions.splits[held]:
                    single.append(held + 1)
                else:
                    drawn(held - 1, FACE_POINTS, card, at)
        for waiting in reversed(range(self.most)):
            for points in range(1, PLAIN):
                came, hits = reached[waiting][points], decisions.hits[waiting][points]
                stood(waiting, points, np.flatnonzero(came & ~hits))
                for card in range(len(POINTS)):
                    drawn(waiting, points, card, np.flatnonzero(came & hits))
        return single

    def several(self) -> frozenset[tuple[int, int, Hand]]:
        """Returns the situations in which the decision is not that of the everyday total."""
        return frozenset(
            (waiting, points, tuple(held))
            for waiting, points, gone in self.otherwise
            for held in gone.tolist()
        )

    def value(self) -> Fraction:
        """Returns the exact expected net result from the first split on."""
        worth = self._worths()
        lost = int(self.terms.net(BUST, BUST)) * self.pays
        waits = self._zeros()
        single: dict[int, int] = {}
        for waiting in range(self.most):
            values: dict[int, Values] = {}
            for points in range(PLAIN - 1, 0, -1):
                values[points] = self._zeros()
                stood, drawing = self.standing[waiting][points], self.drawing[waiting][points]
                values[points][stood] = worth[points][stood] + waits[stood]
                if len(drawing):
                    values[points][drawing] = sum(
                        self._brought(points, card, drawing, values, worth, waits, lost)
                        for card in range(len(POINTS))
                    )
            if waiting + 1 in self.at:
                single[waiting + 1] = self._single(waiting + 1, values, worth, waits, lost)
            waits = values[FACE_POINTS]
        brought = 0
        for held in reversed(self.single):
            splits = self.decisions.draws[held] and self.decisions.splits[held]
            brought = single[held] + (self.deck[CLASS_FACE] - held) * brought * splits
        return Fraction(brought, self._orders(self.terms.size - 2) * self.pays)

    def _single(
        self,
        held: int,
        values: dict[int, Values],
        worth: dict[int, Values],
        waits: Values,
        lost: int,
    ) -> int:
        """Returns what a single first face among so many hands brings, without what a face that is split off does."""
        at = self.at[held]
        if not self.decisions.draws[held]:
            return int(worth[FACE_POINTS][at] + waits[at])
        cards = range(CLASS_FACE if self.decisions.splits[held] else len(POINTS))
        each = (
            self._brought(FACE_POINTS, card, np.array([at]), values, worth, waits, lost) for card in cards
        )
        return sum(int(one[0]) for one in each)

    def _zeros(self) -> Values:
        # One place more represents every composition on which nothing is decided any more.
        return np.zeros(len(self.gone) + 1, dtype=object)

    def _brought(
        self,
        points: int,
        card: int,
        at: Values,
        values: dict[int, Values],
        worth: dict[int, Values],
        waits: Values,
        lost: int,
    ) -> Values:
        """Returns what drawing a card brings in each of some situations, times the cards of its class that are left."""
        left = self.deck[card] - self.gone[at, card].astype(object)
        some = np.flatnonzero(left)
        to, total = self.next[card][at[some]], points + POINTS[card]
        brought = np.zeros(len(at), dtype=object)
        if total < PLAIN:
            brought[some] = left[some] * values[total][to]
        elif total == PLAIN:
            brought[some] = left[some] * (worth[PLAIN][to] + waits[to])
        else:
            brought[some] = left[some] * (lost * self._every_order[self.left[at[some]] - 1] + waits[to])
        return brought

    @cached_property
    def _every_order(self) -> Values:
        return np.array([self._orders(cards) for cards in range(self.terms.size + 1)], dtype=object)

    def _orders(self, left: int) -> int:
        return perm(left, max(left - self.base, 0))

    def _worths(self) -> dict[int, Values]:
        """Returns what standing is worth for every total and composition on which the decisions stand."""
        flow, terms = self.flow, self.terms
        self.pays = flow.over * terms.win.denominator * terms.seven_and_a_half.denominator
        nets = {
            (points, end): int(terms.net(points, end) * self.pays) // flow.over
            for points in range(1, PLAIN + 1)
            for end in (*self.hands.by_end, BUST)
        }
        found = {points: self._zeros() for points in self.stops}
        orders = self._every_order
        used = np.flatnonzero(np.logical_or.reduce([*self.stops.values()]))
        for begin in range(0, len(used), CHUNK):
            part = used[begin : begin + CHUNK]
            left = (np.array(self.deck) - self.gone[part]).T.astype(object)
            ends, deals = bank_ends(self.hands, flow.stops, left, self.left[part])
            totals = deals * flow.over
            bust = totals - sum(ends.values())
            scale = orders[self.left[part]] // deals
            for points, stops in self.stops.items():
                some = np.flatnonzero(stops[part])
                brought = nets[points, BUST] * bust[some]
                for end, counts in ends.items():
                    brought = brought + nets[points, end] * counts[some]
                found[points][part[some]] = brought * scale[some]
        return found
