"""Strategies compiled for the kernel, in steps of 2⁻³², and how hands end, in small integers.

How hands end is written apart from the other two legs.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement
from threading import Lock
from typing import Final

import numpy as np
from numpy.typing import NDArray

from certify.families.free_bank.charts import BankChart, OwnHandBank
from certify.families.free_bank.rules import SWAPPED, FreeBankRules
from certify.families.free_bank.strategy import (
    HIT,
    SPLIT,
    STAND,
    STAY,
    SWAP,
    WEIGHT_BITS,
    BankSees,
    Cards,
    Chances,
    Conduct,
    HandEnd,
    OpenHand,
    OpenSeat,
    Own,
    Pair,
    PlayerSees,
    StandOn,
    weight,
)
from certify.families.seven_and_a_half.cards import (
    CLASS_FACE,
    CLASS_MATTA,
    CLASSES,
    DECK_SIZE,
    MATTA,
    RANK_SEVEN,
    rank_of,
)

FULL: Final = 15
"""Code of a plain 7½; a lower total is its own code, in half points."""
ROYAL: Final = 16
"""Code of a reale, where the game knows it."""
OVER: Final = 17
"""Code of every total above 7½: by how much settles nothing."""
CODES: Final = 18

_WHOLE: Final = (2, 4, 6, 8, 10, 12, 14, 1)

WIN: Final = "win"
FULL_WINS: Final = "seven-and-a-half"
ROYAL_WINS: Final = "reale"
ENDS: Final = (
    ROYAL_WINS,
    FULL_WINS,
    WIN,
    "lose",
    "bust",
    "bank-seven-and-a-half",
    "both-seven-and-a-half",
    "both-reale",
)
"""How a single hand can end, in the order of the kernel's codes."""

REALE, SEVEN, WON, LOST, BUST, BANK_FULL, BOTH_FULL, BOTH_ROYAL = range(len(ENDS))


def classes(rules: FreeBankRules) -> tuple[int, ...]:
    """Returns the class of each card id."""
    found = [min(rank_of(card), CLASS_FACE) for card in range(DECK_SIZE)]
    if rules.matta:
        found[MATTA] = CLASS_MATTA
    return tuple(found)


def points(cards: Sequence[int]) -> int:
    """Returns the total of a hand in half points, above 15 where it is over.

    The matta lifts an odd number of half points to exactly 15 and an even one to 14, and 14 by its half to 15; only
    from 15 on does even that half go over.

    >>> points((8,)), points((6, 8)), points((0, 8)), points((7, 7, 8))
    (14, 15, 14, 14)
    """
    plain = sum(_WHOLE[card] for card in cards if card != CLASS_MATTA)
    if CLASS_MATTA not in cards:
        return plain
    if plain >= FULL:
        return plain + 1
    return FULL if plain % 2 or plain == FULL - 1 else FULL - 1


def code(cards: Sequence[int], rules: FreeBankRules) -> int:
    """Returns the code of a hand by classes of cards."""
    total = points(cards)
    if total > FULL:
        return OVER
    kinds = {RANK_SEVEN, CLASS_FACE, CLASS_MATTA}
    royal = rules.reale and total == FULL and len(cards) == 2 and kinds.issuperset(cards)
    return ROYAL if royal else total


def ended(player: int, bank: int) -> int:
    """Returns how a hand ends, as a place in ENDS, from the codes of both hands."""
    if player == OVER:
        return BUST
    if player == ROYAL:
        return BOTH_ROYAL if bank == ROYAL else REALE
    if bank in (FULL, ROYAL):
        return BOTH_FULL if player == FULL else BANK_FULL
    if player == FULL:
        return SEVEN
    return WON if bank == OVER or bank < player else LOST


def settled() -> tuple[tuple[int, ...], ...]:
    """Returns how a hand ends for each code of the player and each of the bank."""
    return tuple(tuple(ended(player, bank) for bank in range(CODES)) for player in range(CODES))


def outcomes(rules: FreeBankRules) -> tuple[str, ...]:
    """Returns every outcome of a round: of one hand, then of several where hands may be split."""
    single = [end for end in ENDS if rules.reale or end not in (ENDS[REALE], ENDS[BOTH_ROYAL])]
    several = (
        "+".join(sorted(ends))
        for hands in range(2, rules.hands + 1)
        for ends in combinations_with_replacement(sorted(single), hands)
    )
    return (*single, *several)


