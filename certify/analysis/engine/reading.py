"""How a stage reads what it is handed: the faces that give it the same answers are stepped once.

A card tells which of its attributes are read. What a stage always reads is learned at its first moment and put at hand.
Nothing of this is believed: ``engine.proof`` steps every class again.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from certify.errors import InputError
from certify.model import Card, Equipment, Plain, RoundText

_FEW_COPIES: Final = 6
"""Copies of a face below which it is followed whether all of them are certainly gone."""


@dataclass(frozen=True, slots=True, eq=False)
class FaceClass:
    """Faces that gave a stage the same answers, so that one of them was stepped for all.

    Args:
        faces: The faces, in order.
        read: Names of the attributes that the stage read.
    """

    faces: tuple[int, ...]
    read: tuple[str, ...]


WORD: Final = 64
"""Bits of a word."""


def in_words(numbers: Sequence[int], words: int) -> NDArray[np.uint64]:
    """Returns whole numbers as words, the lowest first, a line for each."""
    written = b"".join(one.to_bytes(WORD // 8 * words, "little") for one in numbers)
    return np.frombuffer(written, "<u8").reshape(len(numbers), words)


class _WalkCard(Card):
    """A card that has at hand what its stage always reads, and tells the walk what else is read of it."""

    __slots__ = ("__dict__", "_asked")

    def __init__(self, at_hand: Mapping[str, Plain], asked: Callable[[str], Any]) -> None:
        self.__dict__.update(at_hand)
        self._asked = asked

    def __getattr__(self, name: str) -> Any:
        return self._asked(name)


class _Absent:
    """What a face answers that has no such attribute."""


_ABSENT: Final = _Absent()


class Faces:
    """The faces of a piece, and how many of each there are."""

    def __init__(self, text: RoundText, piece: Equipment, first_bit: int) -> None:
        self.attributes = [text.face(piece, face) for face in range(len(piece.faces))]
        self.every = list(range(len(self.attributes)))
        self.asked: list[str] = []
        self.bits: list[int] = []
        self.full: list[int] = []
        for copies in piece.copies:
            # Of cards beyond these words draws are walked that cannot come, and nothing else changes.
            few = copies if not piece.replaced and copies < _FEW_COPIES and first_bit < 64 * WORD else 0
            # The bits of a face are in one word, so that words are counted as arrays.
            first_bit += -first_bit % WORD if first_bit % WORD + few > WORD else 0
            self.bits.append(first_bit)
            self.full.append(((1 << few) - 1) << first_bit)
            first_bit += few
        self.next_bit = first_bit

    def card(self, face: int, always: Iterable[str]) -> _WalkCard:
        """Returns a face as a card that has some attributes at hand and tells when others are read."""
        attributes = self.attributes[face]
        plain = Card(attributes)

        def asked(name: str) -> Any:
            self.asked.append(name)
            return plain.__getattr__(name)

        return _WalkCard({name: attributes[name] for name in always}, asked)

    @cached_property
    def plain(self) -> list[Card]:
        """The faces as cards that tell nothing of how they are read."""
        return [*map(Card, self.attributes)]

    def after(self, gone: Sequence[int], words: int) -> tuple[NDArray[np.bool_], NDArray[np.uint64]]:
        """Returns of many moments which faces may come, and what is certainly gone after each, in words."""
        before = in_words(gone, words)
        word = np.array(self.bits, np.int64) // WORD % words
        full = np.array(
            [one >> WORD * (bit // WORD) for one, bit in zip(self.full, self.bits, strict=True)], np.uint64
        )
        one = full & -full
        own = before[:, word] & full
        taken = np.repeat(before[:, None, :], len(full), axis=1)
        taken[:, np.arange(len(full)), word] |= own + one
        return (own != full) | (full == 0), taken

    def possible(self, gone: int) -> list[int]:
        """Returns the faces of which some card is not certainly gone."""
        return [face for face, full in enumerate(self.full) if not full or gone & full != full]

    def taken(self, gone: int, face: int) -> int:
        """Returns what is certainly gone after a face was drawn."""
        full = self.full[face]
        if not full:
            return gone
        bit = self.bits[face]
        return gone | (((gone & full) >> bit) + 1) << bit


class StageReading:
    """How one stage reads the faces of one piece: what it always asks for, and the classes that its answers make."""

    def __init__(self, faces: Faces) -> None:
        self.faces = faces
        self.learned = False
        self.begin(())

    def begin(self, always: tuple[str, ...]) -> None:
        """Puts at hand what the stage always asks for."""
        self.always = always
        self.cards = [self.faces.card(face, always) for face in self.faces.every]
        self.known: dict[tuple[int, tuple[str, ...]], FaceClass] = {}
        self.alone = [self.agreeing(face, ()) for face in self.faces.every]

    def learn(self, met: Iterable[FaceClass]) -> None:
        """Learns from the first moment of the stage what it asks of every card."""
        self.learned = True
        asked = [one.read for one in met]
        common = [name for name in asked[0] if all(name in one for one in asked)] if asked else []
        self.begin(tuple(name for name in common if all(name in one for one in self.faces.attributes)))

    def met(self, face: int) -> FaceClass:
        """Returns the class of a face that was stepped."""
        asked = self.faces.asked
        if not asked:
            return self.alone[face]
        one = self.agreeing(face, tuple(asked))
        asked.clear()
        return one

    def agreeing(self, face: int, besides: tuple[str, ...]) -> FaceClass:
        """Returns the class of the faces that answer as one does, also in the further attributes.

        Args:
            face: The face.
            besides: Attributes that were read in addition to those that the stage always reads.
        """
        known = self.known.get((face, besides))
        if known is None:
            attributes = self.faces.attributes
            read = (*self.always, *dict.fromkeys(besides))
            behind = [name for name in read if name.startswith("_")]
            if behind:
                raise InputError(
                    f"a stage looks behind the card, at its {behind[0]}: expected an attribute that the text gives its "
                    "faces, for it would see what the card does not show"
                )
            # Every class of these attributes at once: dice of ten thousand sides have as many.
            classes: dict[Hashable, list[int]] = {}
            for other, one in enumerate(attributes):
                answers = [one.get(name, _ABSENT) for name in read]
                classes.setdefault(tuple((type(answer), answer) for answer in answers), []).append(other)
            for alike in classes.values():
                self.known |= dict.fromkeys(
                    ((other, besides) for other in alike), FaceClass(tuple(alike), read)
                )
            known = self.known[face, besides]
        return known


def same(one: object, other: object) -> bool:
    """Returns whether two answers are equal and of one type."""
    return type(one) is type(other) and one == other
