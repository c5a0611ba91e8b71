"""Splitting in floating point: the best decisions of a seat with several hands against a bank that sees none of them.

Against a bank that looks at nothing, what a finished hand will get is settled on average when it stands: whatever the
seat draws afterwards is, before it is seen, as good as any other part of the deck. So a hand that stands adds its worth
at that moment, and a decision depends on the cards of the seat, the total of the hand being played and the number of
hands that wait, not on how the finished ones stand. Everything is laid out over all compositions of the seat's cards.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np
from numpy.typing import NDArray

from certify.families.free_bank.charts import BankChart, Line
from certify.families.free_bank.exact.settlement import BUST, PLAIN, Terms
from certify.families.free_bank.rules import POINTS
from certify.families.free_bank.strategy import Conduct, StandOn
from certify.families.seven_and_a_half.cards import CLASS_FACE, CLASS_MATTA

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

FACE_POINTS: Final = POINTS[CLASS_FACE]


def line_against_splits(terms: Terms, bank: Conduct) -> Line | None:
    """Returns how a bank plays by its own total alone, whatever lies open; nothing where it looks at more."""
    if terms.deck[CLASS_MATTA]:
        return None
    if isinstance(bank, StandOn):
        return Line(bank.least)
    looks = isinstance(bank, BankChart) and (bank.by_total or bank.by_cards)
    if isinstance(bank, BankChart) and not looks and not bank.otherwise.draws and not bank.otherwise.swaps:
        return bank.otherwise
    return None


@dataclass(frozen=True)
class SplitDecisions:
    """The best decisions after a split.

    Args:
        hits: For each number of waiting hands and each total: where drawing is better, by the seat's cards.
        splits: For each number of hands before it: whether a further face is split off.
        draws: For each number of hands: whether the single first face draws.
        value: Expected net result from a first face on, in stakes.
        without: The same if the seat never splits.
    """

    hits: tuple[dict[int, Mask], ...]
    splits: dict[int, bool]
    draws: dict[int, bool]
    value: float
    without: float


class Lattice:
    """All compositions of the cards of a seat.

    Args:
        terms: Deck, rules and pays.
    """

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.deck = terms.deck[: CLASS_FACE + 1]
        self.shape = tuple(there + 1 for there in self.deck)
        gone = np.indices(self.shape, dtype=np.int16)
        left = np.maximum(sum(self.deck) - gone.sum(axis=0), 1)
        self.chance = [(there - gone[card]) / left for card, there in enumerate(self.deck)]

    def after(self, card: int, worth: Floats) -> Floats:
        """Returns the chance of a card times what the composition with it is worth."""
        moved = np.zeros(self.shape)
        whole = [slice(None)] * len(self.shape)
        here, there = list(whole), list(whole)
        here[card], there[card] = slice(0, -1), slice(1, None)
        moved[tuple(here)] = worth[tuple(there)]
        moved *= self.chance[card]
        return moved

    def bank(self, line: Line) -> dict[int, Floats]:
        """Returns the chance of each end of the bank, by the cards of the seat."""
        chances = {points: float(line.hit_on(points)) for points in range(PLAIN)}
        chances[0] = 1.0
        ends = [points for points in range(1, PLAIN) if chances[points] < 1.0] + [PLAIN, BUST]
        found = {}
        for end in ends:
            at: dict[int, Floats] = {}
            for points in range(PLAIN - 1, -1, -1):
                drawn = np.zeros(self.shape)
                for card, worth in enumerate(POINTS if chances[points] else ()):
                    total = points + worth
                    if total < PLAIN:
                        drawn += self.after(card, at[total])
                    elif (PLAIN if total == PLAIN else BUST) == end:
                        drawn += self.chance[card]
                at[points] = chances[points] * drawn + (1.0 - chances[points]) * (points == end)
            found[end] = at[0]
        return found

    def decide(self, line: Line) -> SplitDecisions:
        """Returns the best decisions of the seat against a bank's line."""
        ends = self.bank(line)
        worth = {
            points: sum(
                (float(self.terms.net(points, end)) * share for end, share in ends.items()), self._none()
            )
            for points in range(1, PLAIN + 1)
        }
        hits, played, waiting = [], [], self._none()
        for _ in range(self.terms.rules.hands):
            values, better = self._hand(worth, waiting)
            hits.append(better)
            played.append((values, waiting))
            waiting = values[FACE_POINTS]
        single, splits, draws = self._none(), {}, {}
        for hands in range(self.terms.rules.hands, 0, -1):
            values, waits = played[hands - 1]
            faces = (*(0,) * CLASS_FACE, hands)
            drawn = self._none()
            for card, points in enumerate(POINTS[:CLASS_FACE]):
                drawn += self.after(card, self._reached(FACE_POINTS + points, values, worth, waits))
            stays, split = self.after(CLASS_FACE, values[2 * FACE_POINTS]), self.after(CLASS_FACE, single)
            may = hands < self.terms.rules.hands
            splits[hands] = bool(may and split[faces] > stays[faces])
            drawn += split if splits[hands] else stays
            stood = worth[FACE_POINTS] + waits
            draws[hands] = bool(drawn[faces] > stood[faces])
            single = np.where(draws[hands], drawn, stood)
        first = (*(0,) * CLASS_FACE, 1)
        without = played[0][0][FACE_POINTS]
        return SplitDecisions(tuple(hits), splits, draws, float(single[first]), float(without[first]))

    def _none(self) -> Floats:
        return np.zeros(self.shape)

    def _reached(
        self, total: int, values: dict[int, Floats], worth: dict[int, Floats], waits: Floats
    ) -> Floats:
        if total < PLAIN:
            return values[total]
        return worth[PLAIN] + waits if total == PLAIN else waits + float(self.terms.net(BUST, BUST))

    def _hand(self, worth: dict[int, Floats], waits: Floats) -> tuple[dict[int, Floats], dict[int, Mask]]:
        """Returns what a hand is worth with what waits behind it, and where drawing is better."""
        values: dict[int, Floats] = {}
        hits: dict[int, Mask] = {}
        for points in range(PLAIN - 1, 0, -1):
            drawn = self._none()
            for card, more in enumerate(POINTS):
                drawn += self.after(card, self._reached(points + more, values, worth, waits))
            stood = worth[points] + waits
            hits[points] = drawn > stood
            values[points] = np.maximum(drawn, stood)
        return values, hits


ROUNDING: Final = Fraction(1, 10**12)
"""No other decisions bring more than this above those found: sums of fewer than a thousand terms below ten."""