def net(outcome: str, pays: Mapping[str, Fraction], rules: FreeBankRules) -> Fraction:
    """Returns the net result of a round in stakes.

    Args:
        outcome: How it ended; of several hands, their ends joined.
        pays: What the paytable pays, by row.
        rules: What the bank collects.
    """
    taken = dict.fromkeys(ENDS, 1) | {
        ENDS[BANK_FULL]: rules.bank_collects,
        ENDS[BOTH_FULL]: rules.bank_collects_from_seven_and_a_half,
    }
    return sum(
        (pays[end] if end in pays else Fraction(-taken[end]) for end in outcome.split("+")), Fraction(0)
    )


CERTAIN: Final = 1 << WEIGHT_BITS
NOWHERE: Final = -1
SEVERAL: Final = -2
"""Where a hand may be split: the round is played by the twin, for it may have several hands."""

Cuts = tuple[int, int]
"""Upper ends of the shares of standing and of drawing; the rest swaps."""


def cuts_of(chances: Chances) -> Cuts:
    """Returns the shares of the options in steps of 2⁻³²."""
    given = dict(chances)
    stand = given.get(STAND, Fraction(0))
    return weight(stand), weight(stand + given.get(HIT, Fraction(0)))


_Taken = tuple[Collection[str], Cuts, int, Callable[[int], Cards | None]]
"""Options taken, their shares, what is open if nothing is drawn, and the hand of a card: none where it may split."""

_Takes = Callable[[Cards, int, tuple[str, ...]], _Taken]


@dataclass
class HandAutomaton:
    """Hands as places of arrays.

    Args:
        moves: Where each class of card leads from each hand that stands, draws or swaps.
        codes: Code of each hand, as settlement has it.
        cuts: What is done on each hand.
        views: Place of what is open if the hand stood or has 7½.
    """

    moves: NDArray[np.int32]
    codes: NDArray[np.uint8]
    cuts: NDArray[np.uint64]
    views: NDArray[np.int32]


