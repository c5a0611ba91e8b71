"""What a player calls the cards that are held: a pair, four to a flush, two suited high cards.

Every hold of every deal is one pattern, known by the held cards alone. Strategies as players print them are lists of
patterns; the first that a deal has is held.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from certify.analysis.hands.deals import Whole, arrays_of
from certify.analysis.hands.holds import Enumeration
from certify.kernels import njit
from rng.kernels import called_by_kernels

(NOTHING, CARD, PAIR, TWO_PAIR, THREE, FOUR, ROYAL, STRAIGHT_FLUSH, FLUSH, STRAIGHT, PAT, OTHER) = range(12)

_JACK: Final = 9
_ROOMS: Final = (5, 6, 12, 6, 6, 4)
CODES: Final = int(np.prod(_ROOMS))
"""Number of codes; most represent nothing that can be held."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """What is held, as players tell it.

    Args:
        wild: Wild cards among them.
        cards: Further cards.
        shape: One of the shapes above; PAT where all five cards are held and are paid as they are.
        windows: In how many straights the cards fit; of a pat hand its kind, divided by six.
        high: Ranks among them of which a pair is paid, jack and above where none is; of a pat hand the rest of that
            division.
        ends: Of two or three cards to a royal flush, 1 with a ten among them, 2 with an ace, 3 with both.
    """

    wild: int
    cards: int
    shape: int
    windows: int
    high: int
    ends: int

    @property
    def kind(self) -> int:
        """The kind of a pat hand."""
        return self.windows * 6 + self.high


def pattern_of(code: int) -> Pattern:
    """Returns the pattern of a code.

    >>> pattern_of(8072)
    Pattern(wild=0, cards=4, shape=8, windows=0, high=2, ends=0)
    """
    values = []
    for room in reversed(_ROOMS):
        code, value = divmod(code, room)
        values.append(value)
    return Pattern(*reversed(values))


RUNS: Final = np.array([0b1_0000_0000_1111, *(0b11111 << low for low in range(9))], dtype=np.int64)
"""Sets of ranks of every straight."""


def patterns_of(counted: Enumeration, lowest_pair: int) -> NDArray[np.int32]:
    """Returns the pattern of every hold of every class of deals, int32[classes, 32].

    Args:
        counted: The deals.
        lowest_pair: Place in RANKS of the lowest pair that is paid.
    """
    found = np.empty((len(counted.deals.numbers), 32), dtype=np.int32)
    ranks, suits = arrays_of(counted.deck)
    lowest = lowest_pair if lowest_pair < 13 else _JACK
    kinds = counted.kinds[counted.deals.numbers].astype(np.int64)
    _patterns(counted.deals.hands, ranks, suits, lowest, kinds, RUNS, found)
    return found


def holds_by_list(
    counted: Enumeration, values: Whole, patterns: NDArray[np.int32], order: NDArray[np.int32]
) -> NDArray[np.uint8]:
    """Returns the hold of every class by an ordered list of patterns, uint8[classes].

    Where a line fits several holds of one deal, the best of them is taken.

    Args:
        counted: The deals.
        values: Value of every hold.
        patterns: Pattern of every hold.
        order: int32[CODES], the line of each pattern; a high number where no line names it.
    """
    holds = np.empty(len(counted.deals.numbers), dtype=np.uint8)
    _by_list(values, patterns, order, holds)
    return holds


@njit(cache=True, nogil=True)
def _by_list(
    values: Whole, patterns: NDArray[np.int32], order: NDArray[np.int32], holds: NDArray[np.uint8]
) -> None:
    for index in range(holds.size):
        best = 0
        for mask in range(1, 32):
            line, first = order[patterns[index, mask]], order[patterns[index, best]]
            if line < first or (line == first and values[index, mask] > values[index, best]):
                best = mask
        holds[index] = best


@njit(cache=True, nogil=True)
def gains(
    values: Whole, patterns: NDArray[np.int32], weights: Whole, place: NDArray[np.int32], gained: Whole
) -> None:
    """Adds up what each pattern gains over each other one, over the deals on which it is best.

    Args:
        values: Value of every hold, int64[classes, 32].
        patterns: Pattern of every hold.
        weights: Deals of each class.
        place: int32[CODES], number of each pattern that is counted, -1 for others.
        gained: int64[patterns, patterns], added to.
    """
    most = np.empty(gained.shape[0], dtype=np.int64)
    for index in range(values.shape[0]):
        most[:] = -1
        for mask in range(32):
            at = place[patterns[index, mask]]
            if at >= 0 and values[index, mask] > most[at]:
                most[at] = values[index, mask]
        best = most.argmax()
        for other in range(most.size):
            if most[other] >= 0 and other != best:
                gained[best, other] += weights[index] * (most[best] - most[other])


@njit(cache=True, nogil=True)
def _patterns(
    hands: Whole,
    ranks: Whole,
    suits: Whole,
    lowest: int,
    kinds: Whole,
    runs: Whole,
    found: NDArray[np.int32],
) -> None:
    for index in range(hands.shape[0]):
        for mask in range(32):
            found[index, mask] = _pattern(hands[index], mask, ranks, suits, lowest, kinds[index], runs)


@called_by_kernels
def _pattern(hand: Whole, mask: int, ranks: Whole, suits: Whole, lowest: int, kind: int, runs: Whole) -> int:
    wild, cards, one, two, three, four = 0, 0, 0, 0, 0, 0
    suit, suited = -1, True
    for place in range(5):
        if not mask >> place & 1:
            continue
        rank = ranks[hand[place]]
        if rank < 0:
            wild += 1
            continue
        cards += 1
        bit = 1 << rank
        four |= three & bit
        three |= two & bit
        two |= one & bit
        one |= bit
        if suit < 0:
            suit = suits[hand[place]]
        elif suit != suits[hand[place]]:
            suited = False
    if mask == 31:
        return _code(wild, cards, 10, kind // 6, kind % 6, 0)
    high = _bits(one >> lowest)
    if cards == 0:
        return _code(wild, 0, 0, 0, 0, 0)
    if cards == 1:
        return _code(wild, 1, 1, 0, high, 0)
    if two:
        return _equal_ranks(wild, cards, one, two, three, four, lowest)
    windows = 0
    for run in runs:
        if one & ~run == 0:
            windows += 1
    if suited:
        if one >> 8 << 8 == one:
            ends = (one >> 8 & 1) | (one >> 11 & 2) if cards < 4 else 0
            return _code(wild, cards, 6, 0, high, ends)
        return _code(wild, cards, 7, windows, high, 0) if windows else _code(wild, cards, 8, 0, high, 0)
    return _code(wild, cards, 9, windows, high, 0) if windows else _code(wild, cards, 11, 0, high, 0)


@called_by_kernels
def _equal_ranks(wild: int, cards: int, one: int, two: int, three: int, four: int, lowest: int) -> int:
    if four and cards == 4:
        return _code(wild, 4, 5, 0, 0, 0)
    if three and cards == 3:
        return _code(wild, 3, 4, 0, 0, 0)
    if cards == 2:
        return _code(wild, 2, 2, 0, 1 if two >> lowest else 0, 0)
    if cards == 4 and _bits(two) == 2:
        return _code(wild, 4, 3, 0, _bits(two >> lowest), 0)
    return _code(wild, cards, 11, 0, 0, 0)


@called_by_kernels
def _bits(number: int) -> int:
    count = 0
    while number:
        number &= number - 1
        count += 1
    return count


@called_by_kernels
def _code(wild: int, cards: int, shape: int, windows: int, high: int, ends: int) -> int:
    return ((((wild * 6 + cards) * 12 + shape) * 6 + windows) * 6 + high) * 4 + ends
