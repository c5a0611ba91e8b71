"""What chance is drawn from: shoes of cards, wheels, dice, reels, balls, with their exact laws."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate, chain, count, repeat
from math import perm, prod
from typing import Any, Final

from certify.errors import InputError


class Kind(StrEnum):
    """The kinds of equipment that a game can be dealt, spun, thrown or drawn from."""

    SHOE = "shoe"
    """Cards, shuffled before every round and dealt without replacement."""
    WHEEL = "wheel"
    """Equally likely stops; the same stop may come again."""
    DICE = "dice"
    """Throws of one die after the other; two dice are two throws."""
    REEL = "reel"
    """Equally likely stops of a reel strip; several stops may show the same symbol."""
    BALLS = "balls"
    """Numbered balls drawn from a cage without replacement."""


WITHOUT_REPLACEMENT: Final = frozenset({Kind.SHOE, Kind.BALLS})
"""Kinds of which an item that was drawn does not come again in the same round."""


@dataclass(frozen=True, slots=True)
class FaceRuns(Sequence[int]):
    """What each item of a piece shows, whose faces follow each other in runs: so many copies of each, never listed.

    Args:
        copies: Items of each face.

    >>> list(FaceRuns((1, 3))), FaceRuns((1, 3))[1]
    ([0, 1, 1, 1], 1)
    """

    copies: tuple[int, ...]

    def __len__(self) -> int:
        return sum(self.copies)

    def __getitem__(self, item: Any) -> Any:
        return bisect_right(tuple(accumulate(self.copies)), range(len(self))[item])

    def __iter__(self) -> Iterator[int]:
        return chain.from_iterable(map(repeat, count(), self.copies))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        import numpy as np

        return np.repeat(np.arange(len(self.copies), dtype=dtype), self.copies)


@dataclass(frozen=True, slots=True)
class Equipment:
    """One piece of equipment.

    Items are numbered from zero; every item is equally likely to be the next among those that are left. What an
    item shows is its face: in a shoe of several decks, or on a reel with repeated symbols, several items show
    the same one.

    Args:
        id: Id of the piece in the submission.
        kind: What it is.
        faces: Names of the different faces, in the order of their ids.
        shows: Face of each item, by the number of the item.
        supply: Most draws that one round has before it; all items where nothing is put back.
        ranks: Names of the ranks of a shoe, in order; empty for other kinds.
        suits: Names of the suits of a shoe, in order; empty for other kinds.
        decks: Number of decks in a shoe.

    >>> eight = shoe("shoe", FRENCH_RANKS, FRENCH_SUITS, decks=8)
    >>> eight.size, len(eight.faces), eight.copies[0], eight.face_of(415)
    (416, 52, 8, 51)
    """

    id: str
    kind: Kind
    faces: tuple[str, ...]
    shows: Sequence[int]
    supply: int
    ranks: tuple[str, ...] = ()
    suits: tuple[str, ...] = ()
    decks: int = 1

    def __post_init__(self) -> None:
        """Refuses equipment that nothing can be drawn from."""
        if not self.shows or not self.supply >= 1:
            raise InputError(f"equipment {self.id!r} holds nothing: expected at least one item and one draw")
        if self.replaced is False and self.supply > len(self.shows):
            raise InputError(f"equipment {self.id!r}: {self.supply} draws from {len(self.shows)} items")
        if sum(self.copies) != self.size or 0 in self.copies:
            raise InputError(
                f"equipment {self.id!r} has a face that no item shows, or an item without a face"
            )

    @property
    def replaced(self) -> bool:
        """Whether an item that was drawn may come again in the same round."""
        return self.kind not in WITHOUT_REPLACEMENT

    @property
    def size(self) -> int:
        """Number of items."""
        return len(self.shows)

    @property
    def copies(self) -> tuple[int, ...]:
        """Number of items that show each face."""
        if isinstance(self.shows, FaceRuns):
            return self.shows.copies[: len(self.faces)]
        counts = Counter(self.shows)
        return tuple(counts[face] for face in range(len(self.faces)))

    def face_of(self, item: int) -> int:
        """Returns the face that an item shows.

        Raises:
            InputError: There is no such item.
        """
        if not 0 <= item < self.size:
            raise InputError(f"{self.id}: no item {item}, expected 0 to {self.size - 1}")
        return self.shows[item]

    def name_of(self, item: int) -> str:
        """Returns what an item shows, in the words of the submission."""
        return self.faces[self.face_of(item)]

    def verify_row(self, drawn: Sequence[int]) -> None:
        """Refuses numbers that this piece cannot have given in this order.

        Args:
            drawn: Items in the order drawn; for a shoe all of them.

        Raises:
            InputError: An item is foreign or, where nothing is put back, came twice; or the number is wrong.
        """
        if len(drawn) != self.supply:
            raise InputError(f"{self.id}: {len(drawn)} draws, expected {self.supply}")
        if min(drawn) < 0 or max(drawn) >= self.size:
            raise InputError(
                f"{self.id}: an item that does not exist was drawn, expected 0 to {self.size - 1}"
            )
        if not self.replaced and len(set(drawn)) != len(drawn):
            raise InputError(f"{self.id}: an item was drawn twice, expected each of {self.size} at most once")


FRENCH_RANKS: Final = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
FRENCH_SUITS: Final = ("diamonds", "hearts", "spades", "clubs")
"""The order of suits in every deck here; a card's face is the number of its suits times its rank, plus its suit."""