@dataclass
class BankTables:
    """A pair of strategies and the rules, compiled; the bank's answers to what is open as they are met.

    Args:
        pair: The strategies.
        rules: Rules of play.
    """

    pair: Pair
    rules: FreeBankRules
    seen: dict[OpenSeat, int] = field(default_factory=dict)
    by_lot: bool = False
    _answers: dict[bytes, int] = field(default_factory=dict)
    _answer_of: dict[int, int] = field(default_factory=dict)
    _by_line: dict[int, int] = field(default_factory=dict)
    _rows: list[NDArray[np.uint64]] = field(default_factory=list)
    _adding: Lock = field(default_factory=Lock)

    def __post_init__(self) -> None:
        """Compiles the player's hands and the bank's."""
        self.player, _ = self._grown(self._player_takes, swaps=self.rules.swap)
        # What the bank does depends on what is open: here are the hands that it can come to.
        self.bank, self._bank_hands = self._grown(_bank_may, swaps=False)

    def _cuts(self, chances: Chances) -> Cuts:
        self.by_lot = self.by_lot or len(chances) > 1
        return cuts_of(chances)

    def _grown(self, takes: _Takes, *, swaps: bool) -> tuple[HandAutomaton, tuple[tuple[Cards, int], ...]]:
        """Returns every hand that some option leads to, with the hands themselves.

        Args:
            takes: Which hand a card makes, and what may be done on each with which shares.
            swaps: Whether a first card may be swapped.
        """
        hands: list[tuple[Cards, int]] = [((first,), NOWHERE) for first in range(len(CLASSES))]
        places = {hand: place for place, hand in enumerate(hands)}

        def place(cards: Cards, given_up: int) -> int:
            if (hand := (cards, given_up)) not in places:
                places[hand] = len(hands)
                hands.append(hand)
            return places[hand]

        columns: list[tuple[list[int], list[int], int, Cuts, int]] = []
        for cards, given_up in hands:
            goes_on = points(cards) < FULL
            swapping = swaps and given_up < 0 and len(cards) == 1 and cards[0] in SWAPPED
            options = (STAND, *((HIT,) if goes_on else ()), *((SWAP,) if swapping else ()))
            taken, cuts, view, grow = takes(cards, given_up, options)
            left = [
                cards.count(card) + (given_up == card) < self.rules.deck[card] for card in range(len(CLASSES))
            ]
            drawn = [NOWHERE] * len(CLASSES)
            for card in range(len(CLASSES)):
                if HIT in taken and left[card]:
                    grown = grow(card)
                    drawn[card] = SEVERAL if grown is None else place(grown, given_up)
            swapped = [
                place((card,), cards[0]) if SWAP in taken and left[card] else NOWHERE
                for card in range(len(CLASSES))
            ]
            columns.append((drawn, swapped, code(cards, self.rules), cuts, view))
        draws, swapped_to, codes, shares, views = zip(*columns, strict=True)
        stood = [(hand,) * len(CLASSES) for hand in range(len(hands))]
        automaton = HandAutomaton(
            np.array([stood, draws, swapped_to], dtype=np.int32),
            np.array(codes, dtype=np.uint8),
            np.array(shares, dtype=np.uint64),
            np.array(views, dtype=np.int32),
        )
        return automaton, tuple(hands)

    def _player_takes(self, cards: Cards, given_up: int, options: tuple[str, ...]) -> _Taken:
        chances: Chances = ((STAND, Fraction(1)),)
        if len(options) > 1:
            chances = self.pair.chances(PlayerSees(Own((cards,), 0, given_up)), options)

        def grow(card: int) -> Cards | None:
            if self.rules.hands > 1 and cards == (CLASS_FACE,) and card == CLASS_FACE:
                own = Own((cards,), 0, given_up, face_came=True)
                if [option for option, _ in self.pair.chances(PlayerSees(own), (STAY, SPLIT))] != [STAY]:
                    return None
            return (*cards, card)

        return dict(chances).keys(), self._cuts(chances), self._opened(cards, given_up), grow

    def _opened(self, cards: Cards, given_up: int) -> int:
        if points(cards) > FULL:
            return NOWHERE
        full = points(cards) == FULL
        hand = OpenHand(cards, HandEnd.SEVEN_AND_A_HALF, True) if full else OpenHand(cards[1:], HandEnd.STOOD)
        return self.seen.setdefault(OpenSeat((hand,), given_up >= 0), len(self.seen))

    def answers(self, views: Sequence[int] = ()) -> tuple[NDArray[np.int32], NDArray[np.uint64]]:
        """Returns the row of the bank's answers for each thing that is open, and all rows so far.

        Args:
            views: What is open, whose answers are compiled first; the row of all others is -1.
        """
        seats = tuple(self.seen)
        # Chunks that are played side by side share these tables: an answer and its row are added together.
        with self._adding:
            for view in views:
                if view not in self._answer_of:
                    self._answer_of[view] = self._answer(seats[view])
            rows = np.array(
                [self._answer_of.get(view, NOWHERE) for view in range(len(seats))], dtype=np.int32
            )
            return rows, np.stack(self._rows) if self._rows else np.zeros(
                (1, len(self._bank_hands), 2), np.uint64
            )

    def _answer(self, seat: OpenSeat) -> int:
        bank: Conduct = self.pair.bank
        if isinstance(bank, StandOn | OwnHandBank) and self._rows:
            return 0
        if not isinstance(bank, BankChart):
            return self._row(seat)
        # A line gives one answer to everything that it holds against; the chart keeps its lines, each one object.
        line = id(bank.line(seat))
        if line not in self._by_line:
            self._by_line[line] = self._row(seat)
        return self._by_line[line]

    def _row(self, seat: OpenSeat) -> int:
        """Returns the row of what the bank does on each of its hands against what is open."""
        found = np.full((len(self._bank_hands), 2), CERTAIN, dtype=np.uint64)
        for place, (cards, _) in enumerate(self._bank_hands):
            if points(cards) < FULL:
                found[place] = self._cuts(self.pair.chances(BankSees(cards, (seat,)), (STAND, HIT)))
        key = found.tobytes()
        if key not in self._answers:
            self._answers[key] = len(self._rows)
            self._rows.append(found)
        return self._answers[key]


@lru_cache(maxsize=8)
def compiled(pair: Pair, rules: FreeBankRules) -> BankTables:
    """Returns a pair of strategies compiled; what was compiled of the bank's answers is kept with it."""
    return BankTables(pair, rules)


def _bank_may(cards: Cards, given_up: int, options: tuple[str, ...]) -> _Taken:
    return options, (CERTAIN, CERTAIN), NOWHERE, lambda card: tuple(sorted((*cards, card)))
