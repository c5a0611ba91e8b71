"""Strategies as charts that a person can play from: a line for what is open, and single hands that go before it.

Both charts are looked up from the special to the general. What a chart leaves out falls to its last line, so every
chart is complete.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final

from certify.errors import InputError
from certify.families.free_bank.rules import total
from certify.families.free_bank.strategy import (
    HIT,
    SPLIT,
    STAND,
    STAY,
    SWAP,
    BankSees,
    Cards,
    Chances,
    HandEnd,
    OpenSeat,
    PlayerSees,
    Sees,
)
from certify.families.seven_and_a_half.cards import CLASS_FACE, SEVEN_AND_A_HALF

NEVER, ALWAYS = Fraction(0), Fraction(1)


@dataclass(frozen=True, slots=True)
class ChartLine:
    """How the bank plays against what is open.

    Args:
        least: Total from which it stands, in half points.
        totals: (Total, chance of drawing) where that is not so.
        draws: (Own hand sorted by class, -1, chance of drawing) for single hands.
        swaps: Nothing: a bank that may swap is counted and plays by no chart. Digests of strategies hold the field.
    """

    least: int
    totals: tuple[tuple[int, Fraction], ...] = ()
    draws: tuple[tuple[Cards, int, Fraction], ...] = ()
    swaps: tuple[()] = ()

    def hit(self, hand: Cards) -> Fraction:
        """Returns the chance of drawing on a hand."""
        single = {cards: chance for cards, _, chance in self.draws}
        return single[hand] if hand in single else self.hit_on(total(hand))

    def hit_on(self, points: int) -> Fraction:
        """Returns the chance of drawing on a total where the hand is not one of the single ones."""
        return dict(self.totals).get(points, ALWAYS if points < self.least else NEVER)

    def chances(self, sees: BankSees, options: Sequence[str]) -> Chances:
        """Returns the chance of each option on the bank's own hand."""
        return spread(self.hit(sees.hand) if HIT in options else NEVER, NEVER)


SHOWN: Final = ChartLine(SEVEN_AND_A_HALF)
"""Against a hand of 7½ everything but 7½ loses: the bank draws until it has it."""


@dataclass(frozen=True, slots=True)
class OpenTotal:
    """What a general line of the bank's chart looks at.

    Args:
        swapped: Whether the seat swapped its first card.
        total: Total of its open cards in half points, 0 where it stood on its first card.
    """

    swapped: bool
    total: int


@dataclass(frozen=True, slots=True)
class Lying:
    """What a special line of the bank's chart looks at.

    Args:
        cards: Open cards of the seat in the order dealt; of a hand of 7½ all its cards.
        swapped: Whether the seat swapped its first card.
        shown: Whether it is a hand of 7½, which shows its first card.
    """

    cards: Cards
    swapped: bool = False
    shown: bool = False


@dataclass(frozen=True)
class BankChart:
    """How the bank plays against one seat, by what is open.

    Args:
        name: Name, as on the command line.
        looks_at: What it looks at.
        otherwise: The line where no other holds; against several hands of one seat it holds too.
        by_total: General lines by what the open cards add up to.
        by_cards: Lines for just these cards.
    """

    name: str
    looks_at: str
    otherwise: ChartLine
    by_total: tuple[tuple[OpenTotal, ChartLine], ...] = ()
    by_cards: tuple[tuple[Lying, ChartLine], ...] = ()

    @cached_property
    def _totals(self) -> Mapping[OpenTotal, ChartLine]:
        return dict(self.by_total)

    @cached_property
    def _cards(self) -> Mapping[Lying, ChartLine]:
        return dict(self.by_cards)

    @cached_property
    def _hash(self) -> int:
        return hash((self.name, self.looks_at, self.otherwise, self.by_total, self.by_cards))

    def __hash__(self) -> int:
        """Returns the hash of all lines, computed once."""
        return self._hash

    def line(self, seat: OpenSeat | None) -> ChartLine:
        """Returns the line that holds against a seat; the last one where the bank looks at nothing."""
        if seat is None or len(seat.hands) != 1:
            return self.otherwise
        hand = seat.hands[0]
        shown = hand.end is HandEnd.SEVEN_AND_A_HALF
        found = self._cards.get(Lying(hand.cards, seat.swapped, shown))
        if found is None and shown:
            return SHOWN
        if found is None:
            found = self._totals.get(OpenTotal(seat.swapped, total(hand.cards)))
        return self.otherwise if found is None else found

    def chances(self, sees: Sees, options: Sequence[str]) -> Chances:
        """Returns the chance of each option.

        Raises:
            InputError: It was used as a player, or for several seats.
        """
        if not isinstance(sees, BankSees) or len(sees.table) > 1:
            raise InputError(f"chart {self.name!r} is a bank's against one seat, and got {sees}")
        return self.line(sees.table[0] if sees.table else None).chances(sees, options)

    def table(self) -> object:
        """Returns all lines, sorted."""
        return {
            "otherwise": repr(self.otherwise),
            "by_total": sorted(map(repr, self.by_total)),
            "by_cards": sorted(map(repr, self.by_cards)),
        }


@dataclass(frozen=True, slots=True)
class OwnHandBank:
    """How a bank plays that looks at its own hand alone.

    Args:
        name: Name, as on the command line.
        plays: The line by which it plays, whatever is open.
        looks_at: What it looks at.
    """

    name: str
    plays: ChartLine
    looks_at: str = "own hand alone"

    def line(self, seat: OpenSeat | None) -> ChartLine:
        """Returns the one line."""
        del seat
        return self.plays

    def chances(self, sees: Sees, options: Sequence[str]) -> Chances:
        """Returns the chance of each option.

        Raises:
            InputError: It was used as a player.
        """
        if not isinstance(sees, BankSees):
            raise InputError(f"{self.name!r} is a bank's strategy, and got {sees}")
        return self.plays.chances(sees, options)

    def table(self) -> object:
        """Returns the line."""
        return repr(self.plays)


