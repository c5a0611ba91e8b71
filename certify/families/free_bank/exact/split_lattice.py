"""Splitting in floating point: the best decisions of a seat with several hands, at none of which the bank looks.

Against a bank that plays several hands by its own total, what a finished hand will get is settled on average when it
stands: whatever the seat draws afterwards is, before it is seen, as good as any other part of the deck. So a hand that
stands adds its worth at that moment, and a decision depends on the cards of the seat, the total of the hand being
played and the number of hands that wait, not on how the finished ones stand.

Compositions of the seat's cards are laid out by what they add up to, so that those that can come while so many hands
wait are the first of a row.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import perm
from typing import Any, Final

import numpy as np

from certify.array_types import Floats, Marks, Places, Values
from certify.families.free_bank.charts import BankChart, ChartLine, OwnHandBank
from certify.families.free_bank.exact.hands import BUST, PLAIN, BankHands, BankTerms, End, Flow
from certify.families.free_bank.strategy import Conduct, StandOn
from certify.families.seven_and_a_half.cards import CLASS_FACE, POINTS

FACE_POINTS: Final = POINTS[CLASS_FACE]

MOST_OF_A_HAND: Final = 28
"""Half points that one finished hand holds at most: a 7 drawn to a 7."""

CHUNK: Final = 2000
"""Compositions whose decks are counted at a time, so that memory stays bounded."""

TIE: Final = 1e-14
"""What differs by less is the same, and a hand stands: sums of some hundred terms below ten are nearer than this."""

ROUNDING: Final = Fraction(1, 10**12)
"""No other decisions bring more than this above those taken: sums of fewer than a thousand terms below ten."""


def line_against_splits(bank: Conduct) -> ChartLine | None:
    """Returns how a bank plays several hands by its own total alone; nothing where it looks at more."""
    if isinstance(bank, StandOn):
        return ChartLine(bank.least)
    line = bank.line(None) if isinstance(bank, BankChart | OwnHandBank) else None
    return None if line is None or line.draws else line


class Compositions:
    """All compositions of the cards of a seat that its hands can come to, by what they add up to.

    Args:
        terms: Deck, rules and pays; without a matta.
    """

    def __init__(self, terms: BankTerms) -> None:
        self.deck, self.cards = terms.deck[: CLASS_FACE + 1], terms.size
        hands = terms.rules.hands
        counts = np.indices([there + 1 for there in self.deck], dtype=np.int8).reshape(len(self.deck), -1)
        points = np.array(POINTS, dtype=np.int16) @ counts.astype(np.int16)
        kept = np.flatnonzero(points <= MOST_OF_A_HAND * (hands - 1) + PLAIN + hands)
        kept = kept[np.argsort(points[kept], kind="stable")].astype(np.int32)
        self.points = points[kept]
        self.gone = np.ascontiguousarray(counts[:, kept].T)
        self.left = self.cards - self.gone.sum(axis=1, dtype=np.int16)
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

    def of(self, *gone: int) -> int:
        """Returns the place of a composition."""
        return int(self.place[int(np.dot(gone, self.steps))])

    def chance(self, card: int, at: Any) -> Any:
        """Returns the chance that a card of a class comes next, at some places."""
        return (self.deck[card] - self.gone[at, card]) / np.maximum(self.left[at], 1)

    def with_waiting(self, waiting: int, hands: int) -> int:
        """Returns how many compositions can come while so many hands wait: the first so many."""
        most = MOST_OF_A_HAND * (hands - 1 - waiting) + PLAIN + waiting
        return int(np.searchsorted(self.points, most, side="right"))


def bank_ends(
    hands: BankHands, stops: Sequence[Any] | Values, left: Values, cards: Values
) -> tuple[dict[End, Any], Values]:
    """Returns for many decks in how many ordered deals the bank comes to each end below a bust, and of how many.

    Args:
        hands: The bank's hands.
        stops: How often it stops on each by its own choice.
        left: For each class (rows) the cards left in each deck: whole numbers of any size, or floating point.
        cards: Cards left in each deck.
    """
    size, deepest = hands.terms.size, hands.deepest
    tails = np.array(
        [
            [perm(max(n - dealt, 0), max(min(deepest, n) - dealt, 0)) for n in range(size + 1)]
            for dealt in range(deepest + 1)
        ],
        dtype=object,
    ).astype(left.dtype)
    products: list[Any] = [1] * len(hands.nodes)
    ends: dict[End, Any] = defaultdict(int)
    for place, (before, card, taken) in enumerate(hands.last):
        if before >= 0:
            products[place] = products[before] * (left[card] - taken)
        if stops[place] and place:
            ends[hands.ends[place]] += products[place] * tails[hands.dealt[place]][cards] * stops[place]
    return dict(ends), tails[0][cards]


@dataclass(frozen=True)
class SplitDecisions:
    """The best decisions of a seat with two hands or more.

    Args:
        hits: For each number of waiting hands and each total: where drawing is better, by composition.
        splits: For each number of hands before it: whether a further face is split off.
        draws: For each number of hands: whether the single first face draws.
    """

    hits: tuple[dict[int, Marks], ...]
    splits: dict[int, bool]
    draws: dict[int, bool]


class SplitLattice:
    """What hands are worth over all compositions of the cards of a seat.

    Args:
        terms: Deck, rules and pays.
        every: The compositions.
        hands: The bank's hands.
    """

    def __init__(self, terms: BankTerms, every: Compositions, hands: BankHands) -> None:
        self.terms, self.every, self.hands = terms, every, hands
        self.lost = float(terms.net(BUST, BUST))

    def decide(self, flow: Flow) -> SplitDecisions:
        """Returns the best decisions of the seat against a bank that plays in one way, whatever is open."""
        every, hands = self.every, self.terms.rules.hands
        worth = self._worth(flow)
        hits: list[dict[int, Marks]] = []
        waits = np.zeros(every.size)
        single: dict[int, tuple[float, float, float]] = {}
        for waiting in range(hands):
            values, better = self._hand(worth, waits, every.with_waiting(waiting, hands))
            hits.append(better)
            if waiting:
                single[waiting + 1] = self._single(waiting + 1, values, worth, waits)
            waits = values[FACE_POINTS]
        splits, draws, value = {}, {}, 0.0
        for held in range(hands, 1, -1):
            stood, others, stays = single[held]
            split = value * float(every.chance(CLASS_FACE, every.of(*(0,) * CLASS_FACE, held)))
            splits[held] = bool(held < hands and split > stays + TIE)
            drawn = others + (split if splits[held] else stays)
            draws[held] = bool(drawn > stood + TIE)
            value = max(drawn, stood)
        return SplitDecisions(tuple(hits), splits, draws)

    def _single(
        self, held: int, values: dict[int, Floats], worth: dict[int, Floats], waits: Floats
    ) -> tuple[float, float, float]:
        """Returns what a single first face among so many hands brings: standing, drawing no face, keeping a face."""
        every = self.every
        at = every.of(*(0,) * CLASS_FACE, held)
        brought = [0.0] * len(POINTS)
        for card, more in enumerate(POINTS):
            total, to = FACE_POINTS + more, int(every.next[card][at])
            if to < every.size:
                after = values[total][to] if total < PLAIN else worth[PLAIN][to] + waits[to]
                brought[card] = float(after) * float(every.chance(card, at))
        *others, stays = brought
        return float(worth[FACE_POINTS][at] + waits[at]), sum(others), stays

    def _worth(self, flow: Flow) -> dict[int, Floats]:
        """Returns what standing on each total is worth, by composition."""
        every, terms = self.every, self.terms
        worth = {points: np.empty(every.size) for points in range(1, PLAIN + 1)}
        stops = [int(stop) / flow.over for stop in flow.stops]
        for begin in range(0, every.size, CHUNK):
            part = slice(begin, begin + CHUNK)
            left = (np.array(every.deck) - every.gone[part]).T.astype(np.float64)
            ends, deals = bank_ends(self.hands, stops, left, every.left[part])
            chances = {end: count / deals for end, count in ends.items()}
            chances[BUST] = 1.0 - sum(chances.values())
            for points, sums in worth.items():
                sums[part] = sum(float(terms.net(points, end)) * chance for end, chance in chances.items())
        return worth

    def _after(self, card: int, worth: Floats, most: int) -> Floats:
        """Returns the chance of a card times what the composition with it is worth; nothing beyond the last one."""
        to = self.every.next[card][:most]
        moved = worth.take(to, mode="clip")
        moved[to >= len(worth)] = 0.0
        moved *= self.every.chance(card, slice(most))
        return moved

    def _hand(
        self, worth: dict[int, Floats], waits: Floats, most: int
    ) -> tuple[dict[int, Floats], dict[int, Marks]]:
        """Returns what a hand is worth with what waits behind it, and where drawing is better."""
        values: dict[int, Floats] = {}
        hits: dict[int, Marks] = {}
        full = worth[PLAIN].copy()
        full[: len(waits)] += waits
        for points in range(PLAIN - 1, 0, -1):
            drawn = np.zeros(most)
            for card, more in enumerate(POINTS):
                total = points + more
                if total > PLAIN:
                    drawn += self._after(card, waits, most) + self.lost * self.every.chance(card, slice(most))
                else:
                    drawn += self._after(card, values[total] if total < PLAIN else full, most)
            stood = worth[points][:most].copy()
            stood[: len(waits)] += waits[:most]
            hits[points] = drawn > stood + TIE
            values[points] = np.maximum(drawn, stood)
        return values, hits
