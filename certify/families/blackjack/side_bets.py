"""Side bets of blackjack, decided by the first cards: their rows, how cards fall in them, and exact chances."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from typing import Final

from certify.by_key import summed
from certify.errors import InputError, require_known
from certify.families.blackjack.rules import (
    LOSE,
    LUCKY_LADIES,
    PERFECT_PAIRS,
    SPADE_SEVENS,
    SUITED_SEVENS,
    TWENTY_ONE_THREE,
)
from certify.model import FRENCH_RANKS, Equipment, Game

Counts = tuple[int, ...]
"""Cards by value: aces, twos, ..., nines, all cards that count ten."""

VALUES: Final = 10
ACE, TEN = 0, 9
"""Places of aces and of cards that count ten among the values."""

VALUE_NAMES: Final = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10")
"""Names of the values, in the order of their places; all that count ten are ``10``."""


def value_of(face: str) -> int:
    """Returns the place of the value of a card, named ``K of hearts`` or by its rank alone.

    Raises:
        InputError: The card has no French rank.

    >>> value_of("A of hearts"), value_of("2 of clubs"), value_of("10"), value_of("K of spades")
    (0, 1, 9, 9)
    """
    rank = face.partition(" of ")[0]
    if rank not in FRENCH_RANKS:
        raise InputError(f"{face!r} is no card of this game: expected one of {', '.join(FRENCH_RANKS)}")
    return min(FRENCH_RANKS.index(rank), TEN)


def counts_of(piece: Equipment) -> Counts:
    """Returns how many cards of each value a shoe holds; of an endless deck, how many of its stops.

    >>> from certify.model.equipment import FRENCH_SUITS, shoe
    >>> counts_of(shoe("shoe", FRENCH_RANKS, FRENCH_SUITS, decks=6))
    (24, 24, 24, 24, 24, 24, 24, 24, 24, 96)
    """
    counts = summed(zip(map(value_of, piece.faces), piece.copies, strict=True))
    return tuple(counts.get(value, 0) for value in range(VALUES))


def total_of(hand: Counts) -> tuple[int, bool]:
    """Returns what a hand counts, and whether an ace in it counts eleven.

    >>> total_of((1, 0, 0, 0, 0, 1, 0, 0, 0, 0)), total_of((1, 0, 0, 0, 0, 1, 0, 0, 0, 1))
    ((17, True), (17, False))
    """
    low = sum((place + 1) * count for place, count in enumerate(hand))
    return (low + 10, True) if hand[ACE] and low <= 11 else (low, False)


def hand_name(hand: Counts) -> str:
    """Returns a hand as players name it, the lowest card first.

    >>> hand_name((1, 0, 0, 0, 0, 2, 0, 0, 0, 0))
    'A-6-6'
    """
    return "-".join(VALUE_NAMES[place] for place, count in enumerate(hand) for _ in range(count))


@dataclass(frozen=True, slots=True)
class Seen:
    """What a player sees when something is decided.

    Two decisions are equal to every strategy where all of this is equal: what other hands of the same round hold is
    not looked at ("zero memory").

    Args:
        up: Place of the value of the dealer's open card.
        hand: The hand by value.
        pair: Whether the hand is two cards that may be split by their ranks, whether or not another hand is allowed.
        split: Whether the hand came of a split.
    """

    up: int
    hand: Counts
    pair: bool = False
    split: bool = False

    def __str__(self) -> str:
        """Returns the hand and the open card in one line."""
        return (
            f"{hand_name(self.hand)}{' after a split' if self.split else ''} against {VALUE_NAMES[self.up]}"
        )


SIDE_BETS: Final = (PERFECT_PAIRS, TWENTY_ONE_THREE, LUCKY_LADIES)
"""Ids of the side bets."""

PERFECT: Final = "perfect-pair"
COLOURED: Final = "coloured-pair"
MIXED: Final = "mixed-pair"

SUITED_THREE: Final = "suited-three-of-a-kind"
STRAIGHT_FLUSH: Final = "straight-flush"
THREE: Final = "three-of-a-kind"
STRAIGHT: Final = "straight"
FLUSH: Final = "flush"

QUEENS_AND_NATURAL: Final = "queens-of-hearts-and-dealer-natural"
QUEENS: Final = "queens-of-hearts"
MATCHED: Final = "matched-twenty"
SUITED: Final = "suited-twenty"
TWENTY: Final = "any-twenty"

ROWS: Final[Mapping[str, tuple[str, ...]]] = {
    PERFECT_PAIRS: (PERFECT, COLOURED, MIXED),
    TWENTY_ONE_THREE: (SUITED_THREE, STRAIGHT_FLUSH, THREE, STRAIGHT, FLUSH),
    LUCKY_LADIES: (QUEENS_AND_NATURAL, QUEENS, MATCHED, SUITED, TWENTY),
}
"""Rows of each side bet from the highest to the lowest: a deal is paid by the first that it fits and that is paid."""

_RED: Final = ("diamonds", "hearts")
_EQUAL_CARDS: Final = {
    **dict.fromkeys((PERFECT, QUEENS_AND_NATURAL, QUEENS, MATCHED), 2),
    **dict.fromkeys((SUITED_THREE, SUITED_SEVENS, SPADE_SEVENS), 3),
}
"""How many equal cards a row needs, of those that need any."""

Card = tuple[int, str]
"""Place of the rank in FRENCH_RANKS, and suit."""


def card_of(face: str) -> Card:
    """Returns the card that a face names.

    >>> card_of("10 of spades")
    (9, 'spades')
    """
    rank, _, suit = face.partition(" of ")
    return FRENCH_RANKS.index(rank), suit


def fits(wager: str, first: Card, second: Card, up: Card, *, natural: bool) -> tuple[str, ...]:
    """Returns every row of a side bet that a deal fits, the highest first.

    Args:
        wager: Id of the side bet.
        first: The player's first card.
        second: The player's second card.
        up: The dealer's card that is open.
        natural: Whether the dealer's two cards are a natural.

    >>> fits("perfect-pairs", (11, "hearts"), (11, "diamonds"), (0, "clubs"), natural=False)
    ('coloured-pair', 'mixed-pair')
    """
    if wager == PERFECT_PAIRS:
        return _pair(first, second)
    return _three(first, second, up) if wager == TWENTY_ONE_THREE else _twenty(first, second, natural=natural)


def _pair(first: Card, second: Card) -> tuple[str, ...]:
    if first[0] != second[0]:
        return ()
    coloured = (first[1] in _RED) == (second[1] in _RED)
    return (*((PERFECT,) if first == second else ()), *((COLOURED,) if coloured else ()), MIXED)


def _three(*cards: Card) -> tuple[str, ...]:
    ranks = sorted(rank for rank, _ in cards)
    flush = len({suit for _, suit in cards}) == 1
    three = ranks[0] == ranks[2]
    # An ace is low before a two and high after a king.
    straight = ranks == [ranks[0], ranks[0] + 1, ranks[0] + 2] or ranks == [0, 11, 12]
    named = ((SUITED_THREE, three and flush), (STRAIGHT_FLUSH, straight and flush), (THREE, three))
    return tuple(row for row, holds in (*named, (STRAIGHT, straight), (FLUSH, flush)) if holds)


def _twenty(first: Card, second: Card, *, natural: bool) -> tuple[str, ...]:
    values = {min(first[0], TEN), min(second[0], TEN)}
    if values not in ({TEN}, {ACE, TEN - 1}):
        return ()
    queens = first == second == (11, "hearts")
    named = ((QUEENS_AND_NATURAL, queens and natural), (QUEENS, queens), (MATCHED, first == second))
    return tuple(row for row, holds in (*named, (SUITED, first[1] == second[1]), (TWENTY, True)) if holds)


def outcome(wager: str, paid: Sequence[str], first: Card, second: Card, up: Card, *, natural: bool) -> str:
    """Returns how a side bet ends: the first row that the deal fits and the paytable names, else lost."""
    return next((row for row in fits(wager, first, second, up, natural=natural) if row in paid), LOSE)


def paid_rows(game: Game, wager: str) -> tuple[str, ...]:
    """Returns the rows of a side bet that its paytable names, the highest first.

    Raises:
        InputError: There is no such side bet.
    """
    require_known(f"no side bet {wager!r}", wager, SIDE_BETS)
    named = {row for one in game.wagers if one.id == wager for row in one.paytable.ids}
    return tuple(row for row in ROWS[wager] if row in named)


def out_of_reach(piece: Equipment, rows: Sequence[str]) -> tuple[str, ...]:
    """Returns the rows for which the shoe lacks the cards, such as three equal cards in two decks."""
    most = piece.supply if piece.replaced else max(piece.copies)
    return tuple(row for row in rows if _EQUAL_CARDS.get(row, 1) > most)


# --- exact chances -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FirstDeals:
    """First deals that are equal to the game itself, with how the side bets end on them.

    Args:
        first: Rank of the player's first card, every rank that counts ten by itself.
        second: Rank of the player's second card.
        up: Place of the value of the dealer's open card.
        chance: Exact probability of the deals.
        ends: For each joint end of the side bets, without and with a dealer's natural, its probability among them.
    """

    first: int
    second: int
    up: int
    chance: Fraction
    ends: Mapping[tuple[tuple[str, ...], tuple[str, ...]], Fraction]

    @property
    def hand(self) -> Counts:
        """The player's two cards by value."""
        values = [min(rank, TEN) for rank in (self.first, self.second)]
        return tuple(map(values.count, range(VALUES)))