def shoe(
    piece: str,
    ranks: Sequence[str],
    suits: Sequence[str],
    *,
    decks: int = 1,
    jokers: Sequence[str] = (),
    removed: Sequence[str] = (),
) -> Equipment:
    """Returns a shoe of cards; item i of a deck of n cards shows face i mod n.

    Args:
        piece: Id of the piece.
        ranks: Names of the ranks, in order.
        suits: Names of the suits, in order.
        decks: Number of decks that are shuffled together.
        jokers: Names of the jokers in each deck, after all other cards.
        removed: Cards such as ``8 of diamonds`` that are taken out of every deck.

    Raises:
        InputError: A removed card is not in the deck.

    >>> shoe("deck", ("A", "K"), ("diamonds", "clubs"), jokers=("joker",), removed=("A of clubs",)).faces
    ('A of diamonds', 'K of diamonds', 'K of clubs', 'joker')
    """
    whole = [*(f"{rank} of {suit}" for rank in ranks for suit in suits), *jokers]
    foreign = [card for card in removed if card not in whole]
    if foreign:
        raise InputError(f"{piece}: {', '.join(foreign)} cannot be removed: no such card in the deck")
    faces = tuple(card for card in whole if card not in removed)
    shows = tuple(range(len(faces))) * decks
    return Equipment(piece, Kind.SHOE, faces, shows, len(shows), tuple(ranks), tuple(suits), decks)


def strip(
    piece: str, kind: Kind, stops: Sequence[str], supply: int = 1, copies: Sequence[int] = ()
) -> Equipment:
    """Returns a wheel, a die or a reel: equally likely stops, each with what it shows.

    Args:
        piece: Id of the piece.
        kind: What it is.
        stops: What the stops show, one after the other.
        supply: Most draws of a round.
        copies: How often each of them is there, one run after the other; once each where left out.

    >>> strip("reel", Kind.REEL, ("bar", "7", "bar")).copies
    (2, 1)
    """
    if copies:
        return Equipment(piece, kind, tuple(stops), FaceRuns(tuple(copies)), supply)
    places = {stop: place for place, stop in enumerate(dict.fromkeys(stops))}
    return Equipment(piece, kind, tuple(places), tuple(places[stop] for stop in stops), supply)


def cage(piece: str, balls: Sequence[str], drawn: int) -> Equipment:
    """Returns balls of which so many are drawn in a round, none of them put back."""
    return Equipment(piece, Kind.BALLS, tuple(balls), tuple(range(len(balls))), drawn)


def pool(piece: str, labels: Sequence[str], copies: Sequence[int], drawn: int) -> Equipment:
    """Returns tickets of a finite pool, so many of each label, of which some are drawn and none is put back.

    >>> list(pool("tickets", ("10.00", "nothing"), (1, 3), 1).shows)
    [0, 1, 1, 1]
    """
    return Equipment(piece, Kind.BALLS, tuple(labels), FaceRuns(tuple(copies)), drawn)


Row = tuple[int, ...]
"""Everything that chance gives one round: the draws of each piece in order, the pieces one after the other."""


def row_width(equipment: Sequence[Equipment]) -> int:
    """Returns the number of draws in a row."""
    return sum(piece.supply for piece in equipment)


def split_row(equipment: Sequence[Equipment], row: Sequence[int]) -> Mapping[str, Row]:
    """Returns the draws of each piece by its id.

    Raises:
        InputError: The row has the wrong length, or holds what a piece cannot give.
    """
    if len(row) != row_width(equipment):
        raise InputError(f"{len(row)} draws were recorded for a round, expected {row_width(equipment)}")
    return dict(_parts(equipment, tuple(row)))