@dataclass(frozen=True, slots=True)
class OwnTotal:
    """What a general line of a player's chart looks at.

    Args:
        swapped: Whether the first card was swapped.
        hidden: Class of the hidden card.
        open: Total of the open cards in half points, 0 for none.
    """

    swapped: bool
    hidden: int
    open: int


@dataclass(frozen=True)
class PlayerChart:
    """How a player plays one seat, by the hidden card and the open ones.

    Args:
        name: Name, as on the command line.
        looks_at: What it looks at.
        least: Total from which it stands where no line holds, in half points.
        by_total: General lines: chance of drawing.
        by_cards: (Card swapped away or -1, cards in the order dealt, the hidden one first) with the chance of drawing.
        swaps: (First card, chance of swapping it); 0 where left out.
        splits: (Hands of the seat before it, chance of splitting a further face off); 0 where left out.
    """

    name: str
    looks_at: str
    least: int
    by_total: tuple[tuple[OwnTotal, Fraction], ...] = ()
    by_cards: tuple[tuple[tuple[int, Cards], Fraction], ...] = ()
    swaps: tuple[tuple[int, Fraction], ...] = ()
    splits: tuple[tuple[int, Fraction], ...] = ()

    @cached_property
    def _totals(self) -> Mapping[OwnTotal, Fraction]:
        return dict(self.by_total)

    @cached_property
    def _cards(self) -> Mapping[tuple[int, Cards], Fraction]:
        return dict(self.by_cards)

    @cached_property
    def _hash(self) -> int:
        known = (self.name, self.looks_at, self.least, self.by_total, self.by_cards, self.swaps, self.splits)
        return hash(known)

    def __hash__(self) -> int:
        """Returns the hash of all lines, computed once."""
        return self._hash

    def hit(self, cards: Cards, given_up: int = -1) -> Fraction:
        """Returns the chance of drawing on a hand, the hidden card first."""
        found = self._cards.get((given_up, cards))
        if found is None:
            found = self._totals.get(OwnTotal(given_up >= 0, cards[0], total(cards[1:])))
        return Fraction(total(cards) < self.least) if found is None else found

    def chances(self, sees: Sees, options: Sequence[str]) -> Chances:
        """Returns the chance of each option.

        Raises:
            InputError: It was used as a bank.
        """
        if not isinstance(sees, PlayerSees):
            raise InputError(f"chart {self.name!r} is a player's, and got {sees}")
        own = sees.own
        if SPLIT in options:
            split = dict(self.splits).get(len(own.hands), NEVER)
            return tuple(pair for pair in ((STAY, 1 - split), (SPLIT, split)) if pair[1])
        swap = dict(self.swaps).get(own.hand[0], NEVER) if SWAP in options else NEVER
        hit = self.hit(own.hand, own.given_up) if HIT in options else NEVER
        return spread(hit, swap)

    def table(self) -> object:
        """Returns all lines, sorted."""
        return {
            "least": self.least,
            "by_total": sorted(map(repr, self.by_total)),
            "by_cards": sorted(map(repr, self.by_cards)),
            "swaps": sorted(map(repr, self.swaps)),
            "splits": sorted(map(repr, self.splits)),
        }


@dataclass(frozen=True)
class SplitChart:
    """How a player plays who splits first faces: a chart for one hand, and decisions by the own cards for several.

    Args:
        name: Name, as on the command line.
        looks_at: What it looks at.
        one: How it plays while it has one hand.
        splits: Numbers of hands before it with which a further face is split off.
        stands: Numbers of hands with which a single first face stands.
        several: (Hands that wait, total of the hand, all own cards by class) where, with several hands, it does not
            draw below the everyday total or stand from it on.
    """

    name: str
    looks_at: str
    one: PlayerChart
    splits: frozenset[int]
    stands: frozenset[int]
    several: frozenset[tuple[int, int, tuple[int, ...]]]

    def chances(self, sees: Sees, options: Sequence[str]) -> Chances:
        """Returns the one option that it takes.

        Raises:
            InputError: It was used as a bank.
        """
        if not isinstance(sees, PlayerSees):
            raise InputError(f"chart {self.name!r} is a player's, and got {sees}")
        own = sees.own
        if SPLIT in options:
            return ((SPLIT if len(own.hands) in self.splits else STAY, ALWAYS),)
        if len(own.hands) == 1:
            return self.one.chances(sees, options)
        waiting = len(own.hands) - 1 - own.playing
        if own.playing == 0 and own.hand == (CLASS_FACE,):
            hits = len(own.hands) not in self.stands
        else:
            cards = [card for hand in own.hands for card in hand]
            gone = tuple(cards.count(card) for card in range(CLASS_FACE + 1))
            points = total(own.hand)
            hits = (points < self.one.least) != ((waiting, points, gone) in self.several)
        return ((HIT if hits and HIT in options else STAND, ALWAYS),)

    def table(self) -> object:
        """Returns all decisions, sorted."""
        return {
            "one": self.one.table(),
            "splits": sorted(self.splits),
            "stands": sorted(self.stands),
            "several": sorted(self.several),
        }


def spread(hit: Fraction, swap: Fraction) -> Chances:
    """Returns the chances of standing, drawing once a swap was not made, and swapping.

    >>> spread(Fraction(1), Fraction(1, 4))
    (('hit', Fraction(3, 4)), ('swap', Fraction(1, 4)))
    """
    kept = 1 - swap
    chances = ((STAND, kept * (1 - hit)), (HIT, kept * hit), (SWAP, swap))
    return tuple((option, chance) for option, chance in chances if chance)
