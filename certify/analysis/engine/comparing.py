"""Text of a card that a stage may only compare: what it is compared with tells faces apart, its value does not.

A stage that asks whether a card has the suit of those before learns one bit of it, though it reads the suit. While it
is walked it gets a stand-in for the text, which answers whether it equals another and notes what it differs from. Once
it equals another its value is known. Any other use asks for the value, and the face is stepped again with it.

A stand-in is no text, so that a function could tell it by its type; where the code of a text can look at types, at
identities, or past an error, nothing is stood in for.

Source: P. Godefroid, N. Klarlund and K. Sen, DART: directed automated random testing, PLDI 2005 (conditions that are
met on the way are noted while the program runs).
"""

from __future__ import annotations

import builtins
import dis
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import EnumMeta
from typing import Any, Final

from certify.analysis.engine.strategies import reached
from certify.errors import InputError
from certify.model.stages import RoundText

_LOOKS: Final = {
    *("type", "id", "callable", "setattr", "vars", "dir", "globals", "locals", "eval", "exec", "compile"),
    *("operator", "inspect", "sys", "gc", "copy"),
}
"""Names by which code could tell a stand-in from a text."""

_OTHER_TYPES: Final = (int, bool, type(None), tuple)
"""Types of plain values that no text equals."""


_RAREST: Final = 63
"""Moments after which it is tried once more whether a text is only compared."""


class ValueNeededError(InputError):
    """The value of a stand-in was asked for; outside a stage that is one which was kept aside."""


class _Standing:
    """Stands for one text of a card, and refuses to be anything but compared."""

    __slots__ = ("_name", "_needed")

    def __init__(self, name: str, needed: list[str]) -> None:
        self._name = name
        self._needed = needed

    def __ne__(self, other: object) -> bool:
        """Tells whether the text differs from another."""
        return not self == other

    def _ask(self, *given: object) -> Any:
        self._needed.append(self._name)
        raise ValueNeededError(
            f"the {self._name} of a card was kept aside: expected that everything a later stage needs is handed to it"
        )

    __hash__: Any = _ask
    __bool__ = __len__ = __iter__ = __contains__ = __getitem__ = _ask
    __lt__ = __le__ = __gt__ = __ge__ = __add__ = __radd__ = __mul__ = __rmul__ = _ask
    __mod__ = __rmod__ = __str__ = __repr__ = __format__ = __int__ = __index__ = _ask
    __getattr__ = _ask


class Noted:
    """What a stage asked of stand-ins while it was called on one card.

    Args:
        needed: Names of the texts whose value was asked for.
        unlike: Names with what their texts were found to differ from.
        known: Names of the texts that were found to equal something.
    """

    __slots__ = ("known", "needed", "replaced", "unlike")

    def __init__(self) -> None:
        self.needed: list[str] = []
        self.unlike: list[tuple[str, str]] = []
        self.known: list[str] = []
        self.replaced: list[tuple[dict[str, object], str, _Standing]] = []

    def forget(self) -> None:
        """Forgets everything, and puts stand-ins at hand again."""
        for at_hand, name, one in self.replaced:
            at_hand[name] = one
        self.replaced.clear()
        self.needed.clear()
        self.unlike.clear()
        self.known.clear()


class Compared(_Standing):
    """A stand-in that knows its text: it is put at hand by itself once it equals something.

    Args:
        at_hand: What the card has at hand.
        name: Name of the attribute.
        noted: Where is noted what is asked.
    """

    __slots__ = ("_at_hand", "_noted", "_text")

    def __init__(self, at_hand: dict[str, object], name: str, noted: Noted) -> None:
        super().__init__(name, noted.needed)
        self._at_hand = at_hand
        self._text = at_hand[name]
        self._noted = noted
        at_hand[name] = self

    def __eq__(self, other: object) -> bool:
        """Tells whether the text equals another, and notes it."""
        if type(other) is str:
            if self._text != other:
                self._noted.unlike.append((self._name, other))
                return False
            self._noted.known.append(self._name)
            self._noted.replaced.append((self._at_hand, self._name, self))
            self._at_hand[self._name] = self._text
            return True
        return False if type(other) in _OTHER_TYPES else bool(self._ask())

    __hash__: Any = _Standing.__hash__


class Unlike(_Standing):
    """A stand-in that knows what its text differs from, and nothing else.

    Args:
        name: Name of the attribute.
        texts: What it differs from.
        beyond: Where the name is added if anything else is asked.
    """

    __slots__ = ("_texts",)

    def __init__(self, name: str, texts: tuple[str, ...], beyond: list[str]) -> None:
        super().__init__(name, beyond)
        self._texts = texts

    def __eq__(self, other: object) -> bool:
        """Tells that the text does not equal another."""
        if type(other) is str:
            return False if other in self._texts else bool(self._ask())
        return False if type(other) in _OTHER_TYPES else bool(self._ask())

    __hash__: Any = _Standing.__hash__


@dataclass(slots=True)
class Spared:
    """Whether it is worth trying that a text is only compared: rarer and rarer where that spares little.

    Args:
        wait: Moments left out after the last one that was tried.
        left: Those of them that are still to be left out.
    """

    wait: int = 0
    left: int = 0

    def due(self) -> bool:
        """Tells whether the next moment is tried."""
        self.left -= 1
        return self.left < 0

    def met(self, spared: bool) -> None:
        """Learns whether a moment was spared many steps."""
        self.wait = self.left = 0 if spared else min(2 * self.wait + 1, _RAREST)


def may_stand(text: RoundText) -> bool:
    """Tells whether a stand-in is to the code of a text what the text of a card is.

    Args:
        text: The text of a game.
    """
    return not any(
        _looks(one)
        for one in reached(text.start, type(text.table)).values()
        # Methods that dataclasses write compare and keep, and look at types only among themselves.
        if isinstance(one, types.FunctionType) and one.__code__.co_filename != "<string>"
    )


def _looks(one: types.FunctionType) -> bool:
    """Tells whether a function can look at types, at identities of what is no constant, or past an error."""
    named = {**vars(builtins), **one.__globals__}
    for code in _within(one.__code__):
        steps = [*dis.get_instructions(code)]
        loaded = {step.argval for step in steps if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
        asks_types = loaded & {"isinstance", "issubclass"}
        if loaded & _LOOKS or (asks_types and any(_is_of_text(named.get(name)) for name in loaded)):
            return True
        for place, step in enumerate(steps):
            if step.opname in ("PUSH_EXC_INFO", "MATCH_CLASS"):
                return True
            if step.opname in ("LOAD_ATTR", "LOAD_METHOD") and step.argval.startswith("__"):
                return True
            if step.opname == "IS_OP" and not _is_no_text(steps[:place], named):
                return True
    return False


def _is_no_text(before: Sequence[dis.Instruction], named: Mapping[str, object]) -> bool:
    """Tells whether what was loaded last is a constant or a member of an enumeration, which no text of a card is."""
    last = before[-1]
    if last.opname == "LOAD_CONST":
        return type(last.argval) is not str
    return last.opname == "LOAD_ATTR" and isinstance(named.get(before[-2].argval), EnumMeta)


def _is_of_text(value: object) -> bool:
    """Tells whether a value is a class, or a tuple of some, to which every text belongs."""
    several = value if type(value) is tuple else (value,)
    return any(isinstance(one, type) and issubclass(str, one) for one in several)


def _within(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _within(constant)