def _parts(equipment: Sequence[Equipment], row: Row) -> Iterator[tuple[str, Row]]:
    start = 0
    for piece in equipment:
        drawn = row[start : start + piece.supply]
        piece.verify_row(drawn)
        yield piece.id, drawn
        start += piece.supply


def completed(equipment: Sequence[Equipment], drawn: Sequence[int]) -> Row:
    """Returns a row that begins with some draws; what a round does not ask for follows in the order of the items.

    Args:
        equipment: One piece, unless the row is whole already.
        drawn: The first draws.

    Raises:
        InputError: More than one piece is drawn from, so that it is open what follows the first draws.

    >>> completed([strip("die", Kind.DICE, ("1", "2"), 4)], (1, 1))
    (1, 1, 0, 0)
    """
    if len(drawn) == row_width(equipment):
        return tuple(drawn)
    if len(equipment) != 1:
        raise InputError(f"{len(drawn)} draws of {len(equipment)} pieces: expected {row_width(equipment)}")
    (piece,) = equipment
    missing = piece.supply - len(drawn)
    rest = [0] * missing if piece.replaced else [item for item in range(piece.size) if item not in drawn]
    return (*drawn, *rest[:missing])


def row_names(equipment: Sequence[Equipment], drawn: Sequence[int]) -> tuple[str, ...]:
    """Returns a row, or the first draws of one, in the words of the submission, such as names of cards.

    >>> row_names([strip("die", Kind.DICE, "123456", 2), cage("cage", ("A", "B"), 1)], (5, 0, 1))
    ('6', '1', 'B')
    """
    places = [piece for piece in equipment for _ in range(piece.supply)]
    if len(drawn) > len(places):
        raise InputError(f"{len(drawn)} draws were recorded for a round, expected at most {len(places)}")
    return tuple(piece.name_of(item) for piece, item in zip(places, drawn, strict=False))


def possible_rows(equipment: Sequence[Equipment]) -> int:
    """Returns the number of rows that can be drawn, all of them equally likely.

    >>> possible_rows([strip("die", Kind.DICE, "123456", 2)])
    36
    """
    return prod(
        piece.size**piece.supply if piece.replaced else perm(piece.size, piece.supply) for piece in equipment
    )


def possible_words(equipment: Sequence[Equipment]) -> str:
    """Returns the number of rows as a formula.

    >>> possible_words([cage("cage", [str(ball) for ball in range(80)], 20), strip("die", Kind.DICE, "123456", 2)])
    '80!/60! × 6^2'
    """
    return " × ".join(_formula(piece) for piece in equipment)


def _formula(piece: Equipment) -> str:
    if piece.replaced:
        return f"{piece.size}^{piece.supply}" if piece.supply > 1 else str(piece.size)
    rest = piece.size - piece.supply
    return f"{piece.size}!" + (f"/{rest}!" if rest > 1 else "")


def ranges_needed(equipment: Sequence[Equipment]) -> frozenset[int]:
    """Returns every n for which a number below n is drawn, n above one."""
    needed: set[int] = set()
    for piece in equipment:
        sizes = range(piece.size - piece.supply + 1, piece.size + 1) if not piece.replaced else (piece.size,)
        needed |= {size for size in sizes if size > 1}
    return frozenset(needed)


def described(piece: Equipment) -> str:
    """Returns what a piece of equipment is, in one phrase.

    >>> described(strip("die", Kind.DICE, "123456", 2))
    'A die with 6 faces: 1, 2, 3, 4, 5, 6; up to 2 draws a round'
    """
    if piece.kind is Kind.SHOE and piece.ranks:
        decks = "one deck" if piece.decks == 1 else f"{piece.decks} decks"
        whole = len(piece.ranks) * len(piece.suits)
        rest = "" if len(piece.faces) == whole else f", {len(piece.faces)} different cards"
        return (
            f"{piece.size} cards in {decks}: {', '.join(piece.ranks)} of {', '.join(piece.suits)}{rest}, "
            "shuffled before every round"
        )
    names = {Kind.DICE: "A die", Kind.WHEEL: "A wheel", Kind.REEL: "A reel", Kind.BALLS: "Balls"}
    few = len(piece.faces) <= MOST_NAMED
    faces = ", ".join(piece.faces) if few else f"{piece.faces[0]} to {piece.faces[-1]}"
    shown = f"{len(piece.faces)} faces: {faces}; up to {piece.supply} draws a round"
    return f"{names.get(piece.kind, 'A shoe')} with {shown}"


MOST_NAMED: Final = 12
"""Faces that are named one by one; of more, the first and the last."""
