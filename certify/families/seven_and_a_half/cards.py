"""Cards of the forty-card Italian deck, their ids and half points, and what submissions state of them.

What is counted are orders of the cards that are still face down. A value of a hand of n cards
is kept as a whole number over (40 - n)!, so that drawing a card adds up whole numbers and nothing is divided
before the very end.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import factorial
from typing import Any, Final

from certify.exact import parse_half_points
from certify.families.port import Problems, RuleReader, TableForm
from certify.model import FRENCH_SUITS as FRENCH_SUITS, Game, Kind

RANKS: Final = ("A", "2", "3", "4", "5", "6", "7", "J", "Q", "K")
SUITS: Final = ("Denari", "Coppe", "Spade", "Bastoni")

DECK_SIZE: Final = len(RANKS) * len(SUITS)

RANK_SEVEN: Final = 6
RANK_FIRST_FACE: Final = 7
RANK_KING: Final = 9
SUIT_DENARI: Final = 0

CLASSES: Final = ("A", "2", "3", "4", "5", "6", "7", "face", "matta")
"""Classes of cards that a total cannot tell apart: faces without the matta are one class."""

CLASS_FACE: Final = 7
CLASS_MATTA: Final = 8


def card_id(rank: int, suit: int) -> int:
    """Returns the id of a card, ``4 * rank + suit``.

    >>> card_id(RANK_KING, SUIT_DENARI)
    36
    """
    return 4 * rank + suit


def rank_of(card: int) -> int:
    """Returns the rank of a card id, 0 for the ace to 9 for the king."""
    return card >> 2


def suit_of(card: int) -> int:
    """Returns the suit of a card id, 0 for Denari to 3 for Bastoni."""
    return card & 3


def card_name(card: int, suits: Sequence[str] = SUITS) -> str:
    """Returns a card as a player calls it.

    Args:
        card: Card id.
        suits: Names of the suits in the order of the ids; the Italian ones where left out.

    >>> card_name(36), card_name(0), card_name(36, FRENCH_SUITS)
    ('K of Denari', 'A of Denari', 'K of diamonds')
    """
    return f"{RANKS[rank_of(card)]} of {suits[suit_of(card)]}"


MATTA: Final = card_id(RANK_KING, SUIT_DENARI)

SEVEN_AND_A_HALF: Final = 15
"""The target of the games in half points."""


Hand = tuple[int, ...]
"""Cards of a hand counted by class, see :data:`certify.families.seven_and_a_half.cards.CLASSES`."""

NO_CARDS: Final[Hand] = (0,) * len(CLASSES)

TYPE_KING: Final = RANK_KING
TYPE_MATTA: Final = RANK_KING + 1
TYPES: Final = ("A", "2", "3", "4", "5", "6", "7", "J", "Q", "K", "matta")
"""Types of cards that no wager can tell apart but by suit: the ranks, and the King of Denari by itself."""

ORDERS: Final = tuple(factorial(cards) for cards in range(DECK_SIZE + 1))
"""Number of orders of 0 to 40 cards."""


def class_of(card: int) -> int:
    """Returns the class of a card id, the index into :data:`certify.families.seven_and_a_half.cards.CLASSES`.

    >>> [class_of(card) for card in (0, 24, 28, 36, 37)]
    [0, 6, 7, 8, 7]
    """
    if card == MATTA:
        return CLASS_MATTA
    return min(rank_of(card), CLASS_FACE)


def type_of(card: int) -> int:
    """Returns the type of a card id, the index into :data:`TYPES`.

    >>> [TYPES[type_of(card)] for card in (0, 28, 36, 37)]
    ['A', 'J', 'matta', 'K']
    """
    return TYPE_MATTA if card == MATTA else rank_of(card)


def plus(hand: Hand, card_class: int) -> Hand:
    """Returns a hand with one more card of a class."""
    return (*hand[:card_class], hand[card_class] + 1, *hand[card_class + 1 :])


def single(card_class: int) -> Hand:
    """Returns the hand of one card of a class."""
    return plus(NO_CARDS, card_class)


def hand_name(hand: Hand) -> str:
    """Returns a hand as a player names it, low cards first.

    >>> hand_name((1, 0, 2, 0, 0, 0, 0, 1, 0))
    'A+3+3+face'
    """
    return "+".join(name for name, held in zip(CLASSES, hand, strict=True) for _ in range(held))


@dataclass(frozen=True)
class ClassDeck:
    """The cards that are dealt from; smaller decks serve to enumerate every deal one by one.

    Args:
        cards: Card ids, each once.
    """

    cards: tuple[int, ...]

    @property
    def size(self) -> int:
        """Number of cards in the deck."""
        return len(self.cards)

    @cached_property
    def class_counts(self) -> Hand:
        """Cards of each class: in the whole deck four of each of A to 7, eleven faces, one matta."""
        classes = Counter(map(class_of, self.cards))
        return tuple(classes[card_class] for card_class in range(len(CLASSES)))

    @cached_property
    def type_counts(self) -> tuple[int, ...]:
        """Cards of each type."""
        types = Counter(map(type_of, self.cards))
        return tuple(types[card_type] for card_type in range(len(TYPES)))

    def rank_count(self, rank: int) -> int:
        """Returns how many cards of a rank there are; the matta is a King."""
        return self.type_counts[rank] + (self.type_counts[TYPE_MATTA] if rank == TYPE_KING else 0)

    def suits_of(self, rank: int) -> frozenset[int]:
        """Returns the suits in which a rank is in the deck."""
        return frozenset(suit_of(card) for card in self.cards if rank_of(card) == rank)

    def left(self, hand: Hand) -> Hand:
        """Returns how many cards of each class are left when a hand is out of the deck."""
        return tuple(total - held for total, held in zip(self.class_counts, hand, strict=True))

    def orders_left(self, hand: Hand, taken: int = 0) -> int:
        """Returns the number of orders of the cards left when a hand and further cards are out of the deck."""
        return ORDERS[self.size - sum(hand) - taken]

    def draws(self, hand: Hand) -> Iterator[tuple[int, int, Hand]]:
        """Yields, for each class still in the deck: the class, its cards left, the hand with one more."""
        for card_class, (total, held) in enumerate(zip(self.class_counts, hand, strict=True)):
            if total > held:
                yield card_class, total - held, plus(hand, card_class)


FULL_DECK: Final = ClassDeck(tuple(range(DECK_SIZE)))
"""All forty cards."""


POINTS: Final[tuple[int, ...]] = (2, 4, 6, 8, 10, 12, 14, 1)
"""Value of each class of cards but the matta, in half points: A to 7, faces."""


def with_matta(plain: int) -> int:
    """Returns the total of the matta next to cards that count so much.

    It takes the value of any other card: it is read as the value that gives the best total not above 7½, and as the
    lowest value where even that one is too much.

    >>> with_matta(1), with_matta(14), with_matta(2), with_matta(18)
    (15, 15, 14, 19)
    """
    fitting = [value for value in POINTS if plain + value <= SEVEN_AND_A_HALF]
    return plain + (max(fitting) if fitting else min(POINTS))


def total(hand: Hand) -> int:
    """Returns the total of a hand, its cards counted by class, in half points.

    >>> total((0, 0, 0, 0, 0, 0, 1, 1, 0)), total((0, 0, 0, 1, 1, 0, 0, 0, 0))
    (15, 18)
    """
    plain = sum(value * held for value, held in zip(POINTS, hand, strict=False))
    return with_matta(plain) if hand[CLASS_MATTA] else plain


def is_first_face(hand: Hand) -> bool:
    """Returns whether a hand is a single face card, the King of Denari included."""
    return sum(hand) == 1 and (hand[CLASS_FACE] == 1 or hand[CLASS_MATTA] == 1)


RANK_VALUES: Final[tuple[tuple[str, int], ...]] = tuple(
    (rank, POINTS[min(index, CLASS_FACE)]) for index, rank in enumerate(RANKS)
)
"""Value of each rank in half points: ace to 7 count their number, a face card counts a half."""


@dataclass(frozen=True, slots=True)
class SubmittedMatta:
    """Table ``[matta]``: the one card that does not always count the value of its rank.

    Args:
        card: The card.
        counts_as: What it may count.
        chosen: Which of these it counts.
    """

    card: str
    counts_as: str
    chosen: str


MATTA_AS_PLAYED: Final = SubmittedMatta(
    card_name(MATTA), "the value of any other card", "best total not above 7½"
)
"""The King of Denari where it is wild."""

MATTA_TABLE: Final[Mapping[str, TableForm]] = {"matta": TableForm(SubmittedMatta, required=True)}


def require_target(read: RuleReader) -> None:
    """Refuses hands that are counted to anything but 7½."""
    read.refuse_where(
        read.points("target", SEVEN_AND_A_HALF) != SEVEN_AND_A_HALF,
        "target",
        'not supported: hands of this family are counted to 7½, expected "7½"',
    )


def with_cards(
    game: Game, suits: tuple[str, ...], matta: SubmittedMatta, tables: Mapping[str, Any], problems: Problems
) -> Game:
    """Returns the game with the values of its ranks; records where cards, values or matta are not the family's.

    Args:
        game: The submission as read so far.
        suits: Names of the suits that the family is played with, in the order of the card ids.
        matta: The one card, and the one way in which the family counts it.
        tables: The family's own tables: ``values`` and ``matta``.
        problems: Takes the mistakes.
    """
    _check_deck(game, suits, problems)
    _check_matta(tables.get("matta"), matta, problems)
    return replace(game, values=_values(tables.get("values") or {}, problems))


def _check_deck(game: Game, suits: tuple[str, ...], problems: Problems) -> None:
    """Compares the submitted deck with the forty cards."""
    if len(game.equipment) != 1 or game.equipment[0].kind is not Kind.SHOE:
        # Equipment that could not be read is a mistake by itself.
        problems.refuse_where(
            game.equipment, ("equipment",), "this family is dealt from one deck of cards and nothing else"
        )
        return
    (deck,) = game.equipment
    key = "deck" if deck.id == "deck" else "equipment"
    problems.refuse_where(deck.decks != 1, (key, "decks"), f"{deck.decks} decks: this family plays with one")
    problems.refuse_where(
        deck.ranks != RANKS, (key, "ranks"), f"ranks of this family are {', '.join(RANKS)}, in this order"
    )
    problems.refuse_where(
        deck.suits != suits, (key, "suits"), f"suits of this family are {', '.join(suits)}, in this order"
    )
    problems.refuse_where(
        (deck.decks, deck.ranks, deck.suits) == (1, RANKS, suits) and deck.size != DECK_SIZE,
        (key,),
        f"a deck of {deck.size} cards: this family plays with all {DECK_SIZE}",
    )


def _values(stated: Mapping[str, str], problems: Problems) -> tuple[tuple[str, int], ...]:
    """Returns the value of each rank in half points."""
    known = dict(RANK_VALUES)
    values: list[tuple[str, int]] = []
    for rank, text in stated.items():
        key = ("deck", "values", rank)
        values.append((rank, problems.attempt(key, lambda text=text: parse_half_points(text), 0)))  # type: ignore[misc]
        if rank not in known:
            problems.add(key, f'"{rank}" is no rank of the deck')
        elif values[-1][1] and values[-1][1] != known[rank]:
            problems.add(key, f'value of "{rank}" differs from the family\'s')
    for rank in known:
        problems.refuse_where(rank not in stated, ("deck", "values"), f'rank "{rank}" has no value')
    return tuple(values)


def _check_matta(stated: SubmittedMatta | None, known: SubmittedMatta, problems: Problems) -> None:
    """Refuses a matta that the family does not play: nothing would read what the file says of it."""
    if stated is None:
        return
    problems.refuse_where(
        stated.card != known.card, ("matta", "card"), f"the matta of this family is the {known.card}"
    )
    problems.refuse_where(
        stated.counts_as != known.counts_as,
        ("matta", "counts_as"),
        f'a matta that counts "{stated.counts_as}" is not supported: expected "{known.counts_as}"',
    )
    problems.refuse_where(
        stated.chosen != known.chosen,
        ("matta", "chosen"),
        f'a matta chosen "{stated.chosen}" is not supported: expected "{known.chosen}"',
    )
