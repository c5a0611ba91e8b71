"""What a bank can lose in one round at most, exactly, with a deal that shows it: the cover it puts up beforehand.

Cards are limited: not every seat can have the best hand. For each way in which the bank may end, an integer
programme gives the hands to the seats; every amount is a whole number of minor units, so that its bound, which lies
less than one unit above what was found, leaves nothing better. The deal is then played by the reference round.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final

import numpy as np

from certify.errors import InputError
from certify.families.free_bank import rulebook
from certify.families.free_bank.rules import FreeBankRules, is_reale, total
from certify.families.free_bank.strategy import COVER, HIT, SPLIT, STAND, Cards
from certify.families.seven_and_a_half.cards import CLASS_FACE, CLASSES, SEVEN_AND_A_HALF
from certify.model.paytable import Paytable

MOST_CARDS: Final = 4
"""Cards of a hand that are looked at: a longer one takes more of the deck and pays no more than a shorter one."""


@dataclass(frozen=True, slots=True)
class WorstRound:
    """The round that costs a bank most.

    Args:
        amount: What the bank loses, minor units.
        hands: Final hands of each seat by class, split hands behind the first, in the order of play.
        bank: Final hand of the bank.
    """

    amount: int
    hands: tuple[tuple[Cards, ...], ...]
    bank: Cards

    @property
    def deal(self) -> tuple[Cards, tuple[str, ...]]:
        """The classes of the cards in dealing order, and what is decided."""
        return _laid_out(self)


def worst_round(rules: FreeBankRules, paytable: Paytable, stakes: Sequence[int]) -> WorstRound:
    """Returns the round that costs a bank most, for the stakes that lie on the table.

    Args:
        rules: Rules of play.
        paytable: What the bet pays.
        stakes: Stake of each seat in minor units, in the order of play.

    Raises:
        InputError: A stake is not positive, or nobody has staked.
    """
    if not stakes or any(stake <= 0 for stake in stakes):
        raise InputError(f"stakes of {list(stakes)}: expected one or more positive amounts in minor units")
    found = (_programme(rules, paytable, tuple(stakes), end) for end in (*range(1, SEVEN_AND_A_HALF), _OVER))
    return max((one for one in found if one is not None), key=lambda one: one.amount)


_OVER: Final = 16
"""Stands for every total above 7½."""


@lru_cache(maxsize=4)
def _compositions(deck: Cards) -> tuple[Cards, ...]:
    """Returns every hand of a few cards that a hand can grow to, in an order in which it is played."""
    found: dict[Cards, None] = {}
    level: list[Cards] = [()]
    for _ in range(MOST_CARDS):
        longer = []
        for hand in level:
            for card in range(len(CLASSES)):
                grown = tuple(sorted((*hand, card), reverse=True))
                fits = hand.count(card) < deck[card] and (not hand or total(hand) < SEVEN_AND_A_HALF)
                if fits and grown not in found:
                    found[grown] = None
                    longer.append(grown)
        level = longer
    return tuple(found)


def _programme(
    rules: FreeBankRules, paytable: Paytable, stakes: tuple[int, ...], end: int
) -> WorstRound | None:
    """Returns the costliest round in which the bank ends so; none where the deck does not allow it."""
    every = _compositions(rules.deck)
    banks = [hand for hand in every if min(total(hand), _OVER) == end]
    standing = [
        hand for hand in every if total(hand) <= SEVEN_AND_A_HALF and _pays(hand, end, rules, paytable) > 0
    ]
    if not banks or not standing:
        return None
    groups = tuple(Counter(stakes).items())
    columns: list[tuple[int, Cards, Fraction]] = [(-1, hand, Fraction(0)) for hand in banks]
    for place, (stake, _) in enumerate(groups):
        columns += [(place, hand, stake * _pays(hand, end, rules, paytable)) for hand in standing]
    matrix, low, high = _constraints(rules, [seats for _, seats in groups], columns)
    gains = np.array([*(float(gain) for _, _, gain in columns), *(0.0 for _ in groups)])
    from scipy.optimize import Bounds, LinearConstraint, milp

    solved = milp(
        -gains,
        constraints=LinearConstraint(matrix, low, high),
        integrality=np.ones(len(gains), dtype=np.int64),
        bounds=Bounds(0, rules.hands * len(stakes)),
    )
    if not solved.success:
        return None
    taken = np.rint(solved.x).astype(int).tolist()
    hands: list[list[Cards]] = [[] for _ in groups]
    amount, bank = Fraction(0), banks[0]
    for (place, hand, gain), times in zip(columns, taken, strict=False):
        if times and place < 0:
            bank = hand
        elif times:
            hands[place] += [hand] * times
            amount += gain * times
    if -solved.mip_dual_bound >= float(amount) + 1:
        raise InputError("the costliest round was not proven: expected a bound within one minor unit")
    dealt = _to_seats(hands, [seats for _, seats in groups])
    seated = tuple(
        dealt[next(at for at, (one, _) in enumerate(groups) if one == stake)].pop() for stake in stakes
    )
    return WorstRound(-(-amount.numerator // amount.denominator), seated, bank)


def _to_seats(hands: Sequence[Sequence[Cards]], seats: Sequence[int]) -> list[list[tuple[Cards, ...]]]:
    """Returns the hands of each seat: one, or several that each begin with a face."""
    found = []
    for group, number in zip(hands, seats, strict=True):
        single = [(hand,) for hand in group if not _begins_with_face(hand)]
        faces = [hand for hand in group if _begins_with_face(hand)]
        splitting = number - len(single)
        found.append([*(tuple(faces[place::splitting]) for place in range(splitting)), *single])
    return found


def _constraints(
    rules: FreeBankRules, seats: Sequence[int], columns: list[tuple[int, Cards, Fraction]]
) -> tuple[np.ndarray[tuple[int, int], np.dtype[np.float64]], list[float], list[float]]:
    """Returns what binds the hands: the deck, one hand of the bank, and one or more of each seat.

    Seats of one stake are one group, since nothing tells them apart; the last columns count the seats of each group
    whose hands begin with a face, of which there may be several.
    """
    rows: list[list[float]] = []
    low: list[float] = []
    high: list[float] = []

    def bind(
        hands: Iterable[float], least: float, most: float, splitting: Mapping[int, float] | None = None
    ) -> None:
        rows.append([*hands, *((splitting or {}).get(group, 0.0) for group in range(len(seats)))])
        low.append(least)
        high.append(most)

    for card in range(len(CLASSES)):
        bind((float(hand.count(card)) for _, hand, _ in columns), 0, rules.deck[card])
    bind((float(place < 0) for place, _, _ in columns), 1, 1)
    for group, number in enumerate(seats):
        mine = [(place == group, _begins_with_face(hand)) for place, hand, _ in columns]
        bind((float(held and not face) for held, face in mine), number, number, {group: 1.0})
        bind((float(held and face) for held, face in mine), 0, np.inf, {group: -1.0})
        bind((float(held and face) for held, face in mine), -np.inf, 0, {group: -float(rules.hands)})
    return np.array(rows), low, high


def _begins_with_face(hand: Cards) -> bool:
    """Tells whether a hand can be played from a face without a second one, so that none was to be split off."""
    return hand.count(CLASS_FACE) == 1


def _pays(hand: Cards, end: int, rules: FreeBankRules, paytable: Paytable) -> Fraction:
    """Returns what the bank pays a hand where it ends on a total, without a reale of its own."""
    own = total(hand)
    if own == SEVEN_AND_A_HALF:
        reale = rules.reale and is_reale(hand)
        return paytable.pays(rulebook.REALE if reale else rulebook.SEVEN_AND_A_HALF_WINS)
    return paytable.pays(rulebook.WIN) if end == _OVER or own > end else Fraction(0)


def _laid_out(worst: WorstRound) -> tuple[Cards, tuple[str, ...]]:
    """Returns the cards in dealing order and the decisions: first cards, then each seat's draws, then the bank's."""
    seats = [tuple(_from_face(hand) for hand in hands) for hands in worst.hands]
    draws: list[int] = []
    decisions: list[str] = []
    for hands in seats:
        decisions.append(COVER)
        for _ in hands[1:]:
            draws.append(CLASS_FACE)
            decisions += [HIT, SPLIT]
        for hand in hands:
            draws += hand[1:]
            decisions += [HIT] * (len(hand) - 1)
            decisions += [STAND] if total(hand) < SEVEN_AND_A_HALF else []
    draws += worst.bank[1:]
    decisions += [HIT] * (len(worst.bank) - 1)
    decisions += [STAND] if total(worst.bank) < SEVEN_AND_A_HALF else []
    firsts = tuple(hands[0][0] for hands in seats)
    return (*firsts, worst.bank[0], *draws), tuple(decisions)


def _from_face(hand: Cards) -> Cards:
    """Returns a hand with a face at its head, where it holds one."""
    if CLASS_FACE not in hand:
        return hand
    rest = list(hand)
    rest.remove(CLASS_FACE)
    return (CLASS_FACE, *rest)
