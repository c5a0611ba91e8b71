"""A bank that weighs the open cards of every seat together, whoever sits there: a habit that a machine can keep.

It believes that each seat drew below one total and stood on it or more, and that each covered card is any of those
not in sight that fit. It goes on where that brings more, hand by hand, than stopping, all later cards being drawn
like the next one. It is a strategy and no best answer: with one seat its figures are exact like any other's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Final, NamedTuple

from certify.errors import InputError
from certify.families.free_bank.mixed_decisions import Chances
from certify.families.free_bank.rules import POINTS, FreeBankRules, is_reale, total
from certify.families.free_bank.strategy import (
    HIT,
    STAND,
    BankSees,
    Cards,
    HandEnd,
    OpenHand,
    OpenSeat,
    Sees,
)
from certify.families.seven_and_a_half.cards import CLASS_MATTA, CLASSES, SEVEN_AND_A_HALF

GRAIN: Final = 1 << 20
"""What a stake is counted in, so that every reading of the cards is whole numbers and decides alike everywhere."""

ROYAL: Final = SEVEN_AND_A_HALF + 1
"""End of a hand that is a reale."""

OVER: Final = SEVEN_AND_A_HALF + 2
"""End of a hand above 7½."""

ENDS: Final = OVER + 1


class BankNets(NamedTuple):
    """What the bank pays and collects, in whole parts of a stake.

    Args:
        stake: A stake.
        win: What a win costs it.
        full: What a seat's 7½ costs it.
        royal: What a seat's reale costs it.
        collects: What its 7½ collects from less.
        collects_from_full: What it collects from 7½.
    """

    stake: int
    win: int
    full: int
    royal: int
    collects: int
    collects_from_full: int


@dataclass(frozen=True, slots=True)
class OpenCardsBank:
    """A bank that weighs what lies open of all seats.

    Args:
        name: Name, as on the command line.
        least: Total in half points on which it believes that the seats stand.
        rules: Rules of play.
        pays: What a win, a 7½ and a reale are paid, in stakes.
        looks_at: What it looks at.
    """

    name: str
    least: int
    rules: FreeBankRules
    pays: tuple[Fraction, Fraction, Fraction]
    looks_at: str = "the open cards of every seat"

    def chances(self, sees: Sees, options: Sequence[str]) -> Chances:
        """Returns the one option that it takes.

        Raises:
            InputError: It was asked as a player.
        """
        if not isinstance(sees, BankSees):
            raise InputError(f"{self.name} is a strategy of the bank: expected one of a player")
        draws = HIT in options and self.compiled(sees)
        return ((HIT if draws else STAND, Fraction(1)),)

    def table(self) -> object:
        """Returns the total that it believes in, and what hands are paid."""
        return {"believes": self.least, "pays": [str(pay) for pay in self.pays]}

    @property
    def nets(self) -> BankNets:
        """What the bank pays and collects, in whole parts of a stake."""
        rules, stake = self.rules, lcm(*(pay.denominator for pay in self.pays))
        win, full, royal = (int(pay * stake) for pay in self.pays)
        collected = (rules.bank_collects, rules.bank_collects_from_seven_and_a_half)
        return BankNets(stake, win, full, royal, *(units * stake for units in collected))

    def compiled(self, sees: BankSees) -> bool:
        """Tells whether it draws, by the compiled code; its plain twin is :meth:`draws`."""
        # Only those who ask need what compiles.
        from certify.families.free_bank.open_cards_kernel import draws

        return draws(self, sees)

    def draws(self, hand: Cards, table: Sequence[OpenSeat], given_up: int = -1) -> bool:
        """Tells whether it draws on a hand.

        Args:
            hand: Its hand by class.
            table: What lies open of every seat.
            given_up: Card that it swapped away, -1 for none.
        """
        unseen = self.unseen(hand, table, given_up)
        if not sum(unseen):
            return False
        worth = self._worth(table, unseen)
        further = _Further(worth, unseen)
        return further.of_drawing(hand, self.rules) > worth[end_of(hand, self.rules)]

    def unseen(self, hand: Cards, table: Sequence[OpenSeat], given_up: int) -> list[int]:
        """Returns how many cards of each class are not in sight; cards shuffled again are counted where they lie."""
        unseen = list(self.rules.deck)
        seen = [*hand, *(card for seat in table for one in seat.hands for card in one.cards)]
        for card in (*seen, *((given_up,) if given_up >= 0 else ())):
            unseen[card] = max(unseen[card] - 1, 0)
        return unseen

    def _worth(self, table: Sequence[OpenSeat], unseen: Sequence[int]) -> list[int]:
        """Returns what the bank wins of all seats together for each end of its hand, in grains."""
        worth = [0] * ENDS
        for seat in table:
            for hand in seat.hands:
                if hand.end is HandEnd.BUST:
                    continue
                believed = self._believed(hand, unseen)
                weighs = sum(weight for _, weight in believed)
                for end in range(ENDS) if weighs else ():
                    won = sum(self._won(theirs, end) * weight for theirs, weight in believed)
                    worth[end] += won * GRAIN // weighs
        return worth

    def _believed(self, hand: OpenHand, unseen: Sequence[int]) -> list[tuple[int, int]]:
        """Returns the ends that a hand may have, each with the cards not in sight that make it."""
        if hand.first_shown:
            return [(end_of(hand.cards, self.rules), 1)]
        whole = [((card, *hand.cards), there) for card, there in enumerate(unseen) if there]
        below = [(cards, there) for cards, there in whole if total(cards) < SEVEN_AND_A_HALF]
        fitting = [(cards, there) for cards, there in below if self._fits(cards)]
        # A seat that plays otherwise than believed may hold anything below 7½.
        return [(total(cards), there) for cards, there in fitting or below]

    def _fits(self, cards: Cards) -> bool:
        """Tells whether a seat that stands on the believed total stands here and not before."""
        before = (total(cards[:count]) for count in range(1, len(cards)))
        return total(cards) >= self.least and all(points < self.least for points in before)

    def _won(self, theirs: int, end: int) -> int:
        """Returns what the bank wins of a hand that did not exceed 7½, in whole parts of a stake."""
        nets, has_it = self.nets, end in (SEVEN_AND_A_HALF, ROYAL)
        if theirs == ROYAL:
            return nets.collects_from_full if end == ROYAL else -nets.royal
        if theirs == SEVEN_AND_A_HALF:
            return nets.collects_from_full if has_it else -nets.full
        if has_it:
            return nets.collects
        return nets.stake if end != OVER and end >= theirs else -nets.win


def end_of(hand: Cards, rules: FreeBankRules) -> int:
    """Returns how a hand ends if nothing is drawn to it.

    >>> end_of((6, 7), FreeBankRules(reale=True)), end_of((6, 4), FreeBankRules())
    (16, 17)
    """
    points = total(hand)
    if points > SEVEN_AND_A_HALF:
        return OVER
    return ROYAL if points == SEVEN_AND_A_HALF and rules.reale and is_reale(hand) else points


class _Further:
    """What drawing on brings, each card drawn like the next one: by plain total, without a matta and with one."""

    def __init__(self, worth: Sequence[int], unseen: Sequence[int]) -> None:
        self.worth, self.unseen = worth, unseen
        best: list[list[int]] = [[0] * SEVEN_AND_A_HALF, [0] * SEVEN_AND_A_HALF]
        self.best = best
        for matta in (1, 0):
            for plain in reversed(range(SEVEN_AND_A_HALF)):
                end = _end(plain, matta)
                goes_on = (
                    worth[end] if end == SEVEN_AND_A_HALF else max(worth[end], self._drawn(plain, matta))
                )
                best[matta][plain] = goes_on

    def of_drawing(self, hand: Cards, rules: FreeBankRules) -> int:
        """Returns what drawing on a hand brings, in grains."""
        matta = int(CLASS_MATTA in hand)
        plain = sum(POINTS[card] for card in hand if card != CLASS_MATTA)
        if len(hand) > 1 or not rules.reale:
            return self._drawn(plain, matta)
        # A second card may make a reale, which no later one does.
        brought, cards = 0, 0
        for card, there in self._to_come(matta):
            longer = (*hand, card)
            points = plain + (POINTS[card] if card != CLASS_MATTA else 0)
            royal = end_of(longer, rules) == ROYAL
            worth = self.worth[ROYAL] if royal else self._after(points, matta or card == CLASS_MATTA)
            brought, cards = brought + there * worth, cards + there
        return brought // cards if cards else self.worth[end_of(hand, rules)]

    def _drawn(self, plain: int, matta: int) -> int:
        brought, cards = 0, 0
        for card, there in self._to_come(matta):
            points = plain + (POINTS[card] if card != CLASS_MATTA else 0)
            brought += there * self._after(points, matta or card == CLASS_MATTA)
            cards += there
        return brought // cards if cards else self.worth[_end(plain, matta)]

    def _after(self, plain: int, matta: bool | int) -> int:
        return self.best[int(matta)][plain] if plain < SEVEN_AND_A_HALF else self.worth[_end(plain, matta)]

    def _to_come(self, matta: int) -> Iterator[tuple[int, int]]:
        for card in range(len(CLASSES)):
            if self.unseen[card] and not (matta and card == CLASS_MATTA):
                yield card, self.unseen[card]


def _end(plain: int, matta: bool | int) -> int:
    """Returns the end of a hand of some plain half points, beside a matta or not."""
    if not matta:
        return plain if plain <= SEVEN_AND_A_HALF else OVER
    if plain >= SEVEN_AND_A_HALF:
        return OVER
    return SEVEN_AND_A_HALF if plain % 2 or plain == SEVEN_AND_A_HALF - 1 else SEVEN_AND_A_HALF - 1
