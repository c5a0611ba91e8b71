"""Splitting in floating point: the best decisions of a seat with several hands, at none of which the bank looks.

Against a bank that plays several hands by its own total, what a finished hand will get is settled on average when it
stands: whatever the seat draws afterwards is, before it is seen, as good as any other part of the deck. So a hand that
stands adds its worth at that moment, and a decision depends on the cards of the seat, the total of the hand being
played and the number of hands that wait, not on how the finished ones stand.

Compositions of the seat's cards are laid out by what they add up to, so that those that can come while so many hands
wait are the first of a row.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from certify.families.free_bank.charts import BankChart, ChartLine, OwnHandBank
from certify.families.free_bank.exact.settlement import BUST, PLAIN, BankTerms
from certify.families.free_bank.rules import POINTS
from certify.families.free_bank.strategy import Conduct, StandOn
from certify.families.seven_and_a_half.cards import CLASS_FACE

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Places = NDArray[np.int32]

FACE_POINTS: Final = POINTS[CLASS_FACE]

MOST_OF_A_HAND: Final = 28
"""Half points that one finished hand holds at most: a 7 drawn to a 7."""

ROUNDING: Final = Fraction(1, 10**12)
"""No other decisions bring more than this above those taken: sums of fewer than a thousand terms below ten."""


def line_against_splits(bank: Conduct) -> ChartLine | None:
    """Returns how a bank plays several hands by its own total alone; nothing where it looks at more."""
    if isinstance(bank, StandOn):
        return ChartLine(bank.least)
    line = bank.line(None) if isinstance(bank, BankChart | OwnHandBank) else None
    return None if line is None or line.draws or line.swaps else line


class Compositions:
    """All compositions of the cards of a seat that its hands and the bank's can come to, by what they add up to.

    Args:
        terms: Deck, rules and pays; without a matta.
    """

    def __init__(self, terms: BankTerms) -> None:
        self.deck = terms.deck[: CLASS_FACE + 1]
        hands = terms.rules.hands
        counts = np.indices([there + 1 for there in self.deck], dtype=np.int8).reshape(len(self.deck), -1)
        points = np.array(POINTS, dtype=np.int16) @ counts.astype(np.int16)
        # While the bank draws it has less than 7½.
        self.most = MOST_OF_A_HAND * (hands - 1) + PLAIN + hands + PLAIN
        kept = np.flatnonzero(points <= self.most)
        kept = kept[np.argsort(points[kept], kind="stable")].astype(np.int32)
        self.points = points[kept]
        self.gone = np.ascontiguousarray(counts[:, kept].T)
        place = np.full(counts.shape[1], len(kept), dtype=np.int32)
        place[kept] = np.arange(len(kept), dtype=np.int32)
        steps = np.cumprod([1, *(there + 1 for there in reversed(self.deck))])[::-1][1:]
        self.size = len(kept)
        self.next: list[Places] = []
        for card, there in enumerate(self.deck):
            to = np.full(self.size, self.size, dtype=np.int32)
            some = np.flatnonzero(self.gone[:, card] < there)
            to[some] = place[kept[some] + steps[card]]
            self.next.append(to)
        self.place, self.steps = place, steps
        left = np.maximum(sum(self.deck) - self.gone.sum(axis=1, dtype=np.int16), 1)
        self.chance = [(there - self.gone[:, card]) / left for card, there in enumerate(self.deck)]

    def of(self, *gone: int) -> int:
        """Returns the place of a composition."""
        return int(self.place[int(np.dot(gone, self.steps))])

    def with_waiting(self, waiting: int, hands: int) -> int:
        """Returns how many compositions can come while so many hands wait: the first so many."""
        most = MOST_OF_A_HAND * (hands - 1 - waiting) + PLAIN + waiting
        return int(np.searchsorted(self.points, most, side="right"))


@dataclass(frozen=True)
class SplitDecisions:
    """The best decisions of a seat with two hands or more.

    Args:
        hits: For each number of waiting hands and each total: where drawing is better, by composition.
        splits: For each number of hands before it: whether a further face is split off.
        draws: For each number of hands: whether the single first face draws.
        value: Expected net result of both hands from the first split on, in stakes.
    """

    hits: tuple[dict[int, Mask], ...]
    splits: dict[int, bool]
    draws: dict[int, bool]
    value: float


class SplitLattice:
    """What hands are worth over all compositions of the cards of a seat.

    Args:
        terms: Deck, rules and pays.
        every: The compositions.
    """

    def __init__(self, terms: BankTerms, every: Compositions) -> None:
        self.terms, self.every = terms, every

    def decide(self, line: ChartLine) -> SplitDecisions:
        """Returns the best decisions of the seat against a bank's line."""
        every, hands = self.every, self.terms.rules.hands
        worth = self._worth(line)
        hits: list[dict[int, Mask]] = []
        played: list[tuple[dict[int, Floats], Floats]] = []
        waits = np.zeros(every.size)
        for waiting in range(hands):
            values, better = self._hand(worth, waits, every.with_waiting(waiting, hands))
            hits.append(better)
            played.append((values, waits))
            waits = values[FACE_POINTS]
        splits, draws = {}, {}
        single = 0.0
        for held in range(hands, 1, -1):
            values, waits = played[held - 1]
            at = every.of(*(0,) * CLASS_FACE, held)
            drawn = 0.0
            for card, points in enumerate(POINTS[:CLASS_FACE]):
                to = int(every.next[card][at])
                if to < every.size:
                    reached = self._reached(FACE_POINTS + points, values, worth, waits, to)
                    drawn += reached * float(every.chance[card][at])
            to = int(every.next[CLASS_FACE][at])
            face = float(every.chance[CLASS_FACE][at])
            stays = float(values[2 * FACE_POINTS][to]) * face if to < every.size else 0.0
            split = single * face
            splits[held] = bool(held < hands and split > stays)
            drawn += split if splits[held] else stays
            stood = float(worth[FACE_POINTS][at] + waits[at])
            draws[held] = bool(drawn > stood)
            single = drawn if draws[held] else stood
        return SplitDecisions(tuple(hits), splits, draws, single)

    def _reached(
        self, total: int, values: dict[int, Floats], worth: dict[int, Floats], waits: Floats, at: Any
    ) -> Any:
        if total < PLAIN:
            return values[total][at]
        return (
            worth[PLAIN][at] + waits[at] if total == PLAIN else waits[at] + float(self.terms.net(BUST, BUST))
        )

    def _after(self, card: int, worth: Floats, most: int) -> Floats:
        """Returns the chance of a card times what the composition with it is worth; nothing beyond the last one."""
        to = self.every.next[card][:most]
        moved = np.where(to < len(worth), worth.take(to, mode="clip"), 0.0)
        moved *= self.every.chance[card][:most]
        return moved

    def _worth(self, line: ChartLine) -> dict[int, Floats]:
        """Returns what standing on each total is worth, by composition."""
        size = self.every.size
        chances = {points: float(line.hit_on(points)) for points in range(PLAIN)}
        chances[0] = 1.0
        ends = [points for points in range(1, PLAIN) if chances[points] < 1.0] + [PLAIN, BUST]
        worth = {points: np.zeros(size) for points in range(1, PLAIN + 1)}
        for end in ends:
            at: dict[int, Floats] = {}
            for points in range(PLAIN - 1, -1, -1):
                drawn = np.zeros(size)
                for card, more in enumerate(POINTS if chances[points] else ()):
                    total = points + more
                    if total < PLAIN:
                        drawn += self._after(card, at[total], size)
                    elif (PLAIN if total == PLAIN else BUST) == end:
                        drawn += self.every.chance[card]
                at[points] = chances[points] * drawn + (1.0 - chances[points]) * (points == end)
            for points, sums in worth.items():
                sums += float(self.terms.net(points, end)) * at[0]
        return worth

    def _hand(
        self, worth: dict[int, Floats], waits: Floats, most: int
    ) -> tuple[dict[int, Floats], dict[int, Mask]]:
        """Returns what a hand is worth with what waits behind it, and where drawing is better."""
        values: dict[int, Floats] = {}
        hits: dict[int, Mask] = {}
        longer = np.zeros(self.every.size)
        longer[: len(waits)] = waits
        ended = worth[PLAIN] + longer, longer + float(self.terms.net(BUST, BUST))
        for points in range(PLAIN - 1, 0, -1):
            drawn = np.zeros(most)
            for card, more in enumerate(POINTS):
                total = points + more
                came = values[total] if total < PLAIN else ended[total > PLAIN]
                drawn += self._after(card, came, most)
            stood = worth[points][:most] + longer[:most]
            hits[points] = drawn > stood
            values[points] = np.maximum(drawn, stood)
        return values, hits
