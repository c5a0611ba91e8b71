"""How strong hands are: three cards, and the best five of five to seven, wild cards included.

A strength is one whole number: the kind of the hand, then the ranks that decide among hands of a kind, those held
most often before the others. The greater one wins, equal ones tie. :mod:`certify.analysis.hands.strength_bits` is
the compiled twin.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations, combinations_with_replacement
from typing import Final

import numpy as np
from numpy.typing import NDArray

from certify.errors import InputError
from certify.model import FRENCH_RANKS, FRENCH_SUITS, Equipment, Game, Kind, shoe

RANKS: Final = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
"""Ranks from low to high; an ace may be low too, in a straight."""

WILD: Final = -1
"""In place of a rank: a card that counts as any card."""

NATURAL: Final = 52
"""Bits of a hand that are cards; those above are wild ones."""

Card = tuple[int, int]
"""Place of the rank in RANKS, and number of the suit; (WILD, 0) is a wild card."""


@dataclass(frozen=True, slots=True)
class CountedDeck:
    """The cards by face.

    Args:
        cards: Rank and suit of the card of each face.
        suits: Number of suits.
    """

    cards: tuple[Card, ...]
    suits: int

    @property
    def size(self) -> int:
        """Number of cards."""
        return len(self.cards)

    @property
    def wilds(self) -> int:
        """Number of wild cards."""
        return sum(rank == WILD for rank, _ in self.cards)

    def of(self, faces: Sequence[int]) -> tuple[Card, ...]:
        """Returns the cards of some faces, in their order."""
        return tuple(self.cards[face] for face in faces)


def bits_of(deck: CountedDeck) -> NDArray[np.int64]:
    """Returns the bit of every face, int64[cards]: rank and suit of a card, or which of the wild cards it is.

    >>> [bit.bit_length() - 1 for bit in bits_of(CountedDeck(((0, 0), (12, 3), (WILD, 0)), 4)).tolist()]
    [0, 51, 52]
    """
    bits, wild = [], NATURAL
    for rank, suit in deck.cards:
        bits.append(1 << (wild if rank == WILD else 13 * suit + rank))
        wild += rank == WILD
    return np.array(bits, dtype=np.int64)


@lru_cache(maxsize=32)
def deck_of_piece(piece: Equipment, wild_rank: str = "") -> CountedDeck:
    """Returns the deck that a piece of equipment is; faces without a suit are wild, and every card of one rank."""
    cards = []
    for name in piece.faces:
        rank, of, suit = name.partition(" of ")
        wild = not of or rank == wild_rank
        cards.append((WILD, 0) if wild else (RANKS.index(rank), piece.suits.index(suit)))
    return CountedDeck(tuple(cards), len(piece.suits))


def smaller(game: Game, sizes: Sequence[tuple[str, int]]) -> Iterator[Game]:
    """Yields the game dealt from fewer cards.

    Args:
        game: The submission.
        sizes: Ranks apart by spaces, and the number of suits, of each deck.
    """
    (piece,) = game.equipment
    for ranks, suits in sizes:
        yield replace(game, equipment=(shoe(piece.id, ranks.split(), piece.suits[:suits]),))


def not_whole(equipment: tuple[Equipment, ...]) -> str:
    """Returns what is wrong with the equipment of a game dealt from one deck of 52 cards, nothing where it serves."""
    if [piece.kind for piece in equipment] == [Kind.SHOE]:
        (deck,) = equipment
        whole = sorted(deck.ranks) == sorted(FRENCH_RANKS) and sorted(deck.suits) == sorted(FRENCH_SUITS)
        if whole and deck.size == len(deck.faces) == 52:
            return ""
    return (
        "this family is dealt from one deck of 52 cards: expected one piece of the kind shoe with one deck, "
        f"ranks {', '.join(FRENCH_RANKS)}, suits {', '.join(FRENCH_SUITS)}"
    )


def label(own: Sequence[Card], opened: Sequence[Card] = ()) -> str:
    """Returns what a player sees: cards from the highest, suits renamed a, b, c, d by what is held of them.

    >>> label([(10, 3), (2, 0), (4, 3)]), label([(5, 1), (5, 2), (12, 2)])
    ('Qa 6a 4b', 'Aa 7a 7b')
    >>> label([(12, 3), (11, 0), (6, 3), (4, 1), (2, 1)], [(6, 1)])
    'Aa Kb 8a 6c 4c / 8c'
    """
    held: dict[int, tuple[int, int]] = {}
    for place, cards in enumerate((own, opened)):
        for rank, suit in cards:
            ranks = held.get(suit, (0, 0))
            held[suit] = (ranks[0] | 1 << rank, ranks[1]) if place == 0 else (ranks[0], ranks[1] | 1 << rank)
    letters = dict(zip(sorted(held, key=lambda suit: held[suit], reverse=True), "abcd", strict=False))
    named = (sorted((-rank, letters[suit]) for rank, suit in cards) for cards in (own, opened) if cards)
    return " / ".join(" ".join(f"{RANKS[-rank]}{letter}" for rank, letter in cards) for cards in named)


@lru_cache(maxsize=65536)
def labelled(text: str) -> tuple[tuple[Card, ...], ...]:
    """Returns the cards of a label: the player's, and those that lie open where some do.

    >>> labelled("Qa 10a 4b")
    (((10, 0), (8, 0), (2, 1)),)
    >>> labelled("Aa Kb 8a 6c 4c / 8c")[1]
    ((6, 2),)
    """
    return tuple(
        tuple((RANKS.index(card[:-1]), "abcd".index(card[-1])) for card in cards.split(" "))
        for cards in text.split(" / ")
    )


def falling(text: str, most: int, source: str, like: str) -> tuple[int, ...]:
    """Returns ranks that fall, such as ``A-K-J-8-3``, as places in RANKS.

    Args:
        text: The ranks.
        most: How many there may be.
        source: What states them, for messages.
        like: What would state some.

    Raises:
        InputError: They are no such ranks.

    >>> falling("Q-6-4", 3, "the rule", "Q-6-4")
    (10, 4, 2)
    """
    ranks = text.split("-")
    places = tuple(RANKS.index(rank) for rank in ranks if rank in RANKS)
    if len(places) != len(ranks) or len(ranks) > most or list(places) != sorted(set(places), reverse=True):
        raise InputError(f'"{source}": expected up to {most} ranks that fall, such as {like}')
    return places


SHIFT: Final = 26
"""Bits below the kind of a hand in its strength."""

(
    HIGH,
    PAIR,
    TWO_PAIR,
    THREE,
    STRAIGHT,
    FLUSH,
    FULL_HOUSE,
    FOUR,
    STRAIGHT_FLUSH,
    FIVE,
    ROYAL,
) = range(11)
KINDS: Final = 11
"""Kinds of five cards; a royal flush is the highest straight flush, five of a kind needs a wild card."""

THREE_PAIR, THREE_FLUSH, THREE_STRAIGHT, THREE_OF_THREE, THREE_STRAIGHT_FLUSH, MINI_ROYAL = range(1, 7)
"""Kinds of three cards above HIGH, from the lowest; a mini royal is the highest straight flush."""

TITLES: Final = (
    *("high card", "pair", "two pair", "three of a kind", "straight", "flush", "full house"),
    *("four of a kind", "straight flush", "five of a kind", "royal flush"),
)
"""Kinds of five cards in words."""

THREE_TITLES: Final = (
    *("high", "pair", "flush", "straight", "three of a kind", "straight flush", "straight flush"),
)
"""Kinds of three cards in words; a mini royal is a straight flush."""


ROWS: Final = (
    (),
    *((title.replace(" ", "-"),) for title in TITLES[1:-1]),
    ("royal-flush", "straight-flush"),
)
"""Rows by which each kind of five cards may be paid, the highest first: a royal flush also as a straight flush."""


def ranks_that_decide(strength: int) -> tuple[int, int]:
    """Returns the ranks held most often and the others of a strength that goes by ranks, each as bits.

    >>> ranks_that_decide(PAIR << SHIFT | 1 << 13 + 9 | 0b111)
    (512, 7)
    """
    return strength >> 13 & 8191, strength & 8191


_ACE: Final = 12
_RANKS: Final = 13


@dataclass(frozen=True, slots=True)
class HandKinds:
    """Kinds of hands from the lowest, and of how many cards they are.

    Args:
        cards: Cards of a hand; of more the best are taken.
        kinds: Names of the kinds, the lowest first.
        wild: Ranks whose cards stand for any card, as jokers do.
        bug: Whether such a card stands for an ace, unless it completes a straight or a flush.
    """

    cards: int
    kinds: tuple[str, ...]
    wild: tuple[str, ...] = ()
    bug: bool = False

    @property
    def go_by_suits(self) -> bool:
        """Whether some kind is of one suit."""
        return any("flush" in kind or "royal" in kind for kind in self.kinds)


HIGH_CARD: Final = "high-card"
_ALL: Final = tuple(title.replace(" ", "-") for title in TITLES)
_FIVE: Final = tuple(kind for kind in _ALL if kind != "five-of-a-kind")
_FOUR: Final = (
    HIGH_CARD, "pair", "two-pair", "straight", "flush", "three-of-a-kind", "straight-flush", "four-of-a-kind",
)  # fmt: skip
_THREE: Final = (HIGH_CARD, "pair", "flush", "straight", "three-of-a-kind", "straight-flush", "mini-royal")

ORDERS: Final = {
    "three-card": HandKinds(3, _THREE), "four-card": HandKinds(4, _FOUR), "five-card": HandKinds(5, _FIVE),
}  # fmt: skip
"""Rankings that need not be stated; a mini royal is a suited ace, king and queen."""

_TOOLKIT: Final = HandKinds(5, _ALL)
IN_A_ROW: Final = ("straight", "straight-flush", "mini-royal", "royal-flush")
"""Kinds among which the highest card decides."""

_SHAPES: Final = {
    (5,): "five-of-a-kind", (4,): "four-of-a-kind", (3, 2): "full-house", (3,): "three-of-a-kind",
    (2, 2): "two-pair", (2,): "pair",
}  # fmt: skip


def kinds_of(ranks: Sequence[int], suited: bool) -> Iterator[str]:
    """Yields what some cards are, the most special name first.

    >>> list(kinds_of((10, 11, 12), suited=True))
    ['mini-royal', 'straight-flush', 'straight', 'flush', 'high-card']
    """
    straight = len(ranks) > 1 and run_of(ranks, len(ranks)) >= 0
    if straight and suited:
        if run_of(ranks, len(ranks)) == _ACE and len(ranks) in (3, 5):
            yield "mini-royal" if len(ranks) == 3 else "royal-flush"
        yield "straight-flush"
    shape = tuple(sorted((count for count in Counter(ranks).values() if count > 1), reverse=True))
    if shape in _SHAPES:
        yield _SHAPES[shape]
        if shape == (2, 2):
            yield "pair"
    if straight:
        yield "straight"
    if suited and len(ranks) > 1:
        yield "flush"
    yield HIGH_CARD


@lru_cache(maxsize=1 << 17)
def strength_of(order: HandKinds, ranks: tuple[int, ...], suited: bool) -> int:
    """Returns the strength of a hand: the place of its kind, then the ranks that decide among hands of that kind.

    >>> joker = HandKinds(5, (*ORDERS["five-card"].kinds, "five-of-a-kind"))
    >>> [joker.kinds[strength_of(joker, (WILD, *ranks), False) >> SHIFT] for ranks in ((3, 3, 3, 3), (2, 2, 5, 5))]
    ['five-of-a-kind', 'full-house']
    """
    if WILD in ranks:
        return max(_standing_for(order, ranks, suited))
    kind = max(order.kinds.index(name) for name in kinds_of(ranks, suited) if name in order.kinds)
    if order.kinds[kind] in IN_A_ROW:
        return kind << SHIFT | run_of(ranks, len(ranks))
    return graded(kind, ranks)


def _standing_for(order: HandKinds, ranks: tuple[int, ...], suited: bool) -> Iterator[int]:
    """Yields what a hand with wild cards is worth, these in place of any ranks that they may stand for."""
    natural = [rank for rank in ranks if rank != WILD]
    for others in combinations_with_replacement(range(len(RANKS)), len(ranks) - len(natural)):
        held = tuple(sorted((*natural, *others)))
        # Of one suit no rank comes twice; the wild cards are then of that suit.
        found = strength_of(order, held, suited and len(set(held)) == len(held))
        if not order.bug or {*others} == {_ACE} or order.kinds[found >> SHIFT] in (*IN_A_ROW, "flush"):
            yield found


def best_hand(order: HandKinds, cards: Sequence[tuple[int, int | str]]) -> int:
    """Returns the strength of the best hand that some cards hold; those of no suit make no flush.

    >>> order = ORDERS["three-card"]
    >>> order.kinds[best_hand(order, [(WILD, "")] * 3) >> SHIFT]
    'mini-royal'
    """
    hands = combinations(cards, order.cards)
    return max(strength_of(order, tuple(sorted(rank for rank, _ in hand)), _suited(hand)) for hand in hands)


def three_cards(cards: Sequence[Card]) -> int:
    """Returns the strength of three cards.

    >>> three_cards([(0, 0), (1, 1), (12, 2)]) < three_cards([(0, 0), (1, 1), (2, 2)])
    True
    """
    return best_hand(ORDERS["three-card"], cards)


def best_five(cards: Sequence[Card]) -> int:
    """Returns the strength of the best five of five to seven cards; of exactly five, some may be wild.

    A wild card counts as any card, also one that is held. Five of a kind ranks above a straight flush and below a
    royal flush, wild or not, as paytables of video poker have it.

    >>> best_five([(0, 0), (1, 1), (2, 2), (3, 3), (12, 0)]) >> SHIFT == STRAIGHT
    True
    >>> best_five([(3, 0), (3, 1), (9, 2), (9, 0), (WILD, 0)]) >> SHIFT == FULL_HOUSE
    True
    """
    return best_hand(_TOOLKIT, cards)


def _suited(cards: Sequence[tuple[int, int | str]]) -> bool:
    """Returns whether cards that are not wild are all of one suit, and each of some."""
    suits = {suit for rank, suit in cards if rank != WILD}
    return len(suits) <= 1 and "" not in suits


def run_of(ranks: Collection[int], length: int) -> int:
    """Returns the highest of so many ranks that follow one another, -1 where they do not; an ace may be low."""
    ways = (set(ranks), {-1 if rank == _ACE else rank for rank in ranks})
    runs = (
        held for held in ways if len(held) == len(ranks) == length and max(held) - min(held) == length - 1
    )
    return max(next(runs, {-1}))


def graded(kind: int, ranks: Sequence[int]) -> int:
    """Returns a kind with the ranks held most often, then the others, as bits."""
    counts = Counter(ranks)
    most = max(counts.values())
    often = sum(1 << rank for rank, count in counts.items() if count == most)
    others = sum(1 << rank for rank, count in counts.items() if count < most)
    return kind << SHIFT | (often << _RANKS | others if most > 1 else often)