_TwoEnds = tuple[tuple[str | None, ...], tuple[str | None, ...]]
"""How side bets end that look at two cards, without and with a dealer's natural; none where three are looked at."""


def first_deals(game: Game) -> tuple[FirstDeals, ...]:
    """Returns all first deals with how the side bets of a game end on them."""
    wagers = tuple((one.id, paid_rows(game, one.id)) for one in game.wagers if one.id in ROWS)
    return _first_deals(game.equipment[0], wagers)


@lru_cache(maxsize=8)
def _first_deals(piece: Equipment, wagers: tuple[tuple[str, tuple[str, ...]], ...]) -> tuple[FirstDeals, ...]:
    @cache
    def of_three(*cards: Card) -> str:
        return outcome(TWENTY_ONE_THREE, dict(wagers)[TWENTY_ONE_THREE], *cards, natural=False)

    def of_two(first: Card, second: Card, natural: bool) -> tuple[str | None, ...]:
        return tuple(
            None if wager == TWENTY_ONE_THREE else outcome(wager, paid, first, second, first, natural=natural)
            for wager, paid in wagers
        )

    grouped: dict[tuple[int, int, int], Counter[tuple[_TwoEnds, str | None]]] = defaultdict(Counter)
    looked, whole = TWENTY_ONE_THREE in dict(wagers), 0
    for weight, first, second, ups in _pairs(piece):
        # Only one bet looks at the open card, in whatever order the three come; only another at the dealer's natural.
        two = of_two(first, second, False), of_two(first, second, True)
        for up, left in ups:
            three = of_three(*sorted((first, second, up))) if looked else None
            grouped[first[0], second[0], min(up[0], TEN)][two, three] += weight * left
            whole += weight * left
    return tuple(
        FirstDeals(
            *key,
            Fraction(sum(ends.values()), whole),
            {_joined(*end): Fraction(weight, sum(ends.values())) for end, weight in ends.items()},
        )
        for key, ends in grouped.items()
    )


def _joined(two: _TwoEnds, three: str | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Returns how all side bets end, without and with a dealer's natural: one of them looks at three cards."""
    without, with_natural = (tuple(one or three or LOSE for one in ends) for ends in two)
    return without, with_natural


def _pairs(piece: Equipment) -> Iterator[tuple[int, Card, Card, list[tuple[Card, int]]]]:
    """Yields the player's first two cards with the ways in which they come, and every open card with as many."""
    cards, left = [card_of(face) for face in piece.faces], list(piece.copies)
    taken = 0 if piece.replaced else 1
    for one, first in enumerate(cards):
        ways = left[one]
        left[one] -= taken
        for two, second in enumerate(cards):
            both = ways * left[two]
            left[two] -= taken
            if both:
                yield both, first, second, [entry for entry in zip(cards, left, strict=True) if entry[1]]
            left[two] += taken
        left[one] += taken
