"""Names of cards as people write them: K♦, KD, 10h, Re di denari, rey de oros; and copies told apart."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from rng.battery.cards.decks import Shoe, shoe_of
from rng.errors import SampleError
from rng.streams import Stream, stream

Language = Literal["english", "italian", "spanish"]
DeckSize = Literal[40, 52, 54]

LANGUAGES: Final[tuple[Language, ...]] = ("english", "italian", "spanish")

_LABELS: Final = hashlib.sha256(b"rng battery: labels of equal cards").digest()

# Each rank and suit in every spelling; suits in the order of the ids: diamonds, hearts, spades, clubs.
_SYMBOLS: Final = ("♦♢", "♥♡", "♠♤", "♣♧")
_ACE, _NUMBERS = "a ace as asso 1", [str(number) for number in range(2, 11)]
_FRENCH_RANKS: Final[dict[Language, tuple[str, ...]]] = {
    "english": (_ACE, *_NUMBERS[:-1], "10 t ten", "j jack", "q queen", "k king"),
    "italian": (_ACE, *_NUMBERS, "j fante f", "q d donna regina", "k r re"),
    "spanish": (_ACE, *_NUMBERS, "j jota", "q reina", "k rey"),
}
_FRENCH_SUITS: Final[dict[Language, tuple[str, ...]]] = {
    "english": ("d diamond diamonds", "h heart hearts", "s spade spades", "c club clubs"),
    "italian": ("q quadri", "c cuori", "p picche", "f fiori"),
    "spanish": ("d diamantes", "c corazones", "p picas", "t tréboles treboles"),
}
_LATIN_RANKS: Final[dict[Language, tuple[str, ...]]] = {
    "italian": (_ACE, *_NUMBERS[:6], "f fante j 8", "c cavallo q 9", "r re k 10"),
    "spanish": (_ACE, *_NUMBERS[:6], "s sota j 10", "c caballo q 11", "r rey k 12"),
}
_LATIN_SUITS: Final[dict[Language, tuple[str, ...]]] = {
    "italian": ("d denari ori", "c coppe", "s spade", "b bastoni"),
    "spanish": ("o oros", "c copas", "e espadas", "b bastos"),
}
_JOKERS: Final = (
    "joker joker1 joker2 jk jk1 jk2 blackjoker redjoker jokerblack jokerred "
    "jolly jolly1 jolly2 comodín comodin"
)


@dataclass(frozen=True, slots=True)
class Pack:
    """What a row of cards is: so many packs of 40, 52 or 54 cards shuffled together.

    Args:
        size: Cards in one pack; 54 are 52 and two jokers, which are not told apart.
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
    def shoe(self) -> Shoe:
        """Ranks and suits of the ids."""
        return shoe_of(10 if self.size == 40 else 13, 4, self.packs, 2 if self.size == 54 else 0)

    @property
    def kinds(self) -> NDArray[np.int64]:
        """The kind of each card by its id: its id in one pack, and both jokers alike."""
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
    if size == 54:
        names |= dict.fromkeys(_JOKERS.split(), 52)
    return names


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

    If every order of the cards with equal ones alike is equally likely, then with such labels every order of
    the ids is: tests of whole orders stay exact. The labels come from a fixed stream, so that a result can be repeated.

    Args:
        kinds: One shoe a row, as kinds of cards, or as ids of all its cards.
        pack: What the rows are made of.
        first_row: Number of the first row, for messages.
        source: Name of the data, for messages.
        labels: Where labels are drawn from; see `label_stream`.

    Raises:
        SampleError: A row has a card too often or not often enough.
    """
    whole = (np.sort(kinds, axis=1) == np.arange(pack.cards)).all(axis=1)
    if whole.all():
        return kinds.astype(np.uint16)
    alike, expected = pack.kinds[kinds], np.sort(pack.kinds)
    wrong = np.flatnonzero((np.sort(alike, axis=1) != expected).any(axis=1))
    if wrong.size:
        row = int(wrong[0])
        excess = np.bincount(alike[row], minlength=64) - np.bincount(expected, minlength=64)
        kind = int(np.argmax(excess))
        found, due = np.count_nonzero(alike[row] == kind), np.count_nonzero(expected == kind)
        raise SampleError(
            f"{source}: deck {first_row + row}: card {kind} (4 × rank + suit) {found} times, expected {due}"
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
