"""Names of cards as people write them: K♦, KD, 10h, Re di denari, rey de oros; and copies distinguished."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from rng.battery.cards.decks import DeckShoe, shoe_of
from rng.errors import DoubledItemError, SampleError
from rng.streams import Stream, stream

Language = Literal["english", "italian", "spanish"]
DeckSize = Literal[40, 52, 54]

LANGUAGES: Final[tuple[Language, ...]] = ("english", "italian", "spanish")

_LABELS: Final = hashlib.sha256(b"rng battery: labels of equal cards").digest()

# Each rank and suit in every spelling; suits in the order of the ids: diamonds, hearts, spades, clubs.
_SYMBOLS: Final = ("♦♢", "♥♡", "♠♤", "♣♧")
_ACE: Final = "a ace as asso 1"
_NUMBER_WORDS: Final[dict[Language, str]] = {
    "english": "two three four five six seven eight nine ten",
    "italian": "due tre quattro cinque sei sette otto nove dieci",
    "spanish": "dos tres cuatro cinco seis siete ocho nueve diez",
}
_NUMBERS: Final = {
    language: tuple(f"{number} {word}" for number, word in enumerate(words.split(), 2))
    for language, words in _NUMBER_WORDS.items()
}
_FRENCH_RANKS: Final[dict[Language, tuple[str, ...]]] = {
    "english": (_ACE, *_NUMBERS["english"][:-1], "10 t ten", "j jack", "q queen", "k king"),
    "italian": (_ACE, *_NUMBERS["italian"], "j fante f", "q d donna regina", "k r re"),
    "spanish": (_ACE, *_NUMBERS["spanish"], "j jota", "q reina", "k rey"),
}
_FRENCH_SUITS: Final[dict[Language, tuple[str, ...]]] = {
    "english": ("d diamond diamonds", "h heart hearts", "s spade spades", "c club clubs"),
    "italian": ("q quadri", "c cuori", "p picche", "f fiori"),
    "spanish": ("d diamantes", "c corazones", "p picas", "t tréboles treboles"),
}
_LATIN_RANKS: Final[dict[Language, tuple[str, ...]]] = {
    "italian": (_ACE, *_NUMBERS["italian"][:6], "f fante j 8", "c cavallo q 9", "r re k 10"),
    "spanish": (_ACE, *_NUMBERS["spanish"][:6], "s sota j 10", "c caballo q 11", "r rey k 12"),
}
_LATIN_SUITS: Final[dict[Language, tuple[str, ...]]] = {
    "italian": ("d denari ori", "c coppe", "s spade", "b bastoni"),
    "spanish": ("o oros", "c copas", "e espadas", "b bastos"),
}
# The cards that Unicode draws: the row of each suit, and the place of each rank; the knight has no place here.
_DRAWN_SUITS: Final = (0x1F0C0, 0x1F0B0, 0x1F0A0, 0x1F0D0)
_DRAWN_RANKS: Final = (*range(1, 12), 13, 14)
_JOKERS: Final = (
    "\U0001f0bf \U0001f0cf \U0001f0df "
    "joker joker1 joker2 jk jk1 jk2 blackjoker redjoker jokerblack jokerred "
    "jolly jolly1 jolly2 comodín comodin"
)


@dataclass(frozen=True, slots=True)
class Pack:
    """What a row of cards is: so many packs of 40, 52 or 54 cards shuffled together.

    Args:
        size: Cards in one pack; 54 are 52 and two jokers, which are not distinguished.
        packs: Packs in the shoe, 1 to 8.
        language: Whose letters name ranks and suits.
    """

    size: DeckSize = 40
    packs: int = 1
    language: Language = "english"

    @property
    def cards(self) -> int:
        """Cards in a row."""
        return self.size * self.packs

    @property
    def shoe(self) -> DeckShoe:
        """Ranks and suits of the ids."""
        return shoe_of(10 if self.size == 40 else 13, 4, self.packs, 2 if self.size == 54 else 0)

    @property
    def kinds(self) -> NDArray[np.int64]:
        """The kind of each card by its id: its id in one pack, and both jokers as one kind."""
        return np.tile(np.minimum(np.arange(self.size), 52), self.packs)


@lru_cache(maxsize=16)
def names_of(size: DeckSize, language: Language) -> dict[str, int]:
    """The kind of each card by every spelling of its name, as `plain_name` leaves it.

    >>> names_of(52, "english")["kd"], names_of(52, "english")["♦k"], names_of(40, "italian")["redenari"]
    (48, 48, 36)
    """
    names: dict[str, int] = {}
    french = [list(rank.split()) for rank in _FRENCH_RANKS[language]]
    if size == 40:
        del french[7:10]
    tables = [(french, _FRENCH_SUITS[language])]
    if size == 40 and language in _LATIN_RANKS:
        # The pack of the country first: where a letter means both, it means this one.
        tables.insert(0, ([rank.split() for rank in _LATIN_RANKS[language]], _LATIN_SUITS[language]))
    for reverse in (False, True):
        for ranks, suits in tables:
            for suit, (spelled, symbols) in enumerate(zip(suits, _SYMBOLS, strict=True)):
                for word in (*spelled.split(), *symbols):
                    for rank, spellings in enumerate(ranks):
                        for name in spellings:
                            names.setdefault(word + name if reverse else name + word, 4 * rank + suit)
    for suit, row in enumerate(_DRAWN_SUITS):
        for rank, place in enumerate(_DRAWN_RANKS[:7] + _DRAWN_RANKS[10:] if size == 40 else _DRAWN_RANKS):
            names[chr(row + place)] = 4 * rank + suit
    if size == 54:
        names |= dict.fromkeys(_JOKERS.split(), 52)
    return names


def spellings(faces: Sequence[str], language: Language) -> dict[str, int]:
    """The number of each face by its name, and by every spelling of that name where it is a card's.

    Args:
        faces: Names of faces, such as ``7 of hearts``, ``bar`` or ``00``.
        language: Whose letters name ranks and suits.

    >>> names = spellings(("A of diamonds", "7 of hearts", "bar"), "english")
    >>> names["aced"], names["♥7"], names["7h"], names["bar"]
    (0, 1, 1, 2)
    """
    plain = [plain_name(face) for face in faces]
    sizes: tuple[DeckSize, ...] = (40, 54)
    known = max(
        (names_of(size, language) for size in sizes), key=lambda names: sum(p in names for p in plain)
    )
    kinds = [known.get(name) for name in plain]
    found: dict[str, int] = {}
    if len(set(kinds) - {None}) == len(kinds) - kinds.count(None):  # else two faces would share a spelling
        face_of = {kind: face for face, kind in enumerate(kinds) if kind is not None}
        found = {name: face_of[kind] for name, kind in known.items() if kind in face_of}
    # What the equipment itself says comes before any spelling.
    return found | {name: face for face, name in enumerate(plain)}


class Glued:
    """Names without anything between them, such as ``AsTd10h``: a rank and the letter or mark of a suit.

    No such name is the beginning of another, so that a text can be read in one way only.

    Args:
        language: Whose letters name ranks and suits.
        latin: Whether the pack is one of forty, which the country may name in its own way.

    >>> Glued("english").parts("AsTd10h"), Glued("english").parts("A♠K♦"), Glued("english").parts("As?")
    (['As', 'Td', '10h'], ['A♠', 'K♦'], None)
    """

    def __init__(self, language: Language, *, latin: bool = False) -> None:
        tables = [(_FRENCH_RANKS[language], _FRENCH_SUITS[language])]
        if latin and language in _LATIN_RANKS:
            tables.append((_LATIN_RANKS[language], _LATIN_SUITS[language]))
        ranks = {name for of_rank, _ in tables for rank in of_rank for name in rank.split()}
        suits = {name for _, of_suit in tables for suit in of_suit for name in suit.split()}
        short = [name for name in ranks if len(name) == 1 or name in ("10", "11", "12")]
        marks = {name for name in suits if len(name) == 1} | set("".join(_SYMBOLS))
        one = f"(?:{'|'.join(sorted(short, key=len, reverse=True))})[{''.join(sorted(marks))}]\ufe0f?"
        self._one, self._all = re.compile(one, re.IGNORECASE), re.compile(f"(?:{one}){{2,}}", re.IGNORECASE)

    def parts(self, text: str) -> list[str] | None:
        """Returns the names of a text that is nothing else; None of any other."""
        return self._one.findall(text) if self._all.fullmatch(text) else None

    def begins(self, text: str) -> bool:
        """Says whether a text begins with three names or more."""
        return len(self._one.findall(text)) > 2 and self._all.match(text) is not None


def plain_name(text: str) -> str:
    """A name without case, blanks, and words and marks between rank and suit.

    >>> plain_name("Re di denari"), plain_name("10-H"), plain_name("King of Diamonds")
    ('redenari', '10h', 'kingdiamonds')
    """
    words = text.replace("-", " ").replace("_", " ").replace("\ufe0f", "").casefold().split()
    return "".join(word for word in words if word not in ("of", "di", "de"))


def ids_of(
    kinds: NDArray[np.int64], pack: Pack, first_row: int, source: str, labels: Stream
) -> NDArray[np.uint16]:
    """Gives every card of each row an id of its own; which copy of equal cards is which is drawn at random.

    If every order of the cards, equal ones not distinguished, is equally likely, then with such labels every order of
    the ids is: tests of whole orders stay exact. The labels come from a fixed stream, so that a result can be repeated.

    Args:
        kinds: One shoe a row, as kinds of cards, or as ids of all its cards, each once.
        pack: What the rows are made of.
        first_row: Number of the first row, for messages.
        source: Name of the data, for messages.
        labels: Where labels are drawn from; see `label_stream`.

    Raises:
        SampleError: A row has a card that the pack does not have.
        DoubledItemError: A row has a card too often, and so another one not often enough.
    """
    whole = (np.sort(kinds, axis=1) == np.arange(pack.cards)).all(axis=1)
    if whole.all():
        return kinds.astype(np.uint16)
    foreign = np.flatnonzero((kinds >= pack.size).any(axis=1) & ~whole)
    if foreign.size:
        row = int(foreign[0])
        # With equal cards not distinguished, what is beyond a pack is no copy: it would be read as another card.
        raise SampleError(
            f"{source}: deck {first_row + row}: card {int(kinds[row].max())}, expected 0 to {pack.size - 1} "
            f"(numbers from 1? say --first 1), or each of 0 to {pack.cards - 1} once"
        )
    alike, expected = pack.kinds[kinds], np.sort(pack.kinds)
    wrong = np.flatnonzero((np.sort(alike, axis=1) != expected).any(axis=1))
    if wrong.size:
        row = int(wrong[0])
        excess = np.bincount(alike[row], minlength=64) - np.bincount(expected, minlength=64)
        kind = int(np.argmax(excess))
        found, due = np.count_nonzero(alike[row] == kind), np.count_nonzero(expected == kind)
        raise DoubledItemError(
            f"{source}: deck {first_row + row}: card {kind} (4 × rank + suit) {found} times, expected {due}",
            first_row + row + 1,
            0,
            kind,
        )
    drawn = np.frombuffer(labels.read(8 * kinds.size), dtype="<u8").reshape(kinds.shape)
    order = np.argsort(alike + (drawn >> np.uint64(11)) * 2.0**-53, axis=1)
    ids = np.empty(kinds.shape, dtype=np.uint16)
    np.put_along_axis(ids, order, np.argsort(pack.kinds, kind="stable").astype(np.uint16)[None, :], axis=1)
    # Where the data tells the copies apart itself, it is left as it is.
    ids[whole] = kinds[whole]
    return ids


def label_stream() -> Stream:
    """The stream of the labels of equal cards, from its beginning."""
    return stream(_LABELS, "battery-labels", 0)
