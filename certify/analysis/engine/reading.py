"""How a stage reads what it is handed: the faces that give it the same answers are stepped once.

A card tells which of its attributes are read, and of texts whether they are only compared. What a stage always reads is
learned at its first moment and put at hand. Nothing of this is believed: ``engine.proof`` steps every class again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from certify.analysis.engine.comparing import Compared, Noted, Spared
from certify.errors import InputError
from certify.model.equipment import Equipment
from certify.model.stages import Card, Plain, RoundText

_FEW_COPIES: Final = 6
"""Copies of a face below which it is followed whether all of them are certainly gone."""


@dataclass(frozen=True, slots=True, eq=False)
class FaceClass:
    """Faces that gave a stage the same answers, so that one of them was stepped for all.

    Args:
        faces: The faces, in order.
        read: Names of the attributes that the stage asked for.
        unlike: Names of those that it only compared, with the texts that they differ from.
    """

    faces: tuple[int, ...]
    read: tuple[str, ...]
    unlike: tuple[tuple[str, tuple[str, ...]], ...] = ()


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
        self.noted = Noted()
        self.bits: list[int] = []
        self.full: list[int] = []
        for copies in piece.copies:
            few = not piece.replaced and copies < _FEW_COPIES
            self.bits.append(first_bit)
            self.full.append(((1 << copies) - 1) << first_bit if few else 0)
            first_bit += copies if few else 0
        self.next_bit = first_bit

    def card(self, face: int, always: Iterable[str], compared: Collection[str] = ()) -> _WalkCard:
        """Returns a face as a card that has some attributes at hand and tells when others are read or compared."""
        attributes = self.attributes[face]
        plain = Card(attributes)

        def asked(name: str) -> Any:
            self.asked.append(name)
            return plain.__getattr__(name)

        card = _WalkCard({name: attributes[name] for name in always}, asked)
        for name in compared:
            Compared(vars(card), name, self.noted)
        return card

    def forget(self) -> None:
        """Forgets what was asked of the last card."""
        self.asked.clear()
        self.noted.forget()

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


class _CardSets(dict[tuple[str, ...], list[_WalkCard]]):
    """The faces as cards that have some attributes at hand, by the texts among these that are stood in for."""

    def __init__(self, faces: Faces, always: tuple[str, ...]) -> None:
        super().__init__()
        self.faces = faces
        self.always = always

    def __missing__(self, tried: tuple[str, ...]) -> list[_WalkCard]:
        self[tried] = cards = [self.faces.card(face, self.always, tried) for face in self.faces.every]
        return cards


class StageReading:
    """How one stage reads the faces of one piece: what it always asks for, and the classes that its answers make."""

    def __init__(self, faces: Faces) -> None:
        self.faces = faces
        self.learned = False
        self.trials: dict[str, Spared] = {}
        self.begin(())

    def begin(self, always: tuple[str, ...]) -> None:
        """Puts at hand what the stage always asks for."""
        self.always = always
        self.cards = _CardSets(self.faces, always)
        self.known: dict[tuple[object, ...], FaceClass] = {}
        self.spared: dict[tuple[FaceClass, str], int] = {}
        self.alone = [self.agreeing(face, ()) for face in self.faces.every]

    def learn(self, met: Iterable[FaceClass], may_stand: bool) -> None:
        """Learns from the first moment of the stage what it asks of every card, and what of it may be compared only."""
        self.learned = True
        asked = [one.read for one in met]
        common = [name for name in asked[0] if all(name in one for one in asked)] if asked else []
        attributes = self.faces.attributes
        self.begin(tuple(name for name in common if all(name in one for one in attributes)))
        texts = (name for name in self.always if all(type(one[name]) is str for one in attributes))
        self.trials = {name: Spared() for name in texts if may_stand}

    def by_value(self, tried: tuple[str, ...]) -> tuple[str, ...]:
        """Returns for which texts a face is stepped again with stand-ins, once the value of some was asked for."""
        needed = tuple(self.faces.noted.needed)
        self.faces.forget()
        return tuple(name for name in tried if name not in needed) if needed else ()

    def met(self, face: int, tried: tuple[str, ...]) -> FaceClass:
        """Returns the class of a face that was stepped."""
        asked, noted = self.faces.asked, self.faces.noted
        if not asked and not noted.known:
            one = self.known.get((face, (), tried, (), tuple(noted.unlike))) if tried else self.alone[face]
            if one is not None:
                noted.unlike.clear()
                return one
        one = self.agreeing(face, tuple(asked), tried, tuple(noted.known), tuple(noted.unlike))
        self.faces.forget()
        return one

    def spares(self, met: Sequence[FaceClass], name: str) -> bool:
        """Tells whether a moment was spared a third of its steps or more, because a text was only compared."""
        return 2 * sum([self.spared.get((one, name), 0) for one in met]) >= len(met)

    def agreeing(
        self,
        face: int,
        besides: tuple[str, ...],
        tried: tuple[str, ...] = (),
        equal: tuple[str, ...] = (),
        unlike: tuple[tuple[str, str], ...] = (),
    ) -> FaceClass:
        """Returns the class of the faces that answer as one does, also in what was asked besides.

        Args:
            face: The face.
            besides: Attributes that were asked for besides those that the stage always reads.
            tried: Attributes that stood in for their texts.
            equal: Those of them that were found to equal something.
            unlike: The others with each text that they were found to differ from.
        """
        key = face, besides, tried, equal, unlike
        known = self.known.get(key)
        if known is None:
            attributes = self.faces.attributes
            stood = {name: tuple({other: 0 for one, other in unlike if one == name}) for name in tried}
            stood = {name: others for name, others in stood.items() if name not in equal}
            read = (*(name for name in self.always if name not in stood), *dict.fromkeys(besides))
            apart = tuple(stood.items())
            behind = [name for name in read if name.startswith("_")]
            if behind:
                raise InputError(
                    f"a stage looks behind the card, at its {behind[0]}: expected an attribute that the text gives its "
                    "faces, for it would see what the card does not show"
                )
            answers = [(name, attributes[face].get(name, _ABSENT)) for name in read]
            alike = tuple(
                other
                for other, one in enumerate(attributes)
                if all(same(one.get(name, _ABSENT), answer) for name, answer in answers)
                and not any(one[name] in others for name, others in apart)
            )
            known = FaceClass(alike, read, apart)
            for name in stood:
                self.spared[known, name] = len({attributes[other][name] for other in alike}) - 1
            for other in alike:
                self.known[other, *key[1:]] = known
        return known


def same(one: object, other: object) -> bool:
    """Tells whether two answers are equal and of one type."""
    return type(one) is type(other) and one == other
